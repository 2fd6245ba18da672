"""List pairs of submissions that resemble each other: make similarity ARGS="assignment1".

Names, comments, docstrings and layout make no difference: a program is compared as the sequence of its parts, in which
the first name is 1, the second 2, and so on. Programs in all other cells count as one more answer. A pair is listed if
its answers agree in at least 90 % of their parts; `--at-least` names another share. Who agrees is no proof: short tasks
have few right programs. The page `similarity/NAME.html` in the course shows the answers of each pair side by side. A
notebook that cannot be read, or an answer that is too long to be compared, is named. Leaves out: programs that were
rewritten, and the right answers of the kit itself.
"""

from __future__ import annotations

import argparse
import ast
import difflib
import io
import re
import sys
import tokenize
from dataclasses import dataclass
from html import escape
from itertools import combinations, zip_longest
from keyword import iskeyword
from pathlib import Path
from typing import Any

import nbformat
from nbformat import ValidationError
from rapidfuzz.distance import Indel
from tqdm import tqdm

from course.assignment import name_of
from course.build import COURSE
from course.course_folder import Course
from course.received_files import shown
from tokenlab.storage import files

AT_LEAST = 0.9
FEWEST = 12  # parts of an answer that is compared: all shorter ones resemble each other
LONGEST = 5_000  # parts of an answer that are compared
SHOWN = 50  # pairs on the page
MOST_CHARACTERS = 100_000  # of an answer that is compared
OWN = "own cells"
PROGRAM = re.compile(r"\b(?:def|class|lambda|exec|eval)\b")
BROKEN = (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError, MemoryError, ValidationError)


@dataclass(frozen=True)
class Pair:
    """Two students, the share of equal parts of their answers, and the tasks in which they agree enough."""

    students: tuple[str, str]
    share: float
    tasks: tuple[str, ...]


def parts_of(source: str, strings_are_programs: bool = False) -> tuple[str, ...]:
    """Return the parts of a program, or the words of a text that is no program.

    A string is one part, or as many as it has words and signs.

    >>> parts_of("def double(word):\\n    # a comment\\n    return 2 * word")
    ('def', '1', '(', '2', ')', ':', 'return', '2', '*', '2')
    >>> parts_of("def double(x): 'Doubles.'; return 2*x") == parts_of("def f(y):\\n    return 2 * y")
    True
    >>> parts_of("The rank decides, not the length.")
    ('the', 'rank', 'decides', 'not', 'the', 'length')
    """
    try:
        text = ast.unparse(_WithoutDocstrings().visit(ast.parse(source)))
        tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    except (SyntaxError, ValueError, RecursionError, MemoryError, tokenize.TokenError):
        return tuple(re.findall(r"\w+", source.lower()))[:LONGEST]
    names: dict[str, str] = {}
    parts = list[str]()
    for token in tokens:
        word = token.string
        if strings_are_programs and tokenize.tok_name[token.type] in ("STRING", "FSTRING_MIDDLE"):
            parts += re.findall(r"\w+|[^\w\s]", word)
        else:
            is_name = word.isidentifier() and not iskeyword(word)
            parts.append(names.setdefault(word, str(len(names) + 1)) if is_name else word)
    return tuple(part for part in parts if part.strip())[:LONGEST]


class _WithoutDocstrings(ast.NodeTransformer):
    """Removes strings that are statements."""

    def visit_Expr(self, node: ast.Expr) -> Any:
        return None if isinstance(node.value, ast.Constant) and isinstance(node.value.value, str) else node


def answers(course: Course, assignment: str, student: str) -> dict[str, str]:
    """Return what a student has written, by task; what is unchanged is left out.

    The release says which cells are answers, whatever the submission says; of several copies, the last changed counts.

    Raises one of `BROKEN` for a notebook that cannot be read.
    """
    sheet = _cells(course.root / "release" / assignment / f"{assignment}.ipynb")
    to_write = {name_of(cell) for cell in sheet if cell.metadata.get("nbgrader", {}).get("solution")}
    to_write -= {"student_id", "trace"}
    unchanged = {cell.source.strip() for cell in sheet}
    found, own = dict[str, str](), list[str]()
    for cell in _cells(course.root / "submitted" / student / assignment / f"{assignment}.ipynb"):
        name = name_of(cell)
        if cell.source.strip() in unchanged:
            continue
        if name and name in to_write:
            own += [found[name]] if name in found else []
            found[name] = cell.source
        elif cell.cell_type == "code" and PROGRAM.search(cell.source):
            own.append(cell.source)
    return found | ({OWN: "\n".join(own)} if own else {})


def _cells(path: Path) -> list[Any]:
    """Return the cells of a notebook that have a text, in the format in which they are graded."""
    return [cell for cell in nbformat.read(path, as_version=4).cells if isinstance(cell.get("source"), str)]


