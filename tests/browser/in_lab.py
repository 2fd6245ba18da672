"""What the browser tests do to a notebook in JupyterLab."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Locator, Page, expect

from tests.browser.watching import Shown

NOTEBOOK = "window.jupyterapp.shell.currentWidget"


def execute(page: Page, command: str, **arguments: Any) -> None:
    page.evaluate(
        "([command, args]) => window.jupyterapp.commands.execute(command, args).then(() => true)", [command, arguments]
    )


def change_theme(page: Page, theme: str) -> None:
    """To Light or Dark; a splash of JupyterLab is let go first, for one shown twice it removes twice, and fails."""
    splash = page.locator("#jupyterlab-splash")
    expect(splash).to_have_count(0, timeout=20_000)
    execute(page, "apputils:change-theme", theme=f"JupyterLab {theme}")
    light = str(theme == "Light").lower()
    expect(page.locator("body")).to_have_attribute("data-jp-theme-light", light, timeout=20_000)
    expect(splash).to_have_count(0, timeout=20_000)


def run_all(page: Page) -> None:
    wait_for_kernel(page)
    execute(page, "notebook:run-all-cells")


def wait_for_kernel(page: Page) -> None:
    page.wait_for_function(f"{NOTEBOOK}.sessionContext.session?.kernel?.status === 'idle'")


def outputs(page: Page) -> list[dict[str, Any]]:
    """All outputs of the notebook, each with the number of its cell."""
    found: list[dict[str, Any]] = page.evaluate(
        f"""() => {NOTEBOOK}.content.widgets.flatMap((cell, index) =>
            (cell.model.outputs?.toJSON() ?? []).map((output) => ({{ ...output, cell: index }})))"""
    )
    return found


def cell(page: Page, source: str) -> Locator:
    """The code cell with such a source, scrolled to."""
    execute(page, "notebook:expand-all-headings")  # undoing something folds them again
    index: int = page.evaluate(
        f"""source => {NOTEBOOK}.content.widgets.findIndex((cell) => cell.model.type === "code"
            && cell.model.sharedModel.getSource().includes(source))""",
        source,
    )
    assert index >= 0, f"no cell has {source}"
    found = page.locator(".jp-Notebook .jp-Cell").nth(index)
    found.scroll_into_view_if_needed()
    return found


def player(page: Page, source: str) -> Shown:
    """The player beneath the cell with such a source."""
    return Shown.on(page, cell(page, source))


def steps(shown: Shown) -> None:
    """It goes a step on and a step back, or the other way round at the end."""
    shown.ask(False)
    at, before = int(shown.slider.input_value()), shown.caption
    there, back, away = ("ArrowRight", "ArrowLeft", at + 1)
    if shown.slider.get_attribute("max") == str(at):
        there, back, away = ("ArrowLeft", "ArrowRight", at - 1)
    shown.press(there)
    shown.stands_at(away)
    assert shown.caption != before
    shown.press(back)
    shown.stands_at(at)
    assert shown.caption == before
    shown.ask(True)
