"""The tiny T5 in data/ is loaded by transformers 4.26.1 from the same folder: the same ids, logits and answers."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
import torch

from tests.parity.t5_original import PYTHON
from tests.tolerance import are_close, near
from tokenlab import data
from tokenlab.libraries.transformers import T5ForConditionalGeneration, T5Tokenizer
from tokenlab.libraries.transformers.models.t5.greedy_decode import greedy_decode

TEXTS = [
    "translate English to German: Anna wants to buy a lamp.",
    "translate English to Chinese: Did the teacher drink hot tea?",
    "past tense: My sister is eating two apples in the garden.",
    "which is it, question or statement: He has a dog",
    "The doctor <extra_id_0> a letter <extra_id_1>.",
]


@pytest.fixture(scope="module")
def ours():
    tokenizer = T5Tokenizer.from_pretrained(data.t5_tiny())
    return tokenizer, T5ForConditionalGeneration.from_pretrained(data.t5_tiny()).eval()


@pytest.fixture(scope="module")
def theirs(ours):
    tokenizer, _ = ours
    asked = json.dumps({"texts": TEXTS, "labels": labels(tokenizer).tolist()})
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    told = subprocess.run(
        [str(PYTHON), str(Path(__file__).with_name("t5_tiny.py")), str(data.t5_tiny())],
        input=asked,
        capture_output=True,
        encoding="utf-8",
        env=environment | {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_VERBOSITY": "error"},
    )
    assert told.returncode == 0, told.stderr
    return json.loads(told.stdout)


def labels(tokenizer):
    batch = tokenizer(["Anna will eine Lampe kaufen."] * len(TEXTS), return_tensors="pt")
    return batch.input_ids


def test_all_weights_are_found_and_nothing_else(theirs):
    assert all(keys == [] for keys in theirs["loading"].values()), theirs["loading"]
    assert theirs["dtype"] == "torch.float32"


def test_the_ids_are_the_same(ours, theirs):
    tokenizer, model = ours
    assert tokenizer(TEXTS, padding=True).input_ids == theirs["input_ids"]
    assert sorted(tokenizer.get_sentinel_token_ids()) == theirs["sentinels"]
    assert model.config.decoder_start_token_id == theirs["start"] == 0


def test_the_logits_and_the_loss_are_the_same(ours, theirs):
    tokenizer, model = ours
    with torch.no_grad():
        output = model(**tokenizer(TEXTS, padding=True, return_tensors="pt"), labels=labels(tokenizer))
    logits = torch.tensor(theirs["logits"])
    assert logits.abs().max() > 5  # a trained model is sure of something
    assert are_close(output.logits, logits)
    assert output.loss.item() == near(theirs["loss"])


def test_the_answers_are_the_same(ours, theirs):
    tokenizer, model = ours
    batch = tokenizer(TEXTS, padding=True, return_tensors="pt")
    written = greedy_decode(model, batch.input_ids, batch.attention_mask, max_length=29)
    assert [tokenizer.decode(ids, skip_special_tokens=True) for ids in written] == theirs["written"]
