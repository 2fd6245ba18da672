"""The Python of the JupyterLite site: Pyodide, the kit, and the packages that it uses, as one folder with one index.

Pyodide reads `pyodide-lock.json`, which names the file, the checksum and the dependencies of each package. The folder
written here contains only what the lessons use. Pure Python packages come from PyPI, in the versions of
`constraints.txt`. Compiled ones come in Pyodide's versions: from the user's copy of its full distribution, or from its
content delivery network (CDN).
"""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from email import message_from_string
from pathlib import Path
from typing import Any
from zipfile import ZipFile

from jupyterlite_pyodide_kernel.constants import PYODIDE_CDN_URL, PYODIDE_PYTHON_VERSION
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from publish.live.runtime import HASHES, STAND_INS, stand_in_files

ROOT = Path(__file__).parents[1]
KERNEL = Path(sys.prefix, "share/jupyter/labextensions/@jupyterlite/pyodide-kernel-extension")
SECONDS = 30  # without an answer from a server

# Loaded while the kernel starts: the kernel, and what the kit imports in most lessons.
AT_START = (
    *("micropip", "piplite", "pyodide-kernel", "ipykernel", "comm", "ipython", "jedi"),
    *("tokenlab", "ipywidgets", "anywidget", "hypothesis", "protobuf", "numpy"),
)
LATER = ("matplotlib", "sentencepiece", "tiktoken")  # loaded when a cell imports them
IMPORTED_BY = {  # modules of the kit that need a package of LATER
    "matplotlib": ["tokenlab.show.plots"],
    "sentencepiece": ["tokenlab.libraries.sentencepiece", "tokenlab.laboratory.comparison.families"],
}
ANOTHER_VERSION = {"hypothesis": "6.155.7"}  # the last one without compiled code
NOT_NEEDED = {"jupyterlab-widgets"}  # an extension of JupyterLab, which the site has as files
DATA_LEFT_OUT = ("t5*", "make_*")  # in data/: for lessons with PyTorch, and the programs that made the data


def write_packages(folder: Path, pyodide: Path, cache: Path, data: dict[str, str], online: bool = False) -> list[str]:
    """Write Pyodide, the wheels and their index into a folder; return the packages of which there is no wheel.

    Args:
        folder: where to write.
        pyodide: a folder with Pyodide, all of it or only its core.
        cache: a folder for downloaded wheels, which the next build uses again.
        data: the names and contents of files that are added to the data of the kit.
        online: whether the tab loads Pyodide and the compiled packages from the CDN.
    """
    folder.mkdir(parents=True)
    for name in () if online else HASHES:
        shutil.copy(pyodide / name, folder)
    lock = json.loads((pyodide / "pyodide-lock.json").read_text(encoding="utf-8"))
    own = {canonicalize_name(wheel.name.split("-")[0]): wheel for wheel in sorted(KERNEL.glob("static/pypi/*.whl"))}
    own["tokenlab"] = build_kit(cache / "kit", data)
    entries: dict[str, dict[str, Any]] = {}
    missing, wanted = set(), [*AT_START, *LATER]
    while wanted:
        name = wanted.pop()
        if name in entries or name in missing or name in NOT_NEEDED:
            continue
        theirs = lock["packages"].get(name, {})
        wheel = own.get(name) or find_wheel(name, theirs, pyodide, cache, online)
        if wheel:
            shutil.copy(wheel, folder)
            entries[name] = entry(name, wheel, lock["info"]["python"])
            entries[name]["imports"] = [*theirs.get("imports", []), *IMPORTED_BY.get(name, [])]
        elif theirs and online:
            entries[name] = {**theirs, "file_name": f"{PYODIDE_CDN_URL}/{theirs['file_name']}"}
        else:
            missing.add(name)
            continue
        wanted += entries[name]["depends"]
    for one in entries.values():
        one["depends"] = [name for name in one["depends"] if name in entries]
    lock["packages"] = dict(sorted(entries.items()))
    (folder / "pyodide-lock.json").write_text(json.dumps(lock, indent=1), encoding="utf-8", newline="\n")
    return sorted(missing)


def entry(name: str, wheel: Path, python: str) -> dict[str, Any]:
    """Return what the index says of a wheel."""
    return {
        "name": name,
        "version": wheel.name.split("-")[1],
        "file_name": wheel.name,
        "install_dir": "site",
        "sha256": hashlib.sha256(wheel.read_bytes()).hexdigest(),
        "package_type": "package",
        "depends": sorted({*requirements(wheel, python)}),
        "unvendored_tests": False,
    }


