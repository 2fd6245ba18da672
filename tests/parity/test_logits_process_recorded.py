"""Processors, warpers and stopping criteria answer what transformers 4.26.1 answered."""

from __future__ import annotations

import json
from typing import Any

import pytest
import torch

from tests.parity.logits_process_answers import answer
from tests.parity.logits_process_cases import IMPOSSIBLE, REFUSED, asked_with, recorded_cases
from tests.parity.make_logits_process import STORED
from tests.tolerance import are_close
from tokenlab.libraries.transformers import generation
from tokenlab.storage import files

CASES = recorded_cases()
ANSWERS = json.loads(files.read_text(STORED))


def assert_same(ours: dict[str, Any], theirs: dict[str, Any]) -> None:
    """The same answer as the library's, which may change the scores that it is given; the kit must not."""
    assert ours.get("given is as it was", True), "the scores that were given have been changed"
    assert_near(ours, theirs)


def assert_near(one: dict[str, Any], other: dict[str, Any]) -> None:
    """The same scores up to rounding, or the same answer of another kind."""
    if "scores" not in other:
        assert one == other
    else:
        assert are_close(torch.tensor(one["scores"]), torch.tensor(other["scores"]), length=16)


@pytest.mark.parametrize("name", CASES)
def test_the_scores_are_those_of_the_library(name: str) -> None:
    assert_same(answer(generation, CASES[name]), ANSWERS[name])


def test_the_records_say_something() -> None:
    assert ANSWERS.keys() == CASES.keys()
    errors = [name for name, case in ANSWERS.items() if "error" in case]
    assert not errors
    unchanged = [name for name, case in ANSWERS.items() if case.get("scores", ()) == CASES[name].get("scores")]
    assert len(unchanged) < 20
    assert STORED.stat().st_size < 200_000


@pytest.mark.parametrize("change", [*IMPOSSIBLE, *REFUSED], ids=str)
def test_impossible_arguments_are_refused_in_words(change: list[Any]) -> None:
    assert "error" in answer(generation, asked_with(change))
