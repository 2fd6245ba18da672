"""`BertConverter`: WordPiece after the normalizer and the pre-tokenizer of BERT.

Source: transformers 4.26.1, convert_slow_tokenizer.py (`BertConverter`).
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import ClassVar

from tokenlab.libraries.tokenizers import decoders, normalizers, pre_tokenizers, processors
from tokenlab.libraries.tokenizers.models import WordPiece
from tokenlab.libraries.transformers.tokenization.backend.backend_tokenizer import BackendTokenizer
from tokenlab.libraries.transformers.tokenization.converters.converter import ComponentBuilt, Converter, SlowCode
from tokenlab.steps.recording import overridable

MODULE = "models.bert.tokenization_bert."
BASIC = "models.bert.basic_tokenizer.BasicTokenizer"
LAYOUT = "tokenization.sequence_layouts.ClsSepLayout"


class BertConverter(Converter):
    """Builds the pipeline of a BertTokenizer."""

    replaced: ClassVar[Mapping[str, tuple[SlowCode, ...]]] = {
        "model": (SlowCode(f"{MODULE}BertTokenizer._tokenize", "self.wordpiece_tokenizer.tokenize"),),
        "BertNormalizer": (
            SlowCode(f"{BASIC}.tokenize", "self._clean_text"),
            SlowCode(f"{BASIC}._split_word", "lower"),
        ),
        "pre_tokenizer": (SlowCode(f"{BASIC}.tokenize", "in whitespace_tokenize(text)"),),
        "post_processor": (SlowCode(f"{LAYOUT}.build_inputs_with_special_tokens", "start + token_ids_0 + end"),),
        "decoder": (SlowCode(f"{MODULE}BertTokenizer.convert_tokens_to_string", '" ##"'),),
    }

    @overridable
    def converted(self) -> Generator[ComponentBuilt, None, BackendTokenizer]:
        """Return the pipeline."""
        slow = self.original_tokenizer
        basic = getattr(slow, "basic_tokenizer", None)  # not set with do_basic_tokenize=False
        cls, sep = str(slow.cls_token), str(slow.sep_token)
        return (
            yield from self.assemble(
                WordPiece(dict(slow.vocab), unk_token=str(slow.unk_token)),
                normalizer=normalizers.BertNormalizer(
                    clean_text=True,
                    handle_chinese_chars=basic is not None and basic.tokenize_chinese_chars,
                    strip_accents=basic is not None and basic.strip_accents,
                    lowercase=basic is not None and basic.do_lower_case,
                ),
                pre_tokenizer=pre_tokenizers.BertPreTokenizer(),
                post_processor=processors.TemplateProcessing(
                    single=f"{cls}:0 $A:0 {sep}:0",
                    pair=f"{cls}:0 $A:0 {sep}:0 $B:1 {sep}:1",
                    special_tokens=[(cls, slow.cls_token_id), (sep, slow.sep_token_id)],
                ),
                decoder=decoders.WordPiece(prefix="##"),
            )
        )
