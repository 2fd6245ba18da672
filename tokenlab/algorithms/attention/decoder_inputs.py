"""The decoder's input ids: a start token, then the labels except the last (teacher forcing), or the generated ids.

Adds: all positions are trained in one pass, each with the correct tokens before it; one rule for given ids with and
without a start token. Leaves out: the loss (`cross_entropy`), batches.
Source: transformers 4.26.1, T5PreTrainedModel._shift_right; generation/utils.py,
_prepare_decoder_input_ids_for_generation, which in 4.26.1 does not change given ids; 5.x prepends the start token if
they do not begin with it, as `with_decoder_start` does.

>>> print(shift_right.record([8, 9, 1, -100]))
1. place 0 reads 0, the start, to predict 8
2. place 1 reads 8 to predict 9
3. place 2 reads 9 to predict 1
4. place 3 reads 1 to predict -100, which does not count
"""

from __future__ import annotations

from collections.abc import Generator, Sequence

from tokenlab.steps.recording import step, stepwise

IGNORE_INDEX = -100  # the label that is left out of the loss, PyTorch's default


@step
class DecoderInput:
    """The id that one position reads, and the label that it predicts."""

    place: int
    read: int
    label: int

    def __str__(self) -> str:
        start = "" if self.place else ", the start,"
        ignored = ", which does not count" if self.label == IGNORE_INDEX else ""
        return f"place {self.place} reads {self.read}{start} to predict {self.label}{ignored}"


@stepwise
def shift_right(labels: Sequence[int], start: int = 0, pad: int = 0) -> Generator[DecoderInput, None, tuple[int, ...]]:
    """Return the decoder's input ids.

    Args:
        labels: the ids to predict; -100 for positions that are ignored.
        start: the id before the first token; in a T5 this is the id of padding.
        pad: the id that replaces -100, which has no embedding.

    >>> shift_right([8, 9, 1]), shift_right([8, -100, -100])
    ((0, 8, 9), (0, 8, 0))
    """
    read = []
    for place, label in enumerate(labels):
        before = labels[place - 1] if place else start
        read.append(pad if before == IGNORE_INDEX else before)
        yield DecoderInput(place, read[-1], label)
    return tuple(read)


def with_decoder_start(ids: Sequence[int], start: int) -> tuple[int, ...]:
    """Return the decoder's input for these ids: prepend the start token unless they begin with it.

    >>> with_decoder_start([8, 9], 0), with_decoder_start([0, 8, 9], 0), with_decoder_start([], 0)
    ((0, 8, 9), (0, 8, 9), (0,))
    """
    return tuple(ids) if ids and ids[0] == start else (start, *ids)
