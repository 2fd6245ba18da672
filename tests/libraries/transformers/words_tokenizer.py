"""A slow tokenizer of ten tokens: words of a list, else characters; with [CLS] and [SEP], as BERT's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.words_methods import WordsMethods
from tokenlab.libraries.transformers.tokenization_utils import PreTrainedTokenizer

TOKENS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "man", ".", "a", "b"]


def write_words(folder: Path) -> Path:
    """Write the vocabulary, and return its path."""
    path = folder / "words.txt"
    path.write_text("\n".join(TOKENS), encoding="utf-8")
    return path


class Words(WordsMethods, PreTrainedTokenizer):
    """The tokenizer, which knows the option `twice`."""

    def prepare_for_tokenization(self, text: str, is_split_into_words: bool = False, **kwargs: Any) -> Any:
        return f"{text} {text}" if kwargs.pop("twice", False) else text, kwargs
