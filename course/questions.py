"""Write the lessons' questions for a Moodle course: `make questions`, into `build/questions.xml`.

The file is in Moodle's XML format (in the question bank: Import, Moodle XML). Every Predict question of every stored
player becomes a multiple-choice question, with the state that a learner sees while it is open and the reason of each
answer. Every folded question of a lesson becomes an essay question, with the answer for graders. A repeated question is
written once. Names and ids are derived from a question's text, so they survive reordering. The feedback of a wrong
answer and the question's tags name the misconception by its number, which `make item-analysis` reads.
"""

from __future__ import annotations

import hashlib
import re
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from bs4 import BeautifulSoup
from bs4.element import Tag

from publish.formulas import Unwritable
from publish.lessons import BUILD, Lesson, players, stored
from publish.prose import html_of, line_of, plain
from tokenlab.misconceptions.catalog import MISCONCEPTIONS
from tokenlab.show.frames import Frame, Html, Option, Panel
from tokenlab.show.frames import Question as Predicted
from tokenlab.show.player import inline_styles, static_frame
from tokenlab.storage import files

LONGEST_NAME = 80  # characters, without the key
RUBRIC, SAMPLES = "What a good answer contains", "Two sample answers"  # folds of a task in words
NOT_IN_MOODLE = re.compile(r"""\s(?:class|id|role|tabindex|on\w+|data-[\w-]+|aria-[\w-]+)(?:=(?:"[^"]*"|[^\s">]*))?""")
HOW_TO = re.compile(r"(?<![\w,;] )(?:Click |Keys: )[^.<]*(?:\. ?|(?=<))")
# Characters that XML 1.0 does not allow, not even escaped.
NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True)
class Choice:
    """A Predict question: the moment, its visible state, and the answers."""

    moment: str
    state: Html
    predicted: Predicted

    @property
    def said(self) -> str:
        """The text that identifies the question; the caption of the previous step is not part of it."""
        return " ".join([plain(self.state.partition("</p>")[2]), self.label, *(plain(o.label) for o in self.options)])

    @property
    def label(self) -> str:
        """The question's name in a list."""
        return f"{self.moment}: {plain(self.predicted.prompt)}"

    @property
    def options(self) -> tuple[Option, ...]:
        """The answer options."""
        return self.predicted.options


@dataclass(frozen=True)
class Essay:
    """A question with an answer in words."""

    question: Html
    answer: Html

    @property
    def said(self) -> str:
        """The text that identifies the question."""
        return plain(self.question)

    @property
    def label(self) -> str:
        """The question's name in a list."""
        return self.said


def choices(lesson: Lesson) -> Iterator[Choice]:
    """Yield the Predict questions of a lesson's players."""
    for data in players(lesson.notebook):
        for track in data["tracks"]:
            for frame in frames(track):
                if frame.question:
                    yield Choice(frame.moment, state_of(frame), frame.question)


def state_of(frame: Frame) -> Html:
    """Return what is to be seen while a question is open, without style sheets and advice on using the player."""
    html = re.sub(r"<style.*?</style>", "", static_frame(asking(frame)), flags=re.DOTALL)
    return style_alone(HOW_TO.sub("", html))


def frames(track: dict[str, Any]) -> Iterator[Frame]:
    """Rebuild the frames of a stored track."""
    for moment, caption, remark, numbers, asked in track["frames"]:
        panels = tuple(_panel(track, number) for number in numbers)
        yield Frame(moment, caption, remark, panels, _predicted(*asked) if asked else None)


def _predicted(prompt: Html, options: list[list[Any]]) -> Predicted:
    # An option of an older recording has no misconception.
    return Predicted(prompt, tuple(Option(label, why, bool(right), *more) for label, why, right, *more in options))


def _panel(track: dict[str, Any], number: int) -> Panel:
    title, kind, more, hides, wide, rows = track["panels"][number]
    return Panel(title, tuple(track["rows"][row] for row in rows), kind, bool(more), bool(hides), bool(wide))


def asking(frame: Frame) -> Frame:
    """Return the frame as the player shows it while its question is open, without the answer."""
    panels = tuple(
        Panel(panel.title, tuple(unmarked(row, frame.caption) for row in panel.rows), panel.kind, panel.more)
        for panel in frame.panels
        if not panel.hides
    )
    return Frame(frame.moment, frame.caption, frame.remark, panels)


def unmarked(html: Html, caption: Html) -> Html:
    """Remove the marks of the next pair, which is the answer; a symbol of the pair that is new keeps its mark as new.

    Does the same as `unmarked` in player.js.
    """
    made = re.search(r"<b class=new>(.*?)</b>", caption)

    def as_before(symbol: re.Match[str]) -> str:
        return f"<b{' class=new' if made and symbol[1] == made[1] else ''}>{symbol[1]}</b>"

    html = html.replace("</b><b", "</b> <b").replace(" class=best", "")
    return re.sub(r"<b class=(?:left|right)>(.*?)</b>", as_before, html)


def style_alone(html: Html) -> Html:
    """Replace classes in HTML by inline styles, and remove attributes that only the player's script reads."""

    def element(found: re.Match[str]) -> str:
        attributes = NOT_IN_MOODLE.sub("", found[2])
        is_bare_chip = found[1] == "b" and "background" not in attributes
        return inline_styles("<b>") if is_bare_chip else f"<{found[1]}{attributes}>"

    return re.sub(r"<([a-z][a-z0-9]*)((?:\s[^<>]*)?)>", element, inline_styles(html))


