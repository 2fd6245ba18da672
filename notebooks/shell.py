"""The page around the lessons' HTML: head, styles, the player's script once, and what a page must not do."""

from __future__ import annotations

import re
from copy import deepcopy
from functools import cache
from html import escape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from pygments.style import Style
from pygments.styles import get_style_by_name
from pygments.token import STANDARD_TYPES

from notebooks.lessons import html_outputs
from tokenlab.show.player import asset

STYLES = Path(__file__).parent / "styles"
LARGEST = 1_500_000  # bytes of a page, pictures and players included
LIGHT, DARK = "xcode", "lightbulb"  # pygments' colours, which stand out enough on our grounds


def page(title: str, body: str, *styles: str, head: str = "") -> str:
    """A page that stands alone, with a title in plain text; `styles` are the names of our style sheets."""
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"{head}<title>{escape(title)}</title>\n<style>\n{''.join(map(style, styles))}</style>\n"
        f"</head>\n<body>\n{body}\n</body>\n</html>\n"
    )


@cache
def style(name: str) -> str:
    """One of our style sheets, less its comments; `highlight` is made of pygments' colours."""
    if name == "highlight":
        return highlighting()
    return re.sub(r"(?s)/\*.*?\*/\n?", "", (STYLES / f"{name}.css").read_text(encoding="utf-8"))


def highlighting() -> str:
    """Colours for code, each for light and dark."""
    light, dark = (_colours(get_style_by_name(name)) for name in (LIGHT, DARK))
    rules = [
        f".highlight .{name} {{ color: light-dark({light.get(kind, 'inherit')}, {dark.get(kind, 'inherit')}); }}\n"
        for kind, name in STANDARD_TYPES.items()
        if name and (kind in light or kind in dark)
    ]
    return "".join(rules).replace("inherit", "currentcolor")


def _colours(style: type[Style]) -> dict[Any, str]:
    return {kind: f"#{drawn['color']}" for kind, drawn in style if drawn["color"]}


PLAYER_STYLE = f"<style data-tokenlab=player>{asset('player.css')}</style>"
PLAYER_SCRIPT = f"<script data-tokenlab=player>{{{asset('player.js')}\nplayHere()}}</script>"
PLAYER_ONCE = (
    f"{PLAYER_STYLE}\n<script data-tokenlab=player>"
    f"const tokenlabPlay = (() => {{{asset('player.js')}\nreturn playHere}})()</script>\n"
)
PLAYER_HERE = "<script data-tokenlab=player>tokenlabPlay()</script>"


def for_a_page(notebook: Any) -> Any:
    """A copy whose players share one script and one style sheet, `PLAYER_ONCE`, which the page's head has to have.

    An output that was stored with another version of the player keeps its own.
    """
    notebook = deepcopy(notebook)
    for data in html_outputs(notebook):
        if PLAYER_STYLE in data["text/html"] and PLAYER_SCRIPT in data["text/html"]:
            data["text/html"] = data["text/html"].replace(PLAYER_STYLE, "").replace(PLAYER_SCRIPT, PLAYER_HERE)
        data["text/html"] = without_kernel(data["text/html"])
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            # A result in LaTeX goes the way of all formulas.
            if "text/latex" in output.get("data", {}):
                output.data.setdefault("text/markdown", output.data["text/latex"])
    return notebook


def without_kernel(html: str) -> str:
    """A stored player whose sentence for those who see it stand still fits a page."""
    return re.sub(r"(?s)(?<=This stands still\. ).*?(?=</p>)", "To step, allow this page its script.", html)


def complaints(name: str, html: str, beside: tuple[str, ...] = ()) -> list[str]:
    """What is wrong with a page: too large, or loading what is neither in it nor among the files beside it."""
    found = []
    if (size := len(html.encode())) > LARGEST:
        found.append(f"{name} has {size:,} bytes, more than {LARGEST:,}; show less, or smaller pictures")
    for load in sorted(set(loaded(html)) - set(beside)):
        found.append(f"{name} loads {load[:200]!r}, but a page has to work without a network")
    return found


def loaded(html: str) -> list[str]:
    """What a browser would fetch for a page; a link that somebody may click on is not among it."""
    loads = _Loads()
    loads.feed(html)
    loads.close()
    return [load for load in loads.found if not load.startswith(("data:", "#"))]


class _Loads(HTMLParser):
    """Collects the addresses that a page loads."""

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
