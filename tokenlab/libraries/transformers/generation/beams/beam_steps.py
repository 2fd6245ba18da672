"""The steps that a beam scorer reports: the status of each candidate, the stopping check, and the final hypotheses.

Leaves out: the decisions (`beam_scorer`). Nothing here loads PyTorch, so views do not need it.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, TypeAlias

from tokenlab.algorithms.decoding.beam_step import EOS_RANK_TOO_LOW, FINISHED, KEPT, NOT_NEEDED
from tokenlab.algorithms.decoding.stopping_rule import StoppingCheck as StoppingCheck
from tokenlab.libraries.transformers.generation.beams.beam_sentences import BeamTokens, beam_differences, joined, listed
from tokenlab.printing.printable import printable
from tokenlab.printing.printed_numbers import format_mean, format_number
from tokenlab.steps.recording import Recording, step

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
    def label(self) -> str:
        """The beam and its next token, by name if it is known."""
        return f"beam {self.parent} + {printable(self.name) if self.name else self.token}"

    def __str__(self) -> str:
        return f"{self.label} ({format_number(self.score)}) {self.status}"


@step
class BeamsSelected:
    """The candidates of one text, best first, each with its status."""

    text: int
    length: int  # ids of each beam before this step
    candidates: tuple[Candidate, ...]
    size: int  # number of beams of its group; fewer continue if too few tokens are allowed
    group: int = 0

    def __str__(self) -> str:
        return self._sentence([(candidate.status, candidate.label) for candidate in self.candidates])

    def sentence_in_context(self, context: dict[str, Any]) -> str:
        """Return the sentence with the tokens of each beam, which `context` has from the steps before."""
        return self._sentence(self._labelled(context))

    def selected(self, context: dict[str, Any]) -> list[str]:
        """Return the candidates that continue or become a hypothesis, with their tokens."""
        return [label for status, label in self._labelled(context) if status in (CONTINUES, FINISHES)]

    def explain_difference(self, left: Recording[Any, Any], right: Recording[Any, Any], index: int) -> list[str]:
        """Return lines on what differs at a step of two searches."""
        return beam_differences(left, right, index)

    def _labelled(self, context: dict[str, Any]) -> list[tuple[str, str]]:
        """Return the status of each candidate, and its new beam, its tokens and its score."""
        labelled, beam = [], 0
        for candidate, tokens in BeamTokens.of(context).extend(self, CONTINUES):
            label = f"{joined(tokens)} ({format_number(candidate.score)})"
            if candidate.status == CONTINUES:
                label, beam = f"beam {beam}: {label}", beam + 1
            labelled.append((candidate.status, label))
        return labelled

    def _sentence(self, labelled: list[tuple[str, str]]) -> str:
        named: dict[str, list[str]] = {CONTINUES: [], FINISHES: [], BELOW_BEAM_WIDTH: [], REJECTED_BY_POOL: []}
        for status, label in labelled:
            named.setdefault(status, []).append(label)
        continuing = ", ".join(named[CONTINUES])
        best = f"{continuing} continue, the best {len(named[CONTINUES])} that do not end"
        parts = [best if continuing else "no beam can continue"]
        if named[FINISHES]:
            parts.append(f"{', '.join(named[FINISHES])} became a hypothesis")
        if named[REJECTED_BY_POOL]:
            parts.append(f"{', '.join(named[REJECTED_BY_POOL])} ended, but the pool is full of better ones")
        if named[BELOW_BEAM_WIDTH]:
            parts.append(f"{', '.join(named[BELOW_BEAM_WIDTH])} ended below the best {self.size} candidates")
        return f"text {self.text}: " + "; ".join(parts)


@step
class FinalHypotheses:
    """The final hypotheses of a text, best first; the first `kept` are returned."""

    text: int
    ids: tuple[tuple[int, ...], ...]
    totals: tuple[float, ...]  # sums of log-probabilities
    scores: tuple[float, ...]  # sums divided by length ** length_penalty
    opened: int  # number of truncated beams that entered the pool
    kept: int  # number of hypotheses that are returned

    def __str__(self) -> str:
        taken = f", including {self.opened} truncated" if self.opened else ""
        return (
            f"text {self.text}: of {len(self.ids)} hypotheses{taken}, the best has the score "
            f"{format_mean(self.scores[0])} (sum {format_number(self.totals[0])}); {self.kept} returned"
        )

    def sentence_in_context(self, context: dict[str, Any]) -> str:
        """Return the sentence with the tokens of the hypotheses, best first."""
        tokens = BeamTokens.of(context)
        hypotheses = [
            f"{joined(tokens.named(self.text, ids))} ({format_mean(score)})"
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
