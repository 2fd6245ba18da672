"""Fertility and bytes per token: how long the sequences of a tokenizer are.

Leaves out: words of languages that are written without spaces; bytes per token need no words.
Source: Ács 2019, *Exploring BERT's Vocabulary*; Rust et al. 2021, section 4.2 (fertility).
"""

from __future__ import annotations

from collections.abc import Mapping

from tokenlab.laboratory.comparison.trained_tokenizer import TrainedTokenizer, without_surrogates


def fertility(text: str, num_tokens: int) -> float:
    """Return the number of tokens per word; words are separated by whitespace. Without a word, return 0.

    >>> fertility("the lighthouse", 4)
    2.0
    """
    words = len(text.split())
    return num_tokens / words if words else 0.0


def bytes_per_token(text: str, num_tokens: int) -> float:
    """Return the number of bytes of a text, in UTF-8, per token. Without a token, return 0.

    >>> bytes_per_token("日本", 3)
    2.0
    """
    return len(without_surrogates(text).encode()) / num_tokens if num_tokens else 0.0


def bytes_per_token_by_language(
    tokenizers: Mapping[str, TrainedTokenizer], texts: Mapping[str, str]
) -> dict[str, dict[str, float]]:
    """Return the bytes per token of each family, for the text of each language.

    >>> from tokenlab.laboratory.comparison.byte_family import Bytes
    >>> bytes_per_token_by_language({"bytes": Bytes()}, {"Japanese": "日本"})
    {'bytes': {'Japanese': 1.0}}
    """
    return {
        family: {language: bytes_per_token(text, len(tokenizer.encode(text))) for language, text in texts.items()}
        for family, tokenizer in tokenizers.items()
    }
