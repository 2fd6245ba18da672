"""Tracing back: tokens and parents of each step are enough to tell what a beam has written.

Adds: texts without copying them at each step; what a row of the cache belongs to is the same question.
Leaves out: hypotheses that ended earlier.
Source: transformers 4.26.1, generation/utils.py, `beam_indices` and `compute_transition_beam_scores`.

>>> print(trace_back.record([[5, 6], [7, 8]], [[0, 0], [1, 0]], beam=0))
1. step 2: beam 0 wrote 7, and came from beam 1
2. step 1: beam 1 wrote 6, and came from beam 0
"""

from __future__ import annotations

from collections.abc import Generator, Sequence

from tokenlab.steps import step, stepwise


@step
class Back:
    """What a beam wrote in a step, and whose it was before."""

    number: int
    beam: int
    token: int
    parent: int

    def __str__(self) -> str:
        """Say it."""
        return f"step {self.number}: beam {self.beam} wrote {self.token}, and came from beam {self.parent}"


@stepwise
def trace_back(
    tokens: Sequence[Sequence[int]], parents: Sequence[Sequence[int]], beam: int
) -> Generator[Back, None, tuple[int, ...]]:
    """What a beam has written, from the first step on.

    Args:
        tokens: for each step, what each beam wrote.
        parents: for each step, the beam of the step before from which each goes on.
        beam: counted after the last step.

    >>> trace_back([[5, 6], [7, 8]], [[0, 0], [1, 0]], beam=0)
    (6, 7)
    """
    written: list[int] = []
    for number in range(len(tokens), 0, -1):
        token, parent = tokens[number - 1][beam], parents[number - 1][beam]
        yield Back(number, beam, token, parent)
        written, beam = [token, *written], parent
    return tuple(written)
