"""Calls of `generate` that look wrong and that transformers 4.26.1 accepts: the same ids and scores, with a warning."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

from tests.parity import generation_answers
from tests.parity.accepted_calls import ACCEPTED, REFUSED, accepted_call
from tests.parity.generation_cases import any_call, differ
from tests.parity.t5_original import Original
from tests.perturbation import assert_up_to_near_ties
from tokenlab.libraries import transformers

SEEDS = [seed for seed in range(40) if any_call("greedy_search", seed)["config"]["vocab_size"] >= 9][:3]


@pytest.fixture(scope="module")
def original() -> Iterator[Original]:
    with Original(Path(generation_answers.__file__)) as process:
        yield process


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("number", range(len(ACCEPTED)), ids=lambda number: str(ACCEPTED[number][0]))
def test_an_odd_call_gets_the_library_s_result(original: Original, number: int, seed: int) -> None:
    settings, _ = ACCEPTED[number]
    call = accepted_call(any_call("greedy_search", seed), settings)
    theirs = original.ask(json.dumps(call))

    def compare(ours: dict[str, Any], most: float) -> None:
        for name in ("beam_indices", "transitions"):  # what 4.26.1 says of constraints and groups is left out elsewhere
            ours.pop(name, None), theirs.pop(name, None)
        assert ours["sequences"] == theirs["sequences"]
        assert differ(ours, theirs) < most

    assert_up_to_near_ties(lambda: generation_answers.answer(transformers, call), compare)


@pytest.mark.parametrize("settings", REFUSED, ids=str)
def test_what_is_refused_gets_a_result_there_without_a_word(original: Original, settings: dict[str, Any]) -> None:
    call = accepted_call(any_call("greedy_search", SEEDS[0]), settings)
    there = original.ask(json.dumps(call)).get("refused", "")
    assert there in ("", "TypeError: 'NoneType' object is not iterable")  # None, which generation_answers cannot read
    with pytest.raises(ValueError, match="|".join(settings)):
        generation_answers.answer(transformers, call)
    assert torch.is_grad_enabled()