def essays(lesson: Lesson) -> Iterator[Essay]:
    """Yield the questions with folded answers and the task in words, but not the hints."""
    for cell in lesson.notebook.cells:
        if cell.cell_type == "markdown" and "<details" in cell.source:
            for folded in BeautifulSoup(html_of(cell.source), "html.parser").find_all("details"):
                summary = folded.summary
                said = summary.get_text() if summary else "Hint"
                if said == RUBRIC:
                    yield _task_in_words(folded)
                elif summary and said != SAMPLES and not said.startswith("Hint"):
                    question = _from_before(summary.extract().decode_contents().strip())
                    yield Essay(question, folded.decode_contents().strip())


def _task_in_words(rubric: Tag) -> Essay:
    """Return the task before a rubric, for a grader with the rubric and the sample answers after it."""
    task: list[Html] = []
    for before in rubric.find_previous_siblings():
        if before.name != "p":
            break
        task.insert(0, str(before))
    samples = rubric.find_next_sibling("details")
    return Essay("".join(task), "".join(_unfolded(one) for one in (rubric, samples) if isinstance(one, Tag)))


def _unfolded(folded: Tag) -> Html:
    summary = folded.summary
    title = summary.extract().decode_contents() if summary else ""
    return f"<p><strong>{title}</strong></p>{folded.decode_contents().strip()}"


def _from_before(question: Html) -> Html:
    """Remove the words that only make sense at the top of a lesson."""
    question = re.sub(r"^\w+ questions from before:\s*", "", question)
    return question[:1].upper() + question[1:]


def quiz(lessons: list[Lesson]) -> Element:
    """Return the questions of all lessons, with a category for each lesson."""
    root = Element("quiz")
    written: set[str] = set()
    for lesson in lessons:
        category = SubElement(root, "question", type="category")
        # A slash separates categories; a double slash is a literal slash.
        title = plain(line_of(lesson.title)).replace("/", "//")
        _text(category, "category", f"$course$/top/tokenlab/{_number(lesson)} {title}")
        questions: list[Choice | Essay] = [*choices(lesson), *essays(lesson)]
        for question in questions:
            key = hashlib.sha256(question.said.encode()).hexdigest()[:10]
            if key not in written:
                written.add(key)
                element = choice_element(question) if isinstance(question, Choice) else essay_element(question)
                _add_name(element, f"{_number(lesson)} {question.label}", key)
                root.append(element)
    return root


def choice_element(choice: Choice) -> Element:
    """Return a Predict question as a Moodle multiple-choice question."""
    element = Element("question", type="multichoice")
    asked = f"{choice.state}<p><strong>{style_alone(choice.predicted.prompt)}</strong></p>"
    _text(element, "questiontext", asked, format="html")
    _values(element, defaultgrade=1, penalty=0.3333333, hidden=0, single="true", shuffleanswers="true")
    _values(element, answernumbering="abc", showstandardinstruction=0)
    for option in choice.options:
        fraction = "100" if option.right else "0"
        answer = _text(element, "answer", style_alone(option.label), fraction=fraction, format="html")
        _text(answer, "feedback", style_alone(option.why) + _misconception_html(option.misconception), format="html")
    numbers = sorted({option.misconception for option in choice.options if option.misconception > 0})
    if numbers:
        tags = SubElement(element, "tags")
        for number in numbers:
            _text(tags, "tag", f"misconception-{number}")
    return element


def _misconception_html(number: int) -> Html:
    """Return a paragraph that names a misconception, or "" if the number is that of none."""
    claims = [misconception.claim for misconception in MISCONCEPTIONS if misconception.number == number > 0]
    return f"<p>Misconception {number}: {escape(claims[0])}.</p>" if claims else ""


def essay_element(essay: Essay) -> Element:
    """Return a question in words as a Moodle essay question."""
    element = Element("question", type="essay")
    _text(element, "questiontext", f"<p>{style_alone(essay.question)}</p>", format="html")
    _values(element, defaultgrade=1, penalty=0, hidden=0, responseformat="editor", responserequired=1)
    _values(element, responsefieldlines=5, attachments=0, attachmentsrequired=0)
    _text(element, "graderinfo", style_alone(essay.answer), format="html")
    _text(element, "responsetemplate", "", format="html")
    return element


def _number(lesson: Lesson) -> str:
    return lesson.name.partition("_")[0]


def _add_name(element: Element, label: str, key: str) -> None:
    """Add a short name that is unique because of the key, and the key as Moodle's id number; Moodle strips tags."""
    short = label if len(label) <= LONGEST_NAME else f"{label[: LONGEST_NAME - 1].rstrip()}…"
    name = Element("name")
    SubElement(name, "text").text = NOT_IN_XML.sub("\ufffd", f"{short} [{key}]").translate({60: "‹", 62: "›"})
    element.insert(0, name)
    _values(element, idnumber=f"tokenlab-{key}")


def _text(parent: Element, tag: str, text: str, **attributes: str) -> Element:
    element = SubElement(parent, tag, attributes)
    SubElement(element, "text").text = NOT_IN_XML.sub("\ufffd", text)
    return element


def _values(parent: Element, **values: object) -> None:
    for tag, value in values.items():
        SubElement(parent, tag).text = str(value)


def xml(root: Element) -> str:
    """Return the XML file."""
    indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{tostring(root, encoding="unicode")}\n'


def main(arguments: list[str]) -> None:
    """Write the questions, and print their number."""
    path = Path(arguments[0]) if arguments else BUILD / "questions.xml"
    try:
        root = quiz(stored())
    except Unwritable as error:
        sys.exit(str(error))
    path.parent.mkdir(parents=True, exist_ok=True)
    files.write_atomically(path, xml(root))
    kinds = Counter(question.get("type") for question in root)
    print(f"{kinds['multichoice']} Predict questions and {kinds['essay']} essay questions: {path}")


if __name__ == "__main__":
    main(sys.argv[1:])
