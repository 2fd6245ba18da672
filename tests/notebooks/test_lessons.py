"""Lessons keep the house's rules: built from their sources, with outputs, short, and no number typed by hand."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import nbformat
import pytest

from tests.scripts import script

ROOT = Path(__file__).parents[2]
SOURCES = sorted((ROOT / "notebooks" / "source").glob("*.py"))
each_lesson = pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.stem)
NUMERALS = {
    "05_wordpiece",
    "11_tokenizer_pipeline",
    "12_slow_and_fast_tokenizers",
    "13_t5_in_one_picture",
    "21_auto_classes",
}  # lessons that write numbers as numerals


def built(source: Path) -> Any:
    return nbformat.read(ROOT / "notebooks" / f"{source.stem}.ipynb", as_version=4)


def core(notebook: Any) -> list[Any]:
    """The cells through "Find the bug": the rest of the practice and "Go further" are not part of the core."""
    ends = [n for n, cell in enumerate(notebook.cells) if "### Complete two lines" in cell.source]
    last = notebook.cells[ends[0]].copy()
    last.source = last.source.partition("### Complete two lines")[0]
    return [*notebook.cells[: ends[0]], last]


def prose(source: str) -> str:
    """What a reader reads of a markdown cell: no code, no addresses, no tags."""
    text = re.sub(r"(?s)```.*?```|<code>.*?</code>|`[^`]*`", "", source)
    text = re.sub(r"\]\([^)]*\)", "]", text)
    return re.sub(r"<[^>]*>", "", text)


def unfolded(source: str) -> str:
    return re.sub(r"(?s)<details>.*?</details>", "", source)


def test_there_are_lessons_and_each_has_a_source() -> None:
    assert [source.stem for source in SOURCES] == sorted(path.stem for path in (ROOT / "notebooks").glob("*.ipynb"))
    assert len(SOURCES) >= 2


@each_lesson
def test_the_notebook_is_built_from_its_source(source: Path) -> None:
    wanted = [
        (cell.cell_type, cell.id, cell.source, cell.metadata)
        for cell in script("notebooks/build.py").lesson_of(source).cells
    ]
    assert [(cell.cell_type, cell.id, cell.source, cell.metadata) for cell in built(source).cells] == wanted


@each_lesson
def test_outputs_are_stored_without_errors_and_without_dead_widgets(source: Path) -> None:
    for cell in built(source).cells:
        if cell.cell_type == "code" and "practice" not in cell.metadata.get("tags", []):
            assert cell.outputs, cell.source
        for output in cell.get("outputs", []):
            assert output.output_type != "error", cell.source
            assert "widget-view" not in str(list(output.get("data", {}))), cell.source


@each_lesson
def test_no_number_in_prose_is_typed_by_hand(source: Path) -> None:
    if source.stem in NUMERALS:
        return
    for cell in built(source).cells:
        if cell.cell_type == "markdown":
            lines = [line for line in prose(cell.source).splitlines() if not re.match(r"\s*\d+\. ", line)]
            assert not re.findall(r"(?<![\w-])\d+", "\n".join(lines)), cell.source


@each_lesson
def test_the_core_is_short(source: Path) -> None:
    cells = core(built(source))
    assert sum(cell.cell_type == "code" for cell in cells) <= 12
    words = sum(len(prose(unfolded(cell.source)).split()) for cell in cells if cell.cell_type == "markdown")
    assert words <= 900, words


@each_lesson
def test_a_code_cell_has_at_most_five_lines(source: Path) -> None:
    for cell in built(source).cells:
        if cell.cell_type == "code" and "practice" not in cell.metadata.get("tags", []):
            lines = [line for line in cell.source.splitlines() if line and not line.startswith(("import ", "from "))]
            assert 1 <= len(lines) <= 5, cell.source


@each_lesson
def test_the_stored_file_is_small(source: Path) -> None:
    assert (ROOT / "notebooks" / f"{source.stem}.ipynb").stat().st_size < 1_000_000


@each_lesson
def test_the_readme_names_the_lesson(source: Path) -> None:
    assert source.stem in (ROOT / "README.md").read_text(encoding="utf-8")
