"""`make grade`: every submission is graded once, also after an interruption or the end of a process."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import zipfile
from pathlib import Path

import psutil
import pytest

from course import grade
from course.collect import collect
from course.course_folder import Course, Score, api
from course.demo import Demo
from course.graded_marks import Marks
from course.sandbox import commands
from course.submission_times import ReceivedTimes
from tests.course.handed_in import put

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
    command = [sys.executable, "-m", "course.grade", NAME, "--course", str(demo.course.root), *more]
    root = Path(grade.__file__).parents[1]
    return subprocess.Popen(
        command, cwd=root, encoding="utf-8", stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=1
    )


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
    servers = [child for child in psutil.Process(grading.pid).children() if "forkserver" in " ".join(child.cmdline())]
    worker, *_ = servers[0].children()
    worker.send_signal(signal.SIGKILL)
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
    marks = Marks(demo.course, NAME)
    assert all(marks.changed(student) == [] and marks.page_is_current(student) for student in demo.members)
    student = next(iter(demo.members))
    file = demo.course.root / "submitted" / student / NAME / f"{NAME}.ipynb"
    notebook = json.loads(file.read_text(encoding="utf-8"))
    source = "import os\nprint('x' * 10**6)\nos._exit(1)"
    notebook["cells"].insert(0, {"cell_type": "code", "source": source, "metadata": {}, "outputs": [], "id": "own",
                                 "execution_count": None})  # fmt: skip
    file.write_text(json.dumps(notebook), encoding="utf-8")
    assert [name for name in demo.members if marks.changed(name)] == [student]
    said = graded(demo, capsys)
    assert f"{STUDENTS - 1} graded before" in said and "because of a change of the submission: 1." in said
    assert f"{student}: cell 1 ends Python itself" in said
    assert given(demo.course) == expected(demo)


def graded(demo: Demo, capsys: pytest.CaptureFixture[str]) -> str:
    """Run `make grade`, and return what it prints."""
    capsys.readouterr()
    assert grade.main([NAME, "--course", str(demo.course.root)]) == 0
    return capsys.readouterr().out


def line_of(said: str, student: str) -> list[str]:
    """Return a student's line of the table of points, after the name."""
    return next(line for line in said.splitlines() if line.startswith(f"{student} ")).removeprefix(student).split()


def page(demo: Demo, student: str) -> str:
    return demo.course.page(NAME, student).read_text(encoding="utf-8")


def test_points_and_comments_of_a_person_reach_the_page_and_the_table(
    demo: Demo, capsys: pytest.CaptureFixture[str]
) -> None:
    student, other = [*demo.members][:2]
    points, most = expected(demo)[student], sum(demo.assignment.most_points.values()) + 4
    assert line_of(graded(demo, capsys), student) == [f"{points:g}", f"{most:g}", "words"]
    before = demo.course.page(NAME, other).stat().st_mtime_ns
    with demo.course.book as book:
        words = book.find_grade("words", NAME, NAME, student)
        words.manual_score, words.needs_manual_grade = 3.0, False
        book.find_comment("words", NAME, NAME, student).manual_comment = "a good example"
        book.db.commit()
    said = graded(demo, capsys)
    assert f"{STUDENTS} graded before" in said and line_of(said, student) == [f"{points + 3:g}", f"{most:g}"]
    assert "a good example" in page(demo, student) and f"Score: {points + 3:.1f} / {most:.1f}" in page(demo, student)
    assert demo.course.page(NAME, other).stat().st_mtime_ns == before, "this page has not changed"
    with zipfile.ZipFile(demo.course.root / "feedback" / f"{NAME}.zip") as archive:
        assert archive.read(f"{student}.html").decode() == page(demo, student)
    demo.course.page(NAME, other).unlink()
    graded(demo, capsys)
    assert page(demo, other)


def test_the_contents_of_a_page_name_the_tests(demo: Demo) -> None:
    contents = page(demo, [*demo.members][1])
    assert '<a href="#fold_text-marks">fold_text-marks</a>' in contents and ">Test cell</a>" not in contents
    assert not [*demo.course.root.glob("feedback/*/*/graded.json")]


