"""The lessons' pages and slides in a browser, opened as files with the network cut."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, Route, expect

from publish import pages, slides
from publish.lessons import html_outputs, stored
from publish.prose import text_of
from tests.browser.conftest import shoot
from tests.browser.test_picture import with_todays_assets
from tests.browser.watching import CONTRASTS, Shown, boxes
from tests.publish.made_up import code, lesson, played
from tokenlab.algorithms.bpe.train import train

Open: TypeAlias = Callable[..., Page]

NAMES = [lesson.name for lesson in stored()]
TITLES = [text_of(lesson.title) for lesson in stored()]
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
pytestmark = pytest.mark.slow  # builds the whole site; `tests/publish` looks at its files in `make test`


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The real site and the real slides, and one of each about formulas."""
    folder = tmp_path_factory.mktemp("build")
    made_up = lesson(
        FORMULAS, played(train.record({"bun": 15, "pun": 10}, 8)), code("plot", image_png=PIXEL), name="90_made_up"
    )
    lessons = stored()
    for data in (data for each in lessons for data in html_outputs(each.notebook)):
        data["text/html"] = with_todays_assets(data["text/html"])
    pages.write([*lessons, made_up], folder / "site")
    slides.main([str(folder / "slides")])
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


def shown_on(page: Page, number: int = 0) -> Shown:
    """A player of a page of the site, which is mounted when it comes near the screen."""
    place = page.locator(".tokenlab").nth(number)
    place.scroll_into_view_if_needed()
    return Shown.on(page, place)


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


@pytest.mark.parametrize(
    ("name", "screen"),
    [
        *((name, screen) for name in ("index", NAMES[0]) for screen in SCREENS),
        *((name, [*SCREENS][number % 3]) for number, name in enumerate(NAMES[1::2])),  # one screen for each
    ],
)
def test_a_page_fits_and_can_be_read(open_page: Open, name: str, screen: str) -> None:
    page = open_page(f"site/{name}.html", **SCREENS[screen])
    expect(page.get_by_role("heading", level=1)).to_have_count(1)
    fits(page)
    shoot(page, f"site-{name}-{screen}")
    if screen != "narrow":
        is_readable(page, "article")


@pytest.mark.parametrize("name", ["instructors", NAMES[1]])
def test_code_and_tables_do_not_scroll_sideways(open_page: Open, name: str) -> None:
    nothing_scrolls_sideways(open_page(f"site/{name}.html", viewport={"width": 1366, "height": 768}))


def nothing_scrolls_sideways(page: Page) -> None:
    page.locator("details").evaluate_all("all => all.forEach((one) => { one.open = true })")
    wide = page.locator("article :is(pre, table, .table-wrapper, math):not(.tl *)").evaluate_all(
        "all => all.filter((one) => one.clientWidth && one.scrollWidth > one.clientWidth + 1).length"
    )
    assert wide == 0


@pytest.mark.cases(1)
@each_screen
def test_a_player_steps_and_asks_on_a_page(open_page: Open, screen: str) -> None:
    page = open_page("site/01_bpe_training.html", **SCREENS[screen])
    shown = shown_on(page)
    shown.press("ArrowRight")
    shown.stands_at(1)
    assert shown.caption.startswith("After merge 1. u + n became un")
    shown.answer("b + un")
    expect(shown.find(".tl-yes")).to_have_text("Right.")
    shown.root.scroll_into_view_if_needed()
    shoot(page, f"site-player-{screen}", ".tl")
    fits(page)


def test_a_player_runs_on_the_first_page(open_page: Open) -> None:
    page = open_page("site/index.html", viewport={"width": 1366, "height": 768})
    shown = shown_on(page)
    expect(shown.root).to_be_in_viewport()
    shown.button("Step forward").click()
    shown.stands_at(1)


