"""The class of assignment 4: a wrong program for each task in one sheet, other styles, and a few accidents.

The tasks are independent, so one sheet shows 7 wrong programs. The class of assignment 1 has the accidents that
concern a notebook as a whole; here are some with a task that is a class.
"""

from __future__ import annotations

from collections.abc import Iterator

from course.assignment import Assignment
from course.submissions import Sheet, Submission, answered, of_another, one_of_each, own_cell, writing, writing_each


def submissions(assignment: Assignment) -> Iterator[Submission]:
    """Yield the submissions of the class."""
    yield from one_of_each(assignment)
    yield answered("every misconception by hand", _by_hand, *LOST_BY_HAND)
    yield answered("calls libraries", writing_each(BORROWED), *assignment.cells_of(*BORROWED))
    yield of_another(assignment)
    for what, (task, source) in ACCIDENTS.items():
        yield answered(what, writing(task, source), *assignment.cells_of(task))
    yield answered("leaves the last line of reset unchanged", _leave_the_dots)
    yield answered("prints in every method", writing("PatientPhrase", PRINTING))
    yield answered("a new cell with an error in it", own_cell("grow_beams", "1 / 0"))
    yield answered("cells twice", _double)


LOST_BY_HAND = "trace-kept", "trace-winner", "trace-choices", "trace-there", "trace-spelled", "trace-read"


def _by_hand(sheet: Sheet) -> None:
    """Answer with a token too few, the highest sum, one penalty, a second try, one spelling, and two start tokens."""
    mine = (
        "kept = kept[:-1]",
        "winner = my.sums.index(max(my.sums))",
        "choices = [*choices[:3], choices[2]]",
        "there = [len(my.phrase)] * len(my.tokens)",
        "spelled = 1",
        "read = [[0, *ids] for ids in my.begun]",
    )
    sheet.write("trace", "\n".join([sheet.read("trace"), *mine]))


def _leave_the_dots(sheet: Sheet) -> None:
    """Write the body of reset above the line `return ...`; no test compares the return value."""
    before, line, rest = sheet.read("PatientPhrase").partition("        self.there = self.waited = 0\n")
    assert rest.startswith("        return None\n")
    sheet.write("PatientPhrase", before + line + rest.partition("\n")[2])


def _double(sheet: Sheet) -> None:
    """Copy the cells of the class and of a function below themselves, as the editor's menu does."""
    for task in ("shown_text", "PatientPhrase"):
        sheet.repeat(sheet.places(task)[0])


BORROWED = {
    "grow_beams": """
from tokenlab.algorithms.decoding.beam_search import select_beams

def grow_beams(beams, rows, width, ends):
    return select_beams([ids for ids, _ in beams], rows, ends[0])""",
    "PatientPhrase": """
from tokenlab.libraries.transformers.generation import PhrasalConstraint

class PatientPhrase(PhrasalConstraint):
    def __init__(self, phrase, patience):
        super().__init__(phrase)""",
    "shown_text": """
def shown_text(pieces):
    from tokenlab.algorithms.decoding.incremental_utf8 import stream_text

    return stream_text(map(str.encode, pieces))""",
}

ACCIDENTS = {
    "a class with a syntax error": ("PatientPhrase", "class PatientPhrase\n    pass"),
    "a class without its methods": ("PatientPhrase", "class PatientPhrase:\n    pass"),
    "a class with an endless loop": (
        "PatientPhrase",
        """
class PatientPhrase:
    def __init__(self, phrase, patience):
        self.reset()

    def reset(self):
        self.there = 0

    def advance(self):
        return 0

    def remaining(self):
        return 1

    def update(self, token):
        while token:
            pass""",
    ),
    "a function instead of the class": (
        "PatientPhrase",
        "def PatientPhrase(phrase, patience):\n    return phrase",
    ),
}
PRINTING = """
class PatientPhrase:
    def __init__(self, phrase, patience):
        self.phrase, self.patience = list(phrase), patience
        self.reset()

    def reset(self):
        print("reset")
        self.left, self.waited = list(self.phrase), 0

    def advance(self):
        print("advance")
        return self.left[0] if self.left else None

    def remaining(self):
        print("remaining")
        return len(self.left)

    def update(self, token):
        print("update", token)
        broken = False
        if self.left and self.left != self.phrase and token != self.left[0]:
            self.waited += 1
            if self.waited > self.patience:
                self.reset()
                broken = True
        stepped = bool(self.left) and token == self.left[0]
        if stepped:
            del self.left[0]
            self.waited = 0
        return stepped, not self.left, broken"""
