"""Lets nbval compare pictures too: with matplotlib pinned, they are the same byte for byte; and keeps kernels alive.

A kernel that is told a port may find it taken when it comes to open it, and dies. Sockets in a folder of one's own are
taken by nobody; Windows has none.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any
from uuid import uuid4

import nbval.kernel
import pytest
from jupyter_client.manager import KernelManager

SOCKETS = tempfile.TemporaryDirectory(prefix="nbval-")  # a short path: that of a socket may have about 100 letters


def kernel_manager(**options: Any) -> KernelManager:
    """What nbval starts a kernel with."""
    return KernelManager(transport="ipc", ip=str(Path(SOCKETS.name, uuid4().hex)), **options)


if os.name == "posix":
    nbval.kernel.KernelManager = kernel_manager


def pytest_collectstart(collector: pytest.Collector) -> None:
    """Take PNG off the list of what nbval leaves out."""
    if hasattr(collector, "skip_compare"):
        collector.skip_compare = tuple(k for k in collector.skip_compare if k != "image/png")
