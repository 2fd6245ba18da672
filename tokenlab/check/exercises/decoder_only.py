"""The checks of lesson 24: heads and cache by hand, groups, rotary positions, left padding, min-p, and the loss."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from math import cos, fsum, log, log2, sin
from typing import Any

from tokenlab.algorithms.attention.grouped_queries import HeadGrouped, group_heads, kv_cache_bytes
from tokenlab.algorithms.attention.left_padding import padded_keys
from tokenlab.algorithms.attention.rotary_positions import pair_angle, rotate
from tokenlab.algorithms.decoding.filters import min_p_filter, top_p_filter
from tokenlab.algorithms.training_data.next_token_loss import next_token_loss
from tokenlab.algorithms.vectors import Matrix, Row, Vector
from tokenlab.check import strategies as inputs
from tokenlab.check.answer_check import AnswerCheck, BugCheck
from tokenlab.check.function_check import FunctionCheck
from tokenlab.check.strategies import Strategy, st
from tokenlab.check.trace_comparison import TracedCall, nearly_equal
from tokenlab.misconceptions import decoder_only as wrong
from tokenlab.misconceptions.catalog import rule_of
from tokenlab.steps.recording import stepwise

# By hand.

LAYERS, HEADS, KV_HEADS, HEAD_DIM, PROMPT, NEW = 5, 6, 3, 32, 6, 4


@stepwise
def cache_by_hand() -> Generator[HeadGrouped, None, tuple[int, int, int, int]]:
    """Return the head that query head 1 reads, the queries of a token, the rows of keys, and the bytes of the cache."""
    read = yield from group_heads.steps(HEADS, KV_HEADS)
    rows = PROMPT + NEW - 1  # the last new token has not been read
    return read[1], HEADS, rows, kv_cache_bytes(LAYERS, KV_HEADS, HEAD_DIM, rows)


heads_and_cache = AnswerCheck(
    recording=cache_by_hand.record,
    answers=lambda recording: recording.result,
    names=(
        "The key-value head",
        "The number of queries",
        "The number of rows of keys",
        "The number of bytes",
    ),
    rules=(
        rule_of(wrong.interleaved_groups),
        rule_of(wrong.queries_per_group),
        "A pass stores the keys of the tokens that it reads. The token that the last pass selects has not been read.",
        rule_of(wrong.queries_in_cache),
    ),
    sums=lambda recording: (
        f"Each token has a query in each of {HEADS} query heads",
        f"The passes read {PROMPT} + {NEW} - 1 = {PROMPT + NEW - 1} tokens",
        f"Keys and values, layers, key-value heads, numbers, rows and bytes of a number: "
        f"2 * {LAYERS} * {KV_HEADS} * {HEAD_DIM} * {PROMPT + NEW - 1} * 2 = {recording.result[-1]}",
    ),
)

# Finding a bug.


def _no_heads(my_heads: Any, my_kv_heads: Any) -> str:
    for name, number in (("my_heads", my_heads), ("my_kv_heads", my_kv_heads)):
        if not isinstance(number, int) or isinstance(number, bool) or not 0 < number <= 256:
            return f"{name} should be a whole number from 1 to 256, such as 4."
    if my_heads % my_kv_heads:
        return "The number of query heads has to be a multiple of the number of key-value heads."
    return ""


bug_in_groups = BugCheck(
    program=wrong.interleaved_groups,
    right=group_heads,
    input_problem=_no_heads,
    example=(4, 2),
)

# Rotary positions.


def _vectors() -> Strategy:
    def vector(half: int) -> Strategy:
        return st.tuples(
            inputs.of_length(2 * half, st.integers(-3, 3)), st.integers(0, 6), inputs.sampled(100, 10_000, 16)
        )

    return st.integers(1, 3).flatmap(vector)


def _turned(
    vector: Vector,
    position: float,
    theta: float,
    angle: Callable[[int, int, float, float], float] = pair_angle,
    one_after_another: bool = False,
    sign: int = 1,
) -> list[float]:
    """Rotate with another angle, with the new first number in the second formula, or with another sign of the sine."""
    half, result = len(vector) // 2, [*vector]
    for pair in range(half):
        turn = angle(pair, len(vector), position, theta)
        x, y = vector[pair], vector[pair + half]
        result[pair] = x * cos(turn) - sign * y * sin(turn)
        result[pair + half] = y * cos(turn) + sign * (result[pair] if one_after_another else x) * sin(turn)
    return result


def _neighbours(vector: Vector, position: float, theta: float) -> list[float]:
    """Rotate the pairs (2 i, 2 i + 1)."""
    firsts, seconds = vector[::2], vector[1::2]
    turned = rotate([*firsts, *seconds], position, theta)
    half = len(vector) // 2
    return [number for pair in zip(turned[:half], turned[half:], strict=True) for number in pair]


rotate_pairs = FunctionCheck(
    lambda vector, position, theta: rotate(vector, position, theta),
    _vectors,
    "Rotate each pair (i, i + K / 2) by the angle position * theta ** (-2 i / K): (x, y) becomes (x cos - y sin, "
    "y cos + x sin).",
    examples=[([1, 0], 0, 100), ([1, 0], 1, 100), ([0, 1], 1, 100), ([0, 1, 0, 0], 1, 100), ([1, 2, 3, 4], 2, 100)],
    wrong=(
        wrong.position_added,
        (_neighbours, "Number i forms a pair with number i + K / 2, not with its neighbour."),
        (
            lambda vector, position, theta: _turned(
                vector, position, theta, lambda pair, size, place, base: place * base ** (-pair / size)
            ),
            "The exponent is -2 i / K. Without the factor 2, the last pairs turn too fast.",
        ),
        (
            lambda vector, position, theta: _turned(vector, position, theta, lambda pair, size, place, base: place),
            "Each pair has its own angle. It becomes smaller from pair to pair.",
        ),
        (
            lambda vector, position, theta: _turned(vector, position, theta, sign=-1),
            "The rotation is counterclockwise: x becomes x cos - y sin, and y becomes y cos + x sin.",
        ),
        (
            lambda vector, position, theta: _turned(vector, position, theta, one_after_another=True),
            "The second formula needs the old x, not the new one.",
        ),
        (
            lambda vector, position, theta: _turned(
                vector, position, theta, lambda pair, size, place, base: (place + 1) * base ** (-2 * pair / size)
            ),
            "Positions are counted from 0: at position 0, nothing is rotated.",
        ),
    ),
    same=nearly_equal,
    lists=1,
)

# Left padding.


def _masks() -> Strategy:
    return st.tuples(st.integers(0, 3), st.integers(1, 4)).map(lambda sizes: ([0] * sizes[0] + [1] * sizes[1],))


def _shorter(attention_mask: Sequence[int]) -> Iterator[TracedCall]:
    for length in range(1, len(attention_mask) + 1):
        yield f"{length} places", (attention_mask[:length],)


_NO_PADDING = "Padding is never attended to, and a place with padding attends to nothing."

keys_of_each_place = FunctionCheck(
    padded_keys,
    _masks,
    "A token attends to itself and to all earlier tokens, and a place with padding attends to nothing.",
    examples=[([1],), ([1, 1],), ([0, 1],), ([0, 0, 1, 1, 1],)],
    edges=[([0],)],
    wrong=(
        wrong.no_mask_in_prefill,
        (lambda attention_mask: [[*range(place + 1)] for place in range(len(attention_mask))], _NO_PADDING),
        (
            lambda attention_mask: [
                [*range(place + 1)] if is_token else [] for place, is_token in enumerate(attention_mask)
            ],
            _NO_PADDING,
        ),
        (
            lambda attention_mask: [
                [key for key in range(place + 1) if attention_mask[key]] or [place]
                for place in range(len(attention_mask))
            ],
            "The list of a place with padding is empty.",
        ),
        (
            lambda attention_mask: [[*keys[:-1]] for keys in padded_keys(attention_mask)],
            "A token also attends to itself.",
        ),
        (
            lambda attention_mask: [[*range(len(keys))] for keys in padded_keys(attention_mask)],
            "Return places, which count padding, and not positions, which do not.",
        ),
        (
            lambda attention_mask: [
                [key for key in range(place, len(attention_mask)) if attention_mask[place]]
                for place in range(len(attention_mask))
            ],
            "A token attends to earlier tokens, not to later ones.",
        ),
    ),
    traced_calls=_shorter,
    lists=2,
)

# Min-p. All numbers are sums of powers of two, so a product that is equal to a probability is exactly equal.

_DISTRIBUTIONS = (
    (1.0,),
    (0.5, 0.5),
    (0.75, 0.25),
    (0.5, 0.25, 0.25),
    (0.625, 0.3125, 0.0625),
    (0.25, 0.25, 0.25, 0.25),
    (0.5, 0.25, 0.125, 0.125),
    (0.375, 0.375, 0.1875, 0.0625),
    (0.3125, 0.25, 0.1875, 0.1875, 0.0625),
)


def _distributions_and_shares() -> Strategy:
    shuffled = inputs.sampled(*_DISTRIBUTIONS).flatmap(lambda parts: st.permutations(parts))
    return st.tuples(shuffled, inputs.sampled(0.5, 0.25, 0.75, 1, 0, 0.125))


keep_min_p = FunctionCheck(
    min_p_filter,
    _distributions_and_shares,
    "Keep each token whose probability is at least min_p times the highest probability.",
    examples=[
        ([1.0], 0.5),
        ([0.75, 0.25], 0.5),
        ([0.25, 0.75], 0.25),
        ([0.25, 0.25, 0.25, 0.25], 0.5),
        ([0.5, 0.25, 0.25], 0.5),
    ],
    wrong=(
        wrong.absolute_min_p,
        (
            lambda probabilities, min_p: [
                token for token, p in enumerate(probabilities) if p > min_p * max(probabilities)
            ],
            "A token with exactly min_p times the highest probability is kept.",
        ),
        (top_p_filter, "This is top-p. Min-p compares single probabilities, not sums."),
        (
            lambda probabilities, min_p: [
                token for token, p in enumerate(probabilities) if p >= (1 - min_p) * max(probabilities)
            ],
            "The limit is min_p times the highest probability, not 1 - min_p times.",
        ),
        (
            lambda probabilities, min_p: sorted(
                min_p_filter(probabilities, min_p), key=lambda token: -probabilities[token]
            ),
            "Return the ids in ascending order, not in the order of their probabilities.",
        ),
        (
            lambda probabilities, min_p: [probabilities[token] for token in min_p_filter(probabilities, min_p)],
            "Return the ids of the kept tokens, not their probabilities.",
        ),
    ),
    lists=1,
)

# The loss.

_ROWS = ((0.5, 0.25, 0.25), (0.25, 0.25, 0.5), (0.125, 0.75, 0.125), (0.25, 0.5, 0.25))


def _rows_and_ids() -> Strategy:
    def of_length(length: int) -> Strategy:
        rows = inputs.of_length(length, inputs.sampled(*_ROWS).map(list))
        return st.tuples(rows, inputs.of_length(length, st.integers(0, 2)))

    return st.integers(2, 4).flatmap(of_length)


def _losses(probabilities: Matrix, ids: Sequence[int], logarithm: Callable[[float], float] = log) -> Row:
    return tuple(-logarithm(row[token]) for row, token in zip(probabilities, ids[1:], strict=False))


_MEAN = "The loss is the mean over the positions that predict a token: one less than there are ids."

shifted_loss = FunctionCheck(
    lambda probabilities, ids: next_token_loss(probabilities, ids),
    _rows_and_ids,
    "Row i predicts the id at i + 1. The loss is the mean of -ln of these probabilities. The last row predicts nothing "
    "that is known.",
    examples=[
        ([[0.5, 0.25, 0.25], [0.25, 0.25, 0.5]], [0, 1]),
        ([[0.5, 0.25, 0.25], [0.125, 0.75, 0.125], [0.25, 0.25, 0.5]], [0, 1, 2]),
    ],
    wrong=(
        wrong.unshifted_loss,
        wrong.last_token_loss,
        (lambda probabilities, ids: fsum(_losses(probabilities, ids)), _MEAN),
        (lambda probabilities, ids: fsum(_losses(probabilities, ids)) / len(ids), _MEAN),
        (
            lambda probabilities, ids: fsum(_losses(probabilities, ids, log2)) / (len(ids) - 1),
            "A loss in nats uses the natural logarithm.",
        ),
        (
            lambda probabilities, ids: -next_token_loss(probabilities, ids),
            "The loss is the negative logarithm, so it is never below 0.",
        ),
        (
            lambda probabilities, ids: (
                fsum(-log(row[token]) for row, token in zip(probabilities[1:], ids, strict=False)) / (len(ids) - 1)
            ),
            "Row i predicts the next id, i + 1, and not the one before.",
        ),
    ),
    same=nearly_equal,
)
