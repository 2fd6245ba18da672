"""nbgrader's settings for this course; `make assignments` copies this file into the course folder."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import Any
from uuid import uuid4

import nbformat
from nbconvert.preprocessors import CSSHTMLHeaderPreprocessor
from nbgrader.preprocessors import (
    CheckCellMetadata,
    ClearHiddenTests,
    ClearOutput,
    GetGrades,
    NbGraderPreprocessor,
    OverwriteCells,
    OverwriteKernelspec,
)
from nbgrader.utils import is_grade

from tokenlab import files
from tokenlab.check.submission import versions

VERSIONS = Path("gradebook.versions.json")  # next to gradebook.db: nbgrader's working directory is the course folder


class MendCells(NbGraderPreprocessor):
    """Restore the cells that a submission lacks; of duplicated cells, the last one counts.

    nbgrader's own `add_missing_cells` fails if the previous cell is also missing, and its `DeduplicateIds` leaves
    metadata that its own check rejects. Unchanged duplicates are dropped, so that an unchanged last copy does not
    replace an answer.
    """

    def preprocess(self, nb: Any, resources: Any) -> tuple[Any, Any]:
        """Compare the submission with the release."""
        ids = resources["nbgrader"]
        sheet = nbformat.read(Path("release", ids["assignment"], f"{ids['notebook']}.ipynb"), as_version=4)
        place = 0
        for cell in filter(_name, sheet.cells):
            copies = [own for own in nb.cells if _name(own) == _name(cell)]
            written = [own for own in copies if own.source.strip() != cell.source.strip()]
            if not copies:
                nb.cells.insert(place, cell)
            if written:
                nb.cells = [own for own in nb.cells if own in written or _name(own) != _name(cell)]
            *earlier, last = written or copies or [cell]
            for own in earlier:
                del own.metadata["nbgrader"]
            place = next(place for place, own in enumerate(nb.cells) if own is last) + 1
        return nb, resources


def _name(cell: Any) -> Any:
    return cell.metadata.get("nbgrader", {}).get("grade_id")


class HideTests(ClearHiddenTests):
    """Remove hidden tests from the feedback, and their lines in tracebacks."""

    def preprocess_cell(self, cell: Any, resources: Any, cell_index: int) -> tuple[Any, Any]:
        """Keep only the message of an error in a test."""
        if is_grade(cell) and cell.cell_type == "code":
            self._remove_hidden_test_region(cell)
            for output in cell.outputs:
                if output.output_type == "error":
                    output.traceback = [f"{output.ename}: {output.evalue}"]
        return cell, resources


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

# An endless cell is interrupted, and the next one runs.
c.Execute.timeout = 30
c.Execute.interrupt_on_timeout = True
c.Execute.startup_timeout = 600  # seconds; a busy machine may need more than the default of 60
if os.name == "posix":
    # Unix sockets instead of ports: another process may take a port before the kernel opens it.
    c.KernelManager.transport = "ipc"
    c.KernelManager.ip = f"{tempfile.gettempdir()}/tokenlab-{uuid4().hex}"
c.Autograde.sanitize_preprocessors = [
    ClearOutput, MendCells, OverwriteKernelspec, OverwriteCells, CheckCellMetadata
]  # fmt: skip
c.Autograde.pre_convert_hook = note_versions

c.GenerateFeedback.preprocessors = [GetGrades, HideTests, CSSHTMLHeaderPreprocessor]
