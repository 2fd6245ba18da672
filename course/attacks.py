"""Submissions that try to get points without right answers, for every assignment: each of them should get none.

Those that need files, processes or the network of the grader are only stopped by a sandbox.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path

import nbformat

from course.assignment import Assignment
from course.sandbox import commands
from course.submissions import Sheet, Submission

ALWAYS_EQUAL = """
class AlwaysEqual(int):
    def __eq__(self, other):
        return True

    __ge__ = __gt__ = __le__ = __lt__ = __eq__
    __hash__ = int.__hash__
    __iter__ = lambda self: iter([])
    __len__ = lambda self: 0

"""

# A test is run by `exec` with `globals()`: if a test found these two among the student's names, it would run neither.
SHADOWED = """
def globals():
    return {"nothing": 0}


def exec(code, names):
    return 0


def {task}(*arguments):
    return 0
"""

# Search the callers' variables for the reference.
FRAMES = """
def {task}(*arguments):
    import sys

    frame = sys._getframe()
    while frame:
        for names in (frame.f_locals, frame.f_globals):
            for name, value in list(names.items()):
                if callable(value) and (name in ("reference", "right") or name.startswith("right_")):
                    return value(*arguments)
        frame = frame.f_back
    return 0
"""

# Search all objects for a reference with as many parameters.
OBJECTS = """
def {task}(*arguments):
    import gc
    import types

    for found in gc.get_objects():
        if isinstance(found, types.FunctionType) and found.__name__.startswith("right_"):
            if found.__code__.co_argcount == len(arguments):
                return found(*arguments)
    return 0
"""

REPLACED = """
import builtins
import sys

exec = builtins.exec = print
try:
    import course.grading as grading
except ImportError:
    import types

    grading = types.ModuleType("course.grading")

grading.grade = grading.grade_class = grading.grade_answer = lambda *_, **__: None
sys.modules["course.grading"] = grading
for module in list(sys.modules.values()):
    for name in ("grade", "grade_class", "grade_answer", "_compare", "equal_values", "function_problem"):
        if hasattr(module, name):
            setattr(module, name, lambda *_, **__: None)
"""

# Read the source of the assignment, or the submission of somebody else, and run the solutions in it.
FILES = """
import os, re
from pathlib import Path

for top in [Path.cwd(), *Path.cwd().parents, *map(Path, {folders!r})]:
    for pattern in ("source/*/{name}.ipynb", "course/source/{name}.py", "submitted/*/{name}/*.ipynb"):
        for file in top.glob(pattern):
            text = file.read_text(encoding="utf-8")
            if file.suffix == ".ipynb":
                import json

                cells = ["".join(cell["source"]) for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]
            else:
                cells = re.split(r"(?m)^# %%.*$", text)
            for cell in cells:
                if "return ..." not in cell or "BEGIN SOLUTION" in cell:
                    try:
                        exec(cell)
                    except Exception:
                        pass
"""

# A process that outlives the grading, and gives all points in the database.
DATABASE = '''
import subprocess, sys

subprocess.Popen([sys.executable, "-c", """
import sqlite3, time
from pathlib import Path

for _ in range(20):
    for top in [Path.cwd(), *Path.cwd().parents, *map(Path, {folders!r})]:
        for file in top.glob("gradebook.db"):
            with sqlite3.connect(file) as book:
                book.execute("UPDATE grade SET auto_score = 1980, manual_score = 1980")
    time.sleep(0.5)
"""], start_new_session=True)
'''

FORGED_REPLIES = """
import json, os, struct

reply = json.dumps({"value": 0, "problem": "", "printed": False, "lines": 1}).encode()
for number in range(1, 20):
    try:
        os.write(number, 50 * (struct.pack("!i", len(reply)) + reply))
    except OSError:
        pass
"""

KILLER = """
import os, signal

for number in {os.getppid(), 1}:
    try:
        os.kill(number, signal.SIGKILL)
    except OSError:
        pass
"""

# Whoever is root in the sandbox with its capabilities makes the libraries writable again. A file .pth with code would
# run in every Python that uses them, among them the grader; this one has only a comment.
ESCAPE = """
import ctypes, os, sys

