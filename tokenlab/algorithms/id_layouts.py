"""The id of a piece in the model file is not always its id in the model: two layouts that move ids.

Adds: XLM-R's, which fairseq laid out before there was a model file: four pieces first, all others one further, `<mask>`
last. And T5's: sentinels behind the pieces, counted from the end, and rows of the table that no id uses.
Leaves out: the processor that encodes; `tokenlab.sentencepiece.fairseq` puts one before this.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence

from tokenlab.errors import whole_number
from tokenlab.steps import step, stepwise
from tokenlab.visible import visible

# transformers 4.26.1, models/xlm_roberta/tokenization_xlm_roberta.py, fairseq_tokens_to_ids and fairseq_offset.
FAIRSEQ_FIRST = ("<s>", "<pad>", "</s>", "<unk>")
FAIRSEQ_OFFSET = 1
MASK = "<mask>"
IN_THE_FILE = ("<unk>", "<s>", "</s>")  # the ids 0, 1 and 2 of a model file that fairseq can shift

# The model files of T5 have 32,000 pieces; its table of embeddings has a multiple of 128 rows.
T5_PIECES, SENTINELS, ROWS_OF = 32_000, 100, 128


@step
class Placed:
    """A piece has its id in the model; `old` is its id in the model file, and None where it is not in there."""

    piece: str
    old: int | None
    new: int

    def __str__(self) -> str:
        """Say which id became which."""
        if self.old is None:
            return f"{visible(self.piece)} is not in the model file; in the model it has {self.new}"
        kept = "also in the model" if self.old == self.new else f"in the model {self.new}"
        return f"{visible(self.piece)} has {self.old} in the model file, {kept}"


@stepwise
def fairseq_layout(pieces: Sequence[str]) -> Generator[Placed, None, list[str]]:
    """The pieces of XLM-R by their ids, for those of its model file.

    Raises:
        ValueError: the first three pieces are not `<unk>`, `<s>` and `</s>`.

    >>> fairseq_layout(["<unk>", "<s>", "</s>", "▁the", "s"])
    ['<s>', '<pad>', '</s>', '<unk>', '▁the', 's', '<mask>']
    """
    if tuple(pieces[:3]) != IN_THE_FILE:
        raise ValueError(
            f"pieces begin with {', '.join(map(repr, pieces[:3])) or 'nothing'}; fairseq's layout needs a model file "
            f"that begins with {', '.join(map(repr, IN_THE_FILE))}, as sentencepiece's trainer writes it by default"
        )
    laid_out: list[str] = []
    for piece in FAIRSEQ_FIRST:
        yield Placed(piece, IN_THE_FILE.index(piece) if piece in IN_THE_FILE else None, len(laid_out))
        laid_out.append(piece)
    for old, piece in enumerate(pieces[len(IN_THE_FILE) :], start=len(IN_THE_FILE)):
        yield Placed(piece, old, len(laid_out))
        laid_out.append(piece)
    yield Placed(MASK, None, len(laid_out))
    return [*laid_out, MASK]


def fairseq_id(id: int) -> int:
    """The id that XLM-R gives the piece which has this id in its model file.

    >>> [fairseq_id(id) for id in (0, 1, 2, 3, 4)]
    [3, 0, 2, 4, 5]
    """
    whole_number("id", id, at_least=0)
    return FAIRSEQ_FIRST.index(IN_THE_FILE[id]) if id < len(IN_THE_FILE) else id + FAIRSEQ_OFFSET


def sentinel_id(number: int, pieces: int = T5_PIECES, sentinels: int = SENTINELS) -> int:
    """The id of T5's `<extra_id_number>`: the first sentinel has the last id.

    Raises:
        ValueError: there is no such sentinel.

    Source: transformers 4.26.1, models/t5/tokenization_t5.py, T5Tokenizer._convert_token_to_id.

    >>> sentinel_id(0), sentinel_id(99)
    (32099, 32000)
    """
    if not 0 <= whole_number("number", number) < sentinels:
        raise ValueError(f"number={number} is no sentinel; there are {sentinels}, from <extra_id_0> on")
    return pieces + sentinels - 1 - number


@stepwise
def t5_layout(
    pieces: Sequence[str], sentinels: int = SENTINELS, rows_of: int = ROWS_OF
) -> Generator[Placed, None, list[str]]:
    """The pieces of T5 by their ids, for those of its model file; an empty name is a row that no id uses.

    >>> t5_layout(["<pad>", "</s>", "<unk>"], sentinels=2, rows_of=4)
    ['<pad>', '</s>', '<unk>', '<extra_id_1>', '<extra_id_0>', '', '', '']
    """
    for id, piece in enumerate(pieces):
        yield Placed(piece, id, id)
    names = [f"<extra_id_{number}>" for number in reversed(range(sentinels))]
    for id, name in enumerate(names, start=len(pieces)):
        yield Placed(name, None, id)
    used = len(pieces) + len(names)
    return [*pieces, *names, *[""] * (-used % rows_of)]
