"""What the browser tests do to a player, and how they look at it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import unescape
from typing import Any

from playwright.sync_api import Locator, Page, expect

PLAYER = ".tl"
# Pairs of what is written and how well it can be read: every element with text of its own, on all that lies behind it.
COLOURS = """
    const canvas = document.createElement("canvas");
    const paper = canvas.getContext("2d", { willReadFrequently: true });
    const light = (color) => {
        paper.fillStyle = color;
        paper.fillRect(0, 0, 1, 1);
        const [r, g, b] = [...paper.getImageData(0, 0, 1, 1).data].map((byte) => byte / 255)
            .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const ground = (element) => {
        const layers = [];
        for (let behind = element; behind; behind = behind.parentElement)
            layers.unshift(getComputedStyle(behind).backgroundColor);
        return layers.map(light).at(-1);
    };
    const ratio = (one, other) => (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
"""
# Pairs of what is written and how well it can be read: every element with text of its own, on all that lies behind it.
CONTRASTS = f"""root => {{{COLOURS}
    const contrast = (element) => {{
        const behind = ground(element);
        return ratio(behind, light(getComputedStyle(element).color));
    }};
    return [...root.querySelectorAll("*")]
        .filter((element) => element.checkVisibility() && !element.matches(".tl-bar :disabled, .tl-live, option"))
        .filter((element) => [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim()))
        .map((element) => [element.localName, element.textContent.trim().slice(0, 40), contrast(element)]);
}}"""


def plain(html: str) -> str:
    """Markup as it is read."""
    return " ".join(unescape(re.sub("<[^>]+>", "", html)).split())


@dataclass
class Shown:
    """A player on a page."""

    page: Page
    root: Locator

    @classmethod
    def on(cls, page: Page, within: str | Locator = "body", number: int = 0) -> Shown:
        """The player with that number in a part of the page, once it is there."""
        part = page.locator(within) if isinstance(within, str) else within
        shown = cls(page, part.locator(PLAYER).nth(number))
        expect(shown.root).to_be_attached()
        return shown

    def find(self, selector: str) -> Locator:
        return self.root.locator(selector)

    def button(self, name: str) -> Locator:
        return self.root.get_by_role("button", name=name, exact=True)

    @property
    def slider(self) -> Locator:
        return self.find("input[type=range]")

    @property
    def caption(self) -> str:
        return plain(self.find(".tl-caption").first.inner_html().replace("<small>", " "))

    @property
    def options(self) -> Locator:
        return self.find(".tl-ask:not(.tl-review) .tl-options button")

    def panel(self, title: str) -> Locator:
        return self.find(".tl-panel").filter(has=self.page.locator(".tl-name", has_text=title))

    def press(self, *keys: str) -> None:
        for key in keys:
            self.root.press(key)

    def ask(self, questions: bool) -> None:
        """Switch questions on or off: a question holds up the first step past it."""
        predict = self.root.get_by_role("checkbox", name="Predict")
        if predict.count():
            predict.set_checked(questions)

    def go(self, index: int) -> None:
        """Go to a frame as a hand on the slider does."""
        self.slider.fill(str(index))

    def stands_at(self, index: int) -> None:
        expect(self.slider).to_have_value(str(index))
        expect(self.find("output")).to_contain_text(f"{index} /")

    def answer(self, label: str) -> None:
        self.options.get_by_text(label, exact=True).click()

    def is_readable(self, at_least: int = 21) -> None:
        """Text stands out from what is behind it, in at least so many places; chips are black on a fill."""
        texts: list[tuple[str, str, float]] = self.root.evaluate(CONTRASTS)
        assert len(texts) >= at_least
        dim = [text for text in texts if text[2] < (4 if text[0] == "b" else 4.5)]
        assert not dim


def boxes(*found: Locator) -> list[Any]:
    """Return the boxes of elements, all at one time: while they are measured, the page may scroll."""
    while True:
        first = [one.bounding_box() for one in found]
        if first == [one.bounding_box() for one in found]:
            return first
