"""Rotary position embedding: queries and keys are rotated by their position, so a score depends on the distance only.

Adds: the rotation of each pair of numbers of a vector, by an angle that grows with the position, and slower from pair
to pair; the score of a query and a key at several pairs of positions.
Leaves out: the division of the score by sqrt(K), heads, batches, scaled rotary positions for longer texts, and the
other usual pairing, (2 i, 2 i + 1), which gives the same scores if the weights have the same order.
Source: Su et al. 2021, section 3.2.2; transformers 5.24, models/llama/modeling_llama.py, apply_rotary_pos_emb.

>>> print(rotate.record([1, 0, 0, 2], position=3, theta=100))
1. pair 0, (1, 0), is rotated by 3 radians: (-0.99, 0.141)
2. pair 1, (0, 2), is rotated by 0.3 radians: (-0.591, 1.91)
>>> print(rotary_scores.record([1, 0], [1, 1], [(2, 0), (7, 5), (7, 6)]))
1. query at 2, key at 0: distance 2, score 0.493
2. query at 7, key at 5: distance 2, score 0.493
3. query at 7, key at 6: distance 1, score 1.38
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from math import cos, sin

from tokenlab.algorithms.attention.attention_weights import dot
from tokenlab.algorithms.vectors import Row, Vector
from tokenlab.printing.printed_numbers import format_short
from tokenlab.steps.recording import step, stepwise


@step
class PairRotated:
    """One pair of numbers was rotated about the origin."""

    pair: int
    angle: float  # in radians, counterclockwise
    before: Row
    after: Row

    def __str__(self) -> str:
        before, after = (", ".join(format_short(number + 0.0) for number in row) for row in (self.before, self.after))
        angle = "1 radian" if self.angle == 1 else f"{format_short(self.angle)} radians"
        return f"pair {self.pair}, ({before}), is rotated by {angle}: ({after})"


@stepwise
def rotate(vector: Vector, position: float, theta: float = 10_000.0) -> Generator[PairRotated, None, Row]:
    """Return a query or a key, with each pair of numbers (i, i + K / 2) rotated by the angle of its position.

    Args:
        vector: a query or a key of K numbers.
        position: the position of its token, from 0 on; padding does not count.
        theta: the base of the angles: pair i is rotated by position * theta ** (-2 i / K) radians.

    Raises:
        ValueError: K is odd, or theta is not above 0.

    >>> [round(number, 2) for number in rotate([1.0, 0.0], position=2)]
    [-0.42, 0.91]
    """
    check_vector("vector", vector, theta)
    half = len(vector) // 2
    rotated = [*map(float, vector)]
    for pair in range(half):
        angle = pair_angle(pair, len(vector), position, theta)
        x, y = rotated[pair], rotated[pair + half]
        # subtle: the other half of the vector is the second coordinate, not the next number.
        rotated[pair], rotated[pair + half] = x * cos(angle) - y * sin(angle), y * cos(angle) + x * sin(angle)
        yield PairRotated(pair, angle, (x, y), (rotated[pair], rotated[pair + half]))
    return tuple(rotated)


def pair_angle(pair: int, size: int, position: float, theta: float = 10_000.0) -> float:
    """Return the angle, in radians, by which one pair of a vector of `size` numbers is rotated.

    >>> pair_angle(0, 4, position=5), pair_angle(1, 4, position=5)
    (5.0, 0.05)
    """
    return float(position * theta ** (-2 * pair / (size or 1)))


@step
class ScoreAtPositions:
    """The score of the rotated query and the rotated key."""

    query_position: int
    key_position: int
    query: Row  # rotated
    key: Row  # rotated
    score: float

    @property
    def distance(self) -> int:
        """The number of positions from the key to the query."""
        return self.query_position - self.key_position

    def __str__(self) -> str:
        places = f"query at {self.query_position}, key at {self.key_position}"
        return f"{places}: distance {self.distance}, score {format_short(round(self.score, 9) + 0.0)}"


@stepwise
def rotary_scores(
    query: Vector, key: Vector, positions: Sequence[tuple[int, int]], theta: float = 10_000.0
) -> Generator[ScoreAtPositions, None, Row]:
    """Return the score of a query and a key at each of several pairs of positions.

    Args:
        query: K numbers before the rotation.
        key: K numbers before the rotation.
        positions: pairs of the query's position and the key's.
        theta: see `rotate`.

    Raises:
        ValueError: the vectors have an odd or a different number of numbers, or theta is not above 0.

    >>> [round(score, 2) for score in rotary_scores([1, 0], [1, 0], [(2, 0), (9, 7), (3, 3)])]
    [-0.42, -0.42, 1.0]
    """
    check_vector("query", query, theta)
    if len(key) != len(query):
        raise ValueError(f"key has {len(key)} numbers, and query has {len(query)}; give both the same number")
    scores = []
    for query_position, key_position in positions:
        rotated = rotate(query, query_position, theta), rotate(key, key_position, theta)
        scores.append(dot(*rotated))
        yield ScoreAtPositions(query_position, key_position, *rotated, scores[-1])
    return tuple(scores)


def check_vector(name: str, vector: Vector, theta: float) -> None:
    """Raise a ValueError for a vector that cannot be divided into pairs, or a base that gives no angles."""
    if len(vector) % 2:
        raise ValueError(f"{name} has {len(vector)} numbers; rotary positions need an even number, for pairs")
    if not theta > 0:
        raise ValueError(f"theta={theta!r} should be above 0; 10,000 is usual")
