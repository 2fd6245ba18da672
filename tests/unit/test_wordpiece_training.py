"""WordPiece's two trainers: by score, as Hugging Face's course teaches it, and by count, as tokenizers does it."""

from __future__ import annotations

from fractions import Fraction
from math import log
from typing import Any

import pytest

from tokenlab.algorithms.bpe.train import Stopped, replace_pair
from tokenlab.algorithms.wordpiece.pieces import characters_with_prefix, join
from tokenlab.algorithms.wordpiece.train import Merged, count_symbols, likelihood_gains, train
from tokenlab.algorithms.wordpiece.train_by_frequency import MergedByFrequency, train_by_frequency
from tokenlab.algorithms.wordpiece.train_indexed import train_indexed

THREE = {"hug": 10, "pug": 5, "pun": 12}
FIVE = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
BY_SCORE = [train, train_indexed]
ALL = [train, train_indexed, train_by_frequency]


def test_only_what_stands_inside_a_word_bears_the_prefix() -> None:
    assert characters_with_prefix("hugs") == ("h", "##u", "##g", "##s")
    assert characters_with_prefix(("日", "本"), "@@") == ("日", "@@本")
    assert characters_with_prefix("") == ()


@pytest.mark.parametrize(
    ("pair", "piece"), [(("h", "##u"), "hu"), (("##g", "##s"), "##gs"), (("hu", "##gs"), "hugs"), (("#", "###"), "##")]
)
def test_the_right_piece_loses_its_prefix_and_the_left_one_keeps_it(pair: Any, piece: str) -> None:
    assert join(pair) == piece


def test_a_merge_is_made_from_the_left_and_uses_each_piece_once() -> None:
    assert replace_pair(("a", "##a", "##a", "##a"), ("##a", "##a"), "##aa") == ("a", "##aa", "##a")
    assert replace_pair(("##a",), ("##a", "##a"), "##aa") == ("##a",)


def test_a_word_of_one_symbol_counts_that_symbol() -> None:
    assert count_symbols({"a": ("a",), "ab": ("a", "##b")}, {"a": 3, "ab": 2}) == {"a": 5, "##b": 2}


# --- by the score ---------------------------------------------------------------------------------


@pytest.mark.parametrize("training", BY_SCORE)
def test_the_first_merge_of_the_course_is_g_and_s_at_one_twentieth(training: Any) -> None:
    step = training.record(FIVE, 8)[0]
    assert step == Merged(("##g", "##s"), "##gs", 5, (20, 5), 1)
    assert step.score == Fraction(1, 20)


@pytest.mark.parametrize("training", BY_SCORE)
def test_the_example_of_the_notes_ties_then_makes_hug_then_ties_again(training: Any) -> None:
    recording = training.record(THREE, 10)
    assert [step.pair for step in recording[:2]] == [("h", "##u"), ("hu", "##g")]
    assert [step.score for step in recording] == [Fraction(1, n) for n in (27, 15, 17, 17, 12)]
    assert [step.ties for step in recording[:4]] == [4, 1, 3, 2]


@pytest.mark.parametrize("training", BY_SCORE)
def test_the_most_frequent_pair_need_not_be_merged(training: Any) -> None:
    # The pair u g occurs 20 times, g s 5 times.
    assert training(FIVE, 8)[-1] == "##gs"


@pytest.mark.parametrize("training", BY_SCORE)
def test_a_pair_seen_once_of_pieces_seen_once_has_the_highest_score_there_is(training: Any) -> None:
    counts = {"the": 1000, "qz": 1}
    assert training.record(counts, 6)[0] == Merged(("q", "##z"), "qz", 1, (1, 1), 1)
    assert training.record(counts, 6, min_frequency=2)[0].pair == ("t", "##h")


@pytest.mark.parametrize("training", BY_SCORE)
def test_scores_are_compared_exactly(training: Any) -> None:
    # As floats the two scores are equal, and c + ##d comes first in the words.
    n = 2**27
    counts = {"cd": n - 1, "c": 1, "fd": 1, "gd": 1, "ab": n, "a": 1, "eb": 1}
    lower, higher = Fraction(n - 1, n * (n + 1)), Fraction(n, (n + 1) * (n + 1))
    assert lower < higher
    assert float(lower) == float(higher)
    step = training.record(counts, 9, min_frequency=2)[0]
    assert step == Merged(("a", "##b"), "ab", n, (n + 1, n + 1), 1)
    assert step.score == higher


