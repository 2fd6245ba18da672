"""Handing in without a server: what is written comes back whole, and what is torn is refused by name."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import unicodedata
import zipfile
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from types import SimpleNamespace

import nbformat
import pytest

from course import build
from course.assignment import Assignment
from course.collect import collect, main
from course.course_folder import Course
from tokenlab.check import submission as module
from tokenlab.check.submission import MANIFEST, hand_in, read_submission, versions

NAME = "assignment1"
NOTEBOOK = Assignment(NAME).notebook


def sheet(student: object, *more: str) -> str:
    """A notebook as a learner saves it."""
    notebook = nbformat.from_dict(NOTEBOOK)
    notebook.cells = [
        cell for cell in notebook.cells if cell.metadata.get("nbgrader", {}).get("grade_id") == "learn_merges"
    ]
    notebook.cells += [nbformat.v4.new_code_cell(source) for source in (f"student_id = {student!r}", *more)]
    return nbformat.writes(notebook)


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where a learner works: their sheet and a lesson."""
    desk = tmp_path / "Übung 1"
    desk.mkdir()
    (desk / f"{NAME}.ipynb").write_text(sheet("jörg müller"), encoding="utf-8")
    shutil.copyfile(build.SOURCES.parents[1] / "notebooks" / "01_bpe_training.ipynb", desk / "01_bpe_training.ipynb")
    monkeypatch.chdir(desk)
    return desk


@pytest.fixture
def course(tmp_path: Path) -> Course:
    return Course(tmp_path / "course")


def taken(course: Course) -> dict[str, str]:
    """What stands where nbgrader looks."""
    folder = course.root / "submitted"
    return {
        str(path.relative_to(folder)): path.read_text(encoding="utf-8") for path in folder.rglob("*") if path.is_file()
    }


def test_what_is_handed_in_is_collected_as_it_was_saved(
    desk: Path, course: Course, capsys: pytest.CaptureFixture[str]
) -> None:
    path = hand_in()
    assert path and path.name.startswith(f"{NAME}_jörg müller_2") and path.name.endswith("Z.zip")
    assert str(path.resolve()) in capsys.readouterr().out
    handed_in = read_submission(path)
    assert (handed_in.assignment, handed_in.student_id, handed_in.versions) == (NAME, "jörg müller", versions())
    assert main([str(desk), str(course.root)]) == 0
    assert "it is a notebook, but no assignment" in capsys.readouterr().out, "the lesson beside it"
    files = taken(course)
    assert files[f"jörg müller/{NAME}/{NAME}.ipynb"] == (desk / f"{NAME}.ipynb").read_text(encoding="utf-8")
    assert files[f"jörg müller/{NAME}/timestamp.txt"].endswith(" UTC")


@pytest.mark.parametrize(
    "student", ["Zoë O'Brien", "李小龙", "o'neil", "100%", "a.b", "müller-lüdenscheidt, jörg", "x" * 100]
)
def test_any_name_is_handed_in_and_collected(desk: Path, course: Course, student: str) -> None:
    (desk / f"{NAME}.ipynb").write_text(sheet(student), encoding="utf-8")
    hand_in()
    (desk / f"{NAME}.ipynb").unlink()
    collect(desk, course)
    assert f"{student}/{NAME}/{NAME}.ipynb" in taken(course)


def test_a_name_that_is_written_in_another_way_is_the_same_student(desk: Path, course: Course) -> None:
    collect(desk, course)
    hand_in(student_id=unicodedata.normalize("NFD", " Jörg  Müller"))
    collect(desk, course)
    assert {name.partition("/")[0] for name in taken(course)} == {"jörg müller"}


@pytest.mark.parametrize(
    "student",
    [
        *("", " ", "a/b", "..", ".hidden", "a*", "a[1]", "a:b", "C:\\x", "a\nb\x00", "x" * 200, 1234567, None),
        *("anna\u202e", "an\u200dna", "anna\u3164", "anna\ue000", "anna\ud800"),
    ],
)
def test_an_id_that_can_be_no_folder_is_refused(desk: Path, student: object) -> None:
    (desk / f"{NAME}.ipynb").write_text(sheet(student), encoding="utf-8")
    before = sorted(desk.iterdir())
    with pytest.raises(ValueError, match=r"student_id|says no id"):
        hand_in()
    assert sorted(desk.iterdir()) == before


