"""Unused pieces are taken apart, as deep as merges made them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokenlab.algorithms.bpe.resegment import PieceSplit, resegment

PARTS = {"ab": ("a", "b"), "abc": ("ab", "c"), "abcab": ("abc", "ab"), "cd": ("c", "d")}


def test_parts_of_an_unused_piece_are_taken_apart_too() -> None:
    assert resegment(["abcab", "cd"], PARTS, {"abcab", "abc", "ab"}) == ("a", "b", "c", "a", "b", "cd")
    assert resegment(["abcab"], PARTS, {"abcab", "ab"}) == ("abc", "a", "b")


def test_a_used_piece_keeps_its_unused_parts_inside() -> None:
    assert resegment(["abc"], PARTS, {"ab"}) == ("abc",)


def test_an_unused_piece_that_no_merge_made_stays() -> None:
    assert resegment(["a", "x"], PARTS, {"a", "x"}) == ("a", "x")


@pytest.mark.parametrize("parts", [("a", ""), ("", "a"), ("a", "a"), ("b", "c")])
def test_parts_that_do_not_make_the_piece_are_refused(parts: tuple[str, str]) -> None:
    with pytest.raises(ValueError, match=r"^parts\['a'\]=.*: give two shorter pieces that make 'a'$"):
        resegment(["a"], {"a": parts}, {"a"})


def test_each_step_says_where_and_into_what() -> None:
    steps = list(resegment.steps(["x", "abc"], PARTS, {"abc", "ab"}))
    assert steps == [PieceSplit(1, "abc", ("ab", "c")), PieceSplit(1, "ab", ("a", "b"))]


@given(st.lists(st.sampled_from([*PARTS, "a", "b", "x"])), st.sets(st.sampled_from(sorted(PARTS))))
def test_the_text_stays_and_no_unused_piece_is_left(pieces: list[str], unused: set[str]) -> None:
    result = resegment(pieces, PARTS, unused)
    assert "".join(result) == "".join(pieces)
    assert not unused & {*result}
    assert unused & {*pieces} or result == tuple(pieces)
