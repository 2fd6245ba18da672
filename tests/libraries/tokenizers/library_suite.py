"""Run the library's own Python tests with the library and with `tokenlab.libraries.tokenizers`, and compare.

The suite is not part of this project: give the path of bindings/python/tests of a checkout of huggingface/tokenizers.
A temporary copy is changed in three ways: the import is swapped, downloads are answered by stand-ins
(`library_suite_files`), and small substitutes replace `datasets` and pytest-asyncio where they are not installed.

    python tests/libraries/tokenizers/library_suite.py PATH_TO_SUITE [name of a test ...]
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parents[3]
if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))

SWAPS = (
    (re.compile(r"^(\s*)from tokenizers\b", re.MULTILINE), r"\1from tokenlab.libraries.tokenizers"),
    (re.compile(r"^(\s*)import tokenizers\b", re.MULTILINE), r"\1from tokenlab.libraries import tokenizers"),
)

# The stand-ins are found by the name of the file, or by the repository of a tokenizer.json and its revision.
CONFTEST = """
import asyncio
import inspect
from pathlib import Path

import huggingface_hub
import pytest

FILES = Path(__file__).parent / "files"


def local_file(repo_id, filename, revision=None, **options):
    name = repo_id.replace("/", "+") if filename == "tokenizer.json" else filename
    for candidate in (f"{name}@{revision}", name):
        if (FILES / candidate).exists():
            return str(FILES / candidate)
    raise OSError(f"no stand-in for {repo_id} {filename}: it has to be downloaded")


huggingface_hub.hf_hub_download = local_file


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem):
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    names = pyfuncitem._fixtureinfo.argnames
    asyncio.run(pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in names}))
    return True
"""

DATASETS = """
from pathlib import Path


class Dataset:
    def __init__(self, rows):
        self.rows = rows

    def __len__(self):
        return len(self.rows)

    def select_columns(self, names):
        return self

    def iter(self, size):
        for start in range(0, len(self.rows), size):
            yield {"text": self.rows[start : start + size]}


def load_dataset(*names, split):
    return Dataset((Path(__file__).parent / "files" / "small.txt").read_text(encoding="utf-8").splitlines()[:100])
"""

PYTEST_INI = "[pytest]\nmarkers =\n    network\n    asyncio\n    timeout\n    slow\n"


def run_suite(suite: Path, swapped: bool, only: str = "", seconds: int = 1200) -> dict[str, tuple[str, str]]:
    """Return the outcome of every test of the suite, and the message of those that did not pass.

    Args:
        suite: the folder of the tests.
        swapped: run them with `tokenlab.libraries.tokenizers`.
        only: an expression for pytest's `-k`.
        seconds: the longest time.

    Raises:
        RuntimeError: pytest could not run the suite.
        subprocess.TimeoutExpired: it takes longer.
    """
    from tests.libraries.tokenizers.library_suite_files import write_files

    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "python"  # the suite asserts that it runs in a folder of this name
        shutil.copytree(suite, folder / "tests", ignore=shutil.ignore_patterns("__pycache__", "data"))
        (folder / "data").mkdir()
        write_files(folder / "files")
        for name, content in {"conftest.py": CONFTEST, "datasets.py": DATASETS, "pytest.ini": PYTEST_INI}.items():
            (folder / name).write_text(content, encoding="utf-8", newline="\n")
        if swapped:
            swap_imports(folder / "tests")
        options = ["-q", "-p", "no:cacheprovider", "--tb=short", "--junit-xml=outcomes.xml", "-k", only]
        environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(folder), str(ROOT)]), "HF_HUB_OFFLINE": "1"}
        command = [sys.executable, "-m", "pytest", *options, "--continue-on-collection-errors", "tests"]
        done = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, encoding="utf-8", check=False, timeout=seconds
        )
        if not (folder / "outcomes.xml").exists():
            raise RuntimeError(f"pytest could not run the suite:\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}")
        return outcomes(folder / "outcomes.xml")


def swap_imports(folder: Path) -> None:
    """Replace the import of the library in all Python files of a folder."""
    for path in folder.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        for pattern, replacement in SWAPS:
            text = pattern.sub(replacement, text)
        path.write_text(text, encoding="utf-8", newline="\n")


def outcomes(report: Path) -> dict[str, tuple[str, str]]:
    """Return "passed", "failed", "error" or "skipped" and the message of every test of a JUnit report."""
    found: dict[str, tuple[str, str]] = {}
    for case in ElementTree.parse(report).getroot().iter("testcase"):
        kinds = {"failure": "failed", "error": "error", "skipped": "skipped"}
        result = next((child for child in case if child.tag in kinds), None)
        name = f"{case.get('classname')}::{case.get('name')}"
        found[name] = (
            ("passed", "") if result is None else (kinds[result.tag], result.text or result.get("message") or "")
        )
    return found


def compare(suite: Path, only: str = "") -> tuple[dict[str, tuple[str, str]], dict[str, tuple[str, str]]]:
    """Return the outcomes with the library, and those with `tokenlab.libraries.tokenizers`."""
    return run_suite(suite, swapped=False, only=only), run_suite(suite, swapped=True, only=only)


def lost(real: dict[str, tuple[str, str]], swapped: dict[str, tuple[str, str]]) -> dict[str, str]:
    """Return the tests that pass with the library only, and their messages."""
    missing = ("not run", "")
    return {
        name: swapped.get(name, missing)[1] or swapped.get(name, missing)[0]
        for name, (outcome, _) in real.items()
        if outcome == "passed" and swapped.get(name, missing)[0] != "passed"
    }


def main() -> int:
    """Print the tests that pass with the library only; return their number."""
    suite, names = Path(sys.argv[1]), " or ".join(sys.argv[2:])
    real, swapped = compare(suite, names)
    failures = lost(real, swapped)
    for name, message in failures.items():
        print(f"--- {name}\n{message}\n")
    for title, found in (("the library", real), ("tokenlab.libraries.tokenizers", swapped)):
        counts = [f"{sum(outcome == kind for outcome, _ in found.values())} {kind}" for kind in ("passed", "skipped")]
        print(f"{title}: {len(found)} tests, {', '.join(counts)}")
    others = [f"{name} ({outcome})" for name, (outcome, _) in real.items() if outcome not in ("passed", "skipped")]
    print(f"not passed with the library itself: {', '.join(others) or 'none'}")
    print(f"passed with the library only: {len(failures)}")
    return len(failures)


if __name__ == "__main__":
    sys.exit(min(main(), 1))
