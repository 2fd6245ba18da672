"""The picture is never cut: on a laptop's screen, what is asked and what it needs are in view at every frame.

And how a player is used: number keys, a click, a swipe, less motion, and paper.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import nbformat
import pytest
from playwright.sync_api import Browser, Page, expect

from publish.lessons import FRAMES, Lesson, html_outputs, stored
from tests.browser.conftest import Lab, lessons_open
from tests.browser.in_lab import NOTEBOOK, run_all
from tests.browser.test_layout import IN_VIEW, LAPTOP, OUTPUT
from tests.browser.watching import Shown, boxes
from tokenlab import data
from tokenlab.algorithms.bpe.train import train
from tokenlab.algorithms.unigram.viterbi import viterbi
from tokenlab.libraries.transformers import T5ForConditionalGeneration, T5Tokenizer
from tokenlab.show.player import Player, load_asset
from tokenlab.traces.generation.trace_beam_search import trace_beam_search

Open: TypeAlias = Callable[..., Shown]

WORDS = {"bun": 15, "pup": 11, "pun": 10, "bug": 6, "ten": 5, "pug": 3}
PIECES = {"b": -3.0, "u": -3.0, "n": -3.0, "bu": -4.0, "un": -3.5, "bun": -4.5}
ASSETS = {"style": load_asset("player.css"), "script": f"{{{load_asset('player.js')}\nplayHere()}}"}
ACTIVE = re.search(r'ACTIVE ?= ?"(.*?)"', load_asset("player.js"))
assert ACTIVE
# At each frame, asked and answered: what is cut off of the stage and of the text, and whether in each panel the active
# part is in view; a panel that is cut is at least 60 pixels high.
ALL_FRAMES = """async ([root, active]) => {
    const stage = root.querySelector(".tl-tracks"), slider = root.querySelector(".tl-bar input[type=range]");
    const drawn = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    const found = [];
    const look = (at) => {
        const cut = (part) => part.scrollHeight - part.clientHeight;
        const view = stage.getBoundingClientRect(), ask = root.querySelector(".tl-ask");
        const asked = ask.checkVisibility() ? ask.getBoundingClientRect().bottom - view.bottom : 0;
        const hidden = [], low = [];
        for (const panel of root.querySelectorAll(".tl-panel")) {
            if (!panel.checkVisibility() || cut(panel) <= 1) continue;
            const around = panel.getBoundingClientRect(), box = panel.querySelector(active)?.getBoundingClientRect();
            if (around.height < 60) low.push(around.height);
            if (box && (box.top > around.bottom - 8 || box.bottom < around.top + 8)) hidden.push([box, around]);
        }
        const said = Math.max(...[...root.querySelectorAll(".tl-said")].map(cut));
        found.push({ at, stage: cut(stage), said, asked, hidden, low, height: root.getBoundingClientRect().height });
    };
    for (let at = 0; at <= +slider.max; at += 1) {
        slider.value = at;
        slider.dispatchEvent(new Event("input"));
        await drawn();
        look(at);
        const option = root.querySelector(".tl-ask:not([hidden]) button:not(:disabled)");
        if (!option) continue;
        option.click();
        await drawn();
        look(at);
    }
    return found;
}"""
LINE = 24  # pixels of a question that may be below the edge
LONG = 100  # pixels of a caption above a long question and its verdict, to which the column of the text scrolls


@pytest.fixture
def laptop(browser: Browser) -> Iterator[Page]:
    page = browser.new_page(viewport=LAPTOP, reduced_motion="reduce")
    yield page
    page.close()


def with_todays_assets(html: str) -> str:
    """A stored output with the script and the style of today."""
    for kind, text in ASSETS.items():
        html = re.sub(
            rf"(?s)(<{kind} data-tokenlab=player>).*?(?=</{kind}>)", lambda found, text=text: found[1] + text, html
        )
    return html


def shown_on(page: Page, html: str) -> list[Shown]:
    """The players of an output, as wide as in JupyterLab."""
    style = "<style>:root{color-scheme:light}</style>"
    page.set_content(f"<!doctype html><meta charset=utf-8>{style}<div style=width:{OUTPUT}px>{html}</div>")
    return [Shown(page, root) for root in page.locator(".tl").all()]


@pytest.mark.slow
@pytest.mark.parametrize("lesson", stored(), ids=lambda lesson: lesson.name)
def test_no_frame_of_a_player_is_cut(laptop: Page, lesson: Lesson) -> None:
    for output in html_outputs(lesson.notebook):
        if FRAMES not in output["text/html"]:
            continue
        for shown in shown_on(laptop, with_todays_assets(output["text/html"])):
            root = shown.root.element_handle()
            laptop.wait_for_function("root => root.querySelector('.tl-tracks').dataset.measured", arg=root)
            for frame in laptop.evaluate(ALL_FRAMES, [root, ACTIVE[1]]):
                assert frame["stage"] <= 1 and frame["said"] <= LONG and frame["asked"] <= LINE, frame
                assert not frame["hidden"] and not frame["low"], frame
                assert frame["height"] <= IN_VIEW


@pytest.fixture
def opened(browser: Browser) -> Iterator[Open]:
    """Opens a player on a page of its own."""
    pages = []

    def opened(player: Player, **options: Any) -> Shown:
        pages.append(browser.new_page(**{"viewport": LAPTOP} | options))
        pages[-1].set_content(player.page("page"))
        shown = Shown.on(pages[-1])
        pages[-1].wait_for_function("document.querySelector('.tl-tracks').dataset.measured")
        return shown

    yield opened
    for page in pages:
        page.close()


def test_the_question_is_beside_the_picture_on_a_wide_screen_and_above_it_on_a_phone(opened: Open) -> None:
    player = train.record(WORDS, 20).play()
    for width, beside in ((1366, True), (390, False)):
        shown = opened(player, viewport={"width": width, "height": 768})
        shown.press("ArrowRight")
        ask, picture = boxes(shown.find(".tl-ask").first, shown.find(".tl-shown"))
        assert ask and picture
        assert (ask["x"] + ask["width"] <= picture["x"]) is beside
        assert (ask["y"] + ask["height"] <= picture["y"]) is not beside


# Keys


def test_number_keys_answer_a_question(opened: Open) -> None:
    shown = opened(train.record(WORDS, 20).play())
    shown.press("1")
    shown.stands_at(0)
    shown.press("ArrowRight")
    expect(shown.options.nth(1)).to_have_attribute("aria-keyshortcuts", "2")
    shown.press("9")
    expect(shown.find(".tl-verdict")).to_be_empty()
    shown.press("2")
    expect(shown.options.nth(1)).to_be_disabled()
    expect(shown.options.nth(1)).to_have_class(re.compile("tl-right|tl-wrong"))
    shown.press("1")
    expect(shown.find(".tl-verdict")).not_to_be_empty()
    shown.press("ArrowRight")
    shown.stands_at(2)


def test_a_number_typed_in_the_list_of_speeds_answers_nothing(opened: Open) -> None:
    shown = opened(train.record(WORDS, 20).play())
    shown.press("ArrowRight")
    shown.find("select").press("2")
    expect(shown.find(".tl-verdict")).to_be_empty()


def test_the_bar_shows_the_keys_where_there_are_keys(opened: Open) -> None:
    player = train.record(WORDS, 20).play()
    keys = opened(player).find(".tl-keys")
    expect(keys).to_be_visible()
    expect(keys).to_have_text("← → step · Space plays · 1 2 3 answer")
    narrow = opened(player, viewport={"width": 390, "height": 768}, has_touch=True, is_mobile=True)
    expect(narrow.find(".tl-keys")).to_be_hidden()


OUTLINES = """root => { const found = [];
    for (let part = document.activeElement; part; part = part.parentElement) {
        const { outlineStyle, boxShadow } = getComputedStyle(part);
        if (outlineStyle !== "none" || boxShadow !== "none") found.push(part.className);
    }
    return found;
}"""
CELLS = f"() => {NOTEBOOK}.content.widgets.map((cell) => cell.model.type + cell.model.sharedModel.getSource())"
STATE = f"() => [{NOTEBOOK}.content.mode, {NOTEBOOK}.content.activeCellIndex]"


@pytest.mark.slow
def test_in_jupyterlab_a_click_draws_no_outline_and_no_key_reaches_the_cell(browser: Browser, lab: Lab) -> None:
    kernel = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
    source = f"from tokenlab.algorithms.bpe.train import train\ntrain.record({WORDS}, 20)"
    notebook = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(source), nbformat.v4.new_markdown_cell("Below.")],
        metadata={"kernelspec": kernel},
    )
    nbformat.write(notebook, lab.folder / "picture.ipynb")
    with lessons_open(browser, lab) as opens:
        page = opens("picture.ipynb", viewport=LAPTOP)
        page.set_default_timeout(60_000)
        run_all(page)
        page.wait_for_selector(".tl")
        shown = Shown.on(page)
        shown.root.scroll_into_view_if_needed()
        page.wait_for_function("document.querySelector('.tl-tracks').dataset.measured")
        shown.find(".tl-caption").click()
        assert page.evaluate(OUTLINES) == []
        expect(shown.root).to_be_focused()
        before, state = page.evaluate(CELLS), page.evaluate(STATE)
        for key in (
            "ArrowRight",
            "1",
            "2",
            "ArrowDown",
            "ArrowUp",
            "m",
            "y",
            "Enter",
            "Escape",
            "a",
            "b",
            "d",
            "d",
            "x",
        ):
            page.keyboard.press(key)
        assert page.evaluate(CELLS) == before and page.evaluate(STATE) == state
        shown.stands_at(1)


# Fingers

SWIPE = """([part, x, y]) => {
    const touch = (x, y) => new Touch({ identifier: 1, target: part, clientX: 200 + x, clientY: 300 + y });
    const send = (kind, name, one) => part.dispatchEvent(new TouchEvent(kind, { bubbles: true, [name]: [one] }));
    send("touchstart", "touches", touch(0, 0));
    send("touchend", "changedTouches", touch(x, y));
}"""


def test_a_swipe_steps_on_and_back(opened: Open) -> None:
    shown = opened(
        train.record(WORDS, 20).play(predict=False),
        viewport={"width": 390, "height": 768},
        has_touch=True,
        is_mobile=True,
    )
    caption = shown.find(".tl-caption").element_handle()

    def swipe(x: int, y: int) -> None:
        shown.page.evaluate(SWIPE, [caption, x, y])

    swipe(-120, 10)
    shown.stands_at(1)
    swipe(-120, -20)
    shown.stands_at(2)
    swipe(120, 0)
    shown.stands_at(1)
    for x, y in ((-20, 0), (-120, 200), (0, -300)):  # a tap, and a scroll
        swipe(x, y)
    shown.stands_at(1)


def test_a_swipe_over_a_wide_picture_scrolls_it(opened: Open) -> None:
    player = viterbi.record("bun" * 8, PIECES).play(predict=False)
    shown = opened(player, viewport={"width": 390, "height": 768}, has_touch=True, is_mobile=True)
    shown.page.evaluate(SWIPE, [shown.find(".tl-panel svg").first.element_handle(), -120, 0])
    shown.stands_at(0)


# Motion

MOVING = """async () => {
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    const changed = ([first]) => Object.keys(first).filter((name) => !/offset$|easing|composite/i.test(name));
    return document.getAnimations().map(({ effect }) => [effect.target.localName, changed(effect.getKeyframes())]);
}"""
END = "document.getAnimations().forEach((motion) => motion.finish())"


def slow_down(shown: Shown) -> None:
    """Let motion take ten times as long, so that a busy machine sees it before it ends."""
    shown.page.context.new_cdp_session(shown.page).send("Animation.setPlaybackRate", {"playbackRate": 0.1})


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_symbols_that_merge_slide_together_and_bars_grow(opened: Open, motion: str) -> None:
    shown = opened(train.record(WORDS, 20).play(predict=False), reduced_motion=motion)
    slow_down(shown)
    shown.press("ArrowRight")
    moving = shown.page.evaluate(MOVING)
    if motion == "reduce":
        assert moving == []
        return
    assert ["b", ["transform"]] in moving and ["b", ["opacity"]] in moving and ["i", ["width"]] in moving
    assert shown.find(".tl-ghosts b").all_inner_texts() == ["u", "n"] * 2  # in bun and in pun
    shown.page.evaluate(END)
    expect(shown.find(".tl-ghosts b")).to_have_count(0)


def test_a_backtrace_is_drawn_and_a_step_back_shows_no_motion(opened: Open) -> None:
    recording = viterbi.record("bun", PIECES)
    shown = opened(recording.play(predict=False), reduced_motion="no-preference")
    slow_down(shown)
    shown.go(len(recording) - 1)
    shown.press("End")
    assert any(name == "path" for name, _ in shown.page.evaluate(MOVING))
    shown.page.evaluate(END)
    shown.page.wait_for_timeout(300)  # no motion is shown while steps follow fast
    shown.press("ArrowLeft")
    assert shown.page.evaluate(MOVING) == []


DEAD = """() => Object.fromEntries([...document.querySelectorAll(".beams [data-at]")].map((beam) =>
    [beam.dataset.at, getComputedStyle(beam.querySelector("rect")).fill === "none"]))"""
DYING = """() => document.getAnimations().map(({ effect }) => effect)
    .filter(({ target }) => target.matches(".beams rect"))
    .map((one) => [one.target.closest("[data-at]").dataset.at, one.getKeyframes().map((key) => key.fillOpacity)])"""


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_the_fill_of_a_beam_that_dies_fades(opened: Open, motion: str) -> None:
    tokenizer = T5Tokenizer.from_pretrained(data.t5_tiny())
    model = T5ForConditionalGeneration.from_pretrained(data.t5_tiny()).eval()
    recording = trace_beam_search.record(model, tokenizer, "translate English to German: Tom read my book.", 3)
    shown = opened(recording.play(predict=False), reduced_motion=motion)
    slow_down(shown)
    died = 0
    for _ in recording:
        before = shown.page.evaluate(DEAD)
        shown.page.wait_for_timeout(300)  # as above
        shown.press("ArrowRight")
        shown.page.evaluate(MOVING)
        moving = dict(shown.page.evaluate(DYING))
        shown.page.evaluate(END)
        after = shown.page.evaluate(DEAD)
        dead = [beam for beam, was_dead in before.items() if not was_dead and after.get(beam)]
        died += len(dead)
        assert moving == ({} if motion == "reduce" else {beam: ["1", "0"] for beam in dead})
    assert died >= 3


# Paper


def test_paper_keeps_the_colours_and_cuts_nothing(opened: Open) -> None:
    shown = opened(train.record(WORDS, 20).play(), reduced_motion="reduce")  # without parts that slide and go
    shown.press("ArrowRight", "1")
    shown.page.emulate_media(media="print")
    colours = shown.find("td i, b").evaluate_all("all => all.map((one) => getComputedStyle(one).printColorAdjust)")
    assert len(colours) > 20 and set(colours) == {"exact"}
    for part in shown.find(".tl-tracks, .tl-panel").all():
        assert part.evaluate("part => part.scrollHeight <= part.clientHeight + 1")


def test_a_panel_that_is_too_wide_can_have_the_focus_and_scroll(opened: Open) -> None:
    for width, focusable in ((390, "0"), (1366, None)):
        shown = opened(viterbi.record("bunbunbun", PIECES).play(), viewport={"width": width, "height": 768})
        panel = shown.find(".tl-panel:has(svg)").first
        assert panel.evaluate("panel => panel.scrollWidth > panel.clientWidth + 1") is (focusable == "0")
        assert panel.get_attribute("tabindex") == focusable
