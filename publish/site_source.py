"""The source of the web site: each stored lesson as a notebook that Sphinx reads, the first page, and the settings.

A lesson's players share one script, its formulas become placeholders, and its words fit a page without a kernel.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import nbformat
from nbformat import v4

from publish import formulas
from publish.for_readers import for_readers
from publish.gallery import gallery
from publish.lessons import Lesson, players_of, runs_in_the_tab
from publish.live.cells import with_programs
from publish.live.runtime import HERE as LIVE
from publish.live.runtime import SCRIPTS, live_script
from publish.live.why_page import why_page
from publish.prose import line_of, text_of
from publish.reference import modules
from publish.shell import DARK, LIGHT, PLAYER_ASSETS, STYLES, for_a_page

NOTE = (
    "<p class=note>This page shows the lesson as it was run. Its players step, ask and answer here. To change the "
    "code, type your own text or have your solutions checked, open the lesson in JupyterLab with "
    "<code>make lab</code>.</p>"
)
LIVE_NOTE = (
    "<p class=note>This page shows the lesson as it was run. Its players step, ask and answer here, and where there is "
    "a box for a text, you can type your own: your browser then loads Python once (about 20 MB), and nothing that you "
    "type leaves it. To change the code or have your solutions checked, open the lesson in JupyterLab with "
    "<code>make lab</code>.</p>"
)
IN_THE_TAB = (
    '<p class=note><a href="{address}">Run this lesson in your browser</a>, without an installation: it loads '
    "about 30 MB, checks your solutions, and keeps your changes in this browser.</p>"
)
WELCOME = """
# tokenlab: watch how text becomes tokens
"""
AUDIENCES = {
    "Students": ("step, predict the next step, and write each algorithm, from", "lesson 00", "00_start_here"),
    "Teachers": ("give graded assignments with variants and a class to try them on:", "for teachers", "instructors"),
    "Engineers": ("see which rule made each token of", "your own tokenizer", "why"),
}
INSTALL = """
## Run the lessons yourself

