"""Explorers of BPE: training on a typed text, and the encoding of a word."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tokenlab.algorithms.bpe.encode_priority_queue import encode_with_priority_queue
from tokenlab.algorithms.bpe.tie_break import POLICIES
from tokenlab.algorithms.bpe.train_indexed import train_indexed
from tokenlab.show.explorers.controls import Choice, IntSlider, TextArea, TextBox
from tokenlab.show.explorers.explorer import Explorer
from tokenlab.show.explorers.typed_text import check_characters, count_typed_words, largest_size
from tokenlab.steps.recording import Recording

if TYPE_CHECKING:
    from tokenlab.algorithms.bpe.encode import Ranks


def explore_bpe_training(text: str, vocab_size: int = 60) -> Explorer:
    """Explore BPE training on a typed text for a vocabulary size and a tie-break."""
    box = TextArea("text", text)
    size = IntSlider("vocab_size", vocab_size, 1, largest_size(text, vocab_size))

    def follow(_: str, text: str) -> None:
        size.max = largest_size(text, size.value)

    # subtle: registered before the explorer's callback, so the slider's range fits the new text first.
    box.observe(follow)
    ties = Choice("tie_break", list(POLICIES))
    return Explorer(_bpe_training, text=box, vocab_size=size, tie_break=ties)


def _bpe_training(text: str, vocab_size: int, tie_break: str) -> Recording[Any, Any]:
    return train_indexed.record(count_typed_words(text), vocab_size, tie_break)


def explore_bpe_encoding(word: str, ranks: Ranks) -> Explorer:
    """Explore the BPE encoding of a word with these ranks."""
    record = encode_with_priority_queue.record
    return Explorer(lambda word: record(check_characters(word, name="word"), ranks), word=TextBox("word", word))
