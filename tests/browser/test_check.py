"""A learner writes `merge` wrongly in lesson 01, and asks again and again what is wrong with it."""

from __future__ import annotations

from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Lab, shoot
from tests.browser.in_lab import change_theme
from tokenlab.misconceptions.bpe_training import string_replace_merge
from tokenlab.misconceptions.catalog import rule_of

LESSON = "01_bpe_training.ipynb"
NOTEBOOK = "window.jupyterapp.shell.currentWidget"
WRONG = 'return tuple(" ".join(split).replace(" ".join(pair), "".join(pair)).split())'


def cell_number(page: Page, text: str) -> int:
    number = page.evaluate(
        f"text => {NOTEBOOK}.content.model.sharedModel.cells.findIndex(cell => cell.source.includes(text))", text
    )
    assert number >= 0
    return int(number)


def run_cell(page: Page, number: int) -> Locator:
    """Run one cell and wait until it is done; its output comes back."""
    page.evaluate(
        f"""async number => {{
            const panel = {NOTEBOOK};
            await panel.sessionContext.ready;
            panel.content.activeCellIndex = number;
            await window.jupyterapp.commands.execute("notebook:run-cell");
        }}""",
        number,
    )
    return page.locator(".jp-Notebook .jp-Cell").nth(number).locator(".jp-OutputArea-output")


def write(page: Page, number: int, old: str, new: str) -> None:
    page.evaluate(
        f"""([number, old, fresh]) => {{
            const cell = {NOTEBOOK}.content.model.sharedModel.getCell(number);
            cell.setSource(cell.source.replace(old, fresh));
        }}""",
        [number, old, new],
    )


def test_a_wrong_merge_is_told_more_each_time(page: Page, lab: Lab) -> None:
    lab.open(page, LESSON)
    for needed in ("from tokenlab import check\n\nmy_pair", "from tokenlab.algorithms.bpe.train import merge"):
        run_cell(page, cell_number(page, needed))
    task = cell_number(page, "def my_merge(split, pair)")
    write(page, task, "return ...", WRONG)

    output = run_cell(page, task)
    expect(output).to_contain_text("gives ('aba',).")
    expect(output).not_to_contain_text("The rule:")
    expect(output).not_to_contain_text("Worked solution")
    output.scroll_into_view_if_needed()
    shoot(page, "check-1")

    output = run_cell(page, task)
    expect(output).to_contain_text(f"The rule: {rule_of(string_replace_merge)}")
    expect(output.locator(".tl")).to_have_count(0)
    shoot(page, "check-2")

    output = run_cell(page, task)
    player = output.locator(".tl")
    expect(player).to_contain_text("yours")
    expect(player).to_contain_text("expected")
    solution = output.locator("details", has_text="Worked solution")
    expect(solution.locator("pre")).not_to_be_visible()
    solution.locator("summary").click()
    expect(solution.locator("pre")).to_contain_text("def my_merge(split, pair):")
    player.scroll_into_view_if_needed()
    shoot(page, "check-3")
    change_theme(page, "Dark")
    shoot(page, "check-3-dark")
    change_theme(page, "Light")

    write(page, task, WRONG, "return merge(split, pair)")
    expect(run_cell(page, task)).to_contain_text("✓ Right.")


def test_the_full_source_unfolds_below_the_short_one(page: Page, lab: Lab) -> None:
    lab.open(page, LESSON)
    for needed in ("from tokenlab.algorithms.bpe.train import train", "show.source(train)"):
        output = run_cell(page, cell_number(page, needed))
    short = output.locator("pre").first
    expect(short).to_contain_text("def train(word_counts, vocab_size")
    full = output.locator("details")
    expect(full.locator("pre")).not_to_be_visible()
    full.locator("summary").click()
    expect(full.locator("pre")).to_contain_text("@stepwise")
    expect(full.locator("pre span").first).to_be_attached()  # highlighted
    shoot(page, "source")
