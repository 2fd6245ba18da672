"""A student's code in another process: plain values, limits, and what it cannot reach."""

from __future__ import annotations

import ast
import doctest
import json
import math
import sys
from collections import Counter, OrderedDict, defaultdict, namedtuple
from collections.abc import Iterator
from enum import IntEnum
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from course import grading
from course.sandbox import commands, gradable, probe, process, remote, runner, seccomp, values
from course.sandbox.gradable import LIBRARIES
from course.sandbox.process import Limits, StudentProcess
from course.sandbox.remote import Opaque, variables_of
from course.sandbox.seccomp import program
from course.sandbox.values import NotPlainError, decode, encode
from tests import skips
from tokenlab.check.isolated_run import MAX_LINES, Outcome, RemoteCallError

LETTERS = st.text(st.characters(codec=None), max_size=5)
NUMBERS = st.one_of(st.integers(), st.floats(allow_nan=False), st.booleans(), st.fractions())
KEYS = st.one_of(st.none(), NUMBERS, LETTERS, st.binary(max_size=5))
PLAIN = st.recursive(
    st.one_of(KEYS, st.sets(KEYS, max_size=3), st.frozensets(KEYS, max_size=3), st.just(...)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.lists(inner, max_size=3).map(tuple), st.dictionaries(KEYS, inner, max_size=3)
    ),
    max_leaves=8,
)
SHORT = Limits(per_cell=1, per_call=1, waiting=60)
SYSTEMS = ["none", *(["bwrap"] if commands.chosen() == "bwrap" else [])]


@pytest.fixture(params=SYSTEMS)
def student(request: pytest.FixtureRequest) -> Iterator[StudentProcess]:
    with StudentProcess(limits=SHORT, sandbox=request.param) as started:
        yield started


def after(student: StudentProcess, *cells: str) -> dict[str, Any]:
    """The variables after these cells, none of which has an error."""
    for number, source in enumerate(cells):
        reply = student.cell(source, number)
        assert reply["error"] is None, reply
    return variables_of(student, " ".join(cells))


# --- values ------------------------------------------------------------------------------------------


@given(PLAIN)
def test_plain_values_arrive_as_they_were_sent_with_their_types(value: Any) -> None:
    arrived = decode(json.loads(json.dumps(encode(value))))
    assert repr(arrived) == repr(value) or arrived == value
    assert type(arrived) is type(value)


@pytest.mark.parametrize("text", ["\ud83d\ude00", "😀", "\ud800", "\udc00\ud800", "a\x00b", "\r\n"])
def test_surrogates_stay_what_they_are(text: str) -> None:
    assert list(decode(json.loads(json.dumps(encode(text))))) == list(text)


def test_subclasses_become_the_plain_type() -> None:
    class Text(str):
        def __eq__(self, other: object) -> bool:
            return True

        __hash__ = str.__hash__

    colour = IntEnum("colour", "RED")
    pair = namedtuple("pair", "left right")
    sent = [Counter("aab"), OrderedDict(a=1), defaultdict(int, b=2), colour(1), pair(1, 2), Text("x"), 2**70, True]
    arrived = decode(encode(sent))
    assert arrived == [{"a": 2, "b": 1}, {"a": 1}, {"b": 2}, 1, (1, 2), "x", 2**70, True]
    assert [type(value) for value in arrived] == [dict, dict, dict, int, tuple, str, int, bool]
    assert math.isnan(decode(encode(float("nan"))))
    assert decode(encode(Fraction(10**30, 3))) == Fraction(10**30, 3)


def test_other_objects_are_not_sent() -> None:
    loop: list[Any] = []
    loop.append(loop)
    for value in (object(), loop, [range(3)], {1: print}, 1j):
        with pytest.raises(NotPlainError):
            encode(value)