These pages show the lessons as they were run; every player on them steps, asks and answers{live}. To change the code or
to have your solutions checked, get the kit and run `make lab` in its folder (on Windows: `py lab.py`). It needs Python
3.11 or newer and opens the lessons in JupyterLab.
"""
TYPED = ", and in lessons 00 to 12 and 23, explorers play your own text"
SETTINGS = {
    "project": "tokenlab",
    "html_title": "tokenlab",
    "extensions": ["myst_nb", "sphinx_copybutton", "publish.sphinx_lessons", "publish.sphinx_modules"],
    "exclude_patterns": ["conf.py"],
    "root_doc": "index",
    "html_theme": "furo",
    "html_theme_options": {
        "light_css_variables": {"color-code-background": "#f5f5f3"},
        "dark_css_variables": {"color-code-background": "#1f1f23"},
    },
    "html_static_path": ["_assets"],
    "html_css_files": ["site.css"],
    "html_js_files": ["site.js"],
    "html_show_search_summary": False,  # excerpts.js has excerpts that need no web server
    "html_search_scorer": str(STYLES / "search.js"),
    "html_math_renderer": "mathml",
    "html_copy_source": False,
    "html_show_copyright": False,
    "html_use_index": False,
    "pygments_style": LIGHT,
    "pygments_dark_style": DARK,
    "smartquotes": False,
    "nb_execution_mode": "off",
    "nb_merge_streams": True,
    "myst_heading_anchors": 4,
    # Lessons are plain Markdown, as JupyterLab shows it.
    "myst_disable_syntax": ["colon_fence", "myst_block_break", "myst_line_comment", "myst_role", "myst_target"],
    "copybutton_selector": ".cell_input pre, .text_markdown pre",
    "suppress_warnings": ["myst.header"],
}


class Source:
    """The folder from which Sphinx makes the site."""

    def __init__(
        self,
        folder: Path,
        lessons: list[Lesson],
        docs: Path,
        package: Path | None = None,
        live: bool = False,
        lite: str = "",
    ) -> None:
        """Take an empty folder, the lessons, the folder with the other texts, and the package to document.

        Args:
            folder: the empty folder.
            lessons: the lessons.
            docs: the folder with the other texts.
            package: the package to document.
            live: whether the pages have Python, which answers what is typed.
            lite: the address of a JupyterLite site, to whose lessons the pages link.
        """
        self.folder = folder
        self.lite = lite
        self.lessons = lessons
        self.docs = sorted(docs.glob("*.md"))
        self.modules = dict(modules(package)) if package else {}
        self.package = package.name if package else None
        self.live = live
        self.formulas: list[formulas.Formula] = []

    def write(self) -> None:
        """Write what Sphinx reads.

        Raises:
            formulas.Unwritable: a formula cannot be converted; the message names the page.
        """
        for lesson in self.lessons:
            self._write_notebook(lesson.name, self.lesson(lesson))
        for doc in self.docs:
            markdown = self.without_formulas(doc.stem, doc.read_text(encoding="utf-8"))
            (self.folder / doc.name).write_text(_with_flat_links(markdown), encoding="utf-8", newline="\n")
        for name, path in self.modules.items():
            shutil.copyfile(path, self.folder / f"{name}.py")
        self._write_notebook("index", self.index())
        settings = "".join(f"{name} = {value!r}\n" for name, value in SETTINGS.items())
        (self.folder / "conf.py").write_text(settings, encoding="utf-8", newline="\n")
        assets = self.folder / "_assets"
        assets.mkdir()
        for name, content in PLAYER_ASSETS.items():
            (assets / name).write_text(content, encoding="utf-8", newline="\n")
        for name in ("site.css", "site.js"):
            shutil.copyfile(STYLES / name, assets / name)
        if self.live:
            for name in SCRIPTS:
                (assets / f"{name}.js").write_text(live_script(name), encoding="utf-8", newline="\n")
            shutil.copyfile(LIVE / "why.css", assets / "why.css")
            (self.folder / "why.md").write_text(why_page(), encoding="utf-8", newline="\n")

    def _write_notebook(self, name: str, notebook: Any) -> None:
        (self.folder / f"{name}.ipynb").write_text(nbformat.writes(notebook), encoding="utf-8", newline="\n")

    def lesson(self, lesson: Lesson) -> Any:
        """Return the notebook of a lesson's page."""
        notebook = for_a_page(lesson.notebook)
        live = self.live and with_programs(lesson.name, notebook) > 0
        for number, data in enumerate(players_of(notebook), start=1):
            link = f'<p class="alone"><a href="{lesson.name}.{number}.html">open this player on a separate page</a></p>'
            data["text/html"] += link
        for cell in notebook.cells:
            if cell.cell_type == "markdown":
                cell.source = _with_flat_links(self.without_formulas(lesson.name, for_readers(cell.source, live)))
            for output in cell.get("outputs", []):
                if (data := output.get("data", {})) and "text/latex" in data:
                    text = self.without_formulas(lesson.name, data["text/latex"])
                    output.data = {"text/html": f"<p>{text}</p>"}
        note = LIVE_NOTE if live else NOTE
        if self.lite and runs_in_the_tab(lesson.name):
            note += "\n\n" + IN_THE_TAB.format(address=f"{self.lite}/lab/index.html?path={lesson.name}.ipynb")
        first = notebook.cells[0]
        title, behind, rest = first.source.partition("\n") if first.cell_type == "markdown" else ("", "", "")
        if title.startswith("# "):
            first.source = f"{title}\n\n{note}\n{behind}{rest}"
        else:
            notebook.cells.insert(0, v4.new_markdown_cell(f"# {lesson.name}\n\n{note}"))
        return notebook

    def without_formulas(self, name: str, markdown: str) -> str:
        """Replace the formulas by placeholders that are numbered through the whole site."""
        text, found = formulas.extract_formulas(markdown)
        for formula in found:
            try:
                formulas.mathml(formula.latex, formula.displayed)
            except formulas.Unwritable as error:
                raise formulas.Unwritable(f"{name}: {error}") from None
        start = len(self.formulas)
        self.formulas += found
        return formulas.PLACE.sub(lambda place: f"\ue900{int(place[1]) + start}\ue901", text)

    def index(self) -> Any:
        """Return the first page: the gallery, the audiences, the lessons with their objectives, and the other pages."""
        entries = "\n".join(
            f"<li><a href={lesson.name}.html>{line_of(lesson.title)}</a><small>{lesson.label}</small>"
            f"<p>{line_of(lesson.promise.partition(chr(10) * 2)[0])}</p></li>"
            for lesson in self.lessons
        )
        numbers = (lesson.name[:2] if lesson.name[0].isdigit() else "" for lesson in self.lessons)
        numbered = (
            f"{number} {text_of(lesson.title)} <{lesson.name}>".lstrip()
            for number, lesson in zip(numbers, self.lessons, strict=True)
        )
        contents = [
            f"## The lessons\n\n<ol class=lessons>\n{entries}\n</ol>",
            INSTALL.format(live=TYPED if self.live else ""),
            _toctree("Lessons", numbered),
            _toctree("More", [*["why"] * self.live, *(doc.stem for doc in self.docs), *self._reference()]),
        ]
        pictures = v4.new_output("display_data", {"text/html": gallery(self.lessons, self.live)})
        shown = v4.new_code_cell("gallery", outputs=[pictures], metadata={"tags": ["remove-input"]})
        cells = [v4.new_markdown_cell(WELCOME), shown, *map(v4.new_markdown_cell, [self._audiences(), *contents])]
        return v4.new_notebook(cells=cells, metadata={"language_info": {"name": "python"}})

    def _reference(self) -> list[str]:
        return [f"API reference <{self.package}>"] if self.package else []

    def _audiences(self) -> str:
        """Return a line for each audience, with a link if its page is on the site."""
        names = {*(lesson.name for lesson in self.lessons), *(doc.stem for doc in self.docs), *["why"] * self.live}
        lines = (
            f"<li><b>{who}</b> {what} {f'<a href={page}.html>{name}</a>' if page in names else name}.</li>"
            for who, (what, name, page) in AUDIENCES.items()
        )
        return f"<ul class=audiences>\n{chr(10).join(lines)}\n</ul>"


def _toctree(caption: str, entries: Iterable[str]) -> str:
    return "\n".join(["```{toctree}", ":hidden:", f":caption: {caption}", "", *entries, "```"])


def _with_flat_links(markdown: str) -> str:
    """Make links between lessons and texts fit the site, where all pages are in one folder."""
    links = re.sub(r"\]\((?:\.\./)?(?:docs|notebooks)/(?=[\w-]+\.(?:md|ipynb)[)#])", "](", markdown)
    anchored = re.sub(r"\]\(\w+\.ipynb#[^)]+\)", lambda link: link[0].lower(), links)  # JupyterLab keeps capitals
    return anchored.replace("](../README.md)", "](index.ipynb)")
