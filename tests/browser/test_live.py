"""Live explorers on the pages of the site: Python in the tab answers what is typed, and links carry it."""

from __future__ import annotations

import base64
import json
import re
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect

from publish.lessons import stored
from tests.browser.conftest import live_site, shoot
from tests.browser.watching import Shown, plain
from tests.publish.made_up import code, lesson
from tokenlab.show.explorers.explore_bpe import explore_bpe_training
from tokenlab.show.explorers.in_tab import answer

WAIT = 60_000  # milliseconds until Python has started, on a busy machine
HOSTILE = "</script><img src=x onerror=alert(1)> <!--"
DAMAGED = "This link is damaged, so the player shows the stored text."
SLOW = """
from tokenlab.algorithms.bpe.train_indexed import train_indexed
from tokenlab.show.explorers.explorer import Explorer
from tokenlab.show.explorers.controls import IntSlider, TextBox

def record(text, rounds):
    for _ in range(rounds * 1_000_000):
        pass
    return train_indexed.record({text or "ab": 1}, 300)

def explore_slow():
    return Explorer(record, text=TextBox("text", "ab"), rounds=IntSlider("rounds", 0, 0, 10_000))
"""


def stored_html(explorer: Any) -> str:
    html: str = explorer._repr_mimebundle_()["text/html"]
    return html


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a site with a few lessons, one of them slow, and with Python."""
    names: dict[str, Any] = {}
    exec(SLOW, names)
    slow = code("explore_slow()", text_html=stored_html(names["explore_slow"]()))
    needy = code(
        "import not_here\nexplore_it()", text_html=explore_bpe_training("a b", 9)._repr_mimebundle_()["text/html"]
    )
    made_up = lesson("# Slow", code(SLOW), slow, needy, name="03_made_up")
    wanted = [each for each in stored() if each.name[:2] in ("00", "01", "06", "11", "14")]
    with live_site(tmp_path_factory, [*wanted, made_up]) as address:
        yield address


@pytest.fixture(scope="module", autouse=True)
def _patience() -> Iterator[None]:
    """Python in the tab shares two cores with the other tests."""
    expect.set_options(timeout=30_000)
    yield
    expect.set_options(timeout=5_000)


@pytest.fixture
def opened(context: BrowserContext, site: str) -> Iterator[Callable[[str], Page]]:
    """Opens a page of the site; an error of a script fails the test."""
    errors: list[str] = []

    def opened(name: str) -> Page:
        page = context.new_page()
        page.set_default_timeout(10_000)
        page.on("pageerror", lambda error: errors.append(error.stack or str(error)))
        page.on("dialog", lambda dialog: errors.append(dialog.message))
        page.goto(f"{site}/{name}")
        return page

    yield opened
    assert errors == []


def explorer_of(page: Page, number: int = 0) -> Locator:
    return page.locator(".tokenlab-live").nth(number)


def wait_until_live(explorer: Locator) -> None:
    expect(explorer).to_have_class(re.compile("tokenlab-is-live"), timeout=WAIT)
    expect(explorer.locator(".tokenlab-status")).to_be_hidden(timeout=WAIT)


def caption(explorer: Locator) -> Locator:
    return explorer.locator(".tl-caption")


def last_step(explorer: Locator) -> None:
    explorer.get_by_role("button", name="Last step").click()


# --- typing ---------------------------------------------------------------------------------------


def test_a_typed_text_is_played_with_its_merges(opened: Callable[[str], Page]) -> None:
    page = opened("01_bpe_training.html")
    explorer = explorer_of(page)
    explorer.get_by_label("text").fill("hug pug pun bun hugs hugs")
    wait_until_live(explorer)
    expect(explorer.locator(".tl-words li")).to_have_count(5)
    explorer.locator(".tl").press("ArrowRight")
    explorer.locator(".tl").press("ArrowRight")
    expect(caption(explorer)).to_contain_text("After merge 1. u + g became ug")
    shoot(page, "live-training", explorer)
    # The settings are those of the kit, and an error looks as in JupyterLab.
    expect(explorer.get_by_label("tie_break").locator("option")).to_have_count(4)
    explorer.get_by_label("vocab_size").fill("2")
    alert = explorer.get_by_role("alert")
    expect(alert).to_contain_text("vocab_size=2 is smaller than the alphabet of your corpus")
    explorer.get_by_label("vocab_size").fill("9")
    expect(alert).to_be_hidden()
    explorer.get_by_label("text").fill(HOSTILE)
    expect(alert).to_contain_text("ask for at least")
    explorer.get_by_label("vocab_size").fill("60")
    expect(explorer.locator(".tl-words")).to_contain_text("<")


def test_what_was_typed_while_python_loads_is_drawn_first(opened: Callable[[str], Page]) -> None:
    page = opened("01_bpe_training.html")
    explorer = explorer_of(page)
    place = explorer.locator(".tokenlab")
    place.scroll_into_view_if_needed()
    expect(place.locator(".tl-tracks[data-measured]")).to_be_attached()
    # Each player that is mounted is noted with its words.
    place.evaluate(
        """(place) => { window.drawn = []; new MutationObserver((changes) => {
        for (const { addedNodes } of changes) for (const node of addedNodes)
            if (node.matches?.(".tl")) drawn.push(node.querySelectorAll(".tl-words li").length);
        }).observe(place, { childList: true, subtree: true }) }"""
    )
    explorer.get_by_label("text").fill("hug pug pun")
    wait_until_live(explorer)
    expect(explorer.locator(".tl-words li")).to_have_count(3)
    assert page.evaluate("drawn") == [3]


@pytest.mark.parametrize(
    ("name", "number", "control", "typed"),
    [
        ("01_bpe_training", 0, "text", "hug pug pun bun hugs hugs"),
        ("06_unigram_segmenting", 1, "word", "unsoundly"),
        ("11_tokenizer_pipeline", 0, "text", "Ça va ﬁne, [MASK]"),
    ],
)
def test_the_steps_of_a_typed_text_are_those_of_python_here(
    opened: Callable[[str], Page], name: str, number: int, control: str, typed: str
) -> None:
    explorer = explorer_of(opened(f"{name}.html"), number)
    program = json.loads(explorer.locator("script[data-tokenlab=program]").inner_text())
    player = json.loads(json.loads(answer(name, program, json.dumps({control: typed})))["data"])
    frames = player["tracks"][0]["frames"]
    title, said = (
        re.sub("[\ue000-\ue0ff]", lambda at: player["short"][ord(at[0]) - 0xE000], text) for text in frames[-1][:2]
    )
    explorer.get_by_label(control).first.fill(typed)
    wait_until_live(explorer)
    last = len(frames) - 1
    expect(explorer.locator(".tl-bar output")).to_have_text(re.compile(f"/ {last}$"))
    shown = Shown.on(explorer.page, explorer)
    shown.go(last)
    assert shown.caption.startswith(plain(f"{title}. {said}"))


def test_two_explorers_of_a_page_share_one_python(opened: Callable[[str], Page]) -> None:
    page = opened("06_unigram_segmenting.html")
    workers: list[object] = []
    page.on("worker", lambda worker: workers.append(worker))
    real, lattice = explorer_of(page, 0), explorer_of(page, 1)
    lattice.get_by_label("word").fill("unsoundly")
    wait_until_live(lattice)
    last_step(lattice)
    expect(caption(lattice)).to_contain_text("un")
    real.get_by_label("text").focus()
    wait_until_live(real)
    real.get_by_label("text").select_option(index=3)
    chosen = real.get_by_label("text").locator("option:checked").inner_text()
    expect(real.get_by_label("text").locator("option")).to_have_count(120)
    expect(real.locator(".tl")).to_contain_text(re.sub(".*: ", "", chosen)[:5])
    assert len(workers) == 1


def test_typing_in_a_sentence_splits_it_anew(opened: Callable[[str], Page]) -> None:
    page = opened("00_start_here.html")
    explorer = explorer_of(page, 1)
    explorer.get_by_label("sentence").fill("My own sentence 日本 👩‍👧")
    wait_until_live(explorer)
    expect(explorer.locator(".tl")).to_contain_text("日本")
    expect(explorer.locator(".tl-bar output")).to_have_text(re.compile(r"(\d+) / \1"))  # opened at its end


def test_make_it_live_keeps_the_stored_text_and_gives_all_options(opened: Callable[[str], Page]) -> None:
    page = opened("01_bpe_training.html")
    explorer = explorer_of(page)
    stored_text = explorer.get_by_label("text").input_value()
    explorer.get_by_role("button", name="Make it live").click()
    wait_until_live(explorer)
    typed = explorer.get_by_label("text").input_value()
    assert " ".join(typed.split()) == " ".join(stored_text.split()) and "\n" in typed
    expect(explorer.locator(".tl-bar output")).to_have_text("0 / 40")


def test_what_needs_a_missing_package_says_so_and_stays_stored(opened: Callable[[str], Page]) -> None:
    page = opened("03_made_up.html")
    explorer = explorer_of(page, 1)
    explorer.get_by_role("button", name="Make it live").click()
    expect(explorer.get_by_role("alert")).to_have_text(
        "This needs the Python package not_here, which these pages do not have. The stored player stays.", timeout=WAIT
    )
    explorer.locator(".tl").press("ArrowRight")
    expect(explorer.locator(".tl-bar output")).not_to_have_text(re.compile("^0 /"))


def test_an_explorer_of_t5_is_stored_and_names_the_command(opened: Callable[[str], Page]) -> None:
    page = opened("14_t5_attention.html")
    assert page.locator(".tokenlab-live").count() == 0
    expect(page.locator("fieldset.tokenlab-stored legend").first).to_contain_text("Open the lesson with make lab to")


# --- long computations ----------------------------------------------------------------------------


def test_a_long_computation_is_shown_and_can_be_cancelled(opened: Callable[[str], Page]) -> None:
    explorer = explorer_of(opened("03_made_up.html"))
    explorer.get_by_label("text").fill("abc")
    wait_until_live(explorer)
    explorer.get_by_label("rounds").fill("10000")
    expect(explorer.locator(".tokenlab-status")).to_contain_text("Computing")
    explorer.get_by_role("button", name="Cancel").click()
    expect(explorer.locator(".tokenlab-status")).to_be_hidden()
    explorer.get_by_label("rounds").fill("0")
    wait_until_live(explorer)
    # What was typed before is not lost.
    expect(explorer.locator(".tl-words li")).to_have_text(re.compile("^1 × a ?b ?c"))


def test_a_newer_key_replaces_a_computation_that_still_runs(opened: Callable[[str], Page]) -> None:
    explorer = explorer_of(opened("03_made_up.html"))
    explorer.get_by_label("text").fill("abc")
    wait_until_live(explorer)
    explorer.get_by_label("rounds").fill("10000")
    explorer.get_by_label("rounds").fill("0")
    expect(explorer.locator(".tokenlab-status")).to_contain_text("Computing")
    wait_until_live(explorer)
    assert explorer.get_by_label("rounds").input_value() == "0"


# --- loading --------------------------------------------------------------------------------------


def test_an_interrupted_load_leaves_the_stored_player_and_can_be_tried_again(
    opened: Callable[[str], Page], context: BrowserContext
) -> None:
    context.route("**/*.wasm", lambda route: route.abort())
    page = opened("01_bpe_training.html")
    explorer = explorer_of(page)
    explorer.get_by_label("text").fill("hug pug")
    alert = explorer.get_by_role("alert")
    expect(alert).to_contain_text("Python could not be loaded", timeout=WAIT)
    expect(alert).to_contain_text("The stored player stays.")
    explorer.locator(".tl").press("ArrowRight")
    expect(explorer.locator(".tl-bar output")).to_contain_text("/ 40")
    context.unroute("**/*.wasm")
    explorer.get_by_role("button", name="Make it live").click()
    wait_until_live(explorer)
    expect(explorer.locator(".tl-words li")).to_have_count(2)
    expect(alert).to_be_hidden()


def test_after_the_first_load_a_page_works_without_a_network(
    opened: Callable[[str], Page], context: BrowserContext
) -> None:
    page = opened("01_bpe_training.html")
    explorer_of(page).get_by_label("text").fill("hug pug")
    wait_until_live(explorer_of(page))
    names = "caches.open('tokenlab').then((cache) => cache.keys()).then((all) => all.map((each) => each.url).join(' '))"
    page.wait_for_function(f"{names}.then((urls) => /01_bpe/.test(urls) && /data.zip/.test(urls))", timeout=WAIT)
    context.set_offline(True)
    page.reload()
    explorer = explorer_of(page)
    explorer.get_by_label("text").fill("low lower lowest")
    wait_until_live(explorer)
    expect(explorer.locator(".tl-words li")).to_have_count(3)


def test_a_page_that_is_opened_as_a_file_says_what_is_needed(browser: Browser, site: str, tmp_path: Path) -> None:
    page = browser.new_page()
    html = page.request.get(f"{site}/01_bpe_training.html").text()
    for asset in ("player.css", "player.js", "live.js"):
        path = tmp_path / "_static" / asset
        path.parent.mkdir(exist_ok=True)
        path.write_text(page.request.get(f"{site}/_static/{asset}").text(), encoding="utf-8")
    (tmp_path / "page.html").write_text(html, encoding="utf-8")
    page.goto((tmp_path / "page.html").as_uri())
    explorer_of(page).get_by_label("text").fill("hug")
    expect(explorer_of(page).get_by_role("alert")).to_contain_text("python -m http.server")
    page.close()


# --- links ----------------------------------------------------------------------------------------


def link(values: Any, step: Any = 0, number: Any = 1) -> str:
    packer = zlib.compressobj(wbits=-15)
    packed = packer.compress(json.dumps([values, step]).encode()) + packer.flush()
    return f"#try={number}.{base64.urlsafe_b64encode(packed).decode().rstrip('=')}"


def copied_link(place: Locator) -> str:
    """Return what the button of a place copies."""
    place.get_by_role("button", name="Copy link").click()
    expect(place.get_by_role("button", name="Copied")).to_be_visible()
    return str(place.page.evaluate("navigator.clipboard.readText()"))


def test_a_link_opens_the_text_the_settings_and_the_step(
    opened: Callable[[str], Page], context: BrowserContext
) -> None:
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = opened("01_bpe_training.html")
    explorer = explorer_of(page)
    explorer.get_by_label("text").fill("hug pug pun 日本 👩‍👧")
    wait_until_live(explorer)
    explorer.get_by_label("vocab_size").fill("30")
    explorer.locator(".tl-bar input[type=range]").fill("1")
    copied = copied_link(explorer)
    assert page.url == copied and "#try=1." in copied
    other = opened(copied.split("/")[-1])
    there = explorer_of(other)
    wait_until_live(there)
    assert there.get_by_label("text").input_value() == "hug pug pun 日本 👩‍👧"
    assert there.get_by_label("vocab_size").input_value() == "30"
    expect(there.locator(".tl-bar output")).to_have_text(re.compile("^1 / "))


def test_a_link_to_a_step_needs_no_python(opened: Callable[[str], Page]) -> None:
    page = opened(f"01_bpe_training.html{link({}, 3)}")
    expect(explorer_of(page).locator(".tl-bar output")).to_have_text("3 / 40")
    expect(explorer_of(page).get_by_role("button", name="Make it live")).to_be_visible()
    assert page.workers == []


@pytest.mark.parametrize(
    "fragment",
    [
        "#try=1.", "#try=1.!!!!", "#try=1.AAAA", "#try=99.i66u1TGIBQA", "#try=x.i66u1TGIBQA", link([], 0), link({}, -1),
        link({}, "1"), link({"text": ["x"]}), link({"text": {"a": 1}}), link({"text": None}), link("x"), link({}, 1.5),
        link({"text": "x" * 30_000}), link({f"n{n}": 1 for n in range(40)}), link({"text": "a" * 10_000_000}),
        link({}, 0, 0),
    ],
    ids=lambda fragment: f"{len(fragment)}-{fragment[:24]}",
)  # fmt: skip
def test_a_damaged_link_opens_the_stored_player_and_says_so(opened: Callable[[str], Page], fragment: str) -> None:
    page = opened("01_bpe_training.html" + fragment)
    expect(explorer_of(page).get_by_role("alert")).to_have_text(
        "This link is damaged, so the player shows the stored text."
    )
    expect(explorer_of(page).locator(".tl-bar output")).to_have_text("0 / 40")
    assert page.workers == []


def test_nothing_in_a_link_becomes_markup(opened: Callable[[str], Page]) -> None:
    page = opened("01_bpe_training.html" + link({HOSTILE: 1, "text": HOSTILE}))
    alert = explorer_of(page).get_by_role("alert")
    expect(alert).to_contain_text("there is no control '</script><img", timeout=WAIT)
    assert page.locator(".tokenlab-live img").count() == 0
    page.goto("about:blank")
    page = opened("01_bpe_training.html" + link({"text": HOSTILE, "vocab_size": 60}))
    wait_until_live(explorer_of(page))
    expect(explorer_of(page).locator(".tl-words")).to_contain_text("<")
    assert page.locator(".tokenlab-live img").count() == 0


# --- a phone, and readers of screens ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "number", "control", "typed"),
    [
        ("01_bpe_training", 0, "text", "hug pug pun bun " * 20 + "w" * 90),
        ("06_unigram_segmenting", 1, "word", "unsoundlyunsoundly"),
        ("11_tokenizer_pipeline", 1, "text", "the-final--countdown-" * 5),
    ],
)
def test_on_a_phone_nothing_is_wider_than_the_screen_and_a_swipe_and_a_tap_step(
    browser: Browser, site: str, name: str, number: int, control: str, typed: str
) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page = context.new_page()
    page.goto(f"{site}/{name}.html")
    explorer = explorer_of(page, number)
    explorer.get_by_label(control).first.fill(typed)
    wait_until_live(explorer)
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    seen = "[...document.querySelectorAll('.tokenlab-live *')].filter((e) => e.checkVisibility())"
    wide = "!e.closest('svg, .tl-tracks, .tokenlab:not(:has(.tl))') && e.getBoundingClientRect().right > 390"
    assert page.evaluate(f"{seen}.filter((e) => {wide}).map((e) => e.outerHTML)") == []
    explorer.locator(".tl-bar input[type=range]").fill("0")  # some players open at their end
    step = explorer.locator(".tl-bar output")
    expect(step).to_have_text(re.compile("^0 /"))
    explorer.locator(".tl-tracks").evaluate(
        """(stage) => { const touch = (x) => new Touch({ identifier: 1, target: stage, clientX: x, clientY: 300 });
        stage.dispatchEvent(new TouchEvent("touchstart", { touches: [touch(300)], bubbles: true }));
        stage.dispatchEvent(new TouchEvent("touchend", { changedTouches: [touch(100)], bubbles: true })) }"""
    )
    expect(step).to_have_text(re.compile("^1 /"))
    explorer.get_by_role("button", name="Step back").tap()
    expect(step).to_have_text(re.compile("^0 /"))
    shoot(page, f"live-phone-{name[:2]}", explorer)
    context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_live_explorer_has_no_barriers(browser: Browser, site: str, scheme: Any) -> None:
    context = browser.new_context(viewport={"width": 1366, "height": 768}, color_scheme=scheme)
    page = context.new_page()
    page.goto(f"{site}/01_bpe_training.html")
    explorer = explorer_of(page)
    explorer.get_by_label("text").fill(" ")
    wait_until_live(explorer)
    expect(explorer.get_by_role("alert")).to_be_visible()
    assert Axe().run(page).response["violations"] == []
    explorer.get_by_label("text").fill("hug pug")
    expect(explorer.get_by_role("alert")).to_be_hidden()
    assert Axe().run(page).response["violations"] == []
    context.close()


# --- the first page -------------------------------------------------------------------------------


def type_name(page: Page, name: str) -> Locator:
    """Type a name on the first page, and return the pictures, all of which play it."""
    page.get_by_label("Your name").fill(name)
    pictures = page.locator(".picture")
    for at in range(5):
        expect(pictures.nth(at)).to_have_attribute("data-text", name, timeout=WAIT)
    return pictures


def test_a_name_is_played_by_all_pictures_and_travels_with_their_links(opened: Callable[[str], Page]) -> None:
    page = opened("index.html")
    page.emulate_media(reduced_motion="reduce")
    page.reload()
    pictures = type_name(page, "Zoë")
    expect(pictures.nth(0).locator(".tl-ranks b")).to_have_text(["Z", "o", "ë"])
    expect(caption(pictures.nth(1))).to_contain_text("Back to 0")
    expect(pictures.nth(2).locator("li").first.locator("b")).to_have_text(["Z", "o", "ë"])
    expect(pictures.nth(3).locator("svg text").filter(has_text="Zoë")).to_have_count(1)
    expect(pictures.nth(4).locator(".tl-chips b").filter(has_text="Z")).to_have_count(1)
    shoot(page, "first-page")
    pictures.nth(1).get_by_role("link").click()
    explorer = explorer_of(page, 1)
    wait_until_live(explorer)
    expect(explorer.get_by_label("word")).to_have_value("Zoë")


def test_pictures_play_when_they_are_seen_unless_the_reader_wants_less_motion(opened: Callable[[str], Page]) -> None:
    page = opened("index.html")
    step = page.locator(".picture").first.get_by_role("slider", name="Step")
    expect(step).not_to_have_value("0")
    page.emulate_media(reduced_motion="reduce")
    page.reload()
    expect(page.get_by_label("Your name")).to_be_enabled()
    page.wait_for_timeout(1_000)
    expect(step).to_have_value("0")


def test_a_link_to_the_first_page_plays_its_name_as_text(
    opened: Callable[[str], Page], context: BrowserContext
) -> None:
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = opened("index.html")
    type_name(page, "<b>Ada & Eve</b>")
    link = copied_link(page.locator(".gallery-text"))
    other = opened(link.rpartition("/")[2])
    for at in range(5):
        expect(other.locator(".picture").nth(at)).to_have_attribute("data-text", "<b>Ada & Eve</b>", timeout=WAIT)
    expect(other.locator(".picture li").first.locator("b").first).to_have_text("<")


def test_a_damaged_link_to_the_first_page_leaves_the_stored_pictures(opened: Callable[[str], Page]) -> None:
    page = opened("index.html#try=1.AAAA")
    expect(page.locator(".gallery-text [role=alert]")).to_contain_text("This link is damaged")
    assert not page.workers


def test_a_text_that_cannot_be_played_says_so_and_axe_finds_nothing(browser: Browser, site: str) -> None:
    context = browser.new_context(viewport={"width": 1366, "height": 768}, bypass_csp=True, color_scheme="dark")
    page = context.new_page()
    page.goto(f"{site}/index.html")
    type_name(page, "Marie Curie")
    page.get_by_label("Your name").evaluate("box => { box.value = 'a\\ud800'; box.dispatchEvent(new Event('input')) }")
    expect(page.locator(".gallery-text [role=alert]")).to_contain_text("half of a surrogate pair", timeout=WAIT)
    assert Axe().run(page).response["violations"] == []
    context.close()
