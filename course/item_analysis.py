"""Write a page about the quiz questions and tasks of a course: `make item-analysis ARGS="--responses quiz.csv"`.

For each lesson and each assignment, the page has the difficulty and discrimination of its questions or tasks, and the
misconceptions to which the wrong answers point, the most frequent first. The page names no student.

--responses: the CSV file of Moodle's quiz report "Responses"; may be given several times. --course: a course folder
with nbgrader's gradebook. --bank: the question bank that was imported into Moodle (default: the questions of the stored
lessons). --out: the page to write (default: build/item-analysis.html).
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from course.item_bank import Answer, Item, bank_of, read_responses
from course.item_statistics import FEWEST, ItemStatistics, misconceptions_of, statistics_of
from course.item_tasks import AssignmentResults, read_course
from course.questions import quiz
from publish.lessons import BUILD, stored
from tokenlab.misconceptions.catalog import MISCONCEPTIONS
from tokenlab.misconceptions.misconception import Misconception
from tokenlab.storage import files

Chosen = Mapping[Item, Mapping[int, Answer]]
UNCLEAR = "below 0: students who are good otherwise fail here; look for an unclear question or a wrong answer key"
LISTED = 500  # maximum number of rows and cells that are listed as left out

STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem }
:root { color-scheme: light dark }
table { border-collapse: collapse; width: 100%; margin: 1rem 0 }
th, td { border-bottom: 1px solid #8886; padding: .3rem .6rem; text-align: left; vertical-align: top }
"""
METHOD = f"""
<p>Difficulty is the share of right answers, or the mean share of the points. Discrimination is the corrected
point-biserial correlation, r = (M<sub>1</sub> − M<sub>0</sub>) / s · √(p q). It correlates the score in a question with
the rest score: the student's score in all other questions of these quizzes, or in all other tests of the assignment.
M<sub>1</sub> and M<sub>0</sub> are the mean rest scores of the students with a right and with a wrong answer. s is the
standard deviation of the rest scores, p is the difficulty, and q is 1 − p.
For tasks with partial points it is Pearson's correlation. Source: S. Henrysson, <cite>Correction of item-total
correlations in item analysis</cite>, Psychometrika 28 (1963). A dash: all scores, or all rest scores, are equal.</p>
<p>With fewer than {FEWEST} answers, a question cannot be judged.</p>
"""


def page(chosen: Chosen, assignments: Sequence[AssignmentResults], problems: Sequence[str]) -> str:
    """Return the page."""
    body = "".join(
        (
            "<h1>Item analysis</h1>",
            METHOD,
            _misconceptions("Misconceptions in the quiz, in all lessons", 2, chosen),
            *_lessons(chosen),
            *map(_assignment, assignments),
            "" if assignments else "<h2>Assignments</h2><p>There are no graded submissions.</p>",
            _problems(problems),
        )
    )
    policy = "<meta http-equiv=Content-Security-Policy content=\"default-src 'none'; style-src 'unsafe-inline'\">"
    head = f"<meta charset=utf-8>{policy}<title>Item analysis</title><style>{STYLE}</style>"
    return f"<!doctype html>\n<html lang=en><head>{head}</head>\n<body>{body}</body></html>\n"


def _lessons(chosen: Chosen) -> Iterator[str]:
    if not chosen:
        yield "<h2>Quiz</h2><p>There are no responses.</p>"
    statistics = statistics_of(
        {item: {who: float(one.right) for who, one in answers.items()} for item, answers in chosen.items()}
    )
    by_lesson: dict[str, dict[Item, Mapping[int, Answer]]] = defaultdict(dict)
    for item in sorted(chosen, key=lambda item: item.lesson):
        by_lesson[item.lesson][item] = chosen[item]
    for lesson, of_lesson in by_lesson.items():
        rows = (_row(f"{item.prompt} [{item.key}]", statistics[item]) for item in of_lesson)
        yield f"<h2>Lesson {escape(lesson)}</h2>{_items('Question', rows)}"
        yield _misconceptions("Misconceptions in this lesson", 3, of_lesson)


def _row(name: str, one: ItemStatistics) -> tuple[Any, ...]:
    discrimination = "–" if one.discrimination is None else f"{one.discrimination:.2f}"
    return name, one.answers, f"{one.difficulty:.2f}", discrimination, _remark(one)


