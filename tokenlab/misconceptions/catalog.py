"""All misconceptions, and the rule that a wrong program breaks; it imports the programs of all families.

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
    decoder_only,
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
    training_steps,
    unigram_segmenting,
    unigram_training,
    word_counting,
    wordpiece,
)
from tokenlab.misconceptions.misconception import Misconception

_MODULES = (
    word_counting, bpe_training, bpe_encoding, byte_level_bpe, sentencepiece, subword_text, training_data, pipeline,
    wordpiece, unigram_training, unigram_segmenting, span_corruption, t5_map, t5_attention, t5_model, constraints,
    streaming, token_sampling, beam_search, tokenizer_calls, auto_classes, measuring, comparison,
    training_steps, decoder_only,
)  # fmt: skip
MISCONCEPTIONS: list[Misconception] = [one for module in _MODULES for one in module.MISCONCEPTIONS]


def rule_of(program: Callable[..., Any]) -> str:
    """Return the rule that a wrong program breaks.

    Raises:
        LookupError: the program belongs to no misconception.
    """
    for misconception in MISCONCEPTIONS:
        if program in misconception.programs:
            return misconception.rule
    raise LookupError(f"{program!r} belongs to no misconception; add it to one in tokenlab/misconceptions")
