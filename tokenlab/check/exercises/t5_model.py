"""The checks of lesson 15: the decoder's input, its attention mask, and one step with a KV cache."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from math import inf
from typing import Any

from tokenlab.algorithms.attention import decoder as shifting
from tokenlab.algorithms.attention.attention_weights import softmax
from tokenlab.algorithms.attention.decoder import (
    IGNORE_INDEX,
    MIN_VALUE,
    Cache,
    DecoderInput,
    ProjectionsComputed,
    cached_attention,
    projections_computed,
)
from tokenlab.algorithms.attention.decoder import decoder_mask as additive_mask
from tokenlab.algorithms.vectors import Matrix, Row, Vector
from tokenlab.check import strategies as inputs
from tokenlab.check.answer_check import AnswerCheck, BugCheck
from tokenlab.check.exercises.t5_attention import is_number
from tokenlab.check.function_check import FunctionCheck
from tokenlab.check.strategies import Strategy, st
from tokenlab.check.trace_comparison import nearly_equal, prefix_calls
from tokenlab.misconceptions import t5_model as wrong
from tokenlab.misconceptions.catalog import rule_of
from tokenlab.steps.recording import stepwise

# By hand.


@stepwise
def inputs_and_projections_by_hand() -> Generator[
    DecoderInput | ProjectionsComputed, None, tuple[tuple[int, ...], int, int]
]:
    """Shift four labels right and count those in the loss; then two steps with a cache and five source tokens."""
    labels = [8, 9, 1, IGNORE_INDEX]
    read = yield from shifting.shift_right.steps(labels)
    rows = yield from projections_computed.steps(source_length=5, steps=2)
    return read, len(labels) - labels.count(IGNORE_INDEX), rows[1][1]


inputs_and_projections = AnswerCheck(
    recording=inputs_and_projections_by_hand.record,
    answers=lambda recording: recording.result,
    names=(
        "The decoder's input",
        "The number of labels that are not ignored",
        "The number of source key rows computed in the second step",
    ),
    rules=(rule_of(wrong.no_shift), rule_of(wrong.pad_in_loss), rule_of(wrong.cross_kv_recomputed)),
)


# Shifting.

shift_right = FunctionCheck(
    shifting.shift_right,
    lambda: st.tuples(
        st.lists(inputs.sampled(8, 9, 1, IGNORE_INDEX, 30), min_size=1, max_size=5),
        inputs.sampled(0, 2, 7),
        inputs.sampled(0, 3),
    ),
    "The decoder input is the start id and then each label except the last. Padding replaces a label of -100.",
    examples=[([8], 0, 0), ([8, 9, 1], 0, 0), ([8, IGNORE_INDEX, IGNORE_INDEX], 0, 3), ([8, 9], 2, 0)],
    wrong=(
        wrong.no_shift,
        wrong.double_pad,
        (lambda labels, start, pad: [start, *labels[:-1]], "-100 has no embedding: it is replaced by padding."),
        (
            lambda labels, start, pad: [
                *shifting.shift_right(labels, start, pad),
                pad if labels[-1] == IGNORE_INDEX else labels[-1],
            ],
            "The last label is predicted but not an input: there are equally many inputs and labels.",
        ),
        (lambda labels, start, pad: shifting.shift_right(labels, pad, pad), "The first input is the given start id."),
        (
            lambda labels, start, pad: [*shifting.shift_right(labels, start, pad)[1:], start],
            "The input of each position is the label before its own, not the one after it.",
        ),
    ),
    traced_calls=prefix_calls("label", least=1),
    lists=1,
)


# The mask.


def _square(attention_mask: Sequence[int], min_value: float, allowed: Any) -> list[list[float]]:
    places = range(len(attention_mask))
    return [[0 if allowed(query, key) else min_value for key in places] for query in places]


_ROWS = "Only keys that are padding are hidden. Padding queries, whose output is not used, have rows like all others."

decoder_mask = FunctionCheck(
    additive_mask,
    lambda: st.tuples(st.lists(inputs.sampled(1, 0), min_size=1, max_size=5), inputs.sampled(-9, MIN_VALUE)),
    "The mask is 0 for a key that is not later than the query and no padding, and the lowest number elsewhere.",
    examples=[([1], -9), ([1, 1], -9), ([1, 0], -9), ([0, 1], -9), ([1, 1, 1], MIN_VALUE)],
    wrong=(
        (lambda mask, value: _square(mask, value, lambda query, key: mask[key]), wrong.no_causal_mask),
        (lambda mask, value: additive_mask([1] * len(mask), value), "No query attends to padding, at any position."),
        (
            lambda mask, value: _square(mask, value, lambda query, key: key < query and mask[key]),
            "A query also attends to its own position: the first query has no other key.",
        ),
        (
            lambda mask, value: _square(mask, value, lambda query, key: key >= query and mask[key]),
            "Rows are queries and columns are keys: the visible keys are on and below the diagonal.",
        ),
        (
            lambda mask, value: [
                [value * (key > query) + value * (1 - token) for key, token in enumerate(mask)]
                for query in range(len(mask))
            ],
            "Hide a key only once, even for two reasons: twice the lowest number is -inf.",
        ),
        (lambda mask, value: additive_mask(mask, -inf), "Use the lowest number, not -inf."),
        (
            lambda *given: [[int(not number) for number in row] for row in additive_mask(*given)],
            "The mask is added to the scores: 0 changes nothing, and the lowest number hides a key.",
        ),
        (lambda mask, value: _square(mask, value, lambda q, k: k <= q and mask[k] and mask[q]), _ROWS),
    ),
    traced_calls=prefix_calls("token", least=1),
    same=nearly_equal,
    lists=2,
)


# One step with a cache.


def _steps() -> Strategy:
    """Draw a token's vectors, a cache of up to three tokens, and a bias for each distance."""
    number = st.integers(-2, 2)

    def of(wide: int, deep: int, longer: int) -> Strategy:
        key, value = inputs.of_length(wide, number), inputs.of_length(deep, number)
        cache = st.tuples(*(inputs.of_length(longer - 1, rows) for rows in (key, value)))
        return st.tuples(key, key, value, cache, inputs.of_length(longer, number))

    return inputs.of_sizes(of, 2, 2, 4)


