"""`DecodeMethods`: from pieces or ids back to a text.

Leaves out: the text of each piece; see `piece_surfaces`.

Source: sentencepiece/__init__.py; google/sentencepiece, src/sentencepiece_processor.cc, Decode.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

from tokenlab.libraries.sentencepiece import random_seed as settings
from tokenlab.libraries.sentencepiece.call_options import CallOptions
from tokenlab.libraries.sentencepiece.format_results import format_with_offsets
from tokenlab.libraries.sentencepiece.method_shortcuts import add_snake_case_aliases
from tokenlab.libraries.sentencepiece.model_proto import to_bytes, valid
from tokenlab.libraries.sentencepiece.piece_methods import PieceMethods, piece_of
from tokenlab.libraries.sentencepiece.piece_surfaces import decode_pieces
from tokenlab.libraries.sentencepiece.return_types import RETURN_TYPES_WITH_OFFSETS, ReturnType

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
        settings.check_thread_pool(thread_pool)
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
