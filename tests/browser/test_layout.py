"""Where things are on a laptop's screen, 1366 by 768: the question, the height of a player, and what is below it."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any, TypeAlias

import pytest
from playwright.sync_api import Browser, Page, expect

from publish.lessons import Lesson, players, stored
from tests.browser.watching import Shown, boxes
from tokenlab.algorithms.bpe.train import train
from tokenlab.show.frames import Frame, Panel, chip
from tokenlab.show.player import Player, PlayerTrack, load_asset
from tokenlab.show.views.decoding.beam_panels import table_rows

Open: TypeAlias = Callable[[str], Shown]

WORDS = {"bun": 15, "pup": 11, "pun": 10, "bug": 6, "ten": 5, "pug": 3}
LAPTOP = {"width": 1366, "height": 768}
OUTPUT = 915  # pixels: the width of an output in JupyterLab on this screen
IN_VIEW = 640  # pixels: the height that JupyterLab leaves to a notebook on this screen
LINE = 30  # pixels: less than two lines
URGE = "Answer first, or step again to skip this question."
HEIGHTS = """async root => {
    const slider = root.querySelector(".tl-bar input[type=range]"), heights = [];
    for (let at = 0; at <= +slider.max; at += 1) {
        slider.value = at;
        slider.dispatchEvent(new Event("input"));
        const ask = root.querySelector(".tl-ask"), shown = root.getBoundingClientRect();
        heights.push([shown.height, ask.checkVisibility() ? ask.getBoundingClientRect().bottom - shown.top : 0]);
        for (const option of ask.querySelectorAll("button:not(:disabled)")) option.click();
        heights.push([root.getBoundingClientRect().height, 0]);
    }
    return heights;
}"""
# How often a step reads a size, which makes the browser lay out the page at once, before it draws the next frame.
SIZES_READ = """root => {
    const sizes = ["scrollHeight", "scrollWidth", "clientHeight", "clientWidth"], { prototype } = Element;
    const own = sizes.map((size) => Object.getOwnPropertyDescriptor(prototype, size));
    let read = 0;
    sizes.forEach((size, at) => Object.defineProperty(prototype, size, {
        configurable: true, get() { read += 1; return own[at].get.call(this); },
    }));
    root.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight" }));
    sizes.forEach((size, at) => Object.defineProperty(prototype, size, own[at]));
    return read;
}"""
DARKEST = """async png => {
    const picture = await createImageBitmap(await (await fetch(`data:image/png;base64,${png}`)).blob());
    const canvas = new OffscreenCanvas(picture.width, picture.height).getContext("2d");
    canvas.drawImage(picture, 0, 0);
    return Math.min(...canvas.getImageData(0, 0, picture.width, picture.height).data.filter((_, at) => at % 4 < 3));
}"""


@pytest.fixture
def open_player(browser: Browser) -> Iterator[Open]:
    """Opens a player's data as wide as in JupyterLab, below a screen of text."""
    page = browser.new_page(viewport=LAPTOP)

    def open_player(data: str) -> Shown:
        style, script = load_asset("player.css"), f"{{{load_asset('player.js')}\nplayHere()}}"
        page.set_content(
            "<!doctype html><meta charset=utf-8><style>:root{color-scheme:light}</style>"
            f"<div style=width:{OUTPUT}px><p style=height:768px>Text above.</p><div class=tokenlab><div></div>"
            f"<style>{style}</style><script type=application/json data-tokenlab=frames>{data}</script>"
            f"<script>{script}</script></div></div>"
        )
        return measured(page)

    yield open_player
    page.close()


def measured(page: Page) -> Shown:
    """The player, once it has reserved the height of its tallest frame."""
    shown = Shown.on(page)
    page.wait_for_function("root => root.querySelector('.tl-tracks').dataset.measured", arg=shown.root.element_handle())
    return shown


@pytest.fixture
def bun(open_player: Open) -> Shown:
    shown = open_player(train.record(WORDS, 20).play().data)
    shown.root.scroll_into_view_if_needed()
    return shown


def keeps_its_height(shown: Shown) -> None:
    found = shown.root.evaluate(HEIGHTS)
    heights = [height for height, _ in found]
    assert max(abs(one - other) for one, other in pairwise(heights)) <= LINE
    assert max(heights) <= IN_VIEW
    assert max(below for _, below in found) <= IN_VIEW


def test_no_step_and_no_answer_changes_the_height_of_a_player(bun: Shown) -> None:
    keeps_its_height(bun)


@pytest.mark.slow
@pytest.mark.parametrize("lesson", stored(), ids=lambda lesson: lesson.name)
def test_all_stored_players_keep_their_height_and_fit_the_screen(open_player: Open, lesson: Lesson) -> None:
    for data in players(lesson.notebook):
        keeps_its_height(open_player(json.dumps(data | {"short": []}).replace("<", "\\u003c")))


def test_a_frame_too_tall_for_the_screen_scrolls_within_the_player(open_player: Open) -> None:
    made = [Panel("lines", tuple(f"<li>{line}" for line in range(lines))) for lines in (60, 61)]
    frames = tuple(Frame(f"Moment {number}", "", panels=(each,)) for number, each in enumerate(made))
    shown = open_player(Player([PlayerTrack("tall", frames, "")]).data)
    box = shown.root.bounding_box()
    assert box and box["height"] <= IN_VIEW
    panel = shown.find(".tl-panel")
    assert panel.evaluate("panel => panel.scrollHeight > panel.clientHeight + 100 && panel.tabIndex === 0")
    assert shown.find(".tl-tracks").evaluate("stage => stage.scrollHeight <= stage.clientHeight")
    panel.focus()
    shown.page.keyboard.press("PageDown")
    shown.page.wait_for_function("panel => panel.scrollTop > 50", arg=panel.element_handle())
    shown.page.keyboard.press("ArrowRight")
    shown.stands_at(1)


