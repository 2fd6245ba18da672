"""Two tiers of tests, and the seed of hypothesis.

`make test` leaves out the tests with the marker `slow` and most cases of parametrized tests (`tests/tiers.py`), and
prints their number per area; `make test-all` runs all.
Hypothesis draws a new seed for each run, unless `--hypothesis-seed` or the variable HYPOTHESIS_SEED gives one. The
header and the summary print it, so that a failure can be repeated. `--hypothesis-profile=long` tries more
inputs, and `quick` fewer.
"""

from __future__ import annotations

import gc
import logging
import os
from collections import Counter
from collections.abc import Generator
from pathlib import Path
from random import SystemRandom
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from tests import skips, tiers
from tests.examples import LONG, QUICK, USUAL

CHECKS = [HealthCheck.too_slow, HealthCheck.data_too_large]
for name, number in {"quick": QUICK, "kit": USUAL, "long": LONG}.items():
    settings.register_profile(name, max_examples=number, deadline=None, suppress_health_check=CHECKS)
settings.load_profile("kit")

ROOT = Path(__file__).parents[1]
LEFT = pytest.StashKey[Counter[str]]()  # the deselected slow tests by area


def area_of(path: Path) -> str:
    """Return the folder of a test, or its kind if it is outside `tests/`.

    >>> area_of(ROOT / "tests" / "unit" / "test_steps.py"), area_of(ROOT / "tokenlab" / "data.py")
    ('unit', 'doctests')
    """
    parts = path.relative_to(ROOT).parts
    return parts[1] if parts[0] == "tests" else "nbval" if path.suffix == ".ipynb" else "doctests"


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Draw the seed before hypothesis reads it."""
    config.stash[LEFT] = Counter()
    if config.getoption("hypothesis_seed", None) is None:
        # The workers of pytest-xdist inherit the variable.
        config.option.hypothesis_seed = os.environ.setdefault("HYPOTHESIS_SEED", str(SystemRandom().randrange(2**32)))
    if hasattr(config, "workeroutput"):
        return
    config.pluginmanager.register(Gathered(config), "tokenlab-gathered")


@pytest.fixture(autouse=True)
def usual_log_levels() -> None:
    """Undo changes of levels by libraries that other tests of the same process use."""
    logging.disable(logging.NOTSET)
    logging.getLogger().setLevel(logging.WARNING)
    for name in ("tokenlab", "tokenlab.libraries.transformers"):
        log = logging.getLogger(name)
        log.setLevel(logging.NOTSET)
        log.disabled = False


def pytest_report_header(config: pytest.Config) -> str:
    """Print how to draw the same inputs again."""
    return f"hypothesis: --hypothesis-seed={config.option.hypothesis_seed} draws the same inputs again"


@pytest.hookimpl(tryfirst=True)  # before pytest chooses by markers
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    tiers.leave_out_cases(items)
    tiers.leave_out_measurements(items)
    tiers.leave_out_long_lessons(items)
    tiers.mark_torch(items)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, Any, Any]:
    """Collect without the garbage collector, whose later runs leave out the collected tests: millions of objects."""
    gc.disable()
    result = yield
    gc.enable()
    gc.freeze()
    return result


def pytest_deselected(items: list[pytest.Item]) -> None:
    for item in items:
        if item.get_closest_marker("slow"):
            item.config.stash[LEFT][area_of(item.path)] += 1


def pytest_sessionfinish(session: pytest.Session) -> None:
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["left"] = dict(session.config.stash[LEFT])


class Gathered:
    """Tests deselected by the pytest-xdist workers, each of which collects all tests."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        self.config.stash[LEFT] |= Counter(getattr(node, "workeroutput", {}).get("left", {}))


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Print one line each for the tests left out, the tests skipped with reasons, and the seed."""
    if line := skips.summary(skips.reasons_of(terminalreporter.stats.get("skipped", []))):
        terminalreporter.write_line(line)
    left = config.stash[LEFT]
    if left:
        areas = ", ".join(f"{count} of {area}" for area, count in sorted(left.items()))
        terminalreporter.write_line(f"Left to `make test-all`: {left.total()} slow tests ({areas}).")
    terminalreporter.write_line(pytest_report_header(config))
