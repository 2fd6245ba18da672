"""The only valid reasons to skip a test, and the line of the terminal summary that counts them.

Each reason names something that a machine lacks and a person can provide. Missing data are not a reason: tests read
data from the repository or create them.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable
from importlib.util import find_spec
from typing import Any, NoReturn

import pytest

BROWSER = "a browser: install Chromium or Chrome"
TENSOR2TENSOR = "tensor2tensor 1.15.7: set TENSOR2TENSOR to the folder of the unpacked wheel"
NOT_ROOT = "a user who is not root"
POSIX = "POSIX file permissions"
FORK = "a system with os.fork"
TOKENIZERS_SUITE = "the tests of tokenizers: set TOKENIZERS_SUITE to bindings/python/tests of its repository"
BUBBLEWRAP = "bubblewrap, and a system on which it may make namespaces"
DASK = "dask and distributed: pip install 'tokenlab[cluster]'"
PYARROW = "pyarrow: pip install 'tokenlab[parquet]'"
FSSPEC = "fsspec: pip install fsspec"
REAL = "published tokenizers: set REAL_TOKENIZERS to the folder that data/make_real_tokenizers.py describes"
LITE = "JupyterLite: pip install 'tokenlab[lite]'"
FIREFOX = "Firefox: install Debian's firefox-esr"
PYODIDE = "Pyodide: install npm, and start the tests with make test"
REASONS = (
    *(BROWSER, TENSOR2TENSOR, NOT_ROOT, POSIX, FORK, TOKENIZERS_SUITE, BUBBLEWRAP, DASK, PYARROW, FSSPEC, REAL),
    *(LITE, PYODIDE, FIREFOX),
)


def installed(name: str) -> bool:
    """Whether a package that not every installation has can be imported."""
    return find_spec(name) is not None


def without_pyodide() -> NoReturn:
    """Skip a test that needs Pyodide and Node.js, which come with npm; with CI=true, it fails."""
    (pytest.fail if os.environ.get("CI") else pytest.skip)(PYODIDE)


def summary(reasons: Iterable[str]) -> str:
    """One line with the number of skipped tests and what they need; empty if none was skipped.

    >>> summary([NOT_ROOT, POSIX, NOT_ROOT])
    'Skipped: 2 tests need a user who is not root; 1 test needs POSIX file permissions.'
    """
    counts = Counter(reasons)
    parts = (f"{n} test{'s need' if n > 1 else ' needs'} {reason}" for reason, n in counts.most_common())
    return f"Skipped: {'; '.join(parts)}." if counts else ""


def reasons_of(reports: Iterable[Any]) -> list[str]:
    """Return the reasons of skipped tests from pytest's reports."""
    return [report.longrepr[2].removeprefix("Skipped: ") for report in reports]
