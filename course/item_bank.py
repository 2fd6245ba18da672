"""Read the question bank and Moodle's quiz responses, and match each response to an option.

The bank is the file of `make questions`. The responses are the CSV file of Moodle's report "Responses" (Quiz, Results),
with the options "response" and "right answer", and preferably "question text". English and German column titles are
known. Column titles: mod/quiz/report/responses/last_responses_table.php in Moodle 4.
"""

from __future__ import annotations

import csv
import io
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from html import unescape
from pathlib import Path
from xml.etree.ElementTree import Element

from publish.prose import plain

csv.field_size_limit(2**24)  # the text of a question is longer than the default limit

COLUMNS = {
    "response": re.compile(r"(?:response|antwort)\s*(\d{1,4})", re.IGNORECASE),
    "right": re.compile(r"(?:right answer|richtige antwort)\s*(\d{1,4})", re.IGNORECASE),
    "question": re.compile(r"(?:question|frage)\s*(\d{1,4})", re.IGNORECASE),
}
# A student's attempts are recognized by the first of these columns that exists; names are the last resort.
IDENTITIES = (
    {"email address", "e-mail-adresse", "email", "e-mail"},
    {"id number", "id-nummer", "username", "anmeldename"},
    {"last name", "surname", "nachname", "first name", "vorname"},
)
NO_ANSWER = {"", "-"}


@dataclass(frozen=True)
class Answer:
    """An option of a question in the bank."""

    label: str
    right: bool
    misconception: int  # 0 for none


@dataclass(frozen=True)
class Item:
    """A multiple-choice question of the bank."""

    key: str
    lesson: str
    text: str
    options: tuple[Answer, ...]

    @property
    def prompt(self) -> str:
        """The last sentences of the text."""
        return self.text[-300:]

    def option(self, response: str) -> Answer | None:
        """Return the option with this text; case decides only between options that differ in nothing else."""
        for form in _forms(response):
            for fold in (str, str.casefold):
                found = [one for one in self.options if fold(_squeezed(one.label)) == fold(_squeezed(form))]
                if len(found) == 1:
                    return found[0]
        return None


def bank_of(root: Element) -> list[Item]:
    """Return the multiple-choice questions of a file in Moodle's XML format."""
    items, lesson = [], ""
    for question in root:
        if question.get("type") == "category":
            lesson = (question.findtext("category/text") or "").partition("tokenlab/")[2].replace("//", "/")
        elif question.get("type") == "multichoice":
            options = tuple(map(_answer, question.iter("answer")))
            text = spaced(question.findtext("questiontext/text") or "")
            items.append(Item(question.findtext("idnumber") or "", lesson, text, options))
    return items


def _answer(element: Element) -> Answer:
    named = re.search(r"Misconception (\d+):", element.findtext("feedback/text") or "")
    right = element.get("fraction") == "100"
    return Answer(spaced(element.findtext("text") or ""), right, int(named[1]) if named and not right else 0)


def spaced(html: str) -> str:
    """Return the text of HTML, with a space where a cell or a block ends.

    >>> spaced("<table><tr><td>a<td>b</table><p>c</p>d")
    'a b c d'
    """
    return plain(re.sub(r"<(?=/?(?:p|div|td|th|tr|table|li|ul|br)\b)", " <", html))


def _forms(text: str) -> Iterator[str]:
    """Yield the text as written, without an apostrophe against formulas, and as the text of HTML."""
    yield text
    yield text.removeprefix("'")
    yield unescape(text)
    yield plain(text)


def _squeezed(text: str) -> str:
    return "".join(text.split())


def _letters(text: str) -> str:
    return "".join(character for character in text.casefold() if character.isalnum())


@dataclass
class Responses:
    """The answers of a quiz: for each question of the bank, the option of each student; and what was left out."""

    chosen: dict[Item, dict[int, Answer]] = field(default_factory=lambda: defaultdict(dict))
    problems: list[str] = field(default_factory=list)
    students: int = 0


def read_responses(path: Path, bank: list[Item], students: dict[tuple[str, ...], int] | None = None) -> Responses:
    """Read a CSV file of responses. A row or cell that cannot be used becomes a problem, without its content.

    Args:
        path: the file.
        bank: the questions.
        students: the numbers of students in other files; new students are added.
    """
    result = Responses()
    students = {} if students is None else students
    rows = _rows(path, result.problems)
    columns = _columns(rows[0][1]) if rows else {}
    if not columns.get("response"):
        result.problems.append(
            f"{path.name} has no column 'Response 1' (or 'Antwort 1'); download the report Responses of the quiz as CSV"
        )
        return result
    header = [title.strip().casefold() for title in rows[0][1]]
    matcher = _Matcher(bank, columns, [row for _, row in rows[1:] if len(row) == len(header)])
    seen: dict[tuple[str, ...], int] = {}
    for line, row in rows[1:]:
        if len(row) != len(header):
            cells = f"it has {len(row)} cells, and the header has {len(header)}"
            result.problems.append(f"line {line}: {cells}; left out")
        elif not any(row[place].strip() not in NO_ANSWER for place in columns["response"].values()):
            result.problems.append(f"line {line}: no response; left out")
        elif (who := _identity(header, row, path, line)) in seen:
            result.problems.append(f"line {line}: a second attempt of the student of line {seen[who]}; left out")
        else:
            seen[who] = line
            _take(result, matcher, columns, line, row, students.setdefault(who, len(students)))
    result.students = len(seen)
    return result


