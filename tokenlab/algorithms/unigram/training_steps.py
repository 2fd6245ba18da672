"""The stages of Unigram training, as steps: seed, E-step, M-step, pruning, and the final cut.

Adds: the steps that both `train` and `train_arrays` report, so that tests can compare the two.
"""

from __future__ import annotations

from typing import AnyStr, Generic, TypeAlias

from tokenlab.printing.printable import unit
from tokenlab.steps.recording import step


@step
class SeedBuilt(Generic[AnyStr]):
    """The seed: the score of each character (its count) and of each substring (its count times its length)."""

    scores: dict[AnyStr, int]

    def __str__(self) -> str:
        characters = sum(len(piece) == 1 for piece in self.scores)
        longer = pieces(len(self.scores) - characters, "longer substring")
        return f"seed: {pieces(characters, unit(next(iter(self.scores))))} and {longer}"


@step
class ExpectationDone(Generic[AnyStr]):
    """The E-step: the expected count of each piece, and the objective."""

    counts: dict[AnyStr, float]
    objective: float

    def __str__(self) -> str:
        total = sum(self.counts.values())
        return f"E: {total:,.1f} pieces are expected in all; the objective is {self.objective:.4f}"


@step
class MaximizationDone(Generic[AnyStr]):
    """The M-step: the log probability of each remaining piece, and the pieces dropped as too rare."""

    vocabulary: dict[AnyStr, float]
    dropped: tuple[AnyStr, ...]

    def __str__(self) -> str:
        dropped = f", {len(self.dropped):,} dropped as too rare" if self.dropped else ""
        return f"M: new probabilities for {pieces(len(self.vocabulary))}{dropped}"


@step
class Pruned(Generic[AnyStr]):
    """The loss of removing each piece (0: it is useless), and the removed pieces."""

    losses: dict[AnyStr, float]
    removed: tuple[AnyStr, ...]

    def __str__(self) -> str:
        useless = sum(self.losses[piece] == 0 for piece in self.removed)
        return f"prune: {pieces(len(self.removed))} removed, {useless:,} of them useless"


@step
class VocabularyFinalized(Generic[AnyStr]):
    """The final cut: the alphabet and the most probable pieces."""

    vocabulary: dict[AnyStr, float]
    target_size: int

    def __str__(self) -> str:
        size = len(self.vocabulary)
        few = f", fewer than the {self.target_size:,} requested: no more pieces were useful"
        return f"final cut: {pieces(size)}{few if size < self.target_size else ''}"


Stage: TypeAlias = (
    SeedBuilt[AnyStr]
    | ExpectationDone[AnyStr]
    | MaximizationDone[AnyStr]
    | Pruned[AnyStr]
    | VocabularyFinalized[AnyStr]
)


def pieces(number: int, name: str = "piece") -> str:
    """Return a number with its noun in the singular or plural.

    >>> pieces(1), pieces(2000)
    ('1 piece', '2,000 pieces')
    """
    return f"{number:,} {name}{'s' if number != 1 else ''}"
