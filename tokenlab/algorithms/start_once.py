"""The start stands in front of what a decoder has written, once, whoever puts it there.

Adds: one rule for ids that bring a start and for those that do not. Leaves out: batches.
Source: transformers, generation/utils.py, _prepare_decoder_input_ids_for_generation. 4.26.1 takes what it is given as
it is; 5.x puts the start in front of what does not begin with it, which is `start_once`.
"""

from __future__ import annotations

from collections.abc import Sequence


def start_once(ids: Sequence[int], start: int) -> tuple[int, ...]:
    """What the decoder reads to go on with these ids: the start in front, unless it stands there.

    >>> start_once([8, 9], 0), start_once([0, 8, 9], 0), start_once([], 0)
    ((0, 8, 9), (0, 8, 9), (0,))
    """
    return tuple(ids) if ids and ids[0] == start else (start, *ids)
