"""The steps of `Encoding.encode`: pre-tokenize, look up the whole piece, merge a piece that is not a token.

Adds: a step for each of these. The merges run in `algorithms.bpe.encode_parts` for a short piece and in
`algorithms.bpe.encode_priority_queue` for a long one, as in Rust's core.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping
from typing import TYPE_CHECKING, TypeAlias

from tokenlab.algorithms.text.pretokenize import PreTokenizer
from tokenlab.printing.printable import printable
from tokenlab.steps.recording import step

if TYPE_CHECKING:
    from tokenlab.algorithms.bpe.encode import PairMerged

LONG_PIECE = 100  # bytes; openai/tiktoken, src/lib.rs, byte_pair_encode


@step
class SpecialTokenFound:
    """The text of an allowed special token became its id."""

    text: str
    id: int

    def __str__(self) -> str:
        return f"{printable(self.text)} is a special token and allowed: id {self.id}"


@step
class PreTokenSplit:
    """A piece (pre-token) was split off the text; no token crosses the boundary."""

    piece: str
    rule: str

    def __str__(self) -> str:
        return f"{printable(self.piece)} was split off by the rule {self.rule}"


@step
class WholePieceFound:
    """The whole piece is a token, so no merge is needed; `merged` are the ids that merging alone would give."""

    piece: bytes
    id: int
    merged: tuple[int, ...]

    def __str__(self) -> str:
        unreached = ""
        if self.merged != (self.id,):
            unreached = f", which merging alone does not reach: it gives {' '.join(map(str, self.merged))}"
        return f"{printable(self.piece)} is a token as a whole: id {self.id}{unreached}"


@step
class PieceEncoded:
    """No merge is left in the piece."""

    piece: bytes
    ids: tuple[int, ...]

    def __str__(self) -> str:
        name = "id" if len(self.ids) == 1 else "ids"
        return f"{printable(self.piece)} has the {name} {' '.join(map(str, self.ids))}"


Step: TypeAlias = "SpecialTokenFound | PreTokenSplit | WholePieceFound | PairMerged | PieceEncoded"
Steps: TypeAlias = "Generator[Step, None, list[int]]"


def encode_parts(
    parts: Iterable[str], special_tokens: Mapping[str, int], splitter: PreTokenizer, ranks: Mapping[bytes, int]
) -> Steps:
    """Ids of a text that is given in parts: plain text, a special token, plain text, and so on."""
    ids: list[int] = []
    for index, part in enumerate(parts):
        if index % 2:
            yield SpecialTokenFound(part, special_tokens[part])
            ids.append(special_tokens[part])
            continue
        for piece, rule in splitter.explain(part):
            yield PreTokenSplit(piece, rule)
            ids += yield from encode_piece(piece.encode(), ranks)
    return ids


def encode_piece(piece: bytes, ranks: Mapping[bytes, int]) -> Steps:
    """Ids of one piece.

    >>> for step in encode_piece(b"ab", {b"a": 0, b"b": 1}): print(step)
    ab has the ids 0 1
    """
    # Imported here, so that encoding without steps does not pay for the import.
    from tokenlab.algorithms.bpe.encode_parts import encode_with_parts
    from tokenlab.algorithms.bpe.encode_priority_queue import encode_with_priority_queue

    merge = encode_with_parts if len(piece) < LONG_PIECE else encode_with_priority_queue
    if piece in ranks:
        yield WholePieceFound(piece, ranks[piece], tuple(ranks[token] for token in merge(piece, ranks)))
        return [ranks[piece]]
    tokens = yield from merge.steps(piece, ranks)
    ids = tuple(ranks[token] for token in tokens)
    yield PieceEncoded(piece, ids)
    return list(ids)
