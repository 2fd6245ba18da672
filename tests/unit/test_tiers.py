"""The seed that `make test` prints is the one that every worker of pytest-xdist draws with."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROGRAM = """
import pytest
from hypothesis import core

def test_seed():
    raise AssertionError(f"drawn with {core.global_force_seed}")

@pytest.mark.slow
def test_slow():
    pass
"""


@pytest.mark.parametrize("workers", ["0", "1"])
def test_the_printed_seed_is_the_one_of_the_workers_and_slow_tests_are_counted(workers: str, tmp_path: Path) -> None:
    (tmp_path / "tests" / "made_up").mkdir(parents=True)
    (tmp_path / "tests" / "made_up" / "test_made_up.py").write_text(PROGRAM, encoding="utf-8")
    for name in ("pyproject.toml", "tests/conftest.py", "tests/examples.py", "tests/skips.py"):
        shutil.copyfile(ROOT / name, tmp_path / name)
    command = [sys.executable, "-m", "pytest", "-n", workers, "-m", "not slow", "tests"]
    outer = ("HYPOTHESIS", "PYTEST")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(outer)}
    said = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, encoding="utf-8").stdout
    printed = re.findall(r"--hypothesis-seed=(\d+) draws the same inputs again", said)
    assert set(printed) == set(re.findall(r"AssertionError: drawn with (\d+)", said)), said
    assert len(set(printed)) == 1
    assert "Left to `make test-all`: 1 slow tests (1 of made_up)." in said
