"""From pieces of the normalized text to the result of `encode`, and back to a text.

Adds: unknown pieces become their bytes or are fused; offsets of each piece in the original text, and its surface (the
original characters); decoding, in which `▁` becomes a space and bytes become characters.

Source: google/sentencepiece, src/sentencepiece_processor.cc, PopulateSentencePieceText and Decode.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from tokenlab.libraries.sentencepiece.model_proto import (
    BYTE,
    BYTE_PIECES,
    CONTROL,
    SPACE_SYMBOL,
    Model,
    field_text,
    to_bytes,
)
from tokenlab.libraries.sentencepiece.normalization.text_normalizer import NOT_TEXT, Normalized
from tokenlab.libraries.sentencepiece.segmentation.word_and_char_models import Segmentation

UNKNOWN_SURFACE = " ⁇ "  # the decoded text of an unknown id, unless the model has another


class PieceWithSurface(NamedTuple):
    """A piece with its id, its surface in the original text, and its offsets there, in characters."""

    piece: str
    id: int
    surface: str | None  # None for a byte that is not the last of its character
    begin: int
    end: int


def apply_byte_fallback(segmentation: Segmentation, model: Model) -> Segmentation:
    """Replace unknown pieces by their bytes, or fuse each run of them into one piece.

    >>> from tokenlab.libraries.sentencepiece.model_proto import UNKNOWN, protobuf_messages
    >>> proto = protobuf_messages().ModelProto()
    >>> _ = proto.pieces.add(piece="<unk>", type=UNKNOWN), proto.pieces.add(piece="a", score=-1.0)
    >>> apply_byte_fallback(Segmentation(["a", "日", "本", "a"], [1, 0, 0, 1]), Model(proto))
    Segmentation(pieces=['a', '日本', 'a'], ids=[1, 0, 1])
    """
    if model.unknown not in segmentation.ids:
        return segmentation
    if not model.byte_fallback:
        return fuse_unknown(segmentation, model.unknown)
    pieces: list[str] = []
    ids: list[int] = []
    for piece, id in zip(*segmentation, strict=True):
        if id == model.unknown:
            bytes_of = byte_pieces(piece)
            pieces += bytes_of
            ids += map(model.id_of, bytes_of)
        else:
            pieces.append(piece)
            ids.append(id)
    return Segmentation(pieces, ids)


def fuse_unknown(segmentation: Segmentation, unknown: int) -> Segmentation:
    """Fuse each run of unknown pieces into one piece.

    >>> fuse_unknown(Segmentation(["a", "b", "c", "d"], [7, 0, 0, 8]), unknown=0)
    Segmentation(pieces=['a', 'bc', 'd'], ids=[7, 0, 8])
    """
    pieces: list[str] = []
    ids: list[int] = []
    run: list[str] = []

    def end_run() -> None:
        # subtle: one join per run; concatenating piece by piece would take quadratic time.
        if run:
            pieces.append("".join(run))
            ids.append(unknown)
            run.clear()

    for piece, id in zip(*segmentation, strict=True):
        if id == unknown:
            run.append(piece)
        else:
            end_run()
            pieces.append(piece)
            ids.append(id)
    end_run()
    return Segmentation(pieces, ids)


def byte_pieces(piece: str) -> list[str]:
    """Return the byte pieces of a piece.

    >>> byte_pieces("é")
    ['<0xC3>', '<0xA9>']
    """
    return [f"<0x{byte:02X}>" for byte in to_bytes(piece)]


def align_surfaces(
    text: str, normalized: Normalized, segmentation: Segmentation, model: Model
) -> list[PieceWithSurface]:
    """Return the pieces with their surfaces in the original text.

    `begin` is the origin of the piece's first character, and `end` the origin of the character after the piece. So a
    character that became several pieces belongs to the last of them.
    """
    if not model.byte_fallback:
        segmentation = fuse_unknown(segmentation, model.unknown)
    found: list[PieceWithSurface] = []
    for (piece, id), start in zip(
        zip(*segmentation, strict=True), accumulate(map(len, segmentation.pieces), initial=0), strict=False
    ):
        begin, end = normalized.origins[start], normalized.origins[start + len(piece)]
        surface = text[begin:end]
        if id == model.unknown and model.byte_fallback:
            *before, last = byte_pieces(piece)
            found += [PieceWithSurface(name, model.id_of(name), None, begin, begin) for name in before]
            found.append(PieceWithSurface(last, model.id_of(last), surface, begin, end))
        else:
            found.append(PieceWithSurface(piece, id, surface, begin, end))
    return found


# --- decoding -------------------------------------------------------------------------------------


def decode_pieces(pieces: Sequence[str], ids: Sequence[int], model: Model) -> list[PieceWithSurface]:
    """Return the pieces with their decoded surfaces, and the offsets of these in the decoded text."""
    surfaces = list(_surfaces(pieces, ids, model))
    ends = list(accumulate(map(len, surfaces), initial=0))
    return [PieceWithSurface(*piece) for piece in zip(pieces, ids, surfaces, ends, ends[1:], strict=False)]


def _surfaces(pieces: Sequence[str], ids: Sequence[int], model: Model) -> Iterator[str]:
    spec = model.proto.normalizer_spec
    strips, at_start = spec.add_dummy_prefix or spec.remove_extra_whitespaces, True
    run: list[int] = []
    for piece, id in zip(pieces, ids, strict=True):
        if id >= 0 and model.kinds[id] == BYTE:
            run.append(BYTE_PIECES[piece])
            continue
        if run:
            yield from _characters(bytes(run))
            run, at_start = [], False
        stripped = strips and at_start and piece.startswith(SPACE_SYMBOL)
        surface = _surface(piece[1:] if stripped and not model.is_unknown(id) else piece, piece, id, model)
        yield surface
        # subtle: all ▁ at the start are removed if spaces are trimmed, and otherwise only the first.
        if surface or (stripped and not spec.remove_extra_whitespaces and not _is_control(id, model)):
            at_start = False
    yield from _characters(bytes(run))


def _surface(rest: str, piece: str, id: int, model: Model) -> str:
    if _is_control(id, model):
        return ""
    if model.is_unknown(id):
        named = id >= 0 and model.pieces[id] == piece
        spec = model.proto.trainer_spec
        return (field_text(spec.unk_surface) if spec.HasField("unk_surface") else UNKNOWN_SURFACE) if named else piece
    return rest.replace(SPACE_SYMBOL, " ")


def _is_control(id: int, model: Model) -> bool:
    return id >= 0 and model.kinds[id] == CONTROL


def _characters(run: bytes) -> Iterator[str]:
    """Yield the text that each byte adds: a character at its last byte, "" at the others, U+FFFD if not UTF-8."""
    for character in run.decode("utf-8", "surrogateescape"):
        if "\udc80" <= character <= "\udcff":
            yield NOT_TEXT
        else:
            yield from [""] * (len(character.encode()) - 1)
            yield character
