"""The steps that a beam scorer reports: the status of each candidate, banks, the stopping check, the final hypotheses.

Adds: sentences with the tokens so far of every beam, which follow from the parents in the steps before, and on the
difference of two searches. A token is an id if the recording has no tokenizer.
Leaves out: the decisions (`beam_scorer`, `beam_search`). Nothing here loads PyTorch, so views do not need it.

A bank (Post and Vilar 2018) is the set of candidates with the same progress on the constraints.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any, TypeAlias

from tokenlab.algorithms.decoding.beam_search import EOS_RANK_TOO_LOW, FINISHED, KEPT, NOT_NEEDED
from tokenlab.algorithms.decoding.stopping_rule import StoppingCheck as StoppingCheck
from tokenlab.libraries.transformers.generation.beam_state import BeamSearchState, BeamTree
from tokenlab.printing.printable import Parts, SymbolPart, as_text, printable
from tokenlab.printing.printed_numbers import format_mean, format_number
from tokenlab.steps.recording import Recording, sentences, step

Tokens: TypeAlias = tuple[str, ...]
LAST_TOKENS = 8  # of a beam that a sentence shows
MOST_SHOWN = 8  # beams or hypotheses in a list


def tree_of(context: dict[str, Any], text: int, group: int = 0) -> BeamTree:
    """Return the tree of a text and group, which the sentences of the steps before have left in `context`."""
    names: dict[int, str] = context.setdefault("token names", {})
    trees: dict[tuple[int, int], BeamTree] = context.setdefault("beam trees", {})
    return trees.setdefault((text, group), BeamTree(names))


def joined(tokens: Tokens) -> str:
    """Return tokens separated by spaces, the last ones if there are many.

    >>> joined(("▁the", "▁cat")), joined(())
    ('▁the ▁cat', '(nothing)')
    """
    more = "… " if len(tokens) > LAST_TOKENS else ""
    return more + " ".join(map(printable, tokens[-LAST_TOKENS:])) if tokens else "(nothing)"


def listed(items: list[str]) -> str:
    """Return a list of items, the first ones if there are many."""
    more = [f"{len(items) - MOST_SHOWN} more"] if len(items) > MOST_SHOWN else []
    return ", ".join([*items[:MOST_SHOWN], *more])


def beam_differences(left: Recording[Any, Any], right: Recording[Any, Any], index: int) -> list[str]:
    """Return lines on what differs at a step of two beam searches, and on their best hypotheses.

    The list is empty if neither the beams nor the sentences of the steps differ.
    """
    beams = [_beams_at(one, index) for one in (left, right)]
    if all(beams) and beams[0] != beams[1]:
        own = [[item for item in mine if item not in other] for mine, other in (beams, beams[::-1])]
        both = zip(beams, own, strict=True)
        said = [f"{len(mine)} candidates, only here: {listed(only) or 'none'}" for mine, only in both]
    else:
        said = [_said(one, index) for one in (left, right)]
    if said[0] == said[1]:
        return []
    lines = [f" left: {said[0]}", f"right: {said[1]}"]
    best = [_best(one) for one in (left, right)]
    if all(best):
        same = f"best hypothesis of both: {best[0]}"
        lines.append(same if best[0] == best[1] else f"best hypothesis: left {best[0]}, right {best[1]}")
    return lines


def _said(recording: Recording[Any, Any], index: int) -> str:
    """Return the sentence of a step, and for a stopping check the best attainable score."""
    if index >= len(recording):
        return "(no more steps)"
    sentence = sentences(recording, index, index + 1)[0].partition(". ")[2]
    best = getattr(recording[index], "best_attainable_score", None)
    return sentence if best is None else f"{sentence}; best attainable score {format_mean(best)}"


def _beams_at(recording: Recording[Any, Any], index: int) -> list[str]:
    """Return the candidates of a step that continue or become a hypothesis; none if it is another step."""
    context: dict[str, Any] = {}
    sentences(recording, 0, min(index, len(recording)), context)
    step: Any = recording[index] if index < len(recording) else None
    selected: list[str] = step.selected(context) if hasattr(step, "selected") else []
    return selected


def _best(recording: Recording[Any, Any]) -> str:
    """Return the best hypothesis and its score; "" if the recording ends before the ranking."""
    context: dict[str, Any] = {}
    sentences(recording, 0, len(recording), context)
    best: str = context.get("best hypothesis", "")
    return best


# The statuses of `candidate_status`, and one more for a hypothesis that is worse than all of a full pool.
CONTINUES, FINISHES, BELOW_BEAM_WIDTH, NO_BEAM_SLOT = KEPT, FINISHED, EOS_RANK_TOO_LOW, NOT_NEEDED
REJECTED_BY_POOL = "ends, rejected by the pool"


@step
class Candidate:
    """A beam extended by one token."""

    parent: int  # the beam that it extends, counted in its group
    token: int
    score: float  # sum of the log-probabilities of its tokens, after the logits processors
    status: str
    name: str = ""  # the token of the id, if the step was recorded with a tokenizer

    @property
    def label(self) -> Parts:
        """The beam and its next token, by name if it is known."""
        return [f"beam {self.parent} + ", SymbolPart(self.name) if self.name else str(self.token)]

    def sentence(self) -> Parts:
        """Name the beam, its next token, the sum and the status."""
        return [*self.label, f" ({format_number(self.score)}) {self.status}"]


@step
class BeamsSelected:
    """The candidates of one text, best first, each with its status."""

    text: int
    length: int  # ids of each beam before this step
    candidates: tuple[Candidate, ...]
    size: int  # number of beams of its group; fewer continue if too few tokens are allowed
    group: int = 0

    def sentence(self) -> Parts:
        """Name each candidate that continues or ends by its beam and its next token."""
        labelled = [(candidate.status, candidate.label) for candidate in self.candidates]
        return [f"text {self.text}: ", *self.outcome(labelled)]

    def apply(self, search: BeamTree) -> None:
        """Add the candidates to the tree."""
        search.extend(self.candidates, self.length)

    def sentence_in_context(self, context: dict[str, Any]) -> str:
        """Return the sentence with the tokens of each beam, which `context` has from the steps before."""
        outcome = self.outcome((status, [label]) for status, label in self._labelled(context))
        return f"text {self.text}: {as_text(outcome)}"

    def selected(self, context: dict[str, Any]) -> list[str]:
        """Return the candidates that continue or become a hypothesis, with their tokens."""
        return [label for status, label in self._labelled(context) if status in (CONTINUES, FINISHES)]

    def explain_difference(self, left: Recording[Any, Any], right: Recording[Any, Any], index: int) -> list[str]:
        """Return lines on what differs at a step of two searches."""
        return beam_differences(left, right, index)

    def _labelled(self, context: dict[str, Any]) -> list[tuple[str, str]]:
        """Return the status of each candidate, and its new beam, its tokens and its score."""
        tree = tree_of(context, self.text, self.group)
        self.apply(tree)
        labelled = []
        for node in tree.columns[-1]:
            label = f"{joined(tuple(each.name for each in node.path))} ({format_number(node.score)})"
            labelled.append((node.status, f"beam {node.beam}: {label}" if node.status == CONTINUES else label))
        return labelled

    def outcome(self, labelled: Iterable[tuple[str, Parts]]) -> Parts:
        """Say which candidates continue or end, given the status and the label of each."""
        listed: dict[str, Parts] = {}
        counts: Counter[str] = Counter()
        for status, label in labelled:
            counts[status] += 1
            same = listed.setdefault(status, [])
            same += [*[", "] * bool(same), *label]
        number = sum(candidate.status == CONTINUES for candidate in self.candidates)
        one, many = "continues (the best one that does not end)", f"continue (the best {number} that do not end)"
        ways = {
            CONTINUES: one if number == 1 else many,
            FINISHES: "became a hypothesis" if counts[FINISHES] == 1 else "became hypotheses",
            REJECTED_BY_POOL: "ended, but the pool is full of better ones",
            BELOW_BEAM_WIDTH: f"ended below the best {self.size} candidates",
        }
        said: Parts = [] if CONTINUES in listed else ["no beam can continue"]
        for status, way in ways.items():
            if status in listed:
                said += [*["; "] * bool(said), *listed[status], f" {way}"]
        return said


@step
class FinalHypotheses:
    """The final hypotheses of a text, best first; the first `kept` are returned."""

    text: int
    ids: tuple[tuple[int, ...], ...]
    totals: tuple[float, ...]  # sums of log-probabilities
    scores: tuple[float, ...]  # sums divided by length ** length_penalty
    opened: int  # number of truncated beams that entered the pool
    kept: int  # number of hypotheses that are returned

    def sentence(self) -> Parts:
        """Name the text, and the score of its best hypothesis."""
        return [f"text {self.text}: {self.outcome()}"]

    def outcome(self, best: str = "") -> str:
        """Return the best score, and how many hypotheses there are, given the text of the best one."""
        taken = f", including {self.opened} truncated" if self.opened else ""
        score = f"{format_mean(self.scores[0])} (sum {format_number(self.totals[0])})"
        named = f"“{best}”" if best else "the first"
        return f"of {len(self.ids)} hypotheses{taken}, {named} has the best score, {score}; {self.kept} returned"

    def apply(self, search: BeamSearchState) -> None:
        """Rank the hypotheses."""
        search.rank(self.ids, self.totals)

    def sentence_in_context(self, context: dict[str, Any]) -> str:
        """Return the sentence with the tokens of the hypotheses, best first."""
        tree = tree_of(context, self.text)
        hypotheses = [
            f"{joined(tree.generated(ids))} ({format_mean(score)})"
            for ids, score in zip(self.ids, self.scores, strict=True)
        ]
        context.setdefault("best hypothesis", hypotheses[0])
        return f"{self}; hypotheses: {listed(hypotheses)}"


BeamStep: TypeAlias = BeamsSelected | StoppingCheck


@step
class DiversityPenaltyApplied:
    """The tokens that earlier groups have chosen at this step, and the sums of a later group's beams with these tokens.

    A sum adds the log-probability of the token to the sum of its beam: `before` as the model gives it, and `after` as
    the logits processors leave it.
    """

    text: int
    length: int  # ids of each beam before this step
    group: int
    tokens: tuple[int, ...]  # one for each beam of an earlier group; tokens may repeat
    before: tuple[tuple[float, ...], ...]  # (beams of this group, tokens)
    after: tuple[tuple[float, ...], ...]

    def __str__(self) -> str:
        if self.before == self.after:
            return f"text {self.text}: group {self.group} pays no penalty for the tokens of earlier groups"
        times = Counter(self.tokens)
        places = {token: self.tokens.index(token) for token in times}
        costs = (
            f"{token} ({times[token]}x): {format_number(self.before[0][place])} becomes "
            f"{format_number(self.after[0][place])}"
            for token, place in places.items()
        )
        return f"text {self.text}: penalties of group {self.group} for the tokens of earlier groups: {', '.join(costs)}"


CONSTRAINTS_UNFULFILLED, DISPLACED_BY_OTHER_BANK = "ends with unfulfilled constraints", "is displaced by other banks"
STATUS_TEXTS = {
    CONTINUES: "continue",
    DISPLACED_BY_OTHER_BANK: "were displaced by other banks",
    FINISHES: "became a hypothesis",
    REJECTED_BY_POOL: "ended, but the pool is full of better ones",
    BELOW_BEAM_WIDTH: "ended below the beam width",
    CONSTRAINTS_UNFULFILLED: "ended with unfulfilled constraints",
    NO_BEAM_SLOT: "were not needed",
}


@step
class ConstraintProgress:
    """The progress of a beam on the constraints, which are numbered from 0."""

    complete: tuple[int, ...]
    pending: tuple[int, ...]
    in_progress: int | None = None
    done: int = 0  # matched tokens of the constraint in progress, as the bank counts them
    longest: int = 1  # length of the longest constraint, in tokens

    @property
    def bank(self) -> int:
        """The bank: `longest` for each completed constraint, plus `done` for the one in progress.

        >>> ConstraintProgress(complete=(1,), pending=(), in_progress=0, done=2, longest=3).bank
        5
        """
        return len(self.complete) * self.longest + self.done

    def __str__(self) -> str:
        parts = [f"{len(self.complete)} complete"]
        if self.in_progress is not None:
            parts.append(f"constraint {self.in_progress} in progress")
        if self.pending:
            parts.append(f"{len(self.pending)} pending")
        return ", ".join(parts)


@step
class BankedCandidate:
    """A candidate that does not end, with its bank."""

    parent: int
    token: int
    score: float  # sum of the log-probabilities of its tokens
    forced: bool  # added because its token advances a constraint; not among the most probable candidates
    progress: ConstraintProgress
    rank_in_bank: int  # rank in its bank: the best of each bank come first, then the second ones
    continues: bool

    @property
    def bank(self) -> int:
        """The bank of the candidate."""
        return self.progress.bank

    def __str__(self) -> str:
        added = ", forced" if self.forced else ""
        status = CONTINUES if self.continues else DISPLACED_BY_OTHER_BANK
        return f"beam {self.parent} + {self.token} (bank {self.bank}, rank {self.rank_in_bank}{added}) {status}"


@step
class CandidatesBanked:
    """The candidates of one text that do not end, the highest bank first."""

    text: int
    length: int  # ids of each beam before this step
    candidates: tuple[BankedCandidate, ...]
    round_robin: bool  # False without a forced candidate: then no candidate is displaced

    def __str__(self) -> str:
        added = [f"beam {candidate.parent} + {candidate.token}" for candidate in self.candidates if candidate.forced]
        if not self.round_robin:
            return f"text {self.text}: no candidate has to be forced; the most probable ones continue"
        banks = dict.fromkeys(candidate.bank for candidate in self.candidates)
        return (
            f"text {self.text}: constraints add {', '.join(added)}; round-robin over banks "
            f"{', '.join(map(str, banks))}: " + "; ".join(str(candidate) for candidate in self.candidates)
        )


@step
class BeamsSelectedByBank(BeamsSelected):
    """The candidates of one text with their status: first those that continue, in the order of their beams."""

    def sentence(self) -> Parts:
        """Name all candidates by their beams and next tokens, grouped by status."""
        said: dict[str, list[str]] = {}
        for candidate in self.candidates:
            said.setdefault(candidate.status, []).append(f"beam {candidate.parent} + {candidate.token}")
        grouped = (f"{', '.join(those)} {STATUS_TEXTS[status]}" for status, those in said.items())
        return [f"text {self.text}: {'; '.join(grouped)}"]


@step
class FinalConstrainedHypotheses(FinalHypotheses):
    """The final hypotheses of a text, and whether each fulfils all constraints."""

    fulfilled: tuple[bool, ...]

    def __str__(self) -> str:
        holds = (
            "fulfils all constraints"
            if self.fulfilled[0]
            else "does not fulfil all constraints: too few beams did so before the end"
        )
        # subtle: slots create a second class, so super() without arguments refers to the wrong one.
        return f"{FinalHypotheses.__str__(self)}; the best {holds}"
