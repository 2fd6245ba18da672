"""Assignment 1: its wrong programs are those of the lessons, and everybody's data is worth tracing."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from notebooks.assignments.assignment import Assignment
from notebooks.assignments.programs import assignment1 as programs
from tests.assignments.ids import IDS
from tokenlab.algorithms.bpe import train as bpe_train
from tokenlab.misconceptions import bpe_encoding as bpe_encode
from tokenlab.misconceptions import bpe_training as bpe
from tokenlab.misconceptions import byte_level_bpe

SHEET = Assignment("assignment1").sheet(Assignment("assignment1").answers("model"))


def test_every_wrong_program_of_the_lessons_has_its_counterpart() -> None:
    taught = {
        program.__name__
        for module in (bpe, bpe_encode, byte_level_bpe)
        for one in module.MISCONCEPTIONS
        for program in one.programs
    }
    here = {program.__name__ for wrong in programs.WRONG.values() for program in wrong} | {"overlap_count"}
    assert {one.number for module in (bpe, bpe_encode, byte_level_bpe) for one in module.MISCONCEPTIONS} == set(
        range(1, 16)
    )
    assert here == taught | {"joined_across_damage"}  # a mistake of this task alone


def pair_counts(words: dict[tuple[str, ...], int]) -> Counter[tuple[str, str]]:
    counts: Counter[tuple[str, str]] = Counter()
    for word, count in words.items():
        for pair in zip(word, word[1:], strict=False):
            counts[pair] += count
    return counts


@pytest.fixture(scope="module")
def my_data() -> Any:
    return SHEET["my_data"]


def test_nobodys_trace_is_decided_by_a_tie_and_everybodys_has_overlap(my_data: Any) -> None:
    for student in IDS:
        my = my_data(student)
        words = {(*word, "$"): count for word, count in my.words.items()}
        assert len(words) == 4
        (first, most), (runner_up, second), *_ = pair_counts(words).most_common()
        assert most > second
        assert first[0] == first[1], "its occurrences overlap"
        then = {bpe_train.merge(word, first): count for word, count in words.items()}
        (next_pair, most), (_, second), *_ = pair_counts(then).most_common()
        assert most > second
        assert next_pair != runner_up, "who does not count again is wrong"
        left = bpe_train.merge((*my.word, "$"), first)
        assert len(my.word) + 1 - overlaps(my.word, first) < len(left)


def overlaps(word: str, pair: tuple[str, str]) -> int:
    return sum(neighbours == pair for neighbours in zip(word, word[1:], strict=False))


def test_everybodys_tokens_differ_from_what_the_wrong_programs_give(my_data: Any) -> None:
    for student in IDS:
        my = my_data(student)
        tokens = SHEET["encode_piece"](my.piece, my.table)
        assert "".join(tokens) == my.piece
        for wrong in (programs.greedy_longest_match, programs.left_to_right_merge, programs.min_tokens_dp):
            assert wrong(my.piece, my.table) != tokens


def test_data_belong_to_the_id_however_it_is_written(my_data: Any) -> None:
    assert my_data("Jörg  Müller ") == my_data("jo\u0308rg mu\u0308ller")
    assert len({str(my_data(student)) for student in IDS}) > 0.99 * len(IDS)


def test_data_are_the_same_in_every_python(my_data: Any) -> None:
    assert my_data("model").words == {"llllr": 6, "lrt": 3, "hlr": 6, "tlll": 1}
    assert my_data("model").piece == "lllllrrht"
