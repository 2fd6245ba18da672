"""A lesson on the next day: it was run and saved, its kernel ended, and it is opened with another browser profile."""

from __future__ import annotations

import shutil

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.conftest import Lab, lessons_open
from tests.browser.in_lab import NOTEBOOK, cell, execute, outputs, run_all, steps, wait_for_kernel
from tests.browser.watching import Shown
from tokenlab.cells_above import ADVICE
from tokenlab.show.explorers.explorer import WIDGET

LESSONS = [
    "00_start_here",
    pytest.param("12_slow_and_fast_tokenizers", marks=pytest.mark.slow),
    pytest.param("17_greedy_and_sampling", marks=pytest.mark.slow),
]
DEAD = ("Error displaying widget", "Loading widget", "is not defined")
SAVE_STATE = "@jupyter-widgets/jupyterlab-manager:saveWidgetState"  # toggles the setting


@pytest.fixture(params=LESSONS)
def lesson(lab: Lab, request: pytest.FixtureRequest) -> str:
    """A copy of a lesson that only the tests of this file change; its content is trusted already."""
    name = f"day_two_{request.param}.ipynb"
    shutil.copy(lab.folder / f"{request.param}.ipynb", lab.folder / name)
    return name


def learn(page: Page) -> list[int]:
    """Run all cells of a lesson, save it, and end its kernel; return the numbers of the cells with an explorer."""
    page.set_default_timeout(120_000)
    run_all(page)
    wait_for_kernel(page)
    made = outputs(page)
    assert [output for output in made if output["output_type"] == "error"] == []
    execute(page, "docmanager:save")
    page.wait_for_function(f"!{NOTEBOOK}.context.model.dirty")
    return [output["cell"] for output in made if WIDGET in output.get("data", {})]


def run_cell(page: Page, source: str) -> Locator:
    """Run the cell with such a source, and return its visible outputs."""
    part = cell(page, source)
    part.locator(".jp-InputArea-editor").click()
    execute(page, "notebook:run-cell")
    wait_for_kernel(page)
    return part.locator(".jp-OutputArea-output:visible")


def explorers_are_stored_players(page: Page, cells: list[int]) -> None:
    """Each of these cells shows a player that steps, and one sentence on how to enable its controls."""
    execute(page, "notebook:expand-all-headings")
    for number in cells:
        part = page.locator(".jp-Notebook .jp-Cell").nth(number)
        part.scroll_into_view_if_needed()
        expect(part.locator(".tl:visible")).to_have_count(1)
        expect(part.get_by_role("group", name="Run this cell to ")).to_be_visible()
        expect(part.locator(".jupyter-widgets:visible")).to_have_count(0)
        steps(Shown(page, part.locator(".tl:visible")))


def nothing_is_dead(page: Page) -> None:
    shown = page.locator(".jp-OutputArea-output:visible").all_inner_texts()
    assert shown
    assert [text for text in shown if any(word in text for word in DEAD)] == []


def test_stored_explorers_are_shown_on_the_next_day(browser: Browser, lab: Lab, lesson: str) -> None:
    with lessons_open(browser, lab) as opens:
        page = opens(lesson)
        cells = learn(page)
        assert cells
        page.evaluate(f"{NOTEBOOK}.sessionContext.shutdown().then(() => true)")
    with lessons_open(browser, lab) as opens:
        page = opens(lesson)
        wait_for_kernel(page)
        # Only now has JupyterLab looked for the widgets in vain.
        expect(page.locator(".jp-OutputArea-output.jupyter-widgets", has_text=DEAD[0])).to_have_count(
            len(cells), timeout=60_000
        )
        explorers_are_stored_players(page, cells)
        nothing_is_dead(page)


start_here = pytest.mark.parametrize("lesson", ["00_start_here"], indirect=True)


@pytest.mark.slow
@start_here
def test_a_cell_that_is_run_alone_gives_the_advice_and_keeps_its_player(
    browser: Browser, lab: Lab, lesson: str
) -> None:
    with lessons_open(browser, lab) as opens:
        page = opens(lesson)
        wait_for_kernel(page)
        for source in ("tokenize_at_each_granularity.record(", "tokenize_at_each_granularity.record("):  # again, too
            shown = run_cell(page, source)
            expect(shown).to_have_count(2)
            expect(shown.first).to_have_text(f"This cell needs data from a cell above. {ADVICE}")
            steps(Shown.on(page, shown.last))
        explorer = run_cell(page, "explore_segmentations(")
        expect(explorer.locator(".jupyter-widgets input[type=text]")).to_be_visible()
        expect(explorer).to_have_count(1)  # the stored player is hidden
        nothing_is_dead(page)


@pytest.mark.slow
@start_here
def test_explorers_whose_kernel_was_restarted_or_whose_state_was_saved_are_stored_players(
    browser: Browser, lab: Lab, lesson: str
) -> None:
    with lessons_open(browser, lab) as opens:
        page = opens(lesson)
        execute(page, SAVE_STATE)
        cells = learn(page)
        assert page.evaluate(f"{NOTEBOOK}.context.model.getMetadata('widgets')")
        page.evaluate(f"{NOTEBOOK}.sessionContext.session.kernel.restart().then(() => true)")
        explorers_are_stored_players(page, cells)
    with lessons_open(browser, lab) as opens:
        page = opens(lesson)
        wait_for_kernel(page)
        expect(page.locator(".jupyter-widgets-disconnected").first).to_be_attached()
        explorers_are_stored_players(page, cells)
        execute(page, SAVE_STATE)
