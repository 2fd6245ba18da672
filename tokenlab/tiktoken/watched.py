"""The steps of `Encoding.encode`: cut, look up the whole piece, merge what has no id of its own.

Adds: a record for each of these. The merges themselves are `algorithms.bpe_encode_parts` for a short piece and
`algorithms.bpe_encode_agenda` for a long one, as in Rust's core.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping
from typing import TYPE_CHECKING, TypeAlias

from tokenlab.algorithms.split import Splitter
from tokenlab.steps import step
from tokenlab.visible import visible

if TYPE_CHECKING:
    from tokenlab.algorithms.bpe_encode import Joined

LONG = 100  # bytes; openai/tiktoken, src/lib.rs, byte_pair_encode


@step
class Special:
    """Text of a special token, which is allowed here, became its id."""

    text: str
    id: int

    def __str__(self) -> str:
        """Say which text, and its id."""
        return f"{visible(self.text)} is a special token and allowed: id {self.id}"


@step
class Split:
    """A piece was cut off the text; no token crosses the cut."""

    piece: str
    rule: str

    def __str__(self) -> str:
        """Say which piece, and the rule that cut it."""
        return f"{visible(self.piece)} was cut off by the rule {self.rule}"


@step
class Whole:
    """The whole piece is a token; nothing need be merged. `merged` is what merging alone would have given."""

    piece: bytes
    id: int
    merged: tuple[int, ...]

    def __str__(self) -> str:
        """Say which piece, and its id."""
        alone = ""
        if self.merged != (self.id,):
            alone = f", which merging alone would not reach: it gives {' '.join(map(str, self.merged))}"
        return f"{visible(self.piece)} is a token as a whole: id {self.id}{alone}"


@step
class Encoded:
    """No merge is left that could be made in the piece."""

    piece: bytes
    ids: tuple[int, ...]

    def __str__(self) -> str:
        """Say which piece, and its ids."""
        name = "id" if len(self.ids) == 1 else "ids"
        return f"{visible(self.piece)} has the {name} {' '.join(map(str, self.ids))}"


Step: TypeAlias = "Special | Split | Whole | Joined | Encoded"
Steps: TypeAlias = "Generator[Step, None, list[int]]"


def encode_parts(
    parts: Iterable[str], special_tokens: Mapping[str, int], splitter: Splitter, ranks: Mapping[bytes, int]
) -> Steps:
    """The ids of a text that is given in parts: plain text, a special token, plain text, and so on."""
    ids: list[int] = []
    for index, part in enumerate(parts):
        if index % 2:
            yield Special(part, special_tokens[part])
            ids.append(special_tokens[part])
            continue
        for piece, rule in splitter.explain(part):
            yield Split(piece, rule)
            ids += yield from encode_piece(piece.encode(), ranks)
    return ids


def encode_piece(piece: bytes, ranks: Mapping[bytes, int]) -> Steps:
    """The ids of one piece.

    >>> for step in encode_piece(b"ab", {b"a": 0, b"b": 1}): print(step)
    ab has the ids 0 1
    """
    # Here, so that whoever only wants ids does not wait for it when importing.
    from tokenlab.algorithms.bpe_encode_agenda import encode_with_agenda
    from tokenlab.algorithms.bpe_encode_parts import encode_with_parts

    encode = encode_with_parts if len(piece) < LONG else encode_with_agenda
    if piece in ranks:
        yield Whole(piece, ranks[piece], tuple(ranks[token] for token in encode(piece, ranks)))
        return [ranks[piece]]
    tokens = yield from encode.steps(piece, ranks)
    ids = tuple(ranks[token] for token in tokens)
    yield Encoded(piece, ids)
    return list(ids)
