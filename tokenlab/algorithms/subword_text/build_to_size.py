"""A vocabulary of approximately the target size: tensor2tensor's bisection on `min_count`.

Adds: the search. A higher `min_count` keeps fewer subtokens, so the middle of an interval tells which half to search.
Leaves out: an exact size. The vocabulary size changes in jumps. The search stops at a size less than 1 % off the
target; otherwise it returns the nearest size that it found. No vocabulary is smaller than its alphabet.
Source: tensor2tensor 1.15.7, data_generators/text_encoder.py, SubwordTextEncoder.build_to_target_size.
"""

from __future__ import annotations

from collections.abc import Callable, Generator

from tokenlab.printing.printable import Parts
from tokenlab.steps.recording import step, stepwise


@step
class MinCountTried:
    """A `min_count` from the middle of the interval, and the resulting vocabulary size."""

    low: float
    high: float
    min_count: float
    size: int
    target_size: int

    def sentence(self) -> Parts:
        """Name the interval, the size, and what follows."""
        middle = f"the try with min_count {self.min_count:,g}, the middle of {self.low:,g} and {self.high:,g}"
        said: Parts = [f"{middle}, gives ", self.size, " subtokens"]
        if self.good_enough:
            return [*said, ": less than 1 % off ", self.target_size]
        if self.last:
            return [*said, f", too {'many' if self.too_many else 'few'}, but the interval is used up"]
        next_one = "many: a higher min_count keeps fewer" if self.too_many else "few: a lower min_count keeps more"
        return [*said, f", too {next_one}"]

    @property
    def good_enough(self) -> bool:
        """Whether the size is less than 1 % off the target."""
        return abs(self.size - self.target_size) * 100 < self.target_size

    @property
    def too_many(self) -> bool:
        """Whether the vocabulary is too large, so that the next `min_count` is higher."""
        return self.size > self.target_size

    @property
    def last(self) -> bool:
        """Whether the search ends here."""
        return self.good_enough or self.low >= self.high or self.min_count < 2


@stepwise
def bisect_min_count(
    target_size: int, build_with: Callable[[float], list[str]], low: float = 1, high: float = 1000
) -> Generator[MinCountTried, None, list[str]]:
    """Bisect an interval of `min_count`; return the vocabulary whose size is nearest to `target_size`.

    Args:
        target_size: the wanted number of subtokens.
        build_with: returns the vocabulary for a `min_count`.
        low, high: the interval of `min_count` to search.

    Raises:
        ValueError: the interval is empty, or the size is not positive.

    Source: tensor2tensor 1.15.7, text_encoder.py, build_to_target_size.

    >>> len(bisect_min_count(30, lambda min_count: ["x"] * int(300 / min_count)))
    30
    """
    check_search(target_size, low, high)
    best: list[str] | None = None
    while True:
        min_count = (low + high) // 2
        subtokens = build_with(min_count)
        tried = MinCountTried(low, high, min_count, len(subtokens), target_size)
        yield tried
        # subtle: of two equally near sizes, the first one found is kept.
        if best is None or abs(len(subtokens) - target_size) < abs(len(best) - target_size):
            best = subtokens
        if tried.last:
            return best
        low, high = (min_count + 1, high) if tried.too_many else (low, min_count - 1)


def check_search(target_size: int, low: float, high: float) -> None:
    """Raise a ValueError if the interval is empty or the target size is not positive.

    >>> check_search(100, 5, 2)
    Traceback (most recent call last):
    ...
    ValueError: low=5 is greater than high=2; give the smaller min_count first
    """
    if low > high:
        raise ValueError(f"low={low:g} is greater than high={high:g}; give the smaller min_count first")
    if target_size < 1:
        raise ValueError(f"target_size={target_size} must be positive; give the wanted number of subtokens")


def too_small(target_size: float, alphabet: set[str], reserved: list[str]) -> str:
    """Explain why no vocabulary can be as small as `target_size`; return an empty string if one can.

    >>> too_small(30, set("abcd"), ["<pad>", "<EOS>"])
    ''
    """
    smallest = len(alphabet) + len(reserved)
    if target_size <= 0 or (smallest - target_size) * 100 < target_size:
        return ""
    shown = " ".join(sorted(alphabet)[:40]) + (" …" if len(alphabet) > 40 else "")
    return (
        f"target_size={target_size} is smaller than the alphabet of your corpus ({len(alphabet)} characters: "
        f"{shown}) and the {len(reserved)} reserved tokens; ask for at least {smallest}, "
        "or build from text with fewer different characters"
    )
