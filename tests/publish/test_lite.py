"""The JupyterLite site: its lessons, its packages and their index, without a browser and without a network."""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import nbformat
import pytest
from nbformat import v4

from publish import pages
from publish.lessons import FRAMES, IN_THE_TAB, stored
from tests import skips
from tests.publish.made_up import lesson

if not skips.installed("jupyterlite_pyodide_kernel"):
    pytest.skip(skips.LITE, allow_module_level=True)

from jupyterlite_pyodide_kernel.constants import PYODIDE_CDN_URL, PYODIDE_VERSION

from publish import lite, lite_packages
from publish.live import runtime

KERNEL_LOADS = {"micropip", "piplite", "pyodide-kernel", "ipykernel", "comm", "jedi", "ipython"}
COMPILED = ("matplotlib", "numpy", "regex", "sentencepiece", "tiktoken")


def wheel(folder: Path, name: str, *requires: str, tag: str = "py3-none-any") -> Path:
    """A wheel with nothing but its metadata."""
    folder.mkdir(exist_ok=True)
    path = folder / f"{name}-1.0-{tag}.whl"
    lines = ["Metadata-Version: 2.1", f"Name: {name}", "Version: 1.0", *(f"Requires-Dist: {one}" for one in requires)]
    with ZipFile(path, "w") as archive:
        archive.writestr(f"{name}-1.0.dist-info/METADATA", "\n".join(lines) + "\n")
    return path


@pytest.fixture
def pyodide(tmp_path: Path) -> Path:
    """A folder like that of Pyodide, with one of the compiled wheels that its index names."""
    folder = tmp_path / "pyodide"
    folder.mkdir()
    for name in runtime.HASHES:
        (folder / name).write_text(name, encoding="utf-8")
    compiled = wheel(folder, "regex", tag="cp314-cp314-pyemscripten_2026_0_wasm32")
    theirs = {
        name: {
            "file_name": compiled.name.replace("regex", name),
            "version": "1.0",
            "sha256": "0",
            "depends": [],
            "imports": [name],
        }
        for name in COMPILED
    }
    lock = {"info": {"python": "3.14.2"}, "packages": theirs}
    (folder / "pyodide-lock.json").write_text(json.dumps(lock), encoding="utf-8")
    return folder


@pytest.fixture
def no_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """PyPI has every pure package, and the CDN does not answer."""

    def from_pypi(name: str, version: str, cache: Path) -> tuple[Path | None, str]:
        requires = (
            ["comm", "psutil; sys_platform != 'emscripten'", "jupyterlab-widgets"] if name == "ipywidgets" else []
        )
        return (None, "nothing") if name in COMPILED else (wheel(tmp_path / "pypi", name, *requires), "")

    monkeypatch.setattr(lite_packages, "from_pypi", from_pypi)
    monkeypatch.setattr(lite_packages, "from_cdn", lambda theirs, cache: None)
    monkeypatch.setattr(
        lite_packages, "build_kit", lambda folder, data: wheel(tmp_path / "kit", "tokenlab", "regex", "tqdm")
    )


def index_of(folder: Path) -> dict[str, dict[str, Any]]:
    packages: dict[str, dict[str, Any]] = json.loads((folder / "pyodide-lock.json").read_text(encoding="utf-8"))[
        "packages"
    ]
    return packages


