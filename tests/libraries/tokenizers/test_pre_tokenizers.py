"""Pre-tokenizers: the same as the library's on hostile texts and on all characters, fast and aligned."""

from __future__ import annotations

import json
import pickle
import random
from typing import Any

import pytest
import tokenizers
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import pre_tokenizers as library

from tests.examples import examples
from tests.parity.live import CHARACTERS
from tests.strategies import texts
from tokenlab.algorithms.pipeline.split_behavior import BEHAVIORS
from tokenlab.libraries.tokenizers import pre_tokenizers as ours
from tokenlab.libraries.tokenizers.pre_tokenizers import from_json
from tokenlab.libraries.tokenizers.text.pattern import Regex
from tokenlab.libraries.tokenizers.text.pre_tokenized_string import PreTokenizedString

BOOLEANS = (False, True)
SIMPLE: list[tuple[str, dict[str, Any]]] = [
    *[(name, {}) for name in ("BertPreTokenizer", "Whitespace", "WhitespaceSplit", "UnicodeScripts")],
    *[("ByteLevel", {"add_prefix_space": space, "use_regex": split}) for space in BOOLEANS for split in BOOLEANS],
    *[("CharDelimiterSplit", {"delimiter": delimiter}) for delimiter in (" ", "a", "é", "▁")],
    *[("Digits", {"individual_digits": individual}) for individual in BOOLEANS],
    *[("FixedLength", {"length": length}) for length in (1, 3, 5)],
    *[
        ("Metaspace", {"replacement": replacement, "prepend_scheme": scheme, "split": split})
        for replacement in ("▁", "_", " ")
        for scheme in ("first", "never", "always")
        for split in BOOLEANS
    ],
    *[("Punctuation", {"behavior": behavior}) for behavior in BEHAVIORS],
    *[
        ("Split", {"pattern": pattern, "behavior": behavior, "invert": invert})
        for pattern in (" ", "", "aa", "regex:[a-z]+", r"regex:\s", r"regex:'s|[^\s]{1,3}|\s+", "regex:b*")
        for behavior in BEHAVIORS
        for invert in BOOLEANS
    ],
]


def pair(name: str, arguments: dict[str, Any]) -> tuple[Any, ours.PreTokenizer]:
    """The same pre-tokenizer of the library and of ours."""
    made = []
    for package, kind in ((library, tokenizers.Regex), (ours, Regex)):
        given = dict(arguments)
        if str(given.get("pattern")).startswith("regex:"):
            given["pattern"] = kind(given["pattern"].removeprefix("regex:"))
        made.append(getattr(package, name)(**given))
    return made[0], made[1]


single = st.sampled_from(SIMPLE)


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Any, ours.PreTokenizer]:
    """One pre-tokenizer, or a sequence of up to three."""
    chosen = [pair(*one) for one in draw(st.lists(single, min_size=1, max_size=3))]
    if len(chosen) == 1:
        return chosen[0]
    return library.Sequence([one for one, _ in chosen]), ours.Sequence([one for _, one in chosen])


def all_splits(text: Any) -> list[Any]:
    """The splits of a PreTokenizedString in both referentials and both units."""
    return [text.get_splits(*kind) for kind in [(a, b) for a in ("original", "normalized") for b in ("char", "byte")]]


@pytest.mark.parametrize(("name", "arguments"), SIMPLE, ids=str)
def test_each_is_the_library_s_on_fixed_texts(name: str, arguments: dict[str, Any]) -> None:
    expected, pre_tokenizer = pair(name, arguments)
    for text in ("", " ", "a", "Hello my  friend", "日本語 aab, 12½ x²!", "\x1c\x85 'll don't\n\n end ", "▁▁a_ _é"):
        assert pre_tokenizer.pre_tokenize_str(text) == expected.pre_tokenize_str(text), text
        assert pre_tokenizer.split_text(text, True) == [part for part, _ in expected.pre_tokenize_str(text)], text
        assert pre_tokenizer.split_text(text, False) == pre_tokenizer.split_aligned(text, False), text
        assert repr(pre_tokenizer) == repr(expected) and str(pre_tokenizer) == str(expected)
        assert json.loads(pre_tokenizer.__getstate__()) == json.loads(expected.__getstate__())


@given(pairs(), texts(surrogates=False, repeated=3))
@examples(150)
def test_splits_and_offsets_are_the_library_s(both: tuple[Any, ours.PreTokenizer], text: str) -> None:
    expected, found = tokenizers.PreTokenizedString(text), PreTokenizedString(text)
    both[0].pre_tokenize(expected)
    both[1].pre_tokenize(found)
    assert all_splits(found) == all_splits(expected), both[1]


