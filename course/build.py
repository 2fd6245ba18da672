"""Build the assignments: `make assignments` creates a course for nbgrader and the releases for students.

The header of a source may name libraries that students may use (`tokenlab: libraries: [torch]` below `jupyter:`).
Each `source/NAME.py` becomes `build/course/source/NAME/NAME.ipynb` with solutions and tests; nbgrader makes
`release/NAME/NAME.ipynb` of it, and you hand out `release/NAME.zip`. Another folder: ARGS="folder". A notebook that
somebody has edited in the course is not replaced, unless you add --overwrite. The folder `own_tasks` of the course may
have tasks of your own (see `course/own_tasks.py`).

The first line of a cell states its type:
  solution="task"             the learner writes it; the answer is between BEGIN and END SOLUTION
  solution="task" points=4    an answer in words, which a person grades
  tests="task-rule" points=2  points if it raises nothing; the hidden part is between BEGIN and END HIDDEN TESTS
     parts="other tasks"      the functions of these tasks are replaced by right ones while the tests run
  locked="name"               restored before grading
  hidden="task"               not in the sheet: code that is inserted before the hidden tests of that task
  hidden="*"                  the same, for all tasks
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import sys
import zipfile
from pathlib import Path
from typing import Any

import jupytext
import nbformat

from course import course_seed, own_tasks
from course.course_folder import CONFIG, Course, CourseError
from tokenlab.storage import files

SOURCES = Path(__file__).parent / "source"
COURSE = Path(__file__).parents[1] / "build" / "course"
BEGIN, END = "### BEGIN HIDDEN TESTS\n", "\n### END HIDDEN TESTS"


CHOICE = "variant_chooser(student_id)"  # in the sources; the variants of a course depend on its code as well


def notebook_in(course: Course, source: Path) -> Any:
    """Return the notebook of a source in a course: with its secret, and with its own tasks."""
    own = course.root / own_tasks.FOLDER / source.name
    other = own if own.is_file() and source.parent.name != own_tasks.FOLDER else None
    return notebook_of(source, course.code(), other)


def notebook_of(source: Path, code: str = "", own: Path | None = None) -> Any:
    """Return the notebook of a source, with solutions and tests; the same arguments give the same notebook.

    Args:
        source: the file.
        code: that of a course, from which the variants are drawn.
        own: a file with tasks that come into the assignment (see `course.own_tasks`).
    """
    notebook = jupytext.read(source)
    if own:
        notebook.cells = own_tasks.combined(notebook.cells, jupytext.read(own).cells)
    libraries = notebook.metadata.get("tokenlab", {}).get("libraries", [])
    notebook.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
        "tokenlab": {"assignment": source.stem, "code": code} | ({"libraries": libraries} if libraries else {}),
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
            if task not in hidden:
                raise ValueError(f'{source.name} has tests="{task}-...", but no cell hidden="{task}"')
            cell.source = _with_hidden(cell.source, f"{hidden.get('*', '')}\n\n{hidden[task]}".lstrip())
        if code and cell.cell_type == "code":
            cell.source = cell.source.replace(CHOICE, f"{CHOICE[:-1]}, {code!r})")
        _mark(cell)
    notebook.metadata["tokenlab"]["cells"] = digest_of_cells(notebook)
    nbformat.validate(notebook)
    return notebook


def digest_of_cells(notebook: Any) -> str:
    """Return a digest of the cells' texts, kinds and points; JupyterLab may change all else when it saves."""
    cells = [[cell.cell_type, cell.source, cell.metadata.get("nbgrader")] for cell in notebook.cells]
    return hashlib.sha256(json.dumps(cells, sort_keys=True).encode()).hexdigest()[:16]


def is_edited(course: Course, name: str) -> bool:
    """Whether the notebook of an assignment in a course is no longer what `make assignments` wrote."""
    path = course.root / "source" / name / f"{name}.ipynb"
    if not path.is_file():
        return False
    try:
        notebook = nbformat.reads(path.read_text(encoding="utf-8"), as_version=4)
        return bool(notebook.metadata["tokenlab"]["cells"] != digest_of_cells(notebook))
    except (ValueError, KeyError, nbformat.reader.NotJSONError):
        return True


def edited(course: Course, name: str, source: Path) -> str:
    """Return the sentence about an edited notebook in a course."""
    path = course.root / "source" / name / f"{name}.ipynb"
    return f"{path} was edited, or built by an earlier version of the kit; make the change in {source}"


