"""Our rules give what tokenizers' normalizers give, but for characters that one of the two did not know yet.

Python 3.11 knows Unicode 14. tokenizers 0.23 is built from several tables: its normal forms and marks are older, its
lower case is newer. Every character is tried alone, what differs is pinned, and texts are made of the others.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers

from tests.examples import examples
from tests.parity.unicode_tables import (
    BETWEEN,
    CHARACTERS,
    CLEANED_THERE,
    NEW_BERT_MARKS,
    NEW_IN_NFD,
    NEW_IN_NFKC,
    NEW_LETTERS,
    NEW_MARKS,
    TYPING_ERROR,
    characters_in,
    settled,
)
from tests.strategies import texts
from tokenlab.algorithms.text.alignment import apply_replacements
from tokenlab.algorithms.text.normalize import BERT_CASED, BERT_UNCASED, RULES, normalize


def bert(**options: bool | None) -> Any:
    off: dict[str, Any] = {
        "clean_text": False,
        "handle_chinese_chars": False,
        "strip_accents": False,
        "lowercase": False,
    }
    return normalizers.BertNormalizer(**{**off, **options})


ROWS: list[tuple[str, Any, tuple[str, ...], str]] = [
    ("NFC", normalizers.NFC(), ("NFC",), ""),
    ("NFD", normalizers.NFD(), ("NFD",), NEW_IN_NFD),
    ("NFKC", normalizers.NFKC(), ("NFKC",), NEW_IN_NFKC),
    ("NFKD", normalizers.NFKD(), ("NFKD",), f"{NEW_IN_NFKC} {NEW_IN_NFD}"),
    ("Lowercase", normalizers.Lowercase(), ("lowercase",), NEW_LETTERS),
    ("StripAccents", normalizers.StripAccents(), ("strip marks",), NEW_MARKS),
    ("strip_accents", bert(strip_accents=True), ("NFD", "strip accents"), NEW_BERT_MARKS),
    ("clean_text", bert(clean_text=True), ("clean",), CLEANED_THERE),
    ("handle_chinese_chars", bert(handle_chinese_chars=True), ("space CJK",), TYPING_ERROR),
    ("lowercase", bert(lowercase=True), ("lowercase",), NEW_LETTERS),
]
BY_NAME = pytest.mark.parametrize(("live", "rules", "moved"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS])


NASTY = "eẹ\u0301\u0323\u0327가각 か\u3099\uff9eﬁ㌔①Ⅳé日\xa8İΣß\u200d\t"
hostile = (texts(surrogates=False) | st.text(NASTY)).map(settled)


def ours(text: str, rules: Iterable[str]) -> str:
    return normalize(text, rules).text


@BY_NAME
def test_each_character_is_normalized_as_there_but_for_those_that_are_named(
    live: Any, rules: tuple[str, ...], moved: str
) -> None:
    text = BETWEEN.join(CHARACTERS)
    there = live.normalize_str(text).split(BETWEEN)
    for rule in rules:
        text = apply_replacements(text, RULES[rule](text))
    here = text.split(BETWEEN)
    differing = {one for one, a, b in zip(CHARACTERS, here, there, strict=True) if a != b}
    assert differing == characters_in(moved) & {*CHARACTERS}


@BY_NAME
@examples(150)
@given(text=hostile)
def test_texts_are_normalized_as_there(live: Any, rules: tuple[str, ...], moved: str, text: str) -> None:
    assert ours(text, rules) == live.normalize_str(text)


@examples(300)
@given(hostile)
def test_berts_normalizer_is_the_chain_of_its_rules(text: str) -> None:
    uncased, cased = normalizers.BertNormalizer(), normalizers.BertNormalizer(lowercase=False)
    in_their_order = ("clean", "space CJK", "NFD", "strip accents", "lowercase")
    assert ours(text, in_their_order) == uncased.normalize_str(text)
    assert ours(text, BERT_CASED) == cased.normalize_str(text)
    # Lower case before the accents or after them: the same, but for the sigma that ends a word.
    assert ours(text, BERT_UNCASED).replace("ς", "σ") == uncased.normalize_str(text).replace("ς", "σ")


def test_a_sigma_that_ends_a_word_is_where_the_two_part() -> None:
    assert ours("ΟΔΟΣ", BERT_UNCASED) == "οδος"
    assert normalizers.BertNormalizer().normalize_str("ΟΔΟΣ") == "οδοσ"


def spans_there(text: str, normalizer: Any) -> list[tuple[int, int]]:
    """The span of each character: all are tokens of their own."""
    tokenizer = Tokenizer(models.WordLevel({"[UNK]": 0}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex(r"[\s\S]"), "isolated")
    tokenizer.normalizer = normalizer
    return list(tokenizer.encode(text).offsets)


@pytest.mark.parametrize("text", ["a…b", "①½ Ⅳ", "Café", "ﬁŉ日㌔", "İ", "e\u0301", "🏳️‍🌈a", "각"], ids=ascii)
def test_spans_are_those_of_tokenizers(text: str) -> None:
    live = normalizers.Sequence([normalizers.NFKD(), normalizers.Lowercase()])
    assert list(normalize(text, ["NFKD", "lowercase"]).spans) == spans_there(text, live)
    assert list(normalize(text, BERT_UNCASED).spans) == spans_there(text, normalizers.BertNormalizer())


def test_a_letter_that_was_put_together_has_the_span_of_its_first_part_there_and_of_all_parts_here() -> None:
    assert spans_there("xe\u0301", normalizers.NFC()) == [(0, 1), (1, 2)]
    assert list(normalize("xe\u0301", ["NFC"]).spans) == [(0, 1), (1, 3)]
