"""Constraints, their list and the banks of the scorer answer what transformers 4.26.1 answered, call by call."""

from __future__ import annotations

import json

import pytest

from tests.parity import constraint_answers
from tests.parity.constraint_cases import KINDS, any_case
from tests.parity.make_constraints import SEEDS, STORED
from tokenlab.libraries import transformers
from tokenlab.storage import files


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", KINDS)
def test_every_call_answers_like_the_library(kind: str, seed: int) -> None:
    theirs = json.loads(files.read_text(STORED))[f"{kind} {seed}"]
    assert "refused" not in theirs
    assert json.loads(json.dumps(constraint_answers.answer(transformers, any_case(kind, seed)))) == theirs


def test_the_record_is_small() -> None:
    assert STORED.stat().st_size < 50_000
