"""The combined meaning of `padding`, `truncation` and `max_length`, and of two deprecated arguments.

Adds: the strategy that each argument selects, the length that both need, and the warnings about calls that were
    probably meant otherwise.
Leaves out: the padding and truncation themselves; see `padding_and_truncation`.

Source: transformers 4.26.1, tokenization_utils_base.py (`_get_padding_truncation_strategies`).
"""

from __future__ import annotations

from typing import Any

from tokenlab.libraries.transformers.tokenization.padding_and_truncation import (
    PaddingStrategy,
    TruncationStrategy,
    check_multiple,
    resolve_padding,
    resolve_truncation,
)
from tokenlab.printing.errors import warn

VERY_LARGE_INTEGER = int(1e30)  # model_max_length without a limit
LARGE_INTEGER = int(1e20)  # a model_max_length above this means that the model has none

IMPLIED = "max_length is given without truncation=; long texts are truncated as by truncation='longest_first'"
NO_LIMIT = "%s needs the model's maximum length, but this tokenizer has none; it has no effect"
NO_TRUNCATION = (False, None, "do_not_truncate")


def padding_truncation_strategies(
    tokenizer: Any,
    padding: Any = False,
    truncation: Any = None,
    max_length: int | None = None,
    pad_to_multiple_of: int | None = None,
    verbose: bool = True,
    **kwargs: Any,
) -> tuple[PaddingStrategy, TruncationStrategy, int | None, dict[str, Any]]:
    """Return the strategies that the arguments select, the length that they need, and the unused arguments.

    Args:
        tokenizer: its `model_max_length` is the length if none is given; messages are logged once per tokenizer.
        padding, truncation, max_length, pad_to_multiple_of, verbose: as in `TokenizerCallOptions`.
        kwargs: among them the deprecated `pad_to_max_length` and `truncation_strategy`.

    Raises:
        ValueError: a strategy is unknown, there is no padding token, or the length is no multiple of
            `pad_to_multiple_of`.
        TypeError: a length that is needed is no number.
        ZeroDivisionError: `pad_to_multiple_of` is 0.
    """
    old_truncation = kwargs.pop("truncation_strategy", "do_not_truncate")
    old_padding = kwargs.pop("pad_to_max_length", False)
    if max_length is not None and padding is False and truncation is None:
        if verbose:
            tokenizer._log_once("Truncation-not-explicitly-activated", IMPLIED)
        truncation = "longest_first"
    if verbose:
        _warn_about_padding(padding, truncation, max_length, old_padding)
    if padding is False and old_padding:
        padding = "longest" if max_length is None else "max_length"
    if truncation is None and old_truncation != "do_not_truncate":
        if verbose:
            warn("truncation_strategy is deprecated; use truncation=True or a strategy's name", FutureWarning)
        truncation = TruncationStrategy(old_truncation)
    pads, truncates = resolve_padding(padding), resolve_truncation(truncation)
    if max_length is None:
        pads, truncates, max_length = _model_length(tokenizer, pads, truncates, verbose)
    if pads != PaddingStrategy.DO_NOT_PAD:
        _check_pad_token(tokenizer, pads)
    if _needs_length(pads, truncates):
        check_number("max_length", max_length, "give a whole number, such as 512")
    if pads != PaddingStrategy.DO_NOT_PAD and truncates != TruncationStrategy.DO_NOT_TRUNCATE:
        _check_multiple(max_length, pad_to_multiple_of)
    return pads, truncates, max_length, kwargs


def _warn_about_padding(padding: Any, truncation: Any, max_length: int | None, old_padding: Any) -> None:
    if padding is False and old_padding:
        warn("pad_to_max_length is deprecated; use padding=True or padding='max_length'", FutureWarning)
    if padding is True and max_length is not None and truncation in NO_TRUNCATION:
        warn("max_length has no effect with padding=True and no truncation; did you mean padding='max_length'?")
    if padding is True and old_padding is not False:
        warn("pad_to_max_length has no effect with padding=True; leave it out")


def _model_length(
    tokenizer: Any, pads: PaddingStrategy, truncates: TruncationStrategy, verbose: bool
) -> tuple[PaddingStrategy, TruncationStrategy, int | None]:
    """Return the model's maximum length where it is needed; without one, the strategies that need it are off."""
    to_pad, to_truncate = pads == PaddingStrategy.MAX_LENGTH, truncates != TruncationStrategy.DO_NOT_TRUNCATE
    if not _needs_length(pads, truncates):
        return pads, truncates, None
    if limit_of(tokenizer) <= LARGE_INTEGER:
        return pads, truncates, limit_of(tokenizer)
    if to_pad and verbose:
        tokenizer._log_once("Asking-to-pad-to-max_length", NO_LIMIT % f"padding={pads.value!r}")
    if to_truncate and verbose:
        tokenizer._log_once("Asking-to-truncate-to-max_length", NO_LIMIT % f"truncation={truncates.value!r}")
    return PaddingStrategy.DO_NOT_PAD if to_pad else pads, TruncationStrategy.DO_NOT_TRUNCATE, None


def _needs_length(pads: PaddingStrategy, truncates: TruncationStrategy) -> bool:
    return pads == PaddingStrategy.MAX_LENGTH or truncates != TruncationStrategy.DO_NOT_TRUNCATE


def limit_of(tokenizer: Any) -> int:
    """Return the `model_max_length` of a tokenizer.

    Raises:
        TypeError: it is no number, as in a tokenizer_config.json with "512" instead of 512.
    """
    limit: int = tokenizer.model_max_length
    if type(limit) is not int:
        fix = "correct tokenizer_config.json (512, or null for no limit), or set tokenizer.model_max_length"
        check_number("model_max_length", limit, fix)
    return limit


def check_number(name: str, value: Any, fix: str) -> None:
    """Raise a TypeError for a value of JSON that is no number.

    Args:
        name: the argument.
        value: its value.
        fix: the end of the message.

    >>> check_number("max_length", "5", "give a whole number")
    Traceback (most recent call last):
    ...
    TypeError: max_length='5' should be a number, but is a str; give a whole number
    """
    if value is None or isinstance(value, (str, list, tuple, dict)):
        raise TypeError(f"{name}={value!r:.60} should be a number, but is a {type(value).__name__}; {fix}")


def _check_pad_token(tokenizer: Any, pads: PaddingStrategy) -> None:
    if not tokenizer.pad_token or tokenizer.pad_token_id < 0:
        raise ValueError(
            f"padding={pads.value!r}, but there is no pad_token; set one, as in tokenizer.pad_token = '<pad>', or add "
            "one with tokenizer.add_special_tokens({'pad_token': '<pad>'})"
        )


def _check_multiple(max_length: int | None, multiple: int | None) -> None:
    if max_length is None or multiple is None:
        return
    check_multiple(multiple)
    if max_length % multiple:
        raise ValueError(
            f"max_length={max_length} is no multiple of pad_to_multiple_of={multiple}, and both truncation and padding "
            f"are requested; use {-(-max_length // multiple) * multiple}"
        )
