"""The item analysis: fictitious classes with known misconceptions, statistics computed again, and hostile files."""

from __future__ import annotations

import csv
import io
import os
import re
import sys
from collections.abc import Callable, Iterable
from html.parser import HTMLParser
from pathlib import Path
from random import Random
from typing import Any
from xml.etree.ElementTree import Element

import numpy as np
import pytest
from nbgrader.api import Gradebook

from course import item_analysis, questions
from course.item_bank import Item, bank_of, read_responses
from course.item_statistics import ItemStatistics, misconceptions_of, statistics_of
from course.item_tasks import AssignmentResults, detected_by, read_course
from tests.publish.made_up import lesson, played
from tokenlab.algorithms.bpe.train import train
from tokenlab.algorithms.unigram.expectation_maximization import expectation_step
from tokenlab.algorithms.unigram.train_by_counting import count_substrings
from tokenlab.algorithms.unigram.vocabulary import log_probabilities

WORDS = {"bun": 15, "pup": 11, "pun": 10, "bug": 6, "ten": 5, "pug": 3}
# Corpora on which misconceptions 1, 2 and 3 give another answer than the algorithm.
TIES = {"ab": 2, "cd": 1, "ef": 1}
REPEATED = {"xy": 100, "aaaa": 10, "pppp": 9, "bc": 25}
GLUED = {"xa": 100, "ab": 50, "xabc": 24, "xabd": 6, "abq": 20, "bq": 15}
THIS = {"this": 9, "his": 1, "is": 12, "hit": 4, "sits": 3}
EVIL = "<script>alert(1)</script>"
IDENTITY = ["Last name", "First name", "Email address", "Status", "Started", "Completed", "Duration", "Grade/10.00"]
GERMAN = ["Nachname", "Vorname", "E-Mail-Adresse", "Status", "Begonnen", "Beendet", "Dauer", "Bewertung/10,00"]


def xml() -> Element:
    """A bank with questions about BPE and Unigram."""
    corpora = (WORDS, TIES, REPEATED, GLUED)
    first = lesson("# Merges", *(played(train.record(words, 20)) for words in corpora), name="91_bpe")
    pieces = log_probabilities(count_substrings(THIS))
    second = lesson("# Expected counts", played(expectation_step.record(THIS, pieces)), name="92_unigram")
    return questions.quiz([first, second])


BANK = bank_of(xml())
NUMBERS = sorted({option.misconception for item in BANK for option in item.options} - {0})

Choose = Callable[[Item, Random], str]


def believing(number: int, noise: float = 0.1) -> Choose:
    """A student who chooses the option of a misconception wherever it is offered, and otherwise is mostly right."""

    def choose(item: Item, random: Random) -> str:
        if random.random() < noise:
            return random.choice(item.options).label
        wanted = [option.label for option in item.options if option.misconception == number]
        return wanted[0] if wanted else next(option.label for option in item.options if option.right)

    return choose


def table(students: Iterable[Choose], seed: int = 1, with_text: bool = True) -> list[list[str]]:
    """The rows of a report, with a header in English."""
    random = Random(seed)
    titles = [f"{title} {n}" for n in range(1, len(BANK) + 1) for title in _titles(with_text)]
    rows = [[*IDENTITY, *titles]]
    for number, choose in enumerate(students):
        row = [f"Muster{number}", "Erika", f"e{number}@example.org", "Finished", "1 May", "1 May", "5 min", "3.00"]
        for item in BANK:
            right = next(option.label for option in item.options if option.right)
            said = f"{item.text}: {'; '.join(option.label for option in item.options)}"
            row += [*([said] if with_text else []), choose(item, random), right]
        rows.append(row)
    return rows


def _titles(with_text: bool) -> list[str]:
    return [*(["Question"] if with_text else []), "Response", "Right answer"]


def written(path: Path, rows: list[list[str]], delimiter: str = ",", encoding: str = "utf-8") -> Path:
    out = io.StringIO(newline="")
    csv.writer(out, delimiter=delimiter).writerows(rows)
    path.write_bytes(out.getvalue().encode(encoding))
    return path


