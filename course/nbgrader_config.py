"""nbgrader's settings for this course; `make assignments` copies this file into the course folder."""

from __future__ import annotations

import contextlib
import copy
import dis
import hashlib
import json
import re
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import nbformat
from nbconvert.exporters import HTMLExporter
from nbconvert.preprocessors import ClearMetadataPreprocessor, CSSHTMLHeaderPreprocessor
from nbgrader.api import Gradebook
from nbgrader.preprocessors import (
    AssignLatePenalties,
    CheckCellMetadata,
    ClearHiddenTests,
    ClearOutput,
    GetGrades,
    LimitOutput,
    NbGraderPreprocessor,
    OverwriteCells,
    OverwriteKernelspec,
    SaveAutoGrades,
)
from nbgrader.utils import is_grade
from traitlets import List

import tokenlab
from tokenlab.check.submission import versions
from tokenlab.storage import files

# The repository is not on the path if `nbgrader` runs this file in the course folder.
sys.path.append(str(Path(tokenlab.__file__).resolve().parents[1]))
from course.assignment import name_of, parts_of, solutions_of, task_of
from course.course_seed import secret_of
from course.hidden_tests import HiddenTests, raised
from course.sandbox.probe import grading_problem
from course.sandbox.process import Limits, StudentProcess
from course.sandbox.remote import variables_of
from course.sandbox.runner import MAX_PRINTED
from course.time_limit import TooLongError, stopped_after

CELL_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")  # that of another kind is no notebook for nbformat
MOST_CELLS = 300  # of the student's own; the others are left out
LONGEST_CODE = 200_000  # characters of a cell with code
LONGEST = 20_000  # characters of an answer in words; a page with 360,000 took minutes to write
SECONDS = 120  # of processor time for all tests of a notebook, without the student's process
VERSIONS = Path("gradebook.versions.json")  # next to gradebook.db: nbgrader's working directory is the course folder


class MendCells(NbGraderPreprocessor):
    """Restore the cells that a submission lacks, and all metadata; of duplicated cells, the last one counts.

    nbgrader's own `add_missing_cells` fails if the previous cell is also missing, and its `DeduplicateIds` leaves
    metadata that its own check rejects. Unchanged duplicates are dropped, so that an unchanged last copy does not
    replace an answer.
    """

    def preprocess(self, nb: Any, resources: Any) -> tuple[Any, Any]:
        """Compare the submission with the release."""
        ids = resources["nbgrader"]
        sheet = nbformat.read(_course_file("release", ids), as_version=4)
        ours = {name_of(cell): cell for cell in filter(name_of, sheet.cells)}
        nb.cells = nb.cells[: 2 * MOST_CELLS + len(sheet.cells)]
        for own in nb.cells:
            mark = ours.get(name_of(own) or "")
            own.metadata = nbformat.NotebookNode() if mark is None else copy.deepcopy(mark.metadata)
            _become(own, mark.cell_type if mark else own.cell_type)
            if own.cell_type == "code" and len(own.source) > LONGEST_CODE:
                own.source = own.source[:LONGEST_CODE]
        place = 0
        for cell in ours.values():
            copies = [own for own in nb.cells if name_of(own) == name_of(cell)]
            written = [own for own in copies if own.source.strip() != cell.source.strip()]
            if not copies:
                nb.cells.insert(place, cell)
            if written:
                kept = {id(own) for own in written}
                nb.cells = [own for own in nb.cells if id(own) in kept or name_of(own) != name_of(cell)]
            *earlier, last = written or copies or [cell]
            for own in earlier:
                del own.metadata["nbgrader"]
            place = next(place for place, own in enumerate(nb.cells) if own is last) + 1
        for number, cell in enumerate(nb.cells):
            if not CELL_ID.fullmatch(str(cell.get("id", ""))):
                cell.id = f"mended-{number}"
        return nb, resources


def _become(cell: Any, kind: str) -> None:
    """Make a cell one of another kind; nbgrader would do that too late, after its text was made harmless."""
    cell.cell_type = kind
    if kind == "code":
        cell.outputs, cell.execution_count = [], None
    else:
        cell.pop("outputs", None)
        cell.pop("execution_count", None)


