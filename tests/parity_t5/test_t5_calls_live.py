"""Calls of the T5 models with any arguments, beside transformers 4.26.1, which answers from a process of its own."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

from tests.parity.t5_original import Original
from tests.parity_t5 import t5_calls
from tests.parity_t5.t5_questions import any_beams, any_call
from tests.tolerance import MODEL, tolerance
from tokenlab.libraries import transformers


@pytest.fixture(scope="module")
def original() -> Iterator[Original]:
    with Original(Path(t5_calls.__file__)) as process:
        yield process


def farthest(original: Original, call: t5_calls.Call) -> float:
    """How far our answer to a call is off, where it is off most, as a share of the largest number there."""
    theirs = original.ask(json.dumps(call))
    assert "refused" not in theirs, theirs
    return differ(json.loads(json.dumps(t5_calls.answers(transformers, call))), theirs, "")


def differ(ours: Any, theirs: Any, where: str) -> float:
    assert type(ours) is type(theirs), (where, ours, theirs)
    if isinstance(theirs, dict) and "values" not in theirs:
        assert ours.keys() == theirs.keys(), (where, list(ours), list(theirs))
        return max((differ(ours[name], theirs[name], f"{where}.{name}") for name in theirs), default=0.0)
    if isinstance(theirs, list):
        assert len(ours) == len(theirs), (where, len(ours), len(theirs))
        return max((differ(*pair, f"{where}[{i}]") for i, pair in enumerate(zip(ours, theirs, strict=True))), default=0)
    if not isinstance(theirs, dict):
        assert ours == theirs, where
        return 0.0
    assert ours["shape"] == theirs["shape"], (where, ours["shape"], theirs["shape"])
    mine, their = (torch.tensor(each["values"], dtype=torch.float64) for each in (ours, theirs))
    assert their.isfinite().all(), where
    return float((mine - their).abs().max() / their.abs().max().clamp(min=0.01)) if their.numel() else 0.0


@pytest.mark.parametrize("seed", range(120))
def test_any_call_answers_like_the_library(original: Original, seed: int) -> None:
    assert farthest(original, any_call(seed)) < tolerance(MODEL)


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
@pytest.mark.parametrize("seed", range(200, 215))
def test_half_precision_answers_like_the_library(original: Original, dtype: str, seed: int) -> None:
    call = any_call(seed, dtype=dtype, train=False, backward=dtype == "bfloat16")
    assert farthest(original, call) < 8 * torch.finfo(getattr(torch, dtype)).eps


@pytest.mark.parametrize("seed", range(40))
def test_steps_with_a_cache_answer_like_the_library(original: Original, seed: int) -> None:
    assert farthest(original, any_beams(seed)) < tolerance(MODEL)
