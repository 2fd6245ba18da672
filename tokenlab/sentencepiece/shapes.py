"""The shapes in which results are given: messages, offsets in characters or bytes, arrays.

Adds: what `return_type` asks for, under the names that sentencepiece has for it.

Source: sentencepiece/__init__.py; sentencepiece_pybind.cc, ExtractOffsetMapping.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import Any, TypeAlias

from tokenlab.sentencepiece.spelling import Piece

ReturnType: TypeAlias = Any  # int, str, bytes, or one of the names below
NAMES = (int, str, bytes, "proto", "serialized_proto", "numpy", "offset_mapping")
SHAPES_OF_PLACED = ("proto", "serialized_proto", "offset_mapping")


def text_of(given: object, error: type[Exception] = RuntimeError) -> str:
    """A text that is given as str or bytes; a byte that is not UTF-8 is kept as a lone surrogate.

    Raises:
        TypeError: neither.
        RuntimeError, or the error that is named: a str has a lone surrogate.
    """
    if isinstance(given, bytes):
        return given.decode("utf-8", "surrogateescape")
    if not isinstance(given, str):
        raise TypeError(f"input is {type(given).__name__}; give a str or bytes, or a list of these")
    if not given.isascii():
        try:
            given.encode()
        except UnicodeEncodeError as problem:
            raise error(
                f"the text has a lone surrogate at {problem.start}, which UTF-8 cannot write; "
                'replace it with text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")'
            ) from None
    return given


def as_bytes(text: str) -> bytes:
    """A text as UTF-8, with bytes that were not as they were."""
    return text.encode("utf-8", "surrogateescape")


def byte_places(text: str) -> list[int]:
    """Where each character of a text starts, and the last ends, in bytes.

    >>> byte_places("aé")
    [0, 1, 3]
    """
    return list(accumulate((len(as_bytes(character)) for character in text), initial=0))


def message(text: str, pieces: Iterable[Piece], score: float | None = None, into: Any = None) -> Any:
    """A `SentencePieceText`, whose offsets are in bytes."""
    from sentencepiece import sentencepiece_pb2

    whole = into if into is not None else sentencepiece_pb2.SentencePieceText()  # type: ignore[attr-defined]
    whole.text = _valid(text)
    places = byte_places(text)
    for piece in pieces:
        begin, end = places[piece.begin], places[piece.end]
        one = whole.pieces.add(piece=_valid(piece.piece), id=piece.id & 0xFFFFFFFF, begin=begin, end=end)
        if piece.surface is not None:
            one.surface = _valid(piece.surface)
    if score is not None:
        whole.score = score
    return whole


def messages(text: str, ways: Iterable[tuple[Sequence[Piece], float]]) -> Any:
    """An `NBestSentencePieceText`."""
    from sentencepiece import sentencepiece_pb2

    whole = sentencepiece_pb2.NBestSentencePieceText()  # type: ignore[attr-defined]
    for pieces, score in ways:
        message(text, pieces, score, whole.nbests.add())
    return whole


def _valid(text: str) -> str:
    return as_bytes(text).decode("utf-8", "replace")


def offset_mapping(text: str, pieces: Sequence[Piece], in_bytes: bool) -> dict[str, Any]:
    """Ids, pieces and offsets; in characters and as str, or in bytes and as bytes."""
    places = byte_places(text) if in_bytes else range(len(text) + 1)
    return {
        "ids": [piece.id for piece in pieces],
        "pieces": [as_bytes(piece.piece) if in_bytes else piece.piece for piece in pieces],
        "offsets": [(places[piece.begin], places[piece.end]) for piece in pieces],
    }


def numpy_array(ids: Iterable[int]) -> Any:
    """Ids as an array of 32 bits that cannot be written to."""
    import numpy as np

    return np.frombuffer(array("i", ids).tobytes(), dtype=np.int32)
