"""Mapping ids of a SentencePiece model file to ids of a model: two models whose ids differ from the file's.

Adds: XLM-R (fairseq), where four special pieces come first, all others move up by one, and `<mask>` is last; and T5,
where sentinels follow the pieces in descending order, and the embedding table has rows that no id uses; and
`FairseqProcessor`, which puts XLM-R's ids over any sentencepiece processor.
Leaves out: everything else that transformers' XLMRobertaTokenizer does, such as finding `<mask>` in a text.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from typing import Any

from tokenlab.printing.errors import check_integer
from tokenlab.printing.printable import Parts, SymbolPart
from tokenlab.steps.recording import step, stepwise

# transformers 4.26.1, models/xlm_roberta/tokenization_xlm_roberta.py, fairseq_tokens_to_ids and fairseq_offset.
FAIRSEQ_FIRST = ("<s>", "<pad>", "</s>", "<unk>")
FAIRSEQ_OFFSET = 1
MASK = "<mask>"
FILE_PIECES = ("<unk>", "<s>", "</s>")  # the ids 0, 1 and 2 of a model file that fairseq can shift

# The model files of T5 have 32,000 pieces; the number of rows of its embedding table is a multiple of 128.
T5_PIECES, SENTINELS, VOCAB_MULTIPLE = 32_000, 100, 128


@step
class IdAssigned:
    """A piece with its id in the model, and its id in the model file (None if the file does not have it)."""

    piece: str
    file_id: int | None
    model_id: int

    def sentence(self) -> Parts:
        """Name both ids of the piece."""
        piece = SymbolPart(self.piece, "new")
        if self.file_id is None:
            return [piece, f" is not in the model file; in the model it has the id {self.model_id}"]
        model = "" if self.file_id == self.model_id else f"{self.model_id} "
        return [piece, f" has the id {self.file_id} in the model file and {model}in the model"]


@stepwise
def fairseq_id_mapping(pieces: Sequence[str]) -> Generator[IdAssigned, None, list[str]]:
    """Return XLM-R's pieces in the order of their ids, given the pieces of its model file.

    Raises:
        ValueError: the first three pieces are not `<unk>`, `<s>` and `</s>`.

    >>> fairseq_id_mapping(["<unk>", "<s>", "</s>", "▁the", "s"])
    ['<s>', '<pad>', '</s>', '<unk>', '▁the', 's', '<mask>']
    """
    if tuple(pieces[:3]) != FILE_PIECES:
        raise ValueError(
            f"pieces start with {', '.join(map(repr, pieces[:3])) or 'nothing'}; fairseq's ids need a model file "
            f"that starts with {', '.join(map(repr, FILE_PIECES))}, as sentencepiece's trainer writes it by default"
        )
    mapped: list[str] = []
    for piece in FAIRSEQ_FIRST:
        yield IdAssigned(piece, FILE_PIECES.index(piece) if piece in FILE_PIECES else None, len(mapped))
        mapped.append(piece)
    for old, piece in enumerate(pieces[len(FILE_PIECES) :], start=len(FILE_PIECES)):
        yield IdAssigned(piece, old, len(mapped))
        mapped.append(piece)
    yield IdAssigned(MASK, None, len(mapped))
    return [*mapped, MASK]


def fairseq_id(id: int) -> int:
    """Return XLM-R's id of the piece with this id in the model file.

    >>> [fairseq_id(id) for id in (0, 1, 2, 3, 4)]
    [3, 0, 2, 4, 5]
    """
    check_integer("id", id, at_least=0)
    return FAIRSEQ_FIRST.index(FILE_PIECES[id]) if id < len(FILE_PIECES) else id + FAIRSEQ_OFFSET


def sentinel_id(number: int, pieces: int = T5_PIECES, sentinels: int = SENTINELS) -> int:
    """Return the id of T5's sentinel `<extra_id_{number}>`: the first sentinel has the last id.

    Raises:
        ValueError: there is no such sentinel.

    Source: transformers 4.26.1, models/t5/tokenization_t5.py, T5Tokenizer._convert_token_to_id.

    >>> sentinel_id(0), sentinel_id(99)
    (32099, 32000)
    """
    if not 0 <= check_integer("number", number) < sentinels:
        raise ValueError(f"number={number} is no sentinel; there are {sentinels}, from <extra_id_0> on")
    return pieces + sentinels - 1 - number


@stepwise
def t5_id_mapping(
    pieces: Sequence[str], sentinels: int = SENTINELS, rows_multiple: int = VOCAB_MULTIPLE
) -> Generator[IdAssigned, None, list[str]]:
    """Return T5's pieces in the order of their ids, given the pieces of its model file; "" is an unused row.

    Raises:
        ValueError: sentinels is below 0, or rows_multiple below 1.

    >>> t5_id_mapping(["<pad>", "</s>", "<unk>"], sentinels=2, rows_multiple=4)
    ['<pad>', '</s>', '<unk>', '<extra_id_1>', '<extra_id_0>', '', '', '']
    """
    check_integer("sentinels", sentinels, at_least=0)
    check_integer("rows_multiple", rows_multiple, at_least=1)
    for id, piece in enumerate(pieces):
        yield IdAssigned(piece, id, id)
    names = [f"<extra_id_{number}>" for number in reversed(range(sentinels))]
    for id, name in enumerate(names, start=len(pieces)):
        yield IdAssigned(name, None, id)
    used = len(pieces) + len(names)
    return [*pieces, *names, *[""] * (-used % rows_multiple)]


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
