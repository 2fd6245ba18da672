"""Files that are replaced together: a save killed at any moment leaves all old files or all new ones."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests import skips
from tokenlab.storage import saving

ROOT = Path(__file__).parents[2]
needs_locks = pytest.mark.skipif(sys.platform == "win32", reason=skips.POSIX)


@pytest.fixture
def scratch() -> Iterator[str]:
    """A folder in memory where there is such a thing: a busy disk makes hundreds of saves slow."""
    with TemporaryDirectory(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None) as folder:
        yield folder


def write(folder: Path, **files: str) -> None:
    with saving.written_together(folder, re.compile("old.*")) as new:
        for name, text in files.items():
            (new / name).write_text(text, encoding="utf-8")


def contents(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir()}


@pytest.mark.slow
@needs_locks
@pytest.mark.parametrize("what", ["model", "tokenizer", "config"])
def test_a_save_killed_before_any_file_operation_leaves_old_or_new(what: str, scratch: str) -> None:
    command = [sys.executable, str(Path(__file__).parent / "killed_saves.py"), what, scratch]
    found = subprocess.run(
        command, capture_output=True, encoding="utf-8", cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}
    )
    assert found.returncode == 0, found.stderr
    report = json.loads(found.stdout)
    assert report["problems"] == []
    assert all(first == second for first, second in report["seen"])  # whether or not the reader may write
    assert [version for version, _ in groupby(first for first, _ in report["seen"])] == ["old", "new"]
    assert max(report["leftovers"]) == 1 and report["leftovers"][-1] == 0


@needs_locks
def test_a_save_removes_what_dead_ones_left_and_nothing_of_live_ones(tmp_path: Path) -> None:
    with saving.written_together(tmp_path) as live:
        (live / "a").write_text("late", encoding="utf-8")
        (tmp_path / ".saving-dead" / "new").mkdir(parents=True)
        (tmp_path / ".saving-notes").write_text("a file of somebody else", encoding="utf-8")
        write(tmp_path, a="early")
        assert live.is_dir() and not (tmp_path / ".saving-dead").exists()
    assert contents(tmp_path) == {"a": "late", ".saving-notes": "a file of somebody else"}


def test_files_of_others_stay_and_predecessors_go(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    (tmp_path / "README.md").write_text("mine", encoding="utf-8")
    write(tmp_path, old_1="1", a="1")
    write(tmp_path, a="2")
    (tmp_path / "inner").rmdir()
    assert contents(tmp_path) == {"README.md": "mine", "a": "2"}


def test_a_folder_in_place_of_a_file_is_named_and_nothing_changes(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    with pytest.raises(IsADirectoryError, match="b' is a folder; a file of this name"):
        write(tmp_path, a="1", b="2")
    assert os.listdir(tmp_path) == ["b"]


def test_an_error_in_undoing_leaves_the_new_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, old="1", a="1", b="1")
    replace, calls = os.replace, 0

    def fails(source: Path, target: Path) -> None:
        nonlocal calls
        calls += 1
        if calls > 4:
            raise OSError("the drive is gone")
        replace(source, target)

    monkeypatch.setattr(os, "replace", fails)
    with pytest.raises(OSError, match="the drive is gone"):
        write(tmp_path, a="2", b="2")
    found = {name: saving.current(tmp_path, name) for name in ("old", "a", "b")}
    assert not found["old"].exists() and found["a"].read_text("utf-8") == found["b"].read_text("utf-8") == "2"
    monkeypatch.undo()
    saving.recover(tmp_path)
    assert contents(tmp_path) == {"a": "2", "b": "2"}
