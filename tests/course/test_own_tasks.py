"""Tasks of an instructor's own, in a folder of the course: they come into the kit's assignments, or are one."""

from __future__ import annotations

import zipfile
from pathlib import Path

import nbformat
import pytest

from course import build
from course.course_folder import Course
from course.own_tasks import FOLDER, combined
from tokenlab.storage import files

SECTION = """
# %% [markdown]
# ## {number}. {title} ({{points {task}}} points)
#
# Write `{task}(text)`.

# %% solution="{task}"
def {task}(text):
    ### BEGIN SOLUTION
    return text[::-1]  # the private answer of {task}
    ### END SOLUTION
    return ...

# %% hidden="{task}"
from hypothesis import strategies as st
from course.grading import grade

# %% tests="{task}-all" points=3
assert {task}("ab") == "ba"
### BEGIN HIDDEN TESTS
grade(sheet.get("{task}"), lambda text: text[::-1], st.tuples(st.text()), "The text is reversed.")
### END HIDDEN TESTS
"""
HEAD = """# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     name: python3
# ---
"""
ID = """
# %% [markdown]
# # A week of our own

# %% solution="student_id"
student_id = ...
### BEGIN SOLUTION
student_id = "model"
### END SOLUTION
"""


def put(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    files.write_atomically(path, text)


@pytest.fixture
def course(tmp_path: Path) -> Course:
    course = Course(tmp_path / "course")
    course.configure()
    replaced = SECTION.format(number=2, title="Another second task", task="encode_piece")
    new = SECTION.format(number=6, title="A new task", task="turned")
    put(course.root / FOLDER / "assignment1.py", HEAD + replaced + new)
    week = SECTION.format(number=1, title="A task", task="turned")
    put(course.root / FOLDER / "week9.py", HEAD + ID + week)
    return course


def headings(notebook: nbformat.NotebookNode) -> list[str]:
    return [cell.source.partition("\n")[0] for cell in notebook.cells if cell.source.startswith("## ")]


def test_a_section_takes_the_place_of_that_with_the_same_task_and_a_new_one_is_before_the_words(course: Course) -> None:
    kit = headings(build.notebook_of(build.SOURCES / "assignment1.py"))
    mine = headings(build.notebook_in(course, build.SOURCES / "assignment1.py"))
    assert mine[:2] == kit[:2] and mine[3:6] == kit[3:6] and mine[7:] == kit[6:] and len(mine) == len(kit) + 1
    assert mine[2] == "## 2. Another second task (3 points)" and mine[6] == "## 6. A new task (3 points)"


def test_another_assignment_of_the_kit_is_as_it_was(course: Course) -> None:
    source = build.SOURCES / "assignment2.py"
    assert nbformat.writes(build.notebook_in(course, source)) == nbformat.writes(build.notebook_of(source))


def test_a_section_without_a_task_and_a_cell_before_the_first_are_errors() -> None:
    text, task = nbformat.v4.new_markdown_cell, nbformat.v4.new_code_cell("1", metadata={"solution": "a"})
    with pytest.raises(ValueError, match=r"this section in own_tasks has no solution cell:\n## One"):
        combined([], [text("## One"), text("Two")])
    with pytest.raises(ValueError, match=r"put a heading of level 2 before this cell in own_tasks:\n# One"):
        combined([], [text("# One"), task])
    assert [cell.source for cell in combined([text("# All")], [text("## One"), task])] == ["# All", "## One", "1"]


def test_tests_without_a_hidden_cell_are_an_error_that_names_the_task(course: Course) -> None:
    file = course.root / FOLDER / "week9.py"
    put(file, file.read_text(encoding="utf-8").replace('hidden="turned"', 'hidden="other"'))
    with pytest.raises(ValueError, match=r'week9.py has tests="turned-\.\.\.", but no cell hidden="turned"'):
        build.notebook_in(course, file)


@pytest.mark.slow
def test_an_assignment_of_ones_own_is_built_handed_out_and_graded(course: Course) -> None:
    assert build.main([str(course.root)]) == 0
    with zipfile.ZipFile(course.root / "release" / "week9.zip") as archive:
        release = archive.read("week9.ipynb").decode()
    assert "the private answer" not in release and "HIDDEN" not in release
    assert "Another second task" in (course.root / "release/assignment1/assignment1.ipynb").read_text(encoding="utf-8")
    right, wrong = "text[::-1]", "text"
    for student, answer in (("ann", right), ("bob", wrong)):
        notebook = nbformat.reads(release, as_version=4)
        for cell in notebook.cells:
            cell.source = cell.source.replace("    return ...", f"    return {answer}")
            cell.source = cell.source.replace("student_id = ...", f'student_id = "{student}"')
        sheet = course.root / "submitted" / student / "week9" / "week9.ipynb"
        put(sheet, nbformat.writes(notebook))
    assert course.autograde("week9") == {}
    points = {student: scores["turned-all"].auto for student, scores in course.scores("week9").items()}
    assert points == {"ann": 3.0, "bob": 0.0}


def test_a_section_with_two_tasks_replaces_both_sections_and_none_between_them() -> None:
    def section(name: str, *tasks: str) -> list[nbformat.NotebookNode]:
        cells = [nbformat.v4.new_code_cell(task, metadata={"solution": task}) for task in tasks]
        return [nbformat.v4.new_markdown_cell(f"## {name}"), *cells]

    kit = [cell for name in "abc" for cell in section(name, name)]
    found = [cell.source for cell in combined(kit, section("mine", "a", "c"))]
    assert found == ["## mine", "a", "c", "## b", "b"]


@pytest.mark.parametrize("name", ["übung1.py", "u\u0308bung.py", "week 1.py", "a+b.py", "assignment1.v2.py"])
def test_a_file_whose_name_cannot_be_that_of_an_assignment_is_named(
    tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / FOLDER).mkdir()
    files.write_atomically(tmp_path / FOLDER / name, HEAD)
    assert build.main([str(tmp_path)]) == 1
    assert f"Not built: rename {FOLDER}/{name}: an assignment's name has letters" in capsys.readouterr().out
