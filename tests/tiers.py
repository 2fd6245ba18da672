"""Which tests `make test` runs, and which tests use PyTorch.

`make test` runs all test functions without the marker `slow`, and a few cases of a parametrized one. The cases are
spread evenly over the list, so that its first and last kinds are among them. Tests of refused input keep more, since
each case breaks another rule and takes milliseconds. The marker `cases(n)` keeps n instead, for other functions whose
cases are behaviours of their own, or take long. It leaves out a few long lessons. `make test-all` runs all,
then the quick ones that use PyTorch again, and slow ones with the marker `processor`, as on another processor.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import pytest

CASES = 2  # of a parametrized test function, unless its marker says otherwise
REFUSALS, MANY = re.compile("refus|error|invalid"), 40

LONG_LESSONS = {
    "15_t5_model", "16_t5_pretraining", "18_beam_search", "19_group_and_constrained_beams",
    "20_contrastive_and_streaming",
}  # fmt: skip

TORCH = re.compile(r"(?:import|from) torch\b|libraries(?:\.| import [^\n]*)transformers|t5_tiny|from tests\.recordings")


def spread(number: int, most: int) -> set[int]:
    """Return at most `most` of the indices 0, ..., number - 1, evenly spread from the first to the last.

    >>> sorted(spread(10, 4)), sorted(spread(10, 1)), sorted(spread(2, 4))
    ([0, 3, 6, 9], [0], [0, 1])
    """
    last = min(number, most) - 1
    return {place * (number - 1) // max(1, last) for place in range(last + 1)}


def leave_out_measurements(items: list[pytest.Item]) -> None:
    """Leave out the cells of the lesson on speed, which `tests/notebooks/test_speed_lesson.py` runs in less time."""
    items[:] = [item for item in items if item.path.name != "22_speed_laboratory.ipynb"]


def leave_out_long_lessons(items: Iterable[pytest.Item]) -> None:
    """Mark the lessons that train a model or search with one for long as slow; both processors run them."""
    for item in items:
        if item.path.stem in LONG_LESSONS:
            item.add_marker("slow")
            item.add_marker("processor")


def leave_out_cases(items: Iterable[pytest.Item]) -> None:
    """Mark as slow the cases of parametrized functions that `make test` leaves out."""
    functions: defaultdict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        if hasattr(item, "callspec") and not item.get_closest_marker("slow"):
            functions[item.nodeid.partition("[")[0]].append(item)
    for function, cases in functions.items():
        marker = cases[0].get_closest_marker("cases")
        usual = MANY if REFUSALS.search(function.rpartition("::")[2]) else CASES
        kept = spread(len(cases), marker.args[0] if marker else usual)
        for number, case in enumerate(cases):
            if number not in kept:
                case.add_marker("slow")


def mark_torch(items: Iterable[pytest.Item]) -> None:
    """Mark the tests and lessons in whose file PyTorch is used; what a browser shows is the same in both."""
    for item in items:
        if uses_torch(item.path) and "browser" not in item.path.parts:
            item.add_marker("torch")


@cache
def uses_torch(path: Path) -> bool:
    """Whether a file imports PyTorch, the models, or recordings of them."""
    return bool(TORCH.search(path.read_text(encoding="utf-8")))
