"""Write slides of each lesson that need neither kernel nor network: `make slides`, into `build/slides`.

`make slides ARGS=folder` writes into another folder. reveal.js is copied next to the slides from the installed package
sphinx_revealjs. A lesson without slide metadata is split at its headings: each `##` begins a slide, and each player and
picture gets a separate slide below. Practice and "Go further" are left out. A slide that is too long scrolls. Add
`?theme=dark` or `?theme=light` to the address to override the computer's setting.
"""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Iterator
from copy import deepcopy
from importlib.resources import as_file
from importlib.resources import files as package_files
from pathlib import Path
from typing import Any

from nbconvert import SlidesExporter

from publish.formulas import Unwritable
from publish.glossary import PAGE, glossary_html
from publish.lessons import BUILD, FOLDER, Lesson, stored
from publish.prose import LessonExporter, line_of, plain
from publish.shell import PLAYER_ONCE, for_a_page, page, write_pages

REVEAL = ("dist/reveal.css", "dist/reveal.js", "plugin/notes/notes.js", "LICENSE")
LEFT_OUT = ("Practice", "Go further")  # the first words of their headings
LARGE = {"text/html", "image/png", "image/jpeg", "image/svg+xml"}
WIDTH, HEIGHT = 1120, 700  # pixels, which reveal.js scales to the screen

START = """
<script src="reveal/dist/reveal.js"></script>
<script src="reveal/plugin/notes/notes.js"></script>
<script>
const theme = new URLSearchParams(location.search).get("theme");
if (["light", "dark"].includes(theme)) document.documentElement.style.colorScheme = theme;
for (const player of document.querySelectorAll(".tl")) player.dataset.preventSwipe = "";
// reveal.js takes every section for a slide, and a player has some of its own.
for (const section of document.querySelectorAll(".tl section")) {
  const same = document.createElement("div");
  same.className = section.className;
  same.append(...section.childNodes);
  section.replaceWith(same);
}
// A key that goes on scrolls first, as long as the slide has more to show; what has the focus keeps its own keys.
const WAYS = { ArrowDown: 1, PageDown: 1, " ": 1, ArrowUp: -1, PageUp: -1 };
function isForReveal(event) {
  if (event.target.closest("a, button, summary, input, select") && [" ", "Enter"].includes(event.key)) return false;
  const slide = Reveal.getCurrentSlide(), way = event.shiftKey ? 0 : WAYS[event.key];
  const more = way > 0 ? slide.scrollHeight - slide.clientHeight - slide.scrollTop : way < 0 ? slide.scrollTop : 0;
  if (more < 2) return true;
  slide.scrollBy(0, way * slide.clientHeight * 0.8);
  event.preventDefault();
  return false;
}
Reveal.initialize({
  width: WIDTH, height: HEIGHT, margin: 0.06, center: false, hash: true, transition: "none", slideNumber: "c/t",
  controlsLayout: "edges", keyboardCondition: isForReveal, plugins: [RevealNotes],
});
</script>
"""


class LessonSlides(LessonExporter, SlidesExporter):
    """nbconvert's slides with our prose; `reveal/base.html.j2` puts the cells in sections, without a page."""


def slides_page(lesson: Lesson, names: list[str]) -> str:
    """Return the slides of a lesson as a page.

    Raises:
        Unwritable: a formula cannot be converted; the message names the lesson.
    """
    notebook = for_a_page(cut(lesson.notebook))
    exporter = LessonSlides([name for name in names if name != lesson.name], template_name="reveal")
    try:
        sections, _ = exporter.from_notebook_node(notebook, {"metadata": {"name": lesson.name, "path": str(FOLDER)}})
    except Unwritable as error:
        raise Unwritable(f"{lesson.name}: {error}") from None
    head = '<link rel="stylesheet" href="reveal/dist/reveal.css">\n'
    start = START.replace("WIDTH", str(WIDTH)).replace("HEIGHT", str(HEIGHT))
    body = f'<div class="reveal"><div class="slides">\n{sections}\n</div></div>{start}'
    title = f"{plain(line_of(lesson.title))} · slides"
    return page(title, body, "cells", "slides", "highlight", head=head + PLAYER_ONCE)


