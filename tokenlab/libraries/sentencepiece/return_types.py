"""Return types: messages, offsets in characters or bytes, arrays.

Adds: the conversions for `return_type`, with sentencepiece's names.

Source: sentencepiece/__init__.py; sentencepiece_pybind.cc, ExtractOffsetMapping.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from itertools import accumulate
from os import PathLike
from typing import Any, TypeAlias

from tokenlab.libraries.sentencepiece.model_proto import result_messages, to_bytes, valid
from tokenlab.libraries.sentencepiece.piece_surfaces import PieceWithSurface

ReturnType: TypeAlias = Any  # int, str, bytes, or one of the names below
Texts: TypeAlias = str | bytes | Sequence[str] | Sequence[bytes]  # a text, or a list of texts
ModelPath: TypeAlias = str | bytes | PathLike[str]
NAMES = (int, str, bytes, "proto", "serialized_proto", "numpy", "offset_mapping")
RETURN_TYPES_WITH_OFFSETS = ("proto", "serialized_proto", "offset_mapping")


def to_text(given: object, error: type[Exception] = RuntimeError) -> str:
    """Return a text given as str or bytes; a byte that is not UTF-8 becomes a lone surrogate.

    Raises:
        TypeError: neither str nor bytes.
        RuntimeError, or `error`: a str has a lone surrogate.
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


def byte_offsets(text: str) -> list[int]:
    """Return the byte offset of the start of each character, and of the end of the text.

    >>> byte_offsets("aé")
    [0, 1, 3]
    """
    return list(accumulate((len(to_bytes(character)) for character in text), initial=0))


def to_sentencepiece_text(
    text: str, pieces: Iterable[PieceWithSurface], score: float | None = None, into: Any = None
) -> Any:
    """Return a `SentencePieceText`, whose offsets are in bytes."""
    message = into if into is not None else result_messages().SentencePieceText()
    message.text = _valid(text)
    places = byte_offsets(text)
    for piece in pieces:
        begin, end = places[piece.begin], places[piece.end]
        one = message.pieces.add(piece=_valid(piece.piece), id=piece.id & 0xFFFFFFFF, begin=begin, end=end)
        if piece.surface is not None:
            one.surface = _valid(piece.surface)
    if score is not None:
        message.score = score
    return message


def to_nbest_sentencepiece_text(text: str, segmentations: Iterable[tuple[Sequence[PieceWithSurface], float]]) -> Any:
    """Return an `NBestSentencePieceText`."""
    message = result_messages().NBestSentencePieceText()
    for pieces, score in segmentations:
        to_sentencepiece_text(text, pieces, score, message.nbests.add())
    return message


def _valid(text: str) -> str:
    return to_bytes(text).decode("utf-8", "replace")


def offset_mapping(text: str, pieces: Sequence[PieceWithSurface], in_bytes: bool) -> dict[str, Any]:
    """Return ids, pieces and offsets: str pieces and character offsets, or bytes and byte offsets."""
    places = byte_offsets(text) if in_bytes else range(len(text) + 1)
    return {
        "ids": [piece.id for piece in pieces],
        "pieces": [to_bytes(piece.piece) if in_bytes else valid(piece.piece) for piece in pieces],
        "offsets": [(places[piece.begin], places[piece.end]) for piece in pieces],
    }


def numpy_array(ids: Iterable[int]) -> Any:
    """Return ids as a read-only int32 array."""
    import numpy as np

    return np.frombuffer(array("i", ids).tobytes(), dtype=np.int32)