@pytest.mark.parametrize(
    "sent",
    [{}, {"a": 1, "b": 2}, {"object": 1}, {"tuple": 5}, {"bytes": "é"}, {"dict": [[[], 1]]}, {"fraction": ["1", "0"]},
     {"codes": [-1]}, {"codes": [2**40]}, {"tensor": ["float32", [3], [1.0]]}, {"tensor": ["complex64", [1], [1]]},
     {"set": [[1]]}, {"hex": "zz"}, {"tuple": {"tuple": 3}}],
)  # fmt: skip
def test_a_forged_value_is_refused(sent: Any) -> None:
    with pytest.raises(NotPlainError):
        decode(sent)


# --- calls -------------------------------------------------------------------------------------------


def test_a_function_is_called_there_and_its_problems_are_told(student: StudentProcess) -> None:
    names = after(
        student,
        "def twice(items):\n    return items + items",
        "def broken(items):\n    items.append(1)\n    return items",
        "def wrong(items):\n    return items[7]",
        "def forever(items):\n    while True:\n        pass",
    )
    assert names["twice"].run_there(([1, "é"],), MAX_LINES, False) == Outcome([1, "é", 1, "é"])
    assert names["twice"]((1,)) == (1, 1)
    assert "changes its argument items" in names["broken"].run_there(([],), MAX_LINES, False).problem
    problem = names["wrong"].run_there(([],), MAX_LINES, False).problem
    assert problem == "raises IndexError: list index out of range, in line 2: return items[7]"
    assert "does not end" in names["forever"].run_there(([],), 10_000, False).problem
    with pytest.raises(RemoteCallError, match="IndexError"):
        names["wrong"]([])


def test_an_object_of_a_class_keeps_its_state_there(student: StudentProcess) -> None:
    source = """
class Sum:
    def __init__(self, start):
        self.total = start
    def add(self, more):
        self.total += more
    def get(self):
        return self.total
"""
    counter = after(student, source)["Sum"](3)
    assert counter.add(4) is None
    assert counter.get() == 7
    with pytest.raises(RemoteCallError, match="takes 2 positional arguments"):
        counter.add(1, 2)


def test_values_are_read_and_other_objects_are_opaque(student: StudentProcess) -> None:
    names = after(
        student,
        "a = [(1, 2)]\nb = object()\nclass E:\n    def __eq__(self, o): return True\nc = [E()]\nimport re\n_d = 1",
    )
    assert names["a"] == [(1, 2)]
    assert isinstance(names["b"], Opaque) and names["c"] != [1]
    assert {*names} == {"a", "b", "c", "E"}


def test_a_cell_shows_what_it_prints_its_last_value_and_its_error(student: StudentProcess) -> None:
    assert student.cell("print('é')\n[1, 2]", 1) == {"printed": "é\n[1, 2]\n", "error": None}
    error = student.cell("x = 1\nx / 0", 2)["error"]
    assert (error["name"], error["message"]) == ("ZeroDivisionError", "division by zero")
    assert "x / 0" in error["traceback"] and "runner.py" not in error["traceback"]
    assert student.cell("def f(:", 3)["error"]["name"] == "SyntaxError"
    assert student.cell("%timeit x\n!ls\ny = 2\ny", 4) == {"printed": "2\n", "error": None}
    printed = student.cell("print('x' * 10**7)", 5)["printed"]
    assert printed.startswith("x" * 10_000 + "\n(The rest was cut") and len(printed) < 10_100


@pytest.mark.slow
def test_a_cell_that_ends_python_or_never_ends_is_left_out_and_the_others_count(student: StudentProcess) -> None:
    assert student.cell("kept = 1", 1)["error"] is None
    assert "ends Python itself" in student.cell("import os\nos._exit(0)", 2)["error"]["message"]
    assert "1 seconds of processor time" in student.cell("while True:\n    pass", 3)["error"]["message"]
    assert student.cell("later = kept + 1", 4)["error"] is None
    assert variables_of(student, "kept later exec _") == {"kept": 1, "later": 2}


