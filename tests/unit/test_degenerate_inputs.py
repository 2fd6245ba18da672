"""What functions of `tokenlab.algorithms` return for empty, equal, zero and infinite inputs, and what they refuse.

The property test `tests/properties/test_degenerate_inputs.py` looks for others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from math import inf, log
from random import Random
from typing import Any

import numpy as np
import pytest

from tokenlab.algorithms.attention.attention_output import attention_output
from tokenlab.algorithms.attention.attention_weights import attention_weights, softmax
from tokenlab.algorithms.attention.relative_buckets import buckets, relative_bucket
from tokenlab.algorithms.attention.sublayers import feed_forward_sublayer, rms_norm
from tokenlab.algorithms.bpe.train import check_vocab_size
from tokenlab.algorithms.decoding.constraints import banned_tokens
from tokenlab.algorithms.decoding.contrastive import contrastive_select, cosine_similarity, degeneration_penalty
from tokenlab.algorithms.decoding.diversity import distinct_n, select_per_group
from tokenlab.algorithms.decoding.filters import top_k_filter
from tokenlab.algorithms.decoding.next_token import renormalized, sample_next_token, softmax_with_temperature
from tokenlab.algorithms.decoding.stopping_rule import (
    CANNOT_IMPROVE,
    add_hypothesis,
    hypothesis_score,
    index_of_worst,
    stopping_reason,
)
from tokenlab.algorithms.text.granularity import tokenize_at_each_granularity
from tokenlab.algorithms.text.id_mapping import t5_id_mapping
from tokenlab.algorithms.training_data.pack import split_long_example
from tokenlab.algorithms.unigram.expectation_maximization import expectation_step, maximization_step
from tokenlab.algorithms.unigram.forward_backward import forward_backward
from tokenlab.algorithms.unigram.lattice import build_lattice
from tokenlab.algorithms.unigram.lattice_arrays import log_sums_exp
from tokenlab.algorithms.unigram.prune import removal_loss
from tokenlab.algorithms.unigram.sample_segmentation import sample_path, sample_segmentation, sharpened
from tokenlab.algorithms.unigram.seed import maximal_repeats, repeats, seed_scores
from tokenlab.algorithms.wordpiece.train import log_likelihood, score
from tokenlab.libraries.tokenizers.trainers.train_unigram import train_huggingface

VOCABULARY = {"a": -1.0}


@pytest.mark.parametrize(
    "result, expected",
    [
        (lambda: cosine_similarity([0.0, 0.0], [1.0, 0.0]), 0.0),
        (lambda: degeneration_penalty([0.0], [[0.0], [1.0]]), 0.0),
        (lambda: contrastive_select([0.5, 0.5], [[0.0], [1.0]], [[1.0]], 0.5), 0),
        (lambda: softmax([]), ()),
        (lambda: softmax([-inf, 0.0, 0.0]), (0.0, 0.5, 0.5)),
        (lambda: attention_weights([[1.0]], [[1.0], [1.0]], mask=[[-inf, 0.0]]), ((0.0, 1.0),)),
        (lambda: rms_norm([0.0, 0.0], [1.0, 1.0]), (0.0, 0.0)),
        (lambda: rms_norm([], []), ()),
        (lambda: feed_forward_sublayer([], [], []), ()),
        (lambda: stopping_reason([], 0, -1.0), CANNOT_IMPROVE),
        (lambda: removal_loss("ab", ("a", "b"), Counter(a=1), 1), 0.0),
        (lambda: removal_loss("ab", (), Counter(), 1), inf),
        (lambda: sharpened([0.0, -inf], 0.0), [1.0, 0.0]),
        (lambda: sharpened([], 1.0), []),
        (lambda: train_huggingface({"b": 1, "a": 0}, 3, seed_size=0), train_huggingface({"b": 1}, 3, seed_size=0)),
        (lambda: train_huggingface({"a": 0}, 3), []),
        (lambda: log_likelihood({"a": ("a",), "b": ("b",)}, {"a": 2, "b": 0}), 0.0),
        (lambda: log_sums_exp(np.array([-inf, -inf, -inf, 0.0]), np.array([0, 2])).tolist(), [-inf, 0.0]),
        (lambda: list(repeats({}, 4)), []),
        (lambda: maximal_repeats({"": 1}), {}),
        (lambda: seed_scores({}), {}),
        (lambda: str(expectation_step.record({"": 1}, VOCABULARY)), "1. the empty word occurs once: no piece counts"),
        (lambda: expectation_step({"": 1}, VOCABULARY).objective, 0.0),
        (lambda: sample_segmentation("?", VOCABULARY, unknown=-inf), ("?",)),
    ],
)
def test_a_degenerate_input_has_the_value_of_the_definition(result: Callable[[], Any], expected: Any) -> None:
    assert result() == expected


@pytest.mark.parametrize(
    "call, kind, message",
    [
        (lambda: expectation_step({}, VOCABULARY), ValueError, "words is empty or has only counts of 0"),
        (lambda: expectation_step({"a": 0}, VOCABULARY), ValueError, "words is empty or has only counts of 0"),
        (lambda: maximization_step({"ab": 0.0}, log), ValueError, "counts has no character, and no count is at least"),
        (lambda: contrastive_select([], [], [[1.0]], 0.5), ValueError, "probabilities is empty; give the probability"),
        (lambda: contrastive_select([1.0], [], [[1.0]], 0.5), ValueError, "probabilities has 1 candidates and states"),
        (lambda: degeneration_penalty([1.0], []), ValueError, "past is empty; give the hidden state"),
        (lambda: softmax([-inf, -inf]), ValueError, r"scores has only -inf \(2 times\), so no weights can sum to 1"),
        (lambda: softmax_with_temperature([-inf]), ValueError, "scores has only -inf"),
        (lambda: attention_output([[1]], [[1]], [[1]], mask=[[-inf]]), ValueError, "the mask add a large negative"),
        (lambda: rms_norm([0.0], [1.0], epsilon=0.0), ZeroDivisionError, "division by zero"),
        (lambda: relative_bucket(-1, num_buckets=1), ValueError, "num_buckets=1 is too small; give 4 or more"),
        (lambda: buckets([-9], False, 20, 0), ValueError, "max_distance=0 is too small; give 11 or more"),
        (lambda: banned_tokens([0], [[1], []]), ValueError, r"bad_words\[1\] is empty; give one id or more"),
        (lambda: select_per_group([], 1, 0.0), ValueError, "scores is empty"),
        (lambda: distinct_n(["ab"], 0), ValueError, "size=0 is too small; give 1 or more"),
        (lambda: top_k_filter([], 1), ValueError, "scores is empty"),
        (lambda: hypothesis_score(-1.0, 0, 1.0), ValueError, "length=0 cannot divide a sum"),
        (lambda: index_of_worst([]), ValueError, "scores is empty; give the score of at least one hypothesis"),
        (lambda: add_hypothesis((), ((5,), -1.0), 0), ValueError, "num_beams=0 is too small; give 1 or more"),
        (lambda: sample_next_token([], 0.5), ValueError, "scores is empty; give the logit of at least one id"),
        (lambda: sample_next_token([-inf], 0.5, top_k=1), ValueError, "scores has only -inf"),
        (lambda: renormalized([0.0, 1.0], [0]), ValueError, r"kept=\[0\] has no token with a probability above 0"),
        (lambda: tokenize_at_each_granularity("a", " "), ValueError, "corpus has no words"),
        (lambda: t5_id_mapping([], rows_multiple=0), ValueError, "rows_multiple=0 is too small; give 1 or more"),
        (lambda: split_long_example(([],), 0), ValueError, "packed_length=0 is too small; give 1 or more"),
        (lambda: forward_backward("?", VOCABULARY, unknown=-inf), ValueError, "every path through the lattice has the"),
        (lambda: sharpened([-inf], 1.0), ValueError, "log_probs has only -inf"),
        (
            lambda: sample_path(build_lattice("?", VOCABULARY, -inf), 0.0, Random(1)),
            ValueError,
            "alpha=0.0 draws every path of the lattice equally often, but an edge has the probability 0",
        ),
        (lambda: removal_loss("ab", "ab", Counter(ab=1), 0), ValueError, "words=0 should be at least 1"),
        (lambda: check_vocab_size(0, set(), ["<s>"]), ValueError, r"corpus \(0 characters: \) and 1 special tokens"),
        (lambda: score(1, 0, 1), ValueError, "left_count=0 and right_count=1 should be at least 1"),
    ],
)
def test_a_degenerate_input_without_a_value_is_refused(call: Callable[[], Any], kind: Any, message: str) -> None:
    with pytest.raises(kind, match=message):
        call()
