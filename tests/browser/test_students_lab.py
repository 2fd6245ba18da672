"""JupyterLab as `make lab` starts it, on a laptop's screen: names of files in full, and nothing of nbgrader."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Lab, shoot
from tests.browser.in_lab import change_theme
from tests.scripts import script

CUT = "all => all.filter((name) => name.scrollWidth > name.clientWidth).map((name) => name.textContent)"
LESSONS = re.compile(r"^(\d\d_|capstone_)")  # other tests leave copies with longer names in the folder


@pytest.mark.slow
@pytest.mark.parametrize("theme", ["Light", "Dark"])
def test_names_of_lessons_are_shown_in_full_and_nothing_of_nbgrader(page: Page, lab: Lab, theme: str) -> None:
    for layout in (lab.folder / ".workspaces").iterdir():
        layout.unlink()  # of other tests
    script("lab.py").set_up_jupyterlab(lab.folder)
    page.set_viewport_size({"width": 1366, "height": 768})
    page.goto(f"{lab.url}/lab/tree/00_start_here.ipynb")  # without ?reset, which would remove the layout
    page.wait_for_selector(".jp-NotebookPanel .jp-Cell")
    change_theme(page, theme)
    names = page.locator(".jp-DirListing-itemText").filter(has_text=LESSONS)
    expect(names.filter(has_text="19_group_and_constrained_beams.ipynb")).to_be_visible()
    assert names.evaluate_all(CUT) == []
    expect(page.get_by_role("button", name="Restart the kernel", exact=True)).to_be_visible()  # the toolbar is there
    for name in ("Nbgrader", "Validate", "Create Assignment"):
        expect(page.get_by_text(name)).to_have_count(0)
    shoot(page, f"students-{theme.lower()}")
    change_theme(page, "Light")
