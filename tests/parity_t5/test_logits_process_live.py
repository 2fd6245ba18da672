"""Processors, warpers and stopping criteria beside transformers 4.26.1, which answers from a process of its own."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.parity.logits_process_answers import answer
from tests.parity.logits_process_cases import (
    CHANGES,
    IMPOSSIBLE,
    REFUSED,
    Case,
    asked_with,
    broken_scores,
    case_of,
    chain_of,
    hamming,
    positive_decay,
    recorded_cases,
    stopping,
)
from tests.parity.make_logits_process import ANSWERS, STORED
from tests.parity.t5_original import Original
from tests.parity.test_logits_process_recorded import assert_near, assert_same
from tokenlab.libraries.transformers import generation
from tokenlab.storage import files

SEEDS = range(100, 200)


@pytest.fixture(scope="module")
def theirs() -> Iterator[Callable[[Case], dict[str, Any]]]:
    with Original(ANSWERS) as process:
        yield lambda case: process.ask(json.dumps(case))


@pytest.mark.parametrize("kind", CHANGES)
def test_one_change(theirs: Callable[[Case], dict[str, Any]], kind: str) -> None:
    for seed in SEEDS:
        case = case_of(kind, seed)
        assert_same(answer(generation, case), theirs(case))


@pytest.mark.parametrize("make", [hamming, positive_decay, broken_scores, chain_of, stopping])
def test_changes_that_need_more(theirs: Callable[[Case], dict[str, Any]], make: Callable[[int], Case]) -> None:
    for seed in SEEDS:
        case = make(seed)
        assert "error" not in theirs(case)
        assert_same(answer(generation, case), theirs(case))


@pytest.mark.parametrize("change", IMPOSSIBLE, ids=str)
def test_what_both_refuse_by_the_same_error(theirs: Callable[[Case], dict[str, Any]], change: list[Any]) -> None:
    case = asked_with(change)
    assert theirs(case) == answer(generation, case)


@pytest.mark.parametrize("change", REFUSED, ids=str)
def test_what_only_we_refuse(theirs: Callable[[Case], dict[str, Any]], change: list[Any]) -> None:
    case = asked_with(change)
    assert theirs(case) != {"error": "ValueError"} == answer(generation, case)


def test_the_record_is_what_the_library_answers(theirs: Callable[[Case], dict[str, Any]]) -> None:
    stored = json.loads(files.read_text(STORED))
    for name, case in recorded_cases().items():
        answered = theirs(case)
        assert_near(answered, stored[name])
        assert answered.get("given is as it was") == stored[name].get("given is as it was"), name


# --- where 4.26.1 is wrong: each is listed in logits_process.py ---------------------------------------


def one_row(change: list[Any], scores: list[list[float]], ids: list[list[int]]) -> Case:
    return {"changes": [change], "input_ids": ids, "scores": scores}


def test_the_library_changes_what_it_is_given(theirs: Callable[[Case], dict[str, Any]]) -> None:
    case = one_row(["SuppressTokensLogitsProcessor", [0]], [[1.0, 2.0]], [[0]])
    assert not theirs(case)["given is as it was"]


def test_the_library_lets_a_negative_end_sink(theirs: Callable[[Case], dict[str, Any]]) -> None:
    case = one_row(["ExponentialDecayLengthPenalty", [0, 2.0], 0, 0], [[-1.0, 3.0]], [[5]])
    assert theirs(case)["scores"] == [[-2.0, 3.0]]
    assert answer(generation, case)["scores"] == [[0.0, 3.0]]


def test_the_library_takes_one_end_for_the_new_tokens(theirs: Callable[[Case], dict[str, Any]]) -> None:
    case = one_row(["MinNewTokensLengthLogitsProcessor", 1, 1, [0, 1]], [[1.0, 2.0, 3.0]], [[5]])
    assert theirs(case) == {"error": "ValueError"}
    assert answer(generation, case)["scores"] == [[-math.inf, -math.inf, 3.0]]


def test_the_library_gives_the_first_beams_the_wrong_sources(theirs: Callable[[Case], dict[str, Any]]) -> None:
    change = ["EncoderRepetitionPenaltyLogitsProcessor", 2.0, {"tensor": [[0], [1]]}]
    case = one_row(change, [[1.0, 1.0]] * 4, [[5]] * 4)
    assert theirs(case)["scores"] == [[2.0, 1.0], [1.0, 2.0], [1.0, 1.0], [1.0, 1.0]]
    assert answer(generation, case)["scores"] == [[2.0, 1.0], [2.0, 1.0], [1.0, 2.0], [1.0, 2.0]]


def test_the_library_cuts_off_everything_for_a_tiny_top_p(theirs: Callable[[Case], dict[str, Any]]) -> None:
    case = one_row(["TopPLogitsWarper", 1e-9], [[1.0, 3.0, 2.0]], [[5]])
    assert theirs(case)["scores"] == [[-math.inf] * 3]
    assert answer(generation, case)["scores"] == [[-math.inf, 3.0, -math.inf]]


def test_the_library_dies_of_a_mass_that_rounding_never_reaches(theirs: Callable[[Case], dict[str, Any]]) -> None:
    change = ["TypicalLogitsWarper", 1 - 1e-9]
    cases = [one_row(change, case_of("typical", seed)["scores"][:1], [[5]]) for seed in SEEDS]
    dead = [case for case in cases if theirs(case) == {"error": "RuntimeError"}]
    assert dead
    for case in dead:
        assert answer(generation, case)["scores"] == case["scores"]


@pytest.mark.parametrize(
    ("word", "theirs_is"),
    [
        ([5, 9], {"scores": [[1.0, 2.0], [3.0, 4.0]], "given is as it was": True}),
        ([9], {"error": "IndexError"}),
        ([5, 2], {"scores": [[1.0, 2.0], [-math.inf, 4.0]], "given is as it was": True}),  # forbidden in the next row
    ],
    ids=str,
)
def test_the_library_passes_over_some_ids_outside_the_vocabulary_and_not_over_others(
    theirs: Callable[[Case], dict[str, Any]], word: list[int], theirs_is: dict[str, Any]
) -> None:
    case = one_row(["NoBadWordsLogitsProcessor", [word], None], [[1.0, 2.0], [3.0, 4.0]], [[5], [6]])
    assert theirs(case) == theirs_is
    with pytest.warns(UserWarning, match="never generated"):
        assert answer(generation, case)["scores"] == case["scores"]


def test_the_library_dies_of_eta_where_nothing_is_allowed(theirs: Callable[[Case], dict[str, Any]]) -> None:
    case = one_row(["EtaLogitsWarper", 0.5], [[-math.inf, -math.inf]], [[5]])
    assert theirs(case) == {"error": "ValueError"}
    assert answer(generation, case)["scores"] == case["scores"]


def test_the_library_takes_the_first_length_and_stops_at_the_smallest(theirs: Callable[[Case], dict[str, Any]]) -> None:
    case = {"criteria": [["MaxLengthCriteria", 7], ["MaxLengthCriteria", 3]], "max_length": 3}
    assert (theirs(case)["max_length"], theirs(case)["stops"].index(True) + 1) == (7, 3)
    assert answer(generation, case)["max_length"] == 3
