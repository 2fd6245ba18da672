"""`make test`: the seed that it prints is the one of every worker, and it runs few cases of parametrized tests."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests import tiers

ROOT = Path(__file__).parents[2]
PROGRAM = """
import pytest
from hypothesis import core

def test_seed():
    raise AssertionError(f"drawn with {core.global_force_seed}")

@pytest.mark.slow
def test_slow():
    pass

@pytest.mark.parametrize("number", range(7))
def test_usual_cases(number):
    assert number in (0, 6)

@pytest.mark.cases(3)
@pytest.mark.parametrize("number", range(7))
def test_three_cases(number):
    assert number in (0, 3, 6)

@pytest.mark.parametrize("number", range(44))
def test_wrong_numbers_are_refused(number):
    assert number in (0, 1) or number
"""


@pytest.mark.slow
@pytest.mark.cases(1)
@pytest.mark.parametrize("workers", ["0", "1"])
def test_the_printed_seed_is_that_of_the_workers_and_what_is_left_out_is_counted(workers: str, tmp_path: Path) -> None:
    (tmp_path / "tests" / "made_up").mkdir(parents=True)
    (tmp_path / "tests" / "made_up" / "test_made_up.py").write_text(PROGRAM, encoding="utf-8")
    for name in ("pyproject.toml", "tests/conftest.py", "tests/examples.py", "tests/skips.py", "tests/tiers.py"):
        shutil.copyfile(ROOT / name, tmp_path / name)
    command = [sys.executable, "-m", "pytest", "-n", workers, "-m", "not slow", "tests"]
    outer = ("HYPOTHESIS", "PYTEST")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(outer)}
    said = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, encoding="utf-8").stdout
    printed = re.findall(r"--hypothesis-seed=(\d+) draws the same inputs again", said)
    assert set(printed) == set(re.findall(r"AssertionError: drawn with (\d+)", said)), said
    assert len(set(printed)) == 1
    assert "Left to `make test-all`: 14 slow tests (14 of made_up)." in said
    assert said.count("FAILED tests") == 1


def test_tests_and_lessons_with_pytorch_are_known() -> None:
    with_torch = (
        "tests/libraries/transformers/test_generation.py",
        "notebooks/18_beam_search.ipynb",
        "tests/unit/test_beam_views.py",
    )
    assert all(tiers.uses_torch(ROOT / path) for path in with_torch)
    assert not any(
        tiers.uses_torch(ROOT / path) for path in ("tests/unit/test_steps.py", "notebooks/01_bpe_training.ipynb")
    )
