"""`make grade`: every submission is graded once, also after an interruption or the end of a process."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from notebooks.assignments import grade
from notebooks.assignments.course import Course
from notebooks.assignments.demo import Demo

pytestmark = pytest.mark.slow

NAME = "assignment5"
STUDENTS = 5


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Demo:
    """A class with right and wrong answers that is handed in, but not graded."""
    demo = Demo(tmp_path_factory.mktemp("class") / "course", NAME)
    demo.members = dict([*demo.members.items()][:STUDENTS])
    demo.hand_in()
    return demo


def run(demo: Demo, *more: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "notebooks.assignments.grade", NAME, "--course", str(demo.course.root), *more]
    root = Path(grade.__file__).parents[2]
    return subprocess.Popen(command, cwd=root, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=1)


def expected(demo: Demo) -> dict[str, float]:
    most = demo.assignment.most_points
    return {
        student: sum(points for cell, points in most.items() if cell not in (submission.lost or ()))
        for student, submission in demo.members.items()
    }


def given(course: Course) -> dict[str, float]:
    return {
        student: sum(score.auto or 0 for score in scores.values()) for student, scores in course.scores(NAME).items()
    }


def test_a_process_that_is_killed_loses_no_point_and_nobody_is_graded_twice(demo: Demo) -> None:
    grading = run(demo)
    assert grading.stderr and grading.stdout
    seen = ""
    while "1/5" not in seen:  # the bar after the first student
        read = grading.stderr.read(1)
        assert read, seen
        seen += read
    workers = [child for child in psutil.Process(grading.pid).children() if "spawn_main" in " ".join(child.cmdline())]
    workers[0].send_signal(signal.SIGKILL)
    said, _ = grading.communicate()
    assert grading.returncode == 0, said
    assert said.startswith(("Sandbox: ", "Warning: "))
    assert f"{STUDENTS} submissions of {NAME}, 0 graded before." in said
    assert given(demo.course) == expected(demo)

    again = run(demo)
    said, _ = again.communicate()
    assert f"{STUDENTS} submissions of {NAME}, {STUDENTS} graded before." in said
    pages = demo.course.root / "feedback"
    assert {page.parts[-3] for page in pages.glob("*/*/*.html")} == set(demo.members)


def test_only_a_changed_submission_is_graded_again_and_a_stopped_cell_is_told(
    demo: Demo, capsys: pytest.CaptureFixture[str]
) -> None:
    assert all(grade.is_graded(demo.course, NAME, student) for student in demo.members)
    student = next(iter(demo.members))
    file = demo.course.root / "submitted" / student / NAME / f"{NAME}.ipynb"
    before = {name: grade.graded_as(demo.course, NAME, name) for name in demo.members}
    notebook = json.loads(file.read_text(encoding="utf-8"))
    source = "import os\nprint('x' * 10**6)\nos._exit(1)"
    notebook["cells"].insert(0, {"cell_type": "code", "source": source, "metadata": {}, "outputs": [], "id": "own",
                                 "execution_count": None})  # fmt: skip
    file.write_text(json.dumps(notebook), encoding="utf-8")
    assert [name for name in demo.members if not grade.is_graded(demo.course, NAME, name)] == [student]
    assert grade.main([NAME, "--course", str(demo.course.root)]) == 0
    said = capsys.readouterr().out
    assert f"{STUDENTS - 1} graded before" in said
    assert f"{student}: cell 1 ends Python itself" in said
    assert given(demo.course) == expected(demo)
    assert grade.graded_as(demo.course, NAME, student) != before[student]


def test_an_unknown_assignment_is_refused(demo: Demo, capsys: pytest.CaptureFixture[str]) -> None:
    assert grade.main(["assignment99", "--course", str(demo.course.root)]) == 2
    assert "There is no assignment99" in capsys.readouterr().out


def test_a_half_written_mark_means_not_graded(tmp_path: Path) -> None:
    mark = tmp_path / "autograded" / "anna" / NAME / grade.MARK
    mark.parent.mkdir(parents=True)
    mark.write_text('{"submission": ', encoding="utf-8")
    assert not grade.is_graded(Course(tmp_path), NAME, "anna")