def _without_itself(query: Vector, key: Vector, value: Vector, cache: Cache, biases: Vector) -> tuple[Row, Cache]:
    after = cached_attention(query, key, value, cache, biases)[1]
    if not cache[0]:
        return tuple(0.0 for _ in value), after
    return cached_attention(query, cache[0][-1], cache[1][-1], (cache[0][:-1], cache[1][:-1]), biases[1:])[0], after


def _query_cached(query: Vector, key: Vector, value: Vector, cache: Cache, biases: Vector) -> tuple[Row, Cache]:
    output, (_, values) = cached_attention(query, key, value, cache, biases)
    return output, ((*cache[0], query), values)


_FORM = "Return a pair: the output of the new token, and the new cache, which is itself a pair, (keys, values)."

cached_step = FunctionCheck(
    cached_attention,
    _steps,
    "The new key and value are appended to the cache. The bias of each distance is added to the score of its key. "
    "The softmax of these sums weights the values.",
    examples=[
        ([1], [1], [4], ([], []), [0]),
        ([0], [0], [8], ([[0]], [[4]]), [0, 0]),
        ([0], [0], [8], ([[0]], [[4]]), [0, 2]),
        ([0], [0], [8], ([[0]], [[4]]), [2, 0]),
        ([1], [0], [8], ([[0], [1]], [[4], [2]]), [0, 1, 2]),
    ],
    wrong=(
        wrong.cache_without_bias,
        wrong.position_restart,
        (
            lambda query, key, value, cache, biases: cached_attention(
                query, key, value, cache, biases[len(cache[0]) :: -1]
            ),
            "The bias depends on the distance back from the new token: the newest key gets biases[0], the first key "
            "in the cache gets the last bias.",
        ),
        (
            lambda query, key, value, cache, biases: (cached_attention(query, key, value, cache, biases)[0], cache),
            "The returned cache contains the new key and value.",
        ),
        (_without_itself, "The new token also attends to itself: append its key and value first."),
        (_query_cached, "The cache stores keys and values. An earlier query is never needed again."),
        (
            lambda query, *given: cached_attention([x / len(query) ** 0.5 for x in query], *given),
            "A score is the dot product of query and key, without a division.",
        ),
        (lambda *given: cached_attention(*given)[0], _FORM),
        (lambda *given: cached_attention(*given)[1], _FORM),
        (lambda *given: cached_attention(*given)[::-1], _FORM),
        (lambda *given: (cached_attention(*given)[0], *cached_attention(*given)[1]), _FORM),
    ),
    same=nearly_equal,
)


# Finding a bug.


def _is_real(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _unusable_scores(scores: Any) -> str:
    if not isinstance(scores, list | tuple) or not 0 < len(scores) <= 64:
        return "Write a list of rows, one for each query, such as [[3]]."
    for row in scores:
        if not isinstance(row, list | tuple) or len(row) != len(scores) or not all(map(_is_real, row)):
            return "Each row needs one number for each row of the list: a score for each key."
        if not all(map(is_number, row)):
            return "Write numbers with an absolute value below 1,000,000."
    return ""


def _causal_weights(scores: Matrix) -> list[Row]:
    mask = additive_mask([1] * len(scores))
    added = [[score + more for score, more in zip(*rows, strict=True)] for rows in zip(scores, mask, strict=True)]
    return [softmax(row) for row in added]


bug_without_mask = BugCheck(
    program=wrong.no_causal_mask,
    right=_causal_weights,
    input_problem=_unusable_scores,
    example=([[0, 0], [0, 0]],),
    same=nearly_equal,
)
