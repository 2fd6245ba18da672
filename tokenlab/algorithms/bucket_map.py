"""The map of a T5's buckets: which distances share a number that a head has learned.

Adds to `relative_bucket`, which answers for one distance: all distances, bucket by bucket. Leaves out: the numbers.
Source: transformers 4.26.1, T5Attention._relative_position_bucket.

>>> print(bucket_map.record(bidirectional=False, num_buckets=4, max_distance=8))
1. bucket 0 has every key that is not before the query
2. bucket 1 has the key 1 before the query
3. bucket 2 has keys 2 to 3 before the query
4. bucket 3 has all keys from 4 before the query on
"""

from __future__ import annotations

from collections.abc import Generator, Mapping

from tokenlab.algorithms.relative_bucket import relative_bucket
from tokenlab.errors import whole_number
from tokenlab.steps import step, stepwise


@step
class Filled:
    """A bucket has got its distances; a distance is the key's place minus the query's."""

    bucket: int
    nearest: int
    farthest: int | None  # None: whatever is farther belongs here
    bidirectional: bool

    def __str__(self) -> str:
        """Say which keys it has."""
        near, far = abs(self.nearest), None if self.farthest is None else abs(self.farthest)
        if near == 0:
            return f"bucket {self.bucket} has {'the query itself' if self.bidirectional else NOT_BEFORE}"
        side = "before" if self.nearest < 0 else "after"
        if far is None:
            return f"bucket {self.bucket} has all keys from {near} {side} the query on"
        keys = f"the key {near}" if near == far else f"keys {near} to {far}"
        return f"bucket {self.bucket} has {keys} {side} the query"


NOT_BEFORE = "every key that is not before the query"


@stepwise
def bucket_map(
    bidirectional: bool = True, num_buckets: int = 32, max_distance: int = 128
) -> Generator[Filled, None, dict[int, int]]:
    """The bucket of each distance up to the farthest that counts, in both directions.

    Args:
        bidirectional: an encoder's buckets, of which half are for keys after the query; otherwise a decoder's.
        num_buckets: how many numbers a head has.
        max_distance: from here on all distances share the last bucket.

    Raises:
        ValueError: too few buckets, or distances that end before the buckets do.

    >>> [bucket_map(bidirectional=way)[-9] for way in (True, False)]
    [8, 9]
    """
    check_buckets(bidirectional, num_buckets, max_distance)
    distances = sorted(range(-max_distance, max_distance + 1), key=lambda distance: (distance > 0, abs(distance)))
    of = {distance: relative_bucket(distance, bidirectional, num_buckets, max_distance) for distance in distances}
    for bucket in dict.fromkeys(of.values()):
        yield _filled(bucket, of, bidirectional)
    return {distance: of[distance] for distance in sorted(of)}


def _filled(bucket: int, of: Mapping[int, int], bidirectional: bool) -> Filled:
    inside = [distance for distance, its in of.items() if its == bucket]
    far = max(inside, key=abs)
    return Filled(bucket, min(inside, key=abs), None if far in (min(of), max(of)) else far, bidirectional)


def check_buckets(bidirectional: bool, num_buckets: int, max_distance: int) -> None:
    """Raise a ValueError for settings with which no logarithm can be taken."""
    least = 4 if bidirectional else 2
    whole_number("num_buckets", num_buckets, at_least=least)
    own = num_buckets // (4 if bidirectional else 2)
    whole_number("max_distance", max_distance, at_least=own + 1)
