r"""Names in `\p{...}` are accepted and refused as in tokenizers 0.23.3, and have the library's characters."""

from __future__ import annotations

import pytest
import tokenizers as library
from regex import _regex_core

from tokenlab.libraries.tokenizers.text.oniguruma_classes import DIFFERENT
from tokenlab.libraries.tokenizers.text.pattern import Regex

PLAIN = {
    name.replace("_", "").replace("-", "").replace(" ", "").lower()
    for name, (_, values) in _regex_core.PROPERTIES.items()
    for name in (name, *values)
    if name.replace("_", "").isalnum()
}
NAMES = sorted(PLAIN | {f"in{name}" for name in PLAIN})  # all that `regex` knows
KNOWN_DIFFERENCES = "incb innoblock dia diacritic extpict extendedpictographic cwcm cwt cwu changeswhencasemapped"
NEWER = {*KNOWN_DIFFERENCES.split(), "changeswhentitlecased", "changeswhenuppercased"}


def is_known(kind: type, name: str) -> bool:
    try:
        kind(rf"\p{{{name}}}")
    except Exception:
        return False
    return True


def test_the_names_that_regex_knows_are_accepted_and_refused_as_in_the_library() -> None:
    expected = {name for name in NAMES if is_known(library.Regex, name)}
    assert len(expected) > 800
    assert {name for name in NAMES if is_known(Regex, name)} == expected - {"incb"}


@pytest.mark.parametrize(
    "name",
    [
        *("In_Greek", "In_Greek_And_Coptic", "in basic-latin", "Latin-1", "InASCII", "ASCII", "In_Latin_1_Supplement"),
        *("L\tu", "L\u00a0u", "-L-u_", " Lu ", "^ Lu", " ^Lu", "^^Lu", "", " ", "\u212aana", "han\u212a", "L&", "Lu\n"),
        *("Is_Lu", "isgreek", "gc=Lu", "Script=Greek", "Age=6.0", "XPosixAlpha", "Beria_Erfe", "Garay", "Sunuwar"),
    ],
)
def test_spelled_names_are_accepted_and_refused_as_in_the_library(name: str) -> None:
    assert is_known(Regex, name) == is_known(library.Regex, name)


@pytest.mark.slow
def test_properties_have_the_librarys_characters() -> None:
    codes = [code for code in range(1, 0x32000) if not 0xD800 <= code < 0xE000]
    text = "".join(chr(code) for code in codes if code < 0x300 or code % 13 == 0 or DIFFERENT.match(chr(code)))
    for name in NAMES:
        if name in NEWER or not is_known(library.Regex, name):
            continue
        marked = library.normalizers.Replace(library.Regex(rf"\p{{{name}}}"), "\0").normalize_str(text)
        expected = "".join(old for old, new in zip(text, marked, strict=True) if new == "\0")
        assert "".join(text[start:end] for start, end in Regex(rf"\p{{{name}}}+").spans(text)) == expected, name


@pytest.mark.parametrize(
    ("name", "inside", "outside"),
    [
        ("IDC", "a7é", "⿰ "),  # ID_Continue, not the block of Ideographic Description Characters
        ("VS", "\ufe0f\U000e0100", "a"),  # Variation_Selector, not the block
        ("Lower", "aʕ", "A"),
        ("Cased", "aAʕ", "1"),
        ("PosixPunct", "!$Ⓐ", "a"),
        ("Punct", "!", "$a"),
        ("InLatinExtendedD", "\ua7ce\ua7cb", "a"),  # a block has characters that are not assigned
        ("Unknown", "\ua7ce", "\ua7cba"),
        ("PatternSyntax", "\u2b96!", "a"),
    ],
)
def test_a_property_has_these_characters_and_lacks_those(name: str, inside: str, outside: str) -> None:
    theirs = library.NormalizedString(inside + outside).split(library.Regex(rf"\p{{{name}}}+"), "isolated")
    assert theirs[0].normalized == inside
    assert Regex(rf"\p{{{name}}}+").spans(inside + outside) == [(0, len(inside))]


@pytest.mark.parametrize(
    ("upper", "lower"), ["\ua7cb\u0264", "\ua7dc\u019b", "\u1c89\u1c8a", "\U00010d65\U00010d85", "Kk"]
)
def test_case_is_ignored_for_the_characters_of_unicode_16(upper: str, lower: str) -> None:
    for one, other in ((upper, lower), (lower, upper)):
        theirs = library.NormalizedString(f"{one}{other}_").split(library.Regex(f"(?i){one}+"), "isolated")
        assert [part.normalized for part in theirs] == [one + other, "_"]
        assert Regex(f"(?i){one}+").spans(f"{one}{other}_") == [(0, 2)]
