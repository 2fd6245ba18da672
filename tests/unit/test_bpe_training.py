"""Training BPE: the notes' example, ties, options, the end, and what a learner may give by mistake."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tokenlab.algorithms.bpe.encode import encode_in_order
from tokenlab.algorithms.bpe.tie_break import POLICIES, Tied, choose, get_policy
from tokenlab.algorithms.bpe.train import (
    Merged,
    Stopped,
    TrainingState,
    count_pairs,
    merge,
    merged_symbol,
    train,
    vocabulary,
)
from tokenlab.algorithms.bpe.train_indexed import train_indexed

NOTES = {"hug": 10, "pug": 5, "pun": 12}

both = pytest.mark.parametrize("training", [train, train_indexed], ids=["textbook", "indexed"])
Training = Any

# --- the notes' example ---------------------------------------------------------------------------


def test_the_pairs_of_the_notes_first_round() -> None:
    counts = count_pairs(TrainingState(NOTES, 5).splits, NOTES)
    assert counts == {("h", "u"): 10, ("u", "g"): 15, ("p", "u"): 17, ("u", "n"): 12}
    assert list(counts) == [("h", "u"), ("u", "g"), ("p", "u"), ("u", "n")]


def test_the_pairs_of_the_notes_second_round() -> None:
    splits = {word: merge(split, ("p", "u")) for word, split in TrainingState(NOTES, 5).splits.items()}
    assert splits == {"hug": ("h", "u", "g"), "pug": ("pu", "g"), "pun": ("pu", "n")}
    assert count_pairs(splits, NOTES) == {("h", "u"): 10, ("u", "g"): 10, ("pu", "g"): 5, ("pu", "n"): 12}


@both
def test_the_merges_of_the_notes(training: Training) -> None:
    recording = training.record(NOTES, vocab_size=7)
    assert recording.result == [("p", "u"), ("pu", "n")]
    assert recording.steps == (Merged(("p", "u"), 17, 1), Merged(("pu", "n"), 12, 1))


@both
def test_training_goes_on_until_every_word_is_one_symbol(training: Training) -> None:
    recording = training.record(NOTES, vocab_size=100)
    assert recording.steps == (
        Merged(("p", "u"), 17, 1),
        Merged(("pu", "n"), 12, 1),
        Merged(("h", "u"), 10, 2),
        Merged(("hu", "g"), 10, 1),
        Merged(("pu", "g"), 5, 1),
        Stopped(10, 100),
    )


def test_a_word_is_encoded_by_the_merges_in_their_order() -> None:
    merges = [("p", "u"), ("h", "u"), ("hu", "g")]
    assert encode_in_order("hugihu", merges) == ("hug", "i", "hu")
    assert encode_in_order("", merges) == ()
    assert encode_in_order("abc", [("b", "c"), ("a", "b")]) == ("a", "bc")


# --- one merge ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("split", "pair", "merged"),
    [
        ("aaaa", ("a", "a"), ("aa", "aa")),
        ("aaaaa", ("a", "a"), ("aa", "aa", "a")),
        ("abab", ("a", "b"), ("ab", "ab")),
        ("aba", ("b", "a"), ("a", "ba")),
        ("a", ("a", "a"), ("a",)),
        ("", ("a", "a"), ()),
        (("xa", "b"), ("a", "b"), ("xa", "b")),
        ((b"\xe6", b"\x97"), (b"\xe6", b"\x97"), (b"\xe6\x97",)),
    ],
)
def test_a_merge_joins_whole_symbols_from_the_left(split: Any, pair: Any, merged: Any) -> None:
    assert merge(tuple(split), pair) == merged


def test_overlapping_pairs_are_all_counted() -> None:
    assert count_pairs({"w": tuple("aaaa")}, {"w": 2}) == {("a", "a"): 6}


# --- ties -----------------------------------------------------------------------------------------

TIES = {  # for each policy the pair that it takes first of "ba" and "ab", each twice, then of what is left
    "first_seen": [("b", "a"), ("a", "b")],
    "lowest_id": [("a", "b"), ("b", "a")],
    "lexicographic_max": [("b", "a"), ("a", "b")],
    "sentencepiece": [("a", "b"), ("b", "a")],
}


@both
@pytest.mark.parametrize("policy", POLICIES)
def test_each_policy_takes_its_own_pair_of_those_that_tie(training: Training, policy: str) -> None:
    assert training({"ba": 2, "ab": 2}, 4, policy) == TIES[policy]


@both
def test_ties_go_to_the_pair_seen_first(training: Training) -> None:
    assert training({"xz": 1, "zy": 1, "ab": 1}, 8, "first_seen") == [("x", "z"), ("z", "y"), ("a", "b")]
    assert training({"acb": 1}, 4, "first_seen") == [("a", "c")]


@both
def test_the_pair_seen_first_is_found_in_the_words_as_they_are_now(training: Training) -> None:
    # After c + d became cd, b + cd stands before a + b: in the first word.
    assert training({"bcd": 1, "ab": 1, "cd": 1}, 6, "first_seen") == [("c", "d"), ("b", "cd")]


@both
def test_ids_are_in_the_order_of_learning_and_not_of_the_alphabet(training: Training) -> None:
    counts = {"zz": 9, "azz": 1, "zzb": 1, "bc": 1}
    assert training(counts, 6, "lowest_id") == [("z", "z"), ("a", "zz")]


@both
def test_the_dictionary_compares_symbol_by_symbol(training: Training) -> None:
    # ("ab", "a") against ("a", "bz"): "ab" comes behind "a", although "aba" comes before "abz".
    counts = {("ab", "a"): 1, ("a", "bz"): 1}
    assert training(counts, 4, "lexicographic_max") == [("ab", "a")]
    assert training(counts, 4, "lowest_id") == [("a", "bz")]


@both
def test_sentencepiece_prefers_the_shorter_result(training: Training) -> None:
    counts = {("a", "bc"): 1, ("z", "z"): 1}
    assert training(counts, 4, "sentencepiece") == [("z", "z")]
    assert training(counts, 4, "lowest_id") == [("a", "bc")]


@both
@pytest.mark.parametrize(("words", "ties"), [({"ab": 3}, 1), ({"ab": 3, "cd": 3}, 2), ({"abc": 3, "de": 3}, 3)])
def test_a_step_says_how_many_pairs_tie(training: Training, words: Any, ties: int) -> None:
    assert next(training.steps(words, 6)).ties == ties


@both
def test_a_policy_can_be_a_function(training: Training) -> None:
    assert training({"ab": 1, "cd": 1, "ef": 1}, 7, lambda tied: -tied.ids[0]) == [("e", "f")]


@both
def test_a_policy_of_ones_own_that_ties_itself_takes_the_pair_seen_first(training: Training) -> None:
    assert training({"cd": 1, "ab": 1}, 5, lambda tied: 0) == [("c", "d")]


def test_a_policy_is_shown_pair_ids_and_place() -> None:
    seen: list[Tied] = []
    train({"xab": 1, "cd": 1}, 6, lambda tied: seen.append(tied) or tied.ids)  # type: ignore[func-returns-value]
    assert seen == [
        Tied(("x", "a"), (4, 0), (0, 0)),
        Tied(("a", "b"), (0, 1), (0, 1)),
        Tied(("c", "d"), (2, 3), (1, 0)),
    ]


def test_one_pair_alone_asks_no_policy() -> None:
    assert choose([("a", "b")], lambda tied: 1 / 0, [], {}) == ("a", "b")


def test_a_policy_is_found_by_its_name() -> None:
    for name, policy in POLICIES.items():
        assert get_policy(name) is policy
        assert policy.__name__ == name
    assert get_policy(len) is len


# --- options --------------------------------------------------------------------------------------


@both
def test_the_end_of_a_word_is_marked_on_its_last_symbol(training: Training) -> None:
    assert TrainingState({"ab": 1, "b": 1, "": 1}, 9, end_of_word="</w>").splits == {
        "ab": ("a", "b</w>"),
        "b": ("b</w>",),
        "": (),
    }
    assert training({"ab": 2, "ba": 1}, 5, end_of_word="</w>") == [("a", "b</w>")]
    assert training({b"ab": 2}, 3, end_of_word="</w>") == [(b"a", b"b</w>")]


@both
def test_rare_pairs_are_not_merged(training: Training) -> None:
    steps = training.record({"ab": 3, "cd": 2}, 6, min_frequency=3).steps
    assert steps == (Merged(("a", "b"), 3, 1), Stopped(5, 6))


@both
def test_long_tokens_are_not_made(training: Training) -> None:
    steps = training.record({"abc": 9, "de": 1}, 9, max_token_length=2).steps
    assert steps == (Merged(("a", "b"), 9, 2), Merged(("d", "e"), 1, 1), Stopped(7, 9))
    assert training({"ab": 1}, 3, max_token_length=1) == []
    assert training({"ab": 1}, 3, end_of_word="_", max_token_length=2) == []


@both
def test_pairs_that_may_not_be_merged_are_no_ties(training: Training) -> None:
    assert training.record({("aa", "b"): 2, "cd": 2}, 9, max_token_length=2)[0] == Merged(("c", "d"), 2, 1)


@both
def test_the_initial_alphabet_takes_places_and_ids(training: Training) -> None:
    assert vocabulary(TrainingState({"ba": 1}, 9, initial_alphabet="ac"), [("b", "a")]) == ["a", "b", "c", "ba"]
    assert training({"ba": 1}, 3, initial_alphabet="ac") == []
    assert training({"ba": 1}, 4, initial_alphabet=iter("ac")) == [("b", "a")]


@both
def test_special_tokens_come_first_and_are_never_merged(training: Training) -> None:
    special = ["<pad>", "b", "ab"]
    assert vocabulary(TrainingState({"ab": 1}, 9, special_tokens=special), []) == ["<pad>", "b", "ab", "a"]
    assert training({"ab": 1, "cb": 1}, 7, "lowest_id", special_tokens=["b"]) == [("a", "b"), ("c", "b")]
    assert training({"ab": 1}, 4, special_tokens=["<pad>", "<s>"]) == []


@both
def test_merges_that_make_the_same_token_count_each(training: Training) -> None:
    counts = {("ab", "c"): 2, ("a", "bc"): 1}
    assert training(counts, 6) == [("ab", "c"), ("a", "bc")]
    assert vocabulary(TrainingState(counts, 6), training(counts, 6)) == ["a", "ab", "bc", "c", "abc"]


# --- words ----------------------------------------------------------------------------------------


@both
@pytest.mark.parametrize("words", [{"hug": 2}, {("h", "u", "g"): 2}], ids=["str", "tuple"])
def test_a_word_is_a_str_or_a_tuple_of_symbols(training: Training, words: Any) -> None:
    assert training(words, 5) == [("h", "u"), ("hu", "g")]


@both
def test_a_word_can_be_bytes(training: Training) -> None:
    assert training({"é".encode(): 2}, 3) == [(b"\xc3", b"\xa9")]
    assert training({(b"h", b"ug"): 2}, 3) == [(b"h", b"ug")]


@both
def test_empty_words_are_passed_over(training: Training) -> None:
    assert training({"": 3, "ab": 1}, 3) == [("a", "b")]


@both
def test_symbols_of_several_characters_stay_whole(training: Training) -> None:
    assert training({("ch", "a"): 1}, 3) == [("ch", "a")]


# --- the end --------------------------------------------------------------------------------------


@both
def test_training_stops_and_says_so_where_no_pair_is_left(training: Training) -> None:
    recording = training.record({"ab": 1}, 12)
    assert recording.steps == (Merged(("a", "b"), 1, 1), Stopped(3, 12))
    assert str(recording[-1]) == "training stops with 3 of 12 symbols: no pair is left to merge"


@both
def test_nothing_is_said_where_the_size_is_reached(training: Training) -> None:
    assert training.record({"ab": 1}, 3).steps == (Merged(("a", "b"), 1, 1),)
    assert training.record({"ab": 1}, 2).steps == ()


@pytest.mark.parametrize(
    ("step", "sentence"),
    [
        (Merged(("a", "b"), 1, 1), "a + b became ab: the pair occurred once, more often than any other pair"),
        (Merged((" ", "\n"), 2, 2), "␣ + ↵ became ␣↵: the pair occurred 2 times, as often as 1 other pair, and"),
        (Merged(("a", "b"), 2, 4), "as often as 3 other pairs, and the tie-break chose this one"),
    ],
)
def test_a_step_says_what_was_merged_and_why(step: Merged, sentence: str) -> None:
    assert sentence in str(step)


# --- mistakes -------------------------------------------------------------------------------------


@both
@pytest.mark.parametrize("size", [60.0, "60", None, True, [60]])
def test_a_size_that_is_no_whole_number_is_refused(training: Training, size: Any) -> None:
    with pytest.raises(TypeError) as caught:
        training(NOTES, size)
    assert str(caught.value) == (f"vocab_size={size!r} is a {type(size).__name__}; give a whole number, such as 100")


@both
@pytest.mark.parametrize("size", [0, -5])
def test_a_size_below_one_is_refused(training: Training, size: int) -> None:
    with pytest.raises(ValueError, match=f"^vocab_size={size} is smaller than the alphabet .*; ask for at least 5$"):
        training(NOTES, size)


@both
def test_a_size_below_the_alphabet_is_refused_and_the_least_named(training: Training) -> None:
    with pytest.raises(ValueError) as caught:
        training(NOTES, 3)
    assert str(caught.value) == (
        "vocab_size=3 is smaller than the alphabet of your corpus (5 characters: g h n p u); ask for at least 5"
    )
    assert training(NOTES, 5) == []


@both
def test_special_tokens_count_for_the_least_size(training: Training) -> None:
    with pytest.raises(ValueError, match=r"\(5 characters: g h n p u\) and 2 special tokens; ask for at least 6"):
        training(NOTES, 3, special_tokens=["<s>", "h"])
    assert training(NOTES, 6, special_tokens=["<s>", "h"]) == []


def test_a_long_alphabet_is_cut_short_in_the_message() -> None:
    with pytest.raises(ValueError, match=r"\(200 bytes: .* \.\.\.\); ask for at least 200") as caught:
        train({bytes(range(200)): 1}, 3)
    assert len(str(caught.value)) < 250


@both
@pytest.mark.parametrize("nothing", [{}, {"": 3}, {(): 1}])
def test_a_corpus_without_words_is_refused(training: Training, nothing: Any) -> None:
    with pytest.raises(ValueError, match=r"word_counts has no words, .*; give a text that has words"):
        training(nothing, 10)


@both
@pytest.mark.parametrize("words", ["hug pug", ["hug", "pug"], b"hug", None, 5])
def test_what_is_no_mapping_of_words_is_refused(training: Training, words: Any) -> None:
    with pytest.raises(TypeError) as caught:
        training(words, 10)
    message = str(caught.value)
    assert message.startswith(f"word_counts={words!r} is a {type(words).__name__}; it should map words to counts")
    assert "count_words(text)" in message


@both
@pytest.mark.parametrize("word", [5, None, frozenset("ab")])
def test_what_is_no_word_is_refused(training: Training, word: Any) -> None:
    with pytest.raises(TypeError, match=r"^the word .* in word_counts should be a str, bytes, or a tuple of symbols"):
        training({word: 1}, 10)


@both
@pytest.mark.parametrize(("count", "error"), [(0, ValueError), (-1, ValueError), (1.5, TypeError), ("2", TypeError)])
def test_a_count_that_cannot_be_is_refused(training: Training, count: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match=r"^word_counts\['hug'\]="):
        training({"hug": count}, 10)


@both
@pytest.mark.parametrize(
    "words", [{"hug": 1, b"pug": 1}, {("a", b"b"): 1}, {(1, 2): 1}, {("a", ""): 1}, {(b"", b"b"): 1}]
)
def test_symbols_of_several_kinds_are_refused(training: Training, words: Any) -> None:
    with pytest.raises(
        TypeError, match=r"either all str or all bytes, none empty; these are of type (bytes, str|int|str|bytes)$"
    ):
        training(words, 10)


@both
@pytest.mark.parametrize("alphabet", [[b"a"], [1], [""]])
def test_an_initial_alphabet_of_another_kind_is_refused(training: Training, alphabet: Any) -> None:
    with pytest.raises(TypeError, match="initial_alphabet"):
        training(NOTES, 10, initial_alphabet=alphabet)


@both
@pytest.mark.parametrize("name", ["min_frequency", "max_token_length"])
def test_limits_are_whole_numbers_from_one(training: Training, name: str) -> None:
    for value in (0, -1):
        with pytest.raises(ValueError, match=f"^{name}={value} is too small; give 1 or more$"):
            training(NOTES, 10, **{name: value})
    for value in (1.5, "2", True):
        with pytest.raises(TypeError, match=f"^{name}={value!r} is a .*; give a whole number"):
            training(NOTES, 10, **{name: value})


@both
def test_special_tokens_are_a_list_and_not_one_string(training: Training) -> None:
    with pytest.raises(TypeError, match=r"special_tokens='<pad>' .*\['<pad>'\]"):
        training(NOTES, 12, special_tokens="<pad>")
    with pytest.raises(TypeError, match=r"special_tokens=\['<s>', 1\]"):
        training(NOTES, 12, special_tokens=["<s>", 1])


@both
@pytest.mark.parametrize("marker", [5, None, b"</w>"])
def test_an_end_marker_is_a_string(training: Training, marker: Any) -> None:
    with pytest.raises(TypeError, match=r'end_of_word=.* is a \w+; give a string, such as "</w>"'):
        training(NOTES, 12, end_of_word=marker)


@both
def test_a_policy_that_does_not_exist_is_answered_with_the_nearest(training: Training) -> None:
    with pytest.raises(
        ValueError, match=r"tie_break='lowest' is not known; did you mean 'lowest_id'\? There are: 'first_"
    ):
        training(NOTES, 10, "lowest")


@both
@pytest.mark.parametrize("policy", [None, 5, ["first_seen"]])
def test_what_is_no_policy_is_refused(training: Training, policy: Any) -> None:
    with pytest.raises(TypeError, match="is neither a name nor a function; try 'first_seen'"):
        training(NOTES, 10, policy)


@both
def test_an_option_that_does_not_exist_is_refused(training: Training) -> None:
    with pytest.raises(TypeError, match="min_freq"):
        training(NOTES, 10, min_freq=2)


@both
@pytest.mark.parametrize("wrong", [{}, {"vocab_size": 3}, {"tie_break": "x"}])
def test_what_was_given_is_left_as_it_was(training: Callable[..., Any], wrong: dict[str, Any]) -> None:
    counts, alphabet, special = {"hug": 10, "pug": 5}, ["x"], ["<s>"]
    before = copy.deepcopy((counts, alphabet, special))
    arguments = {"vocab_size": 8, "initial_alphabet": alphabet, "special_tokens": special} | wrong
    try:
        training(counts, **arguments)
    except ValueError:
        assert wrong
    assert (counts, alphabet, special) == before


def test_join_keeps_str_and_bytes() -> None:
    assert (merged_symbol(("a", "bc")), merged_symbol((b"\xe6", b"\x97"))) == ("abc", b"\xe6\x97")


@both
def test_an_option_that_does_not_exist_is_answered_with_the_nearest(training: Training) -> None:
    with pytest.raises(TypeError, match="option='min_freq' is not known; did you mean 'min_frequency'"):
        training(NOTES, 7, min_freq=2)  # type: ignore[call-arg]


@both
def test_a_policy_that_forgets_to_return_is_told_so(training: Training) -> None:
    with pytest.raises(TypeError, match=r"returns None for .*; it should return a key"):
        training({"ab": 1, "cd": 1}, 5, lambda tied: None)


@both
@pytest.mark.parametrize("option", ["initial_alphabet", "special_tokens"])
def test_an_option_that_should_be_a_list_is_told_so(training: Training, option: str) -> None:
    with pytest.raises(TypeError, match=f"{option}=5 is a int; give a list"):
        training(NOTES, 7, **{option: 5})  # type: ignore[arg-type]


@both
def test_a_number_of_numpy_is_a_number(training: Training) -> None:
    assert training(NOTES, np.int64(6)) == [("p", "u")]  # type: ignore[arg-type]


@pytest.mark.parametrize(("split", "pair"), [("pun", ("p", "u")), (("p", "u"), ["p", "u"]), (["p"], ("p", "u"))])
def test_merge_asks_for_tuples(split: Any, pair: Any) -> None:
    with pytest.raises(TypeError, match="should be tuples of symbols"):
        merge(split, pair)
