"""Lowercase, as slow tokenizers do it before they split off added tokens.

Adds: tokens that keep their case.
Leaves out: accents, which the model's tokenizer removes later.

Source: transformers 4.26.1, tokenization_utils.py (`PreTrainedTokenizer.tokenize`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache


def lower_except(text: str, tokens: Sequence[str]) -> str:
    """Lowercase a text, character by character, except for tokens; of two that start together, the first one wins.

    subtle: each character alone, so that a capital sigma at the end of a word does not become a final sigma.

    >>> lower_except("Hello [MASK] ΌΣ", ["[MASK]"])
    'hello [MASK] όσ'
    """
    found = _pattern(tuple(tokens)).split(text)
    return "".join(part if index % 2 else lower(part) for index, part in enumerate(found))


def lower(text: str) -> str:
    """Lowercase each character of a text alone.

    >>> lower("ΣΑΣ")
    'σασ'
    """
    return text.lower() if "Σ" not in text else "".join(map(str.lower, text))


@lru_cache(maxsize=64)
def _pattern(tokens: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("(" + ("|".join(map(re.escape, filter(None, tokens))) or "(?!)") + ")")
