"""XLM-R's ids for a sentencepiece processor: fairseq's numbering of the pieces differs from the model file's.

Adds: the ids mapped as in `algorithms.text.id_mapping`, `<pad>` and `<mask>`, for any processor, ours or the library's.
Leaves out: everything else that transformers' XLMRobertaTokenizer does, such as finding `<mask>` in a text.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tokenlab.algorithms.text.id_mapping import FAIRSEQ_FIRST, FAIRSEQ_OFFSET, FILE_PIECES, MASK, fairseq_id


class FairseqProcessor:
    """A processor with XLM-R's ids."""

    def __init__(self, processor: Any) -> None:
        """Take a sentencepiece processor whose first three pieces are `<unk>`, `<s>` and `</s>`.

        Raises:
            ValueError: the first three pieces are others.
        """
        self.processor = processor
        size = processor.get_piece_size()
        first = tuple(processor.id_to_piece(id) for id in range(min(size, len(FILE_PIECES))))
        if first != FILE_PIECES:
            raise ValueError(
                f"processor starts with {first}; fairseq's ids need a model file that starts with {FILE_PIECES}, "
                "as sentencepiece's trainer writes it by default"
            )
        self.mask_id: int = size + FAIRSEQ_OFFSET

    def get_piece_size(self) -> int:
        """Return the number of ids: those of the model file, `<pad>` and `<mask>`."""
        return self.mask_id + 1

    def piece_to_id(self, piece: str) -> int:
        """Return the id of a piece, or that of `<unk>`."""
        if piece in FAIRSEQ_FIRST:
            return FAIRSEQ_FIRST.index(piece)
        return self.mask_id if piece == MASK else fairseq_id(self.processor.piece_to_id(piece))

    def id_to_piece(self, id: int) -> str:
        """Return the piece of an id.

        Raises:
            IndexError: there is no such id.
        """
        if not 0 <= id < self.get_piece_size():
            raise IndexError(f"id={id} should be from 0 to {self.mask_id}")
        if id < len(FAIRSEQ_FIRST):
            return FAIRSEQ_FIRST[id]
        return MASK if id == self.mask_id else str(self.processor.id_to_piece(id - FAIRSEQ_OFFSET))

    def encode(self, text: str) -> list[int]:
        """Return the ids of a text, without the `<s>` and `</s>` that the model puts around it."""
        return [fairseq_id(id) for id in self.processor.encode(text)]

    def decode(self, ids: Iterable[int]) -> str:
        """Return the text of ids; `<s>`, `<pad>`, `</s>` and `<mask>` are skipped."""
        skipped = {FAIRSEQ_FIRST.index(piece) for piece in ("<s>", "<pad>", "</s>")} | {self.mask_id}
        known = [self.processor.piece_to_id(self.id_to_piece(id)) for id in ids if id not in skipped]
        return str(self.processor.decode(known))
