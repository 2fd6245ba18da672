"""What a step of contrastive search is seen to do: the candidates of each text, their two terms, and the choice.

Leaves out: who decides it (`contrastive_search`). Nothing here loads PyTorch, so that views need not.
"""

from __future__ import annotations

from tokenlab.steps import step


@step
class Rival:
    """A token that may be written, and what speaks for and against it."""

    token: int
    probability: float
    likenesses: tuple[float, ...]  # of its state to the state of each place so far, from the start token on
    score: float

    @property
    def penalty(self) -> float:
        """The degeneration penalty: its largest likeness to a place."""
        return max(self.likenesses)

    def __str__(self) -> str:
        """Say both terms and the score."""
        return f"token {self.token} ({self.probability:.3f}, likeness {self.penalty:.3f}, score {self.score:.3f})"


@step
class Reranked:
    """Of the candidates of each text the one with the highest score is written."""

    number: int
    rivals: tuple[tuple[Rival, ...], ...]  # of each text, the likeliest first; none for a text that had ended
    chosen: tuple[int | None, ...]  # which of them
    ended: tuple[bool, ...]

    def __str__(self) -> str:
        """Name each text's choice, and the likeliest token where that is another."""
        rows = enumerate(zip(self.rivals, self.chosen, self.ended, strict=True))
        return "; ".join(
            f"text {text}: {rivals[chosen]} is chosen"
            + f" before {rivals[0]}, which is the likeliest" * (chosen > 0)
            + " and ends it" * ended
            for text, (rivals, chosen, ended) in rows
            if chosen is not None
        )
