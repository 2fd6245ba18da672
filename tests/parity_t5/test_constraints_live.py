"""Constraints, their list and the banks of the scorer beside transformers 4.26.1, call by call.

4.26.1 is mended in four places first (`mend`), where its answers make no sense:

- a PhrasalConstraint that was reset has its first token already;
- a copy of a DisjunctiveConstraint shares the tokens that were written;
- a ConstraintListState that was complete stays so after `reset`, and its copy does not know that it is.

Unmended it is asked for what none of these touches.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.parity import constraint_answers
from tests.parity.constraint_cases import KINDS, any_case
from tests.parity.t5_original import Original
from tokenlab.libraries import transformers

PROGRAM = Path(constraint_answers.__file__)


@pytest.fixture(scope="module")
def mended() -> Iterator[Original]:
    with Original(PROGRAM, "mended") as process:
        yield process


@pytest.fixture(scope="module")
def original() -> Iterator[Original]:
    with Original(PROGRAM) as process:
        yield process


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.parametrize("kind", KINDS)
def test_every_call_answers_like_the_mended_library(mended: Original, kind: str, seed: int) -> None:
    case = any_case(kind, seed)
    theirs = mended.ask(json.dumps(case))
    assert "refused" not in theirs
    assert json.loads(json.dumps(constraint_answers.answer(transformers, case))) == theirs


@pytest.mark.parametrize("seed", range(60))
def test_tokens_that_a_list_takes_are_taken_by_the_library_as_it_is(original: Original, seed: int) -> None:
    case = any_case("list", seed)
    case["calls"] = [call for call in case["calls"] if call[0] == "add"]
    theirs = original.ask(json.dumps(case))
    assert json.loads(json.dumps(constraint_answers.answer(transformers, case))) == theirs


@pytest.mark.parametrize("seed", range(60))
def test_a_phrase_that_is_not_broken_goes_on_as_in_the_library_as_it_is(original: Original, seed: int) -> None:
    case = any_case("phrase", seed)
    case["calls"] = [["update", id] for id in case["ids"]]
    theirs = original.ask(json.dumps(case))
    assert json.loads(json.dumps(constraint_answers.answer(transformers, case))) == theirs


@pytest.mark.parametrize(
    ("case", "ours", "theirs"),
    [
        ({"kind": "phrase", "ids": [1, 2], "calls": [["reset", 0]]}, 2, 1),
        ({"kind": "phrase", "ids": [1, 2], "calls": [["update", 3]]}, 2, 1),
    ],
)
def test_a_phrase_that_was_reset_has_its_first_token_there(
    original: Original, case: dict[str, object], ours: int, theirs: int
) -> None:
    ((_, seen),) = constraint_answers.answer(transformers, case)
    ((_, seen_there),) = original.ask(json.dumps(case))
    assert (seen[1], seen_there[1]) == (ours, theirs)
