"""Assignment 1: its wrong programs are those of the lessons, and everybody's data is worth tracing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from course.assignment import Assignment
from course.programs import assignment1 as programs
from tests.course.ids import IDS
from tokenlab.algorithms.bpe import train as bpe_train
from tokenlab.misconceptions import bpe_encoding as bpe_encode
from tokenlab.misconceptions import bpe_training as bpe
from tokenlab.misconceptions import byte_level_bpe

ASSIGNMENT = Assignment("assignment1")
SHEET = ASSIGNMENT.sheet(ASSIGNMENT.answers("model"))


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
    assert taught <= here  # the others are mistakes of these tasks alone


Words = list[tuple[tuple[str, ...], int]]


def pair_counts(words: Words, rule: str = "") -> Counter[tuple[str, str]]:
    """Count pairs by a rule of the trace; without a name, by the rule of task 1."""
    counts: Counter[tuple[str, str]] = Counter()
    for word, count in words:
        for position, pair in enumerate(zip(word, word[1:], strict=False)):
            twice = (rule == "start" and position == 0) or (rule == "long" and len("".join(word).strip("$")) > 4)
            counts[pair] += (2 if twice else 1) * count ** (2 if rule == "squares" else 1)
    return counts


def first_two(words: Words, rule: str) -> list[tuple[tuple[str, str], int]]:
    """Return the first two pairs that are merged, with their counts; no tie decides."""
    found = []
    for _ in range(2):
        (pair, most), (_, second), *_ = pair_counts(words, rule).most_common()
        assert most > second
        found.append((pair, most))
        words = [(bpe_train.merge(word, pair), count) for word, count in words]
    return found


def tokens_by(piece: str, table: dict[tuple[str, str], int], rule: str) -> list[str]:
    """Encode by a rule of the trace."""
    keys: dict[str, Callable[[int, int, int], tuple[int, ...]]] = {
        "leftmost": lambda rank, length, position: (rank, position),
        "highest": lambda rank, length, position: (-rank, -position),
        "longest": lambda rank, length, position: (-length, rank, -position),
    }
    tokens = list(piece)
    while True:
        choices = [
            (keys[rule](table[pair], len("".join(pair)), position), position)
            for position, pair in enumerate(zip(tokens, tokens[1:], strict=False))
            if pair in table
        ]
        if not choices:
            return tokens
        position = min(choices)[1]
        tokens[position : position + 2] = ["".join(tokens[position : position + 2])]


@pytest.fixture(scope="module")
def my_data() -> Any:
    return SHEET["my_data"]


def test_nobodys_trace_is_decided_by_a_tie_and_everybodys_has_overlap(my_data: Any) -> None:
    for student in IDS:
        my = my_data(student)
        words = [((*word, "$"), count) for word, count in my.words.items()]
        assert len(words) == 4
        (first, _), (next_pair, _) = first_two(words, my.counting)
        assert first[0] == first[1], "its occurrences overlap"
        assert next_pair != pair_counts(words, my.counting).most_common(2)[1][0], "who does not count again is wrong"
        left = bpe_train.merge((*my.word, "$"), first)
        assert len(my.word) + 1 - overlaps(my.word, first) < len(left)


def overlaps(word: str, pair: tuple[str, str]) -> int:
    return sum(neighbours == pair for neighbours in zip(word, word[1:], strict=False))


def test_everybodys_tokens_differ_from_what_the_wrong_programs_give(my_data: Any) -> None:
    for student in IDS:
        my = my_data(student)
        tokens = tokens_by(my.piece, my.table, my.merging)
        assert "".join(tokens) == my.piece
        for wrong in (programs.greedy_longest_match, programs.left_to_right_merge, programs.min_tokens_dp):
            assert wrong(my.piece, my.table) != tokens


RULES = {"counting": ["", "start", "squares", "long"], "merging": ["leftmost", "highest", "longest"]}


def test_every_rule_gives_an_answer_of_its_own_for_everybodys_data(my_data: Any) -> None:
    for student in IDS:
        my = my_data(student)
        words = [((*word, "$"), count) for word, count in my.words.items()]
        counted = [first_two(words, rule) for rule in RULES["counting"]]
        for place in (0, 1):
            assert len({two[place] for two in counted}) == 4
        assert [pair for pair, _ in counted[0]] == SHEET["learn_merges"](my.words, 2)
        merged = [tokens_by(my.piece, my.table, rule) for rule in RULES["merging"]]
        assert len({*map(tuple, merged), tuple(SHEET["encode_piece"](my.piece, my.table))}) == 4


def test_each_rule_is_drawn_for_many(my_data: Any) -> None:
    for name, rules in RULES.items():
        drawn = Counter(getattr(my_data(student), name) for student in IDS)
        assert set(drawn) == {*rules} - {""} and min(drawn.values()) > len(IDS) / 5


def test_the_answers_are_those_of_the_rules(my_data: Any) -> None:
    for student in IDS[:300:20]:
        my, given = my_data(student), dict[str, Any]()
        exec(ASSIGNMENT.answers(student)["trace"], given)
        words = [((*word, "$"), count) for word, count in my.words.items()]
        pairs = [(given["first_pair"], given["first_count"]), (given["second_pair"], given["second_count"])]
        assert pairs == first_two(words, my.counting)
        assert given["tokens"] == tokens_by(my.piece, my.table, my.merging)
        assert ASSIGNMENT.failed(ASSIGNMENT.sheet(ASSIGNMENT.answers(student)), "trace") == {}


@pytest.mark.slow
def test_the_own_functions_and_the_rules_of_another_student_lose_the_points(my_data: Any) -> None:
    seen = set()
    for student in IDS[:30]:
        my, sheet = my_data(student), ASSIGNMENT.sheet(ASSIGNMENT.answers(student))
        seen.add((my.counting, my.merging))
        words = [((*word, "$"), count) for word, count in my.words.items()]
        for counting in {*RULES["counting"]} - {my.counting}:
            first, second = first_two(words, counting)
            other = dict(
                zip(("first_pair", "first_count", "second_pair", "second_count"), (*first, *second), strict=True)
            )
            assert set(ASSIGNMENT.failed(sheet | other, "trace")) == {"trace-first", "trace-second"}
        own = {"tokens": SHEET["encode_piece"](my.piece, my.table)}
        assert set(ASSIGNMENT.failed(sheet | own, "trace")) == {"trace-tokens"}
        for merging in {*RULES["merging"]} - {my.merging}:
            other = {"tokens": tokens_by(my.piece, my.table, merging)}
            assert set(ASSIGNMENT.failed(sheet | other, "trace")) == {"trace-tokens"}
    assert len(seen) > 5


def test_data_belong_to_the_id_however_it_is_written(my_data: Any) -> None:
    assert my_data("Jörg  Müller ") == my_data("jo\u0308rg mu\u0308ller")
    assert len({str(my_data(student)) for student in IDS}) > 0.99 * len(IDS)


def test_data_are_the_same_in_every_python(my_data: Any) -> None:
    my = my_data("model")
    assert my.words == {"llllr": 8, "lrt": 2, "hlr": 5, "tllll": 2}
    assert (my.piece, my.counting, my.merging) == ("rlhllhlll", "long", "leftmost")