def test_a_tall_frame_has_a_shadow_at_its_lower_edge_until_its_end_is_reached(open_player: Open) -> None:
    panel = Panel("lines", tuple(f"<li>{line}" for line in range(60)))
    shown = open_player(Player([PlayerTrack("tall", (Frame("Moment", "", panels=(panel,)),), "")]).data)
    stage = shown.find(".tl-panel")
    stage.evaluate("stage => stage.scrollIntoView({ block: 'end' })")

    def darkest() -> int:
        """The darkest grey of a column of pixels, without text, at the lower edge."""
        box = stage.bounding_box()
        assert box
        clip = {"x": box["x"] + box["width"] - 40, "y": box["y"] + box["height"] - 20, "width": 1, "height": 20}
        return int(shown.page.evaluate(DARKEST, b64encode(shown.page.screenshot(clip=clip)).decode()))

    assert darkest() < 220
    stage.evaluate("stage => { stage.scrollTop = stage.scrollHeight }")
    assert darkest() > 245


def test_no_cell_of_a_table_of_beams_wraps_although_jupyterlab_lets_cells_wrap(page: Page) -> None:
    rows = "".join(table_rows(("beam",), (f"<tr><td>1 {chip('_Küche')}",)))
    page.set_content(
        f"<style>{load_asset('player.css')}.jp-RenderedHTMLCommon td {{ white-space: normal }}</style>"
        f"<div class=jp-RenderedHTMLCommon><div class=tl style=width:40px><ul>{rows}</ul></div></div>"
    )
    cell, number = page.locator(".ledger td"), page.locator(".ledger td b")
    assert cell.evaluate("cell => getComputedStyle(cell).whiteSpace") == "nowrap"
    assert number.evaluate("chip => chip.offsetLeft > chip.parentElement.offsetLeft + 10")


def test_a_question_is_in_view_beside_what_it_hides(bun: Shown) -> None:
    bun.page.evaluate("scrollTo(0, 0)")
    bun.root.evaluate("root => scrollBy(0, root.getBoundingClientRect().top - innerHeight + 100)")
    bun.root.evaluate("root => root.focus({ preventScroll: true })")
    bun.page.keyboard.press("ArrowRight")
    ask, hidden = boxes(bun.find(".tl-ask").first, bun.find(".tl-hidden"))
    assert ask and hidden
    assert ask["y"] >= 0 and ask["y"] + ask["height"] <= LAPTOP["height"]
    assert ask["x"] + ask["width"] <= hidden["x"] <= ask["x"] + ask["width"] + 400
    assert abs(ask["y"] - hidden["y"]) <= 200 and hidden["y"] + hidden["height"] <= LAPTOP["height"]


@pytest.mark.parametrize("how", ["key", "button", "play"])
def test_a_step_past_a_question_is_made_at_the_second_try(bun: Shown, how: str) -> None:
    tries: dict[str, Callable[[], Any]] = {
        "key": lambda: bun.press("ArrowRight"),
        "button": lambda: bun.button("Step forward").click(),
        "play": lambda: bun.button("Play").click(),
    }
    bun.press("ArrowRight")
    bun.stands_at(1)
    expect(bun.find(".tl-verdict")).to_be_empty()
    tries[how]()
    expect(bun.find(".tl-verdict")).to_have_text(URGE)
    expect(bun.root.get_by_role("status")).to_have_text(URGE)
    bun.stands_at(1)
    tries[how]()
    bun.stands_at(2)


def test_a_key_held_down_stops_at_a_question(bun: Shown) -> None:
    for repeated in (False, True, True, True):
        bun.root.dispatch_event("keydown", {"key": "ArrowRight", "bubbles": True, "repeat": repeated})
    bun.stands_at(1)


def test_a_step_back_from_a_question_and_an_answered_one_are_not_held_up(bun: Shown) -> None:
    bun.press("ArrowRight", "ArrowLeft")
    bun.stands_at(0)
    bun.press("ArrowRight")
    bun.options.last.click()
    bun.press("ArrowRight")
    bun.stands_at(2)


def test_a_step_reads_no_size(open_player: Open) -> None:
    shown = measured(open_player(train.record(WORDS, 20).play(predict=False).data).page)
    assert shown.root.evaluate(SIZES_READ) == 0
    shown.stands_at(1)


def test_a_frame_that_was_not_measured_also_reserves_its_height(open_player: Open) -> None:
    few, many = (Panel("lines", tuple(f"<li>{line}" for line in range(lines))) for lines in (2, 9))
    tallest = 1  # of this number of frames, only every third is measured
    frames = tuple(Frame(f"Moment {at}", "", panels=(many if at == tallest else few,)) for at in range(120))
    shown = measured(open_player(Player([PlayerTrack("tall", frames, "")]).data).page)
    heights = []
    for _ in range(2):
        shown.press("ArrowRight")
        heights.append((shown.root.bounding_box() or {})["height"])
    assert heights[0] == heights[1]
