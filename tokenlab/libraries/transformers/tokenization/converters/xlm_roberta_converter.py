"""`XLMRobertaConverter`: a SentencePiece model with fairseq's special tokens around the pieces.

Source: transformers 4.26.1, convert_slow_tokenizer.py (`XLMRobertaConverter`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from tokenlab.algorithms.text.id_mapping import FAIRSEQ_FIRST, FILE_PIECES, MASK
from tokenlab.libraries.sentencepiece.model_proto import Proto
from tokenlab.libraries.tokenizers import processors
from tokenlab.libraries.tokenizers.processors import PostProcessor
from tokenlab.libraries.transformers.tokenization.converters.converter import SlowCode
from tokenlab.libraries.transformers.tokenization.converters.spm_converter import ENCODING, Pieces, SpmConverter

SLOW = "models.xlm_roberta.tokenization_xlm_roberta.XLMRobertaTokenizer"
LAYOUT = "tokenization.sequence_layouts.ClsSepLayout"


class XLMRobertaConverter(SpmConverter):
    """Builds the pipeline of an XLMRobertaTokenizer."""

    replaced: ClassVar[Mapping[str, tuple[SlowCode, ...]]] = {
        **SpmConverter.replaced,
        "model": (ENCODING, SlowCode(f"{SLOW}._convert_token_to_id", "self.fairseq_offset")),
        "post_processor": (SlowCode(f"{LAYOUT}.build_inputs_with_special_tokens", "self._separators_between"),),
    }

    def vocab(self, proto: Proto) -> Pieces:
        """Return fairseq's special tokens, all pieces but the first three, and `<mask>`."""
        shifted = super().vocab(proto)[len(FILE_PIECES) :]
        return [*((token, 0.0) for token in FAIRSEQ_FIRST), *shifted, (MASK, 0.0)]

    def unk_id(self, proto: Proto) -> int:
        """Return the id of `<unk>`."""
        return FAIRSEQ_FIRST.index("<unk>")

    def post_processor(self) -> PostProcessor:
        """Return the template with `<s>` before, `</s>` after, and two `</s>` between the texts."""
        return processors.TemplateProcessing(
            single="<s> $A </s>",
            pair="<s> $A </s> </s> $B </s>",
            special_tokens=[(token, self.original_tokenizer.convert_tokens_to_ids(token)) for token in ("<s>", "</s>")],
        )
