"""Exhibits about T5 and generation: buckets, the causal mask, the order of filters, length penalty, early stopping."""

from __future__ import annotations

from math import log

from tokenlab.algorithms.attention.attention_weights import softmax
from tokenlab.algorithms.attention.decoder_mask import decoder_mask
from tokenlab.algorithms.attention.relative_buckets import relative_bucket
from tokenlab.algorithms.decoding.finished_hypotheses import hypothesis_score
from tokenlab.algorithms.decoding.stopping_rule import TODAY, StoppingRule
from tokenlab.algorithms.vectors import Row
from tokenlab.misconceptions import beam_search, rule_of, t5_attention, t5_model, token_sampling
from tokenlab.museum.exhibit import Exhibit

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


EXHIBITS = (
    Exhibit(
        "the buckets of the other stack",
        "T5",
        "14_t5_attention",
        "The encoder and the decoder of T5 assign distances to the same buckets.",
        "TransformerLensOrg/TransformerLens#1681, fixed in 2026",
        f"keys at the relative positions {DISTANCES} in the decoder; their buckets",
        lambda: [t5_attention.bidirectional_decoder(distance) for distance in DISTANCES],
        lambda: [relative_bucket(distance, bidirectional=False) for distance in DISTANCES],
        rule_of(t5_attention.bidirectional_decoder),
    ),
    Exhibit(
        "the test with one token",
        "T5",
        "14_t5_attention",
        "A decoder without a causal mask is correct, because its output for one token equals the reference.",
        "TransformerLensOrg/TransformerLens#1681: no causal mask, and the test with one token passed",
        "two tokens whose scores are all 0; the attention weights",
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
        f"5 tokens, whose probabilities at temperature {TEMPERATURE:g} are {PROBABILITIES}; top-p {TOP_P}; the ids "
        "of the kept tokens",
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
        f"two hypotheses, each with its sum and its length: {SHORT} and {LONG}; length_penalty 1; the best one",
        lambda: max((SHORT, LONG), key=lambda one: beam_search.penalty_sign(one[0], one[1], 1.0)),
        lambda: max((SHORT, LONG), key=lambda one: hypothesis_score(one[0], one[1], 1.0)),
        rule_of(beam_search.penalty_sign),
    ),
    Exhibit(
        "the search that is not exhaustive",
        "generation",
        "18_beam_search",
        "With early_stopping=False, beam search ends only when no better hypothesis is possible.",
        "huggingface/transformers#21368, which adds 'never' for this purpose",
        f"a full pool with the scores {POOL}, the best sum {BEST_SUM:g} after {LENGTH} tokens, at most "
        f"{LONGEST} tokens; is the search done?",
        lambda: StoppingRule(2, 1.0, "never", TODAY, max_length=LONGEST).check(POOL, BEST_SUM, LENGTH).done,
        lambda: StoppingRule(2).check(POOL, BEST_SUM, LENGTH).done,
        "False uses a heuristic: it compares the pool with the best sum divided by the current length. A longer text "
        "can have a better score. 'never' considers the maximum length.",
    ),
)
