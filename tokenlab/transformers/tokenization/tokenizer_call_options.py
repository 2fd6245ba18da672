"""The options of a tokenizer call, and the combined meaning of `padding`, `truncation` and `max_length`.

Source: transformers 4.26.1, tokenization_utils_base.py (`_get_padding_truncation_strategies`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from tokenlab.transformers.tokenization.padding_and_truncation import resolve_padding, resolve_truncation

STRATEGIES = {"padding": "padding_strategy", "truncation": "truncation_strategy"}  # argument names in some methods
OF_TEXTS = ("is_split_into_words", "return_offsets_mapping")  # arguments that do not apply to ids

NO_MAX_LENGTH = int(1e20)  # a model_max_length above this means that the model has none
IMPLIED = "max_length is given without truncation=; long texts are truncated as by truncation='longest_first'"
NO_LIMIT = "%s needs the model's maximum length, but this tokenizer has none; it has no effect"


@dataclass(frozen=True)
class TokenizerCallOptions:
    """The library's arguments in the library's order.

    Args:
        add_special_tokens: add the model's special tokens to the ids.
        padding: True or "longest", "max_length", False or "do_not_pad".
        truncation: True or "longest_first", "only_first", "only_second", False or "do_not_truncate".
        max_length: for padding and truncation; None for the tokenizer's `model_max_length`.
        stride: the number of kept ids that are included in the overflowing ids.
        is_split_into_words: a list of strings is one text, split into words, not several texts.
        pad_to_multiple_of: pad to a multiple of this number.
        return_tensors: "pt", "np" or None for lists.
        return_token_type_ids: None for the model's default.
        return_attention_mask: None for the model's default.
        return_overflowing_tokens: return the truncated ids.
        return_special_tokens_mask: return a mask of the special tokens.
        return_offsets_mapping: rejected; only fast tokenizers support it.
        return_length: return the lengths.
        verbose: log warnings.
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

    @classmethod
    def from_strategies(cls, *options: Any, **named: Any) -> TokenizerCallOptions:
        """Return the options that methods such as `_encode_plus` were given: with `padding_strategy`, for example.

        >>> TokenizerCallOptions.from_strategies(padding_strategy="longest").padding
        'longest'
        """
        names = {strategy: name for name, strategy in STRATEGIES.items()}
        return cls(*options, **{names.get(name, name): value for name, value in named.items()})

    @classmethod
    def of_ids(cls, *options: Any, **named: Any) -> TokenizerCallOptions:
        """Return the options that methods for ids were given: in their order there is no `is_split_into_words`."""
        return cls.from_strategies(*options[:5], *([False] if options[5:] else []), *options[5:], **named)

    def with_strategies(self) -> dict[str, Any]:
        """Return the arguments of `_encode_plus` and `_batch_encode_plus`."""
        return {STRATEGIES.get(name, name): value for name, value in vars(self).items()}

    def for_model(self) -> dict[str, Any]:
        """Return the arguments of `prepare_for_model`."""
        asked = {name: value for name, value in vars(self).items() if name not in OF_TEXTS}
        return asked | {"padding": resolve_padding(self.padding), "truncation": resolve_truncation(self.truncation)}

    def resolve(self, model_max_length: int, log_once: Any) -> TokenizerCallOptions:
        """Return the options with strategies by name, and with the length that they need.

        Args:
            model_max_length: the length if none is given.
            log_once: logs a message once, if verbose.

        Raises:
            ValueError: a strategy is unknown, or the length is no multiple of `pad_to_multiple_of`.
        """
        truncation, length = self.truncation, self.max_length
        if length is not None and self.padding is False and truncation is None:
            log_once(IMPLIED, self.verbose)
            truncation = "longest_first"
        strategies: dict[str, Any] = {
            "padding": resolve_padding(self.padding),
            "truncation": resolve_truncation(truncation),
        }
        for argument, none in (("padding", "do_not_pad"), ("truncation", "do_not_truncate")):
            if self.max_length is None and strategies[argument] not in (none, "longest"):
                if model_max_length > NO_MAX_LENGTH:
                    log_once(NO_LIMIT % argument, self.verbose)
                    strategies[argument] = none
                else:
                    length = model_max_length
        multiple = self.pad_to_multiple_of
        both = not any(strategy.startswith("do_not") for strategy in strategies.values())
        if both and multiple is not None and length is not None and length % multiple:
            raise ValueError(
                f"max_length={length} is no multiple of pad_to_multiple_of={multiple}, and both truncation and padding "
                f"are requested; use {-(-length // multiple) * multiple}"
            )
        return replace(self, **strategies, max_length=length)
