"""BPE training against the live library: all options, symbols with several lengths, and stale entries of the queue."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
import tokenizers as live
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.examples import examples
from tests.libraries.tokenizers import fuzz_bpe_training as fuzz
from tests.libraries.tokenizers.test_trainers import MERGE_OPTIONS, WORDS, alphabet_is_certain, some, train_parity
from tokenlab.libraries import tokenizers as ours
from tokenlab.libraries.tokenizers.trainers.train_bpe import (
    Change,
    MeasuredWord,
    SymbolTable,
    TrainingWords,
    train_huggingface,
)
from tokenlab.libraries.tokenizers.trainers.train_parity_bpe import LanguageIndex, dev_index


@pytest.fixture(autouse=True, scope="module")
def one_thread() -> Iterator[None]:
    """Train in one thread."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TOKENIZERS_PARALLELISM", "false")
        yield


MARKERS = some(
    continuing_subword_prefix=st.sampled_from(["", "#", "##", "a"]),
    end_of_word_suffix=st.sampled_from(["", "</w>", "b"]),
)


@given(WORDS, MERGE_OPTIONS, some(max_token_length=st.integers(0, 5)), MARKERS)
@examples(150)
def test_the_ids_and_merges_are_those_of_the_library(
    words: list[str], options: dict[str, Any], longest: dict[str, Any], markers: dict[str, Any]
) -> None:
    counts, _ = fuzz.train_live([" ".join(words * 2)], options)
    assume(alphabet_is_certain(counts, options))
    assert fuzz.difference([" ".join(words * 2)], options | longest | markers) is None


def test_repetitive_words_that_contain_prefix_and_suffix() -> None:
    draw = random.Random(0)
    for _ in range(300):
        options = fuzz.options(draw)
        assert fuzz.difference(fuzz.corpus(draw), options) is None


CASES: dict[str, tuple[list[str], dict[str, Any]]] = {
    # Two merges make "##": the pair with it is merged again, although its words have it no more.
    "counts stay": (["aa##"] * 3 + ["####a"] * 3, {"continuing_subword_prefix": "##"}),
    # "a#" is one character at the end of "a", two in "a#a"; the pair "#" "a#a#" is counted where it is short.
    "two lengths": (["a##a#a#a"] * 5, {"end_of_word_suffix": "#", "max_token_length": 7}),
    # The count of "ba" "bb" is -1 when it reaches the queue's top, which reads it as 2**64 - 1.
    "negative count": (["baba"], {"continuing_subword_prefix": "b", "end_of_word_suffix": "b", "max_token_length": 2}),
}  # fmt: skip


@pytest.mark.parametrize("name", list(CASES))
def test_details_of_the_queue(name: str) -> None:
    words, options = CASES[name]
    assert fuzz.difference([" ".join(words)], options) is None


def test_a_symbol_with_two_lengths_is_noticed_only_where_lengths_matter() -> None:
    table = SymbolTable([], "ab", suffix="b", max_token_length=9)
    words = TrainingWords(table, table.split(["a", "abc"]))
    a, b = "\x00\x01"
    words.merge(a + b, table.merge(a + b), [1])
    assert table.two_lengths
    assert [word.lengths for word in words.measured] == [[1], [2]]
    assert (words.size(0), words.size(1)) == (1, 1)
    free = TrainingWords(table, table.split(["ab"]), any_length=True)
    free.merge(a + b, table.merge(a + b), [0])
    assert not free.measured


@given(st.lists(st.text("abc", max_size=12), min_size=1, max_size=4), st.sampled_from(["ab", "aa"]), st.integers(3, 6))
@examples(150)
def test_strings_and_measured_words_report_the_same_changes(texts: list[str], pair: str, limit: int) -> None:
    table = SymbolTable([], "abc", max_token_length=limit)
    words = TrainingWords(table, table.split(texts))
    left, right = table.split([pair])[0]
    measured = [MeasuredWord(word, [1] * len(word)) for word in words.strings]
    new = table.merge(left + right)
    expected = [
        (lost, made, [number])
        for number, word in enumerate(measured)
        for lost, made in word.merge(left + right, new, limit)
    ]
    assert counted(words.merge(left + right, new, range(len(texts)))) == counted(expected)
    assert words.strings == ["".join(word.symbols) for word in measured]


def counted(changes: list[Change]) -> tuple[dict[str, int], set[tuple[str, int]]]:
    """Return the changes of the counts, and the words of each pair that was made, even if it was removed again."""
    counts: Counter[str] = Counter()
    for lost, made, where in changes:
        counts[lost] -= len(where)
        counts[made] += len(where)
    made_in = {(made, number) for _, made, where in changes for number in where if made}
    return {pair: count for pair, count in counts.items() if pair and count}, made_in


def test_a_language_finds_no_pair_that_is_too_long_but_a_dev_corpus_does() -> None:
    table = SymbolTable([], "abc", max_token_length=3)
    a, b, c = table.split(["abc"])[0]
    training = LanguageIndex(table, table.split(["abc"]), [2])
    dev = dev_index(table, {"abc": 2})
    for pair in (a + b, "\x03" + c):
        new = table.merge(pair)
        training.merge(pair, new)
        dev.merge(pair, new)
    assert (training.length, dev.length) == (4, 2)


@pytest.mark.parametrize("dev", [None, [["a#a"], ["a"]]])
def test_parity_aware_bpe_knows_that_a_symbol_has_two_lengths(dev: list[list[str]] | None) -> None:
    options = {"end_of_word_suffix": "#", "max_token_length": 3, "special_tokens": ["a", "a#", "#", "##"]}
    expected = train_parity(live, [["a"], ["a#a"]], options | {"num_merges": 9}, dev)
    assert train_parity(ours, [["a"], ["a#a"]], options | {"num_merges": 9}, dev) == expected
    assert expected["model"]["merges"]


def test_overlapping_pairs_are_merged_from_the_left_with_their_lengths() -> None:
    word = MeasuredWord("aaaaa", [1, 2, 3, 4, 5])
    assert word.merge("aa", "b", limit=11) == [("aa", "ba"), ("ba", "bb"), ("aa", "")]
    assert (word.symbols, word.lengths) == (["b", "b", "a"], [3, 7, 5])


def test_a_pair_longer_than_the_maximum_is_merged_if_it_has_two_characters() -> None:
    assert train_huggingface({"aab": 2}, 9, max_token_length=1) == (["a", "b", "aa"], [("a", "a")])
