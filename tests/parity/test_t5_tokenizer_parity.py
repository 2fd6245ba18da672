"""The slow T5 tokenizer answers what transformers 4.26.1 answered when it was asked."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.parity.make_t5_tokenizer import RANDOM, STORED, ours, questions, short, train


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[Any, Any, Any]]:
    """Each question, the library's answer, and ours."""
    asked = questions(RANDOM, seed=0)
    told = ours(train(Path(tmp_path_factory.mktemp("t5")) / "spiece.model"), asked)
    stored = json.loads(STORED.read_text(encoding="utf-8"))
    return list(zip([*asked, "files"], stored, map(short, told), strict=True))


def test_answers_are_the_library_s(answers: list[tuple[Any, Any, Any]]) -> None:
    assert [row for row in answers if row[1] != row[2]] == []


def test_the_questions_reach_refusals_and_answers(answers: list[tuple[Any, Any, Any]]) -> None:
    refused = sum(isinstance(stored, dict) and "error" in stored for _, stored, _ in answers)
    assert 50 < refused < len(answers) / 3
