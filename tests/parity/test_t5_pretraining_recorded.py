"""The tiny T5's texts become the ids of transformers 4.26.1, and its model reads them as that one would."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tokenlab import data
from tokenlab.algorithms.training_data.span_corruption import source_length
from tokenlab.libraries.transformers import T5ForConditionalGeneration, T5Tokenizer
from tokenlab.libraries.transformers.training_loop import pad_batch


@pytest.fixture(scope="module")
def theirs() -> Any:
    return json.loads((data.FOLDER / "t5_pretraining.json").read_text(encoding="utf-8"))


def test_texts_become_the_same_ids(theirs: Any) -> None:
    tokenizer = T5Tokenizer.from_pretrained(data.t5_tiny())
    assert tokenizer(theirs["texts"])["input_ids"] == theirs["input_ids"]
    assert any(len(tokenizer) - 3 in ids for ids in theirs["input_ids"])  # the third sentinel


def test_the_decoder_reads_the_same(theirs: Any) -> None:
    model = T5ForConditionalGeneration.from_pretrained(data.t5_tiny())
    pairs = [(ids, ids) for ids in theirs["input_ids"]]
    labels = pad_batch(pairs)["labels"]
    assert labels.tolist() == theirs["labels"] and (labels == -100).any()
    assert model._shift_right(labels).tolist() == theirs["decoder_input_ids"]


def test_the_lengths_are_those_that_t5_expects(theirs: Any) -> None:
    for places, density, mean, tokens, targets in theirs["lengths"]:
        assert source_length(places, density, mean) == (tokens, targets)
