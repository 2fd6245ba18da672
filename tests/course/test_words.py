"""Answers in words: the rubric, equal answers, and the page that stores points."""

from __future__ import annotations

import asyncio
import doctest
import json
import threading
from collections.abc import Iterator
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from course import words
from course.course_folder import Course, CourseError
from course.demo import NAMES, Demo, students
from course.submissions import everything_right, untouched
from course.words import Words, application, groups, rubric
from tests.course.test_sheet import ASSIGNMENTS

NAME = "assignment1"


def test_the_examples_in_the_docstrings_are_right() -> None:
    tried = doctest.testmod(words)
    assert tried.attempted and not tried.failed


@pytest.mark.parametrize("name", NAMES)
def test_every_assignment_has_a_rubric_with_all_points(name: str) -> None:
    (cell,) = (cell for cell in ASSIGNMENTS[name].notebook.cells if words._is_in_words(cell))
    criteria, notes = rubric(cell.source)
    assert sum(one.points for one in criteria if one.points > 0) == cell.metadata.nbgrader.points == 4
    assert all(one.text and ": " not in one.text[:3] for one in criteria)
    said = " ".join(cell.source.partition("**Points.**")[2].split())
    for text in [one.text for one in criteria] + [notes]:
        assert text in said


def test_nearly_equal_answers_are_one_group() -> None:
    long = "The rank decides which pair is merged, and not the length of a token in the vocabulary"
    assert groups([long, "", long.upper() + "!", "", long.replace("rank", "length"), "another"]) == [0, 1, 0, 1, 0, 2]
    assert groups([]) == [] and groups(["x " * 10**5, "y"]) == [0, 1]


def test_a_word_that_turns_an_answer_round_is_shown() -> None:
    long = "The rank decides which pair is merged, and not the length of a token in the vocabulary"
    turned = long.replace(" not", "")
    assert groups([long, turned]) == [0, 0] and words.difference(long, turned) == "-not"
    assert words.difference(long, long.upper() + "!!") == "" == words.difference("", "")
    assert words.difference("5 < 6", "5 > 6") == "+> -<"
    assert words.difference("x " * 10**5, "x " * 10**5 + "y") == ""  # beyond what is compared


def test_what_is_missing_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(CourseError, match="run make assignments first"):
        Words(Course(tmp_path), NAME)
    assert words.main([NAME, "--course", str(tmp_path)]) == 1
    assert "Not graded: there is no assignment1" in capsys.readouterr().out


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> Words:
    demo = Demo(tmp_path_factory.mktemp("words") / "course", NAME)
    members = [everything_right(), everything_right(), untouched(demo.assignment), everything_right()]
    demo.members = dict(zip(students(), members, strict=False))
    demo.hand_in()
    last = list(demo.members)[-1]
    file = demo.course.root / "submitted" / last / NAME / f"{NAME}.ipynb"
    sheet = json.loads(file.read_text(encoding="utf-8"))
    for cell in sheet["cells"]:
        if words._is_in_words(cell):
            cell["source"] = "Mine: <img src=x onerror=alert(1)> [a](b)"
    file.write_text(json.dumps(sheet), encoding="utf-8")
    demo.grade()
    return Words(demo.course, NAME)


@pytest.mark.slow
def test_answers_wait_and_equal_ones_stand_together(graded: Words) -> None:
    answers = graded.answers()
    first, second, third, last = students_of(graded)
    given = [answer.student for answer in answers]
    assert {first, second, last} <= {*given} and abs(given.index(first) - given.index(second)) == 1
    assert len({answer.group for answer in answers if answer.student in (first, second)}) == 1
    assert all(answer.score is None for answer in answers if answer.student != third)
    assert next(answer.text for answer in answers if answer.student == last).startswith("Mine: <img src=x onerror")


def students_of(graded: Words) -> list[str]:
    names = students()
    return [next(names) for _ in range(4)]


@pytest.mark.slow
def test_points_are_in_the_gradebook_and_survive_another_grading(graded: Words) -> None:
    first, second, _, last = students_of(graded)
    graded.write([first, second], 3, "+1: an example.\nGood.")
    graded.write([last], 0, "")
    scores = graded.course.scores(NAME)
    assert scores[first]["words"].manual == 3 and not scores[first]["words"].waits
    assert scores[last]["words"].manual == 0 and not scores[last]["words"].waits
    again = {answer.student: answer for answer in Words(graded.course, NAME).answers()}
    assert again[second].score == 3 and again[second].comment == "+1: an example.\nGood." and again[last].score == 0
    graded.course.feedback(NAME, [first])
    page = graded.course.page(NAME, first).read_text(encoding="utf-8")
    assert "Good." in page
    for score, comment in ((5, ""), (-1, ""), (1, "x" * 10**5)):
        with pytest.raises(ValueError, match=r"points|characters"):
            graded.write([first], score, comment)
    assert graded.course.scores(NAME)[first]["words"].manual == 3


@pytest.fixture
def address(graded: Words) -> Iterator[str]:
    """The address of a server in another thread."""
    started, found = threading.Event(), dict[str, object]()

    async def serve() -> None:
        server = application(graded, "thekey").listen(0, "127.0.0.1")
        found["port"] = next(iter(server._sockets.values())).getsockname()[1]
        found["stop"], found["loop"] = asyncio.Event(), asyncio.get_running_loop()
        started.set()
        await found["stop"].wait()  # type: ignore[attr-defined]
        server.stop()

    thread = threading.Thread(target=lambda: asyncio.run(serve()))
    thread.start()
    started.wait()
    yield f"http://127.0.0.1:{found['port']}"
    found["loop"].call_soon_threadsafe(found["stop"].set)  # type: ignore[attr-defined]
    thread.join()


@pytest.mark.slow
def test_the_server_answers_only_with_the_key_and_from_this_machine(graded: Words, address: str) -> None:
    with urlopen(f"{address}/thekey/") as reply:
        assert "frame-ancestors 'none'" in reply.headers["Content-Security-Policy"]
        assert "<title>Answers in words" in reply.read().decode()
    with urlopen(f"{address}/thekey/data") as reply:
        data = json.loads(reply.read())
    assert data["most"] == 4 and len(data["criteria"]) == 5 and data["answers"]
    for path, host in (("otherkey/data", ""), ("thekey/data", "evil.example:80")):
        with pytest.raises(HTTPError) as error:
            urlopen(Request(f"{address}/{path}", headers={"Host": host} if host else {}))
        assert error.value.code == 403
    student = students_of(graded)[0]
    body = json.dumps({"students": [student], "score": 2, "comment": "by the page"}).encode()
    with urlopen(Request(f"{address}/thekey/grade", body)) as reply:
        assert json.loads(reply.read()) == {"stored": 1}
    assert graded.course.scores(NAME)[student]["words"].manual == 2
    nobody = json.dumps({"students": ["nobody"], "score": 2, "comment": ""}).encode()
    for wrong in (b"{", b"{}", body.replace(b": 2,", b": 9,"), nobody):
        with pytest.raises(HTTPError) as error:
            urlopen(Request(f"{address}/thekey/grade", wrong))
        assert error.value.code == 400 or wrong is nobody
