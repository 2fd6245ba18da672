"""A folder with the core of Pyodide and a stand-in for `regex`, as somebody gives the full distribution to `make lite`.

The real wheel of `regex` for the browser is only in Pyodide's full distribution, which tests cannot download.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from pathlib import Path
from unittest.mock import patch
from zipfile import ZipFile

import pytest

from tests import skips

SOURCE = Path(__file__).parent / "stand_in"
# The name of a compiled wheel, because the stand-in takes its place.
WHEEL = "regex-2026.3.32-cp314-cp314-pyemscripten_2026_0_wasm32.whl"


def with_stand_in(core: Path, folder: Path) -> Path:
    """Copy the core of Pyodide into a new folder, and add the stand-in in the place of the wheel of `regex`."""
    shutil.copytree(core, folder)
    info = "regex-2026.3.32.dist-info"
    with ZipFile(folder / WHEEL, "w") as wheel:
        wheel.write(SOURCE / "regex/__init__.py", "regex/__init__.py")
        wheel.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: regex\nVersion: 2026.3.32\n")
        wheel.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        wheel.writestr(f"{info}/RECORD", "")
    index = folder / "pyodide-lock.json"
    lock = json.loads(index.read_text(encoding="utf-8"))
    entry = lock["packages"]["regex"]
    entry["file_name"], entry["sha256"] = WHEEL, hashlib.sha256((folder / WHEEL).read_bytes()).hexdigest()
    index.write_text(json.dumps(lock), encoding="utf-8", newline="\n")
    return folder


def lite_site(folder: Path) -> Path:
    """Make the JupyterLite site with the stand-in, of what an earlier `make lite` downloaded, and without a network."""
    if not skips.installed("jupyterlite_pyodide_kernel"):
        pytest.skip(skips.LITE)
    from publish import lite, lite_packages
    from publish.lessons import BUILD

    cache = BUILD / "lite-downloads"
    core = Path(os.environ.get("PYODIDE") or cache / f"pyodide-{lite_packages.PYODIDE_VERSION}")
    if not core.exists() or not any(cache.glob("ipywidgets-*.whl")):
        pytest.skip(skips.PYODIDE)
    pyodide = with_stand_in(core, folder / "pyodide")
    with patch.object(lite_packages, "download", side_effect=OSError), patch.dict(os.environ, PIP_NO_INDEX="1"):
        lite.build(folder / "site", pyodide, cache)
    return folder / "site"
