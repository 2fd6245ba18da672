"""Some submissions are graded by nbgrader and get the expected points; a regrade keeps what people did.

`make grade-demo` grades the whole class of assignment 1, one edit in each sheet. Edits of different tasks share a sheet
here, and `test_sheet.py` runs every program without nbgrader. One file: the sheets are graded once, and pytest-xdist
keeps a file in one process.
"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from nbgrader.api import Gradebook

from course import course_folder, regrade, student_process
from course.assignment import Assignment
from course.course_folder import Course
from course.demo import Demo, table
from tests.course.graded import Graded
from tests.course.handed_in import put

pytestmark = pytest.mark.slow  # nbgrader grades notebooks; `test_grading_three.py` does it in `make test`

NAME = "assignment1"
ASSIGNMENT = Assignment(NAME)
SOURCE, WRONG = ASSIGNMENT.source, ASSIGNMENT.programs.WRONG
FULL = sum(ASSIGNMENT.most_points.values())
# The submissions of the class that are graded here; those in one line share a sheet.
WANTED = (
    ("right answers",),
    ("untouched",),
    ("tie_last_seen",),
    ("tie_lexicographic", "greedy_longest_match", "always_special", "char_vocab_not_bytes"),
    ("right in style 1", "an untouched copy below the answer", "redefines any and sum"),
    ("every cell twice", "an endless cell", "overlap_count"),
    ("calls tokenlab", "calls tokenizers", "prints", "edits the tests", "the id of another"),
    ("an endless loop", "a syntax error", "deleted the answer", "deleted both"),
    ("deleted the tests",),
    ("ends Python",),
    ("no notebook",),
    ("an empty file",),
    ("another name",),
)


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> Graded:
    return Graded.made(NAME, tmp_path_factory.mktemp("Übung 1") / "course", WANTED)


def test_everybody_gets_the_expected_points(graded: Graded) -> None:
    assert len(graded.results) == len(graded.demo.members) == len(WANTED)
    assert [result for result in graded.results if not result.ok] == []
    assert sum((graded.named("right answers").points or {}).values()) == FULL


def test_every_accident_of_the_class_is_graded_here(graded: Graded) -> None:
    programs = {program.__name__ for wrong in WRONG.values() for program in wrong}
    styles = {f"right in style {style}" for style in (1, 2, 3)}
    named = {
        submission.what for submission in import_module(f"course.classes.{NAME}").submissions(ASSIGNMENT)
    }  # the attacks are in test_attacks.py
    assert named - programs - styles == {what for sheet in WANTED for what in sheet} - programs - styles


def test_wrong_programs_lose_points_at_their_tasks(graded: Graded) -> None:
    right = graded.named("right answers").points
    last, lexicographic = graded.named("tie_last_seen").points, graded.named("tie_lexicographic").points
    assert right and last and lexicographic
    assert [task for task in right if last[task] < right[task]] == ["learn_merges"]
    assert {task for task in right if lexicographic[task] < right[task]} == {*WRONG}
    page = graded.feedback("tie_lexicographic")
    assert all(f"AssertionError: {task}(" in page for task in WRONG)
    assert "The rule: " in page


def test_who_expects_a_merge_for_each_counted_pair_loses_in_the_trace_alone(graded: Graded) -> None:
    right, points = graded.named("right answers").points, graded.named("overlap_count").points
    assert right and points
    assert points == right | {"trace": right["trace"] - 1}


def test_copied_cells_do_no_harm(graded: Graded) -> None:
    right, twice = graded.named("right answers").points, graded.named("every cell twice").points
    assert right and twice
    assert {task: twice[task] for task in WRONG} == {task: right[task] for task in WRONG}
    assert graded.named("an untouched copy below the answer").points == right


def test_a_submission_that_cannot_be_graded_is_listed_with_what_to_do_and_kept(graded: Graded) -> None:
    listed = {result.what: result.advice for result in graded.results if result.points is None}
    assert set(listed) == {"no notebook", "an empty file", "another name"}
    assert "ask for it again" in listed["no notebook"] and "empty" in listed["an empty file"]
    assert f"{NAME}-Copy1.ipynb; rename" in listed["another name"]
    assert set(graded.demo.course.submitted(NAME)) == set(graded.demo.members)
    assert all(advice in table(graded.results, ASSIGNMENT.tasks) for advice in listed.values())


def test_names_with_umlauts_and_blanks_stay_as_they_are(graded: Graded) -> None:
    assert {"jörg müller", "Zoë O'Brien", "李小龙", "x y z"} <= set(graded.demo.course.scores(NAME))


def test_an_answer_in_words_waits_for_a_person_unless_there_is_none(graded: Graded) -> None:
    waiting = {result.what: result.waits for result in graded.results if result.points is not None}
    assert waiting.pop("untouched") is False
    assert waiting.pop("right answers") is True
    assert all(waiting.values())


def test_feedback_says_what_was_wrong_and_hides_the_tests(graded: Graded) -> None:
    for result in graded.results:
        if result.points is not None:
            page = graded.feedback(result.what.partition(", ")[0])
            assert "HIDDEN" not in page and "right_" not in page and "sheet.get" not in page
    assert "The rule: Of several pairs with the highest count" in graded.feedback("tie_last_seen")


@pytest.mark.parametrize(
    ("what", "said"),
    [
        ("untouched", "learn_merges is not written yet"),
        ("calls tokenlab", "so there are no points for it"),
        ("calls tokenizers", "uses tokenizers"),
        ("prints", "return"),
        ("an endless loop", "does not end"),
        ("the id of another", "tell your instructor"),
        ("deleted the answer", "learn_merges is not written yet"),
        ("ends Python", "ends Python itself; look for exit, os._exit, or too much memory"),
        ("an endless cell", "does not end: it was stopped after 30 seconds of processor time"),
    ],
)
def test_feedback_has_a_sentence_for_each_accident(graded: Graded, what: str, said: str) -> None:
    assert said in graded.feedback(what)


def test_a_folder_whose_name_nbgrader_takes_for_a_pattern_is_listed_and_harms_nobody(graded: Graded) -> None:
    course = graded.demo.course
    for name in ("*", "a[1]", ".hidden"):
        sheet = course.root / "submitted" / name / NAME / f"{NAME}.ipynb"
        sheet.parent.mkdir(parents=True)
        sheet.write_text("{}", encoding="utf-8")
    try:
        before = course.scores(NAME)
        advice = course.autograde(NAME, ["*", "a[1]", ".hidden"])
        for name, sign in {"*": "*", "a[1]": "[", ".hidden": "."}.items():
            assert f"a folder whose name has {sign!r}; rename it" in advice[name]
        assert course.scores(NAME) == before
    finally:
        for name in ("*", "a[1]", ".hidden"):
            shutil.rmtree(course.root / "submitted" / name)


# --- grading again --------------------------------------------------------------------------------

FEW = ("right answers", "untouched", "tie_last_seen", "tie_lexicographic", "no notebook")


class Office:
    """A course with a few of the class, graded by a program and by a person, and a changed assignment."""

    def __init__(self, graded: Graded, root: Path) -> None:
        shutil.copytree(graded.demo.course.root, root)
        self.course, self.names = Course(root), {what: graded.named(what).student for what in FEW}
        for student in set(graded.demo.members) - set(self.names.values()):
            shutil.rmtree(root / "submitted" / student)
        self.source = root.parent / SOURCE.name
        tests = SOURCE.read_text(encoding="utf-8").partition('# %% tests="learn_merges-ties"')[2].partition("# %%")[0]
        graded, examples = tests.partition("grade(sheet")[2].split("\n", 1)[0], tests.rpartition("TESTS\n")[2].strip()
        self.change((f"grade(sheet{graded}", "pass"), (examples, "assert True"))
        with self.book as book:
            self.words = self.grade(book, "right answers", "words")
            self.words.manual_score, self.words.needs_manual_grade = 3.5, False
            comment = book.find_comment("words", NAME, NAME, self.names["right answers"])
            comment.manual_comment = "gut, aber kürzer"
            tie = self.grade(book, "tie_lexicographic", "learn_merges-ties")
            tie.manual_score, tie.extra_credit, tie.needs_manual_grade = 1.0, 0.5, False
            book.db.commit()

    @property
    def book(self) -> Gradebook:
        return Gradebook(f"sqlite:///{self.course.gradebook}")

    def grade(self, book: Gradebook, what: str, cell: str) -> Any:
        return book.find_grade(cell, NAME, NAME, self.names[what])

    def change(self, *changes: tuple[str, str]) -> None:
        """Change the assignment: here the tests of a rule ask for nothing any more."""
        text = SOURCE.read_text(encoding="utf-8")
        for old, new in changes:
            assert text.count(old) == 1
            text = text.replace(old, new)
        self.source.write_text(text, encoding="utf-8")

    def regrade(self, *options: str) -> int:
        where = ("--course", str(self.course.root), "--source", str(self.source))
        return regrade.main([NAME, *where, *options])

    def files(self) -> dict[str, bytes]:
        return {
            str(path.relative_to(self.course.root)): path.read_bytes()
            for path in self.course.root.rglob("*")
            if path.is_file() and ".regrade" not in path.parts
        }


@pytest.fixture
def office(graded: Graded, tmp_path: Path) -> Office:
    return Office(graded, tmp_path / "course")


def test_a_regrade_lists_every_changed_score_before_it_writes_and_keeps_what_people_did(
    office: Office, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    before, old = office.files(), office.course.scores(NAME)
    written = []
    write = regrade.write

    def look_and_write(done: regrade.Regrade) -> Path:
        written.append(capsys.readouterr().out)
        assert office.files() == before
        return write(done)

    monkeypatch.setattr(regrade, "write", look_and_write)
    assert office.regrade("--write") == 0
    (said,) = written
    assert said.startswith("3 scores change:\n")
    assert f"{office.names['untouched']}  learn_merges-ties  0 -> 3\n" in said
    assert f"{office.names['tie_last_seen']}  learn_merges-ties  0 -> 3\n" in said
    assert f"{office.names['tie_lexicographic']}  learn_merges-ties  0 -> 3 (a person gave 1, which stays)" in said
    assert f"{office.names['no notebook']} could not be graded and keeps the old scores" in said

    new = office.course.scores(NAME)
    assert {(change.student, change.cell) for change in regrade.changed(old, new)} == {
        (office.names[what], "learn_merges-ties") for what in ("untouched", "tie_last_seen", "tie_lexicographic")
    }
    with office.book as book:
        words, tie = (
            office.grade(book, what, cell)
            for what, cell in (("right answers", "words"), ("tie_lexicographic", "learn_merges-ties"))
        )
        assert (words.manual_score, words.needs_manual_grade) == (3.5, False)
        assert (tie.manual_score, tie.extra_credit, tie.needs_manual_grade) == (1.0, 0.5, True)
        comment = book.find_comment("words", NAME, NAME, office.names["right answers"])
        assert comment.manual_comment == "gut, aber kürzer"

    (backup,) = (office.course.root / "backups").iterdir()
    assert Course(backup).scores(NAME) == old
    after = office.files()
    for name, content in before.items():
        kept = after.get(f"backups/{backup.name}/{name}", after.get(name))
        assert kept == content or name == "gradebook.db", f"{name} is nowhere as it was"


def test_without_write_nothing_is_written(
    office: Office, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    done = regrade.Regrade(office.course, office.course, NAME, [], {}, "")
    monkeypatch.setattr(regrade, "regrade", lambda *_: done)
    before = office.files()
    assert office.regrade() == 0
    said = "Nothing was written. With --write the course takes these scores over, without grading again.\n"
    assert capsys.readouterr().out == f"0 scores change.\n{said}"
    assert office.files() == before


def test_a_regrade_with_another_version_asks_first(office: Office, capsys: pytest.CaptureFixture[str]) -> None:
    path = office.course.root / regrade.VERSIONS
    noted = json.loads(path.read_text(encoding="utf-8"))
    assert {"tokenlab", "code", "commit", "constraints", "python"} == set(noted[NAME][0])
    for change, said in (
        ({"constraints": "0" * 64}, "constraints: 000000000000, now"),
        ({"python": "3.9.1"}, "python: 3.9, now"),
    ):
        path.write_text(json.dumps({NAME: [noted[NAME][0] | change]}), encoding="utf-8")
        assert office.regrade() == 1
        answer = capsys.readouterr().out
        assert said in answer and "add --accept-version" in answer
    path.write_text(json.dumps({NAME: [noted[NAME][0] | {"commit": "another"}]}), encoding="utf-8")
    assert regrade.version_problem(office.course, NAME) == ""
    path.unlink()
    assert "nothing says which version" in regrade.version_problem(office.course, NAME)


def test_a_regrade_with_another_version_goes_on_when_it_is_accepted(
    office: Office, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    reached = []
    monkeypatch.setattr(
        regrade, "regrade", lambda *_: reached.append(1) or (_ for _ in ()).throw(regrade.CourseError("enough"))
    )
    (office.course.root / regrade.VERSIONS).unlink()
    assert office.regrade("--accept-version") == 1
    assert reached == [1]


def truncate(gradebook: Path) -> None:
    gradebook.write_bytes(gradebook.read_bytes()[: gradebook.stat().st_size // 2])


def overwrite_the_last_page(gradebook: Path) -> None:
    content = bytearray(gradebook.read_bytes())
    content[-4096:] = b"\xff" * 4096
    gradebook.write_bytes(content)


def miscount(gradebook: Path) -> None:
    """Only a check of the whole file finds that its number of unused pages is wrong."""
    content = bytearray(gradebook.read_bytes())
    content[36:40] = (5).to_bytes(4, "big")
    gradebook.write_bytes(content)


def upgrade(gradebook: Path) -> None:
    with closing(sqlite3.connect(gradebook)) as database:
        database.execute("UPDATE alembic_version SET version_num = 'fedcba987654'")
        database.commit()


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (truncate, "is torn"),
        (overwrite_the_last_page, "is torn"),
        (miscount, "reelist: "),
        (lambda gradebook: gradebook.write_bytes(b""), "empty, or no gradebook"),
        (
            lambda gradebook: gradebook.write_bytes(b"no database at all, but long enough" * 9),
            "is torn (file is not a database)",
        ),
        (upgrade, "another version of nbgrader (its tables are fedcba987654"),
        (Path.unlink, "there is no gradebook"),
    ],
)
def test_a_gradebook_that_is_not_whole_is_refused_and_left_alone(
    office: Office, damage: Callable[[Path], object], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    backup = office.course.root / "backups" / "20260101T000000Z" / "gradebook.db"
    backup.parent.mkdir(parents=True)
    shutil.copyfile(office.course.gradebook, backup)
    damage(office.course.gradebook)
    before = office.files()
    assert office.regrade("--write") == 1
    answer = capsys.readouterr().out
    assert said in answer
    assert answer.count("\n") == 1 and answer.startswith("No regrade: ")
    assert office.files() == before
    if damage is not upgrade:
        assert str(backup) in answer


def test_an_assignment_with_other_cells_is_refused_in_a_sentence(
    office: Office, capsys: pytest.CaptureFixture[str]
) -> None:
    office.change(('# %% tests="trace-left" points=1', '# %% tests="trace-other" points=1'))
    before = office.files()
    assert office.regrade("--write") == 1
    assert "has other cells than when it was handed out: trace-left, trace-other" in capsys.readouterr().out
    assert office.files() == before


def test_a_gradebook_that_changes_meanwhile_is_not_overwritten(office: Office, tmp_path: Path) -> None:
    copied = Course(tmp_path / "copy")
    digest = regrade.copy_gradebook(office.course.gradebook, copied.gradebook)
    with office.book as book:
        office.grade(book, "right answers", "words").manual_score = 4.0
        book.db.commit()
    done = regrade.Regrade(office.course, copied, NAME, [], {}, digest)
    before = office.files()
    with pytest.raises(regrade.CourseError, match="changed in the meantime"):
        regrade.write(done)
    assert office.files() == before


def test_the_demo_says_no_where_a_score_is_not_expected(graded: Graded) -> None:
    result = graded.named("tie_last_seen")
    demo: Demo = graded.demo
    scores = demo.course.scores(NAME)[result.student]
    scores["trace-left"] = type(scores["trace-left"])(0.0, None, False)
    spoiled = demo.result(result.student, scores, "")
    assert not spoiled.ok and table([spoiled], ASSIGNMENT.tasks).splitlines()[1].endswith("NO")


def test_who_finds_the_gradebook_locked_is_graded_again_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    course, runs = Course(tmp_path), []

    def run(processes: int, command: str, assignment: str, students: list[str], _: object) -> dict[str, str | None]:
        runs.append((processes, students))
        if len(runs) == 1:
            return {"ann": None, "bob": "OperationalError: database is locked", "cem": "ValueError: it failed"}
        return {"bob": None}

    monkeypatch.setattr(course, "_run", run)
    assert list(course.autograde(NAME, ["ann", "bob", "cem"])) == ["cem"]
    assert runs[1] == (1, ["bob"])


def _sleeps_or_ends(call: tuple[Path, str, str, str]) -> str | None:
    """Stands for the grading of a student: one never ends, one ends its process, one fails, and one is fine."""
    student = call[-1]
    if student == "sleeps":
        time.sleep(600)
    if student == "ends":
        os._exit(3)
    return "a log" if student == "fails" else None


@pytest.mark.slow
def test_who_takes_too_long_or_ends_the_process_costs_nobody_anything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(course_folder, "_one", _sleeps_or_ends)
    monkeypatch.setattr(course_folder, "PATIENCE", 20)
    done: list[str] = []
    students = ["sleeps", "ends", "fails", "fine", "ann", "bob"]
    logs = Course(tmp_path)._run(2, "autograde", NAME, students, done.append)
    expected = {"sleeps": student_process.TOO_LONG, "ends": student_process.KILLED, "fails": "a log"}
    assert logs == expected | dict.fromkeys(["fine", "ann", "bob"])
    assert sorted(done) == sorted({*students} - {"ends"})
    put(tmp_path, f"submitted/sleeps/{NAME}/{NAME}.ipynb", b'{"cells": []}')
    assert "was stopped; look at the notebook" in Course(tmp_path).advice(NAME, "sleeps", student_process.TOO_LONG)


def _leaves_half(call: tuple[Path, str, str, str]) -> str | None:
    """Stands for a grading that fails in the middle, when nbgrader has written the notebook."""
    root, _, assignment, student = call
    put(root, f"autograded/{student}/{assignment}/{assignment}.ipynb", b"{}")
    return "a log" if student == "fails" else None


@pytest.mark.slow
def test_what_a_failed_grading_leaves_is_not_taken_for_a_graded_notebook(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(course_folder, "_one", _leaves_half)
    course = Course(tmp_path)
    assert course._run(1, "autograde", NAME, ["fails", "fine"], lambda _: None) == {"fails": "a log", "fine": None}
    assert course.graded(NAME, "fine") and not course.graded(NAME, "fails")
