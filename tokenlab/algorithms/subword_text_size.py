"""A vocabulary of about the size that is wanted: tensor2tensor's bisection on min_count.

Adds: the search. A higher `min_count` keeps fewer subtokens, so the middle of an interval tells which half to search.
Leaves out: any promise. The size goes down in steps, and jumps; one in a hundred off is good enough, else the nearest
size that was met is taken. Below the alphabet it never goes.
Source: tensor2tensor 1.15.7, data_generators/text_encoder.py, SubwordTextEncoder.build_to_target_size.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping

from tokenlab.algorithms.subword_text import ITERATIONS, alphabet_of, build, checked_counts, reserved_list
from tokenlab.errors import whole_number
from tokenlab.steps import step, stepwise


@step
class Tried:
    """A `min_count` from the middle of the interval, and the size that it gives."""

    low: float
    high: float
    min_count: float
    size: int
    target_size: int

    def __str__(self) -> str:
        """Say which half is left."""
        said = f"min_count {self.min_count:g}, between {self.low:g} and {self.high:g}, gives {self.size} subtokens"
        if self.good_enough:
            return f"{said}: less than one in a hundred off {self.target_size}"
        if self.last:
            return f"{said}, too {'many' if self.too_many else 'few'}, but the interval is used up"
        return f"{said}, {'too many: min_count must rise' if self.too_many else 'too few: min_count must fall'}"

    @property
    def good_enough(self) -> bool:
        """Whether the size is less than one in a hundred off."""
        return abs(self.size - self.target_size) * 100 < self.target_size

    @property
    def too_many(self) -> bool:
        """Whether a higher `min_count` is tried next."""
        return self.size > self.target_size

    @property
    def last(self) -> bool:
        """Whether the search ends here."""
        return self.good_enough or self.low >= self.high or self.min_count < 2


@stepwise
def bisect(
    target_size: int, build_with: Callable[[float], list[str]], low: float = 1, high: float = 1000
) -> Generator[Tried, None, list[str]]:
    """The subtokens whose number is nearest to `target_size` among those that halving the interval meets.

    Args:
        target_size: how many subtokens are wanted.
        build_with: from a `min_count` to its subtokens.
        low, high: the interval that is searched for the best `min_count`.

    Raises:
        ValueError: an empty interval, or a size that is not positive.

    Source: tensor2tensor 1.15.7, text_encoder.py, build_to_target_size.

    >>> len(bisect(30, lambda min_count: ["x"] * int(300 / min_count)))
    30
    """
    check_search(target_size, low, high)
    best: list[str] | None = None
    while True:
        min_count = (low + high) // 2
        subtokens = build_with(min_count)
        tried = Tried(low, high, min_count, len(subtokens), target_size)
        yield tried
        # subtle: of two sizes as near, the one that was met first.
        if best is None or abs(len(subtokens) - target_size) < abs(len(best) - target_size):
            best = subtokens
        if tried.last:
            return best
        low, high = (min_count + 1, high) if tried.too_many else (low, min_count - 1)


def check_search(target_size: int, low: float, high: float) -> None:
    """What `bisect` is given.

    >>> check_search(100, 5, 2)
    Traceback (most recent call last):
    ...
    ValueError: low=5 is greater than high=2; give the smaller min_count first
    """
    if low > high:
        raise ValueError(f"low={low:g} is greater than high={high:g}; give the smaller min_count first")
    if target_size < 1:
        raise ValueError(f"target_size={target_size} must be positive; give as many subtokens as you want")


@stepwise
def build_to_size(
    target_size: int,
    token_counts: Mapping[str, int],
    low: float = 1,
    high: float = 1000,
    iterations: int = ITERATIONS,
    reserved_tokens: Iterable[str] | None = None,
    max_length: int | None = None,
) -> Generator[Tried, None, list[str]]:
    """Subtokens of about that number, each size that the search meets built anew from the start.

    Raises:
        ValueError: a size that the alphabet and the reserved tokens alone exceed; and as `build` and `bisect`.
        TypeError: as `build`.

    >>> len(build_to_size(30, {"the": 10, "then": 2, "that": 3}))
    30
    """
    reserved = reserved_list(reserved_tokens)
    check_size(target_size, alphabet_of([*checked_counts(token_counts), *reserved]), reserved)

    def build_with(min_count: float) -> list[str]:
        return build(token_counts, min_count, iterations, reserved, max_length)

    return (yield from bisect.steps(target_size, build_with, low, high))


def check_size(target_size: int, alphabet: set[str], reserved: list[str]) -> None:
    """Whether a size can be met at all: every character is a subtoken, and so is every reserved token.

    >>> check_size(10, alphabet_of(["<pad>", "<EOS>"]), ["<pad>", "<EOS>"])
    Traceback (most recent call last):
    ...
    ValueError: target_size=10 is smaller than the alphabet of your corpus (22 characters: ...
    """
    whole_number("target_size", target_size)
    smallest = len(alphabet) + len(reserved)
    if target_size > 0 and (smallest - target_size) * 100 >= target_size:
        shown = " ".join(sorted(alphabet)[:40]) + (" …" if len(alphabet) > 40 else "")
        raise ValueError(
            f"target_size={target_size} is smaller than the alphabet of your corpus ({len(alphabet)} characters: "
            f"{shown}) and the {len(reserved)} reserved tokens; ask for at least {smallest}, "
            "or build from text with fewer different characters"
        )
