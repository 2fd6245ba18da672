"""A student's text cannot become markup in a page that an instructor opens; the hints of a sheet stay folded."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import nbformat
import pytest
from traitlets.config import Config

from course.course_folder import CONFIG, FOLDER

HINT = "<details><summary>Hint</summary>\n\nCount the pairs.\n</details>"


@pytest.fixture
def preprocessed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.chdir(tmp_path)
    release = tmp_path / "release" / "assignment1"
    release.mkdir(parents=True)
    sheet = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell(f"Corrected.\n{HINT}")])
    nbformat.write(sheet, release / "assignment1.ipynb")
    settings = runpy.run_path(str(FOLDER / CONFIG), {"get_config": Config})  # as traitlets runs them
    return settings["PlainMarkdown"]()


def shown(plain: Any, source: str) -> str:
    submitted = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell(source)])
    ids = {"assignment": "assignment1", "notebook": "assignment1", "student": "anna"}
    [cell] = plain.preprocess(submitted, {"nbgrader": ids})[0].cells
    return str(cell.source)


def test_hints_stay_folded_in_a_sheet_whose_text_was_corrected_later(preprocessed: Any) -> None:
    assert shown(preprocessed, f"Corrected.\n{HINT}") == f"Corrected.\n{HINT}"
    assert shown(preprocessed, f"Not yet corrected.\n{HINT}") == f"Not yet corrected.\n{HINT}"


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "<details ontoggle=alert(1) open>",
        "<details\nopen ontoggle=alert(1)>",
        "<summary/onclick=alert(1)>",
        "<detailsx>",
        "</details x>",
        "<DETAILS onclick=alert(1)>",
        "<!-- hidden -->",
        "<?php ?>",
    ],
)
def test_other_tags_become_text(preprocessed: Any, text: str) -> None:
    assert shown(preprocessed, f"{text} a") == f"{text} a".replace("<", "<\u200b")
