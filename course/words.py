"""Grade the answers in words on one page: make words ARGS="assignment1" opens it in a browser.

The page shows one answer after another, next to the rubric of the task. A click or a digit gives a point, and Enter
stores the points and the comment in nbgrader's gradebook and goes on. Equal and nearly equal answers can be graded
together. Who comes back later continues with the first answer that waits. Leaves out: several people at once, who
would not see each other's points before they reload the page.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import secrets
import sys
import webbrowser
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import nbformat
from rapidfuzz.distance import Indel
from tornado.web import Application, HTTPError, RequestHandler

from course import build
from course.course_folder import Course, CourseError
from course.received_files import shown

PAGE = Path(__file__).with_name("words.html")
ALIKE = 0.9  # the share of equal words of answers that are graded together
LONGEST = 2_000  # words of an answer that are compared
MOST = 5_000  # characters of a comment


@dataclass(frozen=True)
class Criterion:
    """A line of the rubric: the points it gives or takes, and the sentence."""

    points: float
    text: str


@dataclass(frozen=True)
class Answer:
    """What a student wrote, and how it was graded."""

    student: str
    text: str
    score: float | None  # None: it waits for a person
    comment: str
    group: int  # the same for answers that are nearly equal
    differs: str = ""  # the words that the first answer of the group has not, or has in their place


def rubric(solution: str) -> tuple[list[Criterion], str]:
    """Return the criteria below a sample answer, and the sentences that are no criterion.

    >>> said = "Yes. **Points.** 1: an example. 2: the reason. Subtract 1 point if it is long. No point for a copy."
    >>> criteria, notes = rubric(said)
    >>> [(one.points, one.text) for one in criteria], notes
    ([(1.0, 'an example.'), (2.0, 'the reason.'), (-1.0, 'it is long.')], 'No point for a copy.')
    """
    said = " ".join(solution.partition("**Points.**")[2].split())
    criteria, notes = list[Criterion](), list[str]()
    for points, text in re.findall(r"(?:^|(?<=[.)] ))(\d): (.*?)(?= \d: |$)", said):
        first, *rest = re.split(r"(?<=[.)]) (?=Subtract |No point |An example |Comparing )", text)
        criteria.append(Criterion(float(points), first))
        for sentence in rest:
            if taken := re.fullmatch(r"Subtract (\d) points? if (.*?\.)(?: (.*))?", sentence):
                criteria.append(Criterion(-float(taken[1]), taken[2]))
                notes += filter(None, [taken[3]])
            else:
                notes.append(sentence)
    return criteria, " ".join(notes)


def groups(texts: list[str]) -> list[int]:
    """Return a number for each text; texts that are nearly equal have the same.

    >>> groups(["The rank decides, always.", "No.", "the rank decides always", "no"])
    [0, 1, 0, 1]
    """
    words = list(map(words_of, texts))
    found: list[int] = []
    for place, mine in enumerate(words):
        alike = (one for one in dict.fromkeys(found) if Indel.normalized_similarity(mine, words[one]) >= ALIKE)
        found.append(next(alike, place))
    numbers = {first: number for number, first in enumerate(dict.fromkeys(found))}
    return [numbers[first] for first in found]


def words_of(text: str) -> tuple[str, ...]:
    """Return the words and the signs of comparison of an answer, in small letters, as many as are compared."""
    return tuple(re.findall(r"\w+|[<>=≤≥≠]", text.lower()))[:LONGEST]


def difference(first: str, other: str) -> str:
    """Return the words in which an answer differs from another one, which may turn it into its opposite.

    >>> difference("The rank decides, always.", "the length decides, not always"), difference("Yes!", "yes")
    ('+length -rank +not', '')
    """
    old, new = words_of(first), words_of(other)
    steps = Indel.editops(old, new)
    return " ".join(f"-{old[step.src_pos]}" if step.tag == "delete" else f"+{new[step.dest_pos]}" for step in steps)


class Words:
    """The answers in words to a task of an assignment."""

    def __init__(self, course: Course, assignment: str) -> None:
        """Read the task from the source of the assignment in the course.

        Raises:
            CourseError: there is no such assignment, or it has no task in words.
        """
        self.course, self.assignment = course, assignment
        source = course.root / "source" / assignment / f"{assignment}.ipynb"
        if not source.is_file():
            raise CourseError(f"there is no {assignment} in {course.root}; run make assignments first")
        cells = nbformat.read(source, as_version=4).cells
        places = [place for place, cell in enumerate(cells) if _is_in_words(cell)]
        if not places:
            raise CourseError(f"{assignment} has no answer in words")
        cell = cells[places[0]]
        self.task = str(cell.metadata.nbgrader.grade_id)
        self.most = float(cell.metadata.nbgrader.points)
        self.question = str(cells[places[0] - 1].source)
        self.sample = cell.source.partition("**Points.**")[0].strip()
        self.criteria, self.notes = rubric(cell.source)

    def answers(self) -> list[Answer]:
        """Return the answers of all graded submissions, those of a group together."""
        found = []
        with self.course.book as book:
            for submission in book.assignment_submissions(self.assignment):
                student = str(submission.student_id)
                text = self._text(student)
                if text is None:
                    continue
                for notebook in submission.notebooks:
                    for grade in notebook.grades:
                        if grade.name == self.task and (text or grade.needs_manual_grade):
                            score = None if grade.needs_manual_grade else float(grade.score or 0.0)
                            found.append((student, text, score, self._comment(notebook)))
        found.sort()
        numbers = groups([text for _, text, _, _ in found])
        first = {number: place for place, number in reversed(list(enumerate(numbers)))}
        made = [
            Answer(*one, number, difference(found[first[number]][1], one[1]))
            for one, number in zip(found, numbers, strict=True)
        ]
        return sorted(made, key=lambda answer: (first[answer.group], answer.student))

    def _text(self, student: str) -> str | None:
        """Return what a student wrote, or None if the submission was not graded."""
        path = self.course.root / "autograded" / student / self.assignment / f"{self.assignment}.ipynb"
        try:
            cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        except (OSError, ValueError):
            return None
        texts = ("".join(cell["source"]) for cell in cells if _is_in_words(cell, self.task))
        return next(texts, "").replace("\u200b", "")

    def _comment(self, notebook: Any) -> str:
        return next((str(one.manual_comment or "") for one in notebook.comments if one.name == self.task), "")

    def write(self, students: list[str], score: float, comment: str) -> None:
        """Store the points and the comment for some students.

        Raises:
            ValueError: a student has no such answer, or the points are impossible.
        """
        if not 0 <= score <= self.most:
            raise ValueError(f"score = {score}: an answer has 0 to {self.most:g} points")
        if len(comment) > MOST:
            raise ValueError(f"comment has {len(comment):,} characters; write at most {MOST:,}")
        with self.course.book as book:
            for student in students:
                notebook = book.find_submission_notebook(self.assignment, self.assignment, student)
                grade = next(one for one in notebook.grades if one.name == self.task)
                grade.manual_score, grade.needs_manual_grade = score, False
                for one in notebook.comments:
                    if one.name == self.task:
                        one.manual_comment = comment
            book.db.commit()

    def data(self) -> dict[str, Any]:
        """Return all that the page shows."""
        return {
            "assignment": self.assignment,
            "question": self.question,
            "sample": self.sample,
            "notes": self.notes,
            "most": self.most,
            "criteria": [asdict(one) for one in self.criteria],
            "answers": [asdict(one) | {"name": shown(one.student)} for one in self.answers()],
        }


def _is_in_words(cell: Any, task: str = "") -> bool:
    """Whether students write Markdown for points in a cell, of any task or of this one."""
    mark = cell["metadata"].get("nbgrader", {})
    wanted = cell["cell_type"] == "markdown" and mark.get("solution") and mark.get("grade")
    return bool(wanted) and task in ("", mark["grade_id"])


class _Handler(RequestHandler):
    """The page, and the points that it sends; the key in the address keeps other users of the machine out."""

    def initialize(self, words: Words, key: str) -> None:
        self.words, self.key = words, key

    def prepare(self) -> None:
        host = (self.request.host or "").rpartition(":")[0]
        if host not in ("127.0.0.1", "localhost") or not secrets.compare_digest(self.path_kwargs["key"], self.key):
            raise HTTPError(403)
        self.set_header("Content-Security-Policy", "default-src 'self' 'unsafe-inline'; frame-ancestors 'none'")
        self.set_header("Referrer-Policy", "no-referrer")

    def get(self, key: str, what: str) -> None:
        if what == "data":
            self.write(self.words.data())
        else:
            self.set_header("Content-Type", "text/html; charset=utf-8")
            self.write(PAGE.read_text(encoding="utf-8"))

    def post(self, key: str, what: str) -> None:
        try:
            given = json.loads(self.request.body)
            self.words.write(list(map(str, given["students"])), float(given["score"]), str(given["comment"]))
        except (ValueError, KeyError, TypeError, StopIteration) as error:
            self.set_status(400)
            self.write({"problem": str(error) or type(error).__name__})
        else:
            self.write({"stored": len(given["students"])})


def application(words: Words, key: str) -> Application:
    """Return the server's application."""
    return Application([(r"/(?P<key>\w+)/(?P<what>data|grade)?", _Handler, {"words": words, "key": key})])


async def _serve(words: Words, browser: bool) -> None:
    key = secrets.token_hex(16)
    server = application(words, key).listen(0, "127.0.0.1")
    port = next(iter(server._sockets.values())).getsockname()[1]
    address = f"http://127.0.0.1:{port}/{key}/"
    print(
        f"Grade at {address}\nEnd with Ctrl+C; what was stored stays. Then write the pages again: make grade.",
        flush=True,
    )
    if browser:
        webbrowser.open(address)
    await asyncio.Event().wait()


def main(arguments: list[str]) -> int:
    """Serve the page until it is interrupted; return 1 if there is nothing to grade."""
    parser = argparse.ArgumentParser(
        prog="make words", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("assignment")
    parser.add_argument("--course", type=Path, default=build.COURSE)
    parser.add_argument("--no-browser", action="store_true", help="only print the address")
    options = parser.parse_args(arguments)
    try:
        words = Words(Course(options.course), options.assignment)
    except CourseError as error:
        print(f"Not graded: {error}.")
        return 1
    try:
        asyncio.run(_serve(words, not options.no_browser))
    except KeyboardInterrupt:
        print("Stopped.")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
