"""Padding: the common length of the encodings of a batch, and the padding of one sequence.

Adds: `padded_length`, for a fixed length, the longest of a batch, and multiples; `pad`, for one list; `pad_batch`,
which pads all lists of a batch, step by step.
Leaves out: the columns of an `Encoding`, of which each has its own padding value.

Source: tokenizers, src/utils/padding.rs and src/tokenizer/encoding.rs (`pad`).

>>> padded_length([3, 5], multiple=4)
8
>>> pad([7, 8, 9], 5, 0, direction="left")
[0, 0, 7, 8, 9]
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from typing import TypeAlias, TypeVar

from tokenlab.algorithms.pipeline.truncate import DIRECTIONS
from tokenlab.printing.errors import lookup
from tokenlab.printing.printable import Parts, count_noun
from tokenlab.steps.recording import step, stepwise

T = TypeVar("T")
Token: TypeAlias = str | int  # a text or an id


def padded_length(lengths: Iterable[int], fixed: int | None = None, multiple: int | None = None) -> int:
    """Return the length to which the encodings of a batch are padded.

    Args:
        lengths: numbers of tokens of the encodings.
        fixed: a fixed length, or None for the longest of the batch. A longer encoding is not shortened.
        multiple: round up to a multiple of this number; None and 0 do not round.

    >>> padded_length([3, 5]), padded_length([3, 5], fixed=4), padded_length([3, 5], fixed=4, multiple=3)
    (5, 4, 6)
    """
    length = max(lengths, default=0) if fixed is None else fixed
    return length + -length % multiple if multiple else length


def pad(values: Sequence[T], length: int, padding: T, direction: str = "right") -> list[T]:
    """Return at least `length` values: the given ones, with padding at the end ("right") or at the start ("left").

    >>> pad("ab", 3, "_"), pad("ab", 1, "_")
    (['a', 'b', '_'], ['a', 'b'])
    """
    missing = [padding] * (length - len(values))
    return [*missing, *values] if direction == "left" else [*values, *missing]


@step
class LengthChosen:
    """The length of all rows, and its reason."""

    length: int
    reason: str

    def sentence(self) -> Parts:
        """Name the reason and the length."""
        return ["all rows get the length ", self.length, f", {self.reason}"]


@step
class RowPadded:
    """A row of the batch with its padding, of which there are `missing` at the start or at the end."""

    row: int
    tokens: tuple[Token, ...]
    missing: int

    def sentence(self) -> Parts:
        """Name the row, counted from 1, its padding and its length."""
        tokens = count_noun(len(self.tokens), "token")
        if not self.missing:
            return [f"row {self.row + 1} gets no padding: it has {tokens} already"]
        return [f"row {self.row + 1} gets {count_noun(self.missing, 'padding token')}, and now has {tokens}"]


@stepwise
def pad_batch(
    rows: Sequence[Sequence[Token]],
    padding: Token = "[PAD]",
    fixed: int | None = None,
    multiple: int | None = None,
    direction: str = "right",
) -> Generator[LengthChosen | RowPadded, None, list[list[Token]]]:
    """Return the rows with padding, all of the same length unless one is longer than the fixed length.

    Args:
        rows: the tokens or ids of each text.
        padding: the token or id that is added.
        fixed: a fixed length, or None for the longest of the batch. A longer row is not shortened.
        multiple: round the length up to a multiple of this number; None and 0 do not round.
        direction: "right" adds padding at the end, "left" at the start.

    Raises:
        ValueError: the direction is not known.

    >>> print(pad_batch.record([[7, 8, 9], [5]], 0, multiple=4, direction="left"))
    1. all rows get the length 3, that of the longest row
    2. all rows get the length 4, rounded up to a multiple of 4
    3. row 1 gets 1 padding token, and now has 4 tokens
    4. row 2 gets 3 padding tokens, and now has 4 tokens
    >>> pad_batch([[7, 8, 9], [5]], 0, multiple=4, direction="left")
    [[0, 7, 8, 9], [0, 0, 0, 5]]
    """
    lookup("direction", direction, DIRECTIONS)
    lengths = [len(row) for row in rows]
    reason = "that of the longest row" if fixed is None else "as was requested"
    yield LengthChosen(padded_length(lengths, fixed), reason)
    length = padded_length(lengths, fixed, multiple)
    if multiple:
        yield LengthChosen(length, f"rounded up to a multiple of {multiple}")
    padded: list[list[Token]] = []
    for number, row in enumerate(rows):
        padded.append(pad(row, length, padding, direction))
        yield RowPadded(number, tuple(padded[-1]), len(padded[-1]) - len(row))
    return padded
