"""The steps of `Encoding.encode`: pre-tokenize, look up the whole piece, merge a piece that is not a token.

Adds: a step for each of these; and three policies for text that is spelled like a special token, compared. The merges
run in `algorithms.bpe.encode_parts` for a short piece and in `algorithms.bpe.encode_priority_queue` for a long one, as
in Rust's core.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from tokenlab.algorithms.text.count_words import Word, to_symbols
from tokenlab.algorithms.text.pretokenize import PreTokenizer
from tokenlab.libraries.tiktoken.pieces import any_of
from tokenlab.printing.printable import NAMED, Parts, Symbol, SymbolPart, count_noun, symbol_parts
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

    def sentence(self) -> Parts:
        """Name the special token and its id."""
        return [SymbolPart(self.text, "new"), f" is a special token and allowed: id {self.id}"]

    def apply(self, progress: EncodingProgress) -> None:
        """Add the special token as a piece with its id."""
        progress.pieces.append(self.text)
        progress.tokens = ()
        progress.ids.append((self.text, self.id))


@step
class PreTokenSplit:
    """A piece (pre-token) was split off the text; no token crosses the boundary."""

    piece: str
    rule: str

    def sentence(self) -> Parts:
        """Name the piece and the rule."""
        by = "the pattern" if self.rule == "pat_str" else f"the rule {self.rule}"
        return [SymbolPart(self.piece, "new"), f" was split off by {by}"]

    def apply(self, progress: EncodingProgress) -> None:
        """Add the piece, whose tokens are its bytes at first."""
        progress.pieces.append(self.piece)
        progress.tokens = to_symbols(self.piece.encode())


@step
class WholePieceFound:
    """The whole piece is a token, so no merge is needed; `merged` are the ids that merging alone would give."""

    piece: bytes
    id: int
    merged: tuple[int, ...]

    def sentence(self) -> Parts:
        """Name the id, and those that merging alone would give if they are others."""
        unreached = ""
        if self.merged != (self.id,):
            unreached = f"; merging alone would give {' '.join(map(str, self.merged))}"
        return [SymbolPart(self.piece), f" as a whole is a token, id {self.id}{unreached}"]

    def apply(self, progress: EncodingProgress) -> None:
        """Make the piece its only token."""
        progress.tokens = (self.piece,)
        progress.ids.append((self.piece, self.id))


@step
class PieceEncoded:
    """No merge is left in the piece."""

    piece: bytes
    ids: tuple[int, ...]

    def sentence(self) -> Parts:
        """Name the ids of the piece."""
        return [SymbolPart(self.piece), f" has the id{'s' * (len(self.ids) != 1)} {' '.join(map(str, self.ids))}"]

    def apply(self, progress: EncodingProgress) -> None:
        """Give the tokens of the piece their ids."""
        progress.ids.extend(zip(progress.tokens, self.ids, strict=True))


@dataclass
class EncodingProgress:
    """What the steps are applied to: the pieces so far, the tokens of the last one, and all tokens with their ids."""

    pieces: list[str] = field(default_factory=list)
    tokens: Word = ()
    ids: list[tuple[Symbol, int]] = field(default_factory=list)

    def take(self, step: Step) -> None:
        """Apply a step; a merge changes the tokens of the last piece."""
        if isinstance(step, SpecialTokenFound | PreTokenSplit | WholePieceFound | PieceEncoded):
            step.apply(self)
        else:
            self.tokens = step.apply(self.tokens)


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

    def sentence(self) -> Parts:
        """Name the tokens, or the disallowed special token."""
        arguments = "by default" if self.arguments == "default" else f"with {self.arguments}"
        if self.disallowed_token:
            return [f"{arguments}: an error, since the text has ", SymbolPart(self.disallowed_token, "unknown")]
        return [f"{arguments}: {count_noun(len(self.ids), 'token')}, ", *symbol_parts(self.tokens, most=NAMED)]


@stepwise
def compare_special_token_policies(text: str, encoding: Encoding) -> Generator[PolicyOutcome, None, list[str]]:
    """Encode a text with the default policy, with nothing disallowed, and with all special tokens allowed.

    Returns:
        The special tokens of the encoding, in their order.

    >>> from tokenlab.libraries.tiktoken import Encoding
    >>> ranks = {bytes([byte]): byte for byte in range(256)}
    >>> encoding = Encoding("bytes", pat_str=".+", mergeable_ranks=ranks, special_tokens={"<|x|>": 256})
    >>> print(compare_special_token_policies.record("a<|x|>", encoding))
    1. by default: an error, since the text has <|x|>
    2. with disallowed_special=(): 6 tokens, a < | x | >
    3. with allowed_special="all": 2 tokens, a <|x|>
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
