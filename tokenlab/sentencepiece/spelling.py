"""From pieces of the normalized text to what `encode` gives, and back to a text.

Adds: unknown pieces, which become their bytes or run together; where each piece stands in the original text, and what
stood there; and decoding, where `▁` becomes a blank and bytes become characters again.

Source: google/sentencepiece, src/sentencepiece_processor.cc, PopulateSentencePieceText and Decode.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from tokenlab.sentencepiece.model import BYTE, BYTE_PIECES, CONTROL, SPACE, Model
from tokenlab.sentencepiece.normalizing import NOT_TEXT, Normalized
from tokenlab.sentencepiece.words import Cut

UNKNOWN_SURFACE = " ⁇ "  # what an unknown id is decoded to, where the model says nothing else


class Piece(NamedTuple):
    """A piece with its id, what stood for it in the original text, and where, in characters."""

    piece: str
    id: int
    surface: str | None  # None for a byte that is not the last of its character
    begin: int
    end: int


def spelled(cut: Cut, model: Model) -> Cut:
    """The pieces with unknown ones as their bytes, or each run of them as one.

    >>> spelled.__name__
    'spelled'
    """
    if model.unknown not in cut.ids:
        return cut
    pieces: list[str] = []
    ids: list[int] = []
    after_unknown = False
    for piece, id in zip(*cut, strict=True):
        unknown = id == model.unknown
        if unknown and model.byte_fallback:
            bytes_of = byte_pieces(piece)
            pieces += bytes_of
            ids += map(model.id_of, bytes_of)
        elif unknown and after_unknown:
            pieces[-1] += piece
        else:
            pieces.append(piece)
            ids.append(id)
        after_unknown = unknown
    return Cut(pieces, ids)


def byte_pieces(piece: str) -> list[str]:
    """The names of the bytes of a piece.

    >>> byte_pieces("é")
    ['<0xC3>', '<0xA9>']
    """
    return [f"<0x{byte:02X}>" for byte in piece.encode()]


def placed(text: str, normalized: Normalized, cut: Cut, model: Model) -> list[Piece]:
    """The pieces with what stood for each in the original text.

    What a piece begins with came from `begin`; `end` is where that came from which follows it. So a character that
    became several pieces belongs to the last of them.
    """
    found: list[Piece] = []
    after_unknown = False
    for (piece, id), start in zip(zip(*cut, strict=True), accumulate(map(len, cut.pieces), initial=0), strict=False):
        begin, end = normalized.origins[start], normalized.origins[start + len(piece)]
        surface = text[begin:end]
        unknown = id == model.unknown
        if unknown and model.byte_fallback:
            *before, last = byte_pieces(piece)
            found += [Piece(name, model.id_of(name), None, begin, begin) for name in before]
            found.append(Piece(last, model.id_of(last), surface, begin, end))
        elif unknown and after_unknown:
            run = found[-1]
            found[-1] = Piece(run.piece + piece, id, (run.surface or "") + surface, run.begin, end)
        else:
            found.append(Piece(piece, id, surface, begin, end))
        after_unknown = unknown
    return found


# --- decoding -------------------------------------------------------------------------------------


def decoded(pieces: Sequence[str], ids: Sequence[int], model: Model) -> list[Piece]:
    """The pieces with the text that each becomes, and where that stands in the whole."""
    surfaces = list(_surfaces(pieces, ids, model))
    ends = list(accumulate(map(len, surfaces), initial=0))
    return [Piece(*piece) for piece in zip(pieces, ids, surfaces, ends, ends[1:], strict=False)]


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
        stripped = strips and at_start and piece.startswith(SPACE)
        surface = _surface(piece[1:] if stripped and not model.is_unknown(id) else piece, piece, id, model)
        yield surface
        # subtle: several ▁ at the start go if blanks are trimmed, and otherwise only the first.
        if surface or (stripped and not spec.remove_extra_whitespaces and not _is_control(id, model)):
            at_start = False
    yield from _characters(bytes(run))


def _surface(rest: str, piece: str, id: int, model: Model) -> str:
    if _is_control(id, model):
        return ""
    if model.is_unknown(id):
        named = id >= 0 and model.pieces[id] == piece
        spec = model.proto.trainer_spec
        return (spec.unk_surface if spec.HasField("unk_surface") else UNKNOWN_SURFACE) if named else piece
    return rest.replace(SPACE, " ")


def _is_control(id: int, model: Model) -> bool:
    return id >= 0 and model.kinds[id] == CONTROL


def _characters(run: bytes) -> Iterator[str]:
    """For each byte what it adds to the text: a character at the last of its bytes, U+FFFD for what is not UTF-8."""
    for character in run.decode("utf-8", "surrogateescape"):
        if "\udc80" <= character <= "\udcff":
            yield NOT_TEXT
        else:
            yield from [""] * (len(character.encode()) - 1)
            yield character
