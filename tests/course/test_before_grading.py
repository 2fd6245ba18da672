"""What happens around grading without a graded class: extra time, marks, missing libraries, edited notebooks, pages."""

from __future__ import annotations

import json
import shutil
import zipfile
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import nbformat
import pytest

from course import build, extra_time, grade, points, regrade
from course.collect import collect
from course.course_folder import Course, CourseError
from course.graded_marks import MARK, Marks
from course.sandbox import probe
from tests.course.handed_in import NAME, notebook, packed, put


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Course:
    """A course with an empty gradebook, which knows the assignment; creating one takes seconds."""
    course = Course(tmp_path_factory.mktemp("empty") / "course")
    course.configure()
    with course.book as book:
        book.update_or_create_assignment(NAME)
    return course


@pytest.fixture
def course(empty: Course, tmp_path: Path) -> Course:
    """A copy of the empty course."""
    return Course(shutil.copytree(empty.root, tmp_path / "course"))


def hand_in(course: Course, tmp_path: Path, *students: str) -> None:
    for student in students:
        put(tmp_path / "inbox", f"{student}.zip", packed(student))
    collect(tmp_path / "inbox", course)


def due(course: Course, date: str) -> None:
    with course.book as book:
        book.update_or_create_assignment(NAME, duedate=date)


def test_students_of_the_table_without_a_submission_are_in_the_list_of_points(course: Course, tmp_path: Path) -> None:
    assert "anna" not in points.table(course, NAME)
    put(course.root, "students.csv", b"student,uploader,email\nanna,,\nben,,ben@uni.example\n")
    hand_in(course, tmp_path, "anna")
    (line,) = (line for line in points.table(course, NAME).splitlines() if line.startswith("ben"))
    assert line.split() == ["ben", "-", "nothing", "handed", "in", "ben@uni.example"]
    put(course.root, "students.csv", b"student,email\n")
    with pytest.raises(CourseError, match="has no column 'uploader'"):
        grade.grade(course, NAME)


# --- extra time -----------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_table_alone_says_who_has_extra_time(course: Course, tmp_path: Path) -> None:
    hand_in(course, tmp_path, "anna", "Zoë")
    due(course, "2026-11-20 18:00:00 UTC")
    rows = f"student; assignment;hours\r\nANNA;{NAME};1.5\r\nZoë;other;9\r\n"
    table = put(course.root, extra_time.TABLE, rows.encode())
    assert extra_time.grant(course, NAME) == []
    assert course.due_dates(NAME) == {"": "2026-11-20 18:00:00", "anna": "2026-11-20 19:30:00"}
    table.unlink()
    assert extra_time.grant(course, NAME) == [] and len(course.due_dates(NAME)) == 2, "without a table they stay"
    table.write_text(f"student,assignment,hours\nzoë,{NAME},48\n", encoding="utf-8")
    extra_time.grant(course, NAME)
    assert course.due_dates(NAME) == {"": "2026-11-20 18:00:00", "Zoë": "2026-11-22 18:00:00"}


@pytest.mark.slow
def test_extra_time_without_an_effect_is_told(course: Course, tmp_path: Path) -> None:
    hand_in(course, tmp_path, "anna")
    put(course.root, extra_time.TABLE, f"student,assignment,hours\nanna,{NAME},1\nana,{NAME},1\n".encode())
    notes = extra_time.grant(course, NAME)
    assert notes == [
        f"ana has extra time in extra_time.csv, but no submission of {NAME}",
        f"extra_time.csv has no effect: {NAME} has no due date",
    ]
    assert course.due_dates(NAME) == {"": ""}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("table", "reason"),
    [
        ("student,hours\nanna,1\n", "has no column 'assignment'"),
        (f"student,assignment,hours\nanna,{NAME},two days\n", "line 2 .* has the hours 'two days'; write a number"),
        (f"student,assignment,hours\nanna,{NAME},-1\n", "has the hours '-1'"),
        (f"student,assignment,hours\nanna,{NAME}\n", "has the hours ''"),
        (f"student,assignment,hours\nanna,{NAME},1\nAnna,{NAME},2\n", "line 3 .* names anna again"),
    ],
)
def test_a_wrong_table_is_refused_with_its_line(course: Course, table: str, reason: str) -> None:
    path = put(course.root, extra_time.TABLE, table.encode())
    with pytest.raises(CourseError, match=reason):
        extra_time.read_table(path)


