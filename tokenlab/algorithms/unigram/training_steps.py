"""The stages of Unigram training, as steps: seed, E-step, M-step, pruning, and the final cut.

Adds: the steps that both `train` and `train_arrays` report, so that tests can compare the two.
"""

from __future__ import annotations

from typing import AnyStr, Generic, TypeAlias

from tokenlab.printing.printable import count_noun, unit
from tokenlab.steps.recording import step


@step
class SeedBuilt(Generic[AnyStr]):
    """The seed: the score of each character (its count) and of each substring (its count times its length)."""

    scores: dict[AnyStr, int]

    def __str__(self) -> str:
        characters = sum(len(piece) == 1 for piece in self.scores)
        longer = count_noun(len(self.scores) - characters, "longer substring")
        kinds = f"{count_noun(characters, unit(next(iter(self.scores))))} and {longer}"
        return f"the seed has {count_noun(len(self.scores), 'piece')}: {kinds}"


@step
class ExpectationDone(Generic[AnyStr]):
    """The E-step: the expected count of each piece, and the objective."""

    counts: dict[AnyStr, float]
    objective: float

    def __str__(self) -> str:
        expected = f"{sum(self.counts.values()):,.1f} pieces are expected over all segmentations of every word"
        return f"E-step: {expected}; the objective is {self.objective:.3f}"


@step
class MaximizationDone(Generic[AnyStr]):
    """The M-step: the log probability of each remaining piece, and the pieces dropped as too rare."""

    vocabulary: dict[AnyStr, float]
    dropped: tuple[AnyStr, ...]

    def __str__(self) -> str:
        dropped = f", and {len(self.dropped):,} more are dropped as too rare" if self.dropped else ""
        return (
            f"M-step: the expected counts give {count_noun(len(self.vocabulary), 'piece')} new probabilities{dropped}"
        )


@step
class Pruned(Generic[AnyStr]):
    """The loss of removing each piece (0: it is useless), and the removed pieces."""

    losses: dict[AnyStr, float]
    removed: tuple[AnyStr, ...]

    def __str__(self) -> str:
        useless = sum(self.losses[piece] == 0 for piece in self.removed)
        useless_ones = f"{count_noun(useless, 'useless piece')} and " if useless else ""
        others = count_noun(len(self.removed) - useless, "piece")
        return f"pruning removes {useless_ones}{others} with the smallest loss"


@step
class VocabularyFinalized(Generic[AnyStr]):
    """The final cut: the alphabet and the most probable pieces."""

    vocabulary: dict[AnyStr, float]
    target_size: int

    def __str__(self) -> str:
        size, kind = len(self.vocabulary), unit(next(iter(self.vocabulary)))
        few = (
            f"; {self.target_size:,} were requested, but no more pieces were useful" if size < self.target_size else ""
        )
        return f"the vocabulary is final: {count_noun(size, 'piece')}, including all {kind}s{few}"


Stage: TypeAlias = (
    SeedBuilt[AnyStr]
    | ExpectationDone[AnyStr]
    | MaximizationDone[AnyStr]
    | Pruned[AnyStr]
    | VocabularyFinalized[AnyStr]
)
