"""Our character map and rules for blanks beside sentencepiece's normalizer: its own tables, and any small table."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
import sentencepiece
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tests.strategies import texts
from tokenlab.algorithms.text.normalization_rules import EXCERPT, CharMap
from tokenlab.algorithms.text.normalize import SENTENCEPIECE, normalize

ON: dict[str, Any] = {"add_dummy_prefix": True, "escape_whitespaces": True, "remove_extra_whitespaces": True}
OFF: dict[str, Any] = dict.fromkeys(ON, False)


@cache
def live_and_ours(name: str) -> tuple[Any, CharMap]:
    live = sentencepiece.SentencePieceNormalizer(rule_name=name, **ON)
    return live, CharMap(dict(live.Decompile()), name)


def said(live: Any, text: str) -> str:
    return str(live.Normalize(text))


@pytest.mark.parametrize("name", ["nmt_nfkc", "nfkc", "nmt_nfkc_cf", "nfkc_cf"])
@examples(60)
@given(text=texts(surrogates=False, max_snippets=8) | st.text("a…ﬁ①㌔e\u0301\u0323 か\u3099 ｶ\uff9e\u200b\tＡ"))
def test_a_table_and_the_rules_for_blanks_normalize_as_there(name: str, text: str) -> None:
    live, table = live_and_ours(name)
    # A ▁ that was typed at the end is trimmed there, after it cannot be told from a blank.
    assert normalize(text + ".", [table, *SENTENCEPIECE]).text == said(live, text + ".")


PAIRS = st.tuples(st.text("abc日", min_size=1, max_size=4), st.text("abx日", max_size=3))
# The library refuses a key that is replaced by itself.
TABLES = st.lists(PAIRS.filter(lambda pair: pair[0] != pair[1]), min_size=1, max_size=9).map(dict)


@examples(150)
@given(TABLES, st.text("abcd日é", max_size=25))
def test_any_table_is_applied_as_there(table: dict[str, str], text: str) -> None:
    live = sentencepiece.SentencePieceNormalizer(norm_map=list(table.items()), **OFF)
    assert CharMap(table).replaced(text) == said(live, text)


@examples(150)
@given(st.text(" ab\u3000é", max_size=20), st.tuples(st.booleans(), st.booleans(), st.booleans()))
def test_each_rule_for_blanks_can_be_left_out_as_there(text: str, wanted: tuple[bool, bool, bool]) -> None:
    removes, adds, escapes = wanted
    options: dict[str, Any] = {
        "remove_extra_whitespaces": removes,
        "add_dummy_prefix": adds,
        "escape_whitespaces": escapes,
    }
    live = sentencepiece.SentencePieceNormalizer(norm_map=[("x", "y")], **options)
    rules = [rule for rule, is_wanted in zip(SENTENCEPIECE, wanted, strict=True) if is_wanted]
    assert normalize(text, rules).text == said(live, text)


def test_a_typed_meta_space_at_the_end_is_where_the_two_part() -> None:
    live = sentencepiece.SentencePieceNormalizer(norm_map=[("x", "y")], **ON)
    assert normalize("a▁", SENTENCEPIECE).text == "▁a▁"
    assert said(live, "a▁") == normalize("a▁", [*SENTENCEPIECE, "trim ▁"]).text == "▁a"


def test_nmt_nfkc_makes_a_blank_of_a_typed_meta_space() -> None:
    live, table = live_and_ours("nmt_nfkc")
    assert table["▁"] == " "
    assert said(live, "a▁b ▁") == normalize("a▁b ▁", [table, *SENTENCEPIECE]).text == "▁a▁b"


def test_the_excerpt_is_part_of_the_table() -> None:
    _, table = live_and_ours("nmt_nfkc")
    assert len(table) == 225_276
    assert {key: table[key] for key in EXCERPT} == EXCERPT
