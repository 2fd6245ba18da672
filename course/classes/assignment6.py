"""The class of assignment 6: a wrong program for each task in one sheet, other styles, and a few accidents.

The class of the last task usually calls the functions of the other tasks. In a sheet with wrong functions it does not,
so that each sheet shows which points a wrong function costs in its own task; one submission shows the other case. The
class of assignment 1 has the accidents that concern a notebook as a whole.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from typing import Any

from course.assignment import Assignment
from course.submissions import (
    Sheet,
    Submission,
    answered,
    combined,
    everything_right,
    in_style,
    own_cell,
    untouched,
    writing,
    writing_each,
    wrong,
)

WHOLE = "OwnTokenizer"
STUDENT = ("learn_pairs-ties", "cut_special-space")  # the cells with a rule that depends on the id
RULES = {"ties": ("smallest", "largest", "shortest", "longest"), "space": ("after", "before")}


def submissions(assignment: Assignment) -> Iterator[Submission]:
    """Yield the submissions of the class."""
    yield everything_right()
    yield untouched(assignment)
    yield from _wrong_programs(assignment)
    for style in range(3):
        yield in_style(assignment, style)
    by_id = (*STUDENT, *assignment.cells_of("trace"))
    yield answered("the id of another", _copy_the_id, *by_id)
    yield answered("no id", writing("student_id", "student_id = ..."), *by_id, *LOST_WITHOUT_ID)
    yield answered("functions of another", _copy_the_functions, *STUDENT)
    yield answered("changes the rules", _change_the_rules, *STUDENT)
    yield answered("every misconception by hand", _by_hand, *LOST_BY_HAND)
    yield answered("calls libraries", writing_each(BORROWED), *assignment.cells_of(*BORROWED))
    parts = [answered(what, writing(task, source), *assignment.cells_of(task)) for what, task, source in ACCIDENTS]
    yield combined(*parts, answered("a class on its own", _write_whole_class))
    yield answered("a mistake in a function costs points of the class", _wrong_part, *LOST_WITH_A_WRONG_PART)
    yield answered("a function in place of the class", writing(WHOLE, FUNCTION), *assignment.cells_of(WHOLE))
    yield answered("an endless loop in a method", _endless_method, f"{WHOLE}-learn", f"{WHOLE}-load")
    yield answered("prints on the way", _print_on_the_way)
    yield answered("a cell of the student's own with an error in it", own_cell("merge_word", "1 / 0"))
    yield answered("a cell twice", lambda sheet: sheet.repeat(sheet.places(WHOLE)[0]) and None)


def _wrong_programs(assignment: Assignment) -> Iterator[Submission]:
    tasks = ([(task, program) for program in programs] for task, programs in assignment.programs.WRONG.items())
    for row in zip_longest(*tasks):
        together = [one for one in row if one]
        submission = wrong(assignment, *together)
        if WHOLE in dict(together):
            yield submission
        else:
            yield Submission(
                submission.what, combined(submission, answered("", _write_whole_class)).edit, submission.lost
            )


def _write_whole_class(sheet: Sheet) -> None:
    """Write a class that calls none of the functions in the sheet."""
    sheet.write_program(WHOLE, sheet.assignment.programs.RIGHT[WHOLE][0])


def _copy_the_id(sheet: Sheet) -> None:
    copied = sheet.assignment.answers("somebody else")
    for cell in ("student_id", "trace"):
        sheet.write(cell, copied[cell])


def _another_rule(sheet: Sheet, name: str) -> str:
    """Return a rule that is not the one of this student."""
    own: dict[str, Any] = sheet.assignment.sheet({"student_id": f"student_id = {sheet.student!r}"})["mine"]
    return next(rule for rule in RULES[name] if rule != own[name])


def _copy_the_functions(sheet: Sheet) -> None:
    """Write functions with the rules of another student."""
    for task, name in (("learn_pairs", "ties"), ("cut_special", "space")):
        sheet.write(task, sheet.read(task).replace(f'mine["{name}"]', repr(_another_rule(sheet, name))))


def _change_the_rules(sheet: Sheet) -> None:
    """Change the rules in an additional cell."""
    rules = {name: _another_rule(sheet, name) for name in RULES}
    sheet.insert(sheet.places("cut_words")[0], f"mine = {rules}")


LOST_WITHOUT_ID = (
    *("learn_pairs-counting", "learn_pairs-merging", "learn_pairs-end", "cut_special-matching", "cut_special-text"),
    *("OwnTokenizer-ids", "OwnTokenizer-order", "OwnTokenizer-learn"),
)
LOST_WITH_A_WRONG_PART = ("cut_words-spaces", "OwnTokenizer-order", "OwnTokenizer-learn")
LOST_BY_HAND = ("trace-pieces", "trace-new_tokens", "trace-encoded", "trace-shown", "trace-size")


def _by_hand(sheet: Sheet) -> None:
    """Join spaces to the left, count once, take long tokens first, decode parts alone, and count characters."""
    mine = (
        "pieces = my['text'].split()",
        "new_tokens = [new_tokens[1], new_tokens[0], new_tokens[2]]",
        "encoded = [my['word'][:2], my['word'][2:]]",
        "shown = [part.decode(errors='replace') for part in my['stream']]",
        "size = len(my['greeting'])",
    )
    sheet.write("trace", "\n".join([sheet.read("trace"), *mine]))


def _wrong_part(sheet: Sheet) -> None:
    sheet.write_program("cut_words", sheet.assignment.programs.space_of_the_next)


def _endless_method(sheet: Sheet) -> None:
    """Write a class whose `save` does not end; two tests call it."""
    sheet.write(WHOLE, sheet.read(WHOLE).replace("return pairs_to_file(self.pairs)", "while True:\n            pass"))


def _print_on_the_way(sheet: Sheet) -> None:
    for task in ("cut_words", "merge_word", "ids_to_text"):
        before, colon, rest = sheet.read(task).partition('"""\n')
        sheet.write(task, f"{before}{colon}    print('called')\n{rest}")


