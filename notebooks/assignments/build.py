"""Builds the assignments: `make assignments` makes a course for nbgrader, and in it what students get.

Each `source/NAME.py` becomes `build/course/source/NAME/NAME.ipynb` with solutions and tests; nbgrader makes
`release/NAME/NAME.ipynb` of it, and `release/NAME.zip` is what you hand out. Another folder: ARGS="folder".

What a cell is stands in its first line:
  solution="task"             the learner writes it; the answer stands between BEGIN and END SOLUTION
  solution="task" points=4    an answer in words, which a person grades
  tests="task-rule" points=2  points if it raises nothing; BEGIN and END HIDDEN TESTS stand around what is hidden
  locked="name"               put back as it was before grading
  hidden="task"               no cell of the sheet: it is put before the hidden tests of that task
  hidden="*"                  the same, for all tasks
"""

from __future__ import annotations

import json
import re
import sys
import zipfile
from pathlib import Path
from typing import Any

import jupytext
import nbformat

from notebooks.assignments.course import CONFIG, Course, CourseError
from tokenlab import files

SOURCES = Path(__file__).parent / "source"
COURSE = Path(__file__).parents[2] / "build" / "course"
BEGIN, END = "### BEGIN HIDDEN TESTS\n", "\n### END HIDDEN TESTS"


def notebook_of(source: Path) -> Any:
    """The notebook with solutions and tests that a source describes; the same source gives the same notebook."""
    notebook = jupytext.read(source)
    notebook.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
        "tokenlab": {"assignment": source.stem},
    }
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    hidden = {cell.metadata.hidden: cell.source for cell in notebook.cells if "hidden" in cell.metadata}
    notebook.cells = [cell for cell in notebook.cells if "hidden" not in cell.metadata]
    points = _points(notebook.cells)
    for number, cell in enumerate(notebook.cells):
        cell.id = f"{source.stem}-{number:02}"
        if cell.cell_type == "markdown":
            cell.source = re.sub(r"\{(points[ \w]*)\}", lambda found: points[found[1]], cell.source)
        if "tests" in cell.metadata:
            task = cell.metadata.tests.partition("-")[0]
            cell.source = _with_hidden(cell.source, f"{hidden.get('*', '')}\n\n{hidden[task]}".lstrip())
        _mark(cell)
    nbformat.validate(notebook)
    return notebook


def _points(cells: list[Any]) -> dict[str, str]:
    """How many points there are in all, and for each task."""
    points = {"points": 0}
    for cell in cells:
        if "points" in cell.metadata:
            task = (cell.metadata.get("tests") or cell.metadata.solution).partition("-")[0]
            points["points"] += cell.metadata.points
            points[f"points {task}"] = points.get(f"points {task}", 0) + cell.metadata.points
    return {name: str(number) for name, number in points.items()}


def _with_hidden(source: str, hidden: str) -> str:
    """The hidden tests with what they need, in a namespace of their own: a learner may have called something `list`."""
    before, begins, rest = source.partition(BEGIN)
    tests, ends, behind = rest.partition(END)
    if not (begins and ends):
        raise ValueError(f"these tests hide nothing; put {BEGIN.strip()} and {END.strip()} around a part:\n{source}")
    code = f"{hidden}\n\n{tests}"
    if "'''" in code:
        raise ValueError("hidden tests are put between three apostrophes and may have none")
    compile(code, "hidden tests", "exec")
    return f"{before}{BEGIN}exec(r'''\n{code}\n''', {{\"sheet\": globals()}}){END}{behind}"


def _mark(cell: Any) -> None:
    """Turn what a cell says in its first line into what nbgrader knows."""
    kinds = {kind: cell.metadata.pop(kind) for kind in ("solution", "tests", "locked") if kind in cell.metadata}
    points = cell.metadata.pop("points", None)
    if cell.cell_type == "code" and not kinds:
        raise ValueError(f"say what this cell is: solution, tests, locked or hidden?\n{cell.source}")
    if kinds:
        cell.metadata.nbgrader = {
            "schema_version": 3,
            "grade_id": next(iter(kinds.values())),
            "grade": points is not None,
            "solution": "solution" in kinds,
            "locked": "solution" not in kinds,
            "task": False,
        }
        if points is not None:
            cell.metadata.nbgrader["points"] = points


def secret_lines(notebook: Any) -> set[str]:
    """The lines of solutions and hidden tests, but for those that also stand where learners see them."""
    secret, seen = set[str](), set[str]()
    for cell in notebook.cells:
        solution = cell.metadata.get("nbgrader", {}).get("solution", False)
        inside = solution and "### BEGIN SOLUTION" not in cell.source
        for line in map(str.strip, cell.source.splitlines()):
            inside = (inside or line.startswith("### BEGIN")) and not line.startswith("### END")
            (secret if inside else seen).add(line)
    return {line for line in secret - seen if re.search(r"\w", line)}


def leaks(notebook: Any, release: str) -> list[str]:
    """The secret lines that stand in a release, and long ones also inside other lines."""
    shown = {line.strip() for cell in nbformat.reads(release, as_version=4).cells for line in cell.source.splitlines()}
    inside = {line for line in secret_lines(notebook) if len(line) > 20 and json.dumps(line)[1:-1] in release}
    return sorted(inside | (secret_lines(notebook) & shown))


def build(course: Course, source: Path) -> Path:
    """Build an assignment in a course, and return the file to hand out.

    Raises:
        CourseError: nbgrader could not make the release.
        ValueError: something that is meant to be hidden is in the release.
    """
    notebook, name = notebook_of(source), source.stem
    folder = course.root / "source" / name
    folder.mkdir(parents=True, exist_ok=True)
    files.write_whole(folder / f"{name}.ipynb", nbformat.writes(notebook) + "\n")
    course.generate(name)
    release = course.root / "release" / name / f"{name}.ipynb"
    if found := leaks(notebook, release.read_text(encoding="utf-8")):
        raise ValueError(f"{release} shows what should be hidden; do not hand it out: {found}")
    handout = course.root / "release" / f"{name}.zip"
    with zipfile.ZipFile(handout, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.write(release, release.name)
    return handout


def main(arguments: list[str]) -> int:
    """Build every assignment into a course; 1 where that cannot be done."""
    course = Course(Path(arguments[0]) if arguments else COURSE)
    if not course.configure():
        print(f"{course.root / CONFIG} is not the kit's; it stays as it is.")
    try:
        for source in sorted(SOURCES.glob("*.py")):
            print(f"To hand out: {build(course, source)}")
    except (CourseError, ValueError) as error:
        print(f"Not built: {error}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