class ExecuteApart(NbGraderPreprocessor):
    """Run the student's cells in other processes, and the tests in this one.

    The tests come from the gradebook, and get plain values from a process that shows nothing: what a function has
    seen in a test cannot be printed. A second process runs the same cells for their output, and a third one is for the
    inputs that feedback shows. When these have ended, a fourth one has right functions for the tasks that a test needs
    but does not grade.
    """

    def preprocess(self, nb: Any, resources: Any) -> tuple[Any, Any]:
        """Run all code cells in order, and store what they print and their errors."""
        ids = resources["nbgrader"]
        ours, libraries, solutions = _our_cells(ids), _libraries(ids), _solutions(ids)
        if problem := grading_problem(libraries):
            raise RuntimeError(problem)  # without this, every function would be wrong
        seconds = SECONDS + time.process_time()
        code = [cell for cell in nb.cells if cell.cell_type == "code"]  # a correction of our texts changes no input
        written = [[name_of(cell), "" if name_of(cell) in ours else cell.source] for cell in code]
        digest = hashlib.sha256(json.dumps(written).encode()).hexdigest()
        tests = HiddenTests(secret_of(Path()), ids["student"], ids["assignment"], digest)
        locked = [ours[name_of(cell)] for cell in nb.cells if name_of(cell) in ours and not is_grade(cell)]
        reserved = {name for source in locked for name in _stored_names(source)}
        errors: dict[str, str] = {}  # of the cells of the tasks
        kept: dict[str, Any] = {}  # the names that our own cells define, whatever the student does with them
        with (
            contextlib.chdir(resources["metadata"]["path"]),
            StudentProcess(libraries) as student,
            StudentProcess(libraries) as shown,
            StudentProcess(libraries, replace(Limits(), waiting_in_total=120)) as unaware,
            StudentProcess(libraries, replace(Limits(), waiting_in_total=120)) as repaired,
        ):

            def found(process: StudentProcess, source: str) -> dict[str, Any]:
                """Return the names that a test uses; those of the sheet are the sheet's."""
                theirs = variables_of(process, source)
                return {name: value for name, value in theirs.items() if name not in reserved} | kept

            def public(source: str) -> BaseException | None:
                """Return the error of a test with public inputs, in the process that sees no others."""
                unaware.follow(student)
                return raised(source, found(unaware, source))

            def graded(
                cell: Any, source: str, process: StudentProcess, public: Callable[[], BaseException | None]
            ) -> list[Any]:
                """Run a test, and return its outputs."""
                names: dict[str, Any] = {}
                try:
                    with stopped_after(max(1.0, seconds - time.process_time())):
                        names = found(process, source)
                        failed = tests.failure(cell.metadata.nbgrader.grade_id, source, names, public)
                except TooLongError as error:
                    failed = "TooLongError", str(error)
                task = task_of(cell.metadata.nbgrader.grade_id)
                if failed and task in errors and task not in names:
                    failed = "NameError", f"{task} does not exist, because its cell ends with an error: {errors[task]}"
                return [_error(*failed)] if failed else []

            needs_others = []
            for number, cell in enumerate(nb.cells):
                if cell.cell_type != "code":
                    continue
                cell.execution_count, source = number, ours.get(name_of(cell) or "")
                if source is not None and is_grade(cell):
                    if parts_of(cell):
                        said = None
                        with contextlib.suppress(TooLongError), stopped_after(max(1.0, seconds - time.process_time())):
                            said = public(source)
                        needs_others.append((cell, source, said))
                    else:
                        cell.outputs = graded(cell, source, student, partial(public, source))
                    continue
                run = cell.source if source is None else source
                cell.outputs = _outputs(shown.cell(run, number))
                errors |= {
                    name_of(cell) or "": f"{output.ename}: {output.evalue}"
                    for output in cell.outputs
                    if "ename" in output
                }
                student.cell(run, number)
                if source is not None:
                    with contextlib.suppress(TooLongError), stopped_after(max(1.0, seconds - time.process_time())):
                        kept |= _defined(source, variables_of(student, source) | kept)
            for process in (student, shown, unaware):
                process.end()  # none of them can learn the right functions
            for cell, source, said in needs_others:
                repaired.repeat(student, [solutions[part] for part in parts_of(cell)])
                cell.outputs = graded(cell, source, repaired, lambda said=said: said)
        return nb, resources