BORROWED = {
    "cut_words": """
from tokenlab.algorithms.text.pretokenize import split_gpt2

def cut_words(text):
    return list(split_gpt2(text))""",
    "learn_pairs": """
def learn_pairs(word_counts, number):
    from tokenlab.algorithms.bpe.train import train

    return train(word_counts, 256 + number)""",
    "merge_word": """
import tiktoken

def merge_word(word, pairs):
    ranks = {bytes([byte]): byte for byte in range(256)}
    ranks |= {left + right: 256 + number for number, (left, right) in enumerate(pairs)}
    encoding = tiktoken.Encoding("own", pat_str=".+", mergeable_ranks=ranks, special_tokens={})
    return encoding.decode_tokens_bytes(encoding.encode(word.decode()))""",
    "OwnTokenizer": """
import tiktoken

class OwnTokenizer:
    def __init__(self, special):
        self.encoding = tiktoken.get_encoding("gpt2")

    def learn(self, text, number):
        return number

    def encode(self, text):
        return tiktoken.get_encoding("gpt2").encode(text)

    def decode(self, ids):
        return self.encoding.decode(ids)

    def save(self):
        return ""

    def load(self, file):
        return True""",
}

PRINTING = """
def ids_to_text(ids, tokens):
    print(b"".join(tokens[id] for id in ids).decode())"""
GENERATOR = """
def shown_words(ids, tokens):
    for id in ids:
        yield tokens[id].decode()"""
CHANGING = """
def pairs_to_file(pairs):
    lines = [f"merges {len(pairs)}"]
    pairs.append((b"", b""))
    while len(pairs) > 1:
        pairs.pop()
        lines.append(" ".join(part.hex() for part in pairs[-1]))
    return "".join(f"{line}\\n" for line in lines)"""
ACCIDENTS = (
    ("a syntax error", "cut_words", "def cut_words(text)\n    return [text]"),
    ("an endless loop", "merge_word", "def merge_word(word, pairs):\n    while True:\n        pass"),
    ("another parameter", "cut_special", "def cut_special(text):\n    return [(text, None)]"),
    ("a generator", "shown_words", GENERATOR),
    ("prints in place of return", "ids_to_text", PRINTING),
    ("raises", "file_to_pairs", "def file_to_pairs(text):\n    raise ValueError('line 1')"),
    ("changes its argument", "pairs_to_file", CHANGING),
    ("a class in place of the function", "learn_pairs", "class learn_pairs:\n    pass"),
)
FUNCTION = "def OwnTokenizer(special):\n    return special"
