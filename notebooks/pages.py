"""Write the lessons as a web site that needs neither kernel nor network: `make site`, into `build/site`.

`make site ARGS=folder` writes into another folder. Each stored lesson becomes a page with its outputs; each of its
players also gets a separate page. Nothing is written if a page is too large, loads a resource, or has a formula that
cannot be converted.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from html import escape
from pathlib import Path

from notebooks.formulas import Unwritable
from notebooks.glossary import PAGE, glossary_html
from notebooks.lessons import BUILD, FOLDER, FRAMES, Lesson, html_outputs, stored
from notebooks.prose import LessonExporter, line_of, plain
from notebooks.shell import PLAYER_ONCE, complaints, for_a_page, page, without_kernel
from tokenlab import files

# With this policy, a browser loads nothing from elsewhere, even if a page requests it.
NOTHING_ELSE = (
    '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; img-src data:; '
    "style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n"
)
NOTE = (
    '<p class="note">This page shows the lesson as it was run. Its players step, ask and answer here. To run and '
    "change the code, and to have your solutions checked, open the lesson in JupyterLab with <code>make lab</code>.</p>"
)


def site(lessons: list[Lesson]) -> dict[str, str]:
    """Return the files of the site, by name.

    Raises:
        Unwritable: a formula cannot be converted; the message names the lesson.
    """
    made = {"index.html": index(lessons), PAGE: glossary_page([lesson.name for lesson in lessons])}
    for place, lesson in enumerate(lessons):
        before = lessons[place - 1] if place else None
        after = lessons[place + 1] if place + 1 < len(lessons) else None
        made[f"{lesson.name}.html"] = lesson_page(lesson, [other.name for other in lessons], before, after)
        made |= dict(player_pages(lesson))
    return made


def index(lessons: list[Lesson], heading: str = "The lessons") -> str:
    """Return the page that lists the lessons with their objectives."""
    entries = "\n".join(
        f'<li><a href="{lesson.name}.html">{line_of(lesson.title)}</a><small>{lesson.name}</small>'
        f"<p>{line_of(lesson.promise.partition(chr(10) * 2)[0])}</p></li>"
        for lesson in lessons
    )
    body = f"<main>\n<h1>tokenlab: {heading.lower()}</h1>\n<p>See how text becomes tokens, one step at a time.</p>\n"
    body += f'<p><a href="{PAGE}">The glossary</a> explains the terms of the lessons.</p>\n'
    body += f'<ol class="lessons">\n{entries}\n</ol>\n</main>'
    return page(f"{heading} · tokenlab", body, "page", "cells", head=NOTHING_ELSE)


def lesson_page(lesson: Lesson, names: list[str], before: Lesson | None, after: Lesson | None) -> str:
    """Return a lesson as a page."""
    body = f"<header>{_ways(before, after)}</header>\n<main>\n{NOTE}\n{_cells(lesson, names)}\n</main>\n"
    body += f"<footer>{_ways(before, after)}</footer>"
    title = f"{plain(line_of(lesson.title))} · tokenlab"
    return page(title, body, "page", "cells", "highlight", head=NOTHING_ELSE + PLAYER_ONCE)


def glossary_page(names: list[str]) -> str:
    """Return the glossary as a page, with links to these lessons."""
    body = f"<header>{_ways(None, None)}</header>\n<main>\n{glossary_html(names)}\n</main>"
    return page("Glossary · tokenlab", body, "page", "cells", head=NOTHING_ELSE)


def _cells(lesson: Lesson, names: list[str]) -> str:
    notebook = for_a_page(lesson.notebook)
    for number, data in enumerate(_played(notebook), start=1):
        link = f'<p class="alone"><a href="{lesson.name}.{number}.html">open this player on a separate page</a></p>'
        data["text/html"] += link
    exporter = LessonExporter([name for name in names if name != lesson.name], template_name="lab")
    try:
        html, _ = exporter.from_notebook_node(notebook, {"metadata": {"name": lesson.name, "path": str(FOLDER)}})
    except Unwritable as error:
        raise Unwritable(f"{lesson.name}: {error}") from None
    return str(html)


def _played(notebook: object) -> Iterator[dict[str, str]]:
    return (data for data in html_outputs(notebook) if FRAMES in data["text/html"])


def player_pages(lesson: Lesson) -> Iterator[tuple[str, str]]:
    """Yield the file name and HTML of a page for each player of a lesson."""
    for number, data in enumerate(_played(lesson.notebook), start=1):
        title = f"{plain(line_of(lesson.title))}: player {number}"
        back = f'<header><nav><a href="{lesson.name}.html">{escape(plain(line_of(lesson.title)))}</a></nav></header>'
        body = f"{back}\n<main>\n{without_kernel(data['text/html'])}\n</main>"
        yield f"{lesson.name}.{number}.html", page(title, body, "page", head=NOTHING_ELSE)


def _ways(before: Lesson | None, after: Lesson | None) -> str:
    links = [f'<a rel="prev" href="{before.name}.html">← {line_of(before.title)}</a>'] if before else []
    links.append(f'<a href="index.html">All lessons</a><a href="{PAGE}">Glossary</a>')
    links += [f'<a rel="next" href="{after.name}.html">{line_of(after.title)} →</a>'] if after else []
    return f'<nav aria-label="Lessons">{"".join(links)}</nav>'


def write(made: dict[str, str], folder: Path, beside: tuple[str, ...] = ()) -> None:
    """Check all pages, then write them; if a check fails, raise an error that lists all problems."""
    wrong = [complaint for name, html in made.items() for complaint in complaints(name, html, beside)]
    if wrong:
        sys.exit("\n".join(wrong))
    folder.mkdir(parents=True, exist_ok=True)
    for name, html in made.items():
        files.write_atomically(folder / name, html)
    lessons = {name: html for name, html in made.items() if not re.search(r"\.\d+\.html$", name)}
    for name, html in lessons.items():
        print(f"{len(html.encode()) / 1000:7.0f} kB  {name}")
    print(f"{len(made)} pages; open {folder / 'index.html'}")


def main(arguments: list[str]) -> None:
    """Write the site."""
    folder = Path(arguments[0]) if arguments else BUILD / "site"
    try:
        write(site(stored()), folder)
    except Unwritable as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main(sys.argv[1:])
