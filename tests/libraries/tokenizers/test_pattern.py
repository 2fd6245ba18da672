"""Regex: Oniguruma's patterns match as in tokenizers 0.23.3, or are refused."""

from __future__ import annotations

from typing import Any

import pytest
import regex
import tokenizers as library
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tests.strategies import texts
from tokenlab.libraries.tokenizers.text.oniguruma_classes import DIFFERENT
from tokenlab.libraries.tokenizers.text.pattern import Regex, find_matches

TEXTS = (
    *("", "\n", "\r\n\n", "aabab12 b\nc", "abc\n\n d\r\n\x85\u2028", "1234567 #&~-. ", "don't we'LL"),
    "Stra\u00dfe SS \u00df ss \ufb01 \u03a3\u03c3\u03c2 \u0130i\u0131I \u212aKk a\u00e9\u00c9",
    "日本語ひ 12345 ²³½ ①, a\u200db e\u0301 \U0001e030 ʕ Ⓐ 🄰 \u0660!?",
)
PATTERNS = (
    "a{2}?",
    "a{2}+",
    "a{1,2}+",
    "a{,1}b",
    "a{3,1}",
    "a**",
    "a+*",
    "a{x",
    "a{",
    "{",
    "a{,}",
    "+",
    "(?:)*",
    "^*",
    "$+",
    "\\b*",
    "(?=a)*a",
    "a(?i)B|x",
    "(?i)B",
    "(?<=a+)b",
    "(?<=a|ab)b",
    "(?<=(a|ab))b",
    "(?<!a*)b",
    "\\K",
    "a\\Kb",
    "(a)(?<n>b)\\1",
    "(?<n>b)a\\k<n>",
    "(b)a\\g<1>",
    "(b)a\\k<-1>",
    "\\N",
    "\\O",
    "[a-\\d]",
    "[\\d-a]",
    "[a-]",
    "[-a]",
    "[]a]",
    "[]",
    "[b-a]",
    "[a&&]",
    "[^a&&b]",
    "[a-c&&[^b]]",
    "[^a-c&&[^b]]",
    "[a--b]",
    "[a||b]",
    "[a~~b]",
    "[[a]",
    "[a[b]]",
    "[[:foo:]]",
    "[[:alpha]]",
    "[:alpha:]",
    "\\j",
    "\\",
    "a\\",
    "(?<a",
    "(?P<n>a)",
    "(?P=n)",
    "(*FAIL)",
    "(?(1)a|b)",
    "(a)?(?(1)b|c)",
    "(?x) a b # c",
    "(?x:a b)b",
    "(?-i)a",
    "(?im-x:a.)",
    ")",
    "a)",
    "(?#x)a",
    "\\x61",
    "\\x{61}",
    "\\u0061",
    "\\141",
    "\\0",
    "\\e",
    "\\cA",
    "\\C-a",
    "\\v",
    "\\xC3\\xA9",
    "\\xC3",
    "\\p{Foo}",
    "\\p{^L}",
    "\\P{^L}",
    "\\pL",
    "[\\p{L}]",
    "(?<n>a)(b)",
    "(?u)a",
    "(?a)a",
    "\\g<0>",
    "a|",
    "|a",
    "(?:|a)",
    "(?!)",
    "a{0}",
    "a{100001}",
    "(?:a?)*",
    "(a*)*",
    "(a*)+",
    "[\\w&&[^\\d]]",
    "(?>a+)",
    "a++b",
    "a?+",
    "a*?",
    "[a\\]b]",
    "[\\^a]",
    "[^]",
    "\\A",
    "\\G",
    "(?i)ß",
    "(?=(a))\\1",
    "\\R",
    "\\X",
    "[\\R]",
    "[\\X]",
    "[\\b]",
    "[\\h]",
    "[a-b-c]",
    "[a-b-]",
    "[\\x61-\\x63]",
    "\\8",
    "\\18",
    "(a)\\2",
    "(?<n>a)\\1",
    "\\k<x>",
    "(?<n>a)|(?<n>b)\\k<n>",
    "(?|a)",
    "(?^a)",
    "(?i",
    "(?",
    "(?<",
    "(?<>a)",
    "(?<1>a)",
    "a{1}{2}",
    "x*",
    "(?:ab)?",
    "[ ]",
    "(?'n'a)",
    "(?<n>\\g<n>?b)",
    "^",
    "$",
    "\\Z",
    "\\z",
    ".",
    "(?m).",
    "(?m:.)b",
    "\\w",
    "\\W+",
    "\\d",
    "\\D",
    "\\s",
    "\\S+",
    "\\b",
    "\\B",
    "[[:alnum:]]",
    "[[:punct:]]+",
    "[[:^punct:]]",
    "\\p{Alnum}",
    "\\p{XDigit}",
    "\\p{Punct}",
    "\\p{C}",
    "\\p{Cn}",
    "\\P{Cn}",
    "\\p{Ll}",
    "\\p{Lo}",
    "\\p{Word}",
    "\\p{Han}",
    "\\p{Script=Greek}",
    "\\p{Any}",
    "[^\\p{L}\\p{N}]",
    "[^\\w\\s]",
    "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+",
    "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}|"
    " ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+",
    "[^(\\s|[.,!?…。，、।۔،])]+",
    "\\p{Lu}(?=\\p{Ll})",
    "(?i)σ",
    "(?i)k",
    "(?i)[a-z]",
    "(?i)İ",
    "(?i)i",
    "(?i)ss",
    "(?i)ﬁ",
    "(?i)[ß]",
    "(?i)[^ß]",
    "[\\p{L}&&[^a-z]]",
    "[\\p{L}&&\\p{Lu}]",
    "[^\\p{L}&&[^a]]",
    "[a-z&&[aeiou]&&[^e]]",
    "(?x)[ a]",
    "(?i)\\p{Lu}",
    "\\.\\-\\#\\&\\~\\ ",
    "\\p{InBasicLatin}",
    "\\p{Letter}",
    "\\p{lu}",
    "\\p{ L u }",
    "\\p{Ideographic}",
    "[\\p{Han}\\p{Hiragana}]+",
    "(?<=\\d)(?=(\\d{3})+\\b)",
    "\\h+",
    "\\H",
    "(?<y>a)\\g<y>",
    "a{,2}?",
    "a{1,}+",
    "a{2,}?",
    "(?<=^|b)a",
    "a\\n",
    "\\/",
    "[\\n\\t]",
    "[\\u0061-\\u{64}]",
    "\\u{61}",
    "\\x",
    "\\u12",
    "[\\x{1F600}-\\x{1F64F}]",
    "[😀-🙏]",
)
# Grapheme clusters have another Unicode version.
SAFE = tuple(pattern for pattern in PATTERNS if "X" not in pattern.replace("XDigit", "").replace("B|x", ""))


