"""The pieces that no training makes: unknown, start, end and padding, control and user-defined symbols, bytes.

Source: google/sentencepiece, src/trainer_interface.cc, InitMetaPieces.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

from tokenlab.sentencepiece.model import BYTE, BYTE_PIECES, CONTROL, SPACE, TYPES, UNKNOWN, USER_DEFINED

Meta: TypeAlias = dict[int, tuple[str, int]]  # an id has a piece and its type
ROLES = ("unk", "bos", "eos", "pad")


def meta_pieces(spec: Any, escapes: bool = True) -> Meta:
    """The pieces with ids of their own: those with a role where the spec wants them, the others in the gaps.

    Args:
        spec: a TrainerSpec.
        escapes: whether `▁` stands for a blank.

    Raises:
        RuntimeError: two with one id, an id outside the vocabulary, no unknown piece, or a symbol that is given twice.
    """
    found: Meta = {}
    for role in ROLES:
        _add_role(found, spec, role)
    if not spec.byte_fallback and not any(kind == UNKNOWN for _, kind in found.values()):
        raise RuntimeError(f"unk_id=-1 leaves no piece for what is unknown; give {spec.unk_piece} an id, such as 0")
    seen: set[str] = set()
    for piece, kind in _symbols(spec, escapes):
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
        why = f"is that of {found[id][0]} too" if id in found else f"has no place in {spec.vocab_size} pieces"
        raise RuntimeError(f"{role}_id={id} {why}; give each of unk_id, bos_id, eos_id and pad_id a free id, or -1")
    found[id] = piece, UNKNOWN if unknown else CONTROL


def _symbols(spec: Any, escapes: bool) -> Iterator[tuple[str, int]]:
    for symbol in spec.control_symbols:
        yield symbol, CONTROL
    for symbol in spec.user_defined_symbols:
        yield symbol, USER_DEFINED
        # In a word model a word has its ▁ with it.
        if spec.model_type == TYPES["word"] and escapes and not symbol.startswith(SPACE):
            yield SPACE + symbol, USER_DEFINED
    if spec.byte_fallback:
        for piece in BYTE_PIECES:
            yield piece, BYTE


def _id_for(piece: str, spec: Any, found: Meta) -> int:
    """The id of the role that has this piece, or the first that is free."""
    for role in ROLES[1:]:
        if piece == getattr(spec, f"{role}_piece") and getattr(spec, f"{role}_id") >= 0:
            return int(getattr(spec, f"{role}_id"))
    id = 0
    while id in found:
        id += 1
    return id
