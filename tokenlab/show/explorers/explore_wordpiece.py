"""Explorers of WordPiece: training on a typed text by score or by count, and the encoding of a word."""

from __future__ import annotations

import sys
from collections.abc import Collection
from typing import Any

from tokenlab.algorithms.text.count_words import count_words
from tokenlab.algorithms.wordpiece.encode import encode_word
from tokenlab.algorithms.wordpiece.train import train
from tokenlab.algorithms.wordpiece.train_by_frequency import FrequencyTrainingState, train_by_frequency
from tokenlab.show.explorers.controls import Choice, IntSlider, TextArea, TextBox
from tokenlab.show.explorers.explorer import Explorer
from tokenlab.show.explorers.typed_text import check_characters, count_typed_words, lacks_numpy
from tokenlab.steps.recording import Recording


def explore_wordpiece_training(text: str, vocab_size: int = 30) -> Explorer:
    """Explore WordPiece training on a typed text for a vocabulary size and a merge rule."""
    box = TextArea("text", text)
    size = IntSlider("vocab_size", vocab_size, 1, vocab_size + 200)

    def follow(*_: str) -> None:
        try:
            least = len(FrequencyTrainingState(count_words(check_characters(box.value)), sys.maxsize).ids) + 1
        except ValueError:  # no word, or too long: the explorer reports the error
            return
        # subtle: the maximum first, because a slider rejects a minimum above its maximum.
        size.max = max(size.max, least)
        size.min, size.max = least, max(least + 200, size.value)

    follow()
    box.observe(follow)
    rule = Choice("merge by", ["score", "count, as tokenizers"])
    return Explorer(_wordpiece_training, text=box, vocab_size=size, rule=rule)


def _wordpiece_training(text: str, vocab_size: int, rule: str) -> Recording[Any, Any]:
    counts = count_typed_words(text)
    if rule != "score":
        return train_by_frequency.record(counts, vocab_size)
    if lacks_numpy(text):
        return train.record(counts, vocab_size)
    from tokenlab.algorithms.wordpiece.train_indexed import train_indexed

    return train_indexed.record(counts, vocab_size)


def explore_wordpiece_encoding(word: str, vocabulary: Collection[str]) -> Explorer:
    """Explore the WordPiece encoding of a word with this vocabulary."""
    box = TextBox("word", word)
    return Explorer(lambda word: encode_word.record(check_characters(word, name="word"), vocabulary), word=box)
