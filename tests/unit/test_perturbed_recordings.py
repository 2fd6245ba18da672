"""Noise in all matrix products turns no decision of the recordings with which the tests work, and is found by tests."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from typing import Any, NamedTuple

import pytest
import torch

from tests import question_recordings, recordings
from tests.libraries.transformers.test_t5_seen import LETTERS, SOURCE, small_model
from tests.perturbation import RELATIVE, assert_up_to_near_ties, perturbed
from tests.questions import frames
from tokenlab import data
from tokenlab.libraries.transformers import T5ForConditionalGeneration
from tokenlab.steps.recording import Recording

SEEDS = (1, 2, 3)
CACHED = (question_recordings.constrained, question_recordings.in_circles, question_recordings.searched)
FRACTION = re.compile(r"\d*[.,]?\d+\.\d+(e-?\d+)?|\d+%|nan")
SHADE = re.compile(
    r"#[0-9a-f]{6}|\b[pnw]\d\b|(?:width|height|left|top|y\d?|x\d?)[:=]\"?-?[\d.]+|d=\"[^\"]*\"|points=\"[^\"]*\""
)


def decisions(recording: Recording[Any, Any]) -> Iterator[str]:
    """All texts of a recording without its numbers: tokens, ids, beams, options and which of them is right."""
    for step in recording:
        yield FRACTION.sub("#", str(step))
    for frame in frames(recording):
        if frame.question:
            yield str([FRACTION.sub("#", option.label) for option in frame.question.options if option.right])
        for row in (frame.caption, *(row for panel in frame.panels for row in panel.rows)):
            yield SHADE.sub("", FRACTION.sub("#", row))


def fresh(make: Callable[[], Recording[Any, Any]]) -> Recording[Any, Any]:
    """The recording, made now: the functions that cache one forget it."""
    for function in CACHED:
        function.cache_clear()
    return make()


def turned(make: Callable[[], Recording[Any, Any]], seed: int) -> list[tuple[str, str]]:
    """The texts of a recording that the noise changes, with what they become."""
    before = [*decisions(fresh(make))]
    with perturbed(seed):
        after = [*decisions(fresh(make))]
    assert len(before) == len(after)
    return [pair for pair in zip(before, after, strict=True) if pair[0] != pair[1]]


@pytest.mark.slow
@pytest.mark.cases(1)
@pytest.mark.parametrize("seed", SEEDS)
def test_noise_turns_no_decision_of_a_recording(seed: int) -> None:
    makers = (*recordings.models(), *question_recordings.models())
    assert [(make, found) for make in makers if (found := turned(make, seed))] == []


def test_the_noise_changes_logits_by_a_relative_hundred_thousandth() -> None:
    model = T5ForConditionalGeneration.from_pretrained(data.t5_tiny()).eval()
    ids = torch.tensor([[71, 20, 301, 5, 1]])
    with torch.no_grad():
        exact = model(ids, decoder_input_ids=ids).logits
        for seed in SEEDS:
            with perturbed(seed):
                noisy = model(ids, decoder_input_ids=ids).logits
            assert RELATIVE / 2 < (noisy - exact).norm() / exact.norm() < RELATIVE


@torch.no_grad()
def test_the_noise_reaches_the_fast_incremental_decoder() -> None:
    model, ids = small_model(), torch.tensor([LETTERS(SOURCE)["input_ids"]])
    cache = model(ids, decoder_input_ids=torch.tensor([[0]])).past_key_values
    exact, noisy = (model.incremental_decoder(1, past_key_values=cache) for _ in range(2))
    with perturbed(1):
        states = noisy.next_hidden_states(torch.tensor([7]))
    assert not states.equal(exact.next_hidden_states(torch.tensor([7])))


# Planted faults: the tests must see them.


class Beat(NamedTuple):
    """A step with a token that is the best by a hair, and a number."""

    token: int
    logit: float

    def __str__(self) -> str:
        return f"token {self.token} is the best ({self.logit:.2f})"


def recorded(rival: float) -> Recording[Any, Any]:
    """A recording of one decision between the logit 1 and its rival's."""
    logits = torch.tensor([[1.0, 0.5]]) @ torch.tensor([[1.0, rival], [0.0, 0.0]])
    step = Beat(int(logits.argmax()), float(logits.max()))
    return Recording("tests.nothing", {}, (step,), step.token)


def test_a_near_tie_is_found() -> None:
    assert turned(lambda: recorded(1.000001), 1) or turned(lambda: recorded(1.000001), 2)
    assert not any(turned(lambda: recorded(1.01), seed) for seed in SEEDS)


@pytest.mark.parametrize(("rival", "passes"), [(0.999999, True), (0.99, False)])
def test_another_token_is_accepted_only_at_a_near_tie(rival: float, passes: bool) -> None:
    def compare(found: Recording[Any, Any], most: float) -> None:
        assert found.result == 1 and abs(found.steps[0].logit - 1) < most

    expected = nullcontext() if passes else pytest.raises(AssertionError)
    with expected:
        assert_up_to_near_ties(lambda: recorded(rival), compare)
