"""Explorers in JupyterLab on a laptop's screen, 1366 by 768: a control and its effect are in view together."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import nbformat
import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.conftest import Lab, lessons_open, shoot
from tests.browser.in_lab import cell, change_theme, run_all, wait_for_kernel
from tests.browser.test_layout import IN_VIEW as HEIGHT
from tests.browser.test_layout import OUTPUT, measured
from tests.browser.watching import COLOURS, Shown, boxes
from tokenlab import data
from tokenlab.libraries.transformers import T5ForConditionalGeneration, T5Tokenizer
from tokenlab.show.explorers.explore_bpe import explore_bpe_training
from tokenlab.show.explorers.explore_generation import explore_beam_search
from tokenlab.show.explorers.explore_real_tokenizers import explore_real_tokenizers
from tokenlab.show.explorers.widgets import PlayerWidget

# 1366 pixels, less those by which `lab.py` makes the file browser wider.
LAPTOP = {"width": 1291, "height": 768}
MODEL = """from tokenlab import data
from tokenlab.libraries.transformers import T5ForConditionalGeneration, T5Tokenizer
tokenizer = T5Tokenizer.from_pretrained(data.t5_tiny())
model = T5ForConditionalGeneration.from_pretrained(data.t5_tiny()).eval()
"""
TEXT = "translate English to German: The girl gave the teacher a book."
CALLS = {  # the explorers with the most controls
    "next token": f"explore_generation import *; explore_next_token('{TEXT}', model, tokenizer)",
    "attention": f"explore_t5 import *; explore_t5_attention('{TEXT}', model, tokenizer)",
    "beams": f"explore_generation import *; explore_beam_search('{TEXT}', model, tokenizer)",
    "map": f"explore_t5 import *; explore_t5_map('{TEXT}', 'Ein Buch.', model, tokenizer)",
    "pre-training": f"explore_pretraining import *; explore_span_corruption('{TEXT}', tokenizer)",
    "training": "explore_bpe import *; explore_bpe_training('hug pug hugs', 12)",
}
CELLS = {name: f"from tokenlab.show.explorers.{call}" for name, call in CALLS.items()}
each_explorer = pytest.mark.parametrize("name", CELLS)
# How well a handle stands out from the notebook's page.
STANDS_OUT = f"handle => {{{COLOURS} return ratio(ground(handle.closest('.jp-Notebook')), ground(handle)); }}"
IN_VIEW = """explorer => {
    const notebook = document.querySelector(".jp-Notebook").getBoundingClientRect();
    return explorer.getBoundingClientRect().height <= Math.min(notebook.bottom, innerHeight) - notebook.top;
}"""


@pytest.fixture(scope="module")
def ran(browser: Browser, lab: Lab) -> Iterator[Page]:
    """A notebook of explorers, all run."""
    kernel = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(MODEL)], metadata={"kernelspec": kernel})
    notebook.cells += [nbformat.v4.new_code_cell(source) for source in CELLS.values()]
    nbformat.write(notebook, lab.folder / "explorers.ipynb")
    with lessons_open(browser, lab) as opens:
        page = opens("explorers.ipynb", viewport=LAPTOP)
        page.set_default_timeout(60_000)
        run_all(page)
        wait_for_kernel(page)
        yield page


@pytest.fixture
def explorer_of(ran: Page) -> Callable[[str], Locator]:
    def explorer_of(name: str) -> Locator:
        found = cell(ran, CELLS[name]).locator(".tokenlab-explorer")
        expect(found.locator(".tl-tracks[data-measured]")).to_be_attached()
        found.evaluate("explorer => explorer.scrollIntoView({ block: 'start' })")
        return found

    return explorer_of


@pytest.mark.slow
@each_explorer
def test_all_controls_and_the_player_are_in_view_together(explorer_of: Callable[[str], Locator], name: str) -> None:
    explorer = explorer_of(name)
    shoot(explorer.page, f"explorer-{name}")
    assert explorer.evaluate(IN_VIEW)
    controls, player = boxes(explorer, explorer.locator(".tl"))
    assert controls and player
    assert player["y"] - controls["y"] <= 170
    assert player["height"] >= 300


@pytest.mark.slow
@each_explorer
def test_no_name_of_a_control_is_truncated(explorer_of: Callable[[str], Locator], name: str) -> None:
    labels = explorer_of(name).locator(".widget-label:visible")
    assert labels.count() >= 3
    assert all(labels.evaluate_all("all => all.map((one) => one.scrollWidth <= one.clientWidth)"))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["next token", "attention", "beams", "map"])
def test_a_known_sentence_is_chosen_from_a_list_beside_the_text(
    explorer_of: Callable[[str], Locator], name: str
) -> None:
    explorer = explorer_of(name)
    box, choices = explorer.locator("input[type=text]").first, explorer.get_by_label("or choose")
    typed, listed = boxes(box, choices)
    assert typed and listed
    assert typed["x"] + typed["width"] < listed["x"] and abs(typed["y"] - listed["y"]) <= 2
    assert listed["width"] >= 120
    before = explorer.locator(".tl").inner_text()
    choices.select_option("My sister did not buy a blue shirt.")
    expect(box).to_have_value("translate English to German: My sister did not buy a blue shirt.")
    expect(explorer.locator(".tl")).not_to_have_text(before, use_inner_text=True)
    box.fill("translate English to German: The dragon sings.")
    expect(explorer.locator(".tokenlab-message")).to_contain_text("not trained on dragon, sings")
    expect(choices.locator("option:checked")).to_have_text("a sentence that it knows")
    choices.select_option("The girl gave the teacher a book.")
    expect(box).to_have_value(TEXT)
    expect(explorer.locator(".tokenlab-message p")).to_have_count(0)


@pytest.mark.slow
def test_an_invalid_text_is_answered_below_its_box_and_the_old_result_is_grey(
    explorer_of: Callable[[str], Locator],
) -> None:
    explorer = explorer_of("training")
    box, message, stage = (explorer.locator(part) for part in ("textarea", ".tokenlab-message p", ".tl-tracks"))
    opacity = "stage => getComputedStyle(stage).opacity"
    assert stage.evaluate(opacity) == "1"
    box.fill(" ")
    expect(message).to_contain_text("text has no word yet")
    typed, said = boxes(box, message)
    assert typed and said
    assert 0 <= said["y"] - typed["y"] - typed["height"] <= 20
    assert float(stage.evaluate(opacity)) < 0.5
    assert explorer.evaluate(IN_VIEW)
    shoot(explorer.page, "explorer-invalid")
    box.fill("hug pug")
    expect(message).to_have_count(0)
    assert stage.evaluate(opacity) == "1"


@pytest.mark.slow
@pytest.mark.parametrize(("name", "count"), [("next token", 5), ("map", 2), ("pre-training", 3)])
@pytest.mark.parametrize("theme", ["Light", "Dark"])
def test_the_handles_of_sliders_stand_out_on_a_track_that_has_a_length(
    explorer_of: Callable[[str], Locator], theme: str, name: str, count: int
) -> None:
    explorer = explorer_of(name)
    try:
        change_theme(explorer.page, theme)
        handles = explorer.locator(".noUi-handle")
        assert handles.count() == count
        assert min(handles.evaluate_all(f"all => all.map({STANDS_OUT})")) >= 3
        tracks = explorer.locator(".noUi-target").evaluate_all("all => all.map((one) => one.offsetWidth)")
        assert min(tracks) >= 60
    finally:
        change_theme(explorer.page, "Light")


@pytest.mark.slow
def test_the_old_picture_stays_and_says_that_the_new_one_is_computed(explorer_of: Callable[[str], Locator]) -> None:
    explorer = explorer_of("training")
    before = explorer.locator(".tl-caption").inner_text()
    explorer.evaluate("explorer => explorer.classList.add('tokenlab-busy')")  # as while the kernel computes
    progress = explorer.locator(".tl").evaluate("player => getComputedStyle(player, '::before').content")
    assert "Computing" in progress
    assert explorer.locator(".tl-caption").inner_text() == before
    explorer.evaluate("explorer => explorer.classList.remove('tokenlab-busy')")
    assert explorer.locator(".tl").evaluate("player => getComputedStyle(player, '::before').content") == "none"


def test_a_short_wait_shows_no_progress_and_a_long_one_does(page: Page) -> None:
    player = explore_bpe_training("hug pug", 9).player
    page.clock.install()
    page.set_content(
        f"<style>{PlayerWidget._css}</style><div class='tokenlab-explorer tokenlab-busy'>{player.html}</div>"
    )
    shown = Shown.on(page)
    appears = """player => getComputedStyle(player, "::before").animationName.split(", ").indexOf("tokenlab-appear")"""
    place = shown.root.evaluate(appears)
    delays: str = shown.root.evaluate("player => getComputedStyle(player, '::before').animationDelay")
    assert place >= 0 and float(delays.split(", ")[place].rstrip("s")) >= 0.3


def test_a_stored_explorer_has_its_controls_disabled_above_a_player_that_steps(page: Page) -> None:
    stored: dict[str, Any] = explore_bpe_training("hug pug", 9)._repr_mimebundle_()
    page.set_content(f"<!doctype html><meta charset=utf-8>{stored['text/html']}")
    controls = page.get_by_role("group", name="Run this cell to type your own text and change these settings.")
    expect(controls).to_be_visible()
    expect(controls.get_by_role("textbox", name="text")).to_be_disabled()
    expect(controls.get_by_role("textbox", name="text")).to_have_value("hug pug")
    expect(controls.get_by_role("slider", name="vocab_size")).to_be_disabled()
    expect(controls.get_by_role("combobox", name="tie_break")).to_be_disabled()
    shown = Shown.on(page)
    shown.press("ArrowRight")
    shown.stands_at(1)


@pytest.mark.slow
def test_a_stored_explorer_with_many_controls_is_in_view_as_a_whole(page: Page) -> None:
    tokenizer = T5Tokenizer.from_pretrained(data.t5_tiny())
    model = T5ForConditionalGeneration.from_pretrained(data.t5_tiny()).eval()
    stored: dict[str, Any] = explore_beam_search(TEXT, model, tokenizer)._repr_mimebundle_()
    page.set_viewport_size(LAPTOP)
    page.set_content(f"<!doctype html><meta charset=utf-8><div style=width:{OUTPUT}px>{stored['text/html']}</div>")
    shown = measured(page)
    controls, player = boxes(page.locator("fieldset"), shown.root)
    assert controls and player
    assert controls["height"] > 80 and player["height"] > 400
    assert player["y"] + player["height"] - controls["y"] <= HEIGHT


@pytest.mark.parametrize("text", [TEXT, f"{TEXT} " * 5, "bun" * 40])
def test_a_stored_explorer_fits_a_phone_and_its_text_is_seen_as_a_whole(browser: Browser, text: str) -> None:
    page = browser.new_page(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    stored: dict[str, Any] = explore_bpe_training(text, 30)._repr_mimebundle_()
    head = "<!doctype html><meta charset=utf-8><meta name=viewport content='width=device-width, initial-scale=1'>"
    page.set_content(f"{head}<style>body {{ margin: 0 16px }}</style>{stored['text/html']}")
    for part in page.locator("fieldset, fieldset label, fieldset label > *").all():
        box = part.bounding_box()
        assert box and box["x"] + box["width"] <= 390 - 16
    typed = page.get_by_role("textbox")
    assert typed.evaluate("box => box.scrollWidth <= box.clientWidth && box.scrollHeight <= box.clientHeight")
    page.close()


# JupyterLab's style sheet aligns the cells of all tables in outputs to the right.
JUPYTERLAB = ".jp-RenderedHTMLCommon td, .jp-RenderedHTMLCommon th { text-align: right }"


def test_the_tokens_of_real_tokenizers_begin_next_to_their_number(page: Page) -> None:
    stored: dict[str, Any] = explore_real_tokenizers("Japanese", ["GPT-2", "GPT-4o"])._repr_mimebundle_()
    page.set_viewport_size(LAPTOP)
    page.set_content(f"<style>{JUPYTERLAB}</style><div class=jp-RenderedHTMLCommon>{stored['text/html']}</div>")
    page.get_by_role("button", name="Step forward").click()
    rows = page.locator(".tl table tr")
    expect(rows).to_have_count(2)
    for row in rows.all():
        number, first = boxes(row.locator("td strong"), row.locator("td span").first)
        assert number and first
        assert 0 < first["x"] - (number["x"] + number["width"]) < 20
