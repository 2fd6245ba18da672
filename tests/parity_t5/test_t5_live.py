"""The T5 model beside transformers 4.26.1, which answers from a process of its own."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
import torch

from tests.parity.t5_answers import answers, model_of
from tests.parity.t5_cases import differences, random_case
from tests.parity.t5_original import Original
from tests.tolerance import MODEL, tolerance
from tokenlab.libraries import transformers


@pytest.fixture(scope="module")
def original() -> Iterator[Original]:
    with Original() as process:
        yield process


@pytest.mark.parametrize("seed", range(40))
def test_a_random_model_answers_like_the_library(original: Original, seed: int) -> None:
    case = random_case(seed)
    off = differences(answers(transformers, case), original.ask(json.dumps(case)))
    assert max(off.values()) < tolerance(MODEL), max(off.items(), key=lambda item: item[1])


def test_the_librarys_own_state_dict_loads_here(original: Original) -> None:
    theirs = original.ask("own weights")
    model = model_of(transformers, theirs)
    assert all(torch.equal(value, torch.tensor(theirs["weights"][name])) for name, value in model.state_dict().items())
    assert json.loads(json.dumps(model.config.to_dict())) == theirs["config"]
