"""Check a finished site: no page is too large or loads something from elsewhere, and every link leads somewhere."""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from html.parser import HTMLParser
from pathlib import Path

from publish.shell import complaints

NONE: frozenset[str] = frozenset()


def site_complaints(folder: Path, generated: Set[str] = NONE, lite: str = "") -> Iterator[str]:
    """Yield the problems of all pages and style sheets in a folder.

    The names in `generated` are pages that consist of escaped text and our own links. Only their links are checked, and
    they are not parsed: that would take longer than writing them. Links to a JupyterLite site at the address `lite` are
    not checked.
    """
    sizes = {path.relative_to(folder).as_posix(): path.stat().st_size for path in folder.rglob("*") if path.is_file()}
    read = {name: (folder / name).read_text(encoding="utf-8") for name in sorted(sizes) if name.endswith(".html")}
    targets = {name: _Targets(html, name in generated) for name, html in read.items()}
    for name, html in read.items():
        if name not in generated:
            yield from complaints(name, html, sizes)
        for link in targets[name].broken(name, targets):
            if not (lite and link.startswith(f"{lite}/")):
                yield f"{name} has a link to {link!r}, which is not on the site"
    for name in sorted(sizes):
        if name.endswith(".css"):
            css = re.sub(r"(?s)/\*.*?\*/", "", (folder / name).read_text(encoding="utf-8"))
            for load in re.findall(r"(?:url\(|@import)\s*[\"']?([^\"')]+)", css):
                if not load.startswith(("data:", "#")) and not (folder / name).parent.joinpath(load).exists():
                    yield f"{name} loads {load[:200]!r}, but a page has to work without a network"


class _Targets(HTMLParser):
    """The links of a page, and the places on it that a link can lead to."""

    def __init__(self, html: str, generated: bool) -> None:
        super().__init__()
        self.links: dict[str, None] = {}
        self.ids: set[str] = set()
        if generated:
            self.ids.update(re.findall(r'(?s)<[^<>]* id="([^"]+)"', html))
            self.links.update(dict.fromkeys(re.findall(r'<a [^<>]*href="([^"]+)"', html)))
        else:
            self.feed(html)
            self.close()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        named = dict(attributes)
        self.ids.add(named.get("id") or "")
        if tag == "a" and named.get("href"):
            self.links[named["href"] or ""] = None

    def broken(self, here: str, pages: dict[str, _Targets]) -> Iterator[str]:
        """Yield the links that lead to no page of the site, or to no place on it."""
        for link in self.links:
            if not re.match(r"[a-z]+:", link):
                page, _, anchor = link.partition("#")
                target = pages.get(page or here)
                if target is None or (anchor and anchor not in target.ids):
                    yield link
