"""`RobertaConverter`: byte-level BPE, `<s>` and `</s>` around each text, and offsets without spaces.

Source: transformers 4.26.1, convert_slow_tokenizer.py (`RobertaConverter`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from tokenlab.libraries.tokenizers import processors
from tokenlab.libraries.tokenizers.processors import PostProcessor
from tokenlab.libraries.transformers.tokenization.converters.converter import SlowCode
from tokenlab.libraries.transformers.tokenization.converters.gpt2_converter import BYTE_LEVEL_CODE, ByteLevelConverter

LAYOUT = "tokenization.sequence_layouts.ClsSepLayout"


class RobertaConverter(ByteLevelConverter):
    """Builds the pipeline of a RobertaTokenizer."""

    replaced: ClassVar[Mapping[str, tuple[SlowCode, ...]]] = {
        **BYTE_LEVEL_CODE,
        "post_processor": (SlowCode(f"{LAYOUT}.build_inputs_with_special_tokens", "self._separators_between"),),
    }

    def _post_processor(self) -> PostProcessor:
        slow = self.original_tokenizer
        return processors.RobertaProcessing(
            sep=(slow.sep_token, slow.sep_token_id),
            cls_token=(slow.cls_token, slow.cls_token_id),
            add_prefix_space=slow.add_prefix_space,
            trim_offsets=True,
        )
