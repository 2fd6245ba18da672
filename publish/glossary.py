"""The glossary of the lessons, `docs/glossary.md`: its entries, and its page on the site."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

from publish.lessons import FOLDER
from publish.prose import Renderer, html_of
from tokenlab.storage import files

PATH = FOLDER.parent / "docs" / "glossary.md"
PAGE = "glossary.html"


@dataclass(frozen=True)
class Entry:
    """A term, its meaning in Markdown, and the lesson that introduces it."""

    term: str
    text: str

    @property
    def anchor(self) -> str:
        """The anchor of the heading, the same in JupyterLab, on GitHub and on the site."""
        return self.term.replace(" ", "-")

    @property
    def lesson(self) -> str:
        """The name of the lesson that introduces the term, or ""."""
        found = re.search(r"(?m)^Lesson:\s`(\w+)`\.", self.text)
        return found[1] if found else ""


def entries(markdown: str | None = None) -> list[Entry]:
    """Return the entries of the glossary, in order."""
    parts = re.split(r"(?m)^## (.+)\n", files.read_text(PATH) if markdown is None else markdown)
    return [Entry(term, text.strip()) for term, text in zip(parts[1::2], parts[2::2], strict=True)]


def glossary_html(lessons: Collection[str]) -> str:
    """Return the glossary as HTML, with links to these lessons.

    Raises:
        Unwritable: a formula cannot be converted to MathML.
    """
    return html_of(files.read_text(PATH), Renderer(lessons))