@given(pairs(), texts(surrogates=False, repeated=3), st.booleans())
@examples(150)
def test_the_fast_texts_are_the_aligned_ones(both: tuple[Any, ours.PreTokenizer], text: str, at_start: bool) -> None:
    assert both[1].split_text(text, at_start) == both[1].split_aligned(text, at_start), both[1]


@pytest.mark.parametrize("name", sorted({name for name, _ in SIMPLE}))
def test_the_classes_that_only_split_return_slices_of_the_text(name: str) -> None:
    text = "_Née a▁b  Straße, 12 's x"
    settings = [arguments for one, arguments in SIMPLE if one == name]
    found = [pair(name, arguments)[0].pre_tokenize_str(text) for arguments in settings]
    slices = all(part == text[slice(*offsets)] for parts in found for part, offsets in parts)
    assert getattr(ours, name)._only_splits == slices
    assert not any(kind._only_splits for kind in (ours.Sequence, type(ours.PreTokenizer.custom(None))))


CLASSES = [
    *[
        ("BertPreTokenizer", {}),
        ("Whitespace", {}),
        ("WhitespaceSplit", {}),
        ("Punctuation", {}),
        ("UnicodeScripts", {}),
    ],
    *[("Digits", {"individual_digits": True}), ("ByteLevel", {"add_prefix_space": False})],
]


@pytest.mark.cases(1)
@pytest.mark.parametrize(("name", "arguments"), CLASSES, ids=str)
def test_all_characters_are_in_the_library_s_classes(name: str, arguments: dict[str, Any]) -> None:
    expected, pre_tokenizer = pair(name, arguments)
    # A character of another class moves a boundary, whatever its neighbours are.
    text = "".join(random.Random(0).sample(CHARACTERS, len(CHARACTERS)))
    assert pre_tokenizer.split_text(text, True) == [part for part, _ in expected.pre_tokenize_str(text)]


def test_sequences_share_their_items() -> None:
    for package in (library, ours):
        digits = package.Digits()
        sequence = package.Sequence([package.Whitespace(), package.Sequence([digits])])
        digits.individual_digits = True
        assert [part for part, _ in sequence.pre_tokenize_str("a 12")] == ["a", "1", "2"]
        sequence[1].individual_digits = False
        assert digits.individual_digits is False and type(sequence[1]) is package.Digits
        assert [type(one) for one in sequence] == [package.Whitespace, package.Digits]


def test_an_assigned_item_is_a_copy() -> None:
    for package in (library, ours):
        sequence, digits = package.Sequence([package.Whitespace()]), package.Digits()
        sequence[0] = digits
        digits.individual_digits = True
        assert repr(sequence) == "Sequence(pretokenizers=[Digits(individual_digits=False)])"


@pytest.mark.parametrize(("name", "arguments"), SIMPLE, ids=str)
def test_pickles_and_tokenizer_json(name: str, arguments: dict[str, Any]) -> None:
    expected, pre_tokenizer = pair(name, arguments)
    copy = pickle.loads(pickle.dumps(pre_tokenizer))
    assert type(copy) is type(pre_tokenizer) and copy.to_json() == pre_tokenizer.to_json()
    assert repr(copy) == repr(expected)
    loaded = from_json(json.loads(expected.__getstate__()))
    assert type(loaded) is type(pre_tokenizer) and loaded.to_json() == pre_tokenizer.to_json()
    theirs = library.Digits()
    theirs.__setstate__(json.dumps(pre_tokenizer.to_json()).encode())
    assert repr(theirs) == repr(expected)