def _rows(path: Path, problems: list[str]) -> list[tuple[int, list[str]]]:
    """Return the rows of a CSV file with their line numbers, with the delimiter that finds most columns."""
    try:
        content = path.read_bytes()
    except OSError as error:
        problems.append(f"{path.name} cannot be read: {error.strerror}")
        return []
    text = _decoded(content).replace("\0", "")
    tables = [_table(text, delimiter) for delimiter in ",;\t"]
    return max(tables, key=lambda rows: sum(map(len, _columns(rows[0][1]).values())) if rows else -1)


def _decoded(content: bytes) -> str:
    for encoding in ("utf-16", "utf-8-sig", "cp1252"):
        if encoding != "utf-16" or content[:2] in (b"\xff\xfe", b"\xfe\xff"):
            try:
                return content.decode(encoding)
            except UnicodeDecodeError:
                continue
    return content.decode("utf-8", "replace")


def _table(text: str, delimiter: str) -> list[tuple[int, list[str]]]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    rows: list[tuple[int, list[str]]] = []
    try:
        for row in reader:
            if row:
                rows.append((reader.line_num, row))
    except csv.Error as error:
        rows.append((reader.line_num, [f"not CSV: {error}"]))  # has too few cells and is listed
    return rows


def _columns(header: Iterable[str]) -> dict[str, dict[int, int]]:
    """Return, for each kind of column, the place of each question's column."""
    found: dict[str, dict[int, int]] = defaultdict(dict)
    for place, title in enumerate(header):
        for kind, pattern in COLUMNS.items():
            if number := pattern.fullmatch(title.strip()):
                found[kind].setdefault(int(number[1]), place)
    return found


def _identity(header: list[str], row: list[str], path: Path, line: int) -> tuple[str, ...]:
    """Return the values by which a student is recognized; without such columns, the row."""
    for names in IDENTITIES:
        values = tuple(value.strip() for title, value in zip(header, row, strict=True) if title in names)
        if any(values):
            return values
    return (str(path), str(line))


def _take(
    result: Responses, matcher: _Matcher, columns: dict[str, dict[int, int]], line: int, row: list[str], student: int
) -> None:
    for number, place in columns["response"].items():
        response = row[place].strip()
        if response in NO_ANSWER:
            continue
        item, reason = matcher.item(number, row)
        option = item.option(response) if item else None
        if item and option:
            result.chosen[item][student] = option
        else:
            reason = reason or "the response is no option of the question in the bank"
            result.problems.append(f"line {line}, response {number}: {reason}; left out")


class _Matcher:
    """Finds the question of the bank that a column of a row is about."""

    def __init__(self, bank: list[Item], columns: dict[str, dict[int, int]], rows: list[list[str]]) -> None:
        self.bank, self.columns = bank, columns
        self.by_text = sorted(((_letters(item.text), item) for item in bank), key=lambda both: -len(both[0]))
        self.known: dict[tuple[int, str], tuple[Item | None, str]] = {}
        self.responses = {
            number: {row[place].strip() for row in rows} - NO_ANSWER for number, place in columns["response"].items()
        }

    def item(self, number: int, row: list[str]) -> tuple[Item | None, str]:
        """Return the question, or None and a reason."""
        text, right = (
            row[self.columns[kind][number]].strip() if number in self.columns[kind] else ""
            for kind in ("question", "right")
        )
        key = (number, text or right)
        if key not in self.known:
            self.known[key] = self._by_question(text, right) if text else self._by_answers(number, right)
        return self.known[key]

    def _by_question(self, text: str, right: str) -> tuple[Item | None, str]:
        """Moodle writes the text of the question, a colon and the options."""
        forms = [_letters(form) for form in _forms(text)]
        found = [item for said, item in self.by_text if said and any(form.startswith(said) for form in forms)]
        longest = [item for item in found if len(_letters(item.text)) == len(_letters(found[0].text))]
        return self._only(longest, right, "the text is that of no question in the bank")

    def _by_answers(self, number: int, right: str) -> tuple[Item | None, str]:
        """Without the text, the right answer and all responses have to be options of a single question."""
        wanted = self.responses[number] | ({right} if right else set())
        found = [item for item in self.bank if all(item.option(one) for one in wanted)]
        return self._only(found, right, "no question in the bank has these responses as options")

    @staticmethod
    def _only(found: list[Item], right: str, otherwise: str) -> tuple[Item | None, str]:
        if right:
            found = [item for item in found if (option := item.option(right)) and option.right]
        if len(found) == 1:
            return found[0], ""
        several = "several questions of the bank fit; download the report with the text of the question"
        return None, several if found else otherwise