@pytest.mark.parametrize("training", BY_SCORE)
def test_a_tie_goes_where_the_policy_says(training: Any) -> None:
    assert training.record(THREE, 6, "first_seen")[0].pair == ("h", "##u")
    assert training.record(THREE, 6, "lowest_id")[0].pair == ("##u", "##g")
    assert training.record(THREE, 6, "lexicographic_max")[0].pair == ("p", "##u")
    assert training.record(THREE, 6, lambda tied: tied.pair != ("##u", "##n"))[0].pair == ("##u", "##n")


def test_the_sentence_of_a_step_has_its_counts_and_its_score() -> None:
    assert str(train.record(THREE, 10)) == (
        "1. h + ##u became hu: the pair occurred 10 times, h 10 times and ##u 27 times; "
        "its score is 10/(10 x 27) = 1/27; 3 other pairs have the same score, and the tie-break chose this one\n"
        "2. hu + ##g became hug: the pair occurred 10 times, hu 10 times and ##g 15 times; "
        "the highest score is 10/(10 x 15) = 1/15\n"
        "3. p + ##u became pu: the pair occurred 17 times, p 17 times and ##u 17 times; "
        "its score is 17/(17 x 17) = 1/17; 2 other pairs have the same score, and the tie-break chose this one\n"
        "4. pu + ##g became pug: the pair occurred 5 times, pu 17 times and ##g 5 times; "
        "its score is 5/(17 x 5) = 1/17; 1 other pair has the same score, and the tie-break chose this one\n"
        "5. pu + ##n became pun: the pair occurred 12 times, pu 12 times and ##n 12 times; "
        "the highest score is 12/(12 x 12) = 1/12"
    )
    assert str(Merged(("a", "##b"), "ab", 1, (1, 1), 1)).endswith(
        "the pair occurred once, a once and ##b once; the highest score is 1/(1 x 1) = 1"
    )


# --- by count -------------------------------------------------------------------------------------


def test_by_count_the_most_frequent_pair_is_merged_first() -> None:
    recording = train_by_frequency.record(FIVE, 12)
    assert recording[0] == MergedByFrequency(("##u", "##g"), "##ug", 20, 1)
    assert str(recording[0]) == "##u + ##g became ##ug: the pair occurred 20 times, more often than any other pair"


def test_by_count_every_character_is_an_entry_without_prefix_too() -> None:
    vocabulary = train_by_frequency(THREE, 9, special_tokens=["[UNK]"])
    assert vocabulary == ["[UNK]", "g", "h", "n", "p", "u", "##u", "##g", "##n"]


def test_by_count_the_pieces_inside_come_in_the_order_of_the_words() -> None:
    assert train_by_frequency(dict(reversed(THREE.items())), 8)[5:] == ["##u", "##n", "##g"]


def test_by_count_a_tie_goes_to_the_lowest_ids() -> None:
    recording = train_by_frequency.record({"ab": 1, "cd": 1}, 8)
    assert recording[0] == MergedByFrequency(("a", "##b"), "ab", 1, 2)
    assert str(recording[0]).endswith("occurred once, as often as 1 other pair, and the tie-break chose this one")
    assert train_by_frequency.record({"ab": 1, "cd": 1}, 8, "lexicographic_max")[0].pair == ("c", "##d")


def test_by_count_a_limited_alphabet_keeps_what_is_frequent_and_cuts_out_the_rest() -> None:
    # Of b and c, as frequent as each other, the lower code is kept. What stands behind a gap keeps its prefix.
    vocabulary = train_by_frequency({"xaa": 3, "acb": 1, "axa": 3}, 99, limit_alphabet=1)
    assert vocabulary == ["a", "##a", "aa", "##aa"]
    assert train_by_frequency({"xaa": 3, "acb": 1}, 99, limit_alphabet=3)[:3] == ["a", "b", "x"]


def test_by_count_an_initial_alphabet_is_kept_before_all_others() -> None:
    assert train_by_frequency({"ab": 3}, 99, initial_alphabet=["z"], limit_alphabet=2)[:2] == ["a", "z"]


# --- all ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("training", ALL)
def test_special_tokens_come_first_and_count(training: Any) -> None:
    vocabulary = training(THREE, 12, special_tokens=["[PAD]", "[UNK]"])
    assert vocabulary[:2] == ["[PAD]", "[UNK]"]
    assert len(vocabulary) == 12


