"""Training Unigram: the seed, shares of all paths, the digamma step, losses, the rounds, and what learners give."""

from __future__ import annotations

import math
import sys
from collections import Counter
from typing import Any

import numpy as np
import pytest

from tokenlab import data
from tokenlab.algorithms.text.count_words import count_words
from tokenlab.algorithms.text.trie import Trie
from tokenlab.algorithms.unigram.expectation_maximization import (
    WordExpected,
    digamma,
    expectation_step,
    maximization_step,
)
from tokenlab.algorithms.unigram.prune import best_alternative, piece_losses, prune, removal_loss
from tokenlab.algorithms.unigram.seed import maximal_repeats, seed_scores
from tokenlab.algorithms.unigram.train import final_cut, train
from tokenlab.algorithms.unigram.train_arrays import train_arrays
from tokenlab.algorithms.unigram.training_state import (
    ExpectationDone,
    MaximizationDone,
    Pruned,
    SeedBuilt,
    TrainingState,
    VocabularyFinalized,
    check_words,
)
from tokenlab.steps.recording import Recording

COURSE = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
ENGLISH = count_words(data.text("english")[:2500])

both = pytest.mark.parametrize("training", [train, train_arrays], ids=["textbook", "arrays"])
Training = Any


def test_without_numpy_the_textbook_trains(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tokenlab.algorithms.unigram.lattice_arrays", None)
    made = train_arrays.record(COURSE, vocab_size=9)
    assert [*made] == [*train.record(COURSE, vocab_size=9)] and made.result == train(COURSE, vocab_size=9)


# --- the seed -------------------------------------------------------------------------------------


def test_a_substring_counts_once_for_each_word_that_has_it_times_its_count() -> None:
    assert maximal_repeats({"hug": 10, "pug": 5, "hugs": 5}) == {"hug": 15, "ug": 20}
    assert maximal_repeats({"hug": 10, "pug": 6, "hugs": 6}) == {"hug": 16, "hugs": 6, "pug": 6, "ug": 22}


def test_what_always_comes_with_the_same_neighbour_is_left_to_the_longer_substring() -> None:
    assert maximal_repeats({"abcd": 6}) == {"abcd": 6}
    assert maximal_repeats({"abx": 1, "aby": 1}) == {"ab": 2}


def test_an_end_is_one_more_way_to_go_on_and_what_always_ends_words_must_do_so_often() -> None:
    assert maximal_repeats({"ab": 1, "cab": 1, "abd": 1}) == {"ab": 3}
    assert maximal_repeats({"ab": 2, "cab": 3}) == {}
    assert maximal_repeats({"ab": 3, "cab": 3}) == {"ab": 6}
    assert maximal_repeats({"ab": 1, "abd": 1}) == {"ab": 2}
    assert maximal_repeats({"ab": 1, "ba": 1}) == {}


def test_overlapping_occurrences_count() -> None:
    assert maximal_repeats({"aaaa": 1}) == {"aa": 3, "aaa": 2}


def test_what_occurs_once_is_no_repeat() -> None:
    assert maximal_repeats({"hug": 1, "pun": 1}) == {}


def test_no_substring_is_longer_than_asked_for() -> None:
    assert maximal_repeats({"abcdefgh": 6}, longest=3) == {"fgh": 6}
    assert maximal_repeats({"abcdefgh": 6}, longest=8) == {"abcdefgh": 6}
    assert maximal_repeats({"abcx": 1, "abcy": 1, "bcz": 1}, longest=3) == {"abc": 2, "bc": 3}


def test_scores_are_counts_times_lengths_and_characters_come_first() -> None:
    assert seed_scores({"hug": 10, "pug": 5}) == {"h": 10, "u": 15, "g": 15, "p": 5, "hug": 30, "ug": 30}


def test_the_seed_keeps_the_best_scores_and_never_loses_a_character() -> None:
    assert list(seed_scores({"hug": 10, "pug": 6}, seed_size=1)) == ["h", "u", "g", "p", "ug"]
    assert list(seed_scores({"hug": 10, "pug": 6}, seed_size=0)) == ["h", "u", "g", "p"]


# --- E and M --------------------------------------------------------------------------------------


def test_two_equally_probable_segmentations_get_half_each() -> None:
    expected = expectation_step({"ab": 10}, {"a": math.log(0.2), "b": math.log(0.2), "ab": math.log(0.04)})
    assert expected.counts == pytest.approx({"a": 5, "b": 5, "ab": 5})
    assert expected.objective == pytest.approx(-math.log(0.08))


def test_a_path_counts_in_proportion_to_its_probability() -> None:
    counts = expectation_step({"aab": 4}, {"a": math.log(0.5), "b": math.log(0.1), "ab": math.log(0.15)}).counts
    # a a b: 0.025, a ab: 0.075; one in four, three in four
    assert counts == pytest.approx({"a": 4 * (2 / 4 + 3 / 4), "b": 1, "ab": 3})


def test_a_piece_that_no_word_has_is_expected_nowhere() -> None:
    assert expectation_step({"a": 3}, {"a": -1.0, "x": -1.0}).counts == {"a": 3.0, "x": 0.0}


def test_the_objective_is_a_mean_over_words() -> None:
    vocabulary = {"a": -1.0, "b": -3.0}
    assert expectation_step({"a": 3, "b": 1}, vocabulary).objective == pytest.approx((3 * 1 + 3) / 4)


def test_each_word_reports_its_shares() -> None:
    recording = expectation_step.record({"ab": 2, "a": 1}, {"a": -1.0, "b": -1.0})
    assert recording.steps == (
        WordExpected("ab", 2, {"a": 2.0, "b": 2.0}, -2.0),
        WordExpected("a", 1, {"a": 1.0}, -1.0),
    )
    assert str(recording[1]) == "a occurs once; the expected counts are a 1.00"


def test_a_word_that_the_vocabulary_cannot_spell_is_refused() -> None:
    with pytest.raises(ValueError, match="continues with 'x'"):
        expectation_step({"ax": 1}, {"a": -1.0})


@pytest.mark.parametrize(
    ("x", "value"),
    [(1.0, -0.5772156649), (0.5, -1.9635100260), (2.0, 0.4227843351), (10.0, 2.2517525891), (1e6, 13.8155100579)],
)
def test_digamma(x: float, value: float) -> None:
    assert digamma(x) == pytest.approx(value, abs=1e-9)


def test_the_digamma_step_takes_from_the_rare_pieces() -> None:
    counts = {"a": 100.0, "ab": 1.0}
    ours, likely = maximization_step(counts), maximization_step(counts, math.log)
    assert ours == pytest.approx({"a": digamma(100) - digamma(101), "ab": digamma(1) - digamma(101)})
    assert sum(map(math.exp, likely.values())) == pytest.approx(1)
    assert math.exp(ours["ab"]) < 0.6 * math.exp(likely["ab"])


def test_the_threshold_drops_pieces_below_a_half_but_no_character() -> None:
    counts = {"a": 0.1, "ab": 0.49, "bc": 0.5, "abc": 3.0}
    assert maximization_step(counts, math.log) == pytest.approx(
        {"a": math.log(0.5 / 4), "bc": math.log(0.5 / 4), "abc": math.log(3 / 4)}
    )
    assert set(maximization_step(counts, math.log, threshold=0.1)) == set(counts)


@pytest.mark.parametrize(
    ("counts", "threshold", "message"),
    [
        ({}, 0.5, "counts is empty"),
        ({"a": math.nan}, 0.5, r"counts\['a'\]=nan"),
        ({"a": -1.0}, 0.5, r"counts\['a'\]=-1.0"),
        ({"ab": math.inf}, 0.5, r"counts\['ab'\]=inf"),
        ({"a": 1.0}, 0.0, "threshold=0.0"),
        ({"a": 1.0}, math.nan, "threshold=nan"),
    ],
)
def test_counts_that_are_none_are_refused(counts: Any, threshold: float, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        maximization_step(counts, threshold=threshold)


# --- pruning --------------------------------------------------------------------------------------

VOCABULARY = {"a": -2.0, "b": -2.0, "c": -2.5, "ab": -1.0, "bc": -5.0, "abc": -2.5}


def test_the_loss_of_a_piece_by_hand() -> None:
    used = {"ab": 9, "abc": 3}
    # ab is replaced by a b: 12 pieces become 21, a and b have 9 each of them
    by_hand = 9 / 12 * (math.log(9 / 12) - 2 * math.log(9 / 21))
    assert removal_loss("ab", ("a", "b"), Counter(used), words=12) == pytest.approx(by_hand)
    judged = {one.piece: one for one in piece_losses({"ab": 9, "abc": 3}, VOCABULARY)}
    assert judged["ab"].loss == pytest.approx(by_hand)
    # abc is replaced by ab c: 12 pieces become 15, of which ab has 12 and c has 3
    assert judged["abc"].alternative == ("ab", "c")
    assert judged["abc"].loss == pytest.approx(3 / 12 * (math.log(3 / 12) - math.log(12 / 15) - math.log(3 / 15)))


def test_a_piece_that_is_not_its_own_best_segmentation_is_useless_however_frequent() -> None:
    words = {"bc": 100, "ab": 1}
    judged = {one.piece: one for one in piece_losses(words, VOCABULARY)}
    assert judged["bc"].is_redundant and judged["bc"].loss == 0 and judged["bc"].alternative == ("b", "c")
    assert not judged["ab"].is_redundant
    assert "bc" not in prune(judged.values(), VOCABULARY, size=99)


def test_a_piece_that_no_best_segmentation_has_is_useless_though_it_is_its_own_best() -> None:
    (his, this) = piece_losses({"this": 9}, {**dict.fromkeys("this", -4.0), "his": -3.0, "this": -1.0})
    assert (his.is_redundant, his.is_best, his.frequency) == (True, True, 0)
    assert (this.is_redundant, this.alternative) == (False, ("t", "his"))
    assert str(his) == "his is useless: no best segmentation uses it"


def test_characters_are_never_judged_and_never_pruned() -> None:
    judged = piece_losses({"ab": 9, "abc": 3}, VOCABULARY)
    assert [one.piece for one in judged] == ["ab", "bc", "abc"]
    assert list(prune(judged, VOCABULARY, size=0)) == ["a", "b", "c"]


def test_pruning_keeps_the_greatest_losses() -> None:
    judged = piece_losses({"ab": 9, "abc": 3}, VOCABULARY)
    assert list(prune(judged, VOCABULARY, size=4)) == ["a", "b", "c", "ab"]
    assert list(prune(judged, VOCABULARY, size=5)) == ["a", "b", "c", "ab", "abc"]


def test_a_piece_that_nothing_can_replace_stays() -> None:
    vocabulary = {"ab": -1.0, "abc": -1.0, "c": -1.0}
    judged = piece_losses({"abc": 1, "ab": 2}, vocabulary)
    assert [one.alternative for one in judged] == [(), ("ab", "c")]
    assert str(judged[0]) == "ab is used 2 times; no other pieces can replace it"
    assert set(prune(judged, vocabulary, size=0)) == {"ab", "c"}


def test_without_itself_is_the_best_of_the_other_segmentations() -> None:
    trie = Trie({"a": -1.0, "b": -1.0, "c": -1.0, "ab": -1.5, "bc": -2.5, "abc": -9.0})
    assert best_alternative("abc", trie) == ("ab", "c")
    assert best_alternative("a", trie) == ()


# --- the rounds -----------------------------------------------------------------------------------


def stages(recording: Recording[Any, Any], kind: type[Any]) -> list[Any]:
    return [step for step in recording if isinstance(step, kind)]


@both
def test_the_stages_stand_in_their_order(training: Training) -> None:
    recording = training.record(COURSE, vocab_size=9)
    em = ("ExpectationDone", "MaximizationDone")
    assert [type(step).__name__ for step in recording] == [
        *("SeedBuilt", *em, *em, "Pruned"),
        *(*em, *em, "VocabularyFinalized"),
    ]
    assert recording.result == recording[-1].vocabulary


@pytest.mark.slow
@both
def test_no_character_is_lost_and_the_size_is_what_was_asked_for(training: Training) -> None:
    for size in (64, 100, 250):
        vocabulary = training(ENGLISH, size)
        assert len(vocabulary) == size
        assert {character for word in ENGLISH for character in word} <= set(vocabulary)
        assert list(vocabulary.values()) == sorted(vocabulary.values(), reverse=True)


@both
def test_the_alphabet_alone_is_the_smallest_vocabulary(training: Training) -> None:
    assert set(training(COURSE, 7)) == set("hugpnbs")
    with pytest.raises(ValueError, match=r"vocab_size=6 .*alphabet.*7 characters: b g h n p s u\); ask for at least 7"):
        training(COURSE, 6)


@both
def test_a_pruning_keeps_three_quarters_and_training_stops_a_tenth_above_the_size(training: Training) -> None:
    recording = training.record(ENGLISH, 100)
    sizes = [len(step.vocabulary) for step in stages(recording, MaximizationDone)][1::2]
    pruned = [len(step.removed) for step in stages(recording, Pruned)]
    assert len(sizes) == len(pruned) + 1 > 4
    for before, removed, after in zip(sizes, pruned, sizes[1:], strict=False):
        assert before - removed == max(110, int(0.75 * before)) >= after
    assert sizes[-1] <= 110 < sizes[-2]


@pytest.mark.slow
@both
def test_a_gentler_pruning_takes_more_rounds(training: Training) -> None:
    def rounds(share: float) -> int:
        return len(stages(training.record(ENGLISH, 100, shrinking_factor=share), Pruned))

    assert rounds(0.9) > rounds(0.75) > rounds(0.5)


@both
def test_sub_iterations_are_the_rounds_between_prunings(training: Training) -> None:
    recording = training.record(ENGLISH, 100, sub_iterations=4)
    assert len(stages(recording, ExpectationDone)) == 4 * (len(stages(recording, Pruned)) + 1)


@both
def test_maximum_likelihood_probabilities_sum_to_one_and_digamma_ones_to_less(training: Training) -> None:
    for estimate, low, high in (("log", 1 - 1e-9, 1 + 1e-9), ("digamma", 0.5, 0.999)):
        last = stages(training.record(ENGLISH, 200, estimate=estimate), MaximizationDone)[-1]
        assert low < sum(map(math.exp, last.vocabulary.values())) < high


@both
def test_a_seed_of_ones_own_is_trained_on(training: Training) -> None:
    recording = training.record(COURSE, 20, seed={"ug": 20, "x": 3})
    assert recording[0] == SeedBuilt({"h": 15, "u": 36, "g": 20, "p": 17, "n": 16, "b": 4, "s": 5, "ug": 20})
    assert set(recording.result) == set("hugpnbs") | {"ug"}
    assert str(recording[-1]) == (
        "the vocabulary is final: 8 pieces, including all characters; 20 were requested, but no more pieces were useful"
    )


@both
def test_no_piece_is_longer_than_asked_for(training: Training) -> None:
    assert max(map(len, training(ENGLISH, 200, longest=3))) == 3
    assert max(map(len, training(ENGLISH, 200))) > 3
    assert max(map(len, training(ENGLISH, 200, longest=1))) == 1


@both
def test_a_seed_of_few_substrings(training: Training) -> None:
    assert (
        len(training.record(ENGLISH, 500, seed_size=10)[0].scores)
        == len(TrainingState(ENGLISH, 500, longest=1).scores) + 10
    )


@both
def test_words_of_every_kind_are_trained_on(training: Training) -> None:
    hostile = ("👩\u200d👩\u200d👧", "e\u0301e\u0301", "\ud83d\ud83d", "\x00a\x00", "שלום", " \r\n", "日本日本", "")
    words = dict.fromkeys(hostile, 2)
    vocabulary = training(words, 40)
    assert {character for word in words for character in word} <= set(vocabulary)
    assert all(map(math.isfinite, vocabulary.values()))


@pytest.mark.slow
@pytest.mark.cases(1)
@both
def test_a_word_of_thousands_of_characters_neither_underflows_nor_recurses(training: Training) -> None:
    vocabulary = training({"ab" * 1500 + "ba" * 500: 1}, 12)
    assert {"a", "b"} < set(vocabulary)
    assert all(map(math.isfinite, vocabulary.values()))


def test_words_given_twice_are_added_up() -> None:
    assert check_words({"hug": 1, ("h", "u", "g"): 2, "": 5}) == {"hug": 3}
    assert check_words({"hug": np.int64(3)}) == {"hug": 3}


@both
@pytest.mark.parametrize(
    ("words", "options", "error", "message"),
    [
        ({}, {}, ValueError, "word_counts has no word"),
        ({"": 3}, {}, ValueError, "word_counts has no word"),
        ("hug pug", {}, TypeError, "is a str; it should map words to counts"),
        ({b"hug": 1, "pug": 1}, {}, TypeError, "words of one kind"),
        ({("hu", "g"): 1}, {}, TypeError, "tuple of single characters"),
        ({"hug": 0}, {}, ValueError, r"word_counts\['hug'\]=0"),
        ({"hug": math.nan}, {}, TypeError, r"word_counts\['hug'\]=nan is a float"),
        ({"hug": 1}, {"vocab_size": 2.5}, TypeError, "vocab_size=2.5 is a float"),
        ({"hug": 1}, {"longest": 0}, ValueError, "longest=0 is too small"),
        ({"hug": 1}, {"seed_size": -1}, ValueError, "seed_size=-1 is too small"),
        ({"hug": 1}, {"sub_iterations": 0}, ValueError, "sub_iterations=0 is too small"),
        ({"hug": 1}, {"shrinking_factor": 1.0}, ValueError, "shrinking_factor=1.0 should lie above 0 and below 1"),
        ({"hug": 1}, {"shrinking_factor": math.nan}, ValueError, "shrinking_factor=nan should lie"),
        ({"hug": 1}, {"shrinking_factor": "all"}, TypeError, "shrinking_factor='all' is no number"),
        ({"hug": 1}, {"estimate": "digama"}, ValueError, "did you mean 'digamma'"),
        ({"hug": 1}, {"seed": ["ug"]}, TypeError, "seed=.* should map pieces to scores"),
        ({"hug": 1}, {"seed": {"": 1}}, TypeError, "seed has '' among its pieces"),
        ({"hug": 1}, {"seed": {"ug": 0}}, ValueError, r"seed\['ug'\]=0 is too small"),
        ({"hug": 1}, {"size": 3}, TypeError, "size"),
    ],
)
def test_what_cannot_be_trained_on_is_refused(
    training: Training, words: Any, options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        training(words, **{"vocab_size": 50, **options})


def test_the_final_cut_takes_the_most_probable_after_the_characters() -> None:
    vocabulary = {"a": -9.0, "b": -4.0, "ab": -1.0, "abc": -2.0, "ba": -3.0}
    assert final_cut(vocabulary, 4) == {"ab": -1.0, "abc": -2.0, "b": -4.0, "a": -9.0}
    assert final_cut(vocabulary, 2) == {"b": -4.0, "a": -9.0}
    assert list(final_cut({"b": -1.0, "a": -1.0}, 2)) == ["a", "b"]


def test_the_steps_are_sentences() -> None:
    assert str(SeedBuilt({"a": 3, "ab": 4})) == "the seed has 2 pieces: 1 character and 1 longer substring"
    assert str(ExpectationDone({"a": 1.5, "b": 0.5}, 2.0)) == (
        "E-step: the expected counts of all pieces sum to 2.0; the objective is 2.000"
    )
    assert str(MaximizationDone({"a": -1.0}, ("ab", "ba"))) == (
        "M-step: the expected counts give 1 piece new probabilities; 2 others are too rare and are dropped"
    )
    assert str(Pruned({"ab": 0.0, "ba": 0.1}, ("ab", "ba"))) == (
        "pruning removes 1 piece that no best segmentation uses, and 1 piece with the smallest loss"
    )
    assert str(VocabularyFinalized({"a": -1.0}, 1)) == "the vocabulary is final: 1 piece, including all characters"
