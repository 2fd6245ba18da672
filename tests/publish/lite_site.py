"""The JupyterLite site for tests, of what an earlier `make lite` downloaded, and without a network."""

from __future__ import annotations

import os
from pathlib import Path
from unittest.mock import patch

import pytest

from publish.live.runtime import pyodide_folder
from tests import skips


def lite_site(folder: Path) -> Path:
    """Make the site in a new folder."""
    if not skips.installed("jupyterlite_pyodide_kernel"):
        pytest.skip(skips.LITE)
    from publish import lite, lite_packages
    from publish.lessons import BUILD

    pyodide, cache = pyodide_folder(), BUILD / "lite-downloads"
    if pyodide is None or not any(cache.glob("ipywidgets-*.whl")):
        skips.without_pyodide()
    with patch.object(lite_packages, "download", side_effect=OSError), patch.dict(os.environ, PIP_NO_INDEX="1"):
        lite.build(folder / "site", pyodide, cache)
    return folder / "site"
