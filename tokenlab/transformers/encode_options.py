"""What a call of a tokenizer may ask for, and what its `padding`, `truncation` and `max_length` mean together.

Source: transformers 4.26.1, tokenization_utils_base.py (`_get_padding_truncation_strategies`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from tokenlab.transformers.padding import padding_named, truncation_named

UNLIMITED = int(1e20)  # a model_max_length above this means that the model has none
IMPLIED = "max_length is given without truncation=; long texts are truncated as by truncation='longest_first'"
NO_LIMIT = "%s asks for the model's longest length, but this tokenizer has none; it does nothing"


@dataclass(frozen=True)
class EncodeOptions:
    """The library's arguments in the library's order.

    Args:
        add_special_tokens: put the model's special tokens around the ids.
        padding: True or "longest", "max_length", False or "do_not_pad".
        truncation: True or "longest_first", "only_first", "only_second", False or "do_not_truncate".
        max_length: for padding and truncation; None for the tokenizer's `model_max_length`.
        stride: how many ids that stay are told beside the overflowing ones.
        is_split_into_words: a list of strings is one text in words, not several texts.
        pad_to_multiple_of: pad on to the next multiple.
        return_tensors: "pt", "np" or None for lists.
        return_token_type_ids: None for what the model takes.
        return_attention_mask: None for what the model takes.
        return_overflowing_tokens: tell what was truncated.
        return_special_tokens_mask: tell where the special tokens are.
        return_offsets_mapping: is refused; fast tokenizers have it.
        return_length: tell the lengths.
        verbose: log what may surprise.
    """

    add_special_tokens: bool = True
    padding: Any = False
    truncation: Any = None
    max_length: int | None = None
    stride: int = 0
    is_split_into_words: bool = False
    pad_to_multiple_of: int | None = None
    return_tensors: str | None = None
    return_token_type_ids: bool | None = None
    return_attention_mask: bool | None = None
    return_overflowing_tokens: bool = False
    return_special_tokens_mask: bool = False
    return_offsets_mapping: bool = False
    return_length: bool = False
    verbose: bool = True

    def settled(self, model_max_length: int, say: Any) -> EncodeOptions:
        """The same with strategies by name, and with the length that they need.

        Args:
            model_max_length: the length to take where none is given.
            say: logs a sentence once, where verbose.

        Raises:
            ValueError: a strategy that is not known; a length that is no multiple of `pad_to_multiple_of`.
        """
        truncation, length = self.truncation, self.max_length
        if length is not None and self.padding is False and truncation is None:
            say(IMPLIED, self.verbose)
            truncation = "longest_first"
        padding, truncation = padding_named(self.padding), truncation_named(truncation)
        if self.max_length is None:
            if padding == "max_length":
                padding, length = self._limited("padding", padding, "do_not_pad", model_max_length, say, length)
            if truncation != "do_not_truncate":
                truncation, length = self._limited(
                    "truncation", truncation, "do_not_truncate", model_max_length, say, length
                )
        settled = replace(self, padding=padding, truncation=truncation, max_length=length)
        settled._check_multiple()
        return settled

    def _limited(
        self, argument: str, strategy: str, none: str, limit: int, say: Any, length: int | None
    ) -> tuple[str, int | None]:
        """The strategy with the model's length, or none where the model has no length."""
        if limit > UNLIMITED:
            say(NO_LIMIT % argument, self.verbose)
            return none, length
        return strategy, limit

    def _check_multiple(self) -> None:
        both = self.truncation != "do_not_truncate" and self.padding != "do_not_pad"
        multiple, length = self.pad_to_multiple_of, self.max_length
        if both and multiple is not None and length is not None and length % multiple:
            raise ValueError(
                f"max_length={length} is no multiple of pad_to_multiple_of={multiple}, and both truncation and padding "
                f"are asked for; take {-(-length // multiple) * multiple}"
            )
