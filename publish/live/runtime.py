"""Python for the pages of the site: Pyodide, the kit as an archive, and the worker that runs them in a browser tab.

Pyodide comes from its npm package, which `lab.py` fetches, or from a full distribution that the variable `PYODIDE`
names. A full distribution has the compiled packages that some explorers need (`OPTIONAL`), which are copied as well.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Container, Iterator
from importlib.util import find_spec
from pathlib import Path

from tokenlab.storage import files

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
VERSION = "314.0.6"  # the one that JupyterLite's kernel needs
# SHA-256 of the files of this version; pyodide-lock.json lists other packages in the npm package than elsewhere.
HASHES = {
    "pyodide.mjs": "69e3f6ccec3e14b465df60be577ca62f536251406b9a00cce019eac5252a2495",
    "pyodide.asm.mjs": "2ac5eba365ec12839c75c03b39b3be1dd63b798852cc460b014b52238be042f7",
    "pyodide.asm.wasm": "3a0a00dfeaa348ac20f9ef09904233d32d33f644339662d4af368f8a2010f37a",
    "python_stdlib.zip": "80c5be6babfe03297069703410c3c29404dcf2525d2b128746bae5536f94831f",
}
OPTIONAL = ("regex", "numpy")  # packages of a full distribution that explorers use
# Installed packages, and the ending of those of their files that need nothing compiled: protobuf is slower then, and of
# sentencepiece only the tables of normalization are used.
PURE = {"google.protobuf": ".py", "tqdm": ".py", "sentencepiece": ".bin"}
STAND_INS = ("regex", "sentencepiece")  # the folders of `stand_ins`
LIBRARY, KIT, DATA = "python_stdlib.zip", "tokenlab.zip", "data.zip"
PLACES = {LIBRARY: "/lib/python314.zip", KIT: "/tokenlab.zip"}  # the compiled archives: where Python finds their files
# Of the pages: the names of their scripts, and the files of each after the common ones.
SCRIPTS = {"live": ("explorers",), "gallery": ("gallery",), "why": ("why_results", "why")}
WEIGHTS = ".safetensors"  # of models, which need PyTorch


class Unusable(ValueError):
    """The folder with Pyodide cannot be used."""


def pyodide_folder() -> Path | None:
    """Return the folder with Pyodide: what the variable PYODIDE names, or what `lab.py` fetched; None without one.

    Raises:
        Unusable: a file is missing in the folder, or is that of another version.
    """
    named = os.environ.get("PYODIDE")
    folder = Path(named) if named else Path(sys.prefix, "share", f"pyodide-{VERSION}")
    if not (named or folder.exists()):
        return None
    for name, expected in HASHES.items():
        path = folder / name
        if not path.is_file():
            raise Unusable(f"PYODIDE={str(folder)!r}: the file {name} is missing; name the folder that contains it")
        if hashlib.sha256(path.read_bytes()).hexdigest() != expected:
            raise Unusable(f"PYODIDE={str(folder)!r}: {name} is not that of Pyodide {VERSION}; get this version")
    return folder


def write_runtime(site: Path, pyodide: Path) -> str:
    """Write what the pages of a site need to run the kit, and return the address of their worker.

    Args:
        site: the folder of the site.
        pyodide: the folder of Pyodide.
    """
    folder = Path(tempfile.mkdtemp(dir=site))
    lock = json.loads(files.read_text(pyodide / "pyodide-lock.json"))
    packages = dict(_packages(lock, pyodide))
    for name in [*HASHES, *(package["file_name"] for package in packages.values())]:
        shutil.copyfile(pyodide / name, folder / name)
    for name, content in ((KIT, _kit_files(packages)), (DATA, _files(ROOT / "data", ""))):
        with zipfile.ZipFile(folder / name, "w", zipfile.ZIP_DEFLATED) as archive:
            for inside, path in sorted(content):
                archive.writestr(zipfile.ZipInfo(inside), path.read_bytes(), zipfile.ZIP_DEFLATED)
    _compile(pyodide, folder)
    sizes = {name: (folder / name).stat().st_size for name in (LIBRARY, KIT, DATA, "pyodide.asm.wasm")}
    settings = {"sizes": sizes, "lock": {**lock, "packages": packages}, "packages": sorted(packages)}
    script = files.read_text(HERE / "worker.js")
    files.write_atomically(folder / "worker.js", f"const SETTINGS = {json.dumps(settings)};\n{script}")
    # A folder whose name depends on its content: a browser can keep its files for ever.
    content = hashlib.sha256(b"".join(path.read_bytes() for path in sorted(folder.iterdir())))
    address = f"_live/{content.hexdigest()[:12]}"
    (site / "_live").mkdir()
    folder.chmod(0o755)
    folder.rename(site / address)
    shutil.copyfile(HERE / "offline.js", site / "offline.js")
    return f"{address}/worker.js"


def live_script(name: str) -> str:
    """Return the script of a page that needs Python; `name` is one of `SCRIPTS`."""
    parts = "\n".join(files.read_text(HERE / f"{part}.js") for part in ("python", "links", *SCRIPTS[name]))
    return f"(() => {{\n{parts}}})();\n"


def _packages(lock: dict[str, object], pyodide: Path) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield those of the optional packages that a distribution contains."""
    listed = lock["packages"]
    assert isinstance(listed, dict)
    for name in OPTIONAL:
        if name in listed and (pyodide / listed[name]["file_name"]).is_file():
            yield name, listed[name]


def _kit_files(packages: Container[str]) -> Iterator[tuple[str, Path]]:
    """Yield the names and paths of the package's files, of its pure dependencies, and of what stands in for others."""
    yield from _files(ROOT / "tokenlab", "tokenlab/")
    for name in STAND_INS:
        if name not in packages:
            yield from stand_in_files(name)
    for package in ("google.protobuf", "tqdm"):
        yield from pure_files(package)


def stand_in_files(name: str) -> Iterator[tuple[str, Path]]:
    """Yield the names and paths of the files that stand in for a compiled package, one of `STAND_INS`."""
    yield from _files(HERE / "stand_ins" / name, f"{name}/")
    if name in PURE:
        yield from pure_files(name)


def pure_files(package: str) -> Iterator[tuple[str, Path]]:
    """Yield the names and paths of those files of an installed package that need nothing compiled."""
    found = find_spec(package)
    for top in found.submodule_search_locations or () if found else ():
        for name, path in _files(Path(top), package.replace(".", "/") + "/"):
            if name.endswith(PURE[package]):
                yield name, path


def _files(top: Path, before: str) -> Iterator[tuple[str, Path]]:
    for path in top.rglob("*"):
        name = path.relative_to(top).as_posix()
        if path.is_file() and "__pycache__" not in name and not name.endswith(WEIGHTS):
            yield before + name, path


def _compile(pyodide: Path, folder: Path) -> None:
    """Replace the Python files of the archives by compiled ones, if there is Node.js to run Pyodide here."""
    node = shutil.which("node")
    if node is None:
        print("Node.js is missing, so the Python files of the site are not compiled: a page needs 3 seconds more.")
        return
    places = [f"{folder / name}={place}" for name, place in PLACES.items()]
    subprocess.run([node, str(HERE / "compile.mjs"), str(pyodide), str(folder), *places], check=True)
