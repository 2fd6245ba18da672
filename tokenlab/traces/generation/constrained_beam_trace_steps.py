"""Steps of constrained beam search: combine the steps that the scorer reports, and name the tokens.

Adds: the tokens of each beam, its progress on each constraint, and the output without constraints.
Leaves out: the search itself. Nothing here loads PyTorch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from tokenlab.libraries.transformers.generation.beam_steps import (
    CONTINUES,
    DISPLACED_BY_OTHER_BANK,
    NO_BEAM_SLOT,
    BankedCandidate,
    BeamsSelectedByBank,
    Candidate,
    CandidatesBanked,
    ConstraintProgress,
    FinalConstrainedHypotheses,
    StoppingCheck,
)
from tokenlab.printing.printable import Parts, count_noun, symbol_parts
from tokenlab.printing.printed_numbers import format_mean
from tokenlab.steps.recording import step
from tokenlab.traces.generation.token_names import tokens_to_text


@step
class WordConstraint:
    """A constraint: a word that an output has to contain, or several alternatives."""

    words: tuple[str, ...]
    tokens: tuple[tuple[str, ...], ...]  # tokens of each word

    @property
    def longest(self) -> int:
        """Number of tokens of the longest word."""
        return max(map(len, self.tokens))

    def __str__(self) -> str:
        return " or ".join(map(repr, self.words))


@step
class ConstraintsParsed:
    """The constraints, and the output without them."""

    constraints: tuple[WordConstraint, ...]
    unconstrained: str  # the best output of beam search without constraints
    total: float  # its sum of log-probabilities
    score: float

    def __str__(self) -> str:
        named = ", ".join(map(str, self.constraints)) or "none"
        free = f"the model generates “{self.unconstrained}”, with the score {format_mean(self.score)}"
        return f"constraints: {named}; without them {free}"


@step
class ConstrainedHypothesis:
    """A beam or an output, and its progress on each constraint."""

    tokens: tuple[str, ...]
    total: float  # sum of log-probabilities
    num_matched: tuple[int, ...]  # matched tokens of each constraint
    complete: tuple[bool, ...]  # whether each constraint is completed
    bank: int

    @property
    def fulfilled(self) -> bool:
        """Whether all constraints are completed."""
        return all(self.complete)


@step
class BankEntry:
    """A beam extended by one token, with its bank."""

    beam: int  # its parent
    token: str
    forced: bool  # only a candidate because it advances a constraint
    rank_in_bank: int  # rank in its bank, from 0
    place: int  # its beam slot, from 0; -1 if it does not continue
    hypothesis: ConstrainedHypothesis  # the extended beam

    @property
    def continues(self) -> bool:
        """Whether it continues as a beam."""
        return self.place >= 0


@step
class FinishedCandidate:
    """A candidate that ends."""

    beam: int
    token: str
    hypothesis: ConstrainedHypothesis  # without its eos
    total: float  # sum of log-probabilities with its eos
    status: str


@step
class ConstrainedSearchStep:
    """One token for each beam: the candidates in the order of banks, those that end, and the beams after this step."""

    number: int  # index of the output token, from 1
    entries: tuple[BankEntry, ...]
    round_robin: bool
    finished: tuple[FinishedCandidate, ...]
    hypotheses: tuple[ConstrainedHypothesis, ...]  # the beams after this step
    stopping_check: StoppingCheck  # whether the search is done

    @property
    def banks(self) -> tuple[int, ...]:
        """The banks with candidates, in their order."""
        return tuple(dict.fromkeys(entry.hypothesis.bank for entry in self.entries))

    def sentence(self) -> Parts:
        """Name the forced candidates, the banks that fill the beams, and the tokens that continue only by force."""
        number = f"token {self.number}: "
        added = [entry for entry in self.entries if entry.forced]
        if not added:
            return [f"{number}no candidate has to be forced; the {len(self.hypotheses)} most probable ones continue"]
        said = f"{number}the constraints add {count_noun(len(added), 'forced candidate')}; {self._turns()}; "
        forced = [entry.token for entry in added if entry.continues]
        if not forced:
            return [f"{said}no forced candidate continues"]
        tokens = dict.fromkeys(forced)
        beams = f" (in {len(forced)} beams)" if len(forced) > len(tokens) else ""
        only = "continues only because it is" if len(tokens) == 1 else "continue only because they are"
        return [said, *symbol_parts(tokens, "right", " and "), f"{beams} {only} forced"]

    def _turns(self) -> str:
        """Say which banks fill the beams, and which have no beam left."""
        if len(self.banks) == 1:
            return f"all are in bank {self.banks[0]}, so the most probable ones continue"
        continuing = {entry.hypothesis.bank for entry in self.entries if entry.continues}
        served, left = ([bank for bank in self.banks if (bank in continuing) is there] for there in (True, False))
        fill = "fill the beams in turn with their" if len(served) > 1 else "fills the beams with its"
        none_left = f", and no beam is left for {named_banks(left)}" if left else ""
        return f"{named_banks(served)} {fill} best candidates{none_left}"


def named_banks(banks: Sequence[int]) -> str:
    """Return the names of banks.

    >>> named_banks([2, 1, 0]), named_banks([0])
    ('banks 2, 1 and 0', 'bank 0')
    """
    *some, last = map(str, banks)
    return f"banks {', '.join(some)} and {last}" if some else f"bank {last}"


@step
class RankedConstrainedHypotheses:
    """The hypotheses at the end, best first."""

    hypotheses: tuple[ConstrainedHypothesis, ...]
    scores: tuple[float, ...]
    opened: int  # number of truncated ones

    def __str__(self) -> str:
        best = self.hypotheses[0]
        fulfils = "it fulfils all constraints"
        if not best.fulfilled:
            fulfils = "it does not fulfil all constraints: too few beams did so before the end"
        said = tokens_to_text(best.tokens) or "nothing"
        return f"“{said}” has the best score, {format_mean(self.scores[0])}; {fulfils}"


class ConstrainedStepBuilder:
    """Combine the reported steps of a search for one text.

    Args:
        constraints: the constraints, in the order of the search.
        name: function that returns the token of an id.

    >>> builder = ConstrainedStepBuilder([WordConstraint(("b",), (("b",),))], {5: "a", 6: "b"}.get)
    >>> builder.hypotheses[0].complete, builder.hypotheses[0].bank
    ((False,), 0)
    """

    def __init__(self, constraints: Sequence[WordConstraint], name: Callable[[int], str]) -> None:
        self.constraints = constraints
        self.name = name
        self.number = 0
        none = ConstraintProgress((), tuple(range(len(constraints))))
        self.hypotheses: tuple[ConstrainedHypothesis, ...] = (self._hypothesis((), 0.0, none),)
        self.known: dict[tuple[str, ...], ConstrainedHypothesis] = {(): self.hypotheses[0]}  # by tokens
        self.banked: CandidatesBanked | None = None
        self.selected: BeamsSelectedByBank | None = None

    def add_step(self, done: Any) -> Iterator[ConstrainedSearchStep | RankedConstrainedHypotheses]:
        """Add a reported step; yield the steps that it completes."""
        match done:
            case CandidatesBanked():
                self.banked = done
            case BeamsSelectedByBank():
                self.selected = done
            case StoppingCheck():
                assert self.banked is not None and self.selected is not None
                yield self._search_step(self.banked, self.selected, done)
            case FinalConstrainedHypotheses():
                yield self._outcome(done)

    def _search_step(
        self, banked: CandidatesBanked, selected: BeamsSelectedByBank, stopping_check: StoppingCheck
    ) -> ConstrainedSearchStep:
        self.number += 1
        continuing = [(each.parent, each.token) for each in selected.candidates if each.status == CONTINUES]
        entries = tuple(self._entry(candidate, continuing) for candidate in banked.candidates)
        finished = tuple(
            self._finished(each)
            for each in selected.candidates
            if each.status not in (CONTINUES, DISPLACED_BY_OTHER_BANK, NO_BEAM_SLOT)
        )
        self.hypotheses = tuple(
            entry.hypothesis
            for entry in sorted((each for each in entries if each.continues), key=lambda each: each.place)
        )
        self.known |= {hypothesis.tokens: hypothesis for hypothesis in self.hypotheses}
        return ConstrainedSearchStep(
            self.number, entries, banked.round_robin, finished, self.hypotheses, stopping_check
        )

    def _entry(self, candidate: BankedCandidate, continuing: Sequence[tuple[int, int]]) -> BankEntry:
        parent = self._parent(candidate.parent)
        hypothesis = self._hypothesis((*parent.tokens, self.name(candidate.token)), candidate.score, candidate.progress)
        place = continuing.index((candidate.parent, candidate.token)) if candidate.continues else -1
        return BankEntry(
            candidate.parent, self.name(candidate.token), candidate.forced, candidate.rank_in_bank, place, hypothesis
        )

    def _parent(self, beam: int) -> ConstrainedHypothesis:
        # subtle: at the first step all beams are the same, so one hypothesis represents them.
        return self.hypotheses[beam] if beam < len(self.hypotheses) else self.hypotheses[0]

    def _finished(self, each: Candidate) -> FinishedCandidate:
        return FinishedCandidate(each.parent, self.name(each.token), self._parent(each.parent), each.score, each.status)

    def _hypothesis(self, tokens: tuple[str, ...], total: float, progress: ConstraintProgress) -> ConstrainedHypothesis:
        there = tuple(self._num_matched(number, progress) for number in range(len(self.constraints)))
        complete = tuple(number in progress.complete for number in range(len(self.constraints)))
        return ConstrainedHypothesis(tokens, total, there, complete, progress.bank)

    def _num_matched(self, number: int, progress: ConstraintProgress) -> int:
        """Return the number of matched tokens of a constraint; `progress.done` is higher for a shorter constraint."""
        longest = self.constraints[number].longest
        if number in progress.complete:
            return longest
        return progress.done - (progress.longest - longest) if number == progress.in_progress else 0

    def _outcome(self, chosen: FinalConstrainedHypotheses) -> RankedConstrainedHypotheses:
        hypotheses = (
            replace(self.known[tuple(map(self.name, ids[1:]))], total=total)  # without the start
            for ids, total in zip(chosen.ids, chosen.totals, strict=True)
        )
        return RankedConstrainedHypotheses(tuple(hypotheses), chosen.scores, chosen.opened)
