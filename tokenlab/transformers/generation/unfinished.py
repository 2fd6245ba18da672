"""Which texts still write: those that have ended get the pad id, until all have.

Source: transformers 4.26.1, generation/utils.py (`unfinished_sequences`).
"""

from __future__ import annotations

from torch import Tensor

from tokenlab.transformers.generation.run import Run


class Unfinished:
    """A batch of texts, each of which ends when it writes one of the run's eos ids; false when all have.

    Raises:
        ValueError: a text can end, and nothing is there to fill it up.

    >>> from types import SimpleNamespace
    >>> import torch
    >>> unfinished = Unfinished(2, SimpleNamespace(ends=[1], pad=0))
    >>> unfinished.write(torch.tensor([1, 7]))
    (tensor([1, 7]), (1, 7), (True, False))
    >>> unfinished.write(torch.tensor([5, 1]))
    (tensor([0, 1]), (None, 1), (False, True))
    >>> bool(unfinished)
    False
    """

    def __init__(self, texts: int, run: Run) -> None:
        if run.ends and run.pad is None:
            raise ValueError("pad_token_id is missing: a text that ends (eos_token_id) is filled up while others go on")
        self.ends = frozenset(run.ends)
        self.pad = run.pad
        self.open = [True] * texts

    def __bool__(self) -> bool:
        return any(self.open)

    def write(self, tokens: Tensor) -> tuple[Tensor, tuple[int | None, ...], tuple[bool, ...]]:
        """What is really written, for each text its token (None where it had ended), and whether that ended it."""
        before, ids = self.open, tokens.tolist()
        self.open = [going and token not in self.ends for going, token in zip(before, ids, strict=True)]
        written = tokens if all(before) else tokens.new_tensor(self._filled(before, ids))
        shown = tuple(token if going else None for going, token in zip(before, ids, strict=True))
        return written, shown, tuple(was and not goes for was, goes in zip(before, self.open, strict=True))

    def _filled(self, before: list[bool], ids: list[int]) -> list[int | None]:
        return [token if going else self.pad for going, token in zip(before, ids, strict=True)]