@pytest.mark.slow
def test_a_call_that_never_ends_in_c_is_stopped_and_not_called_a_third_time(student: StudentProcess) -> None:
    names = after(student, "def power(n):\n    return n ** n ** n", "def fine(n):\n    return n")
    for _ in range(2):
        assert "1 seconds of processor time" in names["power"].run_there((50,), MAX_LINES, False).problem
    assert "stopped twice" in names["power"].run_there((1,), MAX_LINES, False).problem
    assert names["fine"].run_there((1,), MAX_LINES, False).value == 1


def test_memory_is_limited(student: StudentProcess) -> None:
    assert student.cell("hoard = 'x' * 10**10", 1)["error"]["name"] == "MemoryError"


def test_a_process_that_closes_its_streams_or_forges_replies_has_a_problem(student: StudentProcess) -> None:
    source = """
import os
def forge(n):
    for number in range(3, 9):
        try:
            os.close(number)
        except OSError:
            pass
    return n
"""
    names = after(student, source)
    assert names["forge"].run_there((1,), MAX_LINES, False).problem
    assert variables_of(student, "forge")["forge"]


# --- grading -----------------------------------------------------------------------------------------


def test_grade_says_the_same_as_for_a_function_of_this_process(student: StudentProcess) -> None:
    source = "def reverse(word):\n    return word[::-1]"
    local: dict[str, Any] = {}
    exec(source, local)
    remote = after(student, source)["reverse"]
    said = []
    for function in (local["reverse"], remote):
        grading.grade(function, lambda word: word[::-1], st.tuples(st.text("ab")), "", tried=20)
        with pytest.raises(AssertionError) as error:
            grading.grade(function, lambda word: word, st.tuples(st.text("ab")), "The word stays.")
        said.append(str(error.value))
    assert said[0] == said[1] == "reverse('ab') gives 'ba'. The rule: The word stays."


def test_what_is_not_written_or_uses_a_library_gets_no_points(student: StudentProcess) -> None:
    names = after(
        student,
        "def empty(word):\n    return ...",
        "from tokenlab.algorithms.bpe.train import merge\ndef borrowed(word):\n    return merge(word, 1)",
        "import tokenizers\ndef other(word):\n    return tokenizers.Tokenizer(word)",
        "class Half:\n    def first(self): return ...",
    )
    for name, said in {"empty": "not written yet", "borrowed": "merge; this task", "other": "uses tokenizers"}.items():
        assert said in names[name].problem(("word",))
    assert "takes (word), but" in names["empty"].problem(())
    assert names["Half"].class_problem(["first"]) == "Half.first is not written yet"
    assert "has no method second" in names["Half"].class_problem(["second"])


# --- what it cannot reach ------------------------------------------------------------------------------


def test_no_module_of_the_runner_contains_a_reference(student: StudentProcess) -> None:
    ours = ("tokenlab", "course")
    names = after(student, f"import sys, gc, types\nloaded = sorted(m for m in sys.modules if m.startswith({ours}))")
    inside = {name.replace("/", ".") for name in process.MODULES}
    assert inside >= {name for name in names["loaded"] if name.count(".") > 1} and len(names["loaded"]) > 6
    for module in process.MODULES:
        tree = ast.parse((process.ROOT / f"{module}.py").read_text(encoding="utf-8"))
        imported = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
        assert {name for name in imported if str(name).startswith(ours)} <= inside


