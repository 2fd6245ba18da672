"""The class of assignment 5: a wrong program for each task in one sheet, other styles, and a few accidents.

The tasks are independent, so one sheet shows a wrong program of each. The class of assignment 1 has the accidents that
concern a notebook as a whole.
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
    yield answered("prints the spans", writing("fold_text", PRINTING))
    yield answered("a new cell with an error in it", own_cell("fold_text", "1 / 0"))
    yield answered("a cell twice", lambda sheet: sheet.repeat(sheet.places("full_windows")[0]) and None)


LOST_BY_HAND = "trace-offsets", "trace-span", "trace-windows", "trace-parts", "trace-types", "trace-tags"


def _by_hand(sheet: Sheet) -> None:
    """Answer with a span for each byte, normalized positions, a wrong stride, and no added whitespace."""
    mine = (
        "offsets = [(position, position + 1) for position in range(len(offsets))]",
        "span = my.covered",
        "windows = [(start, start + my.size) for start in range(0, my.length, my.stride)]",
        "parts = ['[M]' if '[M]' in part else part for part in parts]",
        "types = [0] * (my.first + 1) + [1] * (my.second + 2)",
        "tags = [my.labels[start] for start, end in my.spans]",
    )
    sheet.write("trace", "\n".join([sheet.read("trace"), *mine]))


BORROWED = {
    "fold_text": """
from tokenlab.libraries.tokenizers import NormalizedString, normalizers

def fold_text(text, replacements):
    normalized = NormalizedString(text)
    normalizers.BertNormalizer().normalize(normalized)
    return normalized.normalized, [(position, position + 1) for position in range(len(normalized.normalized))]""",
    "split_beside": """
from tokenlab.libraries.tokenizers import pre_tokenizers

def split_beside(text, delimiters):
    return pre_tokenizers.Split(delimiters, "merged_with_previous").pre_tokenize_str(text)""",
    "full_windows": """
def full_windows(length, size, stride):
    from tokenlab.algorithms.pipeline.truncate import overflow_windows

    return overflow_windows(length, size, stride)""",
    "split_tokens": """
from tokenlab.algorithms.pipeline.added_tokens import AddedTokenRule, split_added_tokens

def split_tokens(text, tokens):
    rules = {token: AddedTokenRule(0, lstrip=left, rstrip=right) for token, (left, right) in tokens.items()}
    return [(text[start:end], id) for start, end, id in split_added_tokens(text, rules)]""",
}

ACCIDENTS = {
    "a syntax error": ("best_window", "def best_window(windows, position)\n    return 0"),
    "an endless loop": ("full_windows", "def full_windows(length, size, stride):\n    while True:\n        pass"),
    "another parameter": ("fold_text", "def fold_text(text):\n    return text, []"),
    "spans without the text": (
        "fold_text",
        "def fold_text(text, replacements):\n    return [(position, position + 1) for position in range(len(text))]",
    ),
    "a generator": ("full_windows", "def full_windows(length, size, stride):\n    yield 0, length"),
}
PRINTING = """
def fold_text(text, replacements):
    import re
    from unicodedata import combining

    new, spans, marks = "", [], "".join(filter(combining, text))
    for found in re.finditer(rf"\\s+|.[\\u0300{marks}]*", text, re.S):
        letter = found[0][0]
        if combining(letter) or (letter.isspace() and (found.start() == 0 or found.end() == len(text))):
            continue
        for one in " " if letter.isspace() else replacements.get(letter, letter):
            new += one
            spans.append(found.span())
            print(one, spans[-1])
    return new, spans"""