def test_hours_may_be_fractions(course: Course) -> None:
    path = put(course.root, extra_time.TABLE, b"student,assignment,hours\nanna,x,0.5\n")
    assert extra_time.read_table(path) == {("anna", "x"): timedelta(minutes=30)}


# --- what was graded ------------------------------------------------------------------------------


def test_every_change_that_may_concern_a_grade_is_noticed(course: Course, tmp_path: Path) -> None:
    hand_in(course, tmp_path, "anna")
    assert Marks(course, NAME).changed("anna") is None
    put(course.root, f"autograded/anna/{NAME}/{NAME}.ipynb", notebook())
    Marks(course, NAME).write("anna")
    assert Marks(course, NAME).changed("anna") == []
    folder = course.root / "submitted" / "anna" / NAME
    for change, name in (
        (lambda: put(folder, f"{NAME}.ipynb", notebook("anna", "1")), "the submission"),
        (lambda: put(folder, "timestamp.txt", b"2026-11-20 18:00:00 UTC"), "the time of the submission"),
        (lambda: put(course.root, f"source/{NAME}/{NAME}.ipynb", notebook()), "the tests"),
        (lambda: put(course.root, "nbgrader_config.py", b""), "nbgrader_config.py"),
        (lambda: due(course, "2026-11-20 18:00:00 UTC"), "the due date or the extra time"),
    ):
        change()
        assert Marks(course, NAME).changed("anna") == [name]
        Marks(course, NAME).write("anna")
    put(course.root, extra_time.TABLE, f"student,assignment,hours\nanna,{NAME},2\n".encode())
    extra_time.grant(course, NAME)
    assert Marks(course, NAME).changed("anna") == ["the due date or the extra time"]


def test_a_half_written_mark_means_not_graded(course: Course) -> None:
    for content in (b'{"the submission": ', b"[]", b"{}"):
        put(course.root, f"autograded/anna/{NAME}/{MARK}", content)
        assert Marks(course, NAME).changed("anna") is None


def test_a_page_is_out_of_date_without_a_mark_of_its_own(course: Course) -> None:
    put(course.root, f"autograded/anna/{NAME}/{NAME}.ipynb", notebook())
    put(course.root, f"feedback/anna/{NAME}/{NAME}.html", b"")
    marks = Marks(course, NAME)
    marks.pages["anna"] = "these points"
    marks.write("anna")
    assert not marks.page_is_current("anna")
    marks.write("anna", with_page=True)
    assert marks.page_is_current("anna")
    marks.pages["anna"] = "other points"
    assert not marks.page_is_current("anna")