@pytest.mark.skipif("bwrap" not in SYSTEMS, reason=skips.BUBBLEWRAP)
def test_bubblewrap_hides_the_files_the_network_and_other_processes(tmp_path: Path) -> None:
    secret = tmp_path / "gradebook.db"
    secret.write_text("points", encoding="utf-8")
    hidden = [str(secret), str(process.ROOT / "tokenlab" / "algorithms")]
    hidden += [f"{folder}/{name}/__init__.py" for folder in commands.site_packages() for name in LIBRARIES]
    source = f"""
import os, socket, sys
from pathlib import Path
sees = [str(path) for path in map(Path, {hidden}) if path.exists()]
processes = [name for name in os.listdir("/proc") if name.isdigit()]
variables = sorted(os.environ)
try:
    Path(sys.base_prefix, "new").write_text("x", encoding="utf-8")
    written = True
except OSError:
    written = False
try:
    socket.create_connection(("127.0.0.1", 22), 1)
    network = True
except OSError:
    network = len(os.listdir("/sys/class/net")) > 1 if os.path.exists("/sys/class/net") else False
"""
    with StudentProcess(sandbox="bwrap") as student:
        names = after(student, source)
    assert (names["sees"], names["written"], names["network"]) == ([], False, False)
    assert len(names["processes"]) <= 3 and set(names["variables"]) <= {"LC_CTYPE", "OMP_NUM_THREADS", "PWD"}


@pytest.mark.skipif("bwrap" not in SYSTEMS, reason=skips.BUBBLEWRAP)
def test_bubblewrap_leaves_no_capabilities_and_only_small_folders_to_write_in() -> None:
    source = """
import ctypes, fcntl, os, signal, struct, sys, tempfile
system = ctypes.CDLL(None)
text = tempfile.TemporaryFile()
text.write(b"abc")
closed, name = tempfile.mkstemp()
os.close(closed)
read_only = os.open(name, os.O_RDONLY)
number, lock = text.fileno(), struct.pack("hhqqi4x", fcntl.F_RDLCK, 0, 0, 0, 0)
pipe, part = os.pipe(), struct.pack("NN", ctypes.addressof(ctypes.create_string_buffer(9)), 1)
def attempt(function, *given):
    try:
        return 0 if function(*given) is None else 1
    except OSError:
        return -1
remounts = [(folder.encode(), 32 | flag) for folder in ["/", *sys.path] for flag in (0, 4096)]
mounted = [system.mount(None, folder, None, flags, None) for folder, flags in remounts]
refused = {
    "a user namespace": system.unshare(0x10000000),
    "an anonymous file": system.memfd_create(b"x", 0),
    "shared memory": system.shmget(0, 4096, 0o1600),
    "root": system.setuid(0),
    "the mode of a device": system.chmod(b"/dev/null", 0),
    "a lock of a file": attempt(fcntl.lockf, number, fcntl.LOCK_EX),
    "a question about a lock": system.fcntl(number, fcntl.F_GETLK, lock),
    "a lock of an open file": system.fcntl(number, fcntl.F_OFD_SETLK, lock),
    "another lock": attempt(fcntl.flock, number, fcntl.LOCK_SH),
    "a lease": system.fcntl(read_only, fcntl.F_SETLEASE, fcntl.F_RDLCK),
    "a hint": system.fcntl(number, 1035, ctypes.byref(ctypes.c_uint64())),
    "what is in memory": attempt(os.posix_fadvise, number, 0, 0, os.POSIX_FADV_DONTNEED),
    "a watch of files": system.inotify_init1(0),
    "pages in a pipe": system.vmsplice(pipe[1], part, 1, 0),
    "children without a trace": system.sigaction(signal.SIGCHLD, bytes(200), None),
}
places = ["/", "/dev", "/usr", "/tmp", "/dev/shm", *(folder for folder in sys.path if os.path.isdir(folder))]
files = [os.path.join(place, "tokenlab-test") for place in places]
files += ["/proc/sys/kernel/core_pattern", "/proc/sysrq-trigger"]
written = []
for file in files:
    try:
        os.close(os.open(file, os.O_WRONLY | os.O_CREAT))
        written.append(file)
    except OSError:
        pass
with open("/proc/self/status", encoding="utf-8") as status:
    capabilities = [line.split()[1] for line in status if line.startswith(("CapEff", "CapPrm"))]
user = os.getuid()
"""
    with StudentProcess(sandbox="bwrap") as student:
        names = after(student, source)
    assert names["written"] == ["/tmp/tokenlab-test", "/dev/shm/tokenlab-test"]
    assert set(names["mounted"]) == {-1} and names["user"] == int(commands.NOBODY)
    assert {int(number, 16) for number in names["capabilities"]} == {0}
    assert {*names["refused"].values()} == {-1} or not program()


