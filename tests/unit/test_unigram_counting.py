"""The training that counts once: the course's corpora, its numbers, and where it differs from EM."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from tokenlab.algorithms.unigram.train import train
from tokenlab.algorithms.unigram.train_by_counting import count_substrings, loss, loss_increase, train_by_counting
from tokenlab.algorithms.unigram.vocabulary import log_probabilities, probability

COURSE = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
COUNTS = {
    "h": 15,
    "u": 36,
    "g": 20,
    "hu": 15,
    "ug": 20,
    "p": 17,
    "pu": 17,
    "n": 16,
    "un": 16,
    "b": 4,
    "bu": 4,
    "s": 5,
    "hug": 15,
    "gs": 5,
    "ugs": 5,
}


def test_the_counts_of_the_course_are_occurrences_times_the_words_count() -> None:
    assert count_substrings(COURSE) == COUNTS
    assert Fraction(count_substrings(COURSE)["p"], 210) == Fraction(17, 210)


def test_probabilities_that_the_course_prints_wrong_come_out_right() -> None:
    vocabulary = log_probabilities(COUNTS)
    assert probability("pug", vocabulary) == pytest.approx(17 * 36 * 20 / 210**3)
    assert probability(["pu", "g"], vocabulary) == pytest.approx(17 * 20 / 210**2)


def test_overlapping_occurrences_count_each_time() -> None:
    assert count_substrings({"aaa": 2}, whole_words=True) == {"a": 6, "aa": 4, "aaa": 2}
    assert count_substrings({"aaa": 2}) == {"a": 6, "aa": 4}
    assert count_substrings({"a": 1, "ab": 1}) == {"a": 2, "b": 1}


def test_the_loss_of_the_course_and_what_it_rises_to() -> None:
    vocabulary = log_probabilities(COUNTS)
    assert round(loss(COURSE, vocabulary), 2) == 169.8
    assert loss_increase(COURSE, vocabulary, "hu") == 0
    assert round(loss(COURSE, vocabulary) + loss_increase(COURSE, vocabulary, "hug"), 1) == 193.3


def test_the_rise_is_that_of_the_whole_corpus() -> None:
    words = {"abab": 5, "ab": 1, "ba": 3}
    vocabulary = log_probabilities(count_substrings(words))
    for piece in ("ab", "ba", "aba"):
        others = {other: value for other, value in vocabulary.items() if other != piece}
        assert loss_increase(words, vocabulary, piece) == pytest.approx(loss(words, others) - loss(words, vocabulary))
    assert loss_increase(words, vocabulary, "ab") > 1


def test_what_the_loss_misses_least_is_removed_and_characters_never() -> None:
    recording = train_by_counting.record(COURSE, 7, removed=0.2)
    gone = [piece for step in recording.steps[:-1] for piece in step.removed]
    assert gone[:3] == ["bu", "gs", "hu"]
    assert set(recording.result) == set("hugpnbs")
    assert [step.size for step in recording] == [15, 12, 10, 8, 7]
    assert str(recording[-1]) == "7 pieces are left, the requested number"


def test_a_round_removes_one_piece_at_least_and_never_too_many() -> None:
    recording = train_by_counting.record(COURSE, 14, removed=0.01)
    assert [step.size for step in recording] == [15, 14]
    assert len(train_by_counting(COURSE, 9, removed=0.9)) == 9


def test_the_seed_has_the_most_frequent_substrings() -> None:
    assert set(train_by_counting(COURSE, 9, seed_size=9)) == set("hugpnbs") | {"ug", "pu"}
    assert str(train_by_counting.record(COURSE, 50)[-1]) == "15 pieces are left, of 50 requested"


def test_counting_gives_a_piece_all_its_occurrences_and_em_only_its_share() -> None:
    words = {"this": 9, "is": 3}
    counted, estimated = (
        count_substrings(words, whole_words=True),
        train(words, 50, seed={"his": 9, "this": 9, "is": 12}),
    )
    assert counted["his"] == counted["this"] == 9
    assert "his" not in estimated and "this" in estimated


@pytest.mark.parametrize(
    ("words", "options", "message"),
    [
        ({}, {}, "no word"),
        (COURSE, {"vocab_size": 6}, "vocab_size=6 is smaller than the alphabet"),
        (COURSE, {"removed": 0.0}, "removed=0.0 should lie above 0"),
        (COURSE, {"seed_size": -1}, "seed_size=-1 is too small"),
    ],
)
def test_what_cannot_be_counted_is_refused(words: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        train_by_counting(words, **{"vocab_size": 10, **options})
