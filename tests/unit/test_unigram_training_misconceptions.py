"""Each wrong program about training Unigram is wrong: the smallest input that shows it."""

from __future__ import annotations

import math

import pytest

from tokenlab.algorithms.unigram.expectation_maximization import expectation_step
from tokenlab.algorithms.unigram.prune import piece_losses, prune
from tokenlab.algorithms.unigram.train_by_counting import count_substrings
from tokenlab.algorithms.unigram.viterbi import viterbi
from tokenlab.misconceptions import unigram_training
from tokenlab.misconceptions.catalog import rule_of
from tokenlab.misconceptions.unigram_training import (
    hard_em,
    prune_by_prob,
    prune_characters,
    word_count_not_occurrences,
)

COURSE = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
# `his` is probable, and `this` wins wherever it stands; `us` is improbable, and needed.
THIS = {**dict.fromkeys("thisu", -4.0), "his": -3.0, "this": -1.0, "us": -6.0}
WORDS = {"this": 9, "us": 3}


def test_the_misconceptions_are_twenty_twenty_two_and_twenty_four() -> None:
    assert [m.number for m in unigram_training.MISCONCEPTIONS] == [20, 22, 24]
    assert all(
        m.claim and rule_of(program) == m.rule for m in unigram_training.MISCONCEPTIONS for program in m.programs
    )


def test_every_wrong_program_is_shown_wrong_here() -> None:
    shown = {name.removeprefix("test_").removesuffix("_is_wrong") for name in globals() if name.endswith("_is_wrong")}
    assert {program.__name__ for m in unigram_training.MISCONCEPTIONS for program in m.programs} == shown


def test_word_count_not_occurrences_is_wrong() -> None:
    assert word_count_not_occurrences(COURSE)["p"] == 5 != count_substrings(COURSE)["p"] == 17
    assert set(word_count_not_occurrences(COURSE)) == set(count_substrings(COURSE))
    assert word_count_not_occurrences({"aa": 3})["a"] == 3 != count_substrings({"aa": 3})["a"] == 6


def test_hard_em_is_wrong() -> None:
    vocabulary = {"a": math.log(0.2), "b": math.log(0.2), "ab": math.log(0.041)}
    assert hard_em({"ab": 10}, vocabulary) == {"a": 0, "b": 0, "ab": 10}
    assert expectation_step({"ab": 10}, vocabulary).counts == pytest.approx(
        {"a": 400 / 81, "b": 400 / 81, "ab": 410 / 81}
    )


def test_prune_by_prob_is_wrong() -> None:
    assert "his" in prune_by_prob(WORDS, THIS, 7) and "us" not in prune_by_prob(WORDS, THIS, 7)
    right = prune(piece_losses(WORDS, THIS), THIS, 7)
    assert "his" not in right and "us" in right
    assert set(prune_by_prob(WORDS, THIS, 1)) == set("thisu")


def test_prune_characters_is_wrong() -> None:
    pruned = prune_characters(WORDS, THIS, 7)
    assert set(pruned) == {"this", "us"}
    with pytest.raises(ValueError, match="continues with 't'"):
        viterbi("hit"[::-1], pruned)
    assert set("thisu") <= set(prune(piece_losses(WORDS, THIS), THIS, 0))
