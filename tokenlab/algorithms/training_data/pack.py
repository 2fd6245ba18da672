"""Pack several short examples into one long example, so that batches contain little padding.

Adds: first fit among a few open packs, with a segment number for each example and a position for each id.
Leaves out: the names of the fields (`tokenlab.libraries.tensor2tensor.generator_utils`).
Source: tensor2tensor/data_generators/generator_utils.py, SequencePacker, SequencePairPacker and pack_examples.

>>> print(pack.record([([5, 1],), ([6, 7, 1],), ([8, 1],)], packed_length=5, spacing=0))
1. example 1 opened pack 1
2. example 2 is segment 2 of pack 1, which has 5 of 5 positions filled
3. example 3 opened pack 2
4. pack 1 is closed: 2 segments, 5 of 5 positions filled
5. pack 2 is closed: 1 segment, 2 of 5 positions filled
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from tokenlab.printing.errors import check_integer
from tokenlab.printing.printable import Parts, count_noun
from tokenlab.steps.recording import step, stepwise

Example: TypeAlias = Sequence[Sequence[int]]  # the ids of an example: (targets,) or (inputs, targets)


@dataclass
class Side:
    """One side of a pack: ids, the segment of each id (from 1) and its position in the segment; 0 between segments."""

    ids: list[int] = field(default_factory=list)
    segmentation: list[int] = field(default_factory=list)
    position: list[int] = field(default_factory=list)

    def add(self, ids: Sequence[int], segment: int, spacing: int) -> None:
        """Append the ids of a segment, after `spacing` zeros unless it is the first."""
        gap = [0] * spacing if segment > 1 else []
        self.ids += [*gap, *ids]
        self.segmentation += [*gap, *[segment] * len(ids)]
        self.position += [*gap, *range(len(ids))]


@dataclass
class Pack:
    """An open pack: its number, its sides, and the number of its segments."""

    number: int
    sides: list[Side]
    segments: int = 0

    def has_room(self, example: Example, packed_length: int, spacing: int) -> bool:
        """Whether each side of the example fits into its side of the pack."""
        pairs = zip(self.sides, example, strict=True)
        return all(len(side.ids) + spacing + len(ids) <= packed_length for side, ids in pairs)

    def add(self, example: Example, spacing: int) -> None:
        """Append the example as the next segment."""
        self.segments += 1
        for side, ids in zip(self.sides, example, strict=True):
            side.add(ids, self.segments, spacing)

    @property
    def filled(self) -> int:
        """The length of the longest side."""
        return max(len(side.ids) for side in self.sides)


@step
class ExampleAdded:
    """An example became a segment of a pack."""

    example: int
    pack: int
    segment: int
    filled: int
    packed_length: int

    def sentence(self) -> Parts:
        """Name the example, its pack and its segment."""
        if self.segment == 1:
            return ["example ", self.example, " opened pack ", self.pack]
        segment: Parts = ["example ", self.example, f" is segment {self.segment} of pack ", self.pack]
        return [*segment, ", which has ", self.filled, " of ", self.packed_length, " positions filled"]

    def apply(self, progress: PackingProgress) -> None:
        """Add the example, or the chunk of it that was next, to its pack."""
        example = progress.examples[self.example - 1]
        if progress.chop and len(example[0]) > self.packed_length:
            start = self.packed_length * progress.chunks[self.example]
            progress.chunks[self.example] += 1
            example = (example[0][start : start + self.packed_length],)
        if self.segment == 1:
            progress.opened.append(Pack(self.pack, [Side() for _ in example]))
        progress.open_pack(self.pack).add(example, progress.spacing)


@step
class PackClosed:
    """A pack is complete; `sides` has the ids, the segmentation and the positions of each side."""

    pack: int
    segments: int
    sides: tuple[tuple[list[int], list[int], list[int]], ...]
    packed_length: int

    def sentence(self) -> Parts:
        """Name the pack, and the numbers of its segments and of its filled positions."""
        filled = max(len(ids) for ids, *_ in self.sides)
        segments = count_noun(self.segments, "segment")
        return [
            "pack ",
            self.pack,
            f" is closed: {segments}, ",
            filled,
            " of ",
            self.packed_length,
            " positions filled",
        ]

    def apply(self, progress: PackingProgress) -> None:
        """Close the pack."""
        closed = progress.open_pack(self.pack)
        progress.opened.remove(closed)
        progress.closed.append(closed)


@dataclass
class PackingProgress:
    """What the steps are applied to: the packs so far, and the number of packed chunks of each long example."""

    examples: Sequence[Example]
    spacing: int
    chop: bool
    opened: list[Pack] = field(default_factory=list)
    closed: list[Pack] = field(default_factory=list)
    chunks: Counter[int] = field(default_factory=Counter)

    def open_pack(self, number: int) -> Pack:
        """Return the open pack with this number."""
        return next(pack for pack in self.opened if pack.number == number)


@stepwise
def pack(
    examples: Iterable[Example], packed_length: int = 256, spacing: int = 2, queue_size: int = 10, chop: bool = False
) -> Generator[ExampleAdded | PackClosed, None, int]:
    """Put each example into the first open pack that has room for it; return the number of packs.

    An example without ids is skipped.

    Args:
        examples: the ids of each example, as `(targets,)` or `(inputs, targets)`.
        packed_length: the maximum length of a pack. A longer example gets its own pack, unless `chop` is True.
        spacing: the number of zeros between two segments.
        queue_size: the maximum number of open packs; if another one is needed, the oldest is closed.
        chop: whether to split longer examples into chunks of `packed_length` ids.

    Raises:
        ValueError: a length or a queue size below 1, or a spacing below 0.

    >>> pack([([5, 1],), ([6, 7, 1],), ([8, 1],)], packed_length=5, spacing=0)
    2
    """
    check_integer("packed_length", packed_length, at_least=1)
    check_integer("spacing", spacing, at_least=0)
    check_integer("queue_size", queue_size, at_least=1)
    opened: list[Pack] = []
    num_packs = 0
    for number, example in enumerate(examples, start=1):
        *full, rest = split_long_example(example, packed_length) if chop else [example]
        for chunk in full:
            num_packs += 1
            yield from _pack_full_chunk(number, num_packs, chunk, packed_length)
        if not any(rest):
            continue
        target = next((pack for pack in opened if pack.has_room(rest, packed_length, spacing)), None)
        if target is None:
            if len(opened) == queue_size:
                yield _closed(opened.pop(0), packed_length)
            num_packs += 1
            target = Pack(num_packs, [Side() for _ in rest])
            opened.append(target)
        target.add(rest, spacing)
        yield ExampleAdded(number, target.number, target.segments, target.filled, packed_length)
    for open_pack in opened:
        yield _closed(open_pack, packed_length)
    return num_packs


def split_long_example(example: Example, packed_length: int) -> Sequence[Example]:
    """Split a long example into chunks that each fill a pack, followed by the remainder, which may be empty.

    Raises:
        ValueError: the example has two sides, whose chunks would not correspond; or packed_length is below 1.

    >>> split_long_example(([5, 6, 7, 8, 1],), 2)
    [([5, 6],), ([7, 8],), ([1],)]
    """
    check_integer("packed_length", packed_length, at_least=1)
    if len(example) != 1:
        raise ValueError(
            "chop_long_sequences=True splits targets only, but the example has inputs; remove long examples first"
        )
    [ids] = example
    end = len(ids) // packed_length * packed_length if len(ids) > packed_length else 0
    return [(ids[start : start + packed_length],) for start in range(0, end, packed_length)] + [(ids[end:],)]


def _pack_full_chunk(
    number: int, num_packs: int, chunk: Example, packed_length: int
) -> Generator[ExampleAdded | PackClosed, None, None]:
    """Pack a chunk that fills a whole pack."""
    full = Pack(num_packs, [Side()])
    full.add(chunk, spacing=0)
    yield ExampleAdded(number, num_packs, 1, full.filled, packed_length)
    yield _closed(full, packed_length)


def _closed(pack: Pack, packed_length: int) -> PackClosed:
    sides = tuple((side.ids, side.segmentation, side.position) for side in pack.sides)
    return PackClosed(pack.number, pack.segments, sides, packed_length)
