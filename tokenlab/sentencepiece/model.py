"""A `.model` file: pieces with scores and types, a normalizer's table, and what the trainer was asked for.

Adds: the checks. A file that is damaged or contradicts itself is refused with a sentence, before anything is encoded.
Leaves out: how a text becomes pieces. The message that the file holds is sentencepiece's own definition.

Source: sentencepiece_model.proto; src/model_interface.cc, InitializePieces; sentencepiece_processor.cc, Load.
"""

from __future__ import annotations

import re
from functools import cached_property
from math import isfinite, isnan
from pathlib import Path
from typing import Any, TypeAlias

from tokenlab.visible import visible

Proto: TypeAlias = Any  # sentencepiece.sentencepiece_model_pb2.ModelProto
NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = range(1, 7)  # ModelProto.SentencePiece.Type
UNIGRAM, BPE, WORD, CHAR = range(1, 5)  # TrainerSpec.ModelType
TYPES = {"unigram": UNIGRAM, "bpe": BPE, "word": WORD, "char": CHAR}
SPACE = "▁"
LONGEST = 8000  # bytes of a piece; src/model_interface.cc, kMaxPieceSize

BYTE_PIECES = {f"<0x{byte:02X}>": byte for byte in range(256)}


def messages() -> Any:
    """The protobuf messages of a model, as sentencepiece defines them.

    Raises:
        ImportError: sentencepiece or protobuf is not installed.
    """
    from sentencepiece import sentencepiece_model_pb2

    return sentencepiece_model_pb2


def read_model(serialized: bytes) -> Model:
    """The model that is in the bytes of a `.model` file.

    Raises:
        TypeError: not bytes.
        RuntimeError: they are cut off, are no such file, or contradict themselves; the sentence says where.
    """
    return Model(parsed("ModelProto", serialized))


def parsed(name: str, serialized: Any) -> Proto:
    """A message of that name from its bytes, or a copy of one that is given.

    Raises:
        TypeError: neither bytes nor a message.
        RuntimeError: the bytes are cut off, or are no such message.
    """
    from google.protobuf.message import DecodeError  # type: ignore[import-untyped]

    if hasattr(serialized, "SerializeToString"):
        serialized = serialized.SerializeToString()
    if not isinstance(serialized, bytes):
        raise TypeError(f"a {name} is wanted, not {type(serialized).__name__}; give its bytes, or the message itself")
    message = getattr(messages(), name)()
    try:
        message.ParseFromString(serialized)
        list(map(str, getattr(message, "pieces", ())))  # subtle: a piece that is not UTF-8 shows only when it is read
    except (DecodeError, UnicodeDecodeError):
        raise RuntimeError(
            f"these {len(serialized)} bytes are no {name} of sentencepiece: they are cut off, damaged, or of another "
            "kind; copy the file again, in binary mode"
        ) from None
    return message


def read_model_file(path: str | Path) -> bytes:
    """The bytes of a `.model` file.

    Raises:
        RuntimeError: it cannot be read, as the library has it.
    """
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise RuntimeError(f"{str(path)!r} cannot be read: {error.strerror}; check the name and the folder") from None


class Model:
    """The checked content of a model file, in the form that encoding needs."""

    def __init__(self, proto: Proto) -> None:
        """Take a ModelProto.

        Raises:
            RuntimeError: an empty, doubled or overlong piece, no or two unknown pieces, byte pieces that are not all
                there, a score that is no number, in a unigram model also an infinite or a positive one, or a type of
                model that is not known.
        """
        self.proto = proto
        self.byte_fallback: bool = proto.trainer_spec.byte_fallback
        _drop_null(proto)
        self.type: int = proto.trainer_spec.model_type
        self.pieces: list[str] = [entry.piece for entry in proto.pieces]
        self.scores: list[float] = [entry.score for entry in proto.pieces]
        self.kinds: list[int] = [entry.type for entry in proto.pieces]
        self.ids: dict[str, int] = {}  # of what a text can be cut into
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
        elif len(piece.encode()) >= LONGEST:
            wrong = f"is longer than {LONGEST - 1} bytes"
        elif "\0" in piece and not self._is_null(id):
            wrong = "has a null character in it"
        elif isnan(score) or (self.type == UNIGRAM and not isfinite(score)):
            wrong = f"has the score {score}, which is no log probability"
        elif self.type == UNIGRAM and self.kinds[id] == NORMAL and score > 0:
            wrong = f"has the score {score:g}; a log probability is not above 0"
        if wrong:
            raise RuntimeError(
                f"piece {id}, {visible(piece[:60])}, {wrong}; the model file is damaged, or made wrongly"
            )

    def _is_null(self, id: int) -> bool:
        return self.pieces[id] == "\0" and self.kinds[id] == UNUSED

    def _add(self, id: int, piece: str) -> None:
        if self._is_null(id):
            return
        owner = self.ids if self.kinds[id] in (NORMAL, USER_DEFINED, UNUSED) else self.reserved
        # subtle: a bpe model has one table, where a reserved piece may not share its name with another.
        if piece in owner or (self.type == BPE and (piece in self.ids or piece in self.reserved)):
            raise RuntimeError(f"piece {id}, {visible(piece)}, is in this model twice; each needs a name of its own")
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
        """The id of a piece; that of the unknown piece (-1 if there is none) for all else."""
        return self.reserved.get(piece, self.ids.get(piece, self.unknown))

    def named(self, role: str, kind: int) -> int:
        """The id of what the trainer called the `unk`, `bos`, `eos` or `pad` piece; -1 if it is of another kind."""
        spec = self.proto.trainer_spec
        name = getattr(spec, f"{role}_piece") or getattr(type(spec)(), f"{role}_piece")
        id = self.id_of(name)
        return id if id >= 0 and self.kinds[id] == kind else -1

    def is_unknown(self, id: int) -> bool:
        """Whether an id stands for what is not in the vocabulary."""
        return id == self.unknown or self.kinds[id] == UNKNOWN

    @cached_property
    def symbols(self) -> re.Pattern[str] | None:
        """What finds user-defined symbols, the longest first; None where there are none."""
        return alternatives(piece for piece, id in self.ids.items() if self.kinds[id] == USER_DEFINED)

    @cached_property
    def one_word_each(self) -> bool:
        """Whether ▁ stands only at the start of pieces, so that no piece crosses the start of a word."""
        return not any(SPACE in piece[1:] for piece in self.ids)


def alternatives(texts: Any) -> re.Pattern[str] | None:
    """A pattern for any of some texts, the longest that stands at a place.

    >>> alternatives(["a", "ab"]).findall("aba")
    ['ab', 'a']
    """
    ordered = sorted(texts, key=len, reverse=True)
    return re.compile("|".join(map(re.escape, ordered))) if ordered else None


def _drop_null(proto: Proto) -> None:
    """A piece that is the null character, which some converters leave there, is not used beside byte pieces."""
    if proto.trainer_spec.byte_fallback:
        for entry in proto.pieces:
            if entry.piece == "\0":
                entry.type = UNUSED
