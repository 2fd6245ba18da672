"""Tests are skipped for few reasons, and the terminal summary counts them in one line."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from tests import skips

TESTS = Path(__file__).parents[1]
ROOT = TESTS.parent


def reason_names(tree: ast.AST) -> list[str]:
    """What the calls that skip a test give as their reason: the name of a constant, or else the code."""
    found = []
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        if ast.unparse(call.func) in ("pytest.skip", "pytest.mark.skip", "pytest.mark.skipif", "pytest.importorskip"):
            keywords = [keyword.value for keyword in call.keywords if keyword.arg == "reason"]
            given = keywords or call.args[:1]
            found.append(ast.unparse(given[0]) if given else "")
    return found


def test_the_reason_of_a_skip_is_found_wherever_it_is_given() -> None:
    code = """
    @pytest.mark.skipif(not FOLDER, reason=skips.POSIX)
    def test_a(): pytest.skip("no data")
    @pytest.mark.skip
    def test_b(): pytest.importorskip("torch")
    """
    assert reason_names(ast.parse("if True:" + code)) == ["skips.POSIX", "'no data'", "'torch'"]


@pytest.mark.slow
def test_no_test_is_skipped_for_another_reason() -> None:
    allowed = {f"skips.{name}" for name, value in vars(skips).items() if value in skips.REASONS}
    assert len(allowed) == len(skips.REASONS)
    found = {path: reason_names(ast.parse(path.read_text(encoding="utf-8"))) for path in TESTS.rglob("*.py")}
    assert {path.name: names for path, names in found.items() if not set(names) <= allowed} == {}
    assert sum(map(len, found.values())) >= len(skips.REASONS)


@pytest.mark.slow
def test_a_run_says_in_one_line_what_was_skipped(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text("from tests.conftest import *\n", encoding="utf-8")
    (tmp_path / "test_here.py").write_text(
        "import pytest\nfrom tests import skips\n"
        "@pytest.mark.parametrize('number', range(3))\n"
        "def test_a(number): pytest.skip(skips.BROWSER)\n"
        "@pytest.mark.skipif(True, reason=skips.NOT_ROOT)\n"
        "def test_b(): pass\n"
        "def test_c(): pass\n",
        encoding="utf-8",
    )
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:nbval",
        "-p",
        "no:xdist",
        "-c",
        str(ROOT / "pyproject.toml"),
    ]
    run = subprocess.run([*command, str(tmp_path)], cwd=ROOT, capture_output=True, encoding="utf-8")
    said = [line for line in run.stdout.splitlines() if "kipped" in line]
    assert said[0] == skips.summary([*[skips.BROWSER] * 3, skips.NOT_ROOT])
    assert len(said) == 2 and "1 passed, 4 skipped" in said[1], run.stdout + run.stderr
