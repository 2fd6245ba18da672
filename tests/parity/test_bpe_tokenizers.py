"""The merges of Hugging Face's BpeTrainer are those of the policy `lowest_id`.

One thing differs, and is taken into account here: its size counts different tokens, where ours counts merges, of
which one can make a token that is there already, a special one. (No two merges of characters make the same token:
`tests/properties/test_training.py`.)
"""

from __future__ import annotations

import inspect
import json
import pydoc_data.topics
import unicodedata
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

from tests.examples import examples
from tests.parity.long_texts import SIZE, TIERED_NAMES, long_text
from tests.strategies import texts
from tokenlab import data
from tokenlab.algorithms.bpe.train import Merged, TrainingState, merged_symbol
from tokenlab.algorithms.bpe.train_indexed import train_indexed
from tokenlab.algorithms.text.count_words import count_words
from tokenlab.algorithms.text.pretokenize import split_gpt2, split_whitespace

BYTES = pre_tokenizers.ByteLevel(add_prefix_space=False)
WORDS = pre_tokenizers.WhitespaceSplit()


def standard_library(size: int) -> str:
    """English prose and code that every Python has."""
    folder = Path(inspect.getfile(json)).parents[1]
    sources = [Path(pydoc_data.topics.__file__), *sorted(folder.glob("*.py"))]
    text = "".join(path.read_text(encoding="utf-8", errors="replace") for path in sources)
    assert len(text) >= size
    return text[:size]


def theirs(lines: list[str], pre_tokenizer: Any, vocab_size: int, **options: Any) -> list[tuple[str, str]]:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizer
    trainer = trainers.BpeTrainer(vocab_size=vocab_size, show_progress=False, **options)
    tokenizer.train_from_iterator(lines, trainer)
    return [tuple(merge) for merge in json.loads(tokenizer.to_str())["model"]["merges"]]


def steps(counts: Counter[Any], vocab_size: int, **options: Any) -> list[Merged]:
    """Our merges, until there are as many different tokens as were asked for."""
    tokens = set(TrainingState(counts, 10**9, **options).ids)
    taken: list[Merged] = []
    for step in train_indexed.steps(counts, 10**9, "lowest_id", **options):
        if len(tokens) >= vocab_size or not isinstance(step, Merged):
            break
        tokens.add(merged_symbol(step.pair))
        taken.append(step)
    return taken


def ours(counts: Counter[Any], vocab_size: int, **options: Any) -> list[Any]:
    return [step.pair for step in steps(counts, vocab_size, **options)]


def glyph_words(lines: list[str]) -> Counter[Any]:
    """GPT-2's pieces with each byte written as the character that stands for it there: ids follow these."""
    return Counter(piece for line in lines for piece, _ in BYTES.pre_tokenize_str(line))


# --- ten thousand merges --------------------------------------------------------------------------


def training_text(name: str, size: int) -> str:
    """A text with more than ten thousand merges: prose repeats its words, so more of it is needed."""
    if name == "standard library":
        return standard_library(size)
    return long_text(name, 3 * SIZE if name == "own prose" else SIZE)


@pytest.mark.slow
@pytest.mark.parametrize("text", ["standard library", *TIERED_NAMES])
def test_ten_thousand_merges_of_bytes_are_the_same(text: str) -> None:
    lines = training_text(text, 2_000_000).splitlines()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    expected = theirs(lines, BYTES, 10_256, initial_alphabet=alphabet)
    assert len(expected) == 10_000
    assert ours(glyph_words(lines), 10_256, initial_alphabet=alphabet) == expected


@pytest.mark.slow
@pytest.mark.parametrize("text", ["standard library", *TIERED_NAMES])
def test_ten_thousand_merges_of_characters_are_the_same(text: str) -> None:
    lines = training_text(text, 1_000_000).splitlines()
    counts = count_words(lines)
    size = 10_000 + len(TrainingState(counts, 10**9).ids)
    expected = theirs(lines, WORDS, size)
    assert len(expected) == 10_000
    assert ours(counts, size) == expected


