"""What a function answers about more and more of its input, beside the right answers; whatever the answers are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tokenlab import show
from tokenlab.algorithms.bpe.train import merge
from tokenlab.check.exercises.bpe_training import count_pairs, merged_count, training
from tokenlab.check.trace_comparison import Answer, comparable, equal_values, trace, tuples_throughout
from tokenlab.misconceptions.bpe_training import batch_merge_stale_counts, nonoverlap_count

BROKEN = (("a", "b", "a", "b"), ("a", "b"))


def prefixes(split: Any, pair: Any) -> Any:
    for end in range(1, len(split) + 1):
        yield f"of {end}", (split[:end], pair)


def first_only(split: Any, pair: Any) -> Any:
    return merge(split[:2], pair) + tuple(split[2:])


def test_a_function_is_asked_about_more_and_more() -> None:
    recording = trace(merge, BROKEN, prefixes, "yours")
    assert str(recording) == "1. of 1: a\n2. of 2: ab\n3. of 3: ab a\n4. of 4: ab ab"
    assert recording.result == ("ab", "ab")


def test_two_functions_part_at_the_first_answer_that_differs() -> None:
    difference = trace(first_only, BROKEN, prefixes, "yours").diff(trace(merge, BROKEN, prefixes, "expected"))
    assert difference and difference.index == 3


def test_an_answer_that_cannot_be_given_is_told_where_it_comes() -> None:
    def raises_at_three(split: Any, pair: Any) -> Any:
        return merge(split, pair) if len(split) < 3 else 1 / 0

    recording = trace(raises_at_three, BROKEN, prefixes, "yours")
    assert [bool(answer.problem) for answer in recording] == [False, False, True, True]
    assert "of 3: raises ZeroDivisionError" in str(recording)


@pytest.mark.parametrize(
    ("value", "sentences"),
    [
        (("ab", "c"), "1. index 0: ab\n2. index 1: c"),
        ("ab", "1. index 0: a\n2. index 1: b"),
        ({b"b": 1, b"a": 0}, "1. b'a': 0\n2. b'b': 1"),
        ([(1, 2), []], "1. index 0: 1 2\n2. index 1: (nothing)"),
        (7, "1. the whole: 7"),
        (True, "1. the whole: True"),
        ({1}, "1. the whole: {1}"),
        (object(), "1. the whole: <object object>"),
        ((), "1. the whole: (nothing)"),
        ("", "1. the whole: (nothing)"),
        ({}, "1. the whole: (nothing)"),
        ([" ", "\n"], "1. index 0: ␣\n2. index 1: ↵"),
        (["\ud83d"], "1. index 0: \\ud83d"),
        ([float("nan")], "1. index 0: nan"),
        ([{1}, {"b", "a"}], "1. index 0: {1}\n2. index 1: {'a', 'b'}"),
    ],
)
def test_without_a_way_to_ask_the_parts_of_the_result_are_shown(value: Any, sentences: str) -> None:
    assert str(trace(lambda: value, (), None, "yours")) == sentences


def test_where_nothing_can_be_asked_the_result_is_shown() -> None:
    assert str(trace(merge, ((), ("a", "b")), prefixes, "yours")) == "1. the whole: (nothing)"


def test_text_and_bytes_look_different() -> None:
    assert str(trace(lambda: ["a", b"a"], (), None, "yours")) == "1. index 0: a\n2. index 1: b'a'"


def test_pairs_are_told_apart() -> None:
    recording = trace(lambda: 1, (), lambda: [("two", ())], "yours")
    assert str(Answer("merges", (("a", "b"), ("ab", "c")))) == "merges: a+b, ab+c" and len(recording) == 1


def test_the_order_in_which_a_table_was_filled_makes_no_difference() -> None:
    one, other = {"a": 1, "b": 2}, {"b": 2, "a": 1}
    assert trace(lambda: one, (), None, "yours").diff(trace(lambda: other, (), None, "expected")) is None


def test_lists_count_as_tuples() -> None:
    assert trace(lambda: ["a"], (), None, "yours").diff(trace(lambda: ("a",), (), None, "expected")) is None
    assert equal_values([["a"], ("b",)], (("a",), ["b"])) and not equal_values(["a"], "a")
    assert tuples_throughout({"a": [1]}) == {"a": (1,)}


def test_numbers_part_where_they_differ_by_more_than_rounding() -> None:
    mine, right = ([0.1 + 0.2, -3.4028234e38, number] for number in (0.25, 0.5))
    difference = trace(lambda: mine, (), None, "yours").diff(
        trace(lambda: [0.3, -3.4028235e38, 0.5], (), None, "expected")
    )
    assert difference and difference.index == 2
    assert trace(lambda: right, (), None, "yours").diff(trace(lambda: [0.3, -3.4028235e38, 0.5], (), None, "e")) is None


def test_rows_of_numbers_are_not_added_up() -> None:
    answers = trace(lambda: [(("a", "b"), "c"), ((0, -9.0), (1, 2)), (((0,), (3,)), ())], (), None, "yours")
    assert str(answers) == "1. index 0: a+b, c\n2. index 1: [0 -9], [1 2]\n3. index 2: [[0] [3]], (nothing)"
    frames = show.compare(answers, answers).tracks[0].frames
    assert "[<b>0</b> <b>-9</b>]" in str(frames[-1].panels[0].rows)


def test_long_numbers_are_shortened() -> None:
    said = str(trace(lambda: [0.1 + 0.2, 1.0, (2 / 3, -3.4028234663852886e38), float("nan")], (), None, "yours"))
    assert said == "1. index 0: 0.3\n2. index 1: 1\n3. index 2: 0.666667 -3.40282e+38\n4. index 3: nan"


class Unwilling:
    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, _: object) -> bool:
        raise RuntimeError


def itself() -> list[Any]:
    inner: list[Any] = []
    inner.append(inner)
    return inner


@pytest.mark.parametrize("value", [Unwilling(), [Unwilling()], np.array([1, 2]), [np.array([1, 2])], itself()])
def test_what_cannot_be_compared_is_not_alike_and_can_be_drawn(value: Any) -> None:
    assert not equal_values(value, (1,)) and not equal_values((1,), value)
    player = show.compare(trace(lambda: value, (), None, "yours"), trace(lambda: (1,), (), None, "expected"))
    assert player.html and str(player)


def test_a_value_is_made_plain_once_and_for_all() -> None:
    assert comparable(["a", ("b", 1)]) == ("a", ("b", 1))
    assert comparable({"a": [None]}) == {"a": (None,)}
    assert len(comparable(["a"] * 10_000)) == 301 and len(comparable("a" * 10_000)) <= 300
    assert len(comparable(dict.fromkeys(range(10000), 0))) == 300


def test_markup_in_an_answer_is_text() -> None:
    player = show.compare(
        trace(lambda: ("<script>",), (), None, "yours"), trace(lambda: ("<b>",), (), None, "expected")
    )
    for frame in (frame for track in player.tracks for frame in track.frames):
        assert all("<script>" not in row for panel in frame.panels for row in panel.rows)
        assert "<script>" not in frame.caption


def test_the_questions_of_the_exercises_end_with_the_whole() -> None:
    arguments = ({"ab": ("a", "b"), "c": ("c",)}, {"ab": 2, "c": 1})
    assert count_pairs.traced_calls and [*count_pairs.traced_calls(*arguments)][-1][1] == arguments
    assert merged_count.traced_calls and [*merged_count.traced_calls(*BROKEN)][-1][1] == BROKEN
    assert training.traced_calls and [*training.traced_calls({"ab": 1}, 4)][-1][1] == ({"ab": 1}, 4)


def test_training_is_asked_for_larger_and_larger_vocabularies() -> None:
    recording = trace(batch_merge_stale_counts, ({"hug": 10, "pug": 5, "pun": 12}, 7), training.traced_calls, "yours")
    assert str(recording) == "1. 6 entries: p+u\n2. 7 entries: p+u, u+g"


def test_counts_are_spoken_pair_by_pair() -> None:
    recording = trace(nonoverlap_count, ({"aab": tuple("aab")}, {"aab": 2}), count_pairs.traced_calls, "yours")
    assert str(recording) == "1. up to 'aab': a a: 2, a b: 2"
