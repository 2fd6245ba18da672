"""Recorded steps of contrastive search: the candidates of each text, the two terms of their scores, and the selection.

Leaves out: the computation (`contrastive_search`). This module does not load PyTorch, so views need not.
"""

from __future__ import annotations

from tokenlab.printing.printed_numbers import format_mean, format_probability
from tokenlab.steps.recording import step


@step
class ContrastiveCandidate:
    """A candidate token with its probability and its degeneration penalty."""

    token: int
    probability: float
    similarities: tuple[float, ...]  # cosine similarity of its hidden state to that of each position so far
    score: float
    name: str = ""  # the token as a string, if the tokenizer is known

    @property
    def penalty(self) -> float:
        """The degeneration penalty: the largest cosine similarity to an earlier position."""
        return max(self.similarities)

    def __str__(self) -> str:
        token = repr(self.name) if self.name else f"token {self.token}"
        words = (
            format_probability(self.probability),
            f"similarity {format_mean(self.penalty)}",
            f"score {format_mean(self.score)}",
        )
        return f"{token} ({', '.join(words)})"


@step
class CandidatesReranked:
    """The candidate with the highest score is selected for each text."""

    number: int
    # of each text, most probable first; empty for a finished text
    candidates: tuple[tuple[ContrastiveCandidate, ...], ...]
    selected: tuple[int | None, ...]  # index of the selected candidate; None for a finished text
    ended: tuple[bool, ...]

    def __str__(self) -> str:
        rows = enumerate(zip(self.candidates, self.selected, self.ended, strict=True))
        return "; ".join(
            f"text {text}: {candidates[selected]} is selected"
            + f" before {candidates[0]}, the most probable one" * (selected > 0)
            + " and ends it" * ended
            for text, (candidates, selected, ended) in rows
            if selected is not None
        )
