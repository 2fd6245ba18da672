"""The checked content of a model file, the types of segmentations, and the word model and the character model.

Adds: a damaged or inconsistent file is refused with an explanation before anything is encoded; and chunks. No piece
reaches from one chunk of a normalized text into the next, so each is segmented separately. Trainers do not mix letters
and punctuation in a piece, so `▁print(n)` has the chunks `▁print`, `(`, `n` and `)`. Texts share chunks more often than
words, and a cache of chunks finds more of them.
Leaves out: chunks for models with ▁ inside a piece, which may reach from any word into the next.

Source: google/sentencepiece, src/model_interface.cc, InitializePieces and SplitIntoWords; src/word_model.cc;
src/char_model.cc; src/sentencepiece_processor.cc, Load.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property
from itertools import pairwise
from math import isfinite, isnan
from typing import Any, NamedTuple, TypeAlias

from tokenlab.libraries.sentencepiece.model_proto import (
    BPE,
    BYTE,
    NORMAL,
    TYPES,
    UNIGRAM,
    UNKNOWN,
    UNUSED,
    USER_DEFINED,
    Proto,
    parse_message,
)
from tokenlab.printing.errors import warn
from tokenlab.printing.printable import printable

SPACE_SYMBOL = "▁"
MAX_PIECE_LENGTH = 8000  # bytes of a piece; src/model_interface.cc, kMaxPieceSize
BYTE_PIECES = {f"<0x{byte:02X}>": byte for byte in range(256)}


def read_model(serialized: bytes) -> Model:
    """Return the model in the bytes of a `.model` file.

    Raises:
        TypeError: not bytes.
        RuntimeError: they are truncated, not a model file, or inconsistent; the message says where.

    Warns:
        UserWarning: the message has pieces, but no trainer_spec or no normalizer_spec, which come after the pieces, so
            the file may be truncated. The library loads it silently, with the defaults of these messages.
    """
    proto = parse_message("ModelProto", serialized)
    missing = [name for name in ("trainer_spec", "normalizer_spec") if not proto.HasField(name)]
    if missing and proto.pieces:
        problem = f"this model has no {' and no '.join(missing)}, so their defaults are used"
        warn(f"{problem}; the file may be truncated: compare it with its source")
    return Model(proto)


class Model:
    """The checked content of a model file, in the form that encoding needs."""

    def __init__(self, proto: Proto) -> None:
        """Take and check a ModelProto.

        Raises:
            RuntimeError: an empty, duplicate or overlong piece, no or two unknown pieces, missing byte pieces, a NaN
                score (in a unigram model also an infinite or positive one), or an unknown model type.
        """
        self.proto = proto
        self.byte_fallback: bool = proto.trainer_spec.byte_fallback
        if self.byte_fallback:  # then the null character, which some converters leave in the model, is unused
            for entry in proto.pieces:
                if entry.piece == "\0":
                    entry.type = UNUSED
        self.type: int = proto.trainer_spec.model_type
        self.pieces: list[str] = [field_text(entry.piece) for entry in proto.pieces]
        self.scores: list[float] = [entry.score for entry in proto.pieces]
        self.kinds: list[int] = [entry.type for entry in proto.pieces]
        self.ids: dict[str, int] = {}  # of the pieces that can occur in a segmentation
        self.reserved: dict[str, int] = {}  # of control, unknown and byte pieces
        self._check()
        self.unknown = self.kinds.index(UNKNOWN) if UNKNOWN in self.kinds else -1

    def _check(self) -> None:
        if self.type not in TYPES.values():
            raise RuntimeError(f"model_type={self.type} is not known; there are {TYPES}")
        for id, piece in enumerate(self.pieces):
            self._check_piece(id, piece)
            self._add(id, piece)
        unknowns = self.kinds.count(UNKNOWN)
        if unknowns > 1 or not (unknowns or self.byte_fallback):
            found = f"{unknowns} unknown pieces" if unknowns else "no unknown piece"
            raise RuntimeError(f"this model has {found}, but needs one, such as <unk>; train it again")
        self._check_bytes()

    def _check_piece(self, id: int, piece: str) -> None:
        score = self.scores[id]
        wrong = ""
        if not piece:
            wrong = "is empty"
        elif len(to_bytes(piece)) >= MAX_PIECE_LENGTH:
            wrong = f"is longer than {MAX_PIECE_LENGTH - 1} bytes"
        elif "\0" in piece and not self._is_null(id):
            wrong = "has a null character in it"
        elif isnan(score) or (self.type == UNIGRAM and not isfinite(score)):
            wrong = f"has the score {score}, which is not a log probability"
        elif self.type == UNIGRAM and self.kinds[id] == NORMAL and score > 0:
            wrong = f"has the score {score:g}; a log probability is not above 0"
        if wrong:
            raise RuntimeError(
                f"piece {id}, {printable(piece[:60])}, {wrong}; the model file is damaged, or made wrongly"
            )

    def _is_null(self, id: int) -> bool:
        return self.pieces[id] == "\0" and self.kinds[id] == UNUSED

    def _add(self, id: int, piece: str) -> None:
        if self._is_null(id):
            return
        owner = self.ids if self.kinds[id] in (NORMAL, USER_DEFINED, UNUSED) else self.reserved
        # subtle: a bpe model has one table, so a reserved piece may not have the same name as another piece.
        if piece in owner or (self.type == BPE and (piece in self.ids or piece in self.reserved)):
            raise RuntimeError(f"piece {id}, {printable(piece)}, is in this model twice; each name must be unique")
        owner[piece] = id

    def _check_bytes(self) -> None:
        found = {piece for piece, kind in zip(self.pieces, self.kinds, strict=True) if kind == BYTE}
        if found and not self.byte_fallback:
            raise RuntimeError(f"byte piece {min(found)} is in a model without byte_fallback; train it again with it")
        if strange := found - BYTE_PIECES.keys():
            raise RuntimeError(f"byte piece {min(strange)!r} names no byte; <0x00> to <0xFF> do")
        if self.byte_fallback and len(found) < 256:
            missing = min(BYTE_PIECES.keys() - found)
            raise RuntimeError(f"byte_fallback needs all 256 byte pieces, but {missing} is missing; train it again")

    # --- looking up -------------------------------------------------------------------------------

    def id_of(self, piece: str) -> int:
        """Return the id of a piece; for other strings that of the unknown piece (-1 if the model has none)."""
        return self.reserved.get(piece, self.ids.get(piece, self.unknown))

    def special_id(self, role: str, kind: int) -> int:
        """Return the id of the trainer's `unk`, `bos`, `eos` or `pad` piece; -1 if its type is not `kind`."""
        spec = self.proto.trainer_spec
        name = field_text(getattr(spec, f"{role}_piece") or getattr(type(spec)(), f"{role}_piece"))
        id = self.id_of(name)
        return id if id >= 0 and self.kinds[id] == kind else -1

    def is_unknown(self, id: int) -> bool:
        """Whether an id is that of an unknown piece."""
        return id == self.unknown or self.kinds[id] == UNKNOWN

    @cached_property
    def user_defined_pattern(self) -> re.Pattern[str] | None:
        """A pattern that finds user-defined symbols, longest first; None if there are none."""
        return longest_first_pattern(piece for piece, id in self.ids.items() if self.kinds[id] == USER_DEFINED)

    @cached_property
    def pieces_stay_within_words(self) -> bool:
        """Whether ▁ occurs only at the start of pieces, so that no piece crosses the start of a word."""
        return not any(SPACE_SYMBOL in piece[1:] for piece in self.ids)


