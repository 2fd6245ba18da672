"""Store a failing input as a test in `tests/fuzz/found/`."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.fuzz.component import Finding
from tokenlab.storage import files

FOLDER = Path(__file__).parent / "found"
TEST = '''"""An input for which `make fuzz` found a wrong result."""

from collections import Counter  # noqa: F401

from tests.fuzz.saved import check_of


def test_{name}_{digest}() -> None:
    """{error}"""
    check_of({component!r})({failing!r})
'''


def check_of(name: str) -> Callable[[Any], Any]:
    """Return the check of a component, named as in the output of `make fuzz`.

    >>> check_of("damaged file: vocab.txt")(("vocab.txt", (0, -1)))
    """
    from tests.fuzz import components, costs, damaged_files, interrupted

    checks = {
        "damaged file": damaged_files.check,
        "killed while saving": interrupted.check,
        "cost": costs.check,
    }
    kind = name.partition(": ")[0]
    return checks[kind] if kind in checks else components.COMPONENTS[name].check


def save(component: str, finding: Finding, folder: Path = FOLDER) -> Path:
    """Write a test that checks the failing input, and return its path; the same input has the same path."""
    digest = hashlib.sha256(repr((component, finding.failing)).encode()).hexdigest()[:10]
    name = "".join(letter if letter.isalnum() else "_" for letter in component.lower())
    error = ascii(finding.error.partition("\n")[0])[1:-1].replace('"', "'").replace("\\", "/")[:80]
    folder.mkdir(exist_ok=True)
    text = TEST.format(name=name, digest=digest, error=error, component=component, failing=finding.failing)
    return files.write_atomically(folder / f"test_{name}_{digest}.py", text)
