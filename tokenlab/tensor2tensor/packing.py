"""Packing under the library's name and with its fields.

Source: tensor2tensor/data_generators/generator_utils.py, pack_examples.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from tokenlab.algorithms.pack import Closed, pack


def pack_examples(
    examples: Iterable[dict[str, Any]],
    has_inputs: bool,
    packed_length: int = 256,
    spacing: int = 2,
    queue_size: int = 10,
    chop_long_sequences: bool = False,
) -> Iterator[dict[str, Any]]:
    """Examples that hold several short ones each, with fields that say where each id comes from.

    Args:
        examples: with the field "targets" and, if `has_inputs`, "inputs".
        has_inputs: whether both sides are packed; without, "inputs" is a single zero.
        packed_length, spacing, queue_size: as `pack` explains.
        chop_long_sequences: cut targets that are too long; without it they stand alone.

    >>> next(pack_examples([{"targets": [5, 1]}, {"targets": [6, 1]}], False, packed_length=6))
    {'inputs': [0], 'targets': [5, 1, 0, 0, 6, 1], 'targets_segmentation': [1, 1, 0, 0, 2, 2], \
'targets_position': [0, 1, 0, 0, 0, 1]}
    """
    names = ("inputs", "targets") if has_inputs else ("targets",)
    sides = (tuple(example[name] for name in names) for example in examples)
    for step in pack.steps(sides, packed_length, spacing, queue_size, chop_long_sequences):
        if isinstance(step, Closed):
            packed: dict[str, Any] = {} if has_inputs else {"inputs": [0]}
            for name, (ids, segmentation, position) in zip(names, step.sides, strict=True):
                packed |= {name: ids, f"{name}_segmentation": segmentation, f"{name}_position": position}
            yield packed
