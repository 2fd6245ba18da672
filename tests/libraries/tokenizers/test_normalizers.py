"""Normalizers: the results, alignments, saved fields and errors of tokenizers 0.23.3."""

from __future__ import annotations

import copy
import json
import pickle
import unicodedata
from functools import cache
from typing import Any

import pytest
import tokenizers as library
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tests.parity.live import CHARACTERS
from tests.strategies import texts
from tokenlab.libraries.sentencepiece.builder import compile_charsmap, load_charsmap
from tokenlab.libraries.tokenizers import normalizers as ours
from tokenlab.libraries.tokenizers.normalizers import from_json
from tokenlab.libraries.tokenizers.text.normalized_string import NormalizedString
from tokenlab.libraries.tokenizers.text.pattern import Regex

theirs = library.normalizers
SIMPLE = ("NFC", "NFD", "NFKC", "NFKD", "Lowercase", "StripAccents", "Nmt", "ByteLevel")
BERT = {
    str(options): options
    for clean in (True, False)
    for strip in (True, False, None)
    for options in (
        {"clean_text": clean, "handle_chinese_chars": not clean, "strip_accents": strip, "lowercase": clean},
    )
}


@cache
def special_characters() -> tuple[list[str], list[str]]:
    """Return all combining marks, and all characters that have a decomposition."""
    marks = [one for one in CHARACTERS if unicodedata.combining(one)]
    return marks, [one for one in CHARACTERS if unicodedata.normalize("NFKD", one) != one and one not in "가힣"]


@st.composite
def accented(draw: Any) -> str:
    """Texts full of marks that compose, decompose and change places."""
    marks, decomposed = special_characters()
    some = st.sampled_from("aeİσ日\t\n\x00\x07 \ufffd▁") | st.sampled_from(marks) | st.sampled_from(decomposed)
    parts: list[str] = [*draw(st.lists(some, max_size=9)), draw(texts(surrogates=False, max_snippets=3, repeated=1))]
    return "".join(parts)


PATTERNS = ("a", "", "ab", " ", "e", Regex("^"), Regex("a+"), Regex("$"), Regex(r"\s+"), Regex("."), Regex("a?"))
CONTENTS = st.sampled_from(["", "x", "xy", "▁"])


def single() -> st.SearchStrategy[ours.Normalizer]:
    """Return normalizers with every option."""
    bools = st.booleans()
    return st.one_of(
        st.sampled_from([getattr(ours, name)() for name in SIMPLE]),
        st.builds(ours.Strip, bools, bools),
        st.builds(ours.Prepend, CONTENTS),
        st.builds(ours.Replace, st.sampled_from(PATTERNS), CONTENTS),
        st.builds(ours.BertNormalizer, bools, bools, st.none() | bools, bools),
    )


NORMALIZERS = single() | st.lists(single(), max_size=4).map(ours.Sequence)


def in_library(normalizer: ours.Normalizer) -> Any:
    """Return the library's normalizer with the same saved fields."""
    fields = normalizer.to_json()
    if fields["type"] == "Sequence":
        return theirs.Sequence([in_library(item) for item in normalizer])  # type: ignore[attr-defined]
    if fields["type"] == "Replace":
        (kind, pattern), *_ = fields["pattern"].items()
        return theirs.Replace(pattern if kind == "String" else library.Regex(pattern), fields["content"])
    options = {name.removeprefix("strip_") if fields["type"] == "Strip" else name: fields[name] for name in fields}
    return getattr(theirs, options.pop("type"))(**options)


def places_in_library(text: str, normalizer: Any) -> list[tuple[str, tuple[int, int]]]:
    """Return the characters of the library's normalized text with their spans of the original."""
    parts = library.PreTokenizedString(text)
    parts.normalize(normalizer.normalize)
    parts.split(lambda _, whole: [whole[place, place + 1] for place in range(len(whole.normalized))])
    return [(part, span) for part, span, _ in parts.get_splits("original", "char")]


@examples(62)
@given(accented(), NORMALIZERS)
def test_texts_and_alignments_are_the_librarys(text: str, normalizer: ours.Normalizer) -> None:
    try:
        expected = in_library(normalizer).normalize_str(text)
        places = places_in_library(text, in_library(normalizer))
    except BaseException as error:
        assert type(error).__name__ == "PanicException"
        with pytest.raises(ValueError):
            normalizer.normalize_str(text)
        return
    assert normalizer.normalize_str(text) == expected
    normalized = NormalizedString(text)
    normalizer.normalize(normalized)
    assert normalized.normalized == expected
    if expected:
        assert list(zip(expected, normalized.alignments, strict=True)) == places


