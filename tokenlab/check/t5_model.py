"""The checks of lesson 14: what the decoder reads, whom it looks at, and one step with a cache."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from math import inf
from typing import TYPE_CHECKING, Any

from tokenlab.algorithms import attention_mask
from tokenlab.algorithms import cached_step as caching
from tokenlab.algorithms import shift_right as shifting
from tokenlab.algorithms.attention_head import Matrix, Row, Vector, softmax
from tokenlab.algorithms.attention_mask import LOWEST, Square
from tokenlab.algorithms.cached_step import Cache, RowsMade, rows_made
from tokenlab.algorithms.shift_right import IGNORED, Reads
from tokenlab.check import inputs
from tokenlab.check.answers import AnswerCheck, BugCheck
from tokenlab.check.functions import FunctionCheck
from tokenlab.check.t5_attention import is_number
from tokenlab.check.traces import Question, close
from tokenlab.misconceptions import rule_of
from tokenlab.misconceptions import t5_model as wrong
from tokenlab.steps import stepwise

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

# By hand.


@stepwise
def read_and_compute() -> Generator[Reads | RowsMade, None, tuple[tuple[int, ...], int, int]]:
    """What is read for four labels, and how many of them count; then two steps with a cache and five source tokens."""
    labels = [8, 9, 1, IGNORED]
    read = yield from shifting.shift_right.steps(labels)
    rows = yield from rows_made.steps(source_length=5, steps=2)
    return read, len(labels) - labels.count(IGNORED), rows[1][1]


inputs_and_rows = AnswerCheck(
    recording=read_and_compute.record,
    answers=lambda recording: recording.result,
    names=(
        "What the decoder reads",
        "The number of labels that count",
        "The number of rows of the source's keys in the second step",
    ),
    rules=(rule_of(wrong.no_shift), rule_of(wrong.pad_in_loss), rule_of(wrong.cross_kv_recomputed)),
)


# Shifting.


def inputs_of(labels: Sequence[int], start: int, pad: int) -> tuple[int, ...]:
    """What the decoder reads to predict these labels.

    >>> inputs_of([8, -100, -100], 5, 0)
    (5, 8, 0)
    """
    return shifting.shift_right(labels, start, pad)


def _labels() -> SearchStrategy[Any]:
    from hypothesis import strategies as st

    one = st.sampled_from((8, 9, 1, IGNORED, 30))
    return inputs.several(st.lists(one, min_size=1, max_size=5), inputs.one_of(0, 2, 7), inputs.one_of(0, 3))


def _first_labels(labels: Sequence[int], start: int, pad: int) -> Iterator[Question]:
    for end in range(1, len(labels) + 1):
        yield f"{end} label{'s' * (end > 1)}", (labels[:end], start, pad)


shift_right = FunctionCheck(
    inputs_of,
    _labels,
    "A start, then each label but the last; a label of -100 is read as padding.",
    examples=[([8], 0, 0), ([8, 9, 1], 0, 0), ([8, IGNORED, IGNORED], 0, 3), ([8, 9], 2, 0)],
    wrong=(
        (wrong.no_shift, rule_of(wrong.no_shift)),
        (wrong.double_pad, rule_of(wrong.double_pad)),
        (
            lambda labels, start, pad: [start, *labels[:-1]],
            "No embedding belongs to -100: in its place padding is read.",
        ),
        (
            lambda labels, start, pad: [*inputs_of(labels, start, pad), pad if labels[-1] == IGNORED else labels[-1]],
            "The last label is predicted and not read: there are as many inputs as labels.",
        ),
        (lambda labels, start, pad: inputs_of(labels, pad, pad), "The first position reads the start that is given."),
        (
            lambda labels, start, pad: [*inputs_of(labels, start, pad)[1:], start],
            "Each position reads what stands before its label, not what comes after it.",
        ),
    ),
    asking=_first_labels,
)


# The mask.


def mask_of(is_token: Sequence[int], lowest: float) -> Square:
    """What is added to the scores of a decoder: nothing, or the lowest number.

    >>> mask_of([1, 0], -9)
    ((0, -9), (0, -9))
    """
    return attention_mask.decoder_mask(is_token, lowest)


def _paddings() -> SearchStrategy[Any]:
    from hypothesis import strategies as st

    paddings = st.lists(st.sampled_from((1, 0)), min_size=1, max_size=5)
    return inputs.several(paddings, inputs.one_of(-9, LOWEST))


def _first_tokens(is_token: Sequence[int], lowest: float) -> Iterator[Question]:
    for end in range(1, len(is_token) + 1):
        yield f"{end} token{'s' * (end > 1)}", (is_token[:end], lowest)


def _square(is_token: Sequence[int], lowest: float, allowed: Any) -> list[list[float]]:
    places = range(len(is_token))
    return [[0 if allowed(query, key) else lowest for key in places] for query in places]


def _without_causal(is_token: Sequence[int], lowest: float) -> list[list[float]]:
    return _square(is_token, lowest, lambda query, key: is_token[key])


def _both_added(is_token: Sequence[int], lowest: float) -> list[list[float]]:
    places = range(len(is_token))
    return [[lowest * (key > query) + lowest * (1 - is_token[key]) for key in places] for query in places]


_ROWS = "Padding is nothing to look at. The rows of padding, whose output nobody uses, are like all others."

decoder_mask = FunctionCheck(
    mask_of,
    _paddings,
    "A query may look at a key if the key is not later and is no padding: then 0 is added, and else the lowest number.",
    examples=[([1], -9), ([1, 1], -9), ([1, 0], -9), ([0, 1], -9), ([1, 1, 1], LOWEST)],
    wrong=(
        (_without_causal, rule_of(wrong.no_causal_mask)),
        (
            lambda is_token, lowest: attention_mask.causal_mask(len(is_token), lowest),
            "No query looks at padding, wherever it stands.",
        ),
        (
            lambda is_token, lowest: _square(is_token, lowest, lambda query, key: key < query and is_token[key]),
            "A query looks at its own place, too: the first one has nothing else.",
        ),
        (
            lambda is_token, lowest: _square(is_token, lowest, lambda query, key: key >= query and is_token[key]),
            "A row belongs to a query, and a column to a key: what is allowed stands below the diagonal.",
        ),
        (_both_added, "A key is forbidden once, though for two reasons: twice the lowest number is minus infinity."),
        (
            lambda is_token, lowest: mask_of(is_token, -inf),
            "It is the lowest number that is added, not minus infinity.",
        ),
        (
            lambda is_token, lowest: [[int(not number) for number in row] for row in mask_of(is_token, lowest)],
            "The mask is added to scores: 0 changes nothing, and the lowest number forbids.",
        ),
        (
            lambda is_token, lowest: _square(is_token, lowest, lambda q, k: k <= q and is_token[k] and is_token[q]),
            _ROWS,
        ),
    ),
    asking=_first_tokens,
    same=close,
)


# One step with a cache.


def step_of(query: Vector, key: Vector, value: Vector, cache: Cache, biases: Vector) -> tuple[Row, Cache]:
    """What the newest token takes, and the cache with it.

    >>> step_of([0], [0], [8], ([], []), [0])
    ((8.0,), (([0],), ([8],)))
    """
    return caching.cached_step(query, key, value, cache, biases)


def _steps() -> SearchStrategy[Any]:
    """A token's vectors, a cache of up to three tokens, and a bias for each distance."""
    from hypothesis import strategies as st

    number = st.integers(-2, 2)

    def of(size: tuple[int, int, int]) -> SearchStrategy[Any]:
        wide, deep, cached = size
        key, value = st.lists(number, min_size=wide, max_size=wide), st.lists(number, min_size=deep, max_size=deep)
        cache = st.tuples(*(st.lists(rows, min_size=cached, max_size=cached) for rows in (key, value)))
        return st.tuples(key, key, value, cache, st.lists(number, min_size=cached + 1, max_size=cached + 1))

    return st.tuples(st.integers(1, 2), st.integers(1, 2), st.integers(0, 3)).flatmap(of)


