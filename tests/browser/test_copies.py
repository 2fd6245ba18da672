"""What JupyterLab saves of a lesson that was only opened and run does not count as a learner's change."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import ROOT, Lab
from tests.browser.in_lab import NOTEBOOK, execute, wait_for_kernel
from tests.scripts import script


@pytest.mark.slow
def test_a_lesson_that_was_opened_run_and_saved_follows_an_update(page: Page, lab: Lab, tmp_path: Path) -> None:
    name = "02_bpe_encoding.ipynb"
    lesson, copy = ROOT / "notebooks" / name, lab.folder / name
    lab.open(page, name)
    wait_for_kernel(page)
    page.evaluate(f"{NOTEBOOK}.content.activeCellIndex = 1")
    execute(page, "notebook:run-cell")
    execute(page, "docmanager:save")
    page.wait_for_function(f"!{NOTEBOOK}.context.model.dirty")
    lab_py = script("lab.py")
    my, lessons = tmp_path / "my", tmp_path / "notebooks"
    for folder in (my, lessons):
        folder.mkdir()
    shutil.copy(lesson, lessons / name)
    lab_py.copy_lessons(lessons, my, lambda copies: None)
    shutil.copy(copy, my / name)
    update = json.loads(lesson.read_bytes())
    update["cells"][0]["source"] = "# New"
    (lessons / name).write_text(json.dumps(update), encoding="utf-8")
    lab_py.copy_lessons(lessons, my, lambda copies: None)
    assert [path.name for path in my.glob("*.ipynb")] == [name]
    assert json.loads((my / name).read_bytes())["cells"][0]["source"] == "# New"
