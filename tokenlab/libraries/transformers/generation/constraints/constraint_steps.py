"""The steps that a constrained beam scorer reports: the bank of each candidate, its rank there, and its progress.

A bank (Post and Vilar 2018) is the set of candidates with the same progress on the constraints.
Leaves out: the decisions (`constrained_beam_scorer`). Nothing here loads PyTorch, so views do not need it.
"""

from __future__ import annotations

from tokenlab.libraries.transformers.generation.beams.beam_steps import (
    BELOW_BEAM_WIDTH,
    CONTINUES,
    FINISHES,
    NO_BEAM_SLOT,
    REJECTED_BY_POOL,
    BeamsSelected,
    FinalHypotheses,
)
from tokenlab.printing.printable import Parts
from tokenlab.steps.recording import step

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
            return f"text {self.text}: no constraint adds a candidate; the most probable ones continue"
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
