"""The data of the parity tests have what makes bugs show: sizes, ties, long words, and thousands of characters."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from tests.parity.long_texts import MERGES, NAMES, SIZE, VOCABULARIES, adversarial, vocabulary_files, without_spaces
from tests.parity.long_texts import long_text as text_of


def test_every_clone_has_three_texts_and_a_vocabulary() -> None:
    assert NAMES[:3] == ["own prose", "without spaces", "adversarial"] and VOCABULARIES[0] == "own"
    assert [len(text_of(name)) for name in NAMES[:3]] == [SIZE] * 3


def test_each_text_is_hard_in_its_own_way() -> None:
    words = {name: Counter(text_of(name).split()) for name in NAMES[:3]}
    assert words["own prose"].most_common(1)[0][1] > 2000  # a few words are very frequent
    assert len(set(text_of("without spaces"))) > 2500
    assert sum(len(word) * count for word, count in words["without spaces"].items() if len(word) > 30) > SIZE / 2
    assert sum(set(word) <= set("ab") and len(word) > 20 for word in words["adversarial"]) > 1000
    assert len(set(text_of("adversarial"))) > 2500 and any(ord(character) > 0xFFFF for character in text_of(NAMES[2]))


@pytest.mark.parametrize("made", [without_spaces, adversarial])
def test_an_invented_text_is_the_same_in_every_run(made: object) -> None:
    assert callable(made) and made(2000) == made(2000) == made(5000)[:2000]


@pytest.mark.slow
@pytest.mark.parametrize("name", VOCABULARIES)
def test_a_vocabulary_has_the_form_of_gpt_2s(name: str) -> None:
    found = vocabulary_files(name)
    version, *merges, end = found["merges.txt"].split("\n")
    ids = json.loads(found["vocab.json"])
    assert version == "#version: 0.2" and not end and len(merges) == MERGES
    assert sorted(ids.values()) == list(range(MERGES + 257)) and ids["<|endoftext|>"] == MERGES + 256
    assert all(ids["".join(merge.split(" "))] == number for number, merge in enumerate(merges, start=256))