def test_all_players_of_all_pages_are_drawn_and_each_page_fits(open_page: Open) -> None:
    for name in NAMES:
        page = open_page(f"site/{name}.html", viewport={"width": 1366, "height": 768})
        players = page.locator("[data-tokenlab=frames]").count()
        for place in page.locator(".tokenlab").all():
            place.scroll_into_view_if_needed()
        expect(page.locator(".tl")).to_have_count(players)
        expect(page.get_by_text("This view is static")).to_have_count(0)
        nothing_scrolls_sideways(page)
        fits(page)
        for number in sorted({0, players - 1} & {*range(players)}):  # one player's keys work as another's
            shown = shown_on(page, number)
            shown.ask(False)
            shown.press("Home", "ArrowRight")
            shown.stands_at(1)
        page.context.close()


def test_without_scripts_a_page_can_be_read(open_page: Open) -> None:
    page = open_page("site/01_bpe_training.html", java_script_enabled=False)
    text = page.locator("article").inner_text()
    assert "Before merge 1." in text and "To step, allow this page its script." in text
    assert "Trust Notebook" not in text


def test_a_player_has_a_page_of_its_own(open_page: Open) -> None:
    page = open_page("site/01_bpe_training.html")
    page.get_by_role("link", name="open this player on a separate page").first.click()
    shown = shown_on(page)
    shown.press("ArrowRight")
    shown.stands_at(1)
    shoot(page, "site-player-alone")
    page.get_by_role("link", name=TITLES[1]).click()
    expect(page.get_by_role("heading", level=1)).to_contain_text(TITLES[1])


def test_one_gets_around_by_links(open_page: Open) -> None:
    page = open_page("site/index.html")
    page.locator("article").get_by_role("link", name=TITLES[1]).click()
    expect(page).to_have_title(f"{TITLES[1]} - tokenlab")
    page.wait_for_load_state()
    page.locator("a.next-page").click()
    expect(page).to_have_title(f"{TITLES[2]} - tokenlab")
    page.wait_for_load_state()
    page.locator("article").get_by_role("link", name="01_bpe_training").first.click()
    expect(page).to_have_title(f"{TITLES[1]} - tokenlab")
    page.wait_for_load_state()
    page.get_by_role("link", name="tokenlab", exact=True).first.click()
    expect(page).to_have_title("tokenlab")


def test_a_search_finds_lessons_from_a_folder(open_page: Open) -> None:
    page = open_page("site/index.html")
    page.get_by_role("textbox", name="Search").fill("viterbi")
    page.keyboard.press("Enter")
    found = page.locator("#search-results li a")
    expect(found.filter(has_text="Unigram").first).to_be_visible()
    page.wait_for_load_state()
    found.filter(has_text="Unigram").first.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Unigram")


def test_each_hit_of_a_search_has_an_excerpt_and_lessons_come_first(open_page: Open) -> None:
    page = open_page("site/search.html", "?q=merging")
    hits = page.locator("#search-results ul.search > li")
    expect(page.locator("#search-results")).to_contain_text("Search finished")
    links = hits.locator("> a").evaluate_all("all => all.map((one) => one.getAttribute('href').split('.')[0])")
    lessons = [bool(re.match(r"\d\d_|capstone_", link)) for link in links]
    assert sum(lessons) >= 5 and lessons == sorted(lessons, reverse=True)
    excerpts = hits.locator("> .context").all_inner_texts()
    assert len(excerpts) == len(links) and all(20 < len(one) < 260 for one in excerpts)
    assert "merg" in excerpts[links.index("01_bpe_training")]


def test_an_excerpt_is_of_the_section_that_was_found(open_page: Open) -> None:
    page = open_page("site/search.html", "?q=beam+search")
    entry = page.locator("li", has=page.locator("a[href='glossary.html#beam-search']"))
    expect(entry.locator(".context")).to_contain_text("the B hypotheses with the highest cumulative log-probability")


