"""The libraries whose speed is compared with the learner's class give the same ids, so they do the same work."""

from __future__ import annotations

import pytest

from tokenlab import data
from tokenlab.check.capstones import gpt2_tokenizer


@pytest.mark.parametrize("language", ["english", "german", "japanese", "chinese", "mixed"])
def test_both_libraries_give_the_ids_of_the_reference(language: str) -> None:
    ranks, text = gpt2_tokenizer.shipped_ranks(), data.text(language)
    right = gpt2_tokenizer.Reference(ranks, {}).encode(text)
    assert gpt2_tokenizer._tiktoken(ranks)(text) == gpt2_tokenizer._tokenizers(ranks)(text) == right


def test_both_libraries_are_named() -> None:
    said = " ".join(gpt2_tokenizer.speed(gpt2_tokenizer.Reference))
    assert "tiktoken, written in Rust: " in said and "tokenizers, written in Rust: " in said
