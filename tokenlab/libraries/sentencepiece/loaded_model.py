"""`LoadedModel`, a model file with its normalizer and segmenter; and from pieces of the normalized text to the result.

Adds: the segmenter of each model type; `WordEncoder`, from a text straight to ids with one look-up for each chunk of a
word, for models whose pieces never cross the start of a word. Unknown pieces become their bytes or are fused; each
piece has offsets in the original text, and a surface (the original characters); in decoding, `▁` becomes a space and
bytes become characters.
Leaves out: reading the file, which is in `model_interface`; with `WordEncoder`, texts in which the pieces of a chunk
depend on the text before it, which the segmenter handles.

Source: google/sentencepiece, src/sentencepiece_processor.cc, Load, PopulateSentencePieceText and Decode;
src/model_factory.cc.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, chain, groupby
from math import inf
from typing import NamedTuple, TypeAlias

from tokenlab.algorithms.text.word_cache import WordCache
from tokenlab.libraries.sentencepiece.bpe_model import BpeModel
from tokenlab.libraries.sentencepiece.model_interface import (
    BYTE_PIECES,
    SPACE_SYMBOL,
    CharModel,
    Model,
    Segmentation,
    SegmentedChunk,
    WordModel,
    field_text,
    to_bytes,
)
from tokenlab.libraries.sentencepiece.model_proto import BPE, BYTE, CHAR, CONTROL, UNIGRAM, UNKNOWN, WORD
from tokenlab.libraries.sentencepiece.normalizer import NOT_TEXT, Normalized, Normalizer
from tokenlab.libraries.sentencepiece.unigram_model import UnigramModel

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
    for is_unknown, run in groupby(zip(*segmentation, strict=True), key=lambda entry: entry[1] == unknown):
        its_pieces, its_ids = zip(*run, strict=True)
        # subtle: one join per run; concatenating piece by piece would take quadratic time.
        pieces += ["".join(its_pieces)] if is_unknown else its_pieces
        ids += [unknown] if is_unknown else its_ids
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


class WordEncoder:
    """Encode texts as the ids of their chunks: `normalize` a text, `find_chunks` in it, and `segment` each."""

    def __init__(
        self,
        model: Model,
        normalize: Callable[[str], str],
        find_chunks: Callable[[str], list[str]],
        segment: Callable[[str], SegmentedChunk],
    ) -> None:
        self.model = model
        self.normalize = normalize
        self.find_chunks = find_chunks
        self.segment = segment
        self.chunks = WordCache(self._encode_chunk)

    def encode(self, text: str) -> list[int] | None:
        """Return the ids of a text; None if the pieces of a chunk depend on the text before it."""
        ids: list[int] = []
        total, lowest_limit = 0.0, inf
        for its_ids, size, limit in map(self.chunks.__getitem__, self.find_chunks(self.normalize(text))):
            ids += its_ids
            total += size
            if limit < lowest_limit:
                lowest_limit = limit
        if total >= lowest_limit:
            return None
        return self._fuse_unknown(ids) if self.model.unknown in ids else ids

    def _encode_chunk(self, chunk: str) -> tuple[tuple[int, ...], float, float]:
        """Return the ids of a chunk, and as in `SegmentedChunk` the size of its scores and its limit."""
        pieces, ids, size, limit = self.segment(chunk)
        if self.model.unknown in ids:
            ids = tuple(apply_byte_fallback(Segmentation([*pieces], [*ids]), self.model).ids)
        return ids, size, limit

    def _fuse_unknown(self, ids: list[int]) -> list[int]:
        """Return the ids with one unknown piece for each run of them."""
        runs = ((id, [*run]) for id, run in groupby(ids))
        return [*chain.from_iterable([id] if id == self.model.unknown else run for id, run in runs)]


Segmenter: TypeAlias = BpeModel | UnigramModel | WordModel | CharModel
SEGMENTERS: dict[int, Callable[[Model], Segmenter]] = {
    UNIGRAM: UnigramModel,
    BPE: BpeModel,
    WORD: WordModel,
    CHAR: CharModel,
}


class LoadedModel:
    """A model with its normalizer and segmenter."""

    def __init__(self, model: Model) -> None:
        self.model = model
        spec = model.proto
        self.segmenter = SEGMENTERS[model.type](model)
        self.normalizer = Normalizer(
            spec.normalizer_spec, spec.trainer_spec.treat_whitespace_as_suffix, model.user_defined_pattern
        )
        self.word_encoder = self._word_encoder()
        denormalizes = spec.denormalizer_spec.precompiled_charsmap
        self.denormalizer = Normalizer(spec.denormalizer_spec) if denormalizes else None
        self.unk, self.bos, self.eos, self.pad = (
            model.special_id("unk", UNKNOWN),
            *(model.special_id(role, CONTROL) for role in ("bos", "eos", "pad")),
        )

    def _word_encoder(self) -> WordEncoder | None:
        """Return the encoder that looks up chunks of words, unless pieces may cross the start of a word."""
        segmenter = self.segmenter
        if not isinstance(segmenter, BpeModel | UnigramModel) or segmenter.chunks is None:
            return None
        return WordEncoder(self.model, self.normalizer.normalize, segmenter.find_chunks, segmenter.encode_chunk)