SAVED: list[Any] = [
    {"type": "Metaspace", "replacement": "▁", "add_prefix_space": False},
    {"type": "Metaspace", "replacement": "▁", "add_prefix_space": False, "prepend_scheme": "never"},
    {"type": "Metaspace", "replacement": "▁", "add_prefix_space": True, "prepend_scheme": "never"},
    {"type": "Metaspace", "replacement": "▁", "str_rep": "▁", "add_prefix_space": True},
    {"type": "Metaspace", "replacement": "▁▁"},
    {"type": "Metaspace"},
    {"type": "Metaspace", "replacement": "▁", "split": None, "other": 3},
    {"type": "Metaspace", "replacement": "▁", "prepend_scheme": None},
    {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "First"},
    {"type": "Metaspace", "replacement": "▁", "str_rep": 3},
    {"type": "CharDelimiterSplit", "delimiter": "-"},
    {"type": "CharDelimiterSplit", "delimiter": "--"},
    {"type": "Delimiter", "delimiter": "-"},
    {"delimiter": "-"},
    {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": False},
    {"type": "ByteLevel", "add_prefix_space": 1, "trim_offsets": False},
    {"type": "ByteLevel", "trim_offsets": False},
    {"type": "Punctuation"},
    {"type": "Punctuation", "behavior": "MergedWithNext"},
    {"type": "Punctuation", "behavior": "removed"},
    {"type": "Split", "pattern": {"String": "a"}, "behavior": "Removed", "invert": False},
    {"type": "Split", "pattern": "a", "behavior": "Removed", "invert": False},
    {"type": "Split", "pattern": {"Text": "a"}, "behavior": "Removed", "invert": False},
    {"type": "Split", "pattern": {"Regex": "("}, "behavior": "Removed", "invert": False},
    {"type": "Split", "pattern": {"Regex": 5}, "behavior": "Removed", "invert": False},
    {"type": "Split", "pattern": {"Regex": "a"}, "behavior": "Removed"},
    {"type": "Digits"},
    {"type": "FixedLength"},
    {"type": "FixedLength", "length": -1},
    {"type": "FixedLength", "length": 3.0},
    {"type": "FixedLength", "length": True},
    {
        "type": "Sequence",
        "pretokenizers": [{"type": "Sequence", "pretokenizers": [{"type": "Digits", "individual_digits": True}]}],
    },
    {"type": "Sequence"},
    {"type": "Sequence", "pretokenizers": {}},
    {"type": "Sequence", "pretokenizers": [{"type": "Digits"}]},
    {"type": "Whitespace", "other": 1},
    {"type": "Whitespaces"},
    {"type": None},
    {},
    [1],
    "Whitespace",
]


@pytest.mark.parametrize("fields", SAVED, ids=str)
def test_fields_are_accepted_and_refused_as_by_the_library(fields: Any) -> None:
    expected = library.Digits()
    try:
        expected.__setstate__(json.dumps(fields).encode())
    except Exception:
        with pytest.raises(ValueError):
            from_json(fields)
    else:
        loaded = from_json(fields)
        assert repr(loaded) == repr(expected)
        assert json.loads(loaded.__getstate__()) == json.loads(expected.__getstate__())


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"type": "Whitespaces"}, "'Whitespaces' is not known; did you mean 'Whitespace'"),
        ({"type": "Digits"}, "missing field `individual_digits` in Digits"),
        ({"type": "Punctuation", "behavior": "removed"}, "Punctuation: behavior='removed' is not known; did you mean"),
        ({"type": "Metaspace", "replacement": "_", "add_prefix_space": False}, "add_prefix_space=false contradicts"),
        ([1], "a pre-tokenizer should be an object"),
    ],
    ids=str,
)
def test_errors_in_tokenizer_json_are_named(fields: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        from_json(fields)


def test_attributes_can_be_set() -> None:
    for package in (library, ours):
        metaspace = package.Metaspace()
        metaspace.replacement, metaspace.prepend_scheme, metaspace.split = "_", "never", False
        assert (metaspace.replacement, metaspace.prepend_scheme, metaspace.split) == ("_", "never", False)
        assert metaspace.pre_tokenize_str("a b") == [("a_b", (0, 3))]
        punctuation = package.Punctuation()
        punctuation.behavior = "merged_with_next"
        assert punctuation.behavior == "mergedwithnext"
        assert repr(punctuation) == "Punctuation(behavior=MergedWithNext)"
        split = package.Split("a", "removed")
        split.behavior, split.invert = "isolated", True
        assert (split.behavior, split.invert) == ("isolated", True)
        length = package.FixedLength()
        length.length = 2
        assert [part for part, _ in length.pre_tokenize_str("abc")] == ["ab", "c"]


def test_the_alphabet_has_a_symbol_for_each_byte() -> None:
    assert sorted(ours.ByteLevel.alphabet()) == sorted(library.ByteLevel.alphabet())


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda package: package.PreTokenizer(), "PreTokenizer is the base class"),
        (lambda package: package.Metaspace(""), "expected a string of length 1"),
        (lambda package: package.Metaspace("ab"), "expected a string of length 1"),
        (lambda package: package.Metaspace(5), "replacement=5"),
        (lambda package: package.Metaspace("\ud800"), "surrogates not allowed"),
        (lambda package: package.Metaspace(prepend_scheme="last"), "prepend_scheme='last' is not known"),
        (lambda package: package.Metaspace(prepend_scheme=5), "prepend_scheme=5"),
        (lambda package: package.Metaspace(split=1), "split=1 should be True or False"),
        (lambda package: package.Metaspace(add_prefix_space=True), "add_prefix_space"),
        (lambda package: package.CharDelimiterSplit("ab"), "expected a string of length 1"),
        (lambda package: package.CharDelimiterSplit(), "delimiter"),
        (lambda package: package.ByteLevel(1), "add_prefix_space=1"),
        (lambda package: package.Digits("yes"), "individual_digits='yes'"),
        (lambda package: package.FixedLength(-1), "length=-1"),
        (lambda package: package.FixedLength(1.0), "length=1.0"),
        (lambda package: package.FixedLength(2**70), "should be from 0 to"),
        (lambda package: package.Punctuation("merged"), "did you mean 'merged_with_"),
        (lambda package: package.Punctuation(5), "behavior=5"),
        (
            lambda package: setattr(package.Punctuation(), "behavior", "mergedwithnext"),
            "did you mean 'merged_with_next'",
        ),
        (lambda package: package.Split("a", "remove"), "did you mean 'removed'"),
        (lambda package: package.Split(5, "removed"), "pattern=5"),
        (lambda package: package.Split("a"), "behavior"),
        (lambda package: package.Split("a", "removed", 1), "invert=1"),
        (lambda package: package.Split("a", "removed").pattern, "cannot be read"),
        (lambda package: setattr(package.Split("a", "removed"), "pattern", "b"), "cannot be changed"),
        (lambda package: package.Whitespace(1), "Whitespace"),
        (lambda package: package.Sequence((package.Digits(),)), "should be a list"),
        (lambda package: package.Sequence([5]), "PreTokenizer.custom"),
        (lambda package: package.Sequence(), "pre_tokenizers"),
        (lambda package: package.Sequence([])[0], "Index not found: 0"),
        (lambda package: package.Sequence([package.Digits()])[-1], "index=-1"),
        (lambda package: package.Sequence([package.Digits()])[:1], "index="),
        (lambda package: package.Sequence([package.Digits()]).__setitem__(0, 5), "PreTokenizer.custom"),
        (lambda package: package.Sequence([package.Digits()]).__setitem__(1, package.Digits()), "Index not found: 1"),
        (lambda package: package.Sequence([package.Digits()]).__setitem__(0, package.Sequence([])), "a Sequence"),
        (lambda package: package.Whitespace().pre_tokenize_str(5), "s=5"),
        (lambda package: package.Whitespace().pre_tokenize_str("\ud800"), "surrogates not allowed"),
        (lambda package: package.Whitespace().pre_tokenize("a"), "should be a PreTokenizedString"),
        (lambda package: package.PreTokenizer.custom(5).pre_tokenize_str("a"), "AttributeError"),
        (lambda package: pickle.dumps(package.PreTokenizer.custom(5)), "cannot pickle"),
    ],
)
def test_bad_input_raises_what_the_library_raises(call: Any, message: str) -> None:
    with pytest.raises(Exception) as expected:
        call(library)
    # The library raises a bare Exception where we raise a ValueError.
    kind = ValueError if expected.type is Exception else expected.type
    with pytest.raises(kind, match=message):
        call(ours)


