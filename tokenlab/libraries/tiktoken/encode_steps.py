"""The steps of `Encoding.encode`: pre-tokenize, look up the whole piece, merge a piece that is not a token.

Adds: a step for each of these; and three policies for text that is spelled like a special token, compared. The merges
run in `algorithms.bpe.encode_parts` for a short piece and in `algorithms.bpe.encode_priority_queue` for a long one, as
in Rust's core.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from tokenlab.algorithms.text.pretokenize import PreTokenizer
from tokenlab.libraries.tiktoken.pieces import any_of
from tokenlab.printing.printable import printable
from tokenlab.steps.recording import step, stepwise

if TYPE_CHECKING:
    from tokenlab.algorithms.bpe.encode import PairMerged
    from tokenlab.libraries.tiktoken.core import Encoding

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


@step
class PolicyOutcome:
    """Result of encoding with the given arguments: tokens and ids, or the special token that was disallowed."""

    arguments: str
    tokens: tuple[bytes, ...]
    ids: tuple[int, ...]
    disallowed_token: str

    def __str__(self) -> str:
        if self.disallowed_token:
            return f"{self.arguments}: an error, since the text has {printable(self.disallowed_token)}"
        number = f"{len(self.ids)} token{'s' if len(self.ids) != 1 else ''}"
        return f"{self.arguments}: {number}, {' '.join(map(printable, self.tokens))}"


@stepwise
def compare_special_token_policies(text: str, encoding: Encoding) -> Generator[PolicyOutcome, None, list[str]]:
    """Encode a text with the default policy, with nothing disallowed, and with all special tokens allowed.

    Returns:
        The special tokens of the encoding, in their order.

    >>> from tokenlab.libraries.tiktoken import Encoding
    >>> ranks = {bytes([byte]): byte for byte in range(256)}
    >>> encoding = Encoding("bytes", pat_str=".+", mergeable_ranks=ranks, special_tokens={"<|x|>": 256})
    >>> print(compare_special_token_policies.record("a<|x|>", encoding))
    1. default: an error, since the text has <|x|>
    2. disallowed_special=(): 6 tokens, a < | x | >
    3. allowed_special="all": 2 tokens, a <|x|>
    """
    policies: dict[str, dict[str, Any]] = {
        "default": {},
        "disallowed_special=()": {"disallowed_special": ()},
        'allowed_special="all"': {"allowed_special": "all"},
    }
    for arguments, options in policies.items():
        try:
            ids = encoding.encode(text, **options)
        except ValueError:
            found = any_of(frozenset(encoding.special_tokens_set)).search(text)
            yield PolicyOutcome(arguments, (), (), found.group() if found else "")
        else:
            yield PolicyOutcome(arguments, tuple(encoding.decode_tokens_bytes(ids)), tuple(ids), "")
    return list(encoding._special_tokens)