@pytest.mark.parametrize("training", ALL)
def test_a_piece_that_is_there_already_does_not_make_the_vocabulary_larger(training: Any) -> None:
    vocabulary = training({"ab": 2, "cd": 1}, 9, special_tokens=["ab"])
    assert vocabulary.count("ab") == 1
    assert vocabulary[-1] == "cd"


@pytest.mark.parametrize("training", ALL)
def test_when_every_word_is_one_piece_training_stops(training: Any) -> None:
    recording = training.record({"ab": 1, "a": 5}, 99)
    assert recording[-1] == Stopped(len(recording.result), 99)
    assert recording.result[-1] == "ab"


@pytest.mark.parametrize("training", ALL)
def test_a_pair_below_the_least_frequency_is_not_merged(training: Any) -> None:
    recording = training.record({"ab": 3, "cd": 2}, 99, min_frequency=3)
    assert [step.pair for step in recording if not isinstance(step, Stopped)] == [("a", "##b")]


@pytest.mark.parametrize("training", ALL)
def test_a_word_may_be_a_string_or_a_tuple_and_both_are_one_word(training: Any) -> None:
    together = training.record({"ab": 2, ("a", "b"): 3, "b": 1}, 99)
    assert together[0].count == 5


@pytest.mark.parametrize("training", ALL)
def test_another_prefix_marks_what_stands_inside(training: Any) -> None:
    assert {"@b", "ab"} <= set(training({"ab": 1}, 99, prefix="@"))


@pytest.mark.parametrize("training", ALL)
@pytest.mark.parametrize(
    ("counts", "size", "options", "error", "words"),
    [
        ({}, 9, {}, ValueError, "no word"),
        ({"": 3}, 9, {}, ValueError, "no word"),
        (THREE, 4, {}, ValueError, r"vocab_size=4 is smaller than the alphabet .*; ask for at least [58]"),
        (THREE, 6, {"special_tokens": ["[UNK]", "[PAD]"]}, ValueError, "and 2 special tokens; ask for at least"),
        (THREE, 9, {"prefix": ""}, ValueError, "does not distinguish"),
        (THREE, 9, {"prefix": None}, TypeError, "give a string"),
        (THREE, 9, {"min_frequency": 0}, ValueError, "min_frequency=0 is too small"),
        (THREE, 9, {"special_tokens": "[UNK]"}, TypeError, "is one string; give a list"),
        (THREE, 9, {"tie_break": "lowest"}, ValueError, "did you mean 'lowest_id'"),
        (THREE, 9, {"tie_break": 5}, TypeError, "neither a name nor a function"),
        ({b"hug": 1}, 9, {}, TypeError, "WordPiece does not use bytes"),
        ({("h", b"u"): 1}, 9, {}, TypeError, "either all str or all bytes"),
        ({"hug": 1.5}, 9, {}, TypeError, "give a whole number"),
        ({"hug": 0}, 9, {}, ValueError, "give 1 or more"),
        (["hug"], 9, {}, TypeError, "should map words to counts"),
        (THREE, "9", {}, TypeError, "give a whole number"),
    ],
)
def test_what_cannot_be_learned_from_gets_a_sentence(
    training: Any, counts: Any, size: Any, options: Any, error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        training(counts, size, **options)


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"limit_alphabet": 0}, ValueError, "limit_alphabet=0 is too small"),
        ({"limit_alphabet": "all"}, TypeError, "give a whole number"),
        ({"initial_alphabet": 5}, TypeError, "give a list"),
    ],
)
def test_an_alphabet_that_cannot_be_gets_a_sentence(options: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        train_by_frequency(THREE, 99, **options)


def test_the_likelihood_gain_is_that_of_the_corpus_with_the_pair_merged() -> None:
    def log_probability(symbols: list[str]) -> float:
        return sum(log(symbols.count(symbol) / len(symbols)) for symbol in symbols)

    gains = likelihood_gains({"ab": 2, "aab": 1})
    before = log_probability(["a", "##b"] * 2 + ["a", "##a", "##b"])
    assert gains == pytest.approx(
        {
            ("a", "##b"): log_probability(["ab"] * 2 + ["a", "##a", "##b"]) - before,
            ("a", "##a"): log_probability(["a", "##b"] * 2 + ["aa", "##b"]) - before,
            ("##a", "##b"): log_probability(["a", "##b"] * 2 + ["a", "##ab"]) - before,
        }
    )
    assert list(gains.values()) == sorted(gains.values(), reverse=True)
