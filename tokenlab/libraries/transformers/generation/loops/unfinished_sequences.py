"""`UnfinishedSequences`: track the texts of a batch that have not ended; finished ones get the pad id.

Source: transformers 4.26.1, generation/utils.py (`unfinished_sequences`).
"""

from __future__ import annotations

from torch import Tensor

from tokenlab.libraries.transformers.generation.beams.beam_scorer import checked_pad
from tokenlab.libraries.transformers.generation.loops.decoding_state import DecodingState


class UnfinishedSequences:
    """The unfinished texts of a batch; false if every text has generated an eos id.

    Raises:
        ValueError: there is an eos id, but no pad id.

    >>> from types import SimpleNamespace
    >>> import torch
    >>> unfinished = UnfinishedSequences(2, SimpleNamespace(ends=[1], pad=0))
    >>> unfinished.append(torch.tensor([1, 7]))
    (tensor([1, 7]), (1, 7), (True, False))
    >>> unfinished.append(torch.tensor([5, 1]))
    (tensor([0, 1]), (None, 1), (False, True))
    >>> bool(unfinished)
    False
    """

    def __init__(self, texts: int, state: DecodingState) -> None:
        if state.ends and state.pad is None:
            raise ValueError("pad_token_id is missing: finished texts (eos_token_id) are padded while others continue")
        self.ends = frozenset(state.ends)
        self.pad = state.pad
        self.open = [True] * texts

    def __bool__(self) -> bool:
        return any(self.open)

    def append(self, tokens: Tensor) -> tuple[Tensor, tuple[int | None, ...], tuple[bool, ...]]:
        """Append a token to each text.

        Returns:
            The appended ids, the pad id for finished texts: (texts,); the token of each text, None if it was finished;
            and whether the token finished it.
        """
        before, ids = self.open, tokens.tolist()
        self.open = [is_open and token not in self.ends for is_open, token in zip(before, ids, strict=True)]
        padded = tokens if all(before) else tokens.new_tensor(self._padded(before, ids))
        generated = tuple(token if is_open else None for is_open, token in zip(before, ids, strict=True))
        return padded, generated, tuple(was and not now for was, now in zip(before, self.open, strict=True))

    def _padded(self, before: list[bool], ids: list[int]) -> list[int | None]:
        if self.pad is not None and any(self.open):
            checked_pad(self.pad)
        return [token if is_open else self.pad for is_open, token in zip(before, ids, strict=True)]