@pytest.mark.slow
@pytest.mark.parametrize("name", [*SIMPLE, *BERT])
def test_every_code_point_is_the_librarys(name: str) -> None:
    mine, other = (
        kind.BertNormalizer(**BERT[name]) if name in BERT else getattr(kind, name)() for kind in (ours, theirs)
    )
    for start in range(0, len(CHARACTERS), 1000):  # "|" keeps them apart; one call for each would take 5 times as long
        text = "|".join(text for one in CHARACTERS[start : start + 1000] for text in (one, "x" + one))
        assert mine.normalize_str(text) == other.normalize_str(text), ascii(CHARACTERS[start])


@pytest.mark.slow
def test_the_library_strips_the_same_code_points() -> None:
    for one in CHARACTERS:
        assert ours.Strip().normalize_str(one) == theirs.Strip().normalize_str(one), ascii(one)


def test_many_code_points_are_the_librarys() -> None:
    for name in (*SIMPLE, "Strip", *BERT):
        mine, other = (
            kind.BertNormalizer(**BERT[name]) if name in BERT else getattr(kind, name)() for kind in (ours, theirs)
        )
        for text in ["x" + one for one in CHARACTERS[:0x3400:7] + CHARACTERS[0xF200:0x20000:17]]:
            assert mine.normalize_str(text) == other.normalize_str(text), (name, text)


def test_the_ends_of_the_chinese_blocks_are_the_librarys() -> None:
    ends = (
        0x3400,
        0x4DC0,
        0x4E00,
        0xA000,
        0xF900,
        0xFB00,
        0x20000,
        0x2A6E0,
        0x2A700,
        0x2B740,
        0x2B820,
        0x2B920,
        0x2CEB0,
    )
    for code in (*ends, 0x2F800, 0x2FA20):
        for text in (chr(code - 1), chr(code)):
            assert ours.BertNormalizer().normalize_str(text) == theirs.BertNormalizer().normalize_str(text)


@pytest.mark.parametrize("form", ["NFC", "NFKC"])
def test_a_mark_of_the_same_class_blocks_composition(form: str) -> None:
    text = "a\u030d\u0301é\u0323\u0302"  # the last accents change places, so the alignment is computed
    normalizer = getattr(ours, form)()
    normalized = NormalizedString(text)
    normalizer.normalize(normalized)
    places = list(zip(normalized.normalized, normalized.alignments, strict=True))
    assert places == places_in_library(text, getattr(theirs, form)())


OWN_TABLE = {"a": "bb", "ab": "x", "abc": "", "e\u0301": "é", "日": "日本", "\u0301": "", "b": "", "B": "bB", "½": "1"}


@cache
def tables() -> dict[str, bytes]:
    return {"own": compile_charsmap(OWN_TABLE)} | {name: load_charsmap(name) for name in ("nmt_nfkc", "nfkc_cf")}


@pytest.mark.parametrize("name", ["own", "nmt_nfkc", "nfkc_cf"])
@examples(60)
@given(text=accented())
def test_precompiled_tables_give_the_librarys_texts_and_alignments(name: str, text: str) -> None:
    mine, other = ours.Precompiled(tables()[name]), theirs.Precompiled(tables()[name])
    expected = other.normalize_str(text)
    assert mine.normalize_str(text) == expected
    normalized = NormalizedString(text)
    mine.normalize(normalized)
    if expected:
        assert list(zip(normalized.normalized, normalized.alignments, strict=True)) == places_in_library(text, other)


@pytest.mark.slow
def test_every_code_point_after_a_letter_is_the_librarys_grapheme_cluster() -> None:
    table = compile_charsmap({"a": "b", "½": "1"})
    mine, other = ours.Precompiled(table), theirs.Precompiled(table)
    for one in CHARACTERS:
        assert mine.normalize_str("a" + one) == other.normalize_str("a" + one), ascii(one)


def test_the_shortest_key_replaces_a_short_cluster() -> None:
    table = compile_charsmap({"½": "1/2"})
    for kind in (ours, theirs):
        # The first cluster has 4 bytes and loses its accent; the second has 6 bytes and keeps its accents.
        assert kind.Precompiled(table).normalize_str("½\u0301 ½\u0301\u0301") == "1/2 1/2\u0301\u0301"


@examples(60)
@given(NORMALIZERS)
def test_saved_fields_and_repr_are_the_librarys(normalizer: ours.Normalizer) -> None:
    other = in_library(normalizer)
    assert normalizer.__getstate__() == other.__getstate__()
    assert (repr(normalizer), str(normalizer)) == (repr(other), str(other))
    for again in (pickle.loads(pickle.dumps(normalizer)), copy.deepcopy(normalizer)):
        assert type(again) is type(normalizer)
        assert repr(again) == repr(other)
    assert repr(from_json(normalizer.to_json())) == repr(other)


