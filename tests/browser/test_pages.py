"""The lessons' pages and slides in a browser, opened as files with the network cut."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias

import pytest
from playwright.sync_api import Browser, Page, expect

from notebooks import pages, slides
from notebooks.lessons import stored
from tests.browser.conftest import shoot
from tests.browser.watching import CONTRASTS, Shown
from tests.notebooks.made_up import code, lesson, played
from tokenlab.algorithms.bpe.train import train

Open: TypeAlias = Callable[..., Page]

NAMES = [lesson.name for lesson in stored()]
FORMULAS = r"""# Formulas

A pair's score is $\frac{c(ab)}{c(a)\,c(b)}$; it costs $5 and $6. All together:

$$\log P(x) = \sum_{i=1}^{n} \log p(x_i) \qquad \begin{aligned} a &= b \\ &= c \end{aligned}$$

<details><summary>Why $n$?</summary>Since $x_n$ is the last.</details>
"""
PIXEL = base64.b64encode(bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010806000000 1f15c4890000000d49444154789c636060606000000005000"
    "1a5f645400000000049454e44ae426082".replace(" ", "")
)).decode()  # fmt: skip
SCREENS = {
    "light": {"color_scheme": "light"},
    "dark": {"color_scheme": "dark"},
    "narrow": {"viewport": {"width": 320, "height": 640}, "has_touch": True, "color_scheme": "dark"},
}
each_screen = pytest.mark.parametrize("screen", SCREENS)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The real site and the real slides, and one of each about formulas."""
    folder = tmp_path_factory.mktemp("build")
    made_up = lesson(
        FORMULAS, played(train.record({"bun": 15, "pun": 10}, 8)), code("plot", image_png=PIXEL), name="90_made_up"
    )
    pages.main([str(folder / "site")])
    slides.main([str(folder / "slides")])
    pages.write(pages.site([made_up]) | {"index.html": pages.index(stored())}, folder / "site")
    (folder / "slides/90_made_up.html").write_text(slides.slides_page(made_up, NAMES), encoding="utf-8")
    return folder


@pytest.fixture
def open_page(browser: Browser, folder: Path) -> Iterator[Open]:
    """Opens a file; an error, a refusal or a request that is for no file of the folder fails the test."""
    wrong: list[str] = []
    contexts = []

    def open_page(name: str, query: str = "", **options: object) -> Page:
        context = browser.new_context(**{"viewport": {"width": 1200, "height": 800}} | options)  # type: ignore[arg-type]
        contexts.append(context)
        context.set_offline(True)
        context.route("http*://**", lambda route: route.abort())
        page = context.new_page()
        page.on("request", lambda request: wrong.append(request.url) if not _is_ours(request.url, folder) else None)
        page.on("requestfailed", lambda request: wrong.append(request.url))
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda message: wrong.append(message.text) if message.type in ("error", "warning") else None)
        page.goto((folder / name).as_uri() + query)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert wrong == []


def _is_ours(url: str, folder: Path) -> bool:
    return url.startswith(("data:", folder.as_uri()))


def fits(page: Page) -> None:
    """Nothing hangs over the right edge."""
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def is_readable(page: Page, within: str) -> None:
    """All text stands out from what is behind it."""
    page.locator("details").evaluate_all("all => all.forEach((one) => { one.open = true })")
    texts: list[tuple[str, str, float]] = page.locator(within).evaluate(CONTRASTS)
    dim = [text for text in texts if text[2] < (4 if text[0] == "b" else 4.5) and text[1] != "#"]
    assert len(texts) > 10 and not dim


# Pages


@each_screen
@pytest.mark.parametrize("name", ["index", NAMES[0], *(pytest.param(one, marks=pytest.mark.slow) for one in NAMES[1:])])
def test_a_page_fits_and_can_be_read(open_page: Open, name: str, screen: str) -> None:
    page = open_page(f"site/{name}.html", **SCREENS[screen])
    expect(page.get_by_role("heading", level=1)).to_have_count(1)
    fits(page)
    shoot(page, f"site-{name}-{screen}")
    if screen != "narrow":
        is_readable(page, "body")


@each_screen
def test_a_player_steps_and_asks_on_a_page(open_page: Open, screen: str) -> None:
    page = open_page("site/01_bpe_training.html", **SCREENS[screen])
    shown = Shown.on(page)
    shown.press("ArrowRight")
    shown.stands_at(1)
    assert shown.caption.startswith("After merge 1. u + n became un")
    shown.answer("b + un")
    expect(shown.find(".tl-yes")).to_have_text("Right.")
    shown.root.scroll_into_view_if_needed()
    shoot(page, f"site-player-{screen}", ".tl")
    fits(page)


@pytest.mark.slow
def test_all_players_of_all_pages_live(open_page: Open) -> None:
    for name in NAMES:
        page = open_page(f"site/{name}.html")
        players = page.locator("[data-tokenlab=frames]").count()
        expect(page.locator(".tl")).to_have_count(players)
        expect(page.get_by_text("This view is static")).to_have_count(0)
        for number in range(players):
            shown = Shown.on(page, number=number)
            shown.press("Home", "ArrowRight")
            shown.stands_at(1)


def test_without_scripts_a_page_can_be_read(open_page: Open) -> None:
    page = open_page("site/01_bpe_training.html", java_script_enabled=False)
    text = page.locator("body").inner_text()
    assert "Before merge 1." in text and "To step, allow this page its script." in text
    assert "Trust Notebook" not in text


def test_a_player_has_a_page_of_its_own(open_page: Open) -> None:
    page = open_page("site/01_bpe_training.html")
    page.get_by_role("link", name="open this player on a separate page").first.click()
    shown = Shown.on(page)
    shown.press("ArrowRight")
    shown.stands_at(1)
    shoot(page, "site-player-alone")
    page.get_by_role("link", name="How BPE learns its vocabulary").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("How BPE learns its vocabulary")


