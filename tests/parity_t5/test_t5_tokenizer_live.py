"""The slow T5 tokenizer beside transformers 4.26.1: questions that no record has, another seed than the stored ones."""

from __future__ import annotations

from pathlib import Path

from tests.parity.make_t5_tokenizer import library, ours, questions, train
from tests.parity.t5_original import PYTHON


def test_random_questions_are_answered_like_the_library(tmp_path: Path) -> None:
    model, asked = train(tmp_path / "spiece.model"), questions(2000, seed=7)
    theirs = library(str(PYTHON), model, asked)
    pairs = zip([*asked, "files"], theirs, ours(model, asked), strict=True)
    assert [pair for pair in pairs if pair[1] != pair[2]] == []
