"""The plain functions of a T5 beside transformers 4.26.1, which answers from a process of its own."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from tests.parity.t5_original import ROOT, Original
from tests.parity.t5_plain_cases import compare, random_case


@pytest.fixture(scope="module")
def original() -> Iterator[Original]:
    with Original(ROOT / "tests" / "parity" / "t5_plain_answers.py") as process:
        yield process


@pytest.mark.parametrize("seed", range(30))
def test_all_plain_functions_answer_what_the_library_does(original: Original, seed: int) -> None:
    case = random_case(seed)
    compare(case, original.ask(json.dumps(case)))
