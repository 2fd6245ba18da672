"""Each wrong program is wrong: the smallest input that shows it, and one where nobody would notice."""

from __future__ import annotations

import pytest

from tokenlab.algorithms.bpe.train import TrainingState, count_pairs, merge, train
from tokenlab.misconceptions import bpe_training as bpe
from tokenlab.misconceptions.bpe_training import MISCONCEPTIONS

TEXTBOOK = {"aaabdaaabac": 1}
NOTES = {"hug": 10, "pug": 5, "pun": 12}


def shown_wrong() -> set[str]:
    """The programs that have a test here."""
    return {name.removeprefix("test_").removesuffix("_is_wrong") for name in globals() if name.endswith("_is_wrong")}


def test_the_misconceptions_are_numbered_from_one_to_five() -> None:
    assert [m.number for m in MISCONCEPTIONS] == [1, 2, 3, 4, 5]
    assert all(m.claim and m.rule and m.programs for m in MISCONCEPTIONS)


def test_every_wrong_program_is_shown_wrong_here() -> None:
    assert {program.__name__ for m in MISCONCEPTIONS for program in m.programs} == shown_wrong()


def test_tie_last_seen_is_wrong() -> None:
    assert train(TEXTBOOK, 6) == [("a", "a"), ("aa", "a")]
    assert bpe.tie_last_seen(TEXTBOOK, 6) == [("a", "a"), ("a", "b")]
    assert bpe.tie_last_seen({"ab": 1, "cd": 1}, 5) == [("c", "d")]


def test_tie_lexicographic_is_wrong() -> None:
    assert bpe.tie_lexicographic({"ab": 1, "cd": 1}, 5) == [("c", "d")]
    assert train({"ab": 1, "cd": 1}, 5) == [("a", "b")]


def test_nonoverlap_count_is_wrong() -> None:
    splits, counts = {"aaa": ("a", "a", "a")}, {"aaa": 1}
    assert bpe.nonoverlap_count(splits, counts) == {("a", "a"): 1}
    assert count_pairs(splits, counts) == {("a", "a"): 2}


def test_nonoverlap_count_learns_another_merge() -> None:
    counts = {"aaa": 2, "bc": 3}
    splits = TrainingState(counts, 9).splits
    assert count_pairs(splits, counts).most_common(1) == [(("a", "a"), 4)]
    assert bpe.nonoverlap_count(splits, counts).most_common(1) == [(("b", "c"), 3)]


def test_overlap_count_is_wrong() -> None:
    assert bpe.overlap_count(("a", "a", "a"), ("a", "a")) == 2
    assert bpe.merged_count(("a", "a", "a"), ("a", "a")) == 1


def test_string_replace_merge_is_wrong() -> None:
    assert bpe.string_replace_merge(("xa", "b"), ("a", "b")) == ("xab",)
    assert merge(("xa", "b"), ("a", "b")) == ("xa", "b")


def test_batch_merge_stale_counts_is_wrong() -> None:
    assert bpe.batch_merge_stale_counts(NOTES, 7) == [("p", "u"), ("u", "g")]
    assert train(NOTES, 7) == [("p", "u"), ("pu", "n")]


def test_no_exhaustion_guard_is_wrong() -> None:
    assert train({"ab": 1}, 12) == [("a", "b")]
    with pytest.raises(ValueError, match=r"max\(\) .*empty"):
        bpe.no_exhaustion_guard({"ab": 1}, 12)


def test_wrong_programs_are_right_where_nothing_shows_it() -> None:
    counts = {"ab": 3, "cd": 2}
    for program in (bpe.tie_last_seen, bpe.tie_lexicographic, bpe.batch_merge_stale_counts, bpe.no_exhaustion_guard):
        assert program(counts, 6) == train(counts, 6) == [("a", "b"), ("c", "d")]
    splits = TrainingState(counts, 9).splits
    assert bpe.nonoverlap_count(splits, counts) == count_pairs(splits, counts)
    assert bpe.string_replace_merge(("x", "a", "b"), ("a", "b")) == merge(("x", "a", "b"), ("a", "b"))


def test_bytes_are_merged_whole_too() -> None:
    assert bpe.string_replace_merge((b"xa", b"b"), (b"a", b"b")) == (b"xa", b"b")