@pytest.mark.usefixtures("no_network")
def test_the_index_names_the_wheels_of_the_folder_and_all_that_they_need(pyodide: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    lacking = lite_packages.write_packages(site, pyodide, tmp_path / "cache", {})
    index = index_of(site)
    assert KERNEL_LOADS | {"tokenlab", "ipywidgets", "anywidget", "hypothesis", "regex", "tqdm"} <= set(index)
    assert not {"psutil", "jupyterlab-widgets"} & set(index)  # compiled, and not of use
    for name, entry in index.items():
        content = (site / entry["file_name"]).read_bytes()
        assert entry["sha256"] == hashlib.sha256(content).hexdigest(), name
        assert set(entry["depends"]) <= set(index), name
    assert index["tokenlab"]["depends"] == ["regex", "tqdm"]
    assert lacking == ["matplotlib", "numpy", "tiktoken"]
    assert {path.name for path in site.glob("pyodide*")} > {"pyodide.mjs", "pyodide.asm.wasm"}


@pytest.mark.usefixtures("no_network")
def test_online_the_compiled_packages_and_pyodide_come_from_its_network(
    pyodide: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = wheel(tmp_path / "cdn", "regex", tag="cp314-cp314-pyemscripten_2026_0_wasm32")
    monkeypatch.setattr(lite_packages, "from_cdn", lambda theirs, cache: answers)
    (pyodide / "regex-1.0-cp314-cp314-pyemscripten_2026_0_wasm32.whl").unlink()
    site = tmp_path / "site"
    lite_packages.write_packages(site, pyodide, tmp_path / "cache", {}, online=True)
    index = index_of(site)
    assert index["regex"]["file_name"].startswith(f"{PYODIDE_CDN_URL}/regex-")
    assert (site / index["anywidget"]["file_name"]).exists()
    assert not (site / "pyodide.asm.wasm").exists()
    kernel = lite.settings(True, [])["jupyter-config-data"]["litePluginSettings"][lite.KERNEL_SETTINGS]
    assert kernel["pyodideUrl"] == f"{PYODIDE_CDN_URL}/pyodide.mjs"
    assert kernel["loadPyodideOptions"]["lockFileURL"].startswith("./")


@pytest.mark.usefixtures("no_network")
def test_a_pure_package_that_pip_does_not_find_ends_the_build(
    pyodide: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lite_packages, "from_pypi", lambda name, version, cache: (None, "pip's words"))
    with pytest.raises(SystemExit, match=r"(?s)pip's words.*no pure wheel of .*check your network"):
        lite_packages.write_packages(tmp_path / "site", pyodide, tmp_path / "cache", {})


@pytest.mark.slow
def test_the_kit_in_the_tab_has_its_data_and_no_models(tmp_path: Path) -> None:
    kit = lite_packages.build_kit(tmp_path / "kit", {"more.json": "[]"})
    with ZipFile(kit) as archive:
        names = set(archive.namelist())
    assert {"tokenlab/_data/more.json", "tokenlab/_data/english.txt", "tokenlab/show/player.js"} <= names
    assert "tokenlab/check/solutions/01_bpe_training.md" in names
    assert not [name for name in names if "/t5" in name and "_data" in name]


def test_a_download_with_another_checksum_is_refused(tmp_path: Path) -> None:
    (tmp_path / "there").write_bytes(b"1")
    url = (tmp_path / "there").as_uri()
    with pytest.raises(OSError, match="checksum differs"):
        lite_packages.download(url, "0" * 64, tmp_path / "here")
    assert not (tmp_path / "here").exists()
    right = hashlib.sha256(b"1").hexdigest()
    assert lite_packages.download(url, right, tmp_path / "cache/here").read_bytes() == b"1"


def test_the_version_is_the_one_that_the_kernel_needs() -> None:
    assert PYODIDE_VERSION == runtime.VERSION


def test_the_tab_has_the_lessons_without_pytorch() -> None:
    names = [path.stem for path in lite.in_the_tab()]
    assert len(names) == 15
    assert names[:2] == ["00_start_here", "01_bpe_training"]
    assert names[-2:] == ["23_seven_tokenizers", "capstone_gpt2_tokenizer"]
    for name in names:
        source = Path(f"notebooks/source/{name}.py").read_text(encoding="utf-8")
        assert "import torch" not in source


def test_links_lead_to_files_of_the_tab(tmp_path: Path) -> None:
    text = "[one](01_a.ipynb#x) [later](13_b.ipynb) [word](../docs/glossary.md#piece)"
    notebook = v4.new_notebook(cells=[v4.new_markdown_cell(text), v4.new_code_cell("1")])
    nbformat.write(notebook, tmp_path / "00_c.ipynb")
    made = lite.notebook_for_the_tab(tmp_path / "00_c.ipynb", {"01_a.ipynb"})
    assert made.cells[0].source == "[one](01_a.ipynb#x) later [word](glossary.md#piece)"
    assert made.metadata.kernelspec.name == "python"
    assert all(cell.metadata.trusted for cell in made.cells)


def test_outputs_are_stored_for_the_tab_without_players() -> None:
    player = v4.new_output("display_data", {"text/html": f"<div>{FRAMES}</script></div>", "text/plain": "p"})
    widget = v4.new_output("display_data", {"application/vnd.jupyter.widget-view+json": {}})
    text = v4.new_output("stream", name="stdout", text="2\n")
    cells = [v4.new_markdown_cell("x"), v4.new_code_cell("print(2)\n", outputs=[text, player, widget])]
    assert json.loads(lite.stored_outputs([v4.new_notebook(cells=cells)])) == [[["print(2)", [text]]]]


def test_a_player_of_a_cell_that_cannot_run_in_the_tab_is_stored() -> None:
    player = v4.new_output("display_data", {"text/html": f"<div>{FRAMES}</script></div>", "text/plain": "p"})
    sources = ["from tokenlab.libraries.tokenizers import a", "from tokenizers import b", "play(b)", "b = 1", "play(b)"]
    cells = [v4.new_code_cell(source, outputs=[player]) for source in sources]
    [stored] = json.loads(lite.stored_outputs([v4.new_notebook(cells=cells)]))
    assert [bool(outputs) for _, outputs in stored] == [False, True, True, False, False]


@pytest.mark.slow
def test_the_pages_of_the_lessons_in_the_tab_link_to_it(tmp_path: Path) -> None:
    lessons = [lesson("# First", name="01_bpe_training"), lesson("# Later", name="13_t5_in_one_picture")]
    assert pages.build(lessons, tmp_path / "site", tmp_path, lite="../lite") == []
    first, later = ((tmp_path / f"site/{one.name}.html").read_text(encoding="utf-8") for one in lessons)
    assert 'href="../lite/lab/index.html?path=01_bpe_training.ipynb"' in first
    assert "../lite" not in later
    without = tmp_path / "without"
    assert pages.build(lessons, without, tmp_path) == []
    assert "/lab/index.html" not in (without / "01_bpe_training.html").read_text(encoding="utf-8")


def test_the_names_of_the_lessons_in_the_tab_are_stored_lessons() -> None:
    assert sum(bool(IN_THE_TAB.fullmatch(one.name)) for one in stored()) == len(lite.in_the_tab())


@pytest.mark.usefixtures("no_network")
def test_a_compiled_package_without_a_wheel_has_a_stand_in(pyodide: Path, tmp_path: Path) -> None:
    (pyodide / "regex-1.0-cp314-cp314-pyemscripten_2026_0_wasm32.whl").unlink()
    lite_packages.write_packages(tmp_path / "site", pyodide, tmp_path / "cache", {})
    index = index_of(tmp_path / "site")
    names = {name: set(ZipFile(tmp_path / "site" / index[name]["file_name"]).namelist()) for name in runtime.STAND_INS}
    assert "regex/__init__.py" in names["regex"]
    assert {"sentencepiece/__init__.py", "sentencepiece/package_data/nmt_nfkc.bin"} <= names["sentencepiece"]
    assert index["regex"]["version"].endswith("+standin")


def test_the_stand_in_of_sentencepiece_is_missing_for_who_imports_from_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(runtime.HERE / "stand_ins"))
    for name in [name for name in sys.modules if name.partition(".")[0] == "sentencepiece"]:
        monkeypatch.delitem(sys.modules, name)
    with pytest.raises(ModuleNotFoundError) as caught:
        exec("from sentencepiece import SentencePieceProcessor")
    assert caught.value.name == "sentencepiece"
    monkeypatch.delitem(sys.modules, "sentencepiece")
