"""`RobertaConverter`: byte-level BPE, `<s>` and `</s>` around each text, and offsets without spaces.

Source: transformers 4.26.1, convert_slow_tokenizer.py (`RobertaConverter`).
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import ClassVar

from tokenlab.steps import overridable
from tokenlab.tokenizers import decoders, pre_tokenizers, processors
from tokenlab.transformers.tokenization.backend.backend_tokenizer import BackendTokenizer
from tokenlab.transformers.tokenization.converters.converter import ComponentBuilt, Converter, SlowCode
from tokenlab.transformers.tokenization.converters.gpt2_converter import BYTE_LEVEL_CODE, byte_level_model

LAYOUT = "tokenization.sequence_layouts.ClsSepLayout"


class RobertaConverter(Converter):
    """Builds the pipeline of a RobertaTokenizer."""

    replaced: ClassVar[Mapping[str, tuple[SlowCode, ...]]] = {
        **BYTE_LEVEL_CODE,
        "post_processor": (SlowCode(f"{LAYOUT}.build_inputs_with_special_tokens", "self._separators_between"),),
    }

    @overridable
    def converted(self) -> Generator[ComponentBuilt, None, BackendTokenizer]:
        """Return the pipeline."""
        slow = self.original_tokenizer
        return (
            yield from self.assemble(
                byte_level_model(slow),
                pre_tokenizer=pre_tokenizers.ByteLevel(add_prefix_space=slow.add_prefix_space),
                decoder=decoders.ByteLevel(),
                post_processor=processors.RobertaProcessing(
                    sep=(slow.sep_token, slow.sep_token_id),
                    cls_token=(slow.cls_token, slow.cls_token_id),
                    add_prefix_space=slow.add_prefix_space,
                    trim_offsets=True,
                ),
            )
        )