def test_the_pictures_of_the_first_page_are_in_two_columns_on_a_laptop_and_in_one_on_a_phone(open_page: Open) -> None:
    for width, height, columns in ((1366, 768, 2), (390, 844, 1)):
        page = open_page("site/index.html", viewport={"width": width, "height": height})
        page.wait_for_function("document.querySelector('.tl-tracks').dataset.measured")
        boxes = [picture.bounding_box() for picture in page.locator(".picture").all()]
        assert len({box["x"] for box in boxes if box}) == columns and len(boxes) == 5
        first = page.locator(".tl").first.bounding_box()
        assert first and first["y"] + first["height"] <= height
        fits(page)
        page.context.close()


def test_panels_are_in_two_columns_on_a_laptop(open_page: Open) -> None:
    page = open_page("site/01_bpe_training.html", viewport={"width": 1366, "height": 768})
    shown = shown_on(page)
    page.wait_for_function("document.querySelector('.tl-tracks').dataset.measured")
    words, counts = boxes(shown.find(".tl-panel").nth(0), shown.find(".tl-panel").nth(1))
    assert words and counts
    assert words["x"] + words["width"] <= counts["x"]
    for part in shown.find(".tl-tracks, .tl-panel").all():
        assert part.evaluate("part => part.scrollHeight <= part.clientHeight + 1")


def test_formulas_and_maps_wider_than_a_phone_scroll_in_place(open_page: Open) -> None:
    for name in ("07_unigram_training", "14_t5_attention"):
        page = open_page(f"site/{name}.html", viewport={"width": 390, "height": 844}, is_mobile=True)
        page.locator("details").evaluate_all("all => all.forEach((one) => { one.open = true })")
        wide = page.locator("article :is(p, .tlm):not(.tl *)").evaluate_all(
            "all => all.filter((one) => one.scrollWidth > one.clientWidth).map((p) => getComputedStyle(p).overflowX)"
        )
        assert wide and {*wide} == {"auto"}


@pytest.mark.parametrize("name", ["06_unigram_segmenting", "14_t5_attention", "18_beam_search"])
def test_on_a_phone_the_keyboard_reaches_all_that_scrolls(open_page: Open, name: str) -> None:
    page = open_page(f"site/{name}.html", viewport={"width": 390, "height": 844}, is_mobile=True, bypass_csp=True)
    assert Axe().run(page, options=LOCAL).response["violations"] == []
    for number in range(page.locator(".tokenlab").count()):
        shown_on(page, number)
    expect(page.locator(".tokenlab .tl").first).to_be_visible()
    assert Axe().run(page, options=LOCAL).response["violations"] == []
    page.set_viewport_size({"width": 1366, "height": 768})
    expect(page.locator("article p[tabindex]")).to_have_count(0)


def test_the_contents_of_a_lesson_stay_in_view(open_page: Open) -> None:
    page = open_page("site/01_bpe_training.html", viewport={"width": 1366, "height": 768})
    entry = page.locator(".toc-tree").get_by_role("link", name="Where it breaks")
    entry.click()
    expect(page.get_by_role("heading", name="Where it breaks")).to_be_in_viewport()
    expect(entry).to_be_in_viewport()
    expect(
        page.locator(".toc-tree li.scroll-current").filter(has=page.get_by_role("link", name="Where it breaks"))
    ).to_have_count(1)


def test_code_is_copied_by_a_button(open_page: Open) -> None:
    page = open_page("site/01_bpe_training.html", permissions=["clipboard-read", "clipboard-write"])
    cell = page.locator(".cell_input").first
    cell.hover()
    cell.get_by_role("button").click()
    expect(cell.get_by_role("button")).to_have_attribute("data-tooltip", "Copied!")
    page.locator("input[name=q]").focus()
    page.keyboard.press("Control+V")
    first_line = (cell.inner_text().splitlines() or [""])[0]
    assert page.locator("input[name=q]").input_value().startswith(first_line)


def test_the_first_key_leads_past_the_navigation(open_page: Open) -> None:
    page = open_page("site/01_bpe_training.html")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to content")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("#furo-main-content$"))


