"""`PieceMethods`: pieces, ids, scores and kinds of pieces, as the processor looks them up.

Leaves out: texts; see `processor` and `decode_methods`.

Source: sentencepiece/__init__.py; google/sentencepiece, src/sentencepiece_processor.cc.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from operator import index
from typing import Any, TypeAlias, TypeVar, overload

from tokenlab.libraries.sentencepiece.loaded_model import WithLoadedModel
from tokenlab.libraries.sentencepiece.method_shortcuts import add_snake_case_aliases
from tokenlab.libraries.sentencepiece.model_proto import BYTE, CONTROL, UNUSED, Model, valid
from tokenlab.libraries.sentencepiece.return_types import to_text

T = TypeVar("T")
# Not Sequence[str], since a str is one. At run time, any sequence may be given.
Pieces: TypeAlias = list[str] | list[bytes] | tuple[str, ...] | tuple[bytes, ...]


@add_snake_case_aliases
class PieceMethods(WithLoadedModel):
    """The methods of the processor that look up pieces and ids."""

    def GetPieceSize(self) -> int:
        """Return the number of pieces; 0 before a model is loaded."""
        return len(self._loaded.model.pieces) if self._loaded else 0

    @overload
    def PieceToId(self, piece: str | bytes) -> int: ...
    @overload
    def PieceToId(self, piece: Pieces) -> list[int]: ...
    def PieceToId(self, piece: str | bytes | Pieces) -> int | list[int]:
        """Return the id of a piece (or of each in a list); for other strings that of the unknown piece."""
        id_of = self._loaded.model.id_of if self._loaded else lambda piece: 0
        if isinstance(piece, str | bytes):
            return id_of(piece_of(piece))
        if not isinstance(piece, Sequence):
            raise TypeError(f"piece is {type(piece).__name__}; give a str or bytes, or a list of these")
        return [id_of(piece_of(one)) for one in piece]

    @overload
    def IdToPiece(self, id: int) -> str: ...
    @overload
    def IdToPiece(self, id: Sequence[int]) -> list[str]: ...
    def IdToPiece(self, id: int | Sequence[int]) -> str | list[str]:
        """Return the piece of an id, or of each in a list.

        Raises:
            IndexError: an id is not in the model.
            TypeError: not an integer.
            UnicodeDecodeError: the piece is not UTF-8, so it cannot be a str.
        """
        return self._of_each(id, lambda model, id: valid(model.pieces[id]))

    @overload
    def GetScore(self, id: int) -> float: ...
    @overload
    def GetScore(self, id: Sequence[int]) -> list[float]: ...
    def GetScore(self, id: int | Sequence[int]) -> float | list[float]:
        """Return the score of a piece: its log probability in a unigram model, its negative rank in a bpe model."""
        return self._of_each(id, lambda model, id: model.scores[id])

    @overload
    def IsUnknown(self, id: int) -> bool: ...
    @overload
    def IsUnknown(self, id: Sequence[int]) -> list[bool]: ...
    def IsUnknown(self, id: int | Sequence[int]) -> bool | list[bool]:
        """Whether the id is that of an unknown piece."""
        return self._of_each(id, lambda model, id: model.is_unknown(id))

    @overload
    def IsControl(self, id: int) -> bool: ...
    @overload
    def IsControl(self, id: Sequence[int]) -> list[bool]: ...
    def IsControl(self, id: int | Sequence[int]) -> bool | list[bool]:
        """Whether the id is that of a control piece, to which no text is encoded."""
        return self._of_each(id, lambda model, id: model.kinds[id] == CONTROL)

    @overload
    def IsUnused(self, id: int) -> bool: ...
    @overload
    def IsUnused(self, id: Sequence[int]) -> list[bool]: ...
    def IsUnused(self, id: int | Sequence[int]) -> bool | list[bool]:
        """Whether the id is that of an unused piece, to which no text is encoded."""
        return self._of_each(id, lambda model, id: model.kinds[id] == UNUSED)

    @overload
    def IsByte(self, id: int) -> bool: ...
    @overload
    def IsByte(self, id: Sequence[int]) -> list[bool]: ...
    def IsByte(self, id: int | Sequence[int]) -> bool | list[bool]:
        """Whether the id is that of a byte piece, used for unknown characters."""
        return self._of_each(id, lambda model, id: model.kinds[id] == BYTE)

    def _of_each(self, id: int | Sequence[int], value: Callable[[Model, int], T]) -> T | list[T]:
        if hasattr(id, "__len__"):
            return [value(self._ready().model, one) for one in self._checked_ids(id)]
        [one] = self._checked_ids([id])
        return value(self._ready().model, one)

    def _checked_ids(self, ids: Any) -> list[int]:
        size = len(self._loaded.model.pieces) if self._loaded else 0
        checked = [_check_integer(id) for id in _listed(ids)]
        for id in checked:
            if not 0 <= id < size:
                raise IndexError(f"id {id} is not in this model; its ids are 0 to {size - 1}")
        return checked

    def unk_id(self) -> int:
        """Return the id of the unknown piece; -1 if the model has none."""
        return self._loaded.unk if self._loaded else -1

    def bos_id(self) -> int:
        """Return the beginning-of-sequence id; -1 if the model has none."""
        return self._loaded.bos if self._loaded else -1

    def eos_id(self) -> int:
        """Return the end-of-sequence id; -1 if the model has none."""
        return self._loaded.eos if self._loaded else -1

    def pad_id(self) -> int:
        """Return the padding id; -1 if the model has none."""
        return self._loaded.pad if self._loaded else -1

    def serialized_model_proto(self) -> bytes:
        """Return the bytes of the model file."""
        return bytes(self._loaded.model.proto.SerializeToString()) if self._loaded else b""

    piece_size = GetPieceSize
    vocab_size = GetPieceSize

    # The aliases that a type checker should know; `add_snake_case_aliases` adds all of them.
    piece_to_id, id_to_piece, get_score, get_piece_size = PieceToId, IdToPiece, GetScore, GetPieceSize
    is_unknown, is_control, is_unused, is_byte = IsUnknown, IsControl, IsUnused, IsByte


def _listed(ids: Any) -> Iterable[Any]:
    try:
        if not isinstance(ids, str | bytes | bytearray):
            return list(ids)
    except TypeError:
        pass
    raise TypeError(f"ids are {type(ids).__name__}; give a whole number, or a list of these")


def _check_integer(id: Any) -> int:
    try:
        number = index(id)
    except TypeError:
        number = None
    if number is None or not -(2**31) <= number < 2**31:
        raise TypeError(f"id={id!r:.60} should be a whole number of at most 32 bits")
    return number


def _checked_piece(piece: Any) -> str | bytes:
    if isinstance(piece, str | bytes):
        return piece
    raise TypeError(f"piece={piece!r:.60} should be a str or bytes")


def piece_of(piece: Any) -> str:
    """Return a piece as a str; other values are a TypeError."""
    return to_text(_checked_piece(piece), TypeError)
