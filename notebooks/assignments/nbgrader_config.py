"""How nbgrader grades this course; `make assignments` puts this file into the course's folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

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
from tokenlab.check.hand_in import versions

VERSIONS = Path("gradebook.versions.json")  # beside gradebook.db: nbgrader works in the course's folder


class MendCells(NbGraderPreprocessor):
    """Puts back the cells of the sheet that a submission lacks; of cells that it has twice the last counts.

    nbgrader's own `add_missing_cells` gives up where the cell before is missing, too, and its `DeduplicateIds` leaves
    metadata that its own check refuses. And where the last copy is an untouched one, what was written above it would be
    lost: such copies are dropped.
    """

    def preprocess(self, nb: Any, resources: Any) -> tuple[Any, Any]:
        """Compare the submission with what was released."""
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
    """Leaves out of the feedback what learners may not see: hidden tests, and the lines of them that errors quote."""

    def preprocess_cell(self, cell: Any, resources: Any, cell_index: int) -> tuple[Any, Any]:
        """Keep of an error in a test what it says."""
        if is_grade(cell) and cell.cell_type == "code":
            self._remove_hidden_test_region(cell)
            for output in cell.outputs:
                if output.output_type == "error":
                    output.traceback = [f"{output.ename}: {output.evalue}"]
        return cell, resources


def note_versions(assignment: str, **_: Any) -> None:
    """Write beside the gradebook which versions graded an assignment: those used before, and these."""
    noted = json.loads(VERSIONS.read_text(encoding="utf-8")) if VERSIONS.exists() else {}
    used = noted.setdefault(assignment, [])
    if versions() not in used:
        used.append(versions())
        files.write_whole(VERSIONS, json.dumps(noted, indent=1) + "\n")


c = get_config()  # type: ignore[name-defined]  # noqa: F821  # traitlets puts it here

c.CourseDirectory.course_id = "tokenlab"
c.ClearSolutions.code_stub = {"python": "# Write here, in place of the dots."}
c.ClearSolutions.text_stub = "Write your answer here."

# A cell that does not end is interrupted, and the next one runs.
c.Execute.timeout = 30
c.Execute.interrupt_on_timeout = True
c.Autograde.sanitize_preprocessors = [
    ClearOutput, MendCells, OverwriteKernelspec, OverwriteCells, CheckCellMetadata
]  # fmt: skip
c.Autograde.pre_convert_hook = note_versions

c.GenerateFeedback.preprocessors = [GetGrades, HideTests, CSSHTMLHeaderPreprocessor]