def _remark(one: ItemStatistics) -> str:
    if not one.is_judged:
        return "too few answers"
    return UNCLEAR if one.discrimination is not None and one.discrimination < 0 else ""


def _items(kind: str, rows: Iterable[tuple[Any, ...]]) -> str:
    return _table((kind, "Answers", "Difficulty", "Discrimination", "Remark"), rows)


def _misconceptions(title: str, level: int, chosen: Chosen) -> str:
    ranked = misconceptions_of(chosen)
    if not ranked:
        return ""
    known = {one.number: one for one in reversed(MISCONCEPTIONS)}
    rows = (
        (
            _named(known[one.number]) if one.number in known else f"Misconception {one.number}",
            f"{one.students} of {one.offered}",
            f"{one.share:.0%}",
            known[one.number].rule if one.number in known else "",
        )
        for one in ranked
    )
    titles = ("Misconception", "Students who chose it at least every second time", "Share of answers", "Rule to teach")
    return f"<h{level}>{escape(title)}</h{level}>{_table(titles, rows)}"


def _named(misconception: Misconception) -> str:
    return f"Misconception {misconception.number}: {misconception.claim}"


def _assignment(results: AssignmentResults) -> str:
    rows = (_row(cell, one) for cell, one in results.statistics.items())
    failed = (
        (_named(one.misconception), one.task, one.exactly, one.at_least, one.misconception.rule)
        for one in results.failed()
    )
    titles = ("Misconception", "Task", "Failed exactly its tests", "Failed at least its tests", "Rule to teach")
    heading = f"<h2>Assignment {escape(results.name)}</h2>"
    return f"{heading}{_items('Task', rows)}<h3>Misconceptions whose tests failed</h3>{_table(titles, failed)}"


def _problems(problems: Sequence[str]) -> str:
    shown = [*problems[:LISTED], *([f"{len(problems) - LISTED:,} more"] if len(problems) > LISTED else [])]
    listed = "".join(f"<li>{escape(problem)}" for problem in shown)
    return f"<h2>Left out</h2><ul>{listed}</ul>" if problems else ""


def _table(titles: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    head = "".join(f"<th scope=col>{escape(title)}" for title in titles)
    body = "".join("<tr>" + "".join(map(_cell, row)) for row in rows)
    return f"<table><tr>{head}{body}</table>"


def _cell(value: Any) -> str:
    return f"<td>{escape(str(value))}"


def _counted(number: int, thing: str) -> str:
    return f"{number} {thing}{'' if number == 1 else 's'}"


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the page, and print where it is."""
    parser = argparse.ArgumentParser(prog="make item-analysis", description=__doc__.partition("\n")[0])
    parser.add_argument("--course", type=Path, help="a course folder with nbgrader's gradebook")
    parser.add_argument("--responses", type=Path, action="append", default=[], help="CSV of Moodle's report Responses")
    parser.add_argument("--bank", type=Path, help="the file of make questions that was imported into Moodle")
    parser.add_argument("--out", type=Path, default=BUILD / "item-analysis.html", help="the page to write")
    given = parser.parse_args(arguments)
    if not given.course and not given.responses:
        parser.error("nothing to analyse; give --course FOLDER, --responses quiz.csv, or both")
    chosen: dict[Item, dict[int, Answer]] = defaultdict(dict)
    problems: list[str] = []
    students: dict[tuple[str, ...], int] = {}
    if given.responses:
        bank = bank_of(ElementTree.parse(given.bank).getroot() if given.bank else quiz(stored()))
        for path in given.responses:
            responses = read_responses(path, bank, students)
            problems += [f"{path.name}: {problem}" for problem in responses.problems]
            for item, answers in responses.chosen.items():
                chosen[item] |= answers | chosen[item]
    assignments = read_course(given.course, problems) if given.course else []
    given.out.parent.mkdir(parents=True, exist_ok=True)
    files.write_atomically(given.out, page(chosen, assignments, problems))
    left_out = f"; {len(problems)} rows or files were left out, see the page" if problems else ""
    print(f"{_counted(len(chosen), 'question')} and {_counted(len(assignments), 'assignment')}: {given.out}{left_out}")


if __name__ == "__main__":
    main()
