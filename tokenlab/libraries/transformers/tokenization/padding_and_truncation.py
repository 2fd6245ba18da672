"""Padding and truncation of lists of ids to the length that a model needs.

Adds: the strategies that arguments select, the two operations on lists, and the combined meaning of `padding`,
    `truncation`, `max_length` and two deprecated arguments, with warnings about calls that probably meant another.

Source: transformers 4.26.1, tokenization_utils_base.py (`truncate_sequences`, `_pad`,
`_get_padding_truncation_strategies`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tokenlab.libraries.transformers.utils import ExplicitEnum
from tokenlab.libraries.transformers.utils import PaddingStrategy as PaddingStrategy
from tokenlab.printing.errors import warn

Ids = list[int]


class TruncationStrategy(ExplicitEnum):
    """The values that an argument `truncation` may have."""

    ONLY_FIRST = "only_first"
    ONLY_SECOND = "only_second"
    LONGEST_FIRST = "longest_first"
    DO_NOT_TRUNCATE = "do_not_truncate"


def resolve_padding(padding: Any) -> PaddingStrategy:
    """Return the strategy that an argument `padding` selects.

    >>> resolve_padding(True).value, resolve_padding(False).value, resolve_padding("max_length").value
    ('longest', 'do_not_pad', 'max_length')
    """
    if isinstance(padding, bool):
        return PaddingStrategy.LONGEST if padding else PaddingStrategy.DO_NOT_PAD
    strategy: PaddingStrategy = _named("padding", padding, PaddingStrategy)
    return strategy


def resolve_truncation(truncation: Any) -> TruncationStrategy:
    """Return the strategy that an argument `truncation` selects.

    >>> resolve_truncation(True).value, resolve_truncation(None).value
    ('longest_first', 'do_not_truncate')
    """
    if truncation is None or isinstance(truncation, bool):
        return TruncationStrategy.LONGEST_FIRST if truncation else TruncationStrategy.DO_NOT_TRUNCATE
    strategy: TruncationStrategy = _named("truncation", truncation, TruncationStrategy)
    return strategy


def _named(argument: str, value: Any, known: type[Any]) -> Any:
    try:
        return known(value)
    except ValueError:
        names = ", ".join(strategy.value for strategy in known)
        raise ValueError(f"{argument}={value!r} is unknown; use True, False or one of {names}") from None


@dataclass(frozen=True)
class TruncationResult:
    """The truncated lists, the overflowing ids (removed, and `stride` kept ones), and why nothing was truncated."""

    ids: Ids
    pair_ids: Ids | None
    overflowing: Ids
    problem: str = ""


def truncate(
    ids: Ids, pair_ids: Ids | None, count: int, strategy: str, stride: int = 0, side: str = "right"
) -> TruncationResult:
    """Remove `count` ids.

    Args:
        ids: of the first text.
        pair_ids: of the second, or None.
        count: the number of ids to remove.
        strategy: the text to truncate; "longest_first" removes one id at a time from the longer text.
        stride: the number of kept ids that are included in the overflowing ids.
        side: the side from which ids are removed.

    >>> truncate([1, 2, 3], [4, 5], 2, "longest_first")
    TruncationResult(ids=[1, 2], pair_ids=[4], overflowing=[], problem='')
    """
    if count <= 0 or strategy == TruncationStrategy.DO_NOT_TRUNCATE:
        return TruncationResult(ids, pair_ids, [])
    if strategy == TruncationStrategy.LONGEST_FIRST and pair_ids is not None:
        first, second = longest_first_lengths(len(ids), len(pair_ids), count)
        return TruncationResult(_kept(ids, first, side), _kept(pair_ids, second, side), [])
    which, whole = ("second", pair_ids) if strategy == TruncationStrategy.ONLY_SECOND else ("first", ids)
    if whole is None:
        return TruncationResult(ids, pair_ids, [])
    if len(whole) <= count:
        problem = f"{count} ids should be removed, but the {which} text has only {len(whole)}; nothing was truncated"
        return TruncationResult(ids, pair_ids, [], problem)
    window = min(len(whole), stride + count)
    kept = _kept(whole, len(whole) - count, side)
    overflowing = whole[:window] if side == "left" else whole[-window:]
    return (
        TruncationResult(ids, kept, overflowing) if which == "second" else TruncationResult(kept, pair_ids, overflowing)
    )


def longest_first_lengths(first: int, second: int, count: int) -> tuple[int, int]:
    """Return the lengths of two texts after `count` times one id was removed from the longer.

    >>> longest_first_lengths(5, 3, 3)
    (3, 2)
    """
    for _ in range(count):
        if first > second:
            first -= 1
        else:  # subtle: if both have the same length, the second is shortened
            second = max(second - 1, 0)
    return first, second


def _kept(ids: Ids, length: int, side: str) -> Ids:
    """Return `length` ids, those at the side from which nothing is removed."""
    if side not in ("left", "right"):
        raise ValueError(f"truncation_side={side!r} should be 'right' or 'left'")
    return ids[len(ids) - length :] if side == "left" else ids[:length]


def round_up_to_multiple(length: int | None, multiple: int | None) -> int | None:
    """Round a length up to a multiple of a number; errors as `check_multiple`.

    >>> round_up_to_multiple(9, 8), round_up_to_multiple(8, 8), round_up_to_multiple(9, None)
    (16, 8, 9)
    """
    check_multiple(multiple)
    return length if length is None or multiple is None else -(-length // multiple) * multiple


def check_multiple(pad_to_multiple_of: Any) -> None:
    """Raise a ZeroDivisionError for 0, of which no length is a multiple, and a TypeError for a value that is no number.

    >>> check_multiple(0)
    Traceback (most recent call last):
    ...
    ZeroDivisionError: pad_to_multiple_of=0 should be at least 1, or None for any length
    """
    if isinstance(pad_to_multiple_of, (str, list, tuple, dict)):
        raise TypeError(f"pad_to_multiple_of={pad_to_multiple_of!r:.60} should be a whole number, such as 8, or None")
    if pad_to_multiple_of == 0:
        raise ZeroDivisionError(f"pad_to_multiple_of={pad_to_multiple_of} should be at least 1, or None for any length")


def pad(rows: Sequence[Any], missing: Sequence[int], value: Any, side: str = "right") -> list[Any]:
    """Add a value to each list as often as it is missing there; a ValueError for an unknown side.

    >>> pad([[6, 1], [5]], [1, 2], 0, side="left")
    [[0, 6, 1], [0, 0, 5]]
    """
    if side not in ("left", "right"):
        raise ValueError(f"padding_side={side!r} should be 'right' or 'left'")
    if side == "left":
        return [[value] * count + row if count else row for row, count in zip(rows, missing, strict=True)]
    return [row + [value] * count if count else row for row, count in zip(rows, missing, strict=True)]


VERY_LARGE_INTEGER = int(1e30)  # model_max_length without a limit
LARGE_INTEGER = int(1e20)  # a model_max_length above this means that the model has none

IMPLIED = "max_length is given without truncation=; long texts are truncated as by truncation='longest_first'"
NO_LIMIT = "%s needs the model's maximum length, but this tokenizer has none; it has no effect"
NO_TRUNCATION = (False, None, "do_not_truncate")


def padding_truncation_strategies(
    self: Any,
    padding: Any = False,
    truncation: Any = None,
    max_length: int | None = None,
    pad_to_multiple_of: int | None = None,
    verbose: bool = True,
    **kwargs: Any,
) -> tuple[PaddingStrategy, TruncationStrategy, int | None, dict[str, Any]]:
    """Return the strategies that the arguments select, the length that they need, and the unused arguments.

    It is a method of every tokenizer. If no length is given, the `model_max_length` of the tokenizer is the length.
    Messages are logged once per tokenizer.

    Args:
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
            self._log_once("Truncation-not-explicitly-activated", IMPLIED)
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
        pads, truncates, max_length = _model_length(self, pads, truncates, verbose)
    if pads != PaddingStrategy.DO_NOT_PAD:
        _check_pad_token(self, pads)
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
    """Raise a TypeError for a value of JSON that is no number; its message ends with `fix`.

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
