"""The class of assignment 1: a submission for each wrong program, other styles, and accidents."""

from __future__ import annotations

from collections.abc import Iterator

from course.assignment import Assignment
from course.submissions import (
    Sheet,
    Submission,
    answered,
    deleting,
    everything_right,
    in_style,
    of_another,
    own_cell,
    ungraded,
    untouched,
    writing,
    wrong,
)


def submissions(assignment: Assignment) -> Iterator[Submission]:
    """Yield the submissions of the class."""
    yield everything_right()
    yield untouched(assignment)
    for task, programs in assignment.programs.WRONG.items():
        for program in programs:
            yield wrong(assignment, (task, program))
    yield answered("overlap_count", _overlap_count, "trace-left")
    for style in range(3):
        yield in_style(assignment, style)
    yield from _accidents(assignment)


def _overlap_count(sheet: Sheet) -> None:
    """Expect that a merge joins every pair that is counted, also overlapping ones."""
    left = "len(my.word) + 1 - sum(pair == first_pair for pair in zip(my.word, my.word[1:]))"
    sheet.write("trace", f"{sheet.read('trace')}\nsymbols_left = {left}")


def _accidents(assignment: Assignment) -> Iterator[Submission]:
    """Yield submissions with accidents: deleted or repeated cells, endless loops, damaged files."""
    yield answered("every cell twice", _duplicate)
    yield answered("an untouched copy below the answer", _untouched_copy)
    yield answered("deleted the answer", deleting("learn_merges", slice(0, 1)), *assignment.cells_of("learn_merges"))
    yield answered("deleted the tests", deleting("encode_piece", slice(1, None)))
    yield answered("deleted both", deleting("encode_text", slice(None)), *assignment.cells_of("encode_text"))
    for task, what, source in MISTAKES:
        yield answered(what, writing(task, source), *assignment.cells_of(task))
    yield answered("an endless cell", own_cell("encode_text", "while True:\n    pass"))
    yield answered("edits the tests", _edit_tests, *assignment.cells_of("encode_text"))
    yield answered("redefines any and sum", own_cell("learn_merges", "any = sum = all = frozenset = 0"))
    yield of_another(assignment)
    yield answered("ends Python", own_cell("encode_text", "import os\nos._exit(1)"))
    yield ungraded("no notebook", lambda sheet: sheet.replace("Dear professor, here is my text."))
    yield ungraded("an empty file", lambda sheet: sheet.replace(""))
    yield ungraded("another name", lambda sheet: sheet.rename(f"{assignment.name}-Copy1.ipynb"))


MISTAKES = (
    (
        "undo_byte_symbols",
        "an endless loop",
        """
def undo_byte_symbols(damaged):
    while True:
        damaged += ''""",
    ),
    (
        "learn_merges",
        "calls tokenlab",
        """
from tokenlab.algorithms.bpe.train import train

def learn_merges(word_counts, number):
    words = {(*word, '$'): count for word, count in word_counts.items()}
    return train(words, len({symbol for word in words for symbol in word}) + number)""",
    ),
    (
        "encode_piece",
        "calls tokenizers",
        """
def encode_piece(piece, merges):
    from tokenizers import Tokenizer, models

    tokens = {token: id for id, token in enumerate([*piece, *map(''.join, merges)])}
    return Tokenizer(models.BPE(tokens, sorted(merges, key=merges.get))).encode(piece).tokens""",
    ),
    (
        "undo_byte_symbols",
        "prints",
        """
def undo_byte_symbols(damaged):
    print('the text')""",
    ),
    (
        "encode_piece",
        "a syntax error",
        """
def encode_piece(piece, merges)
    return []""",
    ),
)


def _duplicate(sheet: Sheet) -> None:
    for task in sheet.assignment.programs.WRONG:
        for position in reversed(sheet.places(task)):
            sheet.repeat(position)


def _untouched_copy(sheet: Sheet) -> None:
    position = sheet.places("undo_byte_symbols")[0]
    sheet.repeat(position).source = sheet.untouched.cells[position].source


def _edit_tests(sheet: Sheet) -> None:
    sheet.write("encode_text", "def encode_text(text, ids, special, allowed):\n    return []")
    for position in sheet.places("encode_text")[1:]:
        sheet.notebook.cells[position].source = "pass"
