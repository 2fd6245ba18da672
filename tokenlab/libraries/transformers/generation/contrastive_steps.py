"""Recorded steps of contrastive search: the candidates of each text, the two terms of their scores, and the selection.

Leaves out: the computation (`contrastive_search`). This module does not load PyTorch, so views need not.
"""

from __future__ import annotations

from tokenlab.printing.printable import Part, Parts, SymbolPart
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

    def sentence(self) -> Parts:
        """Name the token, its probability, its similarity and its score."""
        similarity = f"similarity {format_mean(self.penalty)}, score {format_mean(self.score)}"
        token = SymbolPart(self.name) if self.name else f"token {self.token}"
        return [token, f" ({format_probability(self.probability)}, {similarity})"]


@step
class CandidatesReranked:
    """The candidate with the highest score is selected for each text."""

    number: int
    # of each text, most probable first; empty for a finished text
    candidates: tuple[tuple[ContrastiveCandidate, ...], ...]
    selected: tuple[int | None, ...]  # index of the selected candidate; None for a finished text
    ended: tuple[bool, ...]

    def sentence(self) -> Parts:
        """Name the selected candidate of each text, and the most probable one if it is another."""
        past, parts = "start" if self.number == 1 else "past", list[Part]()
        for text, (candidates, selected, ended) in enumerate(
            zip(self.candidates, self.selected, self.ended, strict=True)
        ):
            if selected is None:
                continue
            parts += ["; "] * bool(parts) + [f"text {text}: "] * (len(self.candidates) > 1)
            parts += candidates[selected].sentence()
            if selected == 0:
                parts.append(" is the most probable candidate, and it also has the highest score")
            else:
                parts += [" is selected; ", *candidates[0].sentence()]
                parts.append(f" is more probable, but too similar to the {past}")
            parts += ["; the text ends"] * ended
        return parts
