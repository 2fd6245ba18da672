"""The questions for Moodle: all of them, once, with one right answer, and no class or script to show them."""

from __future__ import annotations

import json
import re
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from course import questions
from publish.lessons import FOLDER, stored
from publish.prose import html_of, plain
from tests.publish.made_up import lesson, played
from tokenlab.algorithms.bpe.train import train
from tokenlab.show.frames import Frame, Panel
from tokenlab.show.player import PlayerTrack

WORDS = {"bun": 15, "pup": 11, "pun": 10, "bug": 6, "ten": 5, "pug": 3}
EVIL = "<script>alert(1)</script><img src=x onerror=alert(2)>"


@cache
def real() -> ElementTree.Element:
    """The questions of the real lessons, written and read again."""
    return ElementTree.fromstring(questions.xml(questions.quiz(stored())))


def made_of(*cells: Any, name: str = "90_made_up") -> ElementTree.Element:
    return ElementTree.fromstring(questions.xml(questions.quiz([lesson("# Made up", *cells, name=name)])))


def of_type(kind: str, root: ElementTree.Element) -> list[ElementTree.Element]:
    return [question for question in root if question.get("type") == kind]


def text(element: ElementTree.Element, path: str) -> str:
    return element.findtext(f"{path}/text") or ""


class Elements(HTMLParser):
    """The elements of a piece of HTML, with their attributes."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attributes)))


def stored_questions() -> list[tuple[str, list[tuple[str, int]]]]:
    """Every Predict question of every stored player, read in another way: its prompt, and its answers."""
    found = []
    for path in sorted(FOLDER.glob("*.ipynb")):
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            for output in cell.get("outputs", []):
                html = "".join(output.get("data", {}).get("text/html", ""))
                for packed in re.findall(r"(?s)data-tokenlab=frames>(.*?)</script>", html):
                    short = json.loads(packed)["short"]
                    for number, form in enumerate(short):
                        packed = packed.replace(chr(0xE000 + number), json.dumps(form)[1:-1])
                    for track in json.loads(packed)["tracks"]:
                        asked = [frame[4] for frame in track["frames"] if frame[4]]
                        found += [(plain(q[0]), sorted((plain(o[0]), o[2]) for o in q[1])) for q in asked]
    return found


@pytest.mark.slow
def test_every_predict_question_is_there_with_its_answers() -> None:
    written = [
        (
            plain(text(question, "questiontext").rpartition("<p>")[2]),
            sorted(
                (plain(text(answer, ".")), int(answer.get("fraction") == "100")) for answer in question.iter("answer")
            ),
        )
        for question in of_type("multichoice", real())
    ]
    kept = stored_questions()
    assert len(kept) > len(written) > 30
    assert all(question in written for question in kept)
    assert all(question in kept for question in written)


@pytest.mark.slow
def test_one_answer_is_right_and_each_says_why() -> None:
    for question in of_type("multichoice", real()):
        answers = list(question.iter("answer"))
        fractions = sorted(int(answer.get("fraction") or -1) for answer in answers)
        assert fractions == [0] * (len(answers) - 1) + [100]
        assert len(answers) >= 2
        assert all(len(plain(text(answer, "feedback"))) > 10 for answer in answers)
        assert question.findtext("single") == "true"


def test_each_wrong_answer_names_its_misconception_and_the_tags_repeat_it() -> None:
    recording = train.record(WORDS, 20)
    asked = [frame.question for frame in PlayerTrack.of(recording, 0, 100).frames if frame.question]
    for question, written in zip(asked, of_type("multichoice", made_of(played(recording))), strict=True):
        named = {}
        for answer in written.iter("answer"):
            found = re.search(r"Misconception (\d+): .+\.", plain(text(answer, "feedback")))
            named[plain(text(answer, "."))] = int(found[1]) if found else 0
        assert named == {plain(option.label): max(0, option.misconception) for option in question.options}
        tags = [text(tag, ".") for tag in written.iter("tag")]
        assert tags == [f"misconception-{number}" for number in sorted({*named.values()} - {0})]


def test_a_player_from_an_older_notebook_has_questions_without_misconceptions() -> None:
    cell = played(train.record(WORDS, 20))
    html = cell.outputs[0].data["text/html"]
    cell.outputs[0].data["text/html"] = re.sub(r'(\.",[01]),-?\d+\]', r"\1]", html)
    assert cell.outputs[0].data["text/html"] != html
    written = of_type("multichoice", made_of(cell))
    assert written and not [tag for question in written for tag in question.iter("tag")]


@pytest.mark.slow
def test_at_most_a_third_of_the_questions_have_two_options() -> None:
    sizes = [len(list(question.iter("answer"))) for question in of_type("multichoice", real())]
    assert sizes.count(2) <= len(sizes) / 3


def test_every_folded_question_but_no_hint_is_an_essay_with_its_answer() -> None:
    essays = {
        plain(text(question, "questiontext")): plain(text(question, "graderinfo"))
        for question in of_type("essay", real())
        if questions.RUBRIC not in text(question, "graderinfo")
    }
    wanted = 0
    for other in stored():
        source = "\n\n".join(cell.source for cell in other.notebook.cells if cell.cell_type == "markdown")
        for summary, answer in re.findall(r"(?s)<details><summary>(.*?)</summary>(.*?)</details>", source):
            if not summary.startswith("Hint") and summary not in (questions.RUBRIC, questions.SAMPLES):
                wanted += 1
                question = summary.removeprefix("Two questions from before: ")
                question = question[0].upper() + question[1:]
                asked, answered = (plain(html_of(part)) for part in (question, answer))
                assert answered == essays[asked]
    assert wanted >= len(essays) >= 15


def test_the_task_in_words_of_each_lesson_is_an_essay_with_its_rubric_and_sample_answers() -> None:
    essays = [
        (plain(text(question, "questiontext")), plain(text(question, "graderinfo")))
        for question in of_type("essay", real())
    ]
    in_words = [(asked, info) for asked, info in essays if info.startswith(questions.RUBRIC)]
    assert len(in_words) == sum("Explain in three sentences" in str(other.notebook.cells) for other in stored())
    for asked, info in in_words:
        assert "three sentences" in asked or "first sentence" in asked, asked
        rubric, answers = info.removeprefix(questions.RUBRIC).split(questions.SAMPLES)
        assert len(rubric.split()) > 20 and re.match(r"\s*Good: “.+”\s*Wrong: “.+” .+", answers, re.DOTALL), info


def test_each_lesson_is_a_category_that_comes_before_its_questions() -> None:
    kinds = [question.get("type") for question in real()]
    categories = [text(question, "category") for question in of_type("category", real())]
    assert kinds[0] == "category" and len(categories) == len(stored())
    assert categories[1] == "$course$/top/tokenlab/01 How BPE learns its vocabulary"


def test_a_slash_in_a_title_makes_no_category_of_its_own() -> None:
    root = ElementTree.fromstring(questions.xml(questions.quiz([lesson("# Encode/decode", name="90_a")])))
    assert text(root[0], "category") == "$course$/top/tokenlab/90 Encode//decode"


def test_names_are_short_and_each_is_there_once() -> None:
    asked = [question for question in real() if question.get("type") != "category"]
    names = [text(question, "name") for question in asked]
    assert len({*names}) == len(names) == len({question.findtext("idnumber") for question in asked})
    assert all(10 < len(name) <= 100 for name in names)


def test_names_outlive_what_is_written_before_them() -> None:
    cell, folded = played(train.record(WORDS, 20)), "<details><summary>Why?</summary>So.</details>"
    before = made_of(cell, folded)
    after = made_of("New.", played(train.record({"hi": 5, "ok": 3}, 8)), cell, folded.replace("Why", "New") + folded)
    assert {text(question, "name") for question in before} < {text(question, "name") for question in after}


@pytest.mark.slow
def test_the_same_lessons_give_the_same_file() -> None:
    assert questions.xml(questions.quiz(stored())) == questions.xml(questions.quiz(stored()))


def test_a_question_that_occurs_twice_is_written_once() -> None:
    cell = played(train.record(WORDS, 20))
    folded = "<details><summary>Why?</summary>So.</details>"
    again = played(train.record(WORDS, 20))
    once, twice = made_of(cell, folded), made_of(cell, folded, again, folded)
    assert len(twice) == len(once) > 3


def test_the_state_is_what_a_learner_sees_while_the_question_is_open() -> None:
    recording = train.record(WORDS, 20)
    asked = [frame for frame in PlayerTrack.of(recording, 0, 100).frames if frame.question]
    written = of_type("multichoice", made_of(played(recording)))
    assert len(asked) == len(written)
    for frame, question in zip(asked, written, strict=True):
        shown = text(question, "questiontext")
        assert f"<strong>{frame.moment}.</strong>" in shown
        assert plain(frame.caption) in plain(shown)
        for panel in frame.panels:
            assert (panel.title in shown) is not panel.hides
        # What marks the next pair is the answer.
        assert "#56b4e9" not in shown and "#e69f00" not in shown


def test_marks_that_give_the_answer_away_are_taken_off_as_in_the_player() -> None:
    row = "<li><b class=left>un</b><b class=right>n</b> <b class=new>x</b><tr class=best>"
    frame = Frame(
        "a",
        "<b>u</b> + <b>n</b> became <b class=new>un</b>",
        panels=(Panel("p", (row,)), Panel("q", ("z",), hides=True)),
    )
    assert [panel.rows for panel in questions.asking(frame).panels] == [
        ("<li><b class=new>un</b> <b>n</b> <b class=new>x</b><tr>",)
    ]


def test_nothing_needs_a_class_or_a_script() -> None:
    for element in real().iter("text"):
        for tag, attributes in Elements(element.text or "").found:
            assert tag not in ("script", "style", "link", "iframe", "object"), element.text
            assert not {"class", "id", "role", "tabindex"} & {*attributes}, element.text
            assert not [name for name in attributes if name.startswith(("on", "data-", "aria-"))], element.text
            assert tag != "b" or "background" in (attributes["style"] or ""), element.text


def test_no_short_form_is_left() -> None:
    assert not re.search("[\ue000-\uf8ff]", ElementTree.tostring(real(), encoding="unicode"))


def test_what_a_user_typed_stays_text() -> None:
    root = made_of(
        played(train.record({EVIL: 5, "ab": 9, "abc": 3}, 45)),
        f"<details><summary>Why `{EVIL}`?</summary>\n\n`{EVIL}`</details>",
    )
    choices = of_type("multichoice", root)
    assert choices
    for element in root.iter("text"):
        assert not [
            tag for tag, _ in Elements(element.text or "").found if tag in ("script", "img")
        ] or element in essays(root)
    assert any("&lt;" in text(question, "questiontext") for question in choices)


def essays(root: ElementTree.Element) -> list[ElementTree.Element]:
    """The texts of essays, which an author writes, and which may have markup."""
    return [part for question in of_type("essay", root) for part in question.iter("text")]


def test_a_sign_that_xml_has_no_place_for_does_not_spoil_the_file() -> None:
    root = made_of("<details><summary>What is \x01 and \ud7ff?</summary>A \x0b sign.</details>")
    assert text(root[1], "questiontext") == "<p>What is \ufffd and \ud7ff?</p>"


def test_a_formula_in_a_question_is_mathml() -> None:
    root = made_of("<details><summary>What is $\\frac{a}{b}$?</summary>\n\nIt is `c` and $$d$$\n</details>")
    assert "<mfrac>" in text(root[1], "questiontext") and 'display="block"' in text(root[1], "graderinfo")


def test_moodle_finds_all_that_it_asks_for() -> None:
    common = {"name", "questiontext", "defaultgrade", "idnumber"}
    wanted = {
        "multichoice": {"single", "shuffleanswers", "answernumbering", "penalty", "answer"},
        "essay": {"responseformat", "responsefieldlines", "attachments", "graderinfo", "responsetemplate"},
    }
    in_html = ("questiontext", "answer", "feedback", "graderinfo")
    for kind, tags in wanted.items():
        for question in of_type(kind, real()):
            assert common | tags <= {child.tag for child in question}
            assert all(part.get("format") == "html" for part in question.iter() if part.tag in in_html)


@pytest.mark.slow
def test_the_file_is_written_where_it_is_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    questions.main([str(tmp_path / "new" / "q.xml")])
    root = ElementTree.parse(tmp_path / "new" / "q.xml").getroot()
    assert root.tag == "quiz" and len(root) == len(real())
    assert f"{len(of_type('multichoice', root))} Predict questions" in capsys.readouterr().out
