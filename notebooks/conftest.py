"""Lets nbval compare pictures too: with matplotlib pinned, they are the same byte for byte."""

from __future__ import annotations

import pytest


def pytest_collectstart(collector: pytest.Collector) -> None:
    """Take PNG off the list of what nbval leaves out."""
    if hasattr(collector, "skip_compare"):
        collector.skip_compare = tuple(k for k in collector.skip_compare if k != "image/png")
