"""Linked parts of a pipeline's player: a click, the keys, other steps, and what a screen reader is told."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.watching import Shown
from tokenlab.show.explorers.explore_pipeline import train_bert_tokenizer

TEXT = "The ﬁsh… [MASK] <b>"
TOKENS = 6  # frame


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    tokenizer: Any = train_bert_tokenizer(["the fish is at the island . < b >"] * 3, 80)
    path: Path = tokenizer.encode.record(TEXT).save(tmp_path_factory.mktemp("linked") / "pipeline.html")
    return path


@pytest.fixture
def shown(page: Page, saved: Path) -> Shown:
    page.goto(saved.as_uri())
    shown = Shown.on(page)
    shown.root.get_by_role("checkbox", name="Predict").uncheck()
    shown.go(TOKENS)
    return shown


def row(shown: Shown, name: str) -> Any:
    beginning = re.compile(f"^{name}")
    return shown.find(".tl-words li").filter(has=shown.page.locator("span").filter(has_text=beginning)).first


def part(shown: Shown, name: str, text: str) -> Any:
    return row(shown, name).get_by_role("button", name=text, exact=True).first


def lit(shown: Shown, name: str) -> list[str]:
    found: list[str] = row(shown, name).locator(".lit").all_text_contents()
    return found


def test_a_character_lights_up_its_tokens_and_stays_picked_at_other_steps(shown: Shown) -> None:
    part(shown, "original", "…").click()
    assert lit(shown, "tokens") == [".", ".", "."] and lit(shown, "pre-tokens") == [".", ".", "."]
    expect(part(shown, "original", "…")).to_have_attribute("aria-pressed", "true")
    expect(shown.find(".tl-linked")).to_contain_text("tokens: . original 7–8, normalized 8–9")
    expect(shown.find(".tl-live")).to_contain_text("original 7–8")
    shown.find(".tl-caption").hover()
    shown.press("ArrowLeft")
    shown.stands_at(TOKENS - 1)
    assert lit(shown, "pre-tokens") == [".", ".", "."]
    shown.press("ArrowRight", "ArrowRight")
    assert lit(shown, "special tokens") == [".", ".", "."]


def test_a_token_lights_up_its_characters_but_not_the_other_tokens_of_a_character(shown: Shown) -> None:
    part(shown, "tokens", ".").click()
    assert lit(shown, "original") == ["…"] and lit(shown, "tokens") == ["."]
    assert lit(shown, "normalized") == ["."]


def test_a_second_click_and_escape_end_it(shown: Shown) -> None:
    part(shown, "original", "T").click()
    expect(shown.find(".tl-linked")).to_be_visible()
    part(shown, "original", "T").click()
    expect(shown.find(".tl-linked")).to_be_hidden()
    part(shown, "original", "T").click()
    shown.page.keyboard.press("Escape")
    expect(shown.find(".tl-linked")).to_be_hidden()
    expect(shown.find("[aria-pressed=true]")).to_have_count(0)


def test_the_keys_move_between_parts_and_pick(shown: Shown) -> None:
    part(shown, "original", "T").focus()
    for _ in range(4):
        shown.page.keyboard.press("ArrowDown")
    shown.page.keyboard.press("Enter")
    assert lit(shown, "normalized") == ["f", "i"]
    shown.page.keyboard.press("ArrowUp")
    shown.page.keyboard.press("Space")
    assert lit(shown, "original") == ["␣"]
    shown.stands_at(TOKENS)  # neither key stepped or played
    shown.page.keyboard.press("ArrowRight")
    shown.stands_at(TOKENS + 1)


def test_pointing_previews_until_a_part_is_picked(shown: Shown) -> None:
    part(shown, "tokens", "the").hover()
    assert lit(shown, "original") == ["T", "h", "e"]
    part(shown, "original", "…").click()
    part(shown, "tokens", "the").hover()
    assert lit(shown, "original") == ["…"]


def test_an_inserted_token_says_that_it_came_from_no_character(shown: Shown) -> None:
    shown.go(TOKENS + 1)
    part(shown, "special tokens", "[CLS]").click()
    expect(shown.find(".tl-linked")).to_contain_text("inserted, from no character")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_parts_can_be_read_at_every_width(shown: Shown, scheme: Any) -> None:
    shown.page.emulate_media(color_scheme=scheme)
    part(shown, "original", "…").click()
    shown.is_readable()
    shown.page.set_viewport_size({"width": 320, "height": 700})
    shown.is_readable()
    assert shown.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