def index(lessons: list[Lesson]) -> str:
    """Return the page that lists the slides of the lessons with their objectives."""
    entries = "\n".join(
        f'<li><a href="{lesson.name}.html">{line_of(lesson.title)}</a><small>{lesson.label}</small>'
        f"<p>{line_of(lesson.promise.partition(chr(10) * 2)[0])}</p></li>"
        for lesson in lessons
    )
    body = f'<main>\n<h1>tokenlab: slides</h1>\n<ol class="lessons">\n{entries}\n</ol>\n</main>'
    return page("Slides · tokenlab", body, "page", "cells")


def glossary_page(names: list[str]) -> str:
    """Return the glossary as a page, with links to the slides of these lessons."""
    nav = '<header><nav aria-label="Lessons"><a href="index.html">All lessons</a></nav></header>'
    return page("Glossary · tokenlab", f"{nav}\n<main>\n{glossary_html(names)}\n</main>", "page", "cells")


def cut(notebook: Any) -> Any:
    """Return a copy with slide metadata in every cell; a lesson that has slide metadata is not changed."""
    notebook = deepcopy(notebook)
    if not any("slideshow" in cell.metadata for cell in notebook.cells):
        notebook.cells = list(_kept(part for cell in notebook.cells for part in _parts(cell)))
        before = None
        for cell in notebook.cells:
            cell.metadata["slideshow"] = {"slide_type": slide_type(cell, before)}
            before = cell
    return notebook


def _parts(cell: Any) -> list[Any]:
    """Split a cell at its headings."""
    if cell.cell_type != "markdown":
        return [cell]
    parts = []
    for number, source in enumerate(at_headings(cell.source)):
        part = deepcopy(cell)
        part.source, part.id = source, f"{cell.id}-{number}"
        parts.append(part)
    return parts


def at_headings(source: str) -> list[str]:
    """Split Markdown before each heading that is not code."""
    parts, fenced = [""], False
    for line in source.splitlines(keepends=True):
        fenced ^= line.startswith(("```", "~~~"))
        if re.match("#{1,3} ", line) and not fenced:
            parts.append("")
        parts[-1] += line
    return [part for part in parts if part.strip()]


def _kept(cells: Iterator[Any]) -> Iterator[Any]:
    """Leave out the parts of a lesson that are meant for reading only."""
    heading = ""
    for cell in cells:
        if cell.cell_type == "markdown" and (found := re.match(r"##? +(.+)", cell.source)):
            heading = found[1].strip()
        if not heading.startswith(LEFT_OUT):
            yield cell


def slide_type(cell: Any, before: Any) -> str:
    """Return the slide type of a cell: a new slide, a slide below, or a part of the previous one (short output)."""
    if cell.cell_type == "markdown":
        return "slide" if re.match("##? ", cell.source) else "subslide"
    is_large = any(LARGE & {*output.get("data", {})} for output in cell.outputs)
    return "-" if not is_large and before is not None and before.cell_type == "markdown" else "subslide"


def copy_reveal(folder: Path) -> None:
    """Copy reveal.js into a folder."""
    with as_file(package_files("sphinx_revealjs") / "_static" / "revealjs") as reveal:
        for name in REVEAL:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(reveal / name, folder / name)


def main(arguments: list[str]) -> None:
    """Write the slides."""
    folder = Path(arguments[0]) if arguments else BUILD / "slides"
    lessons = stored()
    names = [lesson.name for lesson in lessons]
    try:
        made = {f"{lesson.name}.html": slides_page(lesson, names) for lesson in lessons}
    except Unwritable as error:
        sys.exit(str(error))
    made |= {"index.html": index(lessons), PAGE: glossary_page(names)}
    write_pages(made, folder, beside={f"reveal/{name}": 0 for name in REVEAL})
    copy_reveal(folder / "reveal")


if __name__ == "__main__":
    main(sys.argv[1:])