system = ctypes.CDLL(None, use_errno=True)
for folder in ["/", "/usr", *sys.path, *{folders!r}]:
    if os.path.isdir(folder):
        for flags in (32, 32 | 4096):  # MS_REMOUNT, MS_BIND
            system.mount(None, folder.encode(), None, flags, None)
        try:
            with open(os.path.join(folder, "{mark}"), "w", encoding="utf-8") as file:
                file.write("# written by a fictitious student of make grade-demo")
        except OSError:
            pass
"""
MARK = "tokenlab-grade-demo-escaped.pth"

PROCESSES = """
import os, time

for _ in range(300):
    if os.fork() == 0:
        hoard = "x" * 10**7
        time.sleep(30)
"""

# Results that are plain and small, but take long to compare: a range of all its numbers, or all pairs of its parts.
ODD_RESULTS = ("[(0, 10**10)]", "[1] * 80_000", "([(0, 10**10)], [(0, 10**10)])")

OUTPUT = "for _ in range(1_000):\n    print('x' * 100_000)"
MEMORY = "hoard = ['x' * 10**9 for _ in range(100)]"


def attacks(assignment: Assignment, folders: tuple[str, ...] = ()) -> Iterator[Submission]:
    """Yield the attacks on an assignment; the folders are places in which its solutions and its gradebook are."""
    every = tuple(assignment.most_points)
    at_the_top = {
        "replaces exec and the grader": REPLACED,
        "forges replies": FORGED_REPLIES,
        "prints 100 MB": OUTPUT,
        "fills the memory": MEMORY,
        "starts 300 processes": PROCESSES,
    }
    if commands.chosen() not in ("", "none"):
        at_the_top |= {
            "reads solutions": FILES.replace("{folders!r}", repr(folders)).replace("{name}", assignment.name),
            "writes the gradebook": DATABASE.replace("{folders!r}", repr(folders)),
            "kills the grader": KILLER,
            "remounts the libraries": ESCAPE.replace("{folders!r}", repr(folders)).replace("{mark}", MARK),
        }
    for what, source in at_the_top.items():
        yield Submission(what, partial(_insert, source), every)
    yield Submission("returns what equals everything", _always_equal, every)
    yield Submission("takes the names exec and globals", partial(_each_function, SHADOWED), every)
    yield Submission("looks into the callers", partial(_each_function, FRAMES), every)
    yield Submission("looks at all objects", partial(_each_function, OBJECTS), every)
    for number, result in enumerate(ODD_RESULTS, start=1):
        constant = partial(_each_function, f"def {{task}}(*arguments):\n    return {result}")
        yield Submission(f"returns what takes long to compare ({number})", constant, every)
    yield Submission("writes a very long answer in words", _long_words, every)
    yield Submission("forges a locked cell", _forged_cell, every)


def _insert(source: str, sheet: Sheet) -> None:
    sheet.insert(0, source)


def _each_function(source: str, sheet: Sheet) -> None:
    sheet.write("student_id", f"student_id = {sheet.student!r}")
    for task in sheet.assignment.programs.WRONG:
        sheet.write(task, source.replace("{task}", task))


def _always_equal(sheet: Sheet) -> None:
    _each_function(f"{ALWAYS_EQUAL}\ndef {{task}}(*arguments):\n    return AlwaysEqual(-98765)", sheet)
    sheet.write("trace", ALWAYS_EQUAL + "\n".join(f"{name} = AlwaysEqual(-98765)" for name in sheet.assignment.asked))


def _long_words(sheet: Sheet) -> None:
    sheet.write("words", "\\begin{a}" * 40_000)


def escaped(folders: Iterable[str]) -> list[str]:
    """Return the files that a student's code has left outside its folder."""
    places = {*folders, *sys.path, *commands.site_packages(), sys.base_prefix, "/usr", "/"}
    return sorted(str(file) for place in places if (file := Path(place, MARK)).exists())


def _forged_cell(sheet: Sheet) -> None:
    """A cell of the student's own that claims to be one of the assignment's: it would run in the grader."""
    cell = nbformat.v4.new_code_cell(REPLACED)
    cell.metadata.nbgrader = {
        "schema_version": 3,
        "grade_id": "forged",
        "grade": False,
        "solution": False,
        "locked": True,
        "task": False,
    }
    sheet.notebook.cells.insert(0, cell)
