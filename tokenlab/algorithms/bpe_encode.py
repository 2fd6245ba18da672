"""Encoding with the merges that training learned.

Adds: the encoder that goes through the list of merges once, in the order in which they were learned.
Still missing: encoders that do not look at every merge, and bytes.
"""

from __future__ import annotations

from collections.abc import Iterable

from tokenlab.algorithms.bpe_train import merge
from tokenlab.algorithms.tie_break import Pair
from tokenlab.algorithms.words import Word


def encode_in_order(word: Iterable[str], merges: Iterable[Pair]) -> Word:
    """The tokens of a word: every merge is tried once, in the order of training (the source notes' procedure).

    >>> encode_in_order("hugs", [("p", "u"), ("h", "u"), ("hu", "g")])
    ('hug', 's')
    """
    split: Word = tuple(word)
    for pair in merges:
        split = merge(split, pair)
    return split
