"""A class of some forty, made from a release by filling in cells: right answers, wrong programs, and accidents."""

from __future__ import annotations

import copy
import inspect
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import nbformat

from notebooks.assignments import build, programs

NAME = "assignment1"
Edit = Callable[["Sheet"], None]


class Sheet:
    """A copy of the release that is being filled in."""

    def __init__(self, release: Any, answers: dict[str, str], student: str) -> None:
        self.notebook, self.untouched = copy.deepcopy(release), release
        self.answers, self.student = answers, student
        self.file = f"{NAME}.ipynb"
        self.instead: str | None = None

    def places(self, task: str) -> list[int]:
        """Where the cells of a task are: its own, and its tests."""
        ids = [cell.metadata.get("nbgrader", {}).get("grade_id", "") for cell in self.notebook.cells]
        return [place for place, name in enumerate(ids) if name == task or name.startswith(f"{task}-")]

    def write(self, task: str, source: str) -> None:
        """Write into the cell of a task."""
        self.notebook.cells[self.places(task)[0]].source = source

    def answer(self) -> None:
        """Write the right answers into all cells."""
        for task, source in self.answers.items():
            self.write(task, source)
        self.write("student_id", f"student_id = {self.student!r}")
        self.write("trace", traced(self.answers, self.notebook, self.student))

    def insert(self, place: int, source: str) -> None:
        """Insert a cell of the learner's own."""
        self.notebook.cells.insert(place, nbformat.v4.new_code_cell(source))

    def repeat(self, place: int) -> Any:
        """Copy a cell below itself, as the editor's menu does, and return the copy."""
        again = copy.deepcopy(self.notebook.cells[place])
        again.id = f"copy-{place}"
        self.notebook.cells.insert(place + 1, again)
        return again

    def replace(self, text: str) -> None:
        """Hand in something else."""
        self.instead = text

    def rename(self, file: str) -> None:
        """Hand in under another name."""
        self.file = file

    def save(self, folder: Path) -> None:
        """Write the file that is handed in."""
        folder.mkdir(parents=True)
        written = nbformat.writes(self.notebook) if self.instead is None else self.instead
        (folder / self.file).write_text(written, encoding="utf-8")


@dataclass(frozen=True)
class Submission:
    """What somebody hands in, and the cells that it loses; None for one that cannot be graded."""

    what: str
    edit: Edit
    lost: tuple[str, ...] | None = ()


def right_answers(notebook: Any) -> dict[str, str]:
    """The solutions of the source, without their marks."""
    solutions = {}
    for cell in notebook.cells:
        if cell.metadata.get("nbgrader", {}).get("solution"):
            lines = [line for line in cell.source.splitlines() if not line.strip().startswith("### ")]
            solutions[cell.metadata.nbgrader.grade_id] = "\n".join(lines)
    return solutions


def traced(answers: dict[str, str], notebook: Any, student: str) -> str:
    """The answers of the trace, as somebody writes them who has worked them out on paper."""
    given = next(
        cell.source for cell in notebook.cells if cell.metadata.get("nbgrader", {}).get("grade_id") == "my_data"
    )
    sheet: dict[str, Any] = {}
    for source in (
        given,
        f"my = my_data({student!r})",
        answers["learn_merges"],
        answers["encode_piece"],
        answers["trace"],
    ):
        exec(source, sheet)
    names = ("first_pair", "first_count", "second_pair", "second_count", "symbols_left", "tokens")
    return "\n".join(f"{name} = {sheet[name]!r}" for name in names)


def written_as(task: str, program: Callable[..., Any]) -> str:
    """A program as it stands in the cell of its task: renamed, with imports and with what it calls."""
    needed: list[Any] = [program]
    for function in needed:
        for name in re.findall(r"\w+", inspect.getsource(function)):
            helper = getattr(programs, name, None)
            if getattr(helper, "__module__", None) == programs.__name__ and helper not in needed:
                needed.append(helper)
    needed.sort(key=lambda function: inspect.getsourcelines(function)[1])
    imports = re.findall(r"^(?:import|from) (?!__future__).*$", inspect.getsource(programs), re.M)
    source = "\n\n".join(["\n".join(imports), *map(inspect.getsource, needed)])
    return re.sub(rf"\b{program.__name__}\b", task, source)


@cache
def with_answers() -> Any:
    """The assignment with its solutions and tests."""
    return build.notebook_of(build.SOURCES / f"{NAME}.py")


def most_points() -> dict[str, float]:
    """The points of each cell that a program grades."""
    marks = [cell.metadata.get("nbgrader", {}) for cell in with_answers().cells]
    return {mark["grade_id"]: float(mark["points"]) for mark in marks if mark.get("grade") and not mark["solution"]}


def cells_of(*tasks: str) -> tuple[str, ...]:
    """All cells of these tasks that a program grades."""
    return tuple(name for name in most_points() if name.partition("-")[0] in tasks)


