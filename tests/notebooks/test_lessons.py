"""Lessons keep the rules: built from their sources, with outputs, short, and with honest times."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import jupytext
import nbformat
import pytest

from publish.lessons import as_in_source
from tests.scripts import script

ROOT = Path(__file__).parents[2]
SOURCES = sorted((ROOT / "notebooks" / "source").glob("*.py"))
each_lesson = pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.stem)
TIME = re.compile(
    r"\*\*Time:\*\* core (\d+) minutes, practice (\d+) minutes(?: \(and (\d+) in \*Go further\*\))?\. "
    r"\*\*Before this:\*\* \S"
)
EXPLAIN = "Explain in three sentences"  # a task in words, which has no code cell
TASK = re.compile(r"(?m)^### (.+?) · (easy|medium|hard) · (\d+) minutes · importance ([1-5]) of 5$")

EXPLAIN = "Explain in three sentences"  # the task without a cell


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
    return re.sub(r"(?s)<details[^>]*>.*?</details>", "", source)


def test_there_are_lessons_and_each_has_a_source() -> None:
    assert [source.stem for source in SOURCES] == sorted(path.stem for path in (ROOT / "notebooks").glob("*.ipynb"))
    assert len(SOURCES) >= 2


@each_lesson
def test_the_notebook_is_built_from_its_source(source: Path) -> None:
    wanted = [
        (cell.cell_type, cell.id, cell.source, cell.metadata)
        for cell in script("publish/build.py").lesson_of(source).cells
    ]
    assert [(cell.cell_type, cell.id, cell.source, cell.metadata) for cell in built(source).cells] == wanted


@each_lesson
def test_a_link_to_a_heading_leads_to_one(source: Path) -> None:
    for name, anchor in re.findall(r"\]\((\w+)\.ipynb#([^)]+)\)", source.read_text(encoding="utf-8")):
        headings = re.findall(r"(?m)^# #+ (.+)", source.with_stem(name).read_text(encoding="utf-8"))
        assert anchor in [heading.replace(" ", "-") for heading in headings]  # as JupyterLab makes anchors


@each_lesson
def test_what_is_changed_for_jupyterlab_is_reverted_for_pages(source: Path) -> None:
    built_lesson = script("publish/build.py").lesson_of(source)
    for cell, written in zip(built_lesson.cells, jupytext.read(source).cells, strict=True):
        assert as_in_source(cell.source) == written.source


def test_names_of_lessons_are_links_and_a_folded_text_has_space_below() -> None:
    adapt = script("publish/build.py").for_jupyterlab
    assert adapt("After `02_bpe_encoding`, not `utf_8`.") == (
        "After [02_bpe_encoding](02_bpe_encoding.ipynb), not `utf_8`."
    )
    one, spaced = "<details><summary>A?</summary>B.</details>", '<details style="margin-bottom:1em">'
    assert adapt(f"{one}\n{one}\n\nText.") == f"{one}\n{one.replace('<details>', spaced)}\n\nText."
    assert adapt(f"{one}\n\n## Next") == f"{one}\n\n## Next"


@each_lesson
def test_outputs_are_stored_without_errors_and_without_dead_widgets(source: Path) -> None:
    for cell in built(source).cells:
        if cell.cell_type == "code" and "practice" not in cell.metadata.get("tags", []):
            assert cell.outputs, cell.source
        for output in cell.get("outputs", []):
            assert output.output_type != "error", cell.source
            assert "widget-view" not in str(list(output.get("data", {}))), cell.source


@each_lesson
def test_the_headings_state_times_difficulty_and_importance(source: Path) -> None:
    assert heading_problems(built(source)) == []


def heading_problems(notebook: Any) -> list[str]:
    """What is wrong with the time of a lesson and the headings of its tasks."""
    first = re.sub(r"(?m)^> ?", "", notebook.cells[0].source)
    time = TIME.search(" ".join(first.split()))
    problems = [] if time else ["the quote has no `**Time:** core N minutes, practice N minutes. **Before this:** ...`"]
    minutes, before, heading = 0, 0, ""
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            before = before if not re.search(r"(?m)^## Go further", cell.source) else minutes
            minutes += sum(int(task[2]) for task in TASK.findall(cell.source) if task[0] == EXPLAIN)
            heading = (re.findall(r"(?m)^### .+", cell.source) or [heading])[-1]
        elif "practice" in cell.metadata.get("tags", []):
            if found := TASK.fullmatch(heading):
                minutes += int(found[3])
            else:
                problems.append(f"{heading!r} should be `### Trace it · easy · 5 minutes · importance 4 of 5`")
            heading = ""
    if time and not problems and time[3] and (before, minutes - before) != (int(time[2]), int(time[3])):
        taken = f"the tasks take {before} minutes and {minutes - before} in *Go further*"
        problems.append(f"{taken}, but the quote says {time[2]}, {time[3]}")
    if time and not problems and not time[3] and minutes != int(time[2]):
        problems.append(f"the tasks take {minutes} minutes together, but the quote says {time[2]}")
    return problems


QUOTE = "> **You will** x.\n>\n> **Time:** core 25 minutes, practice 13\n> minutes. **Before this:** nothing."
FURTHER = QUOTE.replace("13\n> minutes", "5 minutes\n> (and 8 in *Go further*)")
TASKS = ("### Trace it · easy · 5 minutes · importance 4 of 5", "### More · hard · 8 minutes · importance 1 of 5")


@pytest.mark.parametrize(
    ("quote", "tasks", "problem"),
    [
        (QUOTE, TASKS, ""),
        (FURTHER, (TASKS[0], "## Go further", TASKS[1]), ""),
        (FURTHER, TASKS, "the tasks take 0 minutes and 13 in *Go further*, but the quote says 5, 8"),
        (QUOTE.replace("13", "12"), TASKS, "the tasks take 13 minutes together, but the quote says 12"),
        (QUOTE.replace("core 25 minutes, practice", ""), TASKS, "the quote has no"),
        (QUOTE.replace("**Before", "Before"), TASKS, "the quote has no"),
        (QUOTE, (TASKS[0], TASKS[1].replace("1 of", "6 of")), "should be"),
        (QUOTE, (TASKS[0], TASKS[1].replace("hard", "harder")), "should be"),
        (QUOTE, (TASKS[0], TASKS[1].replace(" · importance 1 of 5", "")), "should be"),
        (QUOTE, (TASKS[0], "No heading of its own."), "'' should be"),
        (
            QUOTE,
            (*TASKS, f"### {EXPLAIN} · easy · 5 minutes · importance 4 of 5"),
            "the tasks take 18 minutes together",
        ),
    ],
)
def test_a_wrong_heading_is_found(quote: str, tasks: tuple[str, ...], problem: str) -> None:
    practice = {"tags": ["practice"]}
    cells = [nbformat.v4.new_markdown_cell(f"# A lesson\n\n{quote}")]
    for task in tasks:
        cells += [nbformat.v4.new_markdown_cell(f"{task}\n\nDo it.")]
        if EXPLAIN not in task and task != "## Go further":
            cells += [nbformat.v4.new_code_cell("check.it(...)", metadata=practice)]
    found = heading_problems(nbformat.v4.new_notebook(cells=cells))
    assert found == [] if not problem else problem in found[0]


@each_lesson
def test_the_core_is_short(source: Path) -> None:
    if source.stem.startswith("capstone"):  # consists of tasks
        assert "### Complete two lines" not in source.read_text(encoding="utf-8")
        return
    cells = core(built(source))
    assert sum(cell.cell_type == "code" for cell in cells) <= 12
    words = sum(
        len(prose(unfolded(as_in_source(cell.source))).split()) for cell in cells if cell.cell_type == "markdown"
    )
    assert words <= 900, words


@each_lesson
def test_a_code_cell_has_at_most_five_lines(source: Path) -> None:
    for cell in built(source).cells:
        if cell.cell_type == "code" and "practice" not in cell.metadata.get("tags", []):
            lines = [line for line in cell.source.splitlines() if line and not line.startswith(("import ", "from "))]
            assert 1 <= len(lines) <= 5, cell.source


@each_lesson
def test_the_next_cell_is_named_at_most_twice(source: Path) -> None:
    words = source.read_text(encoding="utf-8").replace("\n# ", " ").lower().split()
    assert " ".join(words).count("the next cell") <= 2


@each_lesson
def test_the_stored_file_is_small(source: Path) -> None:
    assert (ROOT / "notebooks" / f"{source.stem}.ipynb").stat().st_size < 1_000_000


@each_lesson
def test_the_readme_names_the_lesson(source: Path) -> None:
    assert source.stem in (ROOT / "README.md").read_text(encoding="utf-8")
