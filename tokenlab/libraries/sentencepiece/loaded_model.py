"""`LoadedModel`: a model file with its normalizer and segmenter; and the processor's access to it.

Adds: the segmenter of each model type; and `WordEncoder`, from a text straight to ids with one look-up for each chunk
of a word, for models whose pieces never cross the start of a word.
Leaves out: reading the file, which is in `model_proto`; with `WordEncoder`, texts in which the pieces of a chunk depend
on the text before it, which the segmenter handles.

Source: google/sentencepiece, src/sentencepiece_processor.cc, Load; src/model_factory.cc.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain, groupby
from math import inf
from typing import TypeAlias

from tokenlab.algorithms.text.word_cache import WordCache
from tokenlab.libraries.sentencepiece.model_proto import BPE, CHAR, CONTROL, UNIGRAM, UNKNOWN, WORD, Model
from tokenlab.libraries.sentencepiece.normalization.text_normalizer import Normalizer
from tokenlab.libraries.sentencepiece.piece_surfaces import apply_byte_fallback
from tokenlab.libraries.sentencepiece.segmentation.bpe_model import BpeModel
from tokenlab.libraries.sentencepiece.segmentation.unigram_model import UnigramModel
from tokenlab.libraries.sentencepiece.segmentation.word_and_char_models import (
    CharModel,
    Segmentation,
    SegmentedChunk,
    WordModel,
)


class WordEncoder:
    """Encode texts as the ids of their chunks.

    Args:
        model: the model.
        normalize: returns the normalized text.
        find_chunks: returns the chunks of a normalized text.
        segment: returns the segmented form of a chunk.
    """

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


class WithLoadedModel:
    """A part of the processor that uses its model."""

    _loaded: LoadedModel | None

    def _ready(self) -> LoadedModel:
        if self._loaded is None:
            raise RuntimeError("no model is loaded; give model_file= or model_proto=, or call load() first")
        return self._loaded