def grounds(page: Page) -> list[float]:
    """How light the page and its first player are, from 0 to 255."""
    light = r"(one) => +getComputedStyle(one).backgroundColor.match(/\d+/)[0]"
    return [page.locator("body").evaluate(light), page.locator(".tl").first.evaluate(light)]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_theme_switch_changes_page_and_players(open_page: Open, scheme: str) -> None:
    page = open_page("site/01_bpe_training.html", color_scheme=scheme)
    switch = page.get_by_role("button", name="Toggle Light / Dark / Auto color theme").last
    seen = {}
    for _ in range(3):
        switch.click()
        theme = page.locator("body").get_attribute("data-theme")
        seen[theme] = [ground > 128 for ground in grounds(page)]
        if theme != "auto":
            assert page.evaluate("getComputedStyle(document.documentElement).colorScheme") == theme
            is_readable(page, ".tl >> nth=0")
    assert seen == {"light": [True, True], "dark": [False, False], "auto": [scheme == "light"] * 2}


def test_the_choice_of_a_theme_holds_on_the_page_of_a_player(open_page: Open) -> None:
    page = open_page("site/01_bpe_training.html", color_scheme="light")
    page.evaluate("localStorage.setItem('theme', 'dark')")
    page.get_by_role("link", name="open this player on a separate page").first.click()
    shown_on(page)
    assert max(grounds(page)) < 128


@pytest.mark.parametrize("name", ["01_bpe_training.html", "01_bpe_training.1.html"])
@pytest.mark.parametrize("host", ["light", "dark"])
def test_a_page_in_a_frame_follows_its_host(browser: Browser, folder: Path, name: str, host: str) -> None:
    other = {"light": "dark", "dark": "light"}
    colours = {"light": "#fff", "dark": "#111"}

    def serve(route: Route) -> None:
        path = route.request.url.removeprefix("http://host.test/").partition("?")[0]
        if path == "host.html":
            frame = f"<body style='background: {colours[host]}'><iframe src={name} width=900 height=600></iframe>"
            route.fulfill(body=f"<!doctype html><title>host</title>{frame}", content_type="text/html")
        else:
            route.fulfill(path=folder / "site" / path)

    context = browser.new_context(color_scheme=other[host])  # type: ignore[arg-type]
    context.route("http://host.test/**", serve)
    page = context.new_page()
    page.goto("http://host.test/host.html")
    body = page.frame_locator("iframe").locator("body")
    expect(body).to_have_attribute("data-theme", host)
    page.evaluate(f"document.body.style.background = '{colours[other[host]]}'")
    expect(body).to_have_attribute("data-theme", other[host])
    context.close()


@pytest.mark.parametrize("name", ["01_bpe_training.html", "01_bpe_training.1.html"])
def test_the_address_of_a_framed_page_can_name_the_theme(open_page: Open, name: str) -> None:
    page = open_page(f"site/{name}", "?theme=dark", color_scheme="light")
    expect(page.locator("body")).to_have_attribute("data-theme", "dark")
    shown_on(page)
    assert max(grounds(page)) < 128


LOCAL = {"preload": False}  # a page in a folder must not read its style sheets as files
AUDITED = ["index", "search", "instructors", "01_bpe_training", "13_t5_in_one_picture", "01_bpe_training.1"]


@pytest.mark.parametrize(
    ("name", "scheme"), [*zip(AUDITED, ["light", "dark"] * len(AUDITED), strict=False), ("index", "dark")]
)
def test_axe_finds_no_violation(open_page: Open, name: str, scheme: str) -> None:
    page = open_page(f"site/{name}.html", color_scheme=scheme, viewport={"width": 1366, "height": 768})
    if "." in name or name[0].isdigit():
        shown_on(page)
    found = Axe().run(page, options=LOCAL).response["violations"]
    assert [(rule["id"], node["target"], node["html"]) for rule in found for node in rule["nodes"]] == []


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
    assert min(grounds(page)) == 255
    bars = (".skip-to-content", ".sidebar-drawer", ".toc-drawer", ".tl-bar")
    for selector in (*bars, ".headerlink", ".alone", ".theme-toggle"):
        expect(page.locator(selector).first).to_be_hidden()
    expect(page.locator(".tl-caption").first).to_be_visible()
    hints = page.locator("details", has_text="Hint: ")
    assert hints.count() >= 15 and hints.evaluate_all("all => all.every((one) => one.offsetHeight > 50)")  # as if open
    shoot(page, "site-print")