class Cells(HTMLParser):
    """The headings of a page, each with the rows of its tables; and all tags and attributes."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.tables: dict[str, list[list[str]]] = {}
        self.heading, self.open = "", ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attributes}
        self.open = tag
        if tag in ("h2", "h3"):
            self.heading += ""
        elif tag == "tr":
            self.tables.setdefault(self.heading, []).append([])
        elif tag == "td":
            self.tables[self.heading][-1].append("")

    def handle_data(self, data: str) -> None:
        if self.open in ("h2", "h3"):
            self.heading = data
        elif self.open == "td":
            self.tables[self.heading][-1][-1] += data

    def handle_endtag(self, tag: str) -> None:
        self.open = ""


def page(tmp_path: Path, *arguments: str) -> str:
    """The page for these arguments, with the bank of the tests."""
    bank, out = tmp_path / "questions.xml", tmp_path / "page.html"
    bank.write_text(questions.xml(xml()), encoding="utf-8")
    item_analysis.main([*arguments, "--bank", str(bank), "--out", str(out)])
    return out.read_text(encoding="utf-8")


# Several questions of the bank have the options of misconceptions 1 and 5: these need the text of the question.
@pytest.mark.parametrize(("number", "with_text"), [*((n, True) for n in NUMBERS), (2, False), (4, False), (22, False)])
def test_the_misconception_of_the_class_is_listed_first(tmp_path: Path, number: int, with_text: bool) -> None:
    rows = table([believing(number)] * 25, seed=number, with_text=with_text)
    found = Cells(page(tmp_path, "--responses", str(written(tmp_path / "quiz.csv", rows))))
    first = found.tables["Misconceptions in the quiz, in all lessons"][1]
    assert first[0].startswith(f"Misconception {number}: ")
    assert int(first[1].split(" of ")[0]) > 15 and first[1].endswith(" of 25")


def test_the_bank_of_these_tests_has_several_misconceptions() -> None:
    assert {1, 2, 3, 4, 5, 22} <= set(NUMBERS)
    assert len(BANK) > 5


def test_a_class_of_two_halves_has_both_misconceptions_before_all_others(tmp_path: Path) -> None:
    rows = table([believing(4)] * 14 + [believing(22)] * 12, seed=7)
    read = read_responses(written(tmp_path / "quiz.csv", rows), BANK)
    assert [one.number for one in misconceptions_of(read.chosen)[:2]] == [4, 22]


def test_difficulty_and_discrimination_are_those_of_numpy(tmp_path: Path) -> None:
    rows = table([believing(4, 0.3)] * 11 + [believing(0, 0.2)] * 12, seed=3)
    read = read_responses(written(tmp_path / "quiz.csv", rows), BANK)
    assert read.problems == [] and read.students == 23
    given = {item.key: [row[len(IDENTITY) + 3 * n + 1 : len(IDENTITY) + 3 * n + 3] for row in rows[1:]]
             for n, item in enumerate(BANK)}  # fmt: skip
    right = np.array([[response == answer for response, answer in cells] for cells in given.values()], dtype=float)
    statistics = statistics_of(
        {item: {who: float(one.right) for who, one in answers.items()} for item, answers in read.chosen.items()}
    )
    assert len(statistics) == len(BANK)
    for item, one in statistics.items():
        own = right[[*given].index(item.key)]
        rest = right.sum(axis=0) - own
        assert one.answers == 23 and one.difficulty == pytest.approx(own.mean())
        if own.std() and rest.std():
            means = rest[own == 1].mean() - rest[own == 0].mean()
            biserial = means / rest.std() * np.sqrt(own.mean() * (1 - own.mean()))
            assert one.discrimination == pytest.approx(biserial) == pytest.approx(np.corrcoef(own, rest)[0, 1])
        else:
            assert one.discrimination is None


def test_a_question_with_few_answers_is_marked(tmp_path: Path) -> None:
    few, enough = (table([believing(4)] * number) for number in (9, 10))
    assert "too few answers" in page(tmp_path, "--responses", str(written(tmp_path / "few.csv", few)))
    assert "too few answers" not in page(tmp_path, "--responses", str(written(tmp_path / "enough.csv", enough)))


def test_a_question_that_good_students_fail_has_a_remark() -> None:
    rows = [item_analysis._row("a question", ItemStatistics(answers, 0.5, r)) for answers, r in CASES]
    remarks = [row[-1] for row in rows]
    assert [remark.partition(":")[0] for remark in remarks] == ["below 0", "", "", "too few answers"]


CASES = ((14, -0.44), (14, 0.0), (14, None), (9, -0.44))


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_delimiters_byte_order_marks_and_german_titles_are_read(tmp_path: Path, delimiter: str, encoding: str) -> None:
    english = table([believing(4)] * 12)
    titles = {"Question": "Frage", "Response": "Antwort", "Right answer": "Richtige Antwort"}
    header = [re.sub(r"^(.+) (\d+)$", lambda m: f"{titles[m[1]]} {m[2]}", title) for title in english[0][8:]]
    german = [[*GERMAN, *header], *english[1:]]
    expected = read_responses(written(tmp_path / "english.csv", english), BANK)
    read = read_responses(written(tmp_path / "german.csv", german, delimiter, encoding), BANK)
    assert read.problems == [] and read.chosen == expected.chosen


def test_a_byte_order_mark_before_the_first_response_is_no_part_of_its_title(tmp_path: Path) -> None:
    rows = [row[8:] for row in table([believing(4)] * 12)]
    rows = [[*row[1:], row[0]] for row in rows]
    path = written(tmp_path / "quiz.csv", rows, encoding="utf-8-sig")
    read = read_responses(path, BANK)
    assert read.problems == [] and read.students == 12 and len(read.chosen) == len(BANK)


def test_html_and_white_space_and_capitals_in_the_export_make_no_difference(tmp_path: Path) -> None:
    rows = table([believing(4)] * 12)
    changed = [rows[0], *([f"<p>  {cell.upper() if place % 3 == 2 else cell}\r\n</p>" if place >= 8 else cell
                           for place, cell in enumerate(row)] for row in rows[1:])]  # fmt: skip
    read = read_responses(written(tmp_path / "html.csv", changed), BANK)
    assert read.chosen == read_responses(written(tmp_path / "plain.csv", rows), BANK).chosen


def test_a_damaged_row_is_listed_with_a_reason_and_does_not_stop_the_others(tmp_path: Path) -> None:
    rows = table([believing(4)] * 12)
    rows[2] = rows[2][:5]
    rows[3][9] = "=HYPERLINK(1)"
    rows[4] = [*rows[4], "one more"]
    rows[5][2] = rows[6][2]
    rows[7][8:] = ["-"] * (len(rows[7]) - 8)
    rows[8][8] = "a question that is in no bank"
    read = read_responses(written(tmp_path / "quiz.csv", rows), BANK)
    assert read.students == 12 - 4
    assert len(read.problems) == 6
    reasons = ("5 cells", "response 1: the response is no option", "cells", "second attempt", "no response",
               "response 1: the text is that of no question")  # fmt: skip
    for problem, reason in zip(read.problems, reasons, strict=True):
        assert reason in problem and problem.startswith("line ") and "Muster" not in problem


@pytest.mark.parametrize(
    "content", [b"", b"\xff\xfe", b"\0\0\0", b"a,b\n1,2\n", b'Response 1\n"never ends', b"\xe9;\xe9"]
)
def test_a_file_that_is_no_report_is_a_problem_and_no_error(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "quiz.csv"
    path.write_bytes(content)
    assert read_responses(path, BANK).problems
    assert "There are no responses" in page(tmp_path, "--responses", str(path))
    assert read_responses(tmp_path / "missing.csv", BANK).problems


def test_two_questions_with_the_same_answers_need_the_text_of_the_question(tmp_path: Path) -> None:
    assert len([item for item in BANK if "Training stops" in {option.label for option in item.options}]) > 1
    rows = [["Email address", "Response 1", "Right answer 1"], ["a@example.org", "An error", "Training stops"]]
    (problem,) = read_responses(written(tmp_path / "quiz.csv", rows), BANK).problems
    assert "download the report with the text of the question" in problem


def test_the_page_names_no_student_loads_nothing_and_shows_text_as_text(tmp_path: Path) -> None:
    rows = table([believing(4)] * 12)
    rows[1][0] = rows[2][1] = EVIL
    rows[3][9] = EVIL
    rows[4] = [EVIL]
    html = page(tmp_path, "--responses", str(written(tmp_path / "quiz.csv", rows)))
    found = Cells(html)
    assert not found.tags & {"script", "img", "link", "iframe", "a", "form"}
    assert not {name for name in found.attributes if name.startswith("on") or name in ("src", "href", "id")}
    assert "http://" not in html and "https://" not in html
    assert not re.search(r"Muster|Erika|example\.org|alert", html)
    assert "Left out" in html


def test_the_text_of_a_question_is_escaped_on_the_page(tmp_path: Path) -> None:
    bank = bank_of(questions.quiz([lesson("# Merges", played(train.record({EVIL: 5, "ab": 9, "abc": 3}, 45)))]))
    assert any(EVIL[:4] in item.text for item in bank) and any("<" in item.prompt for item in bank)
    html = item_analysis.page({item: {1: item.options[0]} for item in bank}, [], [EVIL])
    assert not Cells(html).tags & {"script", "scr"} and "&lt;" in html and "&lt;script&gt;" in html


def test_a_quiz_of_two_files_counts_each_student_once(tmp_path: Path) -> None:
    rows = table([believing(4)] * 12)
    path = str(written(tmp_path / "quiz.csv", rows))
    once, twice = page(tmp_path, "--responses", path), page(tmp_path, "--responses", path, "--responses", path)
    assert once == twice


def test_without_anything_to_read_the_command_says_what_to_give(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        item_analysis.main([])
    assert "--responses quiz.csv" in capsys.readouterr().err


# --- tasks ----------------------------------------------------------------------------------------


@pytest.fixture(autouse=True)
def path_with_alembic(monkeypatch: pytest.MonkeyPatch) -> None:
    """nbgrader calls alembic when it creates a gradebook."""
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")


def course(root: Path, scores: dict[str, dict[str, float]]) -> Path:
    """A course with a gradebook of assignment1, with the scores of each student for cells of 2 points."""
    root.mkdir()
    with Gradebook(f"sqlite:///{root / 'gradebook.db'}") as book:
        if scores:
            book.add_assignment("assignment1")
            book.add_notebook("assignment1", "assignment1")
            for cell in next(iter(scores.values())):
                book.add_grade_cell(cell, "assignment1", "assignment1", max_score=2, cell_type="code")
        for student, of_student in scores.items():
            book.add_student(student)
            submission = book.add_submission("assignment1", student)
            for grade in submission.notebooks[0].grades:
                grade.auto_score = of_student[grade.name]
        book.db.commit()
    return root


DETECTED = detected_by("assignment1")
CELLS = sorted({cell for _, _, cells in DETECTED for cell in cells})


def marks(*failed: set[str]) -> dict[str, dict[str, float]]:
    return {f"Muster{n}": {cell: 2.0 * (cell not in cells) for cell in CELLS} for n, cells in enumerate(failed)}


@pytest.mark.slow
def test_the_misconception_whose_tests_fail_is_first_among_the_tasks(tmp_path: Path) -> None:
    misconception, task, cells = DETECTED[0]
    other = next(cells for _, its_task, cells in DETECTED if its_task != task)
    root = course(tmp_path / "course", marks(*[cells] * 7, *[other] * 3, {*CELLS}, set(), set()))
    problems: list[str] = []
    (results,) = read_course(root, problems)
    assert problems == []
    ranked = results.failed()
    assert misconception in [one.misconception for one in ranked if one.exactly == ranked[0].exactly]
    assert (ranked[0].exactly, ranked[0].at_least, ranked[0].task) == (7, 8, task)
    html = page(tmp_path, "--course", str(root))
    assert "Muster" not in html and ranked[0].misconception.number == misconception.number
    row = Cells(html).tables["Misconceptions whose tests failed"][1]
    assert row[0].startswith(f"Misconception {misconception.number}: ") and row[1:4] == [task, "7", "8"]


def test_the_statistics_of_tasks_are_those_of_numpy() -> None:
    random = Random(5)
    results = AssignmentResults("own", {c: {s: random.choice((0, 0.5, 1)) for s in range(15)} for c in "abcd"})
    table = np.array([[results.scores[cell][student] for student in range(15)] for cell in "abcd"])
    for place, (cell, one) in enumerate(results.statistics.items()):
        rest = table.sum(axis=0) - table[place]
        assert cell == "abcd"[place] and one.difficulty == pytest.approx(table[place].mean())
        assert one.discrimination == pytest.approx(np.corrcoef(table[place], rest)[0, 1])
    assert results.failed() == []


@pytest.mark.slow
def test_an_empty_missing_or_damaged_gradebook_is_no_error(tmp_path: Path) -> None:
    empty, damaged, missing = course(tmp_path / "empty", {}), tmp_path / "damaged", tmp_path / "missing"
    damaged.mkdir()
    (damaged / "gradebook.db").write_bytes(b"no database")
    for root in (empty, damaged, missing):
        html = page(tmp_path, "--course", str(root))
        assert "There are no graded submissions" in html
        assert ("Left out" in html) is (root is not empty)
        assert str(tmp_path) not in html
    assert not missing.exists()


@pytest.mark.slow
def test_the_real_bank_names_misconceptions() -> None:
    real: list[Any] = bank_of(questions.quiz(questions.stored()))
    assert {4, 22} <= {option.misconception for item in real for option in item.options}
    assert all(sum(option.right for option in item.options) == 1 and item.lesson and item.key for item in real)
