"""The minutes of a lesson's core follow one rule, which docs/instructors.md states.

100 words of prose take a minute, a code cell with its output takes two, and a player or explorer five more. Tasks are
counted by their own headings.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbformat
import pytest

from tests.notebooks.test_lessons import ROOT, SOURCES, TIME, as_in_source, built, core, prose, unfolded

LESSONS = [source for source in SOURCES if not source.stem.startswith("capstone")]
WORDS_PER_MINUTE, CODE_CELL, PLAYER = 100, 2, 5  # minutes


def reading_minutes(cells: list[Any]) -> float:
    """The minutes of these cells by the rule, without the tasks."""
    words = sum(len(prose(unfolded(as_in_source(c.source))).split()) for c in cells if c.cell_type == "markdown")
    code = [c for c in cells if c.cell_type == "code" and "practice" not in c.metadata.get("tags", [])]
    return words / WORDS_PER_MINUTE + CODE_CELL * len(code) + PLAYER * sum(map(has_player, code))


def has_player(cell: Any) -> bool:
    """Whether the output of a cell is a player or an explorer."""
    return any("tl-" in str(output.get("data", {}).get("text/html", "")) for output in cell.outputs)


@pytest.mark.parametrize("source", LESSONS, ids=lambda source: source.stem)
def test_the_heading_states_the_minutes_of_the_rule(source: Path) -> None:
    notebook = built(source)
    quote = " ".join(notebook.cells[0].source.replace("\n>", " ").split())
    [minutes] = TIME.findall(quote)
    stated = int(minutes[0])
    assert (
        stated % 5 == 0 and 0 <= stated - reading_minutes(core(notebook)) <= 6
    )  # rounded up; a word more changes nothing


def test_the_rule_counts_words_code_and_players() -> None:
    words = nbformat.v4.new_markdown_cell("word " * 200 + "<details><summary>folded</summary>not counted</details>")
    player = nbformat.v4.new_output("display_data", {"text/html": "<div class=tl-player></div>"})
    code, task = nbformat.v4.new_code_cell("1", outputs=[player]), nbformat.v4.new_code_cell("2")
    task.metadata["tags"] = ["practice"]
    assert reading_minutes([words]) == 2
    assert reading_minutes([words, nbformat.v4.new_code_cell("1")]) == 4
    assert reading_minutes([words, code, task]) == 9


def test_the_rule_is_stated() -> None:
    stated = (ROOT / "docs" / "instructors.md").read_text(encoding="utf-8")
    assert (
        f"{WORDS_PER_MINUTE} words of prose a minute, {CODE_CELL} minutes for a code cell and {PLAYER} more" in stated
    )