@pytest.mark.parametrize("name", ["english", "german", "chinese", "japanese", "mixed"])
def test_the_shipped_corpora_give_the_same_merges_to_the_end(name: str) -> None:
    lines = data.text(name).splitlines()
    assert ours(count_words(lines), 10**6) == theirs(lines, WORDS, 10**6)


# --- options --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("option", "expected"),
    [
        ({"min_frequency": 5}, {"min_frequency": 5}),
        # Theirs is a limit that a merge stays below; two characters may always be joined.
        ({"max_token_length": 4}, {"max_token_length": 5}),
        ({"max_token_length": 2}, {"max_token_length": 3}),
        ({"special_tokens": ["<pad>", "the", "a"]}, {"special_tokens": ["<pad>", "the", "a"]}),
        ({"initial_alphabet": ["é", "ß", "a"]}, {"initial_alphabet": ["é", "ß", "a"]}),
    ],
)
@pytest.mark.parametrize("size", [600, 10**6])
def test_an_option_does_what_it_does_there(option: Any, expected: Any, size: int) -> None:
    lines = data.text("english").splitlines()
    assert ours(count_words(lines), size, **option) == theirs(lines, WORDS, size, **expected)


def test_the_end_of_a_word_is_marked_as_there() -> None:
    # The ids of their marked symbols follow the order of a hash map, anew in every run, and decide ties: so only
    # the merges before the first tie are theirs to compare.
    lines = standard_library(500_000).splitlines()
    taken = steps(count_words(lines), 10**6, end_of_word="</w>")
    before = next(number for number, step in enumerate(taken) if step.ties > 1)
    assert before >= 20
    expected = theirs(lines, WORDS, 1000, end_of_word_suffix="</w>")
    assert [step.pair for step in taken[:before]] == expected[:before]


def test_a_corpus_without_ties_has_the_same_end_marks_to_the_end() -> None:
    words = [left + right for left in "abcde" for right in "abcde"]
    lines = [word for count, word in enumerate(words, start=1) for _ in range(count)]
    taken = steps(count_words(lines), 99, end_of_word="</w>")
    assert {step.ties for step in taken} == {1}
    assert [step.pair for step in taken] == theirs(lines, WORDS, 99, end_of_word_suffix="</w>")


@examples(150)
@given(st.lists(st.text("ab", min_size=1, max_size=30), min_size=1, max_size=6))
def test_words_of_two_letters_give_the_same_merges(words: list[str]) -> None:
    assert ours(count_words(words), 10**6) == theirs(words, WORDS, 10**6)


# --- splitting ------------------------------------------------------------------------------------


def is_settled(character: str) -> bool:
    """Whether Python's Unicode has the character: the regex module's is later than theirs, and has more letters."""
    return unicodedata.category(character) not in ("Cn", "Cs")


characters = st.characters(exclude_categories=["Cs", "Cn"])
settled = (texts(surrogates=False) | st.text(characters, max_size=8)).filter(lambda text: all(map(is_settled, text)))


@examples(500)
@given(settled)
def test_gpt2_cuts_where_theirs_does(text: str) -> None:
    assert split_gpt2(text) == [text[start:end] for _, (start, end) in BYTES.pre_tokenize_str(text)]


@examples(300)
@given(settled)
def test_words_are_cut_at_the_same_white_space(text: str) -> None:
    assert split_whitespace.words(text) == [piece for piece, _ in WORDS.pre_tokenize_str(text)]


@pytest.mark.slow
def test_every_character_of_the_first_plane_is_of_the_same_kind() -> None:
    for character in filter(is_settled, map(chr, range(0x10000))):
        text = f"a{character}1{character} !{character}{character}b"
        assert split_gpt2(text) == [text[a:b] for _, (a, b) in BYTES.pre_tokenize_str(text)], ascii(character)


def test_a_letter_of_a_later_unicode_is_none_to_them() -> None:
    # U+088F is a letter since Unicode 17. When this fails tokenizers has caught up: say so in split.py.
    assert split_gpt2("a\u088f") == ["a\u088f"]
    assert [span for _, span in BYTES.pre_tokenize_str("a\u088f")] == [(0, 1), (1, 2)]
