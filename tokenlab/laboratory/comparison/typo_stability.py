"""Stability under a typo: the share of a word's tokens that change if two adjacent letters are swapped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import takewhile
from statistics import fmean
from typing import Any

from tokenlab.laboratory.comparison.trained_tokenizer import TrainedTokenizer

PLACES = ("beginning", "middle", "end")


def swap_letters(word: str, index: int) -> str:
    """Return the word with the letters at `index` and `index + 1` swapped.

    >>> swap_letters("light", 1)
    'lgiht'
    """
    return word[:index] + word[index + 1] + word[index] + word[index + 2 :]


def typo(word: str, place: str) -> str:
    """Swap the second and third letter, the two in the middle, or the last but one and the one before it.

    >>> [typo("lighthouse", place) for place in PLACES]
    ['lgihthouse', 'lighhtouse', 'lighthosue']
    """
    index = {"beginning": 1, "middle": len(word) // 2 - 1, "end": len(word) - 3}[place]
    return swap_letters(word, index)


def common_prefix(left: Sequence[Any], right: Sequence[Any]) -> int:
    """Return the number of tokens at the start that are equal.

    >>> common_prefix(["a", "b", "c"], ["a", "b", "d"])
    2
    """
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(left, right, strict=False)))


def changed_share(before: Sequence[Any], after: Sequence[Any]) -> float:
    """Return the share of the tokens that change: those that are not in a common prefix or a common suffix.

    >>> changed_share(["light", "house", "s"], ["lig", "th", "house", "s"])
    0.3333333333333333
    """
    if not before:
        return float(bool(after))
    start = common_prefix(before, after)
    end = common_prefix(before[start:][::-1], after[start:][::-1])
    return (len(before) - start - end) / len(before)


def typo_changes(tokenizer: TrainedTokenizer, words: Iterable[str]) -> dict[str, float]:
    """Return the mean share of tokens that change, for a typo near the beginning, in the middle and near the end.

    Words of fewer than 6 letters, and words that the swap does not change, are left out.

    >>> from tokenlab.laboratory.comparison.byte_family import Bytes
    >>> typo_changes(Bytes(), ["garden"])["middle"]
    0.3333333333333333
    """
    long_words = [word for word in words if len(word) >= 6]
    shares: dict[str, float] = {}
    for place in PLACES:
        pairs = [(word, wrong) for word in long_words if (wrong := typo(word, place)) != word]
        changes = [changed_share(_entries(tokenizer, word), _entries(tokenizer, wrong)) for word, wrong in pairs]
        shares[place] = fmean(changes) if changes else 0.0
    return shares


def _entries(tokenizer: TrainedTokenizer, word: str) -> list[Any]:
    # In some families, the space is a separate token, which is not a part of the word.
    return [token.entry for token in tokenizer.encode(f" {word}") if token.end > 1]