@pytest.mark.slow
@pytest.mark.parametrize("sandbox", SYSTEMS)
def test_all_processes_of_a_student_together_are_limited(sandbox: str) -> None:
    many = (
        "import os, time\nfor _ in range(300):\n    if os.fork() == 0:\n        time.sleep(30)\n        os._exit(0)\n"
        "time.sleep(9)"  # without this, the cell may end before the processes are counted
    )
    threads = "import threading, time\nfor _ in range(99):\n    threading.Thread(target=time.sleep, args=(9,)).start()"
    large = "import os, time\nfor _ in range(3):\n    os.fork() or 0\nx = b'x' * 60_000_000\ntime.sleep(30)"
    with StudentProcess(limits=Limits(waiting=20), sandbox=sandbox) as student:
        assert "starts more than 16 processes" in student.cell(many, 1)["error"]["message"]
        assert student.cell("2", 2) == {"printed": "2\n", "error": None}
    with StudentProcess(limits=Limits(waiting=20), sandbox=sandbox) as student:
        assert "or 64 threads" in student.cell(f"{threads}\ntime.sleep(5)", 1)["error"]["message"]
    with StudentProcess(limits=Limits(waiting=20, memory=100_000_000), sandbox=sandbox) as student:
        assert "too much memory, in several processes" in student.cell(large, 1)["error"]["message"]
        assert student.cell("2", 2) == {"printed": "2\n", "error": None}


def test_without_a_sandbox_no_process_is_started(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commands, "chosen", lambda: "")
    with pytest.raises(ValueError, match="no sandbox for the students' code: install bubblewrap"):
        StudentProcess()


def test_a_command_of_ones_own_gets_the_folder_and_sees_it_as_kit() -> None:
    command = commands.command_for("nsjail --bindmount_ro {kit}:/kit --", Path("/some/where"))
    assert command == ["nsjail", "--bindmount_ro", "/some/where:/kit", "--", "-I", "-S", "-c"]
    assert commands.kit_seen_by("nsjail --", Path("/some/where")) == "/kit"


def test_a_command_of_ones_own_may_name_the_python_and_the_libraries_of_the_grader() -> None:
    command = commands.command_for("jail -R {base} -R {libraries} -e {other} {python}", Path("/some/where"))
    expected = ["-R", sys.base_prefix, "-R", commands.site_packages()[0], "-e", "{other}", commands.python()]
    assert command[1:8] == expected


@pytest.mark.slow
@pytest.mark.parametrize("sandbox", SYSTEMS)
def test_an_assignment_that_allows_torch_exchanges_tensors_and_no_other_library(sandbox: str) -> None:
    import torch

    cells = (
        "import torch\ndef double(x):\n    return torch.mul(x, 2)",
        "import tokenizers\ndef other(x):\n    return tokenizers.Tokenizer(x)",
    )
    with StudentProcess(["torch"], sandbox=sandbox) as student:
        names = after(student, *cells)
        x = torch.tensor([[1.0, 2.5]])
        doubled = names["double"].run_there((x,), MAX_LINES, True).value
        assert torch.equal(doubled, x * 2) and doubled.dtype == torch.float32
        assert torch.equal(names["double"](torch.tensor([True, False])), torch.tensor([2, 0]))
        assert "uses tokenizers" in names["other"].problem(("x",), tensors=True)
        assert "give a list" in names["double"].run_there((x,), MAX_LINES, False).problem
    with StudentProcess(sandbox=sandbox) as student:
        assert "uses torch" in after(student, cells[0])["double"].problem(("x",))


