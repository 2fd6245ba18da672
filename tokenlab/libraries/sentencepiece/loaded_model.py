"""`LoadedModel`: a model file with its normalizer and segmenter; and the processor's access to it.

Adds: the segmenter of each model type, and whether words can be looked up.
Leaves out: reading the file, which is in `model_proto`.

Source: google/sentencepiece, src/sentencepiece_processor.cc, Load; src/model_factory.cc.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from tokenlab.libraries.sentencepiece.model_proto import BPE, CHAR, CONTROL, UNIGRAM, UNKNOWN, WORD, Model
from tokenlab.libraries.sentencepiece.normalization.text_normalizer import Normalizer
from tokenlab.libraries.sentencepiece.segmentation.bpe_model import BpeModel
from tokenlab.libraries.sentencepiece.segmentation.unigram_model import UnigramModel
from tokenlab.libraries.sentencepiece.segmentation.word_and_char_models import CharModel, WordModel
from tokenlab.libraries.sentencepiece.word_encoder import WordEncoder

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
