"""`GPT2Converter`: byte-level BPE, and the start token if the slow tokenizer adds it.

Source: transformers 4.26.1, convert_slow_tokenizer.py (`GPT2Converter`).
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import ClassVar

from tokenlab.libraries.tokenizers import decoders, pre_tokenizers, processors
from tokenlab.libraries.tokenizers.models import BPE
from tokenlab.libraries.tokenizers.processors import PostProcessor
from tokenlab.libraries.transformers.tokenization.backend.backend_tokenizer import BackendTokenizer
from tokenlab.libraries.transformers.tokenization.converters.converter import ComponentBuilt, Converter, SlowCode
from tokenlab.steps.recording import overridable

TOKENIZER = "models.gpt2.tokenization_gpt2.GPT2Tokenizer"
SLOW = "models.gpt2.byte_level_bpe.ByteLevelBPE"
BYTE_LEVEL_CODE = {
    "model": (SlowCode(f"{SLOW}._tokenize", "self.bpe("),),
    "pre_tokenizer": (
        SlowCode(f"{SLOW}._tokenize", "self.pat"),
        SlowCode(f"{SLOW}._tokenize", "SYMBOLS_OF_WORD[word]"),
    ),
    "decoder": (SlowCode(f"{SLOW}.convert_tokens_to_string", "byte_decoder"),),
}


class ByteLevelConverter(Converter):
    """Builds the pipeline of a slow tokenizer with byte-level BPE; a subclass knows the post-processor."""

    @overridable
    def converted(self) -> Generator[ComponentBuilt, None, BackendTokenizer]:
        """Return the pipeline."""
        slow = self.original_tokenizer
        return (
            yield from self.assemble(
                self._model(),
                pre_tokenizer=pre_tokenizers.ByteLevel(add_prefix_space=slow.add_prefix_space),
                decoder=decoders.ByteLevel(),
                post_processor=self._post_processor(),
            )
        )

    def _model(self) -> BPE:
        """Return the BPE model with the vocabulary and the merges of the slow tokenizer."""
        return BPE(
            dict(self.original_tokenizer.encoder),
            list(self.original_tokenizer.bpe_ranks),
            dropout=None,
            continuing_subword_prefix="",
            end_of_word_suffix="",
            fuse_unk=False,
        )

    def _post_processor(self) -> PostProcessor:
        raise NotImplementedError(f"{type(self).__name__} should have a _post_processor")


class GPT2Converter(ByteLevelConverter):
    """Builds the pipeline of a GPT2Tokenizer."""

    replaced: ClassVar[Mapping[str, tuple[SlowCode, ...]]] = {
        **BYTE_LEVEL_CODE,
        "TemplateProcessing": (SlowCode(f"{TOKENIZER}.build_inputs_with_special_tokens", "start + token_ids_0"),),
    }

    def _post_processor(self) -> PostProcessor:
        slow = self.original_tokenizer
        if not slow.add_bos_token:
            return processors.ByteLevel(trim_offsets=False)  # changes nothing
        bos = slow.bos_token
        return processors.TemplateProcessing(
            single=f"{bos}:0 $A:0", pair=f"{bos}:0 $A:0 $B:1", special_tokens=[(bos, slow.bos_token_id)]
        )
