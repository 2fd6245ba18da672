"""The map of a T5 in a saved page and in JupyterLab: a click on a block shows its numbers, in both themes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Lab, shoot
from tests.browser.in_lab import change_theme, player, wait_for_kernel
from tests.browser.watching import Shown
from tests.libraries.transformers.test_t5_seen import LETTERS, SOURCE, TARGET, small_model
from tokenlab.show import you_are_here
from tokenlab.traces.t5.trace_model_map import trace_model_map

RECORDING: Any = trace_model_map.record(small_model(), LETTERS, SOURCE, TARGET)
SMALL_SCREEN = {"width": 1366, "height": 768}


def frame_of(block: str) -> int:
    return next(number for number, step in enumerate(RECORDING, start=1) if step.block == block)


@pytest.fixture
def shown(page: Page, tmp_path: Path) -> Shown:
    page.set_viewport_size({"width": 1366, "height": 768})
    page.goto(RECORDING.save(tmp_path / "map.html").as_uri())
    shown = Shown.on(page)
    shown.root.get_by_role("checkbox", name="Predict").uncheck()
    return shown


def click(shown: Shown, label: str, number: int = 0) -> None:
    shown.find(".tlm [data-go]").filter(has=shown.page.get_by_text(label, exact=True)).nth(number).click()


def test_a_click_zooms_from_the_model_to_a_layer_to_a_head(shown: Shown) -> None:
    click(shown, "layer 0", 1)
    shown.stands_at(frame_of("decoder.block.0.self_attention.norm"))
    click(shown, "cross-attention")
    shown.stands_at(frame_of("decoder.block.0.cross_attention.queries"))
    click(shown, "softmax", 1)  # the first one belongs to the output layer
    shown.stands_at(frame_of("decoder.block.0.cross_attention.weights"))
    assert "cross-attention: softmax" in shown.caption
    expect(shown.find(".tln td.on")).to_have_count(1)
    click(shown, "loss")
    shown.stands_at(len(RECORDING))


BOXES = """() => [...document.querySelectorAll(".tlm [data-go]")].map((box) =>
    [+box.dataset.go, getComputedStyle(box.querySelector("rect")).strokeDasharray !== "none"])"""


def test_the_boxes_that_are_computed_later_are_dashed(shown: Shown) -> None:
    assert not any(dashed for _, dashed in shown.page.evaluate(BOXES))
    for number in range(1, len(RECORDING) + 1):
        shown.press("ArrowRight")
        boxes = shown.page.evaluate(BOXES)
        wrong = [(first, dashed) for first, dashed in boxes if dashed != (first > number)]
        assert len(boxes) >= 10 and not wrong, (number, wrong)


def test_the_keys_work_after_a_click(shown: Shown) -> None:
    click(shown, "layer 0")
    shown.page.keyboard.press("ArrowRight")
    shown.stands_at(frame_of("encoder.block.0.self_attention.queries"))
    shown.page.keyboard.press("ArrowLeft")
    shown.stands_at(frame_of("encoder.block.0.self_attention.norm"))


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_numbers_can_be_read_and_the_page_does_not_scroll_sideways(shown: Shown, scheme: Any) -> None:
    shown.page.emulate_media(color_scheme=scheme)
    click(shown, "layer 0")
    click(shown, "scores QKᵀ")
    shown.is_readable()
    shoot(shown.page, f"model_map_{scheme}")
    shown.page.set_viewport_size({"width": 320, "height": 700})
    assert shown.page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.slow
@pytest.mark.parametrize("theme", ["Light", "Dark"])
def test_the_stored_lesson_can_be_clicked_in_jupyterlab(open_lesson: Callable[..., Page], theme: str) -> None:
    page = open_lesson("13_t5_in_one_picture.ipynb", viewport=SMALL_SCREEN)
    change_theme(page, theme)
    shown = player(page, "explore_t5_map(")
    shown.root.get_by_role("checkbox", name="Predict").uncheck()
    click(shown, "layer 0", 1)
    assert "Decoder, layer 0, self-attention: RMS norm" in shown.caption
    click(shown, "cross-attention")
    click(shown, "scores QKᵀ")
    assert "cross-attention: scores" in shown.caption
    shown.root.scroll_into_view_if_needed()
    shoot(page, f"model_map_lab_{theme.lower()}")


@pytest.mark.slow
@pytest.mark.parametrize("trusted", [False, True])
def test_the_map_of_a_lesson_says_how_to_see_it_only_while_it_is_not_trusted(
    lab: Lab, open_lesson: Callable[..., Page], trusted: bool
) -> None:
    html = you_are_here("cross-attention")._repr_html_()
    output = nbformat.v4.new_output("display_data", {"text/html": html})
    kernel = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
    cells = [nbformat.v4.new_code_cell("here", outputs=[output])]
    notebook = nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": kernel})
    name = f"map_{trusted}.ipynb"
    nbformat.write(notebook, lab.folder / name)
    page = open_lesson(name, viewport=SMALL_SCREEN)
    wait_for_kernel(page)
    if trusted:
        page.evaluate("void window.jupyterapp.commands.execute('notebook:trust')")
        page.locator(".jp-Dialog button.jp-mod-accept").click()
        expect(page.locator(".tlm svg")).to_be_visible()
    sentence = page.get_by_text("You are here: cross-attention. To see the map, run this cell, or trust this notebook")
    expect(sentence).to_be_visible(visible=not trusted)
    if not trusted:  # the labels, which remain of the drawing, take no room
        sizes = page.locator(".tlm").evaluate_all("all => all.map((one) => one.getBoundingClientRect().height)")
        assert sizes == [0]
        shoot(page, "untrusted_map")
