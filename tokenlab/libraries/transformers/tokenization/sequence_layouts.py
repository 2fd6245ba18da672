"""The special tokens around one text or two, as in BERT, ALBERT, RoBERTa and XLM-RoBERTa.

Adds: `[CLS] A [SEP]` and `[CLS] A [SEP] B [SEP]`, with the token types and the mask of special tokens; the same for
    fast tokenizers, with the mask of special tokens that all fast tokenizers have.
Leaves out: T5 and GPT-2, which have no separator.

Source: transformers 4.26.1, models/*/tokenization_*.py.
"""

from __future__ import annotations

from typing import ClassVar

from tokenlab.libraries.transformers.tokenization.padding_and_truncation import Ids
from tokenlab.libraries.transformers.tokenization_utils_base import PreTrainedTokenizerBase
from tokenlab.libraries.transformers.tokenization_utils_fast import PreTrainedTokenizerFast


class ClsSepLayout(PreTrainedTokenizerBase):
    """BERT's layout. A subclass may set other numbers of separators, and another token type."""

    _separators_between: ClassVar[int] = 1
    _second_token_type: ClassVar[int] = 1

    def build_inputs_with_special_tokens(self, token_ids_0: Ids, token_ids_1: Ids | None = None) -> Ids:
        """Return the ids of one text or two, with the special tokens around them."""
        start, end = [self.cls_token_id], [self.sep_token_id]
        if token_ids_1 is None:
            return start + token_ids_0 + end
        return start + token_ids_0 + end * self._separators_between + token_ids_1 + end

    def get_special_tokens_mask(
        self, token_ids_0: Ids, token_ids_1: Ids | None = None, already_has_special_tokens: bool = False
    ) -> Ids:
        """Return 1 for special tokens and 0 for tokens of the text."""
        if already_has_special_tokens:
            return super().get_special_tokens_mask(token_ids_0, token_ids_1, already_has_special_tokens=True)
        first = [1] + [0] * len(token_ids_0)
        if token_ids_1 is None:
            return [*first, 1]
        return first + [1] * self._separators_between + [0] * len(token_ids_1) + [1]

    def create_token_type_ids_from_sequences(self, token_ids_0: Ids, token_ids_1: Ids | None = None) -> Ids:
        """Return 0 for the first text, and the token type of this model's second text for the second."""
        if token_ids_1 is None:
            return [0] * (len(token_ids_0) + 2)
        first = [0] * (1 + len(token_ids_0) + self._separators_between)
        return first + [self._second_token_type] * (len(token_ids_1) + 1)


class DoubleSepLayout(ClsSepLayout):
    """RoBERTa's layout, `<s> A </s></s> B </s>`; all token types are 0."""

    _separators_between = 2
    _second_token_type = 0


class FastClsSepLayout(ClsSepLayout, PreTrainedTokenizerFast):
    """BERT's layout for ids without special tokens; texts get theirs from the post-processor."""

    def get_special_tokens_mask(
        self, token_ids_0: Ids, token_ids_1: Ids | None = None, already_has_special_tokens: bool = False
    ) -> Ids:
        """Return 1 for special tokens and 0 for tokens of the text; see `PreTrainedTokenizerBase`."""
        return PreTrainedTokenizerFast.get_special_tokens_mask(
            self, token_ids_0, token_ids_1, already_has_special_tokens
        )


class FastDoubleSepLayout(FastClsSepLayout, DoubleSepLayout):
    """RoBERTa's layout for ids without special tokens."""
