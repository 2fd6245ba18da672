"""What a step of beam search is seen to do: each candidate's fate, the pool beside the bound, the choice at the end.

Leaves out: who decides it (`beam_scorer`). Nothing here loads PyTorch, so that views need not.
"""

from __future__ import annotations

import math
from typing import TypeAlias

from tokenlab.steps import step

LIVES, ENDS, TOO_LOW, REFUSED, NO_ROOM = "lives on", "ends", "ends too low", "ends and is refused", "finds no room"


@step
class Candidate:
    """A beam with one more token."""

    parent: int  # the beam that it goes on from, counted in its group
    token: int
    score: float  # the sum of its tokens' log-probabilities, as the processors left them
    fate: str

    def __str__(self) -> str:
        """Say what became of it."""
        return f"beam {self.parent} with token {self.token} ({self.score:.2f}) {self.fate}"


@step
class Sifted:
    """The candidates of one text, best first, and what became of each."""

    text: int
    length: int  # of the beams, before this step
    candidates: tuple[Candidate, ...]
    size: int  # beams of its group; fewer live on where too few tokens are allowed
    group: int = 0

    def __str__(self) -> str:
        """Name those that live on and those that end."""
        said: dict[str, list[str]] = {LIVES: [], ENDS: [], TOO_LOW: [], REFUSED: []}
        for candidate in self.candidates:
            said.setdefault(candidate.fate, []).append(f"beam {candidate.parent} + {candidate.token}")
        living = ", ".join(said[LIVES])
        parts = [f"{living} live on, the best {len(said[LIVES])} that do not end" if living else "none can live on"]
        if said[ENDS]:
            parts.append(f"{', '.join(said[ENDS])} became a hypothesis")
        if said[REFUSED]:
            parts.append(f"{', '.join(said[REFUSED])} ended, but the pool is full of better ones")
        if said[TOO_LOW]:
            parts.append(f"{', '.join(said[TOO_LOW])} ended too low: not among the best {self.size} candidates")
        return f"text {self.text}: " + "; ".join(parts)


@step
class Bounded:
    """The pool of one text beside what its search still hopes for."""

    text: int
    pool: tuple[float, ...]  # scores, best first
    room: int
    hope: float  # the best candidate's score, if it were a hypothesis
    done: bool
    best: float  # its sum of log-probabilities; today only what goes on is a candidate for it
    length: int  # by which that is divided, when it is raised to length_penalty

    def __str__(self) -> str:
        """Say whether the search is done, and why."""
        if self.done and self.hope == -math.inf:
            return f"text {self.text} is done: every token is forbidden, so none of its beams can go on"
        if len(self.pool) < self.room:
            are = "is" if len(self.pool) == 1 else "are"
            return f"text {self.text} is not done: {len(self.pool)} of {self.room} hypotheses {are} there"
        worst, hope = f"{self.pool[-1]:.3g}", f"{self.hope:.3g}"
        if self.done and self.hope > self.pool[-1]:
            return f"text {self.text} is done: {self.room} hypotheses are there, which is enough with early_stopping"
        if self.done:
            return f"text {self.text} is done: its worst hypothesis ({worst}) is no worse than the best hope ({hope})"
        return f"text {self.text} is not done: the best hope ({hope}) beats its worst hypothesis ({worst})"


@step
class Chosen:
    """A text's hypotheses at the end, best first; the first ones are answered."""

    text: int
    ids: tuple[tuple[int, ...], ...]
    totals: tuple[float, ...]  # sums of log-probabilities
    scores: tuple[float, ...]  # divided by length ** length_penalty
    opened: int  # how many of the beams that had not ended were taken in
    kept: int

    def __str__(self) -> str:
        """Name the winner and its score."""
        taken = f", after {self.opened} open beams were taken in" if self.opened else ""
        return (
            f"text {self.text}: of {len(self.ids)} hypotheses{taken}, the best has the score {self.scores[0]:.3f} "
            f"(sum {self.totals[0]:.2f}); {self.kept} answered"
        )


BeamStep: TypeAlias = Sifted | Bounded
