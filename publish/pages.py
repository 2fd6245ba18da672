"""Write the lessons as a web site that needs neither kernel nor network: `make site`, into `build/site`.

`make site ARGS=folder` writes into another folder. If `make lite` has written `build/lite`, the pages of its lessons
link to it, as `../lite`: publish both folders side by side. Sphinx (with the theme Furo and MyST-NB) makes a page of
each stored lesson, of each text in `docs/` and of each module; each player also gets a separate page. Nothing is
written if a page is too large, loads a resource from elsewhere, or has a broken link or a formula that cannot be
converted.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from html import escape
from io import StringIO
from pathlib import Path
from time import perf_counter
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.console import strip_escape_sequences
from sphinx.util.docutils import docutils_namespace, patch_docutils

from publish.formulas import Unwritable
from publish.lessons import BUILD, FOLDER, Lesson, players_of, stored
from publish.live.runtime import Unusable, pyodide_folder, write_runtime
from publish.page_checks import site_complaints
from publish.prose import text_of
from publish.reference import source_page
from publish.shell import PLAYER_FILES, STYLES, for_a_page, page, script
from publish.site_source import Source
from publish.sphinx_lessons import POLICY
from tokenlab.storage import files

DOCS = FOLDER.parent / "docs"
PACKAGE = FOLDER.parent / "tokenlab"
# The page of a module's source loads nothing at all.
NOTHING_ELSE = (
    '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; img-src data:; '
    "style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n"
)
# What Furo's templates leave out: names of landmarks, levels of headings, and the heading of the search page.
MENDED = {
    'class="caption" role="heading"': 'class="caption" role="heading" aria-level="2"',
    '<aside class="sidebar-drawer"': '<aside aria-label="Site" class="sidebar-drawer"',
    '<aside class="toc-drawer': '<aside aria-label="On this page" class="toc-drawer',
    '<div id="search-results">': (
        '<h1>Search</h1>\n<script defer src="_static/excerpts.js"></script>\n<div id="search-results">'
    ),
}


def player_pages(lesson: Lesson) -> Iterator[tuple[str, str]]:
    """Yield the file name and HTML of a page for each player of a lesson."""
    for number, data in enumerate(players_of(for_a_page(lesson.notebook)), start=1):
        title = f"{text_of(lesson.title)}: player {number}"
        back = f'<header><nav><a href="{lesson.name}.html">{escape(text_of(lesson.title))}</a></nav></header>'
        main = f"<main>\n<h1>{escape(title)}</h1>\n{data['text/html']}\n</main>"
        body = f"{back}\n{main}\n<script>{script('site')}</script>"
        yield f"{lesson.name}.{number}.html", page(title, body, "page", head=POLICY + PLAYER_FILES)


def build(
    lessons: list[Lesson],
    folder: Path,
    docs: Path = DOCS,
    package: Path | None = None,
    pyodide: Path | None = None,
    lite: str = "",
) -> list[str]:
    """Make the site in an empty folder, and return its problems.

    Args:
        lessons: the lessons.
        folder: the empty folder.
        docs: the folder with the other texts.
        package: a package to document.
        pyodide: the folder of Pyodide, which makes the explorers live.
        lite: the address of a JupyterLite site, to whose lessons the pages link.

    Raises:
        Unwritable: a formula cannot be converted; the message names the page.
    """
    warnings = StringIO()
    with tempfile.TemporaryDirectory() as made, patch_docutils(), docutils_namespace():
        source = Source(Path(made, "source"), lessons, docs, package, pyodide is not None, lite)
        source.folder.mkdir()
        source.write()
        worker = write_runtime(folder, pyodide) if pyodide else ""
        app = Sphinx(
            source.folder,
            source.folder,
            folder,
            Path(made, "doctrees"),
            "html",
            confoverrides={"lesson_formulas": source.formulas, "worker": worker},
            status=None,
            warning=warnings,
        )
        app.build(force_all=True)
        texts = {name: list(section_texts(app.env.get_doctree(name))) for name in sorted(app.env.found_docs)}
    script = (STYLES / "excerpts.js").read_text(encoding="utf-8")
    excerpts = f"const pageTexts = {json.dumps(texts, ensure_ascii=False)};\n{script}"
    files.write_atomically(folder / "_static/excerpts.js", excerpts)
    for path in folder.glob("*.html"):
        files.write_atomically(path, _mended(path.read_text(encoding="utf-8")))
    for lesson in lessons:
        for name, html in player_pages(lesson):
            files.write_atomically(folder / name, html)
    for name, path in source.modules.items():
        html = source_page(name, path.read_text(encoding="utf-8"), NOTHING_ELSE)
        files.write_atomically(folder / f"{name}.source.html", html)
    (folder / "_sources").rmdir()  # empty
    generated = {f"{name}{ending}" for name in source.modules for ending in (".html", ".source.html")}
    lines = strip_escape_sequences(warnings.getvalue()).splitlines()
    return [line.replace(f"{source.folder}/", "") for line in lines] + [*site_complaints(folder, generated, lite)]


def section_texts(document: nodes.document) -> Iterator[tuple[list[str], str]]:
    """Yield the anchors and the paragraphs of each section that has any, without those of its subsections."""
    for section in document.findall(nodes.section):
        parts = [part for part in section if not isinstance(part, nodes.section)]
        found = (node for part in parts for node in part.findall(nodes.paragraph))
        paragraphs = [node.astext() for node in found if not node["classes"]]  # a class is that of links
        if text := " ".join(" ".join(paragraphs).split()):
            yield section["ids"], text


def _mended(html: str) -> str:
    for written, right in MENDED.items():
        html = html.replace(written, right)
    return html


def write(lessons: list[Lesson], folder: Path, docs: Path = DOCS, **options: Any) -> None:
    """Make the site with the options of `build`, and copy it to a folder; if a check fails, exit with all problems."""
    with tempfile.TemporaryDirectory() as made:
        if wrong := build(lessons, Path(made), docs, **options):
            sys.exit("\n".join(wrong))
        shutil.rmtree(folder / "_live", ignore_errors=True)  # Python of an earlier site
        shutil.copytree(made, folder, dirs_exist_ok=True)


def main(arguments: list[str]) -> None:
    """Write the site."""
    folder = Path(arguments[0]) if arguments else BUILD / "site"
    start = perf_counter()
    try:
        pyodide = pyodide_folder()
        if pyodide is None:
            print("Pyodide is missing, so nothing on the pages is live; install npm, or set PYODIDE to its folder.")
        lite = "../lite" if (BUILD / "lite").exists() else ""
        write(stored(), folder, package=PACKAGE, pyodide=pyodide, lite=lite)
    except (Unwritable, Unusable) as error:
        sys.exit(str(error))
    sizes = {path.relative_to(folder).as_posix(): path.stat().st_size for path in folder.rglob("*") if path.is_file()}
    for name, size in sorted(sizes.items()):
        if re.fullmatch(r"[\w-]+\.html", name):
            print(f"{size / 1000:7.0f} kB  {name}")
    total = sum(sizes.values()) / 1e6
    print(f"{total:.1f} MB in {perf_counter() - start:.0f} seconds; open {folder / 'index.html'}")


if __name__ == "__main__":
    main(sys.argv[1:])
