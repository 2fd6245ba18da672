"""XLM-R's ids over a sentencepiece processor: fairseq numbered the pieces before there was a model file.

Adds: the ids moved as `algorithms.id_layouts` says, `<pad>` and `<mask>`. Any processor will do, ours or the library's.
Leaves out: everything else that transformers' XLMRobertaTokenizer does, such as looking for `<mask>` in a text.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol

from tokenlab.algorithms.id_layouts import FAIRSEQ_FIRST, FAIRSEQ_OFFSET, IN_THE_FILE, MASK, fairseq_id


class Processor(Protocol):
    """What is used of a sentencepiece processor."""

    def piece_to_id(self, piece: str, /) -> Any:
        """The id of a piece, or that of the unknown piece."""

    def id_to_piece(self, id: int, /) -> Any:
        """The piece of an id."""

    def get_piece_size(self) -> int:
        """How many pieces there are."""

    def encode(self, input: str, /) -> Any:
        """The ids of a text."""

    def decode(self, input: list[int], /) -> Any:
        """The text of ids."""


class FairseqProcessor:
    """A processor whose ids are those of XLM-R."""

    def __init__(self, processor: Processor) -> None:
        """Take a processor whose first three pieces are `<unk>`, `<s>` and `</s>`.

        Raises:
            ValueError: it has others there.
        """
        self.processor = processor
        size = processor.get_piece_size()
        first = tuple(processor.id_to_piece(id) for id in range(min(size, len(IN_THE_FILE))))
        if first != IN_THE_FILE:
            raise ValueError(
                f"processor begins with {first}; fairseq's layout needs a model file that begins with {IN_THE_FILE}, "
                "as sentencepiece's trainer writes it by default"
            )
        self.mask_id = size + FAIRSEQ_OFFSET

    def get_piece_size(self) -> int:
        """How many ids there are: those of the model file, `<pad>` and `<mask>`."""
        return self.mask_id + 1

    def piece_to_id(self, piece: str) -> int:
        """The id of a piece, or that of `<unk>`."""
        if piece in FAIRSEQ_FIRST:
            return FAIRSEQ_FIRST.index(piece)
        return self.mask_id if piece == MASK else fairseq_id(self.processor.piece_to_id(piece))

    def id_to_piece(self, id: int) -> str:
        """The piece of an id.

        Raises:
            IndexError: there is no such id.
        """
        if not 0 <= id < self.get_piece_size():
            raise IndexError(f"id={id} should be from 0 to {self.mask_id}")
        if id < len(FAIRSEQ_FIRST):
            return FAIRSEQ_FIRST[id]
        return MASK if id == self.mask_id else str(self.processor.id_to_piece(id - FAIRSEQ_OFFSET))

    def encode(self, text: str) -> list[int]:
        """The ids of a text, without `<s>` and `</s>`, which stand around it in the model."""
        return [fairseq_id(id) for id in self.processor.encode(text)]

    def decode(self, ids: Iterable[int]) -> str:
        """The text of ids; the pieces that are not in the model file, and those around a text, leave nothing."""
        unseen = {FAIRSEQ_FIRST.index(piece) for piece in ("<s>", "<pad>", "</s>")} | {self.mask_id}
        known = [self.processor.piece_to_id(self.id_to_piece(id)) for id in ids if id not in unseen]
        return str(self.processor.decode(known))
