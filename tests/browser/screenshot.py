"""Takes the README's pictures of the player, docs/player.png and docs/player-dark.png: `make screenshot`."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.browser.conftest import QUIET, find_browser
from tokenlab.algorithms.bpe.train import train

DOCS = Path(__file__).parents[2] / "docs"
PICTURES = {"light": DOCS / "player.png", "dark": DOCS / "player-dark.png"}
WORDS = {"bun": 15, "pup": 11, "pun": 10, "bug": 6, "ten": 5, "pug": 3}


def main() -> None:
    """Show the first recording of lesson 01, go one step on, guess wrong, and take a picture."""
    path = find_browser()
    if path is None:
        sys.exit("No browser found; install Chromium (on Debian and Ubuntu: `sudo apt install chromium`).")
    DOCS.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        saved = train.record(WORDS, vocab_size=20).save(Path(folder) / "player.html")
        browser = playwright.chromium.launch(executable_path=path, args=QUIET.split())
        for scheme, picture in PICTURES.items():
            page = browser.new_page(
                viewport={"width": 932, "height": 900},
                device_scale_factor=2,
                color_scheme="dark" if scheme == "dark" else "light",
                reduced_motion="reduce",
            )
            page.goto(saved.as_uri())
            page.get_by_role("button", name="Step forward").click()
            page.get_by_role("group", name="Predict").get_by_role("button", name="p + u").click()
            page.locator(".tl").evaluate("player => player.blur()")
            page.locator(".tl").screenshot(path=picture)
            print(f"{picture.relative_to(DOCS.parent)}: {picture.stat().st_size / 1000:.0f} kB")
        browser.close()


if __name__ == "__main__":
    main()
