"""Pages without a generator (slides, one player): head, styles, the player's script once, and checks of a page."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from copy import deepcopy
from functools import cache
from html import escape
from html.parser import HTMLParser
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pygments.style import Style
from pygments.styles import get_style_by_name
from pygments.token import STANDARD_TYPES

from publish.for_readers import output_for_readers
from publish.lessons import html_outputs
from tokenlab.show.player import load_asset
from tokenlab.storage import files

STYLES = Path(__file__).parent / "styles"
LARGEST = 1_500_000  # bytes of a page, including pictures and players
LIGHT, DARK = "xcode", "lightbulb"  # pygments styles with enough contrast on our backgrounds


def page(title: str, body: str, *styles: str, head: str = "") -> str:
    """Return a standalone page with a plain-text title; `styles` are names of our style sheets."""
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"{head}<title>{escape(title)}</title>\n<style>\n{''.join(map(style, styles))}</style>\n"
        f"</head>\n<body>\n{body}\n</body>\n</html>\n"
    )


@cache
def style(name: str) -> str:
    """Return one of our style sheets without comments; `highlight` consists of pygments' colours."""
    if name == "highlight":
        return highlighting()
    return re.sub(r"(?s)/\*.*?\*/\n?", "", (STYLES / f"{name}.css").read_text(encoding="utf-8"))


@cache
def script(name: str) -> str:
    """Return one of our scripts without comments and indentation; `site` sets the theme of a page."""
    return re.sub(r"(?m)^\s*//.*\n|^\s+|/\*.*?\*/", "", (STYLES / f"{name}.js").read_text(encoding="utf-8"))


def highlighting() -> str:
    """Return a style sheet for code with colours for the light and the dark theme."""
    light, dark = (_colours(get_style_by_name(name)) for name in (LIGHT, DARK))
    rules = [
        f".highlight .{name} {{ color: light-dark({light.get(kind, 'inherit')}, {dark.get(kind, 'inherit')}); }}\n"
        for kind, name in STANDARD_TYPES.items()
        if name and (kind in light or kind in dark)
    ]
    return "".join(rules).replace("inherit", "currentcolor")


def _colours(style: type[Style]) -> dict[Any, str]:
    return {kind: f"#{drawn['color']}" for kind, drawn in style if drawn["color"]}


PLAYER_STYLE = f"<style data-tokenlab=player>{load_asset('player.css')}</style>"
PLAYER_SCRIPT = f"<script data-tokenlab=player>{{{load_asset('player.js')}\nplayHere()}}</script>"
PLAYER_ONCE = (
    f"{PLAYER_STYLE}\n<script data-tokenlab=player>"
    f"const tokenlabPlay = (() => {{{load_asset('player.js')}\nreturn playHere}})()</script>\n"
)
PLAYER_HERE = "<script data-tokenlab=player>tokenlabPlay()</script>"
# The same as files, for a site whose pages share them; a player far from the screen is mounted later (`near.js`).
PLAYER_ASSETS = {
    "player.css": load_asset("player.css"),
    "player.js": f"const tokenlabPlayer = (() => {{{load_asset('player.js')}\n{script('near')}\n"
    "return { playNear, playNow, render }})();\nconst tokenlabPlay = tokenlabPlayer.playNear;\n",
}
# Without a name for an icon, a browser would ask the server for one.
PLAYER_FILES = (
    '<link rel="icon" href="data:,">\n<link rel="stylesheet" href="_static/player.css">\n'
    '<script src="_static/player.js"></script>\n'
)


def for_a_page(notebook: Any) -> Any:
    """Return a copy whose players share one script and style sheet.

    The page's head must contain `PLAYER_ONCE` or `PLAYER_FILES`. An output stored with another version of the player
    keeps that version.
    """
    notebook = deepcopy(notebook)
    for data in html_outputs(notebook):
        if PLAYER_STYLE in data["text/html"] and PLAYER_SCRIPT in data["text/html"]:
            data["text/html"] = data["text/html"].replace(PLAYER_STYLE, "").replace(PLAYER_SCRIPT, PLAYER_HERE)
        data["text/html"] = output_for_readers(without_kernel(data["text/html"]))
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            # A LaTeX output is converted like all formulas.
            if "text/latex" in output.get("data", {}):
                output.data.setdefault("text/markdown", output.data["text/latex"])
    return notebook


def write_pages(made: Mapping[str, str], folder: Path, beside: Mapping[str, int] = MappingProxyType({})) -> None:
    """Check all pages, then write them; if a check fails, exit with a list of all problems."""
    wrong = [complaint for name, html in made.items() for complaint in complaints(name, html, beside)]
    if wrong:
        sys.exit("\n".join(wrong))
    for name, html in made.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        files.write_atomically(folder / name, html)
        print(f"{len(html.encode()) / 1000:7.0f} kB  {name}")
    print(f"{len(made)} pages; open {folder / 'index.html'}")


def without_kernel(html: str) -> str:
    """Adapt the sentence that a stored player shows without scripts to a page."""
    return re.sub(
        r"(?s)(?<=This view is static\. ).*?(?=(</strong>)?</p>)", "To step, allow this page its script.", html
    )


def complaints(name: str, html: str, beside: Mapping[str, int] = MappingProxyType({})) -> list[str]:
    """Return the problems of a page: too large with its pictures, or loading what is not among the files beside it.

    `beside` has the names of these files and their sizes in bytes.
    """
    loads = {load.partition("?")[0]: load for load in loaded(html)}
    size = len(html.encode()) + sum(beside.get(load, 0) for load in loads if load.startswith("_images/"))
    found = [f"{name} has {size:,} bytes, more than {LARGEST:,}; show less, or smaller pictures"] * (size > LARGEST)
    for load in sorted(load for address, load in loads.items() if address not in beside):
        found.append(f"{name} loads {load[:200]!r}, but a page has to work without a network")
    return found


def loaded(html: str) -> list[str]:
    """Return the addresses that a browser loads for a page; links are not among them."""
    loads = _Loads()
    loads.feed(html)
    loads.close()
    return [load for load in loads.found if not load.startswith(("data:", "#"))]


class _Loads(HTMLParser):
    """Collect the addresses that a page loads."""

    ATTRIBUTES = ("src", "srcset", "poster", "data", "background")
    TAGS_WITH_HREF = ("link", "image", "use", "base", "script")

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.in_style = False

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.in_style = tag == "style"
        for name, value in attributes:
            if name in self.ATTRIBUTES or (name in ("href", "xlink:href") and tag in self.TAGS_WITH_HREF):
                self.found.append(value or "")
            elif name == "style":
                self._read_style(value or "")

    def handle_endtag(self, tag: str) -> None:
        self.in_style = False

    def handle_data(self, data: str) -> None:
        if self.in_style:
            self._read_style(data)

    def _read_style(self, css: str) -> None:
        self.found += re.findall(r"url\(\s*[\"']?(.*?)[\"']?\s*\)", css)
        self.found += re.findall(r"@import\s+[\"'](.*?)[\"']", css)