def test_a_length_of_zero_is_an_error_where_the_library_panics() -> None:
    assert ours.FixedLength(0).pre_tokenize_str("") == []
    with pytest.raises(ValueError, match="length=0"):
        ours.FixedLength(0).pre_tokenize_str("a")


class Halves:
    """A custom pre-tokenizer."""

    def pre_tokenize(self, text: Any) -> None:
        text.split(lambda _, part: [part[: len(part.normalized) // 2], part[len(part.normalized) // 2 :]])


class Wrong:
    """A custom pre-tokenizer that fails inside of a split."""

    def pre_tokenize(self, text: Any) -> None:
        text.split(lambda _, part: 5)


def test_custom_pre_tokenizers_alone_and_in_a_sequence() -> None:
    for package in (library, ours):
        custom = package.PreTokenizer.custom(Halves())
        assert isinstance(custom, package.PreTokenizer)
        assert custom.pre_tokenize_str("abcd") == [("ab", (0, 2)), ("cd", (2, 4))]
        sequence = package.Sequence([package.Whitespace(), custom])
        assert [part for part, _ in sequence.pre_tokenize_str("abcd ef")] == ["ab", "cd", "e", "f"]
        with pytest.raises(Exception, match="TypeError"):
            package.PreTokenizer.custom(Wrong()).pre_tokenize_str("a")
    assert ours.PreTokenizer.custom(Halves()).split_text("abcd", False) == ["ab", "cd"]
    assert ours.PreTokenizer.custom(Halves()).needs_alignment and not ours.Whitespace().needs_alignment


def test_a_pre_tokenizer_splits_a_part_with_its_alignment() -> None:
    for string, package in ((tokenizers.PreTokenizedString, library), (PreTokenizedString, ours)):
        text = string("ﬁsh’n chips")
        text.normalize(lambda part: part.nfkd())
        for name in ("BertPreTokenizer", "ByteLevel", "Metaspace"):
            getattr(package, name)().pre_tokenize(text)
        if package is library:
            expected = all_splits(text)
    assert all_splits(text) == expected
