"""The relative position bucket of a distance: one bucket each for short distances, logarithmic ranges for longer ones.

Adds: the mapping from any distance to one of a few buckets, and the range of distances of every bucket; which
attentions store a table of biases (one for each stack, looked up once), and which add it.
Leaves out: the bias that each head learns for a bucket.
Source: transformers 4.26.1, T5Attention._relative_position_bucket; T5Stack.forward, which passes position_bias from
block to block; Raffel et al. 2020, section 2.1.

>>> print(buckets.record([-9, 3, 200]))
1. 9 before the query (buckets for both sides): bucket 8, shared
2. 3 after the query (buckets for both sides): bucket 19, its own
3. 200 after the query (buckets for both sides): bucket 31, shared
>>> print(buckets_by_distance.record(bidirectional=False, num_buckets=4, max_distance=8))
1. bucket 0 is for every key that is not before the query
2. bucket 1 is for the key 1 position before the query
3. bucket 2 is for keys 2 to 3 positions before the query
4. bucket 3 is for all keys 4 or more positions before the query
>>> print(bias_tables.record(1, 1))
1. encoder.block.0.self_attention adds the bias of its own table
2. decoder.block.0.self_attention adds the bias of its own table
3. decoder.block.0.cross_attention adds no bias
>>> bias_tables(6, 6)
('encoder.block.0.self_attention', 'decoder.block.0.self_attention')
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Mapping
from math import log

from tokenlab.printing.errors import check_integer
from tokenlab.steps.recording import step, stepwise


@step
class BucketAssigned:
    """The bucket of one key, and whether it is shared with another distance."""

    relative_position: int
    bidirectional: bool
    bucket: int
    shared: bool

    def __str__(self) -> str:
        sides = "both sides" if self.bidirectional else "keys before"
        shared = "shared" if self.shared else "its own"
        return f"{describe_position(self.relative_position)} (buckets for {sides}): bucket {self.bucket}, {shared}"


def describe_position(relative_position: int) -> str:
    """Return the position of a key relative to its query, as text.

    >>> describe_position(-9), describe_position(0)
    ('9 before the query', 'at the query')
    """
    if not relative_position:
        return "at the query"
    return f"{abs(relative_position)} {'after' if relative_position > 0 else 'before'} the query"


@stepwise
def buckets(
    relative_positions: Iterable[int], bidirectional: bool = True, num_buckets: int = 32, max_distance: int = 128
) -> Generator[BucketAssigned, None, tuple[int, ...]]:
    """Return the bucket of each of the given keys.

    Raises:
        ValueError: as `check_buckets`.

    >>> buckets([-9, 0, 9], bidirectional=False)
    (9, 0, 0)
    """
    placed = []
    for position in relative_positions:
        bucket = relative_bucket(position, bidirectional, num_buckets, max_distance)
        neighbours = (relative_bucket(position + way, bidirectional, num_buckets, max_distance) for way in (-1, 1))
        yield BucketAssigned(position, bidirectional, bucket, bucket in neighbours)
        placed.append(bucket)
    return tuple(placed)


def relative_bucket(
    relative_position: int, bidirectional: bool = True, num_buckets: int = 32, max_distance: int = 128
) -> int:
    """Return the bucket of one key.

    Args:
        relative_position: the key's position minus the query's.
        bidirectional: half of the buckets are for keys after the query, as in an encoder; otherwise all of those are in
            bucket 0, with the key at the query, as in a decoder.
        num_buckets: the number of buckets.
        max_distance: all distances from this one on share the last bucket.

    Raises:
        ValueError: as `check_buckets`.

    >>> relative_bucket(-9), relative_bucket(9), relative_bucket(-9, bidirectional=False)
    (8, 24, 9)
    """
    check_buckets(bidirectional, num_buckets, max_distance)
    first, distance = 0, max(-relative_position, 0)
    if bidirectional:
        num_buckets //= 2
        first, distance = num_buckets * (relative_position > 0), abs(relative_position)
    exact = num_buckets // 2
    if distance < exact:
        return first + distance
    # subtle: the library computes this in float32; next to an integer, rounding may give another bucket there.
    share = log(distance / exact) / log(max_distance / exact)
    return first + min(exact + int(share * (num_buckets - exact)), num_buckets - 1)


@step
class BucketRange:
    """The range of distances of one bucket; a distance is the key's position minus the query's."""

    bucket: int
    nearest: int
    farthest: int | None  # None: all greater distances are included
    bidirectional: bool

    def __str__(self) -> str:
        near, far = abs(self.nearest), None if self.farthest is None else abs(self.farthest)
        if near == 0:
            keys = "the query itself" if self.bidirectional else "every key that is not before the query"
            return f"bucket {self.bucket} is for {keys}"
        side = "before" if self.nearest < 0 else "after"
        if far is None:
            return f"bucket {self.bucket} is for all keys {near} or more positions {side} the query"
        keys = f"the key {near} position{'s' * (near != 1)}" if near == far else f"keys {near} to {far} positions"
        return f"bucket {self.bucket} is for {keys} {side} the query"


@stepwise
def buckets_by_distance(
    bidirectional: bool = True, num_buckets: int = 32, max_distance: int = 128
) -> Generator[BucketRange, None, dict[int, int]]:
    """Return the bucket of each distance from -max_distance to max_distance.

    Args:
        bidirectional: True for an encoder, where half of the buckets are for keys after the query; False for a decoder.
        num_buckets: the number of buckets, and of biases per head.
        max_distance: all distances from this one on share the last bucket.

    Raises:
        ValueError: too few buckets, or a max_distance for which no logarithmic bucket is left.

    >>> [buckets_by_distance(bidirectional=way)[-9] for way in (True, False)]
    [8, 9]
    """
    check_buckets(bidirectional, num_buckets, max_distance)
    distances = sorted(range(-max_distance, max_distance + 1), key=lambda distance: (distance > 0, abs(distance)))
    of = {distance: relative_bucket(distance, bidirectional, num_buckets, max_distance) for distance in distances}
    for bucket in dict.fromkeys(of.values()):
        yield _filled(bucket, of, bidirectional)
    return {distance: of[distance] for distance in sorted(of)}


def _filled(bucket: int, of: Mapping[int, int], bidirectional: bool) -> BucketRange:
    inside = [distance for distance, its in of.items() if its == bucket]
    far = max(inside, key=abs)
    return BucketRange(bucket, min(inside, key=abs), None if far in (min(of), max(of)) else far, bidirectional)


def check_buckets(bidirectional: bool, num_buckets: int, max_distance: int) -> None:
    """Raise a ValueError for settings that leave no logarithmic bucket."""
    least = 4 if bidirectional else 2
    check_integer("num_buckets", num_buckets, at_least=least)
    check_integer("max_distance", max_distance, at_least=num_buckets // least + 1)


@step
class BiasApplied:
    """An attention and the table whose bias it adds: its own, that of the first block, or None."""

    attention: str
    table: str | None

    def __str__(self) -> str:
        if self.table is None:
            return f"{self.attention} adds no bias"
        whose = "its own table" if self.table == self.attention else f"the table of {self.table}"
        return f"{self.attention} adds the bias of {whose}"


@stepwise
def bias_tables(encoder_blocks: int, decoder_blocks: int) -> Generator[BiasApplied, None, tuple[str, ...]]:
    """Return the names of the attentions that store a table: the first self attention of each stack.

    Cross attention has no bias: there is no distance between positions of two different texts.
    """
    tables = []
    for attention in attention_layers(encoder_blocks, decoder_blocks):
        stack = attention.partition(".")[0]
        table = None if attention.endswith("cross_attention") else f"{stack}.block.0.self_attention"
        if table == attention:
            tables.append(table)
        yield BiasApplied(attention, table)
    return tuple(tables)


def attention_layers(encoder_blocks: int, decoder_blocks: int) -> Iterator[str]:
    """Iterate over the names of all attentions of a T5, in the order of the forward pass.

    >>> list(attention_layers(1, 1))[1:]
    ['decoder.block.0.self_attention', 'decoder.block.0.cross_attention']
    """
    for number in range(encoder_blocks):
        yield f"encoder.block.{number}.self_attention"
    for number in range(decoder_blocks):
        yield f"decoder.block.{number}.self_attention"
        yield f"decoder.block.{number}.cross_attention"
