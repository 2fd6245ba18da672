"""Our rules give what tokenizers' normalizers give, but for characters that one of the two did not know yet.

Python 3.11 knows Unicode 14. tokenizers 0.23 is built from several tables: its normal forms and marks are older, its
lower case is newer. Every character is tried alone, what differs is pinned, and texts are made of the others.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers

from tests.strategies import texts
from tokenlab.algorithms.align import rewrite
from tokenlab.algorithms.normalize import BERT_CASED, BERT_UNCASED, RULES, normalize

BETWEEN = "ↂ"  # which nothing becomes, and which becomes nothing else
# Planes 4 to 13 are empty, and of those for private use the ends will do.
CODES = [*range(0xD800), *range(0xE000, 0x32000), *range(0xE0000, 0xE0200), 0xF0000, 0xFFFFD, 0x100000, 0x10FFFD]
CHARACTERS = [chr(code) for code in CODES if chr(code) != BETWEEN]


def bert(**options: bool | None) -> Any:
    off: dict[str, Any] = {
        "clean_text": False,
        "handle_chinese_chars": False,
        "strip_accents": False,
        "lowercase": False,
    }
    return normalizers.BertNormalizer(**{**off, **options})


NEW_IN_NFKC = "32ff a7f2-a7f4 ab69 10781-10785 10787-107b0 107b2-107ba 1f16c 1fbf0-1fbf9"
NEW_LETTERS = "1c89 a7cb-a7cc a7ce a7d2 a7d4 a7da a7dc 10d50-10d65 16ea0-16eb8"
NEW_MARKS = """
    7fd 898-89f 8ca-8d3 9fe afa-aff b55 c04 c3c d00 d3b-d3c d81 eba 1715 180f 1abf-1ace 1cf2-1cf3 1cf7
    1df6-1dfa a82c a8ff 10d24-10d27 10eab-10eac 10f46-10f50 10f82-10f85 11070 11073-11074 110c2 11145-11146
    111c9 111ce-111cf 1133b 1145e 1182c-1183a 11930-11935 11937-11938 1193b-1193e 11940 11942-11943
    119d1-119d7 119da-119e0 119e4 11a01-11a0a 11a33-11a39 11a3b-11a3e 11a47 11a51-11a5b 11a8a-11a99
    11d31-11d36 11d3a 11d3c-11d3d 11d3f-11d45 11d47 11d8a-11d8e 11d90-11d91 11d93-11d97 11ef3-11ef6 16f4f
    16f7f-16f87 16fe4 16ff0-16ff1 1cf00-1cf2d 1cf30-1cf46 1e130-1e136 1e2ae 1e2ec-1e2ef"""
# BertNormalizer asks another table than StripAccents, which has fewer marks again.
NEW_BERT_MARKS = """
    7fd 898-89f 8ca-8e1 9fe afa-aff b55 c04 c3c d00 d3b-d3c d81 eba 1734 180f 1885-1886 1abf-1ace 1df6-1dfb
    a82c a8c5 a8ff a9bd 10d24-10d27 10eab-10eac 10f46-10f50 10f82-10f85 11070 11073-11074 110c2 111c9 111cf
    1123e 1133b 11438-1143f 11442-11444 11446 1145e 1182f-11837 11839-1183a 11938 1193b-1193c 1193e 11943
    119d4-119d7 119da-119db 119e0 11a01-11a0a 11a33-11a38 11a3b-11a3e 11a47 11a51-11a56 11a59-11a5b
    11a8a-11a96 11a98-11a99 11c30-11c36 11c38-11c3d 11c3f 11c92-11ca7 11caa-11cb0 11cb2-11cb3 11cb5-11cb6
    11d31-11d36 11d3a 11d3c-11d3d 11d3f-11d45 11d47 11d90-11d91 11d95 11d97 11ef3-11ef4 16f4f 16fe4
    1cf00-1cf2d 1cf30-1cf46 1e000-1e006 1e008-1e018 1e01b-1e021 1e023-1e024 1e026-1e02a 1e130-1e136 1e2ae
    1e2ec-1e2ef 1e944-1e94a"""
# Private use, which google-research's cleaning keeps and tokenizers removes; the two separators, of which tokenizers
# makes blanks; and controls that came later.
CLEANED_THERE = "890-891 8e2 2028-2029 e000-f8ff 110cd 13430-13438 f0000-ffffd 100000-10fffd"
# tokenizers writes 2B920 where google-research writes 2B820.
TYPING_ERROR = "2b820-2b91f"

ROWS: list[tuple[str, Any, tuple[str, ...], str]] = [
    ("NFC", normalizers.NFC(), ("NFC",), ""),
    ("NFD", normalizers.NFD(), ("NFD",), "11938"),
    ("NFKC", normalizers.NFKC(), ("NFKC",), NEW_IN_NFKC),
    ("NFKD", normalizers.NFKD(), ("NFKD",), f"{NEW_IN_NFKC} 11938"),
    ("Lowercase", normalizers.Lowercase(), ("lowercase",), NEW_LETTERS),
    ("StripAccents", normalizers.StripAccents(), ("strip marks",), NEW_MARKS),
    ("strip_accents", bert(strip_accents=True), ("NFD", "strip accents"), NEW_BERT_MARKS),
    ("clean_text", bert(clean_text=True), ("clean",), CLEANED_THERE),
    ("handle_chinese_chars", bert(handle_chinese_chars=True), ("space CJK",), TYPING_ERROR),
    ("lowercase", bert(lowercase=True), ("lowercase",), NEW_LETTERS),
]
BY_NAME = pytest.mark.parametrize(("live", "rules", "moved"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS])


def characters_in(ranges: str) -> set[str]:
    bounds = [part.partition("-")[::2] for part in ranges.split()]
    return {chr(code) for first, last in bounds for code in range(int(first, 16), int(last or first, 16) + 1)}


EVERYWHERE = " ".join(row[-1] for row in ROWS)


@cache
def moved_anywhere() -> set[str]:
    return characters_in(EVERYWHERE)


def settled(text: str) -> str:
    """The text without the characters of which the two know different things."""
    return "".join(character for character in text if character not in moved_anywhere())


hostile = (texts(surrogates=False) | st.text("eẹ\u0301\u0323\u0327가각 か\u3099\uff9eﬁ㌔①Ⅳé日\u00a8İΣß\u200d\t")).map(
    settled
)


def ours(text: str, rules: Iterable[str]) -> str:
    return normalize(text, rules).text


@BY_NAME
def test_each_character_is_normalized_as_there_but_for_those_that_are_named(
    live: Any, rules: tuple[str, ...], moved: str
) -> None:
    text = BETWEEN.join(CHARACTERS)
    there = live.normalize_str(text).split(BETWEEN)
    for rule in rules:
        text = rewrite(text, RULES[rule](text))
    here = text.split(BETWEEN)
    differing = {one for one, a, b in zip(CHARACTERS, here, there, strict=True) if a != b}
    assert differing == characters_in(moved) & {*CHARACTERS}


@BY_NAME
@settings(max_examples=150)
@given(text=hostile)
def test_texts_are_normalized_as_there(live: Any, rules: tuple[str, ...], moved: str, text: str) -> None:
    assert ours(text, rules) == live.normalize_str(text)


@settings(max_examples=300)
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
