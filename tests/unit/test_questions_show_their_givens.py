"""Each question of each player shows the values that its answer is computed from, also in a Moodle course."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from course.questions import asking
from publish.prose import plain
from tests.question_recordings import question_recordings
from tests.questions import frames
from tokenlab import show
from tokenlab.show.frames import Frame, Panel, Question
from tokenlab.show.player import static_frame
from tokenlab.show.views.elements import questions as elements

Site = tuple[str, int]  # a file, and the line where a call of `ask` begins

VIEWS = Path(show.__file__).parent
TAG = re.compile(r"</?(?:b|br|div|li|p|q|small|span|sub|sup|t[dhr]|ul)\b[^>]*>")


def calls(name: str) -> Iterator[tuple[Site, int]]:
    """The calls of a function in the players' files, with the line where each ends."""
    for path in sorted(VIEWS.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name:
                yield (str(path), node.lineno), node.end_lineno or node.lineno


SITES = dict(calls("ask"))


def name_of(site: Site) -> str:
    return f"{Path(site[0]).relative_to(VIEWS)}:{site[1]}"


def site_of(file: str, line: int) -> Site:
    return next(site for site, end in SITES.items() if site[0] == file and site[1] <= line <= end)


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> dict[Site, list[Frame]]:
    """The frames with a question, by the call of `ask` that made it."""
    made: list[tuple[Question, Site]] = []  # keeps the questions, so that no id is used again

    def recorded(*arguments: Any) -> Question:
        caller = sys._getframe(2)
        made.append((Question(*arguments), site_of(caller.f_code.co_filename, caller.f_lineno)))
        return made[-1][0]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(elements, "Question", recorded)
        played = [frames(recording) for recording in question_recordings(tmp_path_factory.mktemp("questions"))]
    sites = {id(question): site for question, site in made}
    found: dict[Site, list[Frame]] = {}
    for frame in (frame for each in played for frame in each if frame.question):
        found.setdefault(sites[id(frame.question)], []).append(frame)
    return found


def words(html: str) -> str:
    """The text of HTML, with a space at each element that separates words on the page."""
    return plain(TAG.sub(" ", html))


def visible(frame: Frame) -> str:
    """The text of a frame in Moodle while its question is open."""
    assert frame.question
    return f"{words(static_frame(asking(frame)))} | {words(frame.question.prompt)}"


def shows(frame: Frame, given: str) -> bool:
    """Whether the text has the value, and not only as a part of a longer word or number."""
    value = words(given)
    before = r"(?<![\w−])(?<!\d[.,])" if value[:1].isalnum() else ""
    after = r"(?!\w)(?![.,]\d)" if value[-1:].isalnum() else ""
    return bool(value) and bool(re.search(before + re.escape(value) + after, visible(frame)))


@pytest.mark.slow
@pytest.mark.parametrize("site", SITES, ids=name_of)
def test_a_question_shows_what_its_answer_is_computed_from(site: Site, asked: dict[Site, list[Frame]]) -> None:
    assert site in asked, "no recording leads to this question: add one to tests/question_recordings.py"
    for frame in asked[site]:
        assert frame.question and frame.question.given
        for given in frame.question.given:
            assert shows(frame, given), (words(given), visible(frame))


def test_every_question_is_made_by_ask() -> None:
    assert [Path(site[0]).name for site, _ in calls("Question")] == ["questions.py"]


def test_a_value_in_a_hidden_panel_or_inside_another_value_is_not_visible() -> None:
    def frame(*panels: Panel) -> Frame:
        return Frame("After step 12", "0.35", panels=panels, question=Question("Which?", ()))

    assert shows(frame(Panel("Counts", ("<li><b>a</b><b>b</b> 7",))), "<b>a</b> <b>b</b> 7")
    assert not shows(frame(Panel("Counts", ("<li>7",), hides=True)), "7")
    assert not shows(frame(Panel("Counts", ("<li>7",), more=True)), "7")
    assert shows(frame(), "12") and shows(frame(), "0.35")
    assert not any(shows(frame(), value) for value in ("2", "35", "0", "ste", ""))
