"""The page of `python -m tokenlab why --html`: each player steps by itself, although they share one script."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Browser

from tests.browser.watching import Shown
from tests.why.tokenizer_files import write
from tokenlab.why.load import load
from tokenlab.why.report import choose_words, page

TEXT = "<img src=x onerror=window.hacked=1> unhappiness"


def test_each_player_of_the_page_steps_by_itself(browser: Browser, tmp_path: Path) -> None:
    explanation = load(write("byte_level", tmp_path)).explain(TEXT)
    path = tmp_path / "why.html"
    path.write_text(page(explanation, choose_words(explanation, 0, None), "why"), encoding="utf-8")
    context = browser.new_context(offline=True, viewport={"width": 1000, "height": 800})
    opened = context.new_page()
    errors: list[str] = []
    opened.on("pageerror", lambda error: errors.append(str(error)))
    opened.goto(path.as_uri())
    recordings = [recording for word in explanation.words if word.record and (recording := word.record())]
    players = [Shown.on(opened, number=number) for number in range(1 + len(recordings))]
    assert opened.locator(".tl").count() == len(players) > 3
    players[-1].press("End")
    players[-1].stands_at(len(recordings[-1]))
    players[0].press("ArrowRight")
    players[0].stands_at(1)
    players[1].stands_at(0)
    opened.get_by_text("In sentences").last.click()
    assert opened.locator("pre").last.is_visible()
    assert opened.evaluate("window.hacked") is None and errors == []
    context.close()
