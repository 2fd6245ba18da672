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
from tests.strategies import texts
from tokenlab.algorithms.pipeline.split_behavior import BEHAVIORS
from tokenlab.tokenizers import pre_tokenizers as ours
from tokenlab.tokenizers.normalized_string import NormalizedString
from tokenlab.tokenizers.pattern import Regex
from tokenlab.tokenizers.pre_tokenized_string import PreTokenizedString

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
CHARACTERS = [chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000]


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
        assert repr(pre_tokenizer) == repr(expected) and str(pre_tokenizer) == str(expected)
        assert json.loads(pre_tokenizer.__getstate__()) == json.loads(expected.__getstate__())


@given(pairs(), texts(surrogates=False, repeated=3))
@examples(600)
def test_splits_and_offsets_are_the_library_s(both: tuple[Any, ours.PreTokenizer], text: str) -> None:
    expected, found = tokenizers.PreTokenizedString(text), PreTokenizedString(text)
    both[0].pre_tokenize(expected)
    both[1].pre_tokenize(found)
    assert all_splits(found) == all_splits(expected), both[1]


@given(pairs(), texts(surrogates=False, repeated=3), st.booleans())
@examples(600)
def test_the_fast_texts_are_the_aligned_ones(both: tuple[Any, ours.PreTokenizer], text: str, at_start: bool) -> None:
    assert both[1].split_text(text, at_start) == both[1].split_aligned(text, at_start), both[1]


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


@pytest.mark.parametrize(("name", "arguments"), CLASSES, ids=str)
def test_all_characters_are_in_the_library_s_classes(name: str, arguments: dict[str, Any]) -> None:
    expected, pre_tokenizer = pair(name, arguments)
    shuffled = random.Random(0).sample(CHARACTERS, len(CHARACTERS))
    for text in ("".join(CHARACTERS), "".join(shuffled), "a".join(CHARACTERS), "-".join(CHARACTERS)):
        splits = [part for part, _ in expected.pre_tokenize_str(text)]
        assert pre_tokenizer.split_text(text, True) == splits
