"""The n-gram model: its counts, probabilities that have the sum 1, and the loss of a document."""

from __future__ import annotations

import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tolerance import near
from tokenlab.algorithms.training_data.ngram_model import count_ngrams, ngram_nats, probability

DOCUMENTS = st.lists(st.lists(st.integers(0, 4), min_size=1, max_size=8), max_size=4)
DOCUMENT = [0, 1, 2, 1, 2, 0]


def test_a_count_is_a_number_of_places_in_the_text() -> None:
    counts = count_ngrams([DOCUMENT], order=3)
    assert counts[()] == {1: 2, 2: 2, 0: 1}  # the first 0 is not predicted
    assert counts[1,] == {2: 2}
    assert counts[1, 2] == {1: 1, 0: 1}


def test_no_context_goes_from_one_document_to_the_next() -> None:
    counts = count_ngrams([[0, 1, 0], [0, 2, 0]], order=2)
    assert counts[0,] == {1: 1, 2: 1}  # and no 0 after the 0 at the end of the first document


@given(DOCUMENTS, st.integers(1, 4), st.lists(st.integers(0, 4), max_size=4))
def test_the_probabilities_after_any_context_have_the_sum_1(
    documents: list[list[int]], order: int, ids: list[int]
) -> None:
    counts = count_ngrams(documents, order)
    found = [probability(id, tuple(ids), counts, vocab_size=5) for id in range(5)]
    assert math.fsum(found) == near(1.0) and min(found) > 0


def test_an_unseen_context_leaves_the_shorter_one_unchanged() -> None:
    counts = count_ngrams([DOCUMENT], order=3)
    assert probability(2, (4, 1), counts, 5) == probability(2, (1,), counts, 5)


def test_many_different_successors_give_the_shorter_context_more_weight() -> None:
    narrow, wide = ({(): {9: 1}, (1,): after} for after in ({2: 4}, {2: 1, 3: 1, 4: 1, 5: 1}))
    assert probability(9, (1,), narrow, 10) < probability(9, (1,), wide, 10)


@given(DOCUMENTS, st.integers(1, 4), st.lists(st.integers(0, 4), min_size=1, max_size=6))
def test_the_loss_is_that_of_the_product_of_the_probabilities(
    documents: list[list[int]], order: int, ids: list[int]
) -> None:
    counts = count_ngrams(documents, order)
    product = math.prod(
        probability(id, tuple(ids[:at])[at - min(at, order - 1) :], counts, 5) for at, id in enumerate(ids) if at
    )
    assert ngram_nats(ids, counts, order, 5) == near(-math.log(product))


def test_a_longer_order_predicts_what_it_has_counted_better() -> None:
    losses = [ngram_nats(DOCUMENT, count_ngrams([DOCUMENT], order), order, 5) for order in (1, 2, 3)]
    assert losses == sorted(losses, reverse=True)


def test_an_order_or_a_size_below_1_is_an_error() -> None:
    for call in (lambda: count_ngrams([], 0), lambda: ngram_nats([0], {}, 0, 5)):
        with pytest.raises(ValueError, match=re.escape("order=0 is too small; give 1 or more")):
            call()
    for call in (lambda: probability(0, (), {}, 0), lambda: ngram_nats([0], {}, 1, 0)):
        with pytest.raises(ValueError, match=re.escape("vocab_size=0 is too small; give 1 or more")):
            call()
