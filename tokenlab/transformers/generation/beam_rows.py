"""In which row of the scores each token of each beam was chosen: what `beam_indices` answers.

Source: transformers 4.26.1, generation/utils.py (`beam_indices`).
"""

from __future__ import annotations

from typing import Any

from torch import Tensor

from tokenlab.transformers.generation.run import Run


class BeamRows:
    """For each row of the beams, the rows from which it came, step by step; kept only where it is asked for.

    >>> from types import SimpleNamespace
    >>> import torch
    >>> rows = BeamRows(2, SimpleNamespace(keeps_scores=True))
    >>> for parents in ([0, 0], [1, 0]):
    ...     rows.reorder(torch.tensor(parents))
    >>> rows.of(torch.tensor([0, 1]))
    [(0, 1), (0, 0)]
    """

    def __init__(self, rows: int, run: Run) -> None:
        self.run = run
        self.beam_indices: list[tuple[int, ...]] | None = [()] * rows if run.keeps_scores else None

    def of(self, rows: Tensor) -> list[tuple[int, ...]] | None:
        """Those of some rows."""
        return None if self.beam_indices is None else [self.beam_indices[row] for row in rows.tolist()]

    def reorder(self, parents: Tensor) -> None:
        """Each row goes on from its parent, and its newest token was chosen there."""
        if self.beam_indices is not None:
            self.beam_indices = [(*self.beam_indices[parent], parent) for parent in parents.tolist()]

    def answer(self, kind: Any, ended: dict[str, Any]) -> Any:
        """What the scorer made of it at the end; scores of outputs only where scores are asked for."""
        scores = ended["sequence_scores"] if self.run.keeps_scores else None
        return self.run.answer(kind, ended["sequences"], sequences_scores=scores, beam_indices=ended["beam_indices"])
