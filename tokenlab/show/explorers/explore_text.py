"""Explorers of a text: its segmentation into words, characters and subwords, its bytes, its tokens one by one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tokenlab.algorithms.decoding.incremental_utf8 import stream_text
from tokenlab.algorithms.text.granularity import tokenize_at_each_granularity
from tokenlab.algorithms.text.representation_levels import representation_levels
from tokenlab.algorithms.training_data.sample_lines import sample_lines
from tokenlab.show.explorers.controls import Choice, IntSlider, TextBox
from tokenlab.show.explorers.explorer import Explorer
from tokenlab.show.explorers.typed_text import check_characters
from tokenlab.steps.recording import Recording

BY_TOKENS, BY_BYTES = "as the encoding cuts it", "one byte a token"


def explore_segmentations(sentence: str, corpus: str, merges: int = 500) -> Explorer:
    """Explore a sentence as words, characters, and subwords learned from the corpus."""

    def record(sentence: str) -> Recording[Any, Any]:
        return tokenize_at_each_granularity.record(check_characters(sentence, name="sentence"), corpus, merges)

    return Explorer(record, opened=-1, sentence=TextBox("sentence", sentence))


def explore_text_levels(text: str, encoding: Any) -> Explorer:
    """Explore the characters, bytes, byte symbols and tokens of a text with an encoding of this kit or tiktoken."""

    def tokens_of(text: str) -> list[bytes]:
        tokens: list[bytes] = encoding.decode_tokens_bytes(encoding.encode_ordinary(text))
        return tokens

    record = representation_levels.record
    return Explorer(lambda text: record(check_characters(text), tokens_of), opened=-1, text=TextBox("text", text))


def explore_streaming(text: str, encoding: Any) -> Explorer:
    """Explore the text that a streamer shows token by token; an incomplete character is held back."""

    def record(text: str, tokens: str) -> Recording[Any, Any]:
        ids = encoding.encode_ordinary(check_characters(text))
        parts = encoding.decode_tokens_bytes(ids)
        return stream_text.record([bytes([byte]) for byte in b"".join(parts)] if tokens == BY_BYTES else parts)

    return Explorer(record, text=TextBox("text", text), tokens=Choice("tokens", [BY_TOKENS, BY_BYTES]))


def explore_sample_lines(lines: Iterable[str], budget: int = 300) -> Explorer:
    """Explore the lines of a file that are sampled for a byte budget."""
    file = list(lines)
    size = sum(len(line.encode("utf-8", "surrogatepass")) + 1 for line in file)
    slider = IntSlider("budget", budget, 1, max(budget, size))
    return Explorer(lambda budget: sample_lines.record(file, size, budget), opened=1, budget=slider)
