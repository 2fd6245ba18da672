"""The lessons as slides: offline, cut where the headings are, with nothing lost but what is for reading."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from bs4 import BeautifulSoup

from publish import shell, slides
from publish.lessons import Lesson, stored
from publish.prose import html_of, plain
from tests.publish.made_up import code, lesson, played
from tokenlab.algorithms.bpe.train import train

NAMES = [other.name for other in stored()]
each_lesson = pytest.mark.parametrize("other", stored(), ids=lambda other: other.name)
BESIDE = {f"reveal/{name}" for name in slides.REVEAL}


@cache
def deck(name: str) -> str:
    return slides.slides_page(next(other for other in stored() if other.name == name), NAMES)


def sections(html: str) -> list[list[str]]:
    """What can be read on each slide, and on those beneath it."""
    columns = BeautifulSoup(html, "html.parser").select(".slides > section")
    return [[plain(str(slide)) for slide in column.find_all("section", recursive=False)] for column in columns]


def types(*cells: str | Any) -> list[tuple[str, str]]:
    """How a made-up lesson is cut: the type and the first word of each cell."""
    cut = slides.cut(lesson(*cells).notebook)
    return [(cell.metadata["slideshow"]["slide_type"], cell.source.lstrip("# ").split()[0]) for cell in cut.cells]


@pytest.mark.slow
@each_lesson
def test_slides_load_only_the_files_beside_them(other: Lesson) -> None:
    html = deck(other.name)
    assert {*shell.loaded(html)} < BESIDE
    assert shell.complaints(other.name, html, tuple(BESIDE)) == []
    assert not re.search(r"https?://[^\"]*\.(js|css)|require\(|jquery|mathjax|mermaid|jp-Notebook\"", html)


@pytest.mark.slow
@each_lesson
def test_each_heading_begins_a_slide_and_practice_is_left_out(other: Lesson) -> None:
    headings = [plain(html_of(line)).removesuffix(" #") for line in re.findall(r"(?m)^##? .*", source_of(other))]
    shown = [column[0] for column in sections(deck(other.name))]
    wanted = [heading for heading in headings if not heading.startswith(("Practice", "Go further"))]
    assert len(shown) == len(wanted) >= 4
    assert all(slide.startswith(heading) for slide, heading in zip(shown, wanted, strict=True))
    assert "Hint: a question" not in deck(other.name) and "is not ...:" not in deck(other.name)


def source_of(other: Lesson) -> str:
    return "\n".join(cell.source for cell in other.notebook.cells if cell.cell_type == "markdown")


@each_lesson
def test_exit_questions_stay(other: Lesson) -> None:
    assert html_of(source_of(other)).count("<details>") > deck(other.name).count("<details>") >= 3


@each_lesson
def test_players_are_there_and_their_script_once(other: Lesson) -> None:
    assert deck(other.name).count("tokenlabPlay()</script>") >= 1
    assert deck(other.name).count("function playHere") == 1


def test_a_lesson_is_cut_at_its_headings() -> None:
    assert types(
        "# Title\n\nSay",
        code("small", text_plain="1"),
        "Then.\n\n## Idea\n\nText.\n\n### Part\n\nMore.",
        code("player", text_html="<p>large</p>"),
        code("next", text_plain="2"),
        "And.",
        code("plot", image_png="AAAA"),
        "## Practice\n\nTask.\n\n### One",
        code("task", text_plain="3"),
        "## Exit questions",
        "## Go further",
        "### A\n\nB",
    ) == [
        ("slide", "Title"),
        ("-", "small"),
        ("subslide", "Then."),
        ("slide", "Idea"),
        ("subslide", "Part"),
        ("subslide", "player"),
        ("subslide", "next"),
        ("subslide", "And."),
        ("subslide", "plot"),
        ("slide", "Exit"),
    ]


def test_a_comment_in_code_is_no_heading() -> None:
    assert slides.at_headings("a\n\n```\n# b\n## c\n```\n\n## d\n") == ["a\n\n```\n# b\n## c\n```\n\n", "## d\n"]


def test_a_lesson_that_says_where_its_slides_are_is_left_as_it_is() -> None:
    said = lesson("# A", "## Practice", "## B\n\n## C")
    said.notebook.cells[1].metadata["slideshow"] = {"slide_type": "skip"}
    said.notebook.cells[2].metadata["slideshow"] = {"slide_type": "fragment"}
    assert slides.cut(said.notebook).cells == said.notebook.cells
    html = slides.slides_page(said, [])
    assert "Practice" not in html and 'class="fragment"' in html


def test_cutting_leaves_the_lesson_alone() -> None:
    other = lesson("# A\n\n## B", played(train.record({"ab": 2}, 3)))
    before = repr(other.notebook)
    slides.slides_page(other, [])
    assert repr(other.notebook) == before


def test_formulas_are_mathml_and_lessons_are_linked() -> None:
    html = slides.slides_page(lesson("# A\n\n$\\frac{a}{b}$ costs $5 and $6; see `01_bpe_training`"), NAMES)
    assert "<mfrac>" in html and "costs $5 and $6" in html
    assert '<a href="01_bpe_training.html"><code>' in html


def test_a_formula_that_cannot_be_written_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slides, "stored", lambda: [lesson(r"# A $\foo$", name="91_wrong")])
    with pytest.raises(SystemExit, match=r"^91_wrong: the formula \\foo cannot be written"):
        slides.main([str(tmp_path)])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_everything_is_written_with_reveal_beside_it(tmp_path: Path) -> None:
    slides.main([str(tmp_path)])
    written = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()}
    assert written == {"index.html", "glossary.html", *(f"{name}.html" for name in NAMES), *BESIDE}
    assert "MIT" in (tmp_path / "reveal/dist/reveal.js").read_text(encoding="utf-8")[:200]
