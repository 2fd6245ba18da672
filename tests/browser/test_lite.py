"""The lessons in a browser tab, without a server of Jupyter: they run to their end, check solutions and keep them.

The site is made of what an earlier `make lite` downloaded. Instead of the compiled `regex`, which only the full
distribution of Pyodide has, it contains the stand-in of `publish/live`; it has neither numpy nor matplotlib.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser.conftest import served
from tests.browser.in_lab import NOTEBOOK, cell, execute, outputs, player, steps
from tests.browser.test_check import cell_number, run_cell, write
from tests.browser.test_lessons import EXPLORE_TEXT, FIRST_PLAYER
from tests.browser.watching import Shown
from tests.publish.lite_site import lite_site

MINUTES = 60_000
SOLUTION = """merged, at = [], 0
    while at < len(split):
        both = split[at : at + 2] == pair
        merged.append("".join(pair) if both else split[at])
        at += 1 + both
    return tuple(merged)"""
ENDLESS = """while True:
        split = split"""


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server that sends the site."""
    with served(lite_site(tmp_path_factory.mktemp("lite"))) as address:
        yield address


@pytest.fixture
def reader(browser: Browser, address: str) -> Iterator[BrowserContext]:
    """A reader's browser, which keeps what it stores, and asks for nothing outside the site."""
    context = browser.new_context(viewport={"width": 1200, "height": 900})
    context.set_default_timeout(3 * MINUTES)
    elsewhere: list[str] = []
    context.on("request", lambda request: elsewhere.append(request.url))
    yield context
    context.close()
    assert [url for url in elsewhere if not url.startswith((address, "data:", "blob:"))] == []


def open_lesson(reader: BrowserContext, address: str, name: str) -> Page:
    """Open a lesson in a new tab, and wait for its kernel."""
    page = reader.new_page()
    page.goto(f"{address}/lab/index.html?path={name}.ipynb")
    page.wait_for_function("window.jupyterapp")
    page.wait_for_function(
        f"""name => {NOTEBOOK}?.context?.path === name && {NOTEBOOK}.context.isReady
            && {NOTEBOOK}.sessionContext.session?.kernel?.status === "idle" """,
        arg=f"{name}.ipynb",
    )
    return page


def stored(name: str) -> list[dict[str, Any]]:
    """The cells of a stored lesson."""
    notebook = json.loads(Path(f"notebooks/{name}.ipynb").read_text(encoding="utf-8"))
    cells: list[dict[str, Any]] = notebook["cells"]
    return cells


def text_of(output: dict[str, Any]) -> str:
    """The plain text of an output, without what differs in each run: the addresses of objects."""
    text = output.get("text") or output.get("data", {}).get("text/plain", "")
    return re.sub(r"0x\w+", "", "".join(text)).strip()


@pytest.mark.parametrize(
    ("name", "lacking"),
    [("01_bpe_training", {"tokenizers", "matplotlib"}), ("06_unigram_segmenting", {"tokenizers"})],
)
def test_a_lesson_runs_from_top_to_bottom_with_the_stored_outputs(
    reader: BrowserContext, address: str, name: str, lacking: set[str]
) -> None:
    page = open_lesson(reader, address, name)
    execute(page, "notebook:clear-all-cell-outputs")  # what is compared is not what was stored
    execute(page, "notebook:run-all-cells")  # answers when all have run
    found: dict[int, list[dict[str, Any]]] = {}
    for output in outputs(page):
        assert output["output_type"] != "error", output
        found.setdefault(output["cell"], []).append(output)
    needed, compared = set(), 0
    for number, one in enumerate(stored(name)):
        if one["cell_type"] != "code":
            continue
        texts = [text for output in found.get(number, []) if (text := text_of(output))]
        before = [text for output in one["outputs"] if (text := text_of(output))]
        if before and "nbval-ignore-output" not in one["metadata"].get("tags", []):
            compared += 1
            if texts != before:
                sentence = re.fullmatch(r"This cell needs the library (\w+), which is not available .*", texts[0])
                assert sentence, (one["source"], texts, before)
                needed.add(sentence[1])
                assert texts[1:] in (before, before[1:]), one["source"]
    assert needed == lacking
    assert compared > 10


def test_a_player_steps_and_an_explorer_follows_what_a_learner_types(reader: BrowserContext, address: str) -> None:
    page = open_lesson(reader, address, "01_bpe_training")
    steps(player(page, FIRST_PLAYER))  # as it was stored
    run_cell(page, cell_number(page, FIRST_PLAYER))
    steps(player(page, FIRST_PLAYER))
    run_cell(page, cell_number(page, EXPLORE_TEXT))
    explorer = cell(page, EXPLORE_TEXT)
    explorer.locator(".jupyter-widgets textarea").fill("<b>ab</b> ab")
    expect(Shown.on(page, explorer).find(".tl-words").first).to_contain_text(re.compile(r"a\s*b\s*<\s*/\s*b\s*>"))
    explorer.locator(".widget-readout").fill("2")
    explorer.locator(".widget-readout").press("Enter")
    expect(explorer.locator(".tokenlab-message")).to_contain_text("vocab_size=2")


def test_a_solution_is_checked_an_endless_loop_ends_and_a_reload_finds_the_solution(
    reader: BrowserContext, address: str
) -> None:
    page = open_lesson(reader, address, "01_bpe_training")
    run_cell(page, cell_number(page, "from tokenlab import check\n\nmy_pair"))
    task = cell_number(page, "def my_merge(split, pair)")
    write(page, task, "return ...", ENDLESS)
    expect(run_cell(page, task)).to_contain_text("does not end: after 1,000,000 lines it was still in line")
    write(page, task, ENDLESS, SOLUTION)
    expect(run_cell(page, task)).to_contain_text("✓ Right.")
    execute(page, "docmanager:save")
    page.reload()
    page.close()
    again = open_lesson(reader, address, "01_bpe_training")
    expect(cell(again, "def my_merge(split, pair)")).to_contain_text("both = split[at : at + 2] == pair")
    expect(cell(again, "def my_merge(split, pair)")).to_contain_text("✓ Right.")
