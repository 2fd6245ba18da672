"""Exhibits about T5 and generation: buckets, the causal mask, the order of filters, length penalty, early stopping."""

from __future__ import annotations

from math import log

from tokenlab.algorithms.attention.attention_weights import softmax
from tokenlab.algorithms.attention.decoder import decoder_mask
from tokenlab.algorithms.attention.relative_buckets import relative_bucket
from tokenlab.algorithms.decoding.stopping_rule import TODAY, StoppingRule, hypothesis_score
from tokenlab.algorithms.vectors import Row
from tokenlab.laboratory.museum.exhibit import Exhibit
from tokenlab.misconceptions import beam_search, rule_of, t5_attention, t5_model, token_sampling

DISTANCES = (-8, -9, -20)
SCORES = ((0.0, 0.0), (0.0, 0.0))
TEMPERATURE, TOP_P = 2.0, 0.7
PROBABILITIES = (0.35, 0.25, 0.2, 0.15, 0.05)  # at this temperature
LOGITS = tuple(TEMPERATURE * log(p) for p in PROBABILITIES)
SHORT, LONG = (-6.0, 3), (-7.0, 7)  # sum of log-probabilities, and length
POOL, BEST_SUM, LENGTH, LONGEST = (-1.0, -2.0), -9.0, 3, 10


def _masked() -> tuple[Row, ...]:
    mask = decoder_mask([1] * len(SCORES))
    rows = zip(SCORES, mask, strict=True)
    return tuple(softmax(s + m for s, m in zip(scores, hidden, strict=True)) for scores, hidden in rows)


def _status(rule: StoppingRule) -> str:
    return "done" if rule.check(POOL, BEST_SUM, LENGTH).done else "not done"


EXHIBITS = (
    Exhibit(
        "the buckets of the other stack",
        "T5",
        "14_t5_attention",
        "The encoder and the decoder of T5 assign distances to the same buckets.",
        "TransformerLensOrg/TransformerLens#1681, fixed in 2026",
        "The decoder has 32 buckets, for distances up to 128. Keys have the relative positions "
        f"{', '.join(map(str, DISTANCES))}. Which buckets do they have?",
        lambda: [t5_attention.bidirectional_decoder(distance) for distance in DISTANCES],
        lambda: [relative_bucket(distance, bidirectional=False) for distance in DISTANCES],
        rule_of(t5_attention.bidirectional_decoder),
    ),
    Exhibit(
        "the test with one token",
        "T5",
        "14_t5_attention",
        "A decoder without a causal mask is correct, because its output for one token equals that of the original "
        "decoder.",
        "TransformerLensOrg/TransformerLens#1681: no causal mask, and the test with one token passed",
        "The decoder reads two tokens. All their attention scores are 0. Which attention weights result?",
        lambda: t5_model.no_causal_mask(SCORES),
        _masked,
        rule_of(t5_model.no_causal_mask),
    ),
    Exhibit(
        "temperature after top-p",
        "generation",
        "17_greedy_and_sampling",
        "Top-p keeps the same tokens whether the temperature comes before or after it.",
        "huggingface/transformers#8686, fishaudio/fish-speech#1150",
        f"The temperature is {TEMPERATURE:g}, and top-p is {TOP_P}. At this temperature, the tokens with the ids 0 to "
        f"4 have the probabilities {', '.join(map(str, PROBABILITIES))}. Which ids does top-p keep?",
        lambda: token_sampling.temperature_last(LOGITS, TEMPERATURE, TOP_P),
        lambda: token_sampling.temperature_first(LOGITS, TEMPERATURE, TOP_P),
        rule_of(token_sampling.temperature_last),
    ),
    Exhibit(
        "the penalty that rewards",
        "generation",
        "18_beam_search",
        "A positive length_penalty makes long texts worse.",
        "the documentation of transformers until 2022 (huggingface/transformers#19006)",
        "length_penalty is 1. Two hypotheses, each with its sum of log-probabilities and its length, are "
        f"{SHORT} and {LONG}. Which hypothesis is the best?",
        lambda: max((SHORT, LONG), key=lambda one: beam_search.penalty_sign(one[0], one[1], 1.0)),
        lambda: max((SHORT, LONG), key=lambda one: hypothesis_score(one[0], one[1], 1.0)),
        rule_of(beam_search.penalty_sign),
    ),
    Exhibit(
        "the search that is not exhaustive",
        "generation",
        "18_beam_search",
        "With early_stopping=False, beam search is done only when no better hypothesis is possible.",
        "huggingface/transformers#21368, which adds 'never' for this purpose",
        f"length_penalty is 1. The pool is full, with the scores {POOL[0]:g} and {POOL[1]:g}. After {LENGTH} tokens, "
        f"the best sum is {BEST_SUM:g}. A text has at most {LONGEST} tokens. Is the search done?",
        lambda: _status(StoppingRule(2, 1.0, "never", TODAY, max_length=LONGEST)),
        lambda: _status(StoppingRule(2)),
        "early_stopping=False uses an estimate: it compares the worst score of the pool with the best sum, divided by "
        "the current length. A longer text can have a better score. early_stopping='never' considers the maximum "
        "length.",
    ),
)
