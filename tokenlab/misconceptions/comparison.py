"""Misconceptions about comparing tokenizers, each as a program.

>>> zip_stops_early("ab", "a"), positions_compared(["a", "b"], ["x", "a", "b"])
(-1, 1.0)
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

from tokenlab.misconceptions.misconception import Misconception


def zip_stops_early(text: str, decoded: str) -> int:
    """Compare characters in pairs; `zip` stops at the end of the shorter text."""
    pairs = enumerate(zip(text, decoded, strict=False))
    return next((index for index, (mine, theirs) in pairs if mine != theirs), -1)


def end_is_a_boundary(tokens: Sequence[str], morphemes: Sequence[str]) -> tuple[float, float]:
    """Count the end of the word as a boundary, on which all segmentations agree.

    >>> end_is_a_boundary(["un", "happ", "iness"], ["un", "happi", "ness"])[1]
    0.6666666666666666
    """
    found, wanted = ({*accumulate(map(len, parts))} for parts in (tokens, morphemes))
    right = len(found & wanted)
    return (right / len(found) if found else 1.0, right / len(wanted) if wanted else 1.0)


def swapped_scores(tokens: Sequence[str], morphemes: Sequence[str]) -> tuple[float, float]:
    """Divide by the wrong number of boundaries: the precision is called recall, and the recall precision.

    >>> swapped_scores(["a", "b", "c"], ["a", "bc"])
    (1.0, 0.5)
    """
    found, wanted = ({*[*accumulate(map(len, parts))][:-1]} for parts in (tokens, morphemes))
    right = len(found & wanted)
    return (right / len(wanted) if wanted else 1.0, right / len(found) if found else 1.0)


def positions_compared(before: Sequence[Any], after: Sequence[Any]) -> float:
    """Compare the tokens at equal indices: if a token is inserted, all tokens after it seem to change."""
    if not before:
        return float(bool(after))
    same = sum(int(mine == theirs) for mine, theirs in zip(before, after, strict=False))
    return (len(before) - same) / len(before)


MISCONCEPTIONS = [
    Misconception(
        130,
        "two texts are equal if all pairs of characters are equal",
        "If one text is the beginning of the other, no pair of characters differs. Compare the lengths as well.",
        (zip_stops_early,),
    ),
    Misconception(
        131,
        "the end of the word is a boundary",
        "Only boundaries inside the word count. Every segmentation has the end of the word.",
        (end_is_a_boundary,),
    ),
    Misconception(
        132,
        "precision divides by the number of morpheme boundaries",
        "Precision divides by the number of token boundaries. Recall divides by the number of morpheme boundaries.",
        (swapped_scores,),
    ),
    Misconception(
        133,
        "a token changes if another token is at its index",
        "If a token is inserted or removed, the tokens after it have other indices. But these tokens have not changed: "
        "they are in the common suffix.",
        (positions_compared,),
    ),
    Misconception(
        134,
        "the tokenizer with the largest vocabulary needs the fewest tokens",
        "A text has few tokens if the vocabulary has long entries for this kind of text, and if the rules that split "
        "the text allow them. Entries for other kinds of text do not help.",
        (),
    ),
]
