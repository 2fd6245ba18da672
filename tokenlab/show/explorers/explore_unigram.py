"""Explorers of the Unigram model: training on a typed text, and the Viterbi algorithm on a word."""

from __future__ import annotations

from typing import Any

from tokenlab.algorithms.unigram.train import train
from tokenlab.algorithms.unigram.train_arrays import train_arrays
from tokenlab.algorithms.unigram.viterbi import viterbi
from tokenlab.algorithms.unigram.vocabulary import Vocabulary, unknown_log_probability
from tokenlab.show.explorers.controls import IntSlider, TextArea, TextBox
from tokenlab.show.explorers.explorer import Explorer
from tokenlab.show.explorers.typed_text import (
    LONGEST_WORD,
    check_characters,
    count_typed_words,
    lacks_numpy,
    largest_size,
)
from tokenlab.steps.recording import Recording


def explore_unigram_training(text: str, vocab_size: int = 60) -> Explorer:
    """Explore Unigram training on a typed text for a vocabulary size."""
    box = TextArea("text", text)
    least, most = _alphabet(text), largest_size(text, vocab_size)
    size = IntSlider("vocab_size", max(vocab_size, least), least, most)

    def follow(_: str, text: str) -> None:
        size.max = largest_size(text, size.value)
        size.min = _alphabet(text)

    # subtle: registered before the explorer's callback, so the size is never below the alphabet of the text.
    box.observe(follow)
    return Explorer(_unigram_training, text=box, vocab_size=size)


def _alphabet(text: str) -> int:
    """Return the smallest vocabulary size for a text: its number of distinct characters without whitespace."""
    return max(1, len(set("".join(text.split()))))


def _unigram_training(text: str, vocab_size: int) -> Recording[Any, Any]:
    counts = count_typed_words(text, "train_arrays")
    return (train if lacks_numpy(text) else train_arrays).record(counts, vocab_size)


def explore_viterbi(word: str, vocabulary: Vocabulary[Any]) -> Explorer:
    """Explore the Viterbi algorithm on the lattice of a word."""
    box = TextBox("word", word)
    unknown = unknown_log_probability(vocabulary)
    return Explorer(
        lambda word: viterbi.record(check_characters(word, LONGEST_WORD, "viterbi", "word"), vocabulary, unknown),
        word=box,
    )
