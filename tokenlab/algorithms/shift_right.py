"""What a decoder reads to predict its labels: a start, then each label but the last.

Adds: all positions learn at once, each from the right tokens before it. Leaves out: the loss (`label_loss`).
Source: transformers 4.26.1, T5PreTrainedModel._shift_right.

>>> print(shift_right.record([8, 9, 1, -100]))
1. place 0 reads 0, the start, to predict 8
2. place 1 reads 8 to predict 9
3. place 2 reads 9 to predict 1
4. place 3 reads 1 to predict -100, which does not count
"""

from __future__ import annotations

from collections.abc import Generator, Sequence

from tokenlab.steps import step, stepwise

IGNORED = -100  # the label of a position that does not count, torch's own


@step
class Reads:
    """A position reads one id to predict another."""

    place: int
    read: int
    label: int

    def __str__(self) -> str:
        """Say what is read, and what is to be predicted."""
        start = "" if self.place else ", the start,"
        ignored = ", which does not count" if self.label == IGNORED else ""
        return f"place {self.place} reads {self.read}{start} to predict {self.label}{ignored}"


@stepwise
def shift_right(labels: Sequence[int], start: int = 0, pad: int = 0) -> Generator[Reads, None, tuple[int, ...]]:
    """The decoder's input ids.

    Args:
        labels: what is to be predicted; -100 where nothing counts.
        start: what stands before the first token; in a T5 it is the id of padding.
        pad: what is read in place of -100, which no table has a vector for.

    >>> shift_right([8, 9, 1]), shift_right([8, -100, -100])
    ((0, 8, 9), (0, 8, 0))
    """
    read = []
    for place, label in enumerate(labels):
        before = labels[place - 1] if place else start
        read.append(pad if before == IGNORED else before)
        yield Reads(place, read[-1], label)
    return tuple(read)
