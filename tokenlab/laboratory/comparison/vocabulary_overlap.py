"""The overlap of two vocabularies: the Jaccard index of their entries, without the markers of the families."""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import Any

from tokenlab.laboratory.comparison.trained_tokenizer import TrainedTokenizer


def jaccard(left: Set[Any], right: Set[Any]) -> float:
    """Return the number of common entries divided by the number of all entries. Two empty sets give 1.

    >>> jaccard({"a", "b"}, {"b", "c"})
    0.3333333333333333
    """
    return len(left & right) / len(left | right) if left or right else 1.0


def overlap_matrix(tokenizers: Mapping[str, TrainedTokenizer]) -> dict[str, dict[str, float]]:
    """Return the Jaccard index of the vocabularies of each two families.

    >>> from tokenlab.laboratory.comparison.byte_family import Bytes
    >>> overlap_matrix({"bytes": Bytes()})
    {'bytes': {'bytes': 1.0}}
    """
    plain = {family: tokenizer.plain_vocabulary() for family, tokenizer in tokenizers.items()}
    return {family: {other: jaccard(plain[family], plain[other]) for other in plain} for family in plain}
