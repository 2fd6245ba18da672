"""Each task of a lesson has a solution that follows its text, formula and hints exactly, and its check accepts it."""

from __future__ import annotations

from dataclasses import replace
from types import ModuleType
from typing import Any

import pytest

from tests.check import solutions_from_the_text_of_00_to_12 as of_00_to_12
from tests.check import solutions_from_the_text_of_13_to_23 as of_13_to_23
from tests.check import solutions_from_the_text_of_24 as of_24
from tests.check import solutions_from_the_text_of_the_capstones as of_the_capstones
from tokenlab import check
from tokenlab.check import FunctionCheck

MODULES: tuple[ModuleType, ...] = (of_00_to_12, of_13_to_23, of_24, of_the_capstones)
CHECKS = {name: one for name in check.exercise_names() if isinstance(one := check.exercise_of(name), FunctionCheck)}
SOLUTIONS: dict[str, Any] = {
    name: one
    for module in MODULES
    for name, one in vars(module).items()
    if name in CHECKS and getattr(one, "__module__", "") == module.__name__
}
QUICK = ("token_ids", "merge", "encode_ordinary", "rms_norm", "position_bucket", "beam_step", "t5_buckets")
EACH = [pytest.param(name, marks=() if name in QUICK else pytest.mark.slow) for name in SOLUTIONS]


def test_each_task_has_a_solution_that_was_written_from_its_text() -> None:
    assert SOLUTIONS.keys() == CHECKS.keys()


@pytest.mark.parametrize("name", EACH)
def test_a_solution_written_from_the_text_is_right(name: str) -> None:
    verdict = replace(CHECKS[name], tried=60, praise=lambda function: ())(SOLUTIONS[name])
    assert verdict, verdict
    assert "a check accepts both" not in str(verdict) or name in ACCEPTED_TYPES, verdict


# The text says "a list", and the right function of the check returns a tuple, or the other way round.
ACCEPTED_TYPES: set[str] = set()
