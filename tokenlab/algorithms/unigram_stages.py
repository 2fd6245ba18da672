"""The stages of Unigram training, as steps: seed, count (E), estimate (M), prune, and the final cut.

Adds: what `unigram_train` and `unigram_train_arrays` both report, so that one can be held to the other.
"""

from __future__ import annotations

from typing import TypeAlias

from tokenlab.steps import step


@step
class Seeded:
    """The seed: the score of each character (its count) and of each substring (its count times its length)."""

    scores: dict[str, int]

    def __str__(self) -> str:
        """Say how large the seed is."""
        characters = sum(len(piece) == 1 for piece in self.scores)
        longer = pieces(len(self.scores) - characters, "longer substring")
        return f"seed: {pieces(characters, 'character')} and {longer}"


@step
class Counted:
    """The E-step: how often each piece is expected, and the objective."""

    counts: dict[str, float]
    objective: float

    def __str__(self) -> str:
        """Say how many pieces the words are expected to have, and how well the vocabulary fits."""
        total = sum(self.counts.values())
        return f"E: {total:,.1f} pieces are expected in all; the objective is {self.objective:.4f}"


@step
class Estimated:
    """The M-step: the log probability of each piece that is left, and what was dropped as too rare."""

    vocabulary: dict[str, float]
    dropped: tuple[str, ...]

    def __str__(self) -> str:
        """Say how many pieces are left."""
        dropped = f", {len(self.dropped):,} dropped as too rare" if self.dropped else ""
        return f"M: new probabilities for {pieces(len(self.vocabulary))}{dropped}"


@step
class Pruned:
    """What removing each piece would cost (0: it is useless), and which were removed."""

    losses: dict[str, float]
    removed: tuple[str, ...]

    def __str__(self) -> str:
        """Say how many went, and how many of them were useless."""
        useless = sum(self.losses[piece] == 0 for piece in self.removed)
        return f"prune: {pieces(len(self.removed))} removed, {useless:,} of them useless"


@step
class Cut:
    """The final cut: the alphabet and the most probable pieces."""

    vocabulary: dict[str, float]
    wanted: int

    def __str__(self) -> str:
        """Say how large the vocabulary is."""
        size = len(self.vocabulary)
        few = f", fewer than the {self.wanted:,} wanted: no more were worth keeping" if size < self.wanted else ""
        return f"final cut: {pieces(size)}{few}"


Stage: TypeAlias = Seeded | Counted | Estimated | Pruned | Cut


def pieces(number: int, name: str = "piece") -> str:
    """A number of pieces, in words.

    >>> pieces(1), pieces(2000)
    ('1 piece', '2,000 pieces')
    """
    return f"{number:,} {name}{'s' if number != 1 else ''}"