def _our_cells(ids: dict[str, Any]) -> dict[str, str]:
    """Return the sources of the cells that students may not change, from the gradebook."""
    with Gradebook(ids["db_url"]) as book:
        cells = book.find_notebook(ids["notebook"], ids["assignment"]).source_cells
        return {cell.name: cell.source for cell in cells if cell.locked and cell.cell_type == "code"}


def _libraries(ids: dict[str, Any]) -> list[str]:
    """Return the libraries that the assignment allows."""
    sheet = nbformat.read(_course_file("release", ids), as_version=4)
    return list(sheet.metadata.tokenlab.get("libraries", []))


def _solutions(ids: dict[str, Any]) -> dict[str, str]:
    """Return the right answers to all tasks."""
    return solutions_of(nbformat.read(_course_file("source", ids), as_version=4))


def _course_file(step: str, ids: dict[str, Any]) -> Path:
    return Path(step, ids["assignment"], f"{ids['notebook']}.ipynb")


def _defined(source: str, names: dict[str, Any]) -> dict[str, Any]:
    """Run a cell of ours, and return the names that it defines."""
    after = dict(names)
    with contextlib.suppress(Exception), contextlib.redirect_stdout(None):
        code = compile(source, "locked", "exec")
        exec(code, after)
    stored = _stored_names(source)
    return {name: value for name, value in after.items() if name in stored}


def _stored_names(source: str) -> set[str]:
    """Return the names that a cell of ours defines: a student's values of these names never count."""
    code = compile(source, "locked", "exec")
    return {step.argval for step in dis.get_instructions(code) if step.opname in ("STORE_NAME", "STORE_GLOBAL")}


def _outputs(reply: dict[str, Any]) -> list[Any]:
    """Return what a cell of the student printed, and its error, as a notebook has them."""
    outputs, error = [], reply.get("error")
    if printed := reply.get("printed"):
        outputs.append(nbformat.v4.new_output("stream", name="stdout", text=_encodable(printed)[: 2 * MAX_PRINTED]))
    if error:
        error = error if isinstance(error, dict) else {}
        outputs.append(_error(*(_encodable(error.get(part, "")) for part in ("name", "message", "traceback"))))
    return outputs


def _error(name: str, message: str, told: str = "") -> Any:
    """Return an error as a notebook has it; the reply may be forged, so its length is limited again."""
    name, message, told = name[:200], message[:MAX_PRINTED], (told or message)[: 2 * MAX_PRINTED]
    return nbformat.v4.new_output("error", ename=name, evalue=message, traceback=told.splitlines())


def _encodable(text: Any) -> str:
    """Return a text that can be stored: a surrogate becomes an escape."""
    return str(text).encode(errors="backslashreplace").decode()


HARMLESS = "/?(?:details|summary)>"  # the hints in a sheet with an earlier text than the present one
# What begins a block of code in another language: some take minutes to color.
FENCE = r"(?m)^[ \t>*+\d.)-]{0,99}(?:`{3,}|~{3,})(?=[ \t]*\S)(?![ \t]*python[ \t]*$)"


