"""Truncation: overlapping windows of one sequence, and the lengths that two sequences may keep.

Adds: `overflow_windows`, the first of which is the truncated sequence; `kept_lengths` with the three strategies
`longest_first`, `only_first` and `only_second`.
Leaves out: the columns of an `Encoding`, and the special tokens, which are subtracted from `max_length` beforehand.

Source: tokenizers, src/tokenizer/encoding.rs (`truncate`) and src/utils/truncation.rs.

>>> overflow_windows(7, 4, stride=1)
[(0, 4), (3, 7)]
>>> kept_lengths(10, 4, max_length=8)
(4, 4)
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Literal, TypeAlias

from tokenlab.printing.errors import lookup
from tokenlab.printing.printable import Parts
from tokenlab.steps.recording import step, stepwise

Direction: TypeAlias = Literal["left", "right"]
Strategy: TypeAlias = Literal["longest_first", "only_first", "only_second"]
Window: TypeAlias = tuple[int, int]  # first token, and the token after the last one
STRATEGIES = {name: name for name in ("longest_first", "only_first", "only_second")}
DIRECTIONS: dict[str, Direction] = {"right": "right", "left": "left"}


@step
class NextWindow:
    """A window was taken; `repeated` of its tokens are in the previous window also."""

    start: int
    stop: int
    repeated: int

    def sentence(self) -> Parts:
        """Name the first and the last token, and how many are repeated."""
        are = "is" if self.repeated == 1 else "are"
        again = f"; {self.repeated} of them {are} also in the previous window" if self.repeated else ""
        return [f"this window has the tokens {self.start} to {self.stop - 1}{again}"]


@stepwise
def overflow_windows(
    length: int, max_length: int, stride: int = 0, direction: Direction = "right"
) -> Generator[NextWindow, None, list[Window]]:
    """Return the windows of at most `max_length` tokens that cover a sequence; the first one is kept.

    Args:
        length: number of tokens of the sequence.
        max_length: number of tokens of a window, at least 1; only the last window may be shorter.
        stride: number of tokens that consecutive windows share, less than `max_length`.
        direction: "right" removes tokens at the end, so the first window starts at 0; "left" removes them at the start.

    Raises:
        ValueError: `stride` is not less than `max_length`, or the direction is not known.

    >>> overflow_windows(5, 3, stride=1, direction="left")
    [(2, 5), (0, 3)]
    >>> print(overflow_windows.record(5, 3, stride=1))
    1. this window has the tokens 0 to 2
    2. this window has the tokens 2 to 4; 1 of them is also in the previous window
    """
    lookup("direction", direction, DIRECTIONS)
    if not 0 <= stride < max_length:
        raise ValueError(
            f"stride={stride} should be from 0 to {max_length - 1}: consecutive windows share `stride` tokens, "
            f"and a window has max_length={max_length} (special tokens are already subtracted)"
        )
    windows: list[Window] = []
    begin = 0  # counted from the end of the sequence where tokens are kept
    while begin < length:
        end = min(begin + max_length, length)
        window = (begin, end) if direction == "right" else (length - end, length - begin)
        windows.append(window)
        yield NextWindow(*window, repeated=stride if begin else 0)
        if end == length:
            break
        # subtle: stride is the overlap of two windows, not the distance between their starts.
        begin += max_length - stride
    return windows


@step
class LengthsKept:
    """The lengths after a rule was applied, and the reason."""

    first: int
    second: int
    reason: str

    def sentence(self) -> Parts:
        """Name both lengths and the reason."""
        return [self.first, " and ", self.second, f" tokens: {self.reason}"]


@stepwise
def kept_lengths(
    first: int, second: int | None, max_length: int, strategy: Strategy = "longest_first"
) -> Generator[LengthsKept, None, tuple[int, int | None]]:
    """Return how many tokens each sequence keeps, so that both together have at most `max_length`.

    Args:
        first: number of tokens of the first sequence.
        second: number of tokens of the second sequence, or None if there is only one.
        max_length: number of tokens that may be kept, without special tokens.
        strategy: "longest_first" shortens the longer sequence, then both; "only_first" and "only_second" shorten one.

    Raises:
        ValueError: the sequence to shorten is missing, or too short.

    >>> kept_lengths(3, 9, 8), kept_lengths(6, 9, 9), kept_lengths(3, 9, 8, "only_second")
    ((3, 5), (4, 5), (3, 5))
    >>> kept_lengths(3, 9, 8, "only_first")
    Traceback (most recent call last):
    ...
    ValueError: Truncation error: Sequence to truncate too short to respect the provided max_length: ...
    """
    lookup("strategy", strategy, STRATEGIES)
    if max_length == 0:
        yield LengthsKept(0, 0, "no token may be kept")
        return 0, None if second is None else 0
    surplus = first + (second or 0) - max_length
    if surplus <= 0:
        yield LengthsKept(first, second or 0, f"at most {max_length} already")
        return first, second
    if strategy == "longest_first":
        if second is None:
            yield LengthsKept(max_length, 0, f"{surplus} tokens are removed")
            return max_length, None
        shorter, longer = sorted((first, second))
        # subtle: the longer sequence never becomes shorter than the other one.
        longer = max(shorter, max_length - shorter)
        yield LengthsKept(*_in_order(shorter, longer, first > second), "the longer sequence is shortened")
        if shorter + longer > max_length:
            shorter = max_length // 2
            longer = shorter + max_length % 2
            yield LengthsKept(
                *_in_order(shorter, longer, first > second), f"both are shortened to half of {max_length}"
            )
        return _in_order(shorter, longer, first > second)
    target, name = (first, "first") if strategy == "only_first" else (second, "second")
    if target is None:
        raise ValueError(
            "Truncation error: Second sequence not provided, which strategy='only_second' should shorten; "
            "encode a pair, or use 'longest_first'"
        )
    if target <= surplus:
        raise ValueError(
            "Truncation error: Sequence to truncate too short to respect the provided max_length: "
            f"the {name} one has {target} tokens, and {surplus} should be removed, which must leave at least 1; "
            "use strategy='longest_first' or a larger max_length"
        )
    if strategy == "only_first":
        first -= surplus
    elif second is not None:
        second -= surplus
    yield LengthsKept(first, second or 0, f"only the {name} sequence is shortened")
    return first, second


def _in_order(shorter: int, longer: int, swap: bool) -> tuple[int, int]:
    return (longer, shorter) if swap else (shorter, longer)