@pytest.mark.parametrize(
    "fields",
    [
        {"strip_left": True, "strip_right": False},
        {"type": "StripNormalizer", "strip_left": True, "strip_right": True},
        {"type": "Bert", "clean_text": True, "handle_chinese_chars": True, "lowercase": False},
        {"clean_text": True, "handle_chinese_chars": True, "strip_accents": None, "lowercase": True},
        {"pattern": {"String": "a"}, "content": "b"},
        {"prepend": "a"},
        {"normalizers": []},
        {"type": "Sequence", "normalizers": [{"type": "NFC"}, {"type": "Sequence", "normalizers": [{"type": "NFD"}]}]},
        {"type": "NFC", "more": 1},
        {"type": "Strip"},
        {"type": "Strip", "strip_left": 1, "strip_right": False},
        {"type": "Replace", "pattern": {"Regex": "("}, "content": "b"},
        {"type": "Replace", "pattern": "a", "content": "b"},
        {"type": "Foo"},
        {},
        {"type": "Sequence", "normalizers": [{"type": "Foo"}]},
    ],
)
def test_files_of_older_versions_are_read_as_by_the_library(fields: dict[str, Any]) -> None:
    other = theirs.NFC()
    try:
        other.__setstate__(json.dumps(fields).encode())
    except Exception:
        with pytest.raises(ValueError):
            from_json(fields)
    else:
        assert json.loads(other.__getstate__()) == from_json(fields).to_json()


@pytest.mark.parametrize(
    "call",
    [
        lambda kind, _: kind.Normalizer(),
        lambda kind, _: kind.Sequence([3]),
        lambda kind, _: kind.Sequence((kind.NFC(),)),
        lambda kind, _: kind.Sequence(),
        lambda kind, _: kind.Sequence([kind.NFC()])[-1],
        lambda kind, _: kind.Sequence([kind.NFC()])[1],
        lambda kind, _: kind.Sequence([kind.NFC()]).__setitem__(1, kind.NFC()),
        lambda kind, _: kind.Sequence([kind.NFC()]).__setitem__(0, 3),
        lambda kind, _: kind.BertNormalizer(1),
        lambda kind, _: kind.BertNormalizer(strip_accents=0),
        lambda kind, _: setattr(kind.BertNormalizer(), "lowercase", 1),
        lambda kind, _: kind.Prepend(3),
        lambda kind, _: kind.Replace(3, "a"),
        lambda kind, _: kind.Replace("a", 3),
        lambda kind, _: setattr(kind.Replace("a", "b"), "pattern", 3),
        lambda kind, _: kind.NFC().normalize_str(3),
        lambda kind, _: kind.NFC().normalize("a"),
        lambda kind, _: kind.NFC().normalize_str("\ud800"),
        lambda kind, _: kind.NFC(3),
        lambda kind, _: kind.Precompiled("a"),
        lambda kind, _: kind.Precompiled(None),
        lambda kind, _: kind.unicode_normalizer_from_str("nfx"),
    ],
)
def test_errors_have_the_librarys_types(call: Any) -> None:
    with pytest.raises(Exception) as expected:
        call(theirs, library)
    with pytest.raises(expected.type):
        call(ours, None)


@pytest.mark.parametrize(
    "call",
    [
        lambda kind: kind.Replace("a", "b").pattern,
        lambda kind: setattr(kind.Replace("a", "b"), "pattern", "c"),
        lambda kind: kind.Sequence([kind.NFC()]).__setitem__(0, kind.Sequence([])),
        lambda kind: pickle.dumps(kind.Sequence([kind.Normalizer.custom(object())])),
        lambda kind: kind.Normalizer.custom(object()).normalize_str("a"),
        lambda kind: kind.Precompiled(b"abcdefgh"),
    ],
)
def test_the_librarys_plain_exceptions_are_value_errors(call: Any) -> None:
    with pytest.raises(Exception) as expected:
        call(theirs)
    assert expected.type is Exception
    with pytest.raises(ValueError):
        call(ours)


def test_a_sequence_shares_its_items_until_they_are_replaced() -> None:
    strip = ours.Strip()
    sequence = ours.Sequence([strip, ours.Sequence([ours.Prepend("x")])])
    assert len(sequence) == 2
    strip.left = False
    sequence[1] = strip
    strip.right = False
    assert repr(sequence) == (
        "Sequence(normalizers=[Strip(strip_left=False, strip_right=False), Strip(strip_left=False, strip_right=True)])"
    )


def test_a_custom_normalizer_cannot_keep_its_text() -> None:
    class Keeps:
        def normalize(self, normalized: Any) -> None:
            self.kept = normalized
            normalized.replace("there", "you")
            ours.Lowercase().normalize(normalized)

    keeps = Keeps()
    assert ours.Normalizer.custom(keeps).normalize_str("Hey there!") == "hey you!"
    with pytest.raises(ValueError, match="Cannot use a NormalizedStringRefMut outside `normalize`"):
        keeps.kept.replace("a", "b")
    sequence = ours.Sequence([ours.NFC()])
    sequence[0] = ours.Normalizer.custom(keeps)
    assert sequence.normalize_str("there") == "you"