class PlainMarkdown(NbGraderPreprocessor):
    """Make HTML and links in a student's Markdown plain text: nbgrader shows both to instructors as they are.

    A text that nobody would read to its end is cut.
    """

    def preprocess(self, nb: Any, resources: Any) -> tuple[Any, Any]:
        """Find the texts of the sheet, which stay as they are, with their hints."""
        sheet = nbformat.read(_course_file("release", resources["nbgrader"]), as_version=4)
        nb.metadata = sheet.metadata  # the language that a student may name there decides how pages are colored
        for cell in nb.cells:
            if cell.cell_type == "raw":  # nbgrader shows it as HTML
                cell.cell_type = "markdown"
        own = {id(cell) for cell in [cell for cell in nb.cells if not name_of(cell)][: MOST_CELLS + len(sheet.cells)]}
        nb.cells = [cell for cell in nb.cells if name_of(cell) or id(cell) in own]
        self.of_the_sheet = {cell.source for cell in sheet.cells if cell.cell_type == "markdown"}
        return super().preprocess(nb, resources)

    def preprocess_cell(self, cell: Any, resources: Any, cell_index: int) -> tuple[Any, Any]:
        """Put an invisible character into tags, links and names of languages; hints stay folded."""
        if cell.cell_type == "markdown" and cell.source not in self.of_the_sheet:
            if cell.pop("attachments", None):
                cell.source += "\n\n(An attachment was left out.)"
            cell.source = re.sub(r"data:[\w/+.-]+;base64,[\w+/=]+", "(image)", cell.source)
            if len(cell.source) > LONGEST:
                cell.source = f"{cell.source[:LONGEST]}\n\n(The rest was cut: a cell may have {LONGEST:,} characters.)"
            cell.source = re.sub(rf"<(?!{HARMLESS})(?=[A-Za-z/!?])|\](?=[(:\[])", "\\g<0>\u200b", cell.source)
            cell.source = re.sub(FENCE, "\\g<0>\u200b", cell.source)
        return cell, resources


class HideTests(ClearHiddenTests):
    """Remove hidden tests from the feedback, and their lines in tracebacks."""

    # nbconvert sets this for all of a page's preprocessors, and warns of those that do not know it.
    display_data_priority = List(NbGraderPreprocessor.display_data_priority.default_value).tag(config=True)

    def preprocess_cell(self, cell: Any, resources: Any, cell_index: int) -> tuple[Any, Any]:
        """Keep only the message of an error in a test."""
        if is_grade(cell) and cell.cell_type == "code":
            self._remove_hidden_test_region(cell)
            for output in cell.outputs:
                if output.output_type == "error":
                    output.traceback = [f"{output.ename}: {output.evalue}"]
        return cell, resources


# A message may be one long line: without this, it would leave its box, with the rule at its end.
WRAPPED = "<style>.jp-OutputArea-output pre, pre { white-space: pre-wrap; overflow-wrap: anywhere; }</style>"


class NamedTests(HTMLExporter):
    """Writes a page of feedback whose table of contents names each test; nbgrader writes "Test cell"."""

    def from_notebook_node(self, nb: Any, resources: Any = None, **options: Any) -> tuple[str, Any]:
        """Convert a notebook, put the names of the tests into the table of contents, and wrap long lines."""
        page, resources = super().from_notebook_node(nb, resources, **options)
        page = page.replace("</head>", f"{WRAPPED}</head>", 1)
        return re.sub(r'<a href="#([\w-]+)">Test cell</a>', r'<a href="#\1">\1</a>', page), resources


def note_versions(assignment: str, **_: Any) -> None:
    """Store the versions that graded an assignment next to the gradebook: earlier ones and the current ones."""
    noted = json.loads(VERSIONS.read_text(encoding="utf-8")) if VERSIONS.exists() else {}
    used = noted.setdefault(assignment, [])
    if versions() not in used:
        used.append(versions())
        files.write_atomically(VERSIONS, json.dumps(noted, indent=1) + "\n")


c = get_config()  # type: ignore[name-defined]  # noqa: F821  # defined by traitlets

c.CourseDirectory.course_id = "tokenlab"
c.ClearSolutions.code_stub = {"python": "# Write here, in place of the dots."}
c.ClearSolutions.text_stub = "Write your answer here."

c.Autograde.sanitize_preprocessors = [
    ClearOutput, MendCells, PlainMarkdown, OverwriteKernelspec, OverwriteCells, CheckCellMetadata
]  # fmt: skip
c.Autograde.autograde_preprocessors = [
    ExecuteApart, ClearMetadataPreprocessor, LimitOutput, SaveAutoGrades, AssignLatePenalties, CheckCellMetadata
]  # fmt: skip
c.Autograde.pre_convert_hook = note_versions

# What `make grade` has graded is no part of the feedback, and a student's page would be sent as if it were one: with
# nbgrader's exchange, it may be a copy of any file that you can read.
c.CourseDirectory.ignore.extend(["graded.json", "*.html"])
c.GenerateFeedback.exporter_class = NamedTests
c.GenerateFeedback.preprocessors = [GetGrades, HideTests, CSSHTMLHeaderPreprocessor]