def parts_in_library(pattern: str, text: str) -> list[str] | None:
    """Return the parts of a text, or None if the library refuses the pattern."""
    try:
        compiled = library.Regex(pattern)
    except Exception:
        return None
    return [part.normalized for part in library.NormalizedString(text).split(compiled, "isolated")]


def parts_here(pattern: str, text: str) -> list[str] | None:
    try:
        compiled = Regex(pattern)
    except ValueError:
        return None
    return [text[start:end] for (start, end), _ in find_matches(compiled, text)]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_patterns_match_or_are_refused_as_in_the_library(pattern: str) -> None:
    for text in TEXTS:
        assert parts_here(pattern, text) == parts_in_library(pattern, text), text


@examples(100)
@given(st.sampled_from(SAFE), texts(surrogates=False, max_snippets=5, repeated=1))
def test_patterns_match_random_texts_as_in_the_library(pattern: str, text: str) -> None:
    assert parts_here(pattern, text) == parts_in_library(pattern, text)


ATOMS = st.sampled_from(
    ["a", "b", ".", "[ab]", "[^a]", r"\w", r"\s", r"\d", r"\p{L}", "(a|b)", "(?:ab)", "(?>a+)", "^", "$"]
)
QUANTIFIERS = st.sampled_from(["", "", "*", "+", "?", "{2}", "{1,2}", "{,2}", "*?", "++", "{2}?", "{1,2}+"])


@examples(100)
@given(
    st.lists(st.tuples(ATOMS, QUANTIFIERS).map("".join) | st.just("|"), max_size=5).map("".join),
    st.text("ab1 \né", max_size=9),
)
def test_random_patterns_match_as_in_the_library(pattern: str, text: str) -> None:
    assert parts_here(pattern, text) == parts_in_library(pattern, text)


@pytest.mark.slow
@pytest.mark.parametrize(
    "pattern",
    [
        r"\w",
        r"[\w]",
        r"\d",
        r"\s",
        r"\h",
        r"\p{L}",
        r"\p{N}",
        r"\p{Ll}",
        r"\p{C}",
        "[[:alnum:]]",
        "[[:punct:]]",
        r"\b.",
    ],
)
def test_sets_have_the_librarys_characters(pattern: str) -> None:
    mine, other = Regex(pattern), library.normalizers.Replace(library.Regex(pattern), "\0")
    for start in range(1, 0x110000, 4096):
        text = "".join(chr(code) for code in range(start, min(start + 4096, 0x110000)) if not 0xD800 <= code < 0xE000)
        expected = [place for place, character in enumerate(other.normalize_str(text)) if character == "\0"]
        assert [span[0] for span in mine.spans(text)] == expected


@pytest.mark.parametrize(
    ("pattern", "name"),
    [
        ("a(?~b)", "absent operator"),
        ("(?{x})", "callout"),
        (r"\y", "text segment boundary"),
        (r"\M-a", "meta character"),
        (r"(?<n>a)\k<n+1>", "level of recursion"),
        ("(?y{g})a", "option"),
    ],
)
def test_an_unsupported_construct_is_named(pattern: str, name: str) -> None:
    with pytest.raises(ValueError, match=name):
        Regex(pattern)


@pytest.mark.parametrize("pattern", ["(", "[a", "*", r"\p{Foo}", "[b-a]", "(?z)", r"\g<0>", ")"])
def test_an_invalid_pattern_is_refused(pattern: str) -> None:
    with pytest.raises(ValueError, match="pattern="):
        Regex(pattern)


@pytest.mark.parametrize(("pattern", "error"), [(3, TypeError), ("\ud800", UnicodeEncodeError)])
def test_other_types_and_surrogates_are_refused_as_in_the_library(pattern: Any, error: type[Exception]) -> None:
    for kind in (Regex, library.Regex):
        with pytest.raises(error):
            kind(pattern)


def test_functions_are_patterns_too() -> None:
    assert find_matches(str.isupper, "aBC") == [((0, 1), False), ((1, 2), True), ((2, 3), True)]
    assert find_matches("", "ab") == [((0, 2), False)]
    assert find_matches("aa", "aaa") == [((0, 2), True), ((2, 3), False)]


def test_characters_with_different_properties_use_the_exact_pattern() -> None:
    letter = Regex(r"\p{L}")
    assert regex.search(r"\p{L}", "\ua7cb")  # assigned in Unicode 16
    assert DIFFERENT.search("\ua7ce")
    assert letter.spans("\ua7ce") == []
