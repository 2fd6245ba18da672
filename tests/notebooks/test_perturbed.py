"""Noise in all matrix products changes no text of a lesson: no digit, no token, no right option, no picture.

Tried are the lessons that use a model, with the seeds in turn; `tests/unit/test_perturbed_recordings.py` does the same
with a recording in `make test`. A failure names the places. Show fewer digits there
(`tokenlab.printing.printed_numbers`) or use another example.
"""

from __future__ import annotations

from typing import Any

import jupytext
import pytest

from course import build as assignments
from publish.build import FOLDER, lesson_of, run
from tests.notebooks.perturbed_lessons import changed_places, run_with_noise

pytestmark = pytest.mark.slow

SEEDS = (1, 2, 3)
LESSONS = (
    "13_t5_in_one_picture",
    "14_t5_attention",
    "15_t5_model",
    "16_t5_pretraining",
    "17_greedy_and_sampling",
    "18_beam_search",
    "19_group_and_constrained_beams",
    "20_contrastive_and_streaming",
    "21_auto_classes",
    "24_decoder_only",
    "capstone_t5",
    "capstone_decoder",
)
CASES = [(name, SEEDS[number % len(SEEDS)]) for number, name in enumerate(LESSONS)]


@pytest.mark.parametrize(("name", "seed"), CASES)
def test_noise_changes_no_text_of_a_lesson(name: str, seed: int) -> None:
    assert changed_places(stored(name), run_with_noise(lesson(name), seed)) == []


def test_noise_turns_no_grade_of_the_assignment_on_tensors() -> None:
    run_with_noise(assignments.notebook_of(assignments.SOURCES / "assignment7.py"), seed=1)  # raises if a cell fails


def stored(name: str) -> Any:
    """The notebook as it is committed, with its outputs."""
    return jupytext.read(FOLDER / f"{name}.ipynb")


def lesson(name: str) -> Any:
    """The notebook without outputs."""
    return lesson_of(FOLDER / "source" / f"{name}.py")


# Planted faults: the test must see them, and nothing else.

PLANTED = """# %%
import torch

one = torch.ones(1, 1)
# %%
print(f"the score is {(one @ (one * 0.125)).item():.2f}")
# %%
"token", (one @ torch.tensor([[1.0, 1.0000002]])).argmin().item()
# %%
print(f"the score is {(one @ (one * 0.121)).item():.2f}")
# %%
"token", (one @ torch.tensor([[1.0, 1.001]])).argmin().item()
# %% tags=["nbval-ignore-output"]
print((one @ one).item())
"""


def test_a_planted_digit_and_a_planted_near_tie_are_found() -> None:
    clean, *noisy = (jupytext.reads(PLANTED, fmt="py:percent") for _ in range(3))
    run(clean)
    found = {
        place
        for seed, each in zip((0, 3), noisy, strict=True)
        for place in changed_places(clean, run_with_noise(each, seed))
    }
    assert {place.rpartition(" became ")[::2] for place in found} == {
        ("cell 1: 'the score is 0.12\\n'", "'0.13'"),
        ("cell 2: \"('token', 0)\"", "'1'"),
    }