def pairs(answered: dict[str, dict[str, str]], at_least: float = AT_LEAST) -> list[Pair]:
    """Return the pairs of students whose answers agree, those that agree most first."""
    ways = {
        student: {task: (parts_of(text), parts_of(text, strings_are_programs=True)) for task, text in mine.items()}
        for student, mine in answered.items()
    }
    found = []
    for one, other in tqdm(list(combinations(sorted(ways), 2)), "pairs", unit="pair", disable=None):
        alike, total, tasks = 0.0, 0, []
        for task in [task for task in ways[one] if task in ways[other]]:
            both = zip(ways[one][task], ways[other][task], strict=True)
            compared = [pair for pair in both if min(map(len, pair)) >= FEWEST]
            if not compared:
                continue
            # A long string may be a program, or what hides one: the way in which the two agree more counts.
            share, size = max((Indel.normalized_similarity(*pair), sum(map(len, pair))) for pair in compared)
            if task == OWN and share < at_least:
                continue
            alike, total = alike + share * size, total + size
            tasks += [task] * (share >= at_least)
        if total and alike / total >= at_least:
            found.append(Pair((one, other), alike / total, tuple(tasks)))
    return sorted(found, key=lambda pair: (-pair.share, -len(pair.tasks), pair.students))


def page(found: list[Pair], answered: dict[str, dict[str, str]], assignment: str) -> str:
    """Return a page with the answers of each pair side by side; what students wrote is text, never markup."""
    parts = [f"<!DOCTYPE html><meta charset=utf-8><title>{escape(assignment)}: similar submissions</title>", STYLE]
    parts.append(f"<h1>{escape(assignment)}: {len(found)} pairs of similar submissions</h1>")
    for pair in found[:SHOWN]:
        one, other = pair.students
        parts.append(f"<h2>{escape(shown(one))} and {escape(shown(other))}: {pair.share:.0%}</h2>")
        for task in pair.tasks:
            left, right = (
                [line[:300] for line in answered[student][task].splitlines()[:200]] for student in pair.students
            )
            heads = f"<tr><th>{escape(shown(one))}<th>{escape(shown(other))}"
            table = f"<table>{heads}{_side_by_side(left, right)}</table>"
            parts.append(f"<details><summary>{escape(task)}</summary>{table}</details>")
    return "\n".join(parts) + "\n"


def _side_by_side(left: list[str], right: list[str]) -> str:
    """Return the rows of a table with two texts; lines that only one of them has are marked.

    `difflib.HtmlDiff` also marks letters, but takes hours for hundreds of lines that are nearly equal.
    """
    rows = list[str]()
    for what, a, b, c, d in difflib.SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
        mark = "" if what == "equal" else " class=differs"
        for one, other in zip_longest(left[a:b], right[c:d], fillvalue=""):
            rows.append(f"<tr><td{mark}>{escape(one)}<td{mark}>{escape(other)}")
    return "\n".join(rows)


STYLE = (
    "<style>body{font-family:sans-serif;margin:2em} table{table-layout:fixed;width:100%} .differs{background:#fd8} "
    "td{font-family:monospace;white-space:pre-wrap;overflow-wrap:anywhere;font-size:80%;vertical-align:top}</style>"
)


def main(arguments: list[str]) -> int:
    """List the pairs; return 2 if there is no such assignment."""
    parser = argparse.ArgumentParser(
        prog="make similarity", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("assignment")
    parser.add_argument("--course", type=Path, default=COURSE)
    parser.add_argument("--at-least", type=float, default=AT_LEAST, metavar="SHARE", help="such as 0.8")
    options = parser.parse_args(arguments)
    course = Course(options.course)
    if not (course.root / "release" / options.assignment).is_dir():
        print(f"There is no {options.assignment} in {course.root}; run make assignments first.")
        return 2
    students = course.submitted(options.assignment)
    answered = dict[str, dict[str, str]]()
    for student in students:
        try:
            answered[student] = answers(course, options.assignment, student)
        except BROKEN:
            print(f"Cannot be read, so it is not compared: {shown(student)}")
    for student, mine in answered.items():
        for task in [task for task, text in mine.items() if len(text) > MOST_CHARACTERS]:
            print(f"Too long to be compared: {shown(student)}, {task}, {len(mine.pop(task)):,} characters")
    found = pairs(answered, options.at_least)
    print(
        f"{len(students)} submissions, {len(found)} pairs that agree in at least {options.at_least:.0%} of their parts."
    )
    for pair in found:
        one, other = map(shown, pair.students)
        print(f"{pair.share:4.0%}  {one} and {other}: {', '.join(pair.tasks)}")
    place = course.root / "similarity" / f"{options.assignment}.html"
    place.parent.mkdir(exist_ok=True)
    files.write_atomically(place, page(found, answered, options.assignment))
    print(f"Side by side: {place}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
