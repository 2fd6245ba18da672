"""A character map: the longest key wins at each place, from left to right, and nothing is replaced twice."""

from __future__ import annotations

import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import texts
from tokenlab.algorithms.text.alignment import Replacement
from tokenlab.algorithms.text.normalization_rules import CharMap

MAPS = st.dictionaries(st.text("abc日\u0301", min_size=1, max_size=4), st.text("abx", max_size=2), max_size=12)
SHORT = st.text("abcd日\u0301", max_size=20)


def by_trying_all(table: dict[str, str], text: str) -> str:
    """What the rule says, as slowly as it can be said."""
    result = ""
    while text:
        fitting = sorted((key for key in table if text.startswith(key)), key=len)
        taken = fitting[-1] if fitting else text[0]
        result += table.get(taken, taken)
        text = text[len(taken) :]
    return result


@given(MAPS, SHORT)
def test_the_longest_key_wins_at_each_place(table: dict[str, str], text: str) -> None:
    assert CharMap(table).replaced(text) == by_trying_all(table, text)


def test_what_was_put_in_is_not_looked_at_again() -> None:
    assert CharMap({"a": "b", "b": "c"}).replaced("ab") == "bc"


def test_a_key_that_is_replaced_by_itself_keeps_others_away_and_is_no_change() -> None:
    replace = CharMap({"ab": "ab", "b": "x"})
    assert list(replace("abb")) == [Replacement(2, "b", "x")]


def test_each_replacement_has_its_place() -> None:
    replace = CharMap({"①": "1", "½": "1/2", "\u200b": ""})
    assert list(replace("a①\u200b½")) == [
        Replacement(1, "①", "1"),
        Replacement(2, "\u200b", ""),
        Replacement(3, "½", "1/2"),
    ]
    assert replace.aligned("a①\u200b½").spans == ((0, 1), (1, 2), (3, 4), (3, 4), (3, 4))


@given(texts())
def test_an_empty_map_changes_nothing(text: str) -> None:
    assert CharMap({}).replaced(text) == text


def test_a_key_at_the_end_is_found_though_a_longer_one_would_not_fit() -> None:
    assert CharMap({"ab": "1", "abc": "2", "a": "3"}).replaced("abca") == "23"


def test_a_map_is_a_mapping_and_keeps_its_own_copy() -> None:
    table = {"a": "b"}
    replace = CharMap(table, "mine")
    table["a"] = "c"
    assert (dict(replace), len(replace), replace["a"], repr(replace)) == ({"a": "b"}, 1, "b", "<CharMap mine: 1 keys>")


def test_a_map_can_be_sent_to_another_process() -> None:
    assert pickle.loads(pickle.dumps(CharMap({"ab": "c"}))).replaced("aab") == "ac"


@pytest.mark.parametrize(
    ("table", "kind", "says"),
    [
        ({"": "a"}, ValueError, "empty key"),
        ({"a": 1}, TypeError, "maps 'a' to 1"),
        ({b"a": "b"}, TypeError, "maps b'a' to 'b'"),
    ],
)
def test_a_table_that_cannot_be_applied_is_refused(table: Any, kind: type[Exception], says: str) -> None:
    with pytest.raises(kind, match=says):
        CharMap(table)
