"""Settings for nbval: compare PNG outputs byte by byte (matplotlib is pinned), and start kernels reliably.

A kernel dies if another process has taken its port before the kernel opens it. Kernels therefore use Unix sockets in a
private folder, except on Windows, which has none.
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

SOCKETS = tempfile.TemporaryDirectory(prefix="nbval-")  # the path of a socket may have about 100 characters


def kernel_manager(**options: Any) -> KernelManager:
    """Return the kernel manager for nbval."""
    return KernelManager(transport="ipc", ip=str(Path(SOCKETS.name, uuid4().hex)), **options)


if os.name == "posix":
    nbval.kernel.KernelManager = kernel_manager


def pytest_collectstart(collector: pytest.Collector) -> None:
    """Remove PNG from the output types that nbval ignores."""
    if hasattr(collector, "skip_compare"):
        collector.skip_compare = tuple(k for k in collector.skip_compare if k != "image/png")
