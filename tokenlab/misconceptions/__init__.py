"""The wrong programs that learners write, one function each, with the belief behind it and the rule that it breaks.

>>> from tokenlab.misconceptions.bpe import string_replace_merge
>>> rule_of(string_replace_merge)
'A merge joins two whole symbols that are neighbours; parts of symbols stay as they are.'
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tokenlab.misconceptions import (
    beam_search,
    bpe,
    bpe_encode,
    byte_level,
    constraints,
    sampling,
    sentencepiece,
    span_corruption,
    streaming,
    subword_text,
    t5_attention,
    t5_model,
    training_data,
    unigram_segmenting,
    unigram_training,
    wordpiece,
    words,
)

MISCONCEPTIONS = [
    *words.MISCONCEPTIONS,
    *bpe.MISCONCEPTIONS,
    *bpe_encode.MISCONCEPTIONS,
    *byte_level.MISCONCEPTIONS,
    *sentencepiece.MISCONCEPTIONS,
    *subword_text.MISCONCEPTIONS,
    *training_data.MISCONCEPTIONS,
    *wordpiece.MISCONCEPTIONS,
    *unigram_training.MISCONCEPTIONS,
    *unigram_segmenting.MISCONCEPTIONS,
    *span_corruption.MISCONCEPTIONS,
    *t5_attention.MISCONCEPTIONS,
    *t5_model.MISCONCEPTIONS,
    *constraints.MISCONCEPTIONS,
    *streaming.MISCONCEPTIONS,
    *sampling.MISCONCEPTIONS,
    *beam_search.MISCONCEPTIONS,
]


def rule_of(program: Callable[..., Any]) -> str:
    """The rule that a wrong program breaks.

    Raises:
        LookupError: the program belongs to no misconception.
    """
    for misconception in MISCONCEPTIONS:
        if program in misconception.programs:
            return misconception.rule
    raise LookupError(f"{program!r} belongs to no misconception; add it to one in tokenlab/misconceptions")
