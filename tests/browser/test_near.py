"""Players of the site that are far from the screen: mounted when they come near, and nothing that is seen moves."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

from publish import pages
from publish.lessons import stored

LESSON = "01_bpe_training"
# A browser without scroll anchoring.
NO_ANCHORS = """CSS.supports = () => false;
addEventListener("DOMContentLoaded", () => document.body.append(Object.assign(document.createElement("style"),
    { textContent: "* { overflow-anchor: none !important }" })));"""
MOUNTED = "[...document.querySelectorAll('.tokenlab')].map((place) => Boolean(place.querySelector('.tl')))"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site with one lesson, without Python."""
    folder = tmp_path_factory.mktemp("site")
    pages.build([each for each in stored() if each.name == LESSON], folder, tmp_path_factory.mktemp("docs"))
    return folder


@pytest.fixture
def opened(context: BrowserContext, folder: Path) -> Iterator[Callable[[str], Page]]:
    """Opens a page of the folder; an error of a script fails the test."""
    errors: list[str] = []

    def opened(name: str) -> Page:
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(error.stack or str(error)))
        page.goto((folder / name).as_uri().replace("%23", "#"))
        return page

    yield opened
    assert errors == []


def place_of(page: Page, number: int) -> Locator:
    return page.locator(".tokenlab").nth(number)


def wait_until_measured(place: Locator) -> None:
    expect(place.locator(".tl-tracks[data-measured]")).to_be_attached()


def test_a_far_player_is_static_until_it_comes_near(opened: Callable[[str], Page]) -> None:
    page = opened(f"{LESSON}.html")
    wait_until_measured(place_of(page, 0))
    assert page.evaluate(MOUNTED) == [True, False, False, False]
    expect(place_of(page, 3)).to_contain_text("This view is static")
    place_of(page, 3).scroll_into_view_if_needed()
    expect(place_of(page, 3).locator(".tl")).to_be_visible()
    assert page.evaluate(MOUNTED)[:2] == [True, False]
    place_of(page, 3).locator(".tl").press("ArrowRight")
    expect(place_of(page, 3).locator("output")).to_contain_text("1 /")


def test_a_player_on_the_first_screen_is_mounted_while_the_page_is_parsed(
    opened: Callable[[str], Page], context: BrowserContext
) -> None:
    blind = "window.IntersectionObserver = class { observe() {} unobserve() {} }"  # so that it mounts none
    context.add_init_script(f"{blind}; addEventListener('DOMContentLoaded', () => {{ window.then = {MOUNTED} }})")
    assert opened("index.html").evaluate("window.then")[0] is True
    assert opened(f"{LESSON}.1.html").evaluate("window.then") == [True]
    assert opened(f"{LESSON}.html").evaluate("window.then")[1:] == [False] * 3


@pytest.mark.parametrize("anchors", [True, False])
@pytest.mark.parametrize("number", [1, 2, 3])
def test_nothing_on_the_screen_moves_when_a_player_above_it_is_mounted(
    opened: Callable[[str], Page], context: BrowserContext, anchors: bool, number: int
) -> None:
    if not anchors:
        context.add_init_script(NO_ANCHORS)
    page = opened(f"{LESSON}.html")
    wait_until_measured(place_of(page, 0))
    # The link below the player is at the upper edge of the screen.
    link = page.locator(".alone").nth(number)
    at = "(link) => link.getBoundingClientRect().top"
    height = place_of(page, number).evaluate("(place) => place.offsetHeight")
    before, mounted = link.evaluate(f"(link) => {{ link.scrollIntoView(); return [({at})(link), {MOUNTED}] }}")
    assert not mounted[number]
    wait_until_measured(place_of(page, number))
    assert abs(place_of(page, number).evaluate("(place) => place.offsetHeight") - height) > 20
    page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert link.evaluate(at) == pytest.approx(before, abs=2)


def test_a_link_leads_to_its_section(opened: Callable[[str], Page]) -> None:
    top = "(section) => section.getBoundingClientRect().top"
    page = opened(f"{LESSON}.html#where-it-breaks")
    section = page.locator("#where-it-breaks")
    for _ in range(2):
        expect(section).to_be_in_viewport()
        wait_until_measured(place_of(page, 1))
        assert 0 <= section.evaluate(top) < 100
        assert page.evaluate(MOUNTED)[3] is False
        page.goto("about:blank")
        page = opened(f"{LESSON}.html")
        section = page.locator("#where-it-breaks")
        page.locator(".toc-tree").get_by_role("link", name="Where it breaks").click()


def test_all_players_are_printed(opened: Callable[[str], Page]) -> None:
    page = opened(f"{LESSON}.html")
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.evaluate(MOUNTED) == [True] * 4
    for number in range(4):
        slider = place_of(page, number).locator(".tl-bar input[type=range]")
        expect(slider).to_have_value(slider.get_attribute("max") or "")  # its last frame
    assert place_of(page, 3).locator(".tl-sheet p").count() >= 2
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    expect(place_of(page, 3).locator(".tl-bar input[type=range]")).not_to_have_value(slider.get_attribute("max") or "")


def test_the_keyboard_reaches_a_far_player(opened: Callable[[str], Page]) -> None:
    page = opened(f"{LESSON}.html")
    assert page.evaluate(MOUNTED)[3] is False
    # What has the focus is the link below the player, and the page has not scrolled yet.
    page.locator(".alone a").nth(3).evaluate("(link) => link.focus({ preventScroll: true })")
    page.keyboard.press("Shift+Tab")
    expect(place_of(page, 3).locator(".tl")).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(place_of(page, 3).locator("output")).to_contain_text("1 /")