def field_text(value: str | bytes) -> str:
    """Return the value of a string field of a message; a byte that is not UTF-8 becomes a lone surrogate.

    Protobuf returns such a field as bytes, because Python's `str` cannot represent it.

    >>> field_text("é"), field_text(b"a\\xff")
    ('é', 'a\\udcff')
    """
    return value.decode("utf-8", "surrogateescape") if isinstance(value, bytes) else value


def to_bytes(text: str) -> bytes:
    """Encode a text as UTF-8; lone surrogates become the bytes that they represent."""
    return text.encode("utf-8", "surrogateescape")


def valid(text: str) -> str:
    """Return the text if it is valid UTF-8; adjacent bytes of a character become that character.

    Raises:
        UnicodeDecodeError: it has a byte that is not UTF-8, as in the library.

    >>> valid("\\udcc3\\udca9")
    'é'
    """
    return text if text.isascii() else to_bytes(text).decode()


def all_valid(texts: list[str]) -> list[str]:
    """Return `valid` of each text; they are examined together, for it is rare that one of them has such bytes.

    Raises:
        UnicodeDecodeError: as `valid`.

    >>> all_valid(["a", "\\udcc3\\udca9"])
    ['a', 'é']
    """
    return list(map(valid, texts)) if _SURROGATE.search("".join(texts)) else texts


_SURROGATE = re.compile("[\ud800-\udfff]")


def longest_first_pattern(texts: Any) -> re.Pattern[str] | None:
    """Return a pattern that matches any of some texts, preferring the longest.

    >>> longest_first_pattern(["a", "ab"]).findall("aba")
    ['ab', 'a']
    """
    ordered = sorted(texts, key=len, reverse=True)
    return re.compile("|".join(map(re.escape, ordered))) if ordered else None


