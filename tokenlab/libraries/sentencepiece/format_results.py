"""Results in the types that a caller asked for: normalized texts, pieces or ids, and pieces with offsets.

Leaves out: the types themselves; see `return_types`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tokenlab.libraries.sentencepiece.call_options import CallOptions
from tokenlab.libraries.sentencepiece.loaded_model import LoadedModel
from tokenlab.libraries.sentencepiece.model_proto import all_valid, to_bytes
from tokenlab.libraries.sentencepiece.normalization.text_normalizer import Normalizer
from tokenlab.libraries.sentencepiece.piece_surfaces import PieceWithSurface
from tokenlab.libraries.sentencepiece.return_types import (
    ReturnType,
    byte_offsets,
    numpy_array,
    offset_mapping,
    to_sentencepiece_text,
    to_text,
)
from tokenlab.libraries.sentencepiece.segmentation.word_and_char_models import Segmentation


def format_normalized(normalizer: Normalizer, given: Any, with_offsets: bool | None) -> Any:
    """Return a normalized text in the type of the input, with origins in characters or in bytes."""
    text = to_text(given)
    if not with_offsets:
        normalized = normalizer.normalize(text)
        return to_bytes(normalized) if isinstance(given, bytes) else normalized
    normalized, origins = normalizer.normalize_with_offsets(text)
    if not isinstance(given, bytes):
        return normalized, origins or [0]
    places = byte_offsets(text)
    in_bytes = [places[origin] for origin, new in zip(origins, normalized, strict=False) for _ in to_bytes(new)]
    return to_bytes(normalized), in_bytes + [places[origin] for origin in origins[-1:]]


def format_with_offsets(shape: ReturnType, text: str, pieces: Sequence[PieceWithSurface], in_bytes: bool) -> Any:
    """Return pieces with their offsets, as a dictionary, a message or its bytes; `in_bytes` counts bytes."""
    if shape == "offset_mapping":
        return offset_mapping(text, pieces, in_bytes)
    whole = to_sentencepiece_text(text, pieces)
    return whole if shape == "proto" else whole.SerializeToString()


def counts_bytes(input: Any, return_bytes: bool | None) -> bool:
    """Whether an offset mapping is in bytes: as requested, or as the input, or the first text in it, is."""
    first = input[0] if isinstance(input, list) and input else input
    return isinstance(first, bytes) if return_bytes is None else return_bytes


def format_segmentation(segmentation: Segmentation, options: CallOptions, loaded: LoadedModel) -> Any:
    """Return pieces or ids, with bos and eos if requested.

    Raises:
        ValueError: the model has no such piece.
    """
    in_pieces = options.return_type in (str, bytes)
    found: list[Any] = list(segmentation.ids)
    if in_pieces:
        found = _replace_unknown(segmentation.pieces, loaded) if options.emit_unk_piece else list(segmentation.pieces)
    if options.reverse:
        found.reverse()
    for add, id, role in ((options.add_bos, loaded.bos, "bos"), (options.add_eos, loaded.eos, "eos")):
        if add and id < 0:
            raise ValueError(f"add_{role}=True, but this model has no {role} piece; train it with {role}_id")
        if add:
            found.insert(0 if role == "bos" else len(found), loaded.model.pieces[id] if in_pieces else id)
    if in_pieces:
        return list(map(to_bytes, found)) if options.return_type is bytes else all_valid(found)
    return numpy_array(found) if options.return_type == "numpy" else found


def _replace_unknown(pieces: list[str], loaded: LoadedModel) -> list[str]:
    if loaded.unk < 0:
        raise ValueError("emit_unk_piece=True, but this model has no unknown piece")
    unknown = loaded.model.pieces[loaded.unk]
    return [unknown if loaded.model.id_of(piece) == loaded.unk else piece for piece in pieces]