def test_a_due_date_a_penalty_and_extra_time_have_an_effect_after_grading(
    demo: Demo, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    root, (late, early) = demo.course.root, [*demo.members][:2]
    before = given(demo.course)
    for student, time in ((late, "2026-11-21 09:30:00 UTC"), (early, "2026-11-20 17:00:00 UTC")):
        (root / "submitted" / student / NAME / "timestamp.txt").write_text(time, encoding="utf-8")
    with demo.course.book as book:
        book.update_or_create_assignment(NAME, duedate="2026-11-20 18:00:00 UTC")
    with (root / "nbgrader_config.py").open("a", encoding="utf-8") as settings:
        settings.write('c.LateSubmissionPlugin.penalty_method = "zero"\n')
    api.cache_clear()  # this process has read the settings before
    said = graded(demo, capsys)
    assert "0 graded before" in said and f"change of nbgrader_config.py: {STUDENTS}." in said
    assert "change of the time of the submission: 2." in said
    assert (
        line_of(said, late)[0] == "0" and line_of(said, late)[2].startswith("-") and "words" not in line_of(said, late)
    )
    assert line_of(said, late)[-1] != "words", "a person has graded this answer already"
    assert line_of(said, early)[0] == f"{before[early]:g}"

    (root / "extra_time.csv").write_text(
        f"student,assignment,hours\n{late},{NAME},24\nzoe,{NAME},1\n", encoding="utf-8"
    )
    said = graded(demo, capsys)
    assert "zoe has extra time in extra_time.csv, but no submission" in said
    assert f"{STUDENTS - 1} graded before" in said and float(line_of(said, late)[0]) == before[late] + 3
    put(tmp_path, "late.ipynb", (root / "submitted" / late / NAME / f"{NAME}.ipynb").read_bytes())
    table = put(tmp_path, "times.csv", b"file,time\nlate.ipynb,2026-11-21T09:30Z\n")
    collect(tmp_path, demo.course, ReceivedTimes(table))
    assert f"{STUDENTS} graded before" in graded(demo, capsys), "collecting again changes no extra time"
    (root / "extra_time.csv").write_text("student,assignment,hours\n", encoding="utf-8")
    assert line_of(graded(demo, capsys), late)[0] == "0"


@pytest.mark.parametrize(
    ("sandbox", "said"),
    [
        ("no-such-program -Mo --", "there is no program no-such-program"),
        (f"{sys.executable} -c 'raise SystemExit(\"no namespaces\")'", "no namespaces"),
    ],
)
def test_a_sandbox_that_does_not_start_stops_before_grading(
    demo: Demo, sandbox: str, said: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    commands.chosen.cache_clear()
    monkeypatch.setenv(commands.VARIABLE, sandbox)
    before = given(demo.course)
    try:
        assert grade.main([NAME, "--course", str(demo.course.root), "--again"]) == 1
    finally:
        commands.chosen.cache_clear()
    last = capsys.readouterr().out.splitlines()[-1]
    assert last == f"Not graded: the sandbox does not start: {said}; correct {commands.VARIABLE}."
    assert given(demo.course) == before


def test_an_unknown_assignment_is_refused(demo: Demo, capsys: pytest.CaptureFixture[str]) -> None:
    assert grade.main(["assignment99", "--course", str(demo.course.root)]) == 2
    assert "There is no assignment99" in capsys.readouterr().out


def test_an_interrupted_grading_remembers_what_people_have_reviewed(tmp_path: Path) -> None:
    course, reviewed = Course(tmp_path), {"anna": {"words": Score(None, 3.0, False)}}
    assert grade._with_interrupted(course, NAME, dict(reviewed), ()) == reviewed
    assert grade._with_interrupted(course, NAME, {}, ()) == reviewed  # after an interruption, nobody is marked
    assert grade._with_interrupted(course, NAME, {}, {"anna"}) == {}  # what she has changed is to be read again