def test_on_paper_a_player_shows_its_last_frame_and_all_questions_with_reasons(open_page: Open) -> None:
    page = open_page("site/01_bpe_training.html")
    shown = shown_on(page)
    shown.go(1)
    before, length = shown.caption, shown.slider.get_attribute("max")
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    expect(shown.slider).to_have_value(length or "")
    sheet = shown.find(".tl-sheet")
    expect(sheet).to_be_visible()
    assert sheet.locator("p").count() >= 2
    assert all(len(line) > 60 for line in sheet.locator("p").all_inner_texts())  # a question, an answer and a reason
    expect(shown.root.get_by_text("Hidden until you answer.")).to_have_count(0)
    page.emulate_media(media="screen")
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    expect(sheet).to_be_hidden()
    shown.stands_at(1)
    assert shown.caption == before
    expect(shown.root.get_by_text("Hidden until you answer.").first).to_be_visible()  # it asks again


# Slides


def place(page: Page) -> tuple[int, int]:
    page.wait_for_function("Reveal.isReady()")
    return page.evaluate("Reveal.getIndices().h"), page.evaluate("Reveal.getIndices().v")


@pytest.mark.parametrize("screen", ["light", "dark"])
def test_arrow_keys_turn_slides_and_step_a_focused_player(open_page: Open, screen: str) -> None:
    page = open_page("slides/01_bpe_training.html", **SCREENS[screen])
    assert place(page) == (0, 0)
    shoot(page, f"slides-title-{screen}")
    shown = Shown.on(page)
    section = shown.root.locator("xpath=ancestor::section[1]")
    with_player = tuple(section.evaluate("slide => [Reveal.getIndices(slide).h, Reveal.getIndices(slide).v]"))
    # The first slide scrolls before it is turned.
    for _ in range(20):
        page.keyboard.press("ArrowDown")
        if place(page) == with_player:
            break
    assert place(page) == with_player
    shown.root.click(position={"x": 5, "y": 100})
    for key in ("ArrowRight", "ArrowRight", "ArrowLeft", "End", "Home", "ArrowRight"):
        page.keyboard.press(key)
        assert place(page) == with_player
    shown.stands_at(1)
    expect(shown.find(".tl-ask").first).to_be_visible()
    shown.answer("b + un")
    assert place(page) == with_player
    shoot(page, f"slides-player-{screen}")
    is_readable(page, "section.present > section.present")
    shown.root.evaluate("player => player.blur()")
    page.keyboard.press("ArrowRight")
    assert place(page) == (with_player[0] + 1, 0)


# Turns all slides; returns their places, and those that hang over an edge of the window and do not scroll.
TURN_ALL = """() => {
    const places = [], wrong = [];
    for (const _ of document.querySelectorAll(".slides > section > section")) {
        const place = JSON.stringify(Reveal.getIndices());
        const slide = document.querySelector("section.present > section.present");
        const box = slide.getBoundingClientRect();
        const fits = box.left >= 0 && box.right <= innerWidth && box.bottom <= innerHeight;
        const scrolls = slide.scrollWidth <= slide.clientWidth && getComputedStyle(slide).overflowY === "auto";
        places.push(place);
        if (!slide.checkVisibility() || !box.height || !fits || !scrolls) wrong.push(place);
        Reveal.next();
    }
    return [places, wrong];
}"""


def test_every_slide_is_reached_and_fits_or_scrolls(open_page: Open) -> None:
    for name in NAMES:
        page = open_page(f"slides/{name}.html")
        place(page)
        places, wrong = page.evaluate(TURN_ALL)
        assert not wrong
        assert len({*places}) == len(places) == page.evaluate("Reveal.getTotalSlides()")
        page.context.close()


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