def _points(cells: list[Any]) -> dict[str, str]:
    """Return the total number of points, and the points of each task."""
    points = {"points": 0}
    for cell in cells:
        if "points" in cell.metadata:
            task = (cell.metadata.get("tests") or cell.metadata.solution).partition("-")[0]
            points["points"] += cell.metadata.points
            points[f"points {task}"] = points.get(f"points {task}", 0) + cell.metadata.points
    return {name: str(number) for name, number in points.items()}


def _with_hidden(source: str, hidden: str) -> str:
    """Wrap hidden tests and their helpers in a separate namespace, because a learner may have redefined `list`."""
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
    """Convert the first line of a cell to nbgrader's metadata."""
    kinds = {kind: cell.metadata.pop(kind) for kind in ("solution", "tests", "locked") if kind in cell.metadata}
    points, parts = cell.metadata.pop("points", None), cell.metadata.pop("parts", "")
    if parts:
        cell.metadata.tokenlab = {"parts": parts.split()}
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
    """Return the lines that occur only in solutions and hidden tests, not in text that learners see."""
    secret, seen = set[str](), set[str]()
    for cell in notebook.cells:
        solution = cell.metadata.get("nbgrader", {}).get("solution", False)
        inside = solution and "### BEGIN SOLUTION" not in cell.source
        for line in map(str.strip, cell.source.splitlines()):
            inside = (inside or line.startswith("### BEGIN")) and not line.startswith("### END")
            (secret if inside else seen).add(line)
    return {line for line in secret - seen if re.search(r"\w", line)}


def leaks(notebook: Any, release: str) -> list[str]:
    """Return the secret lines that occur in a release; long ones are also found inside other lines."""
    shown = {line.strip() for cell in nbformat.reads(release, as_version=4).cells for line in cell.source.splitlines()}
    inside = {line for line in secret_lines(notebook) if len(line) > 20 and json.dumps(line)[1:-1] in release}
    return sorted(inside | (secret_lines(notebook) & shown))


def build(course: Course, source: Path) -> Path:
    """Build an assignment in a course, and return the file to hand out.

    Raises:
        CourseError: nbgrader could not create the release.
        ValueError: the release contains a line that should be hidden.
    """
    notebook, name = notebook_in(course, source), source.stem
    folder = course.root / "source" / name
    folder.mkdir(parents=True, exist_ok=True)
    files.write_atomically(folder / f"{name}.ipynb", nbformat.writes(notebook) + "\n")
    course.generate(name)
    release = course.root / "release" / name / f"{name}.ipynb"
    if found := leaks(notebook, release.read_text(encoding="utf-8")):
        raise ValueError(f"{release} shows what should be hidden; do not hand it out: {found}")
    handout = course.root / "release" / f"{name}.zip"
    with zipfile.ZipFile(handout, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(readable(release.name), release.read_bytes(), zipfile.ZIP_DEFLATED)
    return handout


def readable(name: str) -> zipfile.ZipInfo:
    """Return the entry of a file that everybody may read when it is unpacked; it has no time."""
    entry = zipfile.ZipInfo(name)
    entry.external_attr = 0o644 << 16
    return entry


def main(arguments: list[str]) -> int:
    """Build every assignment into a course; return 1 if that fails."""
    parser = argparse.ArgumentParser(
        prog="make assignments", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, nargs="?", help="the course folder")
    parser.add_argument("--course", type=Path, default=COURSE, help="the same, as in the other commands")
    parser.add_argument("--overwrite", action="store_true", help="replace notebooks that were edited in the course")
    options = parser.parse_args(arguments)
    course, status = Course(options.folder or options.course), 0
    if not course.configure():
        print(f"{course.root / CONFIG} is not the kit's; it stays as it is.")
    if not course.gradebook.exists():  # later, a secret would change the rules in sheets that students have
        course_seed.draw_secret(course.root)
    try:
        course.check_secret()
        for source in own_tasks.sources(SOURCES, course.root):
            if is_edited(course, source.stem) and not options.overwrite:
                print(f"Not built: {edited(course, source.stem, source)}, then add --overwrite.")
                status = 1
                continue
            print(f"To hand out: {build(course, source)}")
    except (CourseError, ValueError, SyntaxError, nbformat.ValidationError) as error:
        print(f"Not built: {error}")
        return 1
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