def test_after_an_interruption_those_who_are_left_are_graded(
    course: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    hand_in(course, tmp_path, "anna", "bo")
    (course.root / "source" / NAME).mkdir(parents=True)
    asked: list[list[str]] = []

    def interrupted(_: Course, name: str, students: list[str], progress: Callable[[str], None]) -> dict[str, str]:
        asked.append(students)
        put(course.root, f"autograded/{students[0]}/{name}/{name}.ipynb", notebook())
        progress(students[0])
        raise KeyboardInterrupt

    monkeypatch.setattr(Course, "autograde", interrupted)
    for _ in range(2):
        assert grade.main([NAME, "--course", str(course.root)]) == 130
        assert capsys.readouterr().out.endswith("Interrupted. The same command goes on with those who are left.\n")
    assert asked == [["anna", "bo"], ["bo"]]


# --- libraries ------------------------------------------------------------------------------------


def test_a_missing_library_is_named_before_grading(course: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    sheet = json.loads(notebook(tokenlab={"assignment": NAME, "libraries": ["torch"]}))
    put(course.root, f"release/{NAME}/{NAME}.ipynb", json.dumps(sheet).encode())
    put(course.root, f"submitted/anna/{NAME}/{NAME}.ipynb", notebook())
    monkeypatch.setattr(probe, "find_spec", lambda name: None)
    with pytest.raises(CourseError, match=r"needs the library torch, which is not installed; .*lab,torch,course"):
        course.autograde(NAME)


# --- an edited notebook ---------------------------------------------------------------------------


def generate(course: Course, name: str) -> None:
    """Stands for nbgrader: the release is a sheet without anything."""
    put(course.root, f"release/{name}/{name}.ipynb", nbformat.writes(nbformat.v4.new_notebook()).encode())


@pytest.mark.slow
def test_an_edited_notebook_in_the_course_is_not_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(Course, "generate", generate)
    course, path = Course(tmp_path), tmp_path / "source" / NAME / f"{NAME}.ipynb"
    assert build.main([str(tmp_path)]) == 0 and build.main(["--course", str(tmp_path)]) == 0
    sheet = nbformat.read(path, as_version=4)
    sheet.metadata.kernelspec.display_name = "saved by JupyterLab"
    nbformat.write(sheet, path)
    assert not build.is_edited(course, NAME)
    sheet.cells[0].source += " An own sentence."
    nbformat.write(sheet, path)
    capsys.readouterr()
    assert build.main([str(tmp_path)]) == 1
    said = capsys.readouterr().out
    assert f"Not built: {path} was edited" in said and f"{NAME}.py, then add --overwrite." in said
    assert said.count("To hand out") == len([*build.SOURCES.glob("*.py")]) - 1
    assert "An own sentence." in path.read_text(encoding="utf-8")
    monkeypatch.setattr(regrade, "check_gradebook", lambda _: None)
    assert regrade.main([NAME, "--course", str(tmp_path), "--accept-version"]) == 1
    assert capsys.readouterr().out.startswith(f"No regrade: {path} was edited")
    assert build.main([str(tmp_path), "--overwrite"]) == 0
    assert "An own sentence." not in path.read_text(encoding="utf-8") and not build.is_edited(course, NAME)


def test_changed_points_and_a_notebook_of_an_earlier_kit_count_as_edited(tmp_path: Path) -> None:
    course, sheet = Course(tmp_path), build.notebook_of(build.SOURCES / f"{NAME}.py")
    path = put(tmp_path, f"source/{NAME}/{NAME}.ipynb", nbformat.writes(sheet).encode())
    assert not build.is_edited(course, NAME)
    graded = next(cell for cell in sheet.cells if cell.metadata.get("nbgrader", {}).get("points"))
    graded.metadata.nbgrader.points += 1
    nbformat.write(sheet, path)
    assert build.is_edited(course, NAME)
    graded.metadata.nbgrader.points -= 1
    del sheet.metadata["tokenlab"]["cells"]
    nbformat.write(sheet, path)
    assert build.is_edited(course, NAME)


# --- pages ----------------------------------------------------------------------------------------


def test_pages_have_the_names_by_which_moodle_finds_the_students(course: Course, tmp_path: Path) -> None:
    put(tmp_path, "inbox/Anna Schmidt_101_assignsubmission_file_/hw.zip", packed("anna"))
    put(tmp_path, "inbox/group_1/bo.zip", packed("bo"))
    put(tmp_path, "inbox/Kim_Cy_x_assignsubmission_file_/hw.zip", packed("cy"))
    collect(tmp_path / "inbox", course)
    assert points.write_pages(course, NAME) is None
    for student in ("anna", "bo", "cy"):
        put(course.page(NAME, student).parent, f"{NAME}.html", student.encode())
    archive = points.write_pages(course, NAME)
    assert archive
    with zipfile.ZipFile(archive) as content:
        assert {name: content.read(name).decode() for name in content.namelist()} == {
            f"Anna Schmidt_101_assignsubmission_file_{NAME}.html": "anna",
            "bo.html": "bo",
            "cy.html": "cy",
        }
