"""Wrong programs that learners write, one function each, with the misconception and the rule that each breaks.

>>> from tokenlab.misconceptions.bpe_training import string_replace_merge
>>> rule_of(string_replace_merge)
'A merge joins two whole symbols that are adjacent. It never joins parts of symbols.'
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tokenlab.misconceptions import (
    auto_classes,
    beam_search,
    bpe_encoding,
    bpe_training,
    byte_level_bpe,
    comparison,
    constraints,
    measuring,
    pipeline,
    sentencepiece,
    span_corruption,
    streaming,
    subword_text,
    t5_attention,
    t5_map,
    t5_model,
    token_sampling,
    tokenizer_calls,
    training_data,
    unigram_segmenting,
    unigram_training,
    word_counting,
    wordpiece,
)

MISCONCEPTIONS = [
    *word_counting.MISCONCEPTIONS,
    *bpe_training.MISCONCEPTIONS,
    *bpe_encoding.MISCONCEPTIONS,
    *byte_level_bpe.MISCONCEPTIONS,
    *sentencepiece.MISCONCEPTIONS,
    *subword_text.MISCONCEPTIONS,
    *training_data.MISCONCEPTIONS,
    *pipeline.MISCONCEPTIONS,
    *wordpiece.MISCONCEPTIONS,
    *unigram_training.MISCONCEPTIONS,
    *unigram_segmenting.MISCONCEPTIONS,
    *span_corruption.MISCONCEPTIONS,
    *t5_map.MISCONCEPTIONS,
    *t5_attention.MISCONCEPTIONS,
    *t5_model.MISCONCEPTIONS,
    *constraints.MISCONCEPTIONS,
    *streaming.MISCONCEPTIONS,
    *token_sampling.MISCONCEPTIONS,
    *beam_search.MISCONCEPTIONS,
    *tokenizer_calls.MISCONCEPTIONS,
    *auto_classes.MISCONCEPTIONS,
    *measuring.MISCONCEPTIONS,
    *comparison.MISCONCEPTIONS,
]


def rule_of(program: Callable[..., Any]) -> str:
    """Return the rule that a wrong program breaks.

    Raises:
        LookupError: the program belongs to no misconception.
    """
    for misconception in MISCONCEPTIONS:
        if program in misconception.programs:
            return misconception.rule
    raise LookupError(f"{program!r} belongs to no misconception; add it to one in tokenlab/misconceptions")
