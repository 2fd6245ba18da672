"""Meta pieces, which are not learned: unknown, bos, eos and padding, control and user-defined symbols, bytes.

Source: google/sentencepiece, src/trainer_interface.cc, InitMetaPieces.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

from tokenlab.libraries.sentencepiece.model_proto import (
    BYTE,
    BYTE_PIECES,
    CONTROL,
    SPACE_SYMBOL,
    TYPES,
    UNKNOWN,
    USER_DEFINED,
)

Meta: TypeAlias = dict[int, tuple[str, int]]  # from an id to a piece and its type
ROLES = ("unk", "bos", "eos", "pad")


def meta_pieces(spec: Any, escapes: bool = True) -> Meta:
    """Return the meta pieces: those with a role at the ids in the spec, the others at the lowest free ids.

    Args:
        spec: a TrainerSpec.
        escapes: whether `▁` represents a space.

    Raises:
        RuntimeError: a duplicate id, an id outside the vocabulary, no unknown piece, or an empty or duplicate symbol.
    """
    found: Meta = {}
    for role in ROLES:
        _add_role(found, spec, role)
    if not spec.byte_fallback and not any(kind == UNKNOWN for _, kind in found.values()):
        raise RuntimeError(f"unk_id=-1 leaves no unknown piece; give {spec.unk_piece} an id, such as 0")
    seen: set[str] = set()
    for piece, kind in _symbols(spec, escapes):
        if not piece:
            raise RuntimeError("control_symbols or user_defined_symbols has an empty value; leave it out")
        if piece in seen:
            raise RuntimeError(f"{piece} is given twice among control_symbols and user_defined_symbols; give it once")
        if piece == spec.unk_piece:
            raise RuntimeError(f"{piece} is the unknown piece; leave it out of control_ and user_defined_symbols")
        seen.add(piece)
        found[_id_for(piece, spec, found)] = piece, kind
    return found


def _add_role(found: Meta, spec: Any, role: str) -> None:
    id, piece = getattr(spec, f"{role}_id"), getattr(spec, f"{role}_piece")
    if id < 0:
        return
    unknown = piece == spec.unk_piece
    if id >= spec.vocab_size or id in found or (unknown and any(kind == UNKNOWN for _, kind in found.values())):
        why = f"is also that of {found[id][0]}" if id in found else f"is outside the {spec.vocab_size} pieces"
        raise RuntimeError(f"{role}_id={id} {why}; give each of unk_id, bos_id, eos_id and pad_id a free id, or -1")
    found[id] = piece, UNKNOWN if unknown else CONTROL


def _symbols(spec: Any, escapes: bool) -> Iterator[tuple[str, int]]:
    for symbol in spec.control_symbols:
        yield symbol, CONTROL
    for symbol in spec.user_defined_symbols:
        yield symbol, USER_DEFINED
        # In a word model, a word includes its ▁.
        if spec.model_type == TYPES["word"] and escapes and not symbol.startswith(SPACE_SYMBOL):
            yield SPACE_SYMBOL + symbol, USER_DEFINED
    if spec.byte_fallback:
        for piece in BYTE_PIECES:
            yield piece, BYTE


def _id_for(piece: str, spec: Any, found: Meta) -> int:
    """Return the id of the role that has this piece, or the lowest free id."""
    for role in ROLES[1:]:
        if piece == getattr(spec, f"{role}_piece") and getattr(spec, f"{role}_id") >= 0:
            return int(getattr(spec, f"{role}_id"))
    id = 0
    while id in found:
        id += 1
    return id
