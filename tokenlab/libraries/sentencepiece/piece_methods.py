"""`PieceMethods`: pieces, ids, scores and kinds of pieces; `DecodeMethods`: from pieces or ids back to a text.

Leaves out: encoding, which is in `processor`; the text of each piece, which is in `loaded_model`.

Source: sentencepiece/__init__.py; google/sentencepiece, src/sentencepiece_processor.cc.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from operator import index
from typing import Any, TypeAlias, TypeVar, overload

from tokenlab.libraries.sentencepiece.loaded_model import LoadedModel, decode_pieces
from tokenlab.libraries.sentencepiece.model_interface import Model, to_bytes, valid
from tokenlab.libraries.sentencepiece.model_proto import BYTE, CONTROL, UNUSED
from tokenlab.libraries.sentencepiece.results import (
    RETURN_TYPES_WITH_OFFSETS,
    CallOptions,
    ReturnType,
    add_snake_case_aliases,
    check_thread_pool,
    format_with_offsets,
    to_text,
)

T = TypeVar("T")
# Not Sequence[str], since a str is one. At run time, any sequence may be given.
PieceList: TypeAlias = list[str] | list[bytes] | tuple[str, ...] | tuple[bytes, ...]


@add_snake_case_aliases
class PieceMethods:
    """The methods of the processor that look up pieces and ids."""

    _loaded: LoadedModel | None

    def _ready(self) -> LoadedModel:
        if self._loaded is None:
            raise RuntimeError("no model is loaded; give model_file= or model_proto=, or call load() first")
        return self._loaded

    def GetPieceSize(self) -> int:
        """Return the number of pieces; 0 before a model is loaded."""
        return len(self._loaded.model.pieces) if self._loaded else 0

    @overload
    def PieceToId(self, piece: str | bytes) -> int: ...
    @overload
    def PieceToId(self, piece: PieceList) -> list[int]: ...
    def PieceToId(self, piece: str | bytes | PieceList) -> int | list[int]:
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


def piece_of(piece: Any) -> str:
    """Return a piece as a str; other values are a TypeError."""
    if not isinstance(piece, str | bytes):
        raise TypeError(f"piece={piece!r:.60} should be a str or bytes")
    return to_text(piece, TypeError)


# One, a sequence of them, or a sequence of sequences.
Pieces: TypeAlias = str | bytes | Sequence[str] | Sequence[bytes] | Sequence[Sequence[str]] | Sequence[Sequence[bytes]]
Ids: TypeAlias = int | Sequence[int] | Sequence[Sequence[int]]


@add_snake_case_aliases
class DecodeMethods(PieceMethods):
    """The methods of the processor that return texts."""

    _options: CallOptions

    def Decode(
        self,
        input: Pieces | Ids,
        return_type: ReturnType = None,
        out_type: ReturnType = None,
        num_threads: int | None = None,
        thread_pool: Any = None,
        return_bytes: bool | None = None,
    ) -> Any:
        """Return the text of pieces or ids, or of each list of them in a list. Pieces as bytes give bytes.

        Raises:
            IndexError: an id is not in the model.
            TypeError: neither pieces nor ids.
            ValueError: return_type is not available for decoding.
        """
        shape = self._options.shape(out_type, return_type, default=str)
        self._options.override(num_threads=num_threads).check(return_bytes, shape)
        check_thread_pool(thread_pool)
        if shape in (int, "numpy"):
            raise ValueError(f"return_type={shape} is not available for decoding; use str, bytes, 'proto' or another")
        given: Any = input  # also None or an array, as in the library
        if given is None or (isinstance(given, str | bytes) and not given):
            given = []
        many = given if _is_sequence(given) else [given]
        is_batch = many.ndim > 1 if hasattr(many, "ndim") else len(many) > 0 and _is_sequence(many[0])
        if not is_batch:
            return self._decode(many, _kind([many]), shape, bool(return_bytes))
        kind = _kind(many)
        return [self._decode(one, kind, shape, bool(return_bytes)) for one in many]

    def _decode(self, many: Any, kind: type, shape: ReturnType, in_bytes: bool) -> Any:
        checked = self._checked_ids(many) if kind is int else []
        loaded = self._ready()
        model = loaded.model
        if kind is int:
            ids, pieces = checked, [model.pieces[id] for id in checked]
        else:
            pieces = [piece_of(piece) for piece in many]
            ids = [model.id_of(piece) for piece in pieces]
        found = decode_pieces(pieces, ids, model)
        text = "".join(piece.surface or "" for piece in found)
        if loaded.denormalizer:
            text = loaded.denormalizer.normalize(text)
        in_bytes = in_bytes or kind is bytes
        if shape in RETURN_TYPES_WITH_OFFSETS:
            mapping = format_with_offsets(shape, text, found, in_bytes)
            is_mapping = shape == "offset_mapping"
            return {"text": to_bytes(text) if in_bytes else valid(text), **mapping} if is_mapping else mapping
        return to_bytes(text) if shape is bytes or kind is bytes else valid(text)

    def DecodePieces(self, input: Pieces, return_type: ReturnType = None, **kwargs: Any) -> Any:
        """Return the text of pieces."""
        return self.Decode(input=input, return_type=return_type, **kwargs)

    def DecodeIds(self, input: Ids, return_type: ReturnType = None, **kwargs: Any) -> Any:
        """Return the text of ids."""
        return self.Decode(input=input, return_type=return_type, **kwargs)

    def DecodePiecesAsProto(self, input: Pieces, **kwargs: Any) -> Any:
        """Return the text of pieces as a SentencePieceText."""
        return self.Decode(input=input, return_type="proto", **kwargs)

    def DecodeIdsAsProto(self, input: Ids, **kwargs: Any) -> Any:
        """Return the text of ids as a SentencePieceText."""
        return self.Decode(input=input, return_type="proto", **kwargs)

    Detokenize = Decode
    decode = Decode


def _is_sequence(value: Any) -> bool:
    return hasattr(value, "__len__") and not isinstance(value, str | bytes)


def _kind(batch: Iterable[Any]) -> type:
    """Return the type of the elements to decode, which the first element decides: int, str or bytes."""
    for many in batch:
        if _is_sequence(many) and len(many) > 0:
            first = None if hasattr(many, "dtype") else many[0]
            return bytes if isinstance(first, bytes) else str if isinstance(first, str) else int
    return int