def requirements(wheel: Path, python: str) -> Iterator[str]:
    """Yield the names of the packages that a wheel requires in the tab."""
    tab = {
        "sys_platform": "emscripten",
        "platform_system": "Emscripten",
        "platform_machine": "wasm32",
        "os_name": "posix",
        "implementation_name": "cpython",
        "platform_python_implementation": "CPython",
        "python_version": ".".join(python.split(".")[:2]),
        "python_full_version": python,
        "extra": "",
    }
    with ZipFile(wheel) as archive:
        name = next(name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        metadata = message_from_string(archive.read(name).decode("utf-8"))
    for requirement in map(Requirement, metadata.get_all("Requires-Dist", [])):
        if requirement.marker is None or requirement.marker.evaluate(tab):
            yield canonicalize_name(requirement.name)


def find_wheel(name: str, theirs: dict[str, Any], pyodide: Path, cache: Path, online: bool) -> Path | None:
    """Return the wheel of a package: Pyodide's if it is compiled, or else the one from PyPI; None if there is neither.

    Args:
        name: the normalized name of the package.
        theirs: its entry in Pyodide's own index, or an empty one.
        pyodide: see `write_packages`, like the arguments after it.
    """
    compiled = theirs and not theirs["file_name"].endswith("-none-any.whl")
    if compiled and (pyodide / theirs["file_name"]).exists():
        return pyodide / theirs["file_name"]
    if compiled and online:
        return None
    if compiled and (wheel := from_cdn(theirs, cache)):
        return wheel
    if name in STAND_INS:
        return stand_in_wheel(name, theirs["version"], cache)
    version = ANOTHER_VERSION.get(name) or pins().get(name) or theirs.get("version", "")
    wheel, message = from_pypi(name, version, cache)
    if wheel is None and not compiled:
        sys.exit(
            f"{message}\npip found no pure wheel of {name} {version}, see above; check your network, and try again."
        )
    return wheel


def stand_in_wheel(name: str, version: str, folder: Path) -> Path:
    """Write a wheel with what stands in for a compiled package of which there is no wheel."""
    path, info = folder / f"{name}-{version}+standin-py3-none-any.whl", f"{name}-{version}+standin.dist-info"
    folder.mkdir(parents=True, exist_ok=True)
    with ZipFile(path, "w") as wheel:
        for inside, source in sorted(stand_in_files(name)):
            wheel.write(source, inside)
        wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}+standin\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", "")
    return path


def from_cdn(theirs: dict[str, Any], cache: Path) -> Path | None:
    """Return a wheel of Pyodide's distribution, which is downloaded if it is not in the cache, or None."""
    wheel = cache / theirs["file_name"]
    try:
        return wheel if wheel.exists() else download(f"{PYODIDE_CDN_URL}/{wheel.name}", theirs["sha256"], wheel)
    except OSError:
        return None


def from_pypi(name: str, version: str, cache: Path) -> tuple[Path | None, str]:
    """Return the wheel of a pure Python package, which is downloaded if it is not in the cache, and pip's message."""

    def cached() -> Path | None:
        wheels = cache.glob(f"*-{version}-*-none-any.whl")
        return next((path for path in wheels if canonicalize_name(path.name.split("-")[0]) == name), None)

    if wheel := cached():
        return wheel, ""
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
    pip += ["--only-binary=:all:", "--platform=any", "--implementation=py", "--abi=none"]
    pip += ["--python-version", PYODIDE_PYTHON_VERSION]
    done = subprocess.run([*pip, "--dest", str(cache), f"{name}=={version}"], stderr=subprocess.PIPE, encoding="utf-8")
    return cached(), done.stderr


def pins() -> dict[str, str]:
    """Return the version of each package in constraints.txt."""
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pairs = (line.split("==") for line in lines if "==" in line and not line.startswith("#"))
    return {canonicalize_name(name): version for name, version in pairs}


def build_kit(folder: Path, data: dict[str, str]) -> Path:
    """Build the wheel of the kit, without the models and with additional data, in a folder that is made empty."""
    shutil.rmtree(folder, ignore_errors=True)
    source = folder / "source"
    shutil.copytree(ROOT / "tokenlab", source / "tokenlab", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "data", source / "data", ignore=shutil.ignore_patterns("__pycache__", *DATA_LEFT_OUT))
    for name in ("pyproject.toml", "setup.py", "LICENSE"):
        shutil.copy(ROOT / name, source)
    for name, content in data.items():
        (source / "data" / name).write_text(content, encoding="utf-8", newline="\n")
    build = "import setuptools.build_meta as build; build.build_wheel('..')"
    subprocess.run([sys.executable, "-c", build], cwd=source, check=True, capture_output=True)
    return next(folder.glob("tokenlab-*.whl"))


def download(url: str, sha256: str, path: Path) -> Path:
    """Download a file.

    Raises:
        OSError: there was no answer, or the file is another one than expected.
    """
    with urllib.request.urlopen(url, timeout=SECONDS) as answer:
        content = answer.read()
    if hashlib.sha256(content).hexdigest() != sha256:
        raise OSError(f"{url} is not the expected file: its checksum differs.")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path
