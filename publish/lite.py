"""Write a JupyterLite site, in which the lessons run in the browser tab: `make lite`, into `build/lite`.

`make lite ARGS=--online` lets the tab load Pyodide, the Python of the browser, from its content delivery network;
otherwise the site contains all that it needs. `PYODIDE=folder make lite` takes Pyodide from a folder. The site contains
the lessons that need no PyTorch. Readers' changes stay in their browser. A web server must send the files:
`python -m http.server -d build/lite`.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import nbformat
from jupyterlite_pyodide_kernel.constants import PYODIDE_CDN_URL, PYODIDE_PYTHON_VERSION

from lab import OVERRIDES
from publish.lessons import BUILD, FOLDER, FRAMES, runs_in_the_tab
from publish.lite_packages import AT_START, KERNEL, write_packages
from publish.live.runtime import Unusable, pyodide_folder
from tokenlab.cells_above import names_made_in
from tokenlab.cells_in_browser import STORED, names_used_in

EXTENSIONS = ("@jupyterlite/pyodide-kernel-extension", "@jupyter-widgets/jupyterlab-manager", "anywidget")
NEVER_THERE = re.compile(r"(?m)^\s*(from|import) tokenizers\b")  # no version for the browser
KERNEL_SETTINGS = "@jupyterlite/pyodide-kernel-extension:kernel"
STARTUP = "startup.py"  # in the data of the kit: IPython runs it when the kernel starts
LOAD = 'get_ipython().extension_manager.load_extension("tokenlab.cells_in_browser")\n'
FOUND_AT = f"/lib/python{PYODIDE_PYTHON_VERSION}/site-packages/tokenlab/_data"


def in_the_tab(folder: Path = FOLDER) -> list[Path]:
    """Return the notebooks of the lessons that run in a browser tab."""
    return [path for path in sorted(folder.glob("*.ipynb")) if runs_in_the_tab(path.stem)]


def notebook_for_the_tab(path: Path, names: set[str]) -> Any:
    """Return a lesson for the tab: with its kernel, trusted, and with links only to files that are there.

    Args:
        path: the stored lesson.
        names: the file names of all lessons in the tab.
    """
    notebook = nbformat.read(path, as_version=4)
    notebook.metadata.kernelspec = {"name": "python", "display_name": "Python (Pyodide)", "language": "python"}

    def link(found: re.Match[str]) -> str:
        return found[0] if found["file"] in names else found["text"]

    for cell in notebook.cells:
        cell.metadata.trusted = True
        if cell.cell_type == "markdown":
            source = cell.source.replace("](../docs/glossary.md", "](glossary.md")
            cell.source = re.sub(r"\[(?P<text>[^]\n]+)\]\((?P<file>\w+\.ipynb)[^)]*\)", link, source)
    return notebook


def stored_outputs(notebooks: list[Any]) -> str:
    """Return the sources and outputs of all code cells as JSON.

    Players, which are large, are left out where the cell runs in the tab if the site has all packages.
    """
    lessons = []
    for notebook in notebooks:
        lacking: set[str] = set()  # names that cells cannot make in the tab
        lessons.append(cells := [])
        for cell in notebook.cells:
            if cell.cell_type == "code":
                made, used = names_made_in([cell.source]), names_used_in(cell.source)
                runs = not NEVER_THERE.search(cell.source) and not used & lacking
                lacking = lacking - made if runs else lacking | made
                outputs = [one for one in cell.outputs if not (runs and _is_player(one))]
                cells.append([cell.source.strip(), outputs])
    return json.dumps(lessons, ensure_ascii=False)


def _is_player(output: Any) -> bool:
    written = json.dumps(output)
    return json.dumps(FRAMES)[1:-1] in written or "widget-view" in written


def settings(online: bool, lacking: list[str]) -> dict[str, Any]:
    """Return the settings of the site, which tell the kernel where Pyodide is and what to load at its start.

    Args:
        online: whether the tab loads Pyodide from the CDN.
        lacking: the packages that the site lacks.
    """
    kernel = {
        "pyodideUrl": f"{PYODIDE_CDN_URL if online else './static/pyodide'}/pyodide.mjs",
        "disablePyPIFallback": True,
        "loadPyodideOptions": {
            "lockFileURL": "./static/pyodide/pyodide-lock.json",
            "packages": [name for name in AT_START if name not in lacking],
            "env": {"PYTHONSTARTUP": f"{FOUND_AT}/{STARTUP}"},
        },
    }
    return {
        "jupyter-lite-schema-version": 0,
        "jupyter-config-data": {
            "appName": "tokenlab",
            "exposeAppInBrowser": True,
            "litePluginSettings": {KERNEL_SETTINGS: kernel},
        },
    }


def build(folder: Path, pyodide: Path, cache: Path, online: bool = False) -> list[str]:
    """Write the site into a folder, which is made empty; return the packages that it lacks.

    Args:
        folder: where to write.
        pyodide: a folder with Pyodide, all of it or only its core.
        cache: a folder for downloaded wheels, which the next build uses again.
        online: whether the tab loads Pyodide and the compiled packages from the CDN.
    """
    paths = in_the_tab()
    names = {path.name for path in paths}
    notebooks = {path.name: notebook_for_the_tab(path, names) for path in paths}
    with tempfile.TemporaryDirectory() as made:
        packages, source = Path(made, "packages"), Path(made, "source")
        data = {STORED: stored_outputs([*notebooks.values()]), STARTUP: LOAD}
        lacking = write_packages(packages, pyodide, cache, data, online)
        (source / "files").mkdir(parents=True)
        for name, notebook in notebooks.items():
            # subtle: texts stay whole; no server joins the lines of a stored notebook, as JupyterLab expects.
            _write_json(source / "files" / name, notebook)
        shutil.copy(FOLDER.parent / "docs/glossary.md", source / "files")
        _write_json(source / "jupyter-lite.json", settings(online, lacking))
        _write_json(source / "overrides.json", OVERRIDES)
        site = run_jupyterlite(source, Path(made))
        shutil.move(packages, site / "static/pyodide")
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(site, folder)
    return lacking


def run_jupyterlite(source: Path, made: Path) -> Path:
    """Let JupyterLite make a site of the files and settings in a folder, below another one; return its folder."""
    config = {
        "apps": ["lab"],
        "cache_dir": str(made / "cache"),
        "federated_extensions": [str(KERNEL.parents[1] / name) for name in EXTENSIONS],
        "ignore_sys_prefix": True,  # the environment's other extensions need a server
        "no_sourcemaps": True,
        "no_unused_shared_packages": True,
        "output_dir": str(made / "site"),
    }
    _write_json(source / "jupyter_lite_config.json", {"LiteBuildConfig": config})
    command = [sys.executable, "-m", "jupyterlite_core", "build", "--lite-dir", str(source)]
    done = subprocess.run(command, cwd=source, capture_output=True, encoding="utf-8")
    if done.returncode:
        sys.exit(f"JupyterLite could not build the site:\n{done.stdout}{done.stderr}")
    return made / "site"


def _write_json(path: Path, content: Any) -> None:
    path.write_text(json.dumps(content, indent=1), encoding="utf-8", newline="\n")


def main(arguments: list[str]) -> None:
    """Write the site, and print its size and what it lacks."""
    unknown = {*arguments} - {"--online"}
    if unknown:
        sys.exit(f"make lite has no option {' '.join(sorted(unknown))}; the only one is --online.")
    folder, cache = BUILD / "lite", BUILD / "lite-downloads"
    try:
        pyodide = pyodide_folder()
    except Unusable as error:
        sys.exit(str(error))
    if pyodide is None:
        sys.exit("Pyodide is missing; install npm and run make lite again, or set PYODIDE to its folder.")
    missing = build(folder, pyodide, cache, "--online" in arguments)
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    print(f"{len(in_the_tab())} lessons, {size / 1e6:.0f} MB in {folder.relative_to(BUILD.parent)}")
    if missing:
        print(
            f"Not in the site: {', '.join(missing)}. No wheel was found in the folder with Pyodide, on its content "
            "delivery network or on PyPI; cells that need one show their stored output instead."
        )
    print(f"To try it: {sys.executable} -m http.server -d {folder.relative_to(BUILD.parent)}")


if __name__ == "__main__":
    main(sys.argv[1:])