def test_one_gets_around_by_links(open_page: Open) -> None:
    page = open_page("site/index.html")
    page.get_by_role("link", name="How BPE learns its vocabulary").click()
    page.get_by_role("link", name="→").first.click()
    expect(page).to_have_title("How BPE encodes · tokenlab")
    page.get_by_role("link", name="01_bpe_training").first.click()
    page.get_by_role("link", name="All lessons").last.click()
    expect(page).to_have_title("The lessons · tokenlab")


@pytest.mark.parametrize("kind", ["site", "slides"])
@each_screen
def test_formulas_are_drawn(open_page: Open, kind: str, screen: str) -> None:
    page = open_page(f"{kind}/90_made_up.html", **SCREENS[screen])
    page.locator("details").evaluate_all("all => all.forEach((one) => { one.open = true })")
    boxes = [math.bounding_box() for math in page.locator("math").all()]
    assert len(boxes) == 4 and all(box and min(box["height"], box["width"]) > 3 for box in boxes)
    fraction = page.locator("mfrac").bounding_box()
    letter = page.locator("details math").first.bounding_box()
    assert fraction and letter and fraction["height"] > 1.5 * letter["height"]
    expect(page.locator("p", has_text="it costs $5 and $6").first).to_be_visible()
    if kind == "site":
        fits(page)
    shoot(page, f"{kind}-formulas-{screen}")


def test_a_page_is_printed_in_light_and_without_buttons(open_page: Open) -> None:
    page = open_page("site/01_bpe_training.html", color_scheme="dark")
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    for selector in ("nav", ".tl-bar", ".anchor", ".alone"):
        expect(page.locator(selector).first).to_be_hidden()
    expect(page.locator(".tl-caption").first).to_be_visible()
    shoot(page, "site-print")


# Slides


def place(page: Page) -> tuple[int, int]:
    page.wait_for_function("Reveal.isReady()")
    return page.evaluate("Reveal.getIndices().h"), page.evaluate("Reveal.getIndices().v")


@pytest.mark.parametrize("screen", ["light", "dark"])
def test_arrow_keys_turn_slides_and_step_a_focused_player(open_page: Open, screen: str) -> None:
    page = open_page("slides/01_bpe_training.html", **SCREENS[screen])
    assert place(page) == (0, 0)
    shoot(page, f"slides-title-{screen}")
    page.keyboard.press("ArrowDown")
    assert place(page) == (0, 1)
    shown = Shown.on(page)
    shown.root.click(position={"x": 5, "y": 100})
    for key in ("ArrowRight", "ArrowRight", "ArrowLeft", "End", "Home", "ArrowRight"):
        page.keyboard.press(key)
        assert place(page) == (0, 1)
    shown.stands_at(1)
    expect(shown.find(".tl-ask").first).to_be_visible()
    shown.answer("b + un")
    assert place(page) == (0, 1)
    shoot(page, f"slides-player-{screen}")
    is_readable(page, "section.present > section.present")
    shown.root.evaluate("player => player.blur()")
    page.keyboard.press("ArrowRight")
    assert place(page) == (1, 0)


@pytest.mark.slow
def test_every_slide_is_reached_and_fits_or_scrolls(open_page: Open) -> None:
    for name in NAMES:
        page = open_page(f"slides/{name}.html")
        place(page)
        wanted = page.evaluate("document.querySelectorAll('.slides > section > section').length")
        seen = set()
        for _ in range(wanted):
            seen.add(place(page))
            slide = page.locator("section.present > section.present")
            expect(slide).to_be_visible()
            box = slide.bounding_box()
            assert box and box["x"] >= 0 and box["x"] + box["width"] <= 1200 and box["y"] + box["height"] <= 800
            assert slide.evaluate("s => s.scrollWidth <= s.clientWidth && getComputedStyle(s).overflowY === 'auto'")
            page.evaluate("Reveal.next()")
        assert len(seen) == wanted == page.evaluate("Reveal.getTotalSlides()")


def test_a_long_slide_is_scrolled_before_it_is_turned(open_page: Open) -> None:
    page = open_page("slides/01_bpe_training.html")
    place(page)
    long = page.evaluate(
        """() => { for (const slide of document.querySelectorAll(".slides > section > section")) {
            const { h, v } = Reveal.getIndices(slide);
            Reveal.slide(h, v);
            if (slide.scrollHeight > slide.clientHeight + 150) return [h, v];
        } }"""
    )
    slide = page.locator("section.present > section.present")
    for _ in range(20):
        before = slide.evaluate("s => s.scrollTop")
        page.keyboard.press("ArrowDown")
        if list(place(page)) != long:
            break
        page.wait_for_function("([s, top]) => s.scrollTop > top", arg=[slide.element_handle(), before])
    assert before > 100 and place(page) == (long[0], long[1] + 1)


def test_the_address_overrules_the_theme(open_page: Open) -> None:
    grounds = []
    for query in ("?theme=light", "?theme=dark"):
        page = open_page("slides/01_bpe_training.html", query, color_scheme="light")
        place(page)
        grounds.append(page.evaluate("getComputedStyle(document.querySelector('.reveal-viewport')).backgroundColor"))
    assert grounds == ["rgb(255, 255, 255)", "rgb(21, 21, 23)"]


def test_questions_unfold_on_slides_by_keyboard(open_page: Open) -> None:
    page = open_page("slides/01_bpe_training.html")
    place(page)
    page.locator("summary").first.focus()
    page.keyboard.press(" ")
    expect(page.locator("details").first).to_have_attribute("open", "")
    assert place(page) == (0, 0)
