"""`T5Converter`: a SentencePiece model with sentinels at the end of the vocabulary, and `</s>` after each text.

Source: transformers 4.26.1, convert_slow_tokenizer.py (`T5Converter`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from tokenlab.libraries.sentencepiece.model_proto import Proto
from tokenlab.libraries.tokenizers import processors
from tokenlab.libraries.tokenizers.processors import PostProcessor
from tokenlab.libraries.transformers.tokenization.converters.converter import SlowCode
from tokenlab.libraries.transformers.tokenization.converters.spm_converter import ENCODING, Pieces, SpmConverter

SLOW = "models.t5.tokenization_t5.T5Tokenizer"


class T5Converter(SpmConverter):
    """Builds the pipeline of a T5Tokenizer."""

    replaced: ClassVar[Mapping[str, tuple[SlowCode, ...]]] = {
        **SpmConverter.replaced,
        "model": (ENCODING, SlowCode(f"{SLOW}._convert_token_to_id", "int(match[1])")),
        "post_processor": (SlowCode(f"{SLOW}._add_eos_if_not_present", "self.eos_token_id]"),),
    }

    def vocab(self, proto: Proto) -> Pieces:
        """Return the pieces, then the sentinels; `<extra_id_0>` is the last one."""
        sentinels = [(f"<extra_id_{number}>", 0.0) for number in range(self.original_tokenizer._extra_ids)]
        return super().vocab(proto) + sentinels[::-1]

    def post_processor(self) -> PostProcessor:
        """Return the template with `</s>` after each text."""
        one, second, id = "$A </s>", "$B </s>", self.original_tokenizer.convert_tokens_to_ids("</s>")
        return processors.TemplateProcessing(one, f"{one} {second}", special_tokens=[("</s>", id)])
