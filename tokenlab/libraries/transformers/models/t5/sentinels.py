"""The sentinels of T5 as special tokens of its slow and fast tokenizer.

Adds: their texts, `<extra_id_0>` and so on, and the comparison of their number with `extra_ids`.
Leaves out: their ids, which each tokenizer knows.

Source: transformers 4.26.1, models/t5/tokenization_t5.py, tokenization_t5_fast.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from tokenlab.libraries.transformers.tokenization.special_tokens_mixin import SpecialTokensMixin


class SentinelMethods(SpecialTokensMixin):
    """The method of both tokenizers."""

    def get_sentinel_tokens(self) -> list[str]:
        """Return the additional special tokens, each once, in order; the library's order is undefined."""
        return list(dict.fromkeys(self.additional_special_tokens))


def default_special_tokens(extra_ids: int, additional_special_tokens: Sequence[Any] | None) -> Sequence[Any] | None:
    """Return the additional special tokens; if none are given, the sentinels.

    >>> default_special_tokens(2, None), default_special_tokens(2, ["<a>"])
    (['<extra_id_0>', '<extra_id_1>'], ['<a>'])
    """
    if extra_ids <= 0 or additional_special_tokens is not None:
        return additional_special_tokens
    return [f"<extra_id_{number}>" for number in range(extra_ids)]


def check_sentinels(extra_ids: int, additional_special_tokens: Iterable[Any], prefix: str) -> None:
    """Raise a ValueError if there are more or fewer sentinels than `extra_ids`.

    Args:
        extra_ids: the number of sentinels; with 0, any number is accepted.
        additional_special_tokens: the tokens; each different one counts once.
        prefix: the text in every sentinel: in the library, "extra_id" in slow and "extra_id_" in fast tokenizers.

    >>> check_sentinels(2, ["<extra_id_0>"], "extra_id")
    Traceback (most recent call last):
    ...
    ValueError: extra_ids=2, but additional_special_tokens has 1 sentinels; make the numbers equal, or omit ...
    """
    found = len({token for token in additional_special_tokens if prefix in str(token)})
    if extra_ids > 0 and found != extra_ids:
        raise ValueError(
            f"extra_ids={extra_ids}, but additional_special_tokens has {found} sentinels; "
            "make the numbers equal, or omit additional_special_tokens"
        )