def test_other_installed_libraries_can_be_used(student: StudentProcess) -> None:
    names = after(student, "import numpy as np\ndef total(numbers):\n    return np.array(numbers).sum()")
    assert names["total"].problem(("numbers",)) == ""
    assert names["total"].run_there(([1, 2],), MAX_LINES, False).value == 3


# --- what a review found -------------------------------------------------------------------------------


def test_a_test_does_not_find_python_s_own_names_among_the_student_s(student: StudentProcess) -> None:
    names = after(student, "def globals():\n    return {}\ndef exec(*a):\n    return 0\n_x = __y = 1\nmine = 2")
    assert set(names) == {"mine"}


@pytest.mark.slow
def test_large_variables_of_the_student_do_not_matter(student: StudentProcess) -> None:
    large = "\n".join(f"big{number} = 'x' * 990_000" for number in range(6))
    assert student.cell(f"{large}\ndef f(x):\n    return x", 1)["error"] is None
    names = variables_of(student, "f " + " ".join(f"big{number}" for number in range(6)))
    assert names["f"]("y") == "y" and isinstance(names["big5"], Opaque)


def test_dataclasses_numpy_numbers_and_names_of_a_notebook_work(student: StudentProcess) -> None:
    source = """
from dataclasses import dataclass
from typing import ClassVar
import numpy as np, pickle
@dataclass
class Point:
    zero: ClassVar[int] = 0
    x: int = 1
def kept(x):
    return [np.int64(x), pickle.loads(pickle.dumps(Point(x))).x, Point.__annotations__["x"] is int]
display(1)
help(kept)
get_ipython()
"""
    assert after(student, source)["kept"](3) == [3, 3, True]
    assert student.cell("x = 1\nx?\nfiles = !ls\n?x\nx", 2) == {"printed": "1\n", "error": None}


def test_a_cell_that_ends_python_only_when_it_is_repeated_is_left_out_then(student: StudentProcess) -> None:
    first = "import os, pathlib\nmark = pathlib.Path('mark')"
    assert student.cell(first, 1)["error"] is None
    assert (
        student.cell("import time\nif time.time() > START:\n    os._exit(0)".replace("START", "2e9"), 2)["error"]
        is None
    )
    student._cells.append(("os._exit(1)", 3))  # as if it had been harmless the first time
    assert "ends Python itself" in student.cell("os._exit(0)", 4)["error"]["message"]
    assert student.cell("2", 5)["error"] is not None  # the repeated cell ends it, and is left out
    assert student.cell("2", 6) == {"printed": "2\n", "error": None}


def test_sleeping_is_limited_in_total() -> None:
    with StudentProcess(limits=Limits(waiting=60, waiting_in_total=0.3)) as student:
        assert student.cell("import time\ntime.sleep(0.4)", 1)["error"] is None
        assert "took too long in total" in student.cell("1", 2)["error"]["message"]


def test_a_process_that_leaves_a_child_behind_does_not_hang_the_grader() -> None:
    source = "import os, time\nif os.fork() == 0:\n    os.setsid()\n    time.sleep(30)\nos._exit(0)"
    with StudentProcess(limits=Limits(waiting=1), sandbox="none") as student:
        assert student.cell(source, 1)["error"] is not None
        assert student.cell("2", 2)["printed"] == "2\n"


def test_values_that_take_long_to_decode_are_refused() -> None:
    for sent in ({"hex": "1" * 6000}, {"fraction": ["1" * 6000, "1"]}, {"set": list(range(20_000))}):
        with pytest.raises(NotPlainError):
            decode(sent)


@pytest.mark.slow
def test_the_examples_in_the_docstrings_are_right() -> None:
    for module in (commands, gradable, grading, probe, process, remote, runner, seccomp, values):
        tried = doctest.testmod(module, optionflags=doctest.ELLIPSIS)
        assert tried.attempted and not tried.failed
