"""The T5 model gives what transformers 4.26.1 gave: outputs, loss, gradients, bias tables, and one token at a time."""

from __future__ import annotations

import json

import pytest

from tests.parity.make_t5 import STORED
from tests.parity.t5_answers import answers
from tests.parity.t5_cases import differences, recorded_cases
from tests.tolerance import MODEL, tolerance
from tokenlab.libraries import transformers
from tokenlab.storage import files

CASES = recorded_cases()


@pytest.mark.parametrize("name", CASES)
def test_outputs_loss_and_every_gradient_are_those_of_the_library(name: str) -> None:
    theirs = json.loads(files.read_text(STORED))[name]
    off = differences(answers(transformers, CASES[name]), theirs)
    assert len(off) > 30
    assert max(off.values()) < tolerance(MODEL), max(off.items(), key=lambda item: item[1])


def test_the_record_is_small() -> None:
    assert STORED.stat().st_size < 200_000
