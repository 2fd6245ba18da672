"""Short examples side by side in one long one, so that little of a batch is padding.

Adds: first fit among a few packs that are open, with a number for each example (its segment) and a place for each id.
Leaves out: the names of the fields, which are `tokenlab.tensor2tensor.packing`'s work.
Source: tensor2tensor/data_generators/generator_utils.py, SequencePacker, SequencePairPacker and pack_examples.

>>> print(pack.record([([5, 1],), ([6, 7, 1],), ([8, 1],)], packed_length=5, spacing=0))
1. example 1 opened pack 1
2. example 2 is segment 2 of pack 1, which has 5 of 5 places filled
3. example 3 opened pack 2
4. pack 1 is closed: 2 segments, 5 of 5 places filled
5. pack 2 is closed: 1 segment, 2 of 5 places filled
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from tokenlab.errors import whole_number
from tokenlab.steps import step, stepwise

Sides: TypeAlias = Sequence[Sequence[int]]  # the ids of an example: (targets,) or (inputs, targets)


@dataclass
class Side:
    """One side of a pack: ids, and of each its segment (from 1) and its place in the segment; 0 between segments."""

    ids: list[int] = field(default_factory=list)
    segmentation: list[int] = field(default_factory=list)
    position: list[int] = field(default_factory=list)

    def add(self, ids: Sequence[int], segment: int, spacing: int) -> None:
        """Put the ids behind those that are there."""
        gap = [0] * spacing if segment > 1 else []
        self.ids += [*gap, *ids]
        self.segmentation += [*gap, *[segment] * len(ids)]
        self.position += [*gap, *range(len(ids))]


@dataclass
class Pack:
    """A pack that is open: its number, its sides, and how many segments it has."""

    number: int
    sides: list[Side]
    segments: int = 0

    def has_room(self, example: Sides, packed_length: int, spacing: int) -> bool:
        """Whether each side has room for its side of the example."""
        filled = zip(self.sides, example, strict=True)
        return all(len(side.ids) + spacing + len(ids) <= packed_length for side, ids in filled)

    def add(self, example: Sides, spacing: int) -> None:
        """Make the example the next segment."""
        self.segments += 1
        for side, ids in zip(self.sides, example, strict=True):
            side.add(ids, self.segments, spacing)

    @property
    def filled(self) -> int:
        """How many places of the longest side are filled."""
        return max(len(side.ids) for side in self.sides)


@step
class Packed:
    """An example became a segment of a pack."""

    example: int
    pack: int
    segment: int
    filled: int
    packed_length: int

    def __str__(self) -> str:
        """Say where the example went."""
        if self.segment == 1:
            return f"example {self.example:,} opened pack {self.pack:,}"
        filled = f"{self.filled:,} of {self.packed_length:,} places filled"
        return f"example {self.example:,} is segment {self.segment} of pack {self.pack:,}, which has {filled}"


@step
class Closed:
    """A pack is done; `sides` has for each side the ids, the segmentation and the positions."""

    pack: int
    segments: int
    sides: tuple[tuple[list[int], list[int], list[int]], ...]
    packed_length: int

    def __str__(self) -> str:
        """Say what the pack holds."""
        filled = max(len(ids) for ids, *_ in self.sides)
        segments = f"{self.segments} segment{'s' if self.segments != 1 else ''}"
        return f"pack {self.pack:,} is closed: {segments}, {filled:,} of {self.packed_length:,} places filled"


@stepwise
def pack(
    examples: Iterable[Sides], packed_length: int = 256, spacing: int = 2, queue_size: int = 10, chop: bool = False
) -> Generator[Packed | Closed, None, int]:
    """Put each example into the first open pack that has room for it; the result is the number of packs.

    An example without any id is left out.

    Args:
        examples: the ids of each example, as `(targets,)` or `(inputs, targets)`.
        packed_length: how long a pack may become. An example that is longer stands alone, unless it is chopped.
        spacing: how many zeros stand between two segments.
        queue_size: how many packs are open at a time; the oldest is closed when one more is needed.
        chop: cut what is longer than a pack into pieces of its length.

    Raises:
        ValueError: a length or a queue below 1, a spacing below 0.

    >>> pack([([5, 1],), ([6, 7, 1],), ([8, 1],)], packed_length=5, spacing=0)
    2
    """
    whole_number("packed_length", packed_length, at_least=1)
    whole_number("spacing", spacing, at_least=0)
    whole_number("queue_size", queue_size, at_least=1)
    opened: list[Pack] = []
    made = 0
    for number, example in enumerate(examples, start=1):
        *full, rest = chopped(example, packed_length) if chop else [example]
        for piece in full:
            made += 1
            yield from _full(number, made, piece, packed_length)
        if not any(rest):
            continue
        room = next((pack for pack in opened if pack.has_room(rest, packed_length, spacing)), None)
        if room is None:
            if len(opened) == queue_size:
                yield _closed(opened.pop(0), packed_length)
            made += 1
            room = Pack(made, [Side() for _ in rest])
            opened.append(room)
        room.add(rest, spacing)
        yield Packed(number, room.number, room.segments, room.filled, packed_length)
    for left in opened:
        yield _closed(left, packed_length)
    return made


def chopped(example: Sides, packed_length: int) -> Sequence[Sides]:
    """Of an example that is too long the pieces that fill a pack each, and behind them what is left, perhaps nothing.

    Raises:
        ValueError: the example has two sides, whose pieces would not belong together.

    >>> chopped(([5, 6, 7, 8, 1],), 2)
    [([5, 6],), ([7, 8],), ([1],)]
    """
    if len(example) != 1:
        raise ValueError("chop_long_sequences=True cuts targets alone; with inputs, leave out what is too long before")
    [ids] = example
    end = len(ids) // packed_length * packed_length if len(ids) > packed_length else 0
    return [(ids[start : start + packed_length],) for start in range(0, end, packed_length)] + [(ids[end:],)]


def _full(number: int, made: int, piece: Sides, packed_length: int) -> Generator[Packed | Closed, None, None]:
    """A piece that fills a pack of its own."""
    full = Pack(made, [Side()])
    full.add(piece, spacing=0)
    yield Packed(number, made, 1, full.filled, packed_length)
    yield _closed(full, packed_length)


def _closed(pack: Pack, packed_length: int) -> Closed:
    sides = tuple((side.ids, side.segmentation, side.position) for side in pack.sides)
    return Closed(pack.number, pack.segments, sides, packed_length)