def _from_the_left(query: Vector, key: Vector, value: Vector, cache: Cache, biases: Vector) -> tuple[Row, Cache]:
    return step_of(query, key, value, cache, biases[len(cache[0]) :: -1])


def _old_alone(query: Vector, key: Vector, value: Vector, cache: Cache, biases: Vector) -> tuple[Row, Cache]:
    return step_of(query, key, value, cache, biases)[0], cache


def _without_itself(query: Vector, key: Vector, value: Vector, cache: Cache, biases: Vector) -> tuple[Row, Cache]:
    after = step_of(query, key, value, cache, biases)[1]
    if not cache[0]:
        return tuple(0.0 for _ in value), after
    return step_of(query, cache[0][-1], cache[1][-1], (cache[0][:-1], cache[1][:-1]), biases[1:])[0], after


def _scaled(query: Vector, key: Vector, value: Vector, cache: Cache, biases: Vector) -> tuple[Row, Cache]:
    return step_of([x / len(query) ** 0.5 for x in query], key, value, cache, biases)


def _query_kept(query: Vector, key: Vector, value: Vector, cache: Cache, biases: Vector) -> tuple[Row, Cache]:
    output, (_, values) = step_of(query, key, value, cache, biases)
    return output, ((*cache[0], query), values)


_FORM = "Return a pair: what the new token takes, and the new cache, which is itself a pair, (keys, values)."