class Segmentation(NamedTuple):
    """The pieces of a text and their ids; a string that is not in the vocabulary has the id of the unknown piece."""

    pieces: list[str]
    ids: list[int]


Words: TypeAlias = re.Pattern[str]
WORDS = re.compile(f"{SPACE_SYMBOL}[^{SPACE_SYMBOL}]*|[^{SPACE_SYMBOL}]+")
_SPLITS: dict[tuple[bool, bool], Words] = {
    (False, False): WORDS,
    (False, True): re.compile(f"{SPACE_SYMBOL}+[^{SPACE_SYMBOL}]*|[^{SPACE_SYMBOL}]+"),
    (True, False): re.compile(f"[^{SPACE_SYMBOL}]*{SPACE_SYMBOL}|[^{SPACE_SYMBOL}]+"),
    (True, True): re.compile(f"[^{SPACE_SYMBOL}]*{SPACE_SYMBOL}+|[^{SPACE_SYMBOL}]+"),
}


def split_words(text: str, suffix: bool = False, merge_spaces: bool = False) -> list[str]:
    """Split a normalized text into words.

    Args:
        text: a text with `▁` for a space.
        suffix: whether `▁` ends a word; otherwise it starts one.
        merge_spaces: whether several `▁` belong to one word.

    Source: google/sentencepiece, src/model_interface.cc, SplitIntoWords.

    >>> split_words("▁a▁▁b"), split_words("▁a▁▁b", merge_spaces=True), split_words("a▁b▁", suffix=True)
    (['▁a', '▁', '▁b'], ['▁a', '▁▁b'], ['a▁', 'b▁'])
    """
    return _SPLITS[suffix, merge_spaces].findall(text)


class WordModel:
    """A model in which every word is a piece, or unknown."""

    def __init__(self, model: Model) -> None:
        self.model = model

    def encode(self, normalized: str) -> Segmentation:
        """Return the words."""
        return lookup_ids(split_words(normalized), self.model)


class CharModel:
    """A model in which every character or user-defined symbol is a piece, or unknown."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.find = re.compile(
            f"(?:{model.user_defined_pattern.pattern})|." if model.user_defined_pattern else ".", re.DOTALL
        ).findall

    def encode(self, normalized: str) -> Segmentation:
        """Return the characters and user-defined symbols."""
        return lookup_ids(self.find(normalized), self.model)


def lookup_ids(pieces: list[str], model: Model) -> Segmentation:
    """Add the ids of pieces; an unused piece is unknown."""
    ids = [model.ids.get(piece, model.unknown) for piece in pieces]
    return Segmentation(pieces, [model.unknown if id >= 0 and model.kinds[id] == UNUSED else id for id in ids])


# The pieces of a chunk; their ids; the size of its scores; and a limit: if the sizes of all chunks of a text add up to
# less, the chunk has the same pieces there. A plain tuple of tuples, because the garbage collector does not look at it
# again and again.
SegmentedChunk: TypeAlias = tuple[tuple[str, ...], tuple[int, ...], float, float]


def chunk_pattern(pieces: Iterable[str]) -> re.Pattern[str]:
    """Return a pattern whose matches are the chunks of a text: a ▁ if there is one, and characters of one class.

    Args:
        pieces: with ▁ at the start only.

    >>> chunk_pattern(["▁", "▁a", "ab", "(", "1", "12"]).findall("▁ab(12)▁▁1")
    ['▁ab', '(', '12', ')', '▁', '▁1']
    """
    classes = map(sorted, sorted(adjacent_characters(pieces), key=len, reverse=True))
    # `++` and `?+` never give back a character, which saves the places to go back to.
    runs = [f"[{re.escape(''.join(characters))}]++" for characters in classes]
    return re.compile(f"{SPACE_SYMBOL}?+(?:{'|'.join([*runs, f'[^{SPACE_SYMBOL}]'])})|{SPACE_SYMBOL}")


def adjacent_characters(pieces: Iterable[str]) -> list[set[str]]:
    """Return the smallest classes of characters such that two that are adjacent in a piece, after its ▁, are in one.

    >>> sorted(map(sorted, adjacent_characters(["ab", "12", "▁bc", "?", "##"])))
    [['#'], ['1', '2'], ['a', 'b', 'c']]
    """
    pairs = {pair for piece in pieces for pair in pairwise(piece.removeprefix(SPACE_SYMBOL))}
    class_of = {character: {character} for pair in pairs for character in pair}
    for left, right in pairs:
        if class_of[left] is not class_of[right]:
            smaller, larger = sorted((class_of[left], class_of[right]), key=len)
            larger |= smaller
            class_of.update(dict.fromkeys(smaller, larger))
    return [*{id(characters): characters for characters in class_of.values()}.values()]