def submissions() -> Iterator[Submission]:
    """The class."""
    yield Submission("right answers", Sheet.answer)
    yield Submission("untouched", lambda sheet: None, tuple(most_points()))
    for task, wrong in programs.WRONG.items():
        for program, rules in wrong.items():
            yield Submission(program.__name__, _with(task, program), tuple(f"{task}-{rule}" for rule in rules))
    yield Submission("overlap_count", _overlap_count, ("trace-left",))
    for style in range(3):
        yield Submission(f"right in style {style + 1}", _in_style(style))
    yield from _accidents()


def _with(task: str, program: Callable[..., Any]) -> Edit:
    def edit(sheet: Sheet) -> None:
        sheet.answer()
        sheet.write(task, written_as(task, program))

    return edit


def _in_style(style: int) -> Edit:
    def edit(sheet: Sheet) -> None:
        sheet.answer()
        for task, right in programs.RIGHT.items():
            sheet.write(task, written_as(task, right[style]))

    return edit


def _overlap_count(sheet: Sheet) -> None:
    """Expect a merge to make a symbol of each pair that is counted."""
    sheet.answer()
    cell = sheet.notebook.cells[sheet.places("trace")[0]]
    cell.source += "\nsymbols_left = len(my.word) + 1 - sum(pair == first_pair for pair in zip(my.word, my.word[1:]))"


def _accidents() -> Iterator[Submission]:
    """What goes wrong on the way."""
    yield _then("every cell twice", _duplicate)
    yield _then("an untouched copy below the answer", _untouched_copy)
    yield _then("deleted the answer", _delete("learn_merges", slice(0, 1)), *cells_of("learn_merges"))
    yield _then("deleted the tests", _delete("encode_piece", slice(1, None)))
    yield _then("deleted both", _delete("encode_text", slice(None)), *cells_of("encode_text"))
    for task, what, source in MISTAKES:
        yield _then(what, _write(task, source), *cells_of(task))
    yield _then("a cell never ends", _own_cell("encode_text", "while True:\n    pass"))
    yield _then("edits the tests", _edit_tests, *cells_of("encode_text"))
    yield _then("calls things any and sum", _own_cell("learn_merges", "any = sum = all = frozenset = 0"))
    yield _then("the id of another", _of_another, *cells_of("trace"))
    yield _ungraded("ends Python", _own_cell("encode_text", "import os\nos._exit(1)"))
    yield _ungraded("no notebook", lambda sheet: sheet.replace("Dear professor, here is my text."))
    yield _ungraded("an empty file", lambda sheet: sheet.replace(""))
    yield _ungraded("another name", lambda sheet: sheet.rename(f"{NAME}-Copy1.ipynb"))


MISTAKES = (
    (
        "undo_glyphs",
        "never ends",
        """
def undo_glyphs(damaged):
    while True:
        damaged += ''""",
    ),
    (
        "learn_merges",
        "calls tokenlab",
        """
from tokenlab.algorithms.bpe_train import train

def learn_merges(word_counts, number):
    words = {(*word, '$'): count for word, count in word_counts.items()}
    return train(words, len({symbol for word in words for symbol in word}) + number)""",
    ),
    (
        "encode_piece",
        "calls tokenizers",
        """
def encode_piece(piece, merges):
    from tokenizers import Tokenizer, models

    tokens = {token: id for id, token in enumerate([*piece, *map(''.join, merges)])}
    return Tokenizer(models.BPE(tokens, sorted(merges, key=merges.get))).encode(piece).tokens""",
    ),
    (
        "undo_glyphs",
        "prints",
        """
def undo_glyphs(damaged):
    print('the text')""",
    ),
    (
        "encode_piece",
        "a syntax error",
        """
def encode_piece(piece, merges)
    return []""",
    ),
)


def _then(what: str, more: Edit, *lost: str) -> Submission:
    def edit(sheet: Sheet) -> None:
        sheet.answer()
        more(sheet)

    return Submission(what, edit, lost)


def _ungraded(what: str, more: Edit) -> Submission:
    return Submission(what, _then(what, more).edit, None)


def _duplicate(sheet: Sheet) -> None:
    for task in programs.WRONG:
        for place in reversed(sheet.places(task)):
            sheet.repeat(place)


def _untouched_copy(sheet: Sheet) -> None:
    place = sheet.places("undo_glyphs")[0]
    sheet.repeat(place).source = sheet.untouched.cells[place].source


def _delete(task: str, which: slice) -> Edit:
    def edit(sheet: Sheet) -> None:
        for place in reversed(sheet.places(task)[which]):
            del sheet.notebook.cells[place]

    return edit


def _write(task: str, source: str) -> Edit:
    return lambda sheet: sheet.write(task, source.strip())


def _own_cell(task: str, source: str) -> Edit:
    return lambda sheet: sheet.insert(sheet.places(task)[0], source)


def _edit_tests(sheet: Sheet) -> None:
    sheet.write("encode_text", "def encode_text(text, ids, special, allowed):\n    return []")
    for place in sheet.places("encode_text")[1:]:
        sheet.notebook.cells[place].source = "pass"


def _of_another(sheet: Sheet) -> None:
    sheet.write("student_id", "student_id = 'somebody else'")
    sheet.write("trace", traced(sheet.answers, sheet.notebook, "somebody else"))