def _output_alone(query: Vector, key: Vector, value: Vector, cache: Cache, biases: Vector) -> Row:
    return step_of(query, key, value, cache, biases)[0]


def _cache_alone(query: Vector, key: Vector, value: Vector, cache: Cache, biases: Vector) -> Cache:
    return step_of(query, key, value, cache, biases)[1]


def _cache_first(query: Vector, key: Vector, value: Vector, cache: Cache, biases: Vector) -> tuple[Cache, Row]:
    output, after = step_of(query, key, value, cache, biases)
    return after, output


def _in_a_row(query: Vector, key: Vector, value: Vector, cache: Cache, biases: Vector) -> tuple[Row, Matrix, Matrix]:
    output, (keys, values) = step_of(query, key, value, cache, biases)
    return output, keys, values


cached_step = FunctionCheck(
    step_of,
    _steps,
    "The new key and value join the cache; the query is compared with all keys, the bias of each distance is added, "
    "and a softmax says how much of each value is taken.",
    examples=[
        ([1], [1], [4], ([], []), [0]),
        ([0], [0], [8], ([[0]], [[4]]), [0, 0]),
        ([0], [0], [8], ([[0]], [[4]]), [0, 2]),
        ([0], [0], [8], ([[0]], [[4]]), [2, 0]),
        ([1], [0], [8], ([[0], [1]], [[4], [2]]), [0, 1, 2]),
    ],
    wrong=(
        (wrong.cache_without_bias, rule_of(wrong.cache_without_bias)),
        (wrong.position_restart, rule_of(wrong.position_restart)),
        (
            _from_the_left,
            "The bias goes by the distance back from the new token: the newest key gets biases[0], the first in the "
            "cache the last one.",
        ),
        (_old_alone, "The new key and value are in the cache for the next step."),
        (_without_itself, "The new token looks at itself, too: its key and value join the cache first."),
        (_query_kept, "Keys and values are remembered; an earlier query is never needed again."),
        (_scaled, "A score is the product of query and key as it is, and the bias."),
        *((program, _FORM) for program in (_output_alone, _cache_alone, _cache_first, _in_a_row)),
    ),
    same=close,
)


# Finding a bug.


def _is_real(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _unusable_scores(scores: Any) -> str:
    if not isinstance(scores, list | tuple) or not 0 < len(scores) <= 64:
        return "Write a list of rows, one for each query, such as [[3]]."
    for row in scores:
        if not isinstance(row, list | tuple) or len(row) != len(scores) or not all(map(_is_real, row)):
            return "Write as many numbers in each row as there are rows: a score for each key."
        if not all(map(is_number, row)):
            return "Write numbers that are less than a million away from 0."
    return ""


def _causal_weights(scores: Matrix) -> list[Row]:
    mask = attention_mask.causal_mask(len(scores))
    added = [[score + more for score, more in zip(*rows, strict=True)] for rows in zip(scores, mask, strict=True)]
    return [softmax(row) for row in added]


bug_without_mask = BugCheck(
    wrong=wrong.no_causal_mask,
    right=_causal_weights,
    needs=_unusable_scores,
    rule=rule_of(wrong.no_causal_mask),
    example=([[0, 0], [0, 0]],),
    same=close,
)
