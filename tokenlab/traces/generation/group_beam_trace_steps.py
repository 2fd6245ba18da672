"""Steps of group beam search: combine the steps that the scorer reports, and name the tokens.

Adds: the diversity penalty of each candidate, the choice without the penalty, and the sum of each output without its
penalties. Leaves out: the search itself. Nothing here loads PyTorch.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from math import fsum
from typing import Any

from tokenlab.algorithms.decoding.diversity import distinct_n
from tokenlab.libraries.transformers.generation.beam_steps import (
    CONTINUES,
    FINISHES,
    BeamsSelected,
    DiversityPenaltyApplied,
    FinalHypotheses,
    StoppingCheck,
)
from tokenlab.printing.printable import Parts, SymbolPart, count_noun, symbol_parts
from tokenlab.printing.printed_numbers import format_mean
from tokenlab.steps.recording import step
from tokenlab.traces.generation.token_names import tokens_to_text

INACTIVE_BEAM_SCORE = -1e8  # sums below it belong to beams that are masked at the first step
DROPPED_BY_PENALTY = "is dropped by the penalty"  # and so not among the candidates
DECIMALS = 3  # of a mean score


@step
class GroupCandidate:
    """A beam of the group extended by one token."""

    beam: int
    token: str
    before: float  # the sum without the penalty of this token
    after: float  # the sum with the penalty
    status: str

    @property
    def penalty(self) -> float:
        """The penalty for the earlier groups that have chosen this token at this step."""
        return self.before - self.after


@step
class GroupHypothesis:
    """A beam or an output."""

    tokens: tuple[str, ...]
    total: float  # sum of log-probabilities minus the penalties
    total_penalty: float  # sum of the penalties
    group: int  # from 1

    @property
    def model_total(self) -> float:
        """The sum of log-probabilities without the penalties."""
        return self.total + self.total_penalty


@step
class GroupStep:
    """One step of one group: one token for each of its beams."""

    number: int  # which token of the output, from 1
    group: int  # from 1
    previous_tokens: tuple[str, ...]  # the tokens that earlier groups have chosen at this step
    candidates: tuple[GroupCandidate, ...]  # best first; then those dropped by the penalty
    without_penalty: tuple[tuple[int, str], ...]  # (beam, token) pairs that would continue without the penalty
    hypotheses: tuple[GroupHypothesis, ...]  # the beams of the group after this step
    ended: tuple[GroupHypothesis, ...]  # new hypotheses
    stopping_check: StoppingCheck  # whether the search continues

    @property
    def chosen(self) -> tuple[tuple[int, str], ...]:
        """The (beam, token) pairs that continue."""
        return tuple(
            (candidate.beam, candidate.token) for candidate in self.candidates if candidate.status == CONTINUES
        )

    @property
    def differs(self) -> bool:
        """Whether the penalty changes which pairs continue."""
        return {*self.chosen} != {*self.without_penalty}

    @property
    def penalties(self) -> dict[str, float]:
        """The penalties above 0 of the tokens that earlier groups have chosen, in the order of choice."""
        costs = {candidate.token: candidate.penalty for candidate in self.candidates if candidate.penalty}
        return {token: costs[token] for token in dict.fromkeys(self.previous_tokens) if token in costs}

    def sentence(self) -> Parts:
        """Name the penalized tokens, the chosen ones, and those that would be chosen without the penalty."""
        number, costs = f"token {self.number}: ", [*self.penalties]
        taken = [*symbol_parts((token for _, token in self.chosen), "new")]
        if not self.previous_tokens:
            return [f"{number}group {self.group} takes ", *taken, "; it is the first group, so no token has a penalty"]
        if not costs:
            return [f"{number}no candidate has a penalty; group {self.group} takes ", *taken]
        before: Parts = [*symbol_parts(costs[:-1], "right", ", "), " and "] if len(costs) > 1 else []
        last: Parts = [SymbolPart(costs[-1], "right"), f" {'has' if len(costs) == 1 else 'have'} a penalty"]
        lowered = [number, *before, *last]
        if not self.differs:
            return [*lowered, f"; group {self.group} still takes ", *taken]
        would = symbol_parts(token for _, token in self.without_penalty)
        return [*lowered, f", so group {self.group} takes ", *taken, "; without the penalty it would take ", *would]


@step
class RankedHypotheses:
    """The hypotheses of all groups at the end, best first."""

    hypotheses: tuple[GroupHypothesis, ...]
    scores: tuple[float, ...]  # totals / length ** length_penalty, which ranks them
    model_scores: tuple[float, ...]  # sums without the penalties / length ** length_penalty

    def __str__(self) -> str:
        number, different = len(self.hypotheses), len({hypothesis.tokens for hypothesis in self.hypotheses})
        alike = "all alike" if different == 1 else f"of which {different} are different"
        best = self.hypotheses[0]
        return (
            f"{number} outputs, {'all different' if different == number else alike}; the best, "
            f"“{tokens_to_text(best.tokens)}”, comes from group {best.group} and has the score "
            f"{format_mean(self.scores[0])}"
        )


@step
class SearchSummary:
    """The diversity of the outputs of one search, and their scores without penalties."""

    search: str
    outputs: int
    different: int
    pairs: float  # distinct-2: distinct bigrams / all bigrams
    best: float  # best score without penalties
    mean: float  # mean score without penalties

    @classmethod
    def of(cls, search: str, ranked: RankedHypotheses) -> SearchSummary:
        """Return the summary of a search."""
        rows = [hypothesis.tokens for hypothesis in ranked.hypotheses]
        own = ranked.model_scores
        return cls(search, len(rows), len({*rows}), distinct_n(rows), max(own), fsum(own) / len(own))


@step
class SearchComparison:
    """Summaries of three searches: without groups, with groups but no penalty, and with the penalty.

    >>> plain, now = SearchSummary("", 4, 4, 0.40625, -0.2, -0.26246), SearchSummary("", 4, 4, 0.8333, -0.2, -0.32765)
    >>> print(SearchComparison((plain, now)))
    distinct-2 is 42 points higher than without groups; the mean score without penalties is 0.066 lower
    >>> print(SearchComparison((now, now)))
    distinct-2 is the same as without groups; the mean score without penalties is the same
    >>> print(SearchComparison((plain, SearchSummary("", 4, 4, 0.42, -0.2, -0.262))))
    distinct-2 is 1 point higher than without groups; the mean score without penalties is the same
    """

    outcomes: tuple[SearchSummary, ...]

    def __str__(self) -> str:
        plain, *_, now = self.outcomes
        # subtle: the difference of the rounded numbers, so that it agrees with the numbers on the page.
        more = percent(now.pairs) - percent(plain.pairs)
        lost = round(round(plain.mean, DECIMALS) - round(now.mean, DECIMALS), DECIMALS)
        change = f"{count_noun(abs(more), 'point')} {'higher' if more > 0 else 'lower'} than" if more else "the same as"
        price = f"{format_mean(abs(lost))} {'lower' if lost > 0 else 'higher'}" if lost else "the same"
        return f"distinct-2 is {change} without groups; the mean score without penalties is {price}"


def percent(share: float) -> int:
    """Return a share in percent, rounded."""
    return round(100 * share)


class GroupStepBuilder:
    """Combine the reported steps of a search for one text.

    Args:
        name: function that returns the token of an id.
        ends: the tokens that end an output.

    >>> from tokenlab.algorithms.decoding.stopping_rule import StoppingRule
    >>> from tokenlab.libraries.transformers.generation.beam_steps import Candidate
    >>> builder = GroupStepBuilder({5: "Hund", 1: "</s>"}.get, {"</s>"})
    >>> found = BeamsSelected(0, 1, (Candidate(0, 5, -0.5, CONTINUES), Candidate(0, 1, -2.0, FINISHES)), size=1)
    >>> check = StoppingRule(1).check([-2.0], -0.5, 1)
    >>> [group_step] = [*builder.add_step(found), *builder.add_step(check)]
    >>> print(group_step)
    token 1: group 1 takes Hund; it is the first group, so no token has a penalty
    """

    def __init__(self, name: Callable[[int], str], ends: Collection[str]) -> None:
        self.name = name
        self.ends = ends
        self.number = 0  # of the current token, from 1
        self.hypotheses: dict[int, tuple[GroupHypothesis, ...]] = {}  # beams of each group
        self.ended: list[GroupHypothesis] = []
        self.lowered: DiversityPenaltyApplied | None = None
        self.selected: BeamsSelected | None = None

    def add_step(self, done: Any) -> Iterator[GroupStep | RankedHypotheses]:
        """Add a reported step; yield the steps that it completes."""
        match done:
            case DiversityPenaltyApplied():
                self.lowered = done
            case BeamsSelected():
                self.selected = done
            case StoppingCheck():
                assert self.selected is not None
                yield self._group_step(self.selected, self.lowered, done)
                self.lowered = None
            case FinalHypotheses():
                yield self._ranked(done)

    def _group_step(
        self, selected: BeamsSelected, lowered: DiversityPenaltyApplied | None, stopping_check: StoppingCheck
    ) -> GroupStep:
        group = selected.group + 1
        self.number += group == 1
        candidates = self._candidates(selected, lowered)
        parents = self.hypotheses.get(group) or (GroupHypothesis((), 0.0, 0.0, group),)
        self.hypotheses[group], ended = (
            tuple(
                self._hypothesis(parents[candidate.beam], candidate)
                for candidate in candidates
                if candidate.status == status
            )
            for status in (CONTINUES, FINISHES)
        )
        self.ended += ended
        # subtle: only penalized tokens rank lower than without the penalty, so these candidates are enough.
        rivals = sorted(
            (candidate for candidate in candidates if candidate.token not in self.ends),
            key=lambda candidate: -candidate.before,
        )
        without = tuple((candidate.beam, candidate.token) for candidate in rivals[: selected.size])
        earlier = () if lowered is None else tuple(map(self.name, lowered.tokens))
        return GroupStep(
            self.number, group, earlier, candidates, without, self.hypotheses[group], ended, stopping_check
        )

    def _candidates(
        self, selected: BeamsSelected, lowered: DiversityPenaltyApplied | None
    ) -> tuple[GroupCandidate, ...]:
        """Return the candidates, best first, then the penalized pairs that are no longer candidates."""
        sums = _sums(lowered)
        candidates = []
        for each in selected.candidates:
            before, after = sums.pop((each.parent, each.token), (each.score, each.score))
            candidates.append(GroupCandidate(each.parent, self.name(each.token), before, after, each.status))
        fallen = [
            GroupCandidate(beam, self.name(token), *both, DROPPED_BY_PENALTY) for (beam, token), both in sums.items()
        ]
        return (*candidates, *sorted(fallen, key=lambda candidate: -candidate.after))

    def _hypothesis(self, parent: GroupHypothesis, candidate: GroupCandidate) -> GroupHypothesis:
        """Return the beam after this candidate, without its eos."""
        tokens = parent.tokens if candidate.token in self.ends else (*parent.tokens, candidate.token)
        return GroupHypothesis(tokens, candidate.after, parent.total_penalty + candidate.penalty, parent.group)

    def _ranked(self, chosen: FinalHypotheses) -> RankedHypotheses:
        known = [*self.ended, *(hypothesis for hypotheses in self.hypotheses.values() for hypothesis in hypotheses)]
        hypotheses = []
        for ids, total in zip(chosen.ids, chosen.totals, strict=True):
            tokens = tuple(map(self.name, ids[1:]))  # without the start
            hypotheses.append(
                next(hypothesis for hypothesis in known if hypothesis.tokens == tokens and hypothesis.total == total)
            )
            known.remove(hypotheses[-1])
        # score / total is 1 / length ** length_penalty, which `FinalHypotheses` does not hold.
        own = (
            hypothesis.model_total * score / (hypothesis.total or 1)
            for hypothesis, score in zip(hypotheses, chosen.scores, strict=True)
        )
        return RankedHypotheses(tuple(hypotheses), chosen.scores, tuple(own))


def _sums(lowered: DiversityPenaltyApplied | None) -> dict[tuple[int, int], tuple[float, float]]:
    """Map each (beam, penalized token) to its sums without and with the penalty."""
    if lowered is None:
        return {}
    return {
        (beam, token): (before, after)
        for beam, both in enumerate(zip(lowered.before, lowered.after, strict=True))
        for token, before, after in zip(lowered.tokens, *both, strict=True)
        if before > INACTIVE_BEAM_SCORE
    }