def test_an_id_that_is_not_written_is_asked_for(desk: Path) -> None:
    (desk / f"{NAME}.ipynb").write_text(sheet(0).replace("student_id = 0", "student_id = ..."), encoding="utf-8")
    with pytest.raises(ValueError, match="says no id"):
        hand_in()


@pytest.mark.parametrize(
    "content", [b"", b"Dear professor", b'{"cells": [', b"[]", b"\xff\xfe", b'{"cells": [1], "metadata": {}}', b"null"]
)
def test_what_is_no_notebook_is_refused(desk: Path, content: bytes) -> None:
    (desk / "other.ipynb").write_bytes(content)
    with pytest.raises(ValueError, match=r"other\.ipynb is no notebook"):
        hand_in("other.ipynb")


def test_a_lesson_is_no_assignment(desk: Path) -> None:
    with pytest.raises(ValueError, match="is a notebook, but no assignment"):
        hand_in("01_bpe_training.ipynb")


def test_the_notebook_is_named_where_it_is_not_clear(desk: Path) -> None:
    shutil.copyfile(f"{NAME}.ipynb", f"{NAME}-Copy1.ipynb")
    with pytest.raises(FileNotFoundError, match="there are several assignments here"):
        hand_in()
    assert read_submission(hand_in(f"{NAME}-Copy1.ipynb")).assignment == NAME
    for path in desk.glob("*.ipynb"):
        path.unlink()
    with pytest.raises(FileNotFoundError, match=r'there is none in .*; name the notebook, as in hand_in\("assignment1'):
        hand_in()
    with pytest.raises(FileNotFoundError, match="there is no file"):
        hand_in("nothing.ipynb")


def test_two_assignments_in_one_folder_are_handed_in_and_collected_by_name(desk: Path, course: Course) -> None:
    second = nbformat.from_dict(Assignment("assignment2").notebook)
    second.cells.append(nbformat.v4.new_code_cell("student_id = 'jörg müller'"))
    (desk / "assignment2.ipynb").write_text(nbformat.writes(second), encoding="utf-8")
    with pytest.raises(
        FileNotFoundError, match=r"several assignments here \(assignment1\.ipynb, assignment2\.ipynb\); name"
    ):
        hand_in()
    handed_in = [hand_in(f"{name}.ipynb") for name in (NAME, "assignment2")]
    assert [read_submission(path).assignment for path in handed_in if path] == [NAME, "assignment2"]
    inbox = desk / "inbox"
    inbox.mkdir()
    for path in handed_in:
        shutil.move(path, inbox)
    assert len(collect(inbox, course).taken) == 2
    assert {name for name in taken(course) if name.endswith(".ipynb")} == {
        f"jörg müller/{name}/{name}.ipynb" for name in (NAME, "assignment2")
    }


def test_a_folder_that_is_not_there_is_named(desk: Path) -> None:
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        hand_in(folder=desk / "nowhere")


@pytest.mark.parametrize(
    ("ran", "refused"),
    [("def learn_merges(word_counts, number):\n    return []", True), ("def other():\n    pass", False)],
)
def test_a_notebook_that_was_not_saved_is_refused(
    desk: Path, monkeypatch: pytest.MonkeyPatch, ran: str, refused: bool
) -> None:
    kernel = SimpleNamespace(user_ns={"In": ["", ran, "hand_in()"]})
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: kernel))
    if refused:
        with pytest.raises(ValueError, match="is not saved"):
            hand_in()
        assert not list(desk.glob("*.zip"))
    else:
        hand_in()


def test_a_saved_notebook_is_taken_although_older_versions_ran(desk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    saved = json.loads((desk / f"{NAME}.ipynb").read_text(encoding="utf-8"))["cells"][0]["source"]
    ran = ["def learn_merges(word_counts, number):\n    return []", "".join(saved) + "\n# a comment more"]
    monkeypatch.setitem(
        sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: SimpleNamespace(user_ns={"In": ran}))
    )
    hand_in()


def test_while_the_notebook_is_graded_nothing_is_written(desk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    assert hand_in() is None
    assert not list(desk.glob("*.zip"))


def test_an_interrupted_hand_in_leaves_nothing(desk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = sorted(desk.iterdir())

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupt)
    with pytest.raises(KeyboardInterrupt):
        hand_in()
    assert sorted(desk.iterdir()) == before


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-200])


def flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 3] ^= 0xFF
    path.write_bytes(content)


def repack(change: Callable[[dict[str, bytes]], object]) -> Callable[[Path], None]:
    def damage(path: Path) -> None:
        with zipfile.ZipFile(path) as archive:
            files = {name: archive.read(name) for name in archive.namelist()}
        change(files)
        with zipfile.ZipFile(path, "w") as archive:
            for name, content in files.items():
                archive.writestr(name, content)

    return damage


def said(files: dict[str, bytes], **changes: object) -> None:
    files[MANIFEST] = json.dumps(json.loads(files[MANIFEST]) | changes).encode()


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (cut, "is torn"),
        (flip, "torn|altered"),
        (lambda path: path.write_bytes(b""), "is torn"),
        (repack(lambda files: files.update({f"{NAME}.ipynb": files[f"{NAME}.ipynb"] + b" "})), "is not the one"),
        (repack(lambda files: files.pop(MANIFEST)), "not written by hand_in"),
        (repack(lambda files: files.pop(f"{NAME}.ipynb")), "was altered"),
        (repack(lambda files: files.update({MANIFEST: b"[]"})), "was altered"),
        (repack(lambda files: files.update({MANIFEST: b"{"})), "was altered"),
        (repack(lambda files: said(files, student_id="../../x")), "student_id"),
        (repack(lambda files: said(files, assignment="../x")), "was altered"),
        (repack(lambda files: said(files, time="yesterday")), "was altered"),
    ],
)
def test_torn_and_altered_files_are_refused_by_name_and_the_others_collected(
    desk: Path, course: Course, damage: Callable[[Path], None], reason: str
) -> None:
    torn = hand_in(student_id="torn")
    damage(torn)
    whole = hand_in(student_id="whole")
    (desk / f"{NAME}.ipynb").unlink()
    (desk / "01_bpe_training.ipynb").unlink()
    before = torn.read_bytes(), whole.read_bytes()
    collected = collect(desk, course)
    assert len(collected.refused) == 1 and collected.refused[0].startswith(torn.name)
    assert pytest.RaisesExc(ValueError, match=reason).matches(ValueError(collected.refused[0]))
    assert {name.partition("/")[0] for name in taken(course)} == {"whole"}
    assert (torn.read_bytes(), whole.read_bytes()) == before


def test_the_newest_counts_and_the_older_one_is_kept(
    desk: Path, course: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = hand_in()
    later = SimpleNamespace(
        now=lambda zone: datetime.now(zone) + timedelta(hours=1), fromisoformat=datetime.fromisoformat
    )
    monkeypatch.setattr(module, "datetime", later)
    (desk / f"{NAME}.ipynb").write_text(sheet("jörg müller", "better = True"), encoding="utf-8")
    second = hand_in()
    inbox = desk / "inbox"
    inbox.mkdir()
    for path, expected in ((first, "taken"), (second, "taken"), (first, "older"), (second, "unchanged")):
        shutil.copyfile(path, inbox / path.name)
        assert len(getattr(collect(inbox, course), expected)) == 1
        (inbox / path.name).unlink()
    assert "better = True" in taken(course)[f"jörg müller/{NAME}/{NAME}.ipynb"]
    (earlier,) = (course.root / "submitted_earlier").rglob("*.ipynb")
    assert earlier.read_bytes() == read_submission(first).notebook


def test_a_notebook_that_came_by_itself_is_taken_too(desk: Path, course: Course) -> None:
    (desk / f"{NAME}.ipynb").rename(desk / "Müller_12345_assignsubmission_file_assignment1.ipynb")
    collected = collect(desk, course)
    assert len(collected.taken) == 1
    assert f"jörg müller/{NAME}/{NAME}.ipynb" in taken(course)
    assert [line.partition(":")[0] for line in collected.refused] == ["01_bpe_training.ipynb"]


def test_handing_in_needs_no_package_of_the_course(desk: Path) -> None:
    program = """
import sys
sys.modules |= dict.fromkeys(("nbgrader", "nbformat", "nbconvert", "jupytext"))  # None: importing these fails
from tokenlab.check.submission import hand_in, read_submission
read_submission(hand_in())
"""
    done = subprocess.run([sys.executable, "-c", program], cwd=desk, capture_output=True, encoding="utf-8")
    assert done.returncode == 0, done.stderr
