"""The setup: files that agree, an import that stays light, and `lab.py`, which never loses work."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
import tomllib
from inspect import getclosurevars
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from tests.scripts import script

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]


def test_every_direct_dependency_is_pinned_exactly() -> None:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = [Requirement(line) for line in lines if line and not line.startswith("#")]
    assert all(re.fullmatch(r"==[^*+,]+", str(pin.specifier)) for pin in pins)
    wanted = [*PROJECT["dependencies"], *(name for extra in EXTRAS.values() for name in extra)]
    pinned = {canonicalize_name(pin.name) for pin in pins}
    assert len(pinned) == len(pins)
    assert {canonicalize_name(Requirement(name).name) for name in wanted} <= pinned


def test_the_conda_environment_agrees_with_the_project() -> None:
    environment = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))
    *conda, with_pip = environment["dependencies"]
    python = next(name.removeprefix("python=") for name in conda if name.startswith("python="))
    assert f"{python}.0" in SpecifierSet(PROJECT["requires-python"])
    assert {"pip", "git", "make"} <= set(conda)
    assert with_pip == {"pip": ["-c constraints.txt", "-e .[lab]"]}
    assert "lab" in EXTRAS


def test_every_folder_of_the_package_is_a_package_that_is_installed() -> None:
    folders = {path.parent for path in (ROOT / "tokenlab").rglob("*.py")}
    assert [str(folder) for folder in folders if not (folder / "__init__.py").exists()] == []


def test_lab_asks_for_the_python_and_the_extras_of_the_project(lab: ModuleType) -> None:
    lowest = ".".join(map(str, lab.OLDEST_PYTHON))
    assert PROJECT["requires-python"] == f">={lowest}"
    assert {extra for _, extras in lab.COMMANDS.values() for extra in extras} <= set(EXTRAS)


def test_make_knows_the_commands_of_lab(lab: ModuleType) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert f"COMMANDS = {' '.join(lab.COMMANDS)}\n" in makefile


@pytest.mark.slow
def test_the_pictures_and_the_benchmarks_can_be_started(lab: ModuleType) -> None:
    """Other tests run the programs of the other commands."""
    for command in ("screenshot", "bench"):
        names = getclosurevars(lab.COMMANDS[command][0]).nonlocals
        code = f"import {names['name']}" if "name" in names else IMPORTED.format(**names)
        subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)


IMPORTED = "import runpy, sys; sys.path[0] = '{path}'.rpartition('/')[0]; runpy.run_path('{path}')"


@pytest.mark.parametrize("failing", ["", "ruff", "pytest"])
def test_make_test_leaves_out_slow_tests_and_test_all_runs_all_as_on_two_processors(
    lab: ModuleType, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    runs: list[tuple[str, ...]] = []
    processors: list[str | None] = []

    def run(*called: str) -> int:
        runs.append(called)
        processors.append(os.environ.get("ATEN_CPU_CAPABILITY"))
        return int(called[0] == failing)

    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    monkeypatch.setenv("ATEN_CPU_CAPABILITY", "")  # so that it is restored for the tests after this one
    monkeypatch.delenv("ATEN_CPU_CAPABILITY")
    monkeypatch.setattr(lab, "run", run)
    monkeypatch.setattr(lab, "install_reference", lambda: 0)
    monkeypatch.setattr(lab, "install_current_transformers", lambda: 0)
    quick, everything = lab.COMMANDS["test"][0], lab.COMMANDS["test-all"][0]
    assert bool(quick()) == bool(failing)
    assert "PYTHONDONTWRITEBYTECODE" not in os.environ  # the tests' many Pythons share the compiled files
    *checks, tests = runs
    assert {called[0] for called in checks} == {"ruff"}
    assert "not slow" in tests and {"tokenlab", "tests", "--nbval"} <= {*tests}
    runs.clear()
    processors.clear()
    assert bool(everything()) == bool(failing)
    *checks, all_tests, with_torch = runs
    assert {called[0] for called in checks} == {"ruff", "mypy"}
    many, few = "--hypothesis-profile=long", "--hypothesis-profile=quick"
    assert [*all_tests] == [many if part == few else part for part in tests if part not in ("-m", "not slow")]
    again = "torch and (not slow or processor)"
    assert [*with_torch] == [again if part == "not slow" else part for part in tests]
    assert processors[-2:] == [None, "default"] and os.environ["OMP_NUM_THREADS"] == "2"
    runs.clear()
    quick("-k", "steps")
    assert runs == [("pytest", "-k", "steps")]


def test_the_texts_state_one_time_for_make_test(lab: ModuleType) -> None:
    texts = [(ROOT / name).read_text(encoding="utf-8") for name in ("README.md", "CONTRIBUTING.md", "lab.py")]
    assert [re.findall(r"(?m)^(?:- `)?(?:make )?(?:  )?test\b.*?\b(\d+) minutes", text) for text in texts] == [
        ["5"]
    ] * 3


def test_an_old_python_can_read_lab() -> None:
    ast.parse((ROOT / "lab.py").read_text(encoding="utf-8"), feature_version=(3, 6))


def test_an_old_python_is_told_in_one_sentence(lab: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lab.sys, "version_info", (3, 9, 2, "final", 0))
    with pytest.raises(SystemExit, match=r"needs Python 3\.11 or newer and this is 3\.9;"):
        lab.check_python()


def test_a_linked_environment_is_not_emptied(lab: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (tmp_path / ".venv").symlink_to(other, target_is_directory=True)
    called: list[object] = []
    monkeypatch.setattr(lab, "VENV", tmp_path / ".venv")
    monkeypatch.setattr(lab.subprocess, "call", called.append)
    with pytest.raises(SystemExit, match="delete the link"):
        lab.make_venv()
    assert not called


def test_importing_tokenlab_loads_nothing_heavy() -> None:
    heavy = ("torch", "numpy", "matplotlib", "ipywidgets", "IPython")
    program = f"import sys, tokenlab; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, encoding="utf-8", check=True)
    assert done.stdout.strip() == "[]"


# --- the learner's copies -------------------------------------------------------------------------


class Desk:
    """A lesson, the folder of copies beside it, and what was trusted."""

    def __init__(self, lab: ModuleType, root: Path) -> None:
        self.lab, self.lessons, self.my = lab, root / "notebooks", root / "my"
        self.lessons.mkdir(parents=True)
        self.trusted: list[str] = []

    def publish(self, text: str) -> None:
        """Write a version of the lesson and update the copies, as `make lab` does."""
        (self.lessons / "01.ipynb").write_text(text, encoding="utf-8")
        self.update()

    def update(self) -> None:
        self.trusted = []
        self.lab.copy_lessons(self.lessons, self.my, self.trust)

    def trust(self, copies: list[Path]) -> None:
        self.trusted = [copy.name for copy in copies]

    def edit(self, name: str, text: str) -> None:
        (self.my / name).write_text(text, encoding="utf-8")

    @property
    def copies(self) -> dict[str, str]:
        return {path.name: path.read_text("utf-8") for path in sorted(self.my.glob("*.ipynb*"))}


@pytest.fixture
def lab() -> ModuleType:
    """`lab.py`, a fresh one for every test."""
    return script("lab.py")


@pytest.fixture(params=["plain", "Übung 1"])
def desk(lab: ModuleType, tmp_path: Path, request: pytest.FixtureRequest) -> Desk:
    desk = Desk(lab, tmp_path / request.param)
    desk.publish("v1")
    return desk


def test_a_lesson_is_copied_and_trusted(desk: Desk) -> None:
    assert desk.copies == {"01.ipynb": "v1"}
    assert desk.trusted == ["01.ipynb"]


def test_the_glossary_is_copied_beside_the_lessons_and_only_lessons_are_trusted(desk: Desk) -> None:
    glossary, copy = desk.my.parent / "docs" / "glossary.md", desk.my / "glossary.md"
    glossary.parent.mkdir()
    glossary.write_text("v1", encoding="utf-8")
    desk.update()
    assert copy.read_text("utf-8") == "v1" and desk.trusted == []
    glossary.write_text("v2", encoding="utf-8")
    desk.publish("v2")
    assert copy.read_text("utf-8") == "v2" and desk.trusted == ["01.ipynb"]
    desk.edit("glossary.md", "mine")
    glossary.write_text("v3", encoding="utf-8")
    desk.update()
    assert copy.read_text("utf-8") == "mine" and (desk.my / "glossary.new.md").read_text("utf-8") == "v3"


def test_a_link_to_the_glossary_leads_to_its_copy(desk: Desk) -> None:
    desk.publish("[a](../docs/glossary.md#a) ../docs/glossary.md [b](../docs/instructors.md)")
    assert desk.copies == {"01.ipynb": "[a](glossary.md#a) ../docs/glossary.md [b](../docs/instructors.md)"}
    desk.update()
    assert desk.trusted == []
    desk.publish("v2")
    assert desk.copies == {"01.ipynb": "v2"}


def test_lab_small_leaves_out_the_lessons_that_need_pytorch(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("00", "12", "13"):
        (desk.lessons / f"{name}_lesson.ipynb").write_text(name, encoding="utf-8")
    started: list[list[str]] = []
    monkeypatch.setattr(desk.lab, "ROOT", desk.my.parent)
    monkeypatch.setattr(desk.lab, "VENV", desk.my.parent / "venv")
    monkeypatch.setattr(desk.lab, "trust_notebooks", desk.trust)
    monkeypatch.setattr(desk.lab, "wait_for", lambda server: 0)
    monkeypatch.setattr(desk.lab.subprocess, "Popen", started.append)
    small, extras = desk.lab.COMMANDS["lab-small"]
    assert (small("--no-browser"), extras) == (0, ["lab"])
    assert list(desk.copies) == ["00_lesson.ipynb", "01.ipynb", "12_lesson.ipynb"]
    assert started[0][-1] == "--no-browser"
    everything, extras = desk.lab.COMMANDS["lab"]
    assert (everything(), extras) == (0, ["lab", "torch"])
    assert "13_lesson.ipynb" in desk.copies


@pytest.mark.slow
def test_every_lesson_that_lab_small_copies_runs_without_pytorch(lab: ModuleType) -> None:
    sources = sorted((ROOT / "notebooks" / "source").glob("[0-9][0-9]_*.py"))
    asks_for_torch = re.compile(
        r"^\s*(import torch|from torch|from tokenlab.libraries(.| import .*)transformers)",
        re.M,
    )
    asking = [source for source in sources if asks_for_torch.search(source.read_text(encoding="utf-8"))]
    small = [source for source in asking if source.name[:2] <= f"{lab.LAST_SMALL_LESSON:02}"]
    assert small and len(small) < len(asking)
    for source in small:  # the tokenizers of transformers need no PyTorch: run the lesson where there is none
        program = f"import sys, runpy; sys.modules['torch'] = None; runpy.run_path({str(source)!r})"
        subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, cwd=ROOT, timeout=120)


def test_a_second_run_does_nothing(desk: Desk) -> None:
    before = {path: path.stat().st_mtime_ns for path in desk.my.iterdir()}
    desk.update()
    assert {path: path.stat().st_mtime_ns for path in desk.my.iterdir()} == before
    assert desk.trusted == []


def test_an_unchanged_copy_follows_the_lesson(desk: Desk) -> None:
    desk.publish("v2")
    assert desk.copies == {"01.ipynb": "v2"}
    assert desk.trusted == ["01.ipynb"]


def test_a_deleted_copy_comes_back(desk: Desk) -> None:
    (desk.my / "01.ipynb").unlink()
    desk.update()
    assert desk.copies == {"01.ipynb": "v1"}


def test_a_changed_copy_of_the_current_lesson_is_left_alone(desk: Desk) -> None:
    desk.edit("01.ipynb", "mine")
    desk.update()
    assert desk.copies == {"01.ipynb": "mine"}


def test_a_new_version_is_put_beside_a_changed_copy(desk: Desk, capsys: pytest.CaptureFixture[str]) -> None:
    desk.edit("01.ipynb", "mine")
    desk.publish("v2")
    assert desk.copies == {"01.ipynb": "mine", "01.new.ipynb": "v2"}
    assert desk.trusted == ["01.new.ipynb"]
    assert "my/01.new.ipynb" in capsys.readouterr().out
    desk.publish("v3")
    assert desk.copies == {"01.ipynb": "mine", "01.new.ipynb": "v3"}


def test_a_changed_new_version_is_left_alone_too(desk: Desk) -> None:
    desk.edit("01.ipynb", "mine")
    desk.publish("v2")
    desk.edit("01.new.ipynb", "mine too")
    desk.publish("v3")
    assert desk.copies == {"01.ipynb": "mine", "01.new.ipynb": "mine too"}


def test_a_new_version_that_the_learner_took_over_is_not_offered_again(desk: Desk) -> None:
    desk.edit("01.ipynb", "mine")
    desk.publish("v2")
    os.replace(desk.my / "01.new.ipynb", desk.my / "01.ipynb")
    desk.edit("01.ipynb", "v2 and mine")
    desk.update()
    assert desk.copies == {"01.ipynb": "v2 and mine"}


def notebook(text: str, **saved: Any) -> str:
    """A notebook of one cell with this source, and what JupyterLab saves beside it."""
    cell = {"cell_type": "code", "source": text.splitlines(keepends=True), "outputs": [], "metadata": {}} | saved
    metadata = {"language_info": {"name": "python"} | saved}
    return json.dumps({"cells": [cell], "metadata": metadata, "nbformat": 4, "nbformat_minor": 5})


def test_a_copy_that_was_only_opened_and_run_follows_the_lesson(desk: Desk) -> None:
    desk.publish(notebook("1 + 1\n2"))
    saved = json.loads(notebook("", execution_count=3, version="3.11"))
    saved["cells"][0]["source"] = "1 + 1\n2"  # JupyterLab may join the lines
    desk.edit("01.ipynb", json.dumps(saved, indent=1))
    desk.update()
    assert json.loads(desk.copies["01.ipynb"]) == saved and desk.trusted == []
    desk.publish(notebook("2 + 2"))
    assert desk.copies == {"01.ipynb": notebook("2 + 2")}
    assert desk.trusted == ["01.ipynb"]


def test_a_changed_cell_is_a_change_of_the_learner(desk: Desk) -> None:
    desk.publish(notebook("1 + 1"))
    for mine in (notebook("1 + 2"), notebook("1 + 1", cell_type="markdown")):
        desk.edit("01.ipynb", mine)
        desk.publish(notebook(f"2 + {len(mine)}"))
        assert desk.copies["01.ipynb"] == mine
        assert desk.copies["01.new.ipynb"] == notebook(f"2 + {len(mine)}")


def test_the_memory_of_an_earlier_version_is_understood(desk: Desk) -> None:
    copies = desk.my / ".copies.json"
    copies.write_text(json.dumps({"01.ipynb": desk.lab.digest(desk.my / "01.ipynb")}), encoding="utf-8")
    desk.update()
    assert desk.trusted == []
    desk.publish("v2")
    assert desk.copies == {"01.ipynb": "v2"}


def test_jupyterlab_is_set_up_for_learners_and_keeps_their_layout(
    lab: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lab, "VENV", tmp_path / "venv")
    monkeypatch.setenv("JUPYTER_CONFIG_PATH", "theirs")
    variables = lab.set_up_jupyterlab(tmp_path / "my")
    learners, theirs = variables["JUPYTER_CONFIG_PATH"].split(os.pathsep)
    assert theirs == "theirs"
    page_config = json.loads(Path(learners, "labconfig/page_config.json").read_text(encoding="utf-8"))
    assert page_config == {"disabledExtensions": {"@jupyter/nbgrader": True}}
    kernels = (tmp_path / "venv/etc/ipython/ipython_kernel_config.py").read_text(encoding="utf-8")
    assert kernels in (ROOT / "postBuild").read_text(encoding="utf-8").replace("'", "\n")
    (layout,) = Path(variables["JUPYTERLAB_WORKSPACES_DIR"]).iterdir()
    layout.write_text("changed", encoding="utf-8")
    lab.set_up_jupyterlab(tmp_path / "my")
    assert layout.read_text(encoding="utf-8") == "changed"


def test_jupyterlab_is_started_with_one_thread_of_pytorch(lab: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lab, "copy_lessons", lambda *given: None)
    monkeypatch.setattr(lab, "set_up_jupyterlab", lambda my: {})
    monkeypatch.setattr(lab, "wait_for", lambda server: 0)
    seen: list[str | None] = []
    monkeypatch.setattr(lab.subprocess, "Popen", lambda command: seen.append(os.environ.get("OMP_NUM_THREADS")))
    monkeypatch.setenv("OMP_NUM_THREADS", "4")
    lab.open_lessons()
    monkeypatch.delenv("OMP_NUM_THREADS")
    lab.open_lessons()
    assert seen == ["4", "1"]


def test_without_the_memory_a_differing_copy_counts_as_changed(desk: Desk) -> None:
    (desk.my / ".copies.json").write_text("{torn", encoding="utf-8")
    desk.publish("v2")
    assert desk.copies == {"01.ipynb": "v1", "01.new.ipynb": "v2"}


def test_a_copy_that_was_never_trusted_is_trusted_the_next_time(desk: Desk) -> None:
    (desk.my / ".copies.json").unlink()
    desk.update()
    assert desk.trusted == ["01.ipynb"]


def test_an_interrupted_write_leaves_the_old_file(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", interrupt)
        with pytest.raises(KeyboardInterrupt):
            desk.publish("v2")
    assert desk.copies["01.ipynb"] == "v1"
    desk.update()
    assert desk.copies == {"01.ipynb": "v2"}


# --- installing -----------------------------------------------------------------------------------


class Shop:
    """`lab.py` in a folder of its own, where pip and venv only write down that they were called."""

    def __init__(self, lab: ModuleType, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.lab, self.calls, self.pip_fails = lab, list[str](), False
        root.mkdir()
        for name in ("pyproject.toml", "constraints.txt"):
            (root / name).write_text("1", encoding="utf-8")
        monkeypatch.setattr(lab, "venv_works", lambda: lab.VENV.exists())
        monkeypatch.setattr(lab, "make_venv", self.make_venv)
        monkeypatch.setattr(lab, "pip_install", self.pip_install)
        self.move_to(root)

    def move_to(self, root: Path) -> None:
        self.lab.ROOT, self.lab.VENV = root, root / ".venv"
        self.lab.STAMP = root / ".venv" / "stamp.json"

    def make_venv(self) -> None:
        self.calls.append("venv")
        self.lab.VENV.mkdir(exist_ok=True)

    def pip_install(self, extras: str) -> None:
        self.calls.append(extras)
        if self.pip_fails:
            raise SystemExit("pip failed")

    def install(self, *extras: str) -> list[str]:
        """Install, and return what was called for it."""
        self.calls = []
        self.lab.install(extras)
        return self.calls


@pytest.fixture
def shop(lab: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shop:
    shop = Shop(lab, tmp_path / "Übung 1", monkeypatch)
    assert shop.install("lab", "torch") == ["venv", "lab,torch"]
    return shop


def test_what_is_installed_is_not_installed_again(shop: Shop) -> None:
    assert shop.install("lab", "torch") == []
    assert shop.install("lab") == []


def test_a_new_extra_joins_those_that_are_there(shop: Shop) -> None:
    assert shop.install("dev") == ["dev,lab,torch"]
    assert shop.install("lab", "torch") == []


def test_new_constraints_are_installed(shop: Shop) -> None:
    (shop.lab.ROOT / "constraints.txt").write_text("2", encoding="utf-8")
    assert shop.install("lab") == ["lab,torch"]


def test_a_failed_install_is_taken_up_again(shop: Shop) -> None:
    shop.pip_fails = True
    with pytest.raises(SystemExit):
        shop.install("dev")
    shop.pip_fails = False
    assert shop.install("lab") == ["lab"]


def test_a_moved_environment_is_made_anew(shop: Shop, tmp_path: Path) -> None:
    shop.move_to(shop.lab.ROOT.rename(tmp_path / "moved"))
    assert shop.install("lab") == ["venv", "lab"]


def test_a_broken_environment_is_made_anew(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shop.lab, "venv_works", lambda: False)
    assert shop.install("lab") == ["venv", "lab"]
