"""A function is run once, and whatever it does comes back as an outcome: nothing escapes, and nothing runs for ever."""

from __future__ import annotations

import functools
import itertools
import math
import sys
import threading
from collections.abc import Callable, Iterator
from io import StringIO
from typing import Any

import numpy as np
import pytest
import torch

from tokenlab.algorithms.bpe.train import train
from tokenlab.check import isolated_run
from tokenlab.check.isolated_run import MAX_LINES, LineLimit, Outcome, display, run, same

# What loops for ever: the code, and the number of the line in which it is stopped.
ENDLESS: dict[str, tuple[str, tuple[int, ...]]] = {
    "in one line": ("def f(x):\n    while True: pass", (2,)),
    "in two lines": ("def f(x):\n    while True:\n        pass", (2, 3)),
    "with a condition": ("def f(x):\n    while x == 1: x", (2,)),
    "in a helper": (
        "def helper():\n    n = 0\n    while True:\n        n += 1\ndef f(x):\n    return helper()",
        (3, 4),
    ),
    "in a nested function": (
        "def f(x):\n    def inner():\n        while True:\n            y = 1\n    return inner()",
        (3, 4),
    ),
    "in a comprehension": ("def f(x): return [i for i in itertools.count()]", (1,)),
    "in a lambda": ("f = lambda x: {i % 3 for i in itertools.cycle('ab') if i == 'c'}", (1,)),
    "in a generator expression": ("def f(x): return next(i for i in itertools.count() if i < 0)", (1,)),
    "in its own generator": (
        "def g():\n    while True:\n        yield 1\ndef f(x):\n    for _ in g(): pass",
        (2, 3, 5),
    ),
    "around a bare except": (
        "def f(x):\n    while True:\n        try:\n            x += 1\n        except:\n            pass",
        (2, 3, 4, 5, 6),
    ),
    "around an except that goes on": (
        "def f(x):\n    while True:\n        try:\n            x += 1\n        except BaseException:\n            1",
        (2, 3, 4, 5, 6),
    ),
    "inside a bare except": (
        "def f(x):\n    try:\n        while True:\n            x += 1\n    except:\n        return x",
        (3, 4, 6),
    ),
    "where a helper swallows all errors": (
        "def h(x):\n    try:\n        return x + 1\n    except:\n        return x\n"
        "def f(x):\n    while True:\n        x = h(x)",
        (2, 3, 4, 5, 7, 8),
    ),
}


def defined(code: str) -> Callable[..., Any]:
    names: dict[str, Any] = {"itertools": itertools, "__name__": "__main__"}
    exec(code, names)
    function: Callable[..., Any] = names["f"]
    return function


@pytest.mark.parametrize("where", ENDLESS)
def test_a_loop_that_does_not_end_is_stopped_and_its_line_is_told(where: str) -> None:
    code, lines = ENDLESS[where]
    outcome = run(defined(code), (1,), lines=5000)
    assert outcome.problem and outcome.value is None
    assert any(outcome.problem == f"does not end: after 5,000 lines it was still in line {n}" for n in lines), outcome


@pytest.mark.parametrize("where", ENDLESS)
def test_in_a_tab_the_time_stops_a_loop_as_well(where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(isolated_run, "CLOCK", 50)
    monkeypatch.setattr(isolated_run, "LineLimit", functools.partial(LineLimit, seconds=0.02))
    code, lines = ENDLESS[where]
    outcome = run(defined(code), (1,), lines=10**9)
    assert any(outcome.problem == f"does not end: after 0.02 seconds it was still in line {n}" for n in lines), outcome
    assert outcome.lines == 10**9  # so that a search ends


def test_in_a_tab_the_time_stops_a_loop_in_another_module(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(isolated_run, "LineLimit", functools.partial(LineLimit, seconds=0.05))
    function = defined("import random\ndef f(x):\n    x = 2\n    return random.choices([1], k=10**9)")
    assert run(function, (1,)).problem == "does not end: after 0.05 seconds it was still in line 4"


def test_elsewhere_the_time_is_no_limit() -> None:
    code = "import time\ndef f(x):\n    time.sleep(0.01)\n    return x"
    assert run(defined(code), (1,)) == Outcome(1)
    assert run(defined(code), (1,)).lines < MAX_LINES and math.isinf(isolated_run.SECONDS)


def test_tracing_is_over_after_a_function_swallowed_the_stop() -> None:
    kept = []

    def keeps() -> int:
        try:
            while True:
                pass
        except BaseException as error:
            kept.append(error)
        return 1

    before = sys.gettrace()
    assert "does not end" in run(keeps, (), lines=1000).problem
    kept.clear()  # only here the error is gone
    assert sys.gettrace() is before


def test_the_lines_that_ran_are_counted() -> None:
    def three_lines(x: int) -> int:
        y = x
        z = y
        return z

    assert run(three_lines, (1,)).lines == 3
    assert run(len, ("a",)).lines == 0
    assert run(defined("def f(x):\n    while True: pass"), (1,), lines=100).lines == 100


def test_a_long_function_is_not_taken_for_an_endless_one() -> None:
    def byte_symbol(byte: int) -> str:
        table, borrowed = {}, 256
        for each in range(256):
            if chr(each).isprintable() and each != 32:
                table[each] = chr(each)
            else:
                table[each] = chr(borrowed)
                borrowed += 1
        return table[byte]

    def ids(data: bytes) -> list[int]:
        order = sorted(range(256), key=lambda byte: (ord(byte_symbol(byte)) > 255, byte))
        return [order.index(byte) for byte in data]

    assert run(ids, (b"! ",)).value == [0, 220]
    assert MAX_LINES == 1_000_000


@pytest.mark.parametrize("kind", ["partial", "instance", "method", "wrapped"])
def test_functions_in_other_clothes_are_stopped_too(kind: str) -> None:
    class Looping:
        def __call__(self, x: int) -> int:
            while True:
                x += 1

    def two(_: int, x: int) -> int:
        while True:
            x += 1

    clothes: dict[str, Callable[..., Any]] = {
        "partial": functools.partial(two, 1),
        "instance": Looping(),
        "method": Looping().__call__,
        "wrapped": functools.lru_cache(functools.partial(two, 1)),
    }
    assert "does not end" in run(clothes[kind], (1,), lines=1000).problem


def test_deep_recursion_is_an_error_of_the_function() -> None:
    def deeper(x: int) -> int:
        return deeper(x)

    assert run(deeper, (1,)).problem.startswith("raises RecursionError: ")


def test_what_is_raised_is_told_with_the_learners_own_line() -> None:
    def inner(word: str) -> int:
        return int(word)

    problem = run(lambda word: inner(word), ("a",)).problem
    assert problem.startswith("raises ValueError: invalid literal for int() with base 10: 'a', in line ")
    assert problem.endswith(": return int(word)")


def test_an_error_in_a_library_is_told_with_the_line_that_called_it() -> None:
    problem = run(lambda counts: train(counts, -1), ({"ab": 1},)).problem
    assert "raises ValueError: " in problem and "train(counts, -1)" in problem


def test_an_exit_is_an_error_like_others() -> None:
    assert run(lambda: sys.exit(3), ()).problem.startswith("raises SystemExit: 3")
    assert run(lambda: sys.exit(), ()).problem.startswith("raises SystemExit, in line")


def test_a_keyboard_interrupt_passes_through_and_everything_is_as_before() -> None:
    def interrupted() -> None:
        raise KeyboardInterrupt

    before, stdout = sys.gettrace(), sys.stdout
    with pytest.raises(KeyboardInterrupt):
        run(interrupted, ())
    assert sys.gettrace() is before and sys.stdout is stdout


def test_a_tracer_from_before_is_put_back() -> None:
    def tracer(*_: Any) -> None:
        return None

    before = sys.gettrace()
    sys.settrace(tracer)
    try:
        run(len, ("a",))
        run(defined(ENDLESS["around a bare except"][0]), (1,), lines=100)
        found = sys.gettrace()
    finally:
        sys.settrace(before)
    assert found is tracer


def test_arguments_that_are_changed_are_named_and_kept_as_they_were() -> None:
    words = ["a", "b"]
    ranks = {"a": 1}

    def pops(first: list[str], other: dict[str, int]) -> int:
        other.clear()
        return len(first)

    outcome = run(pops, (words, ranks))
    assert outcome.problem == "changes its argument other: {'a': 1} became {}; work on a copy, such as dict(other)"
    assert words == ["a", "b"] and ranks == {"a": 1}


Cache = tuple[list[int], list[int]]


def test_where_an_argument_is_changed_inside_the_inside_is_copied() -> None:
    def appends(cache: Cache, key: int) -> Cache:
        cache[1].append(key)
        return cache

    assert run(appends, (([1], [2]), 3)).problem == (
        "changes its argument cache: ([1], [2]) became ([1], [2, 3]); "
        "work on copies, also of what is inside it, such as list(cache[1])"
    )

    def deep(table: dict[str, list[set[int]]]) -> int:
        table["a"][1].add(3)
        return 1

    assert run(deep, ({"b": [set()], "a": [{1}, {2}]},)).problem.endswith("inside it, such as set(table['a'][1])")

    def replaces(pairs: list[tuple[int, int]]) -> int:
        pairs[0] = (0, 0)
        return 1

    assert run(replaces, ([(1, 2)],)).problem.endswith("work on a copy, such as list(pairs)")


def test_an_argument_that_holds_itself_is_told_to_be_changed() -> None:
    ring: list[object] = [1]
    ring.append(ring)

    def cuts(given: list[object]) -> int:
        given[0] = 2
        return 1

    assert "changes its argument given" in run(cuts, (ring,)).problem


def test_an_argument_may_come_back_as_it_is() -> None:
    assert run(lambda word: word, (["a"],)) == Outcome(["a"])


def test_what_is_printed_is_kept_and_goes_nowhere(capsys: pytest.CaptureFixture[str]) -> None:
    def talks(x: int) -> int:
        print("x is", x)
        return x

    assert run(talks, (1,)) == Outcome(1, "", "x is 1\n")
    assert run(lambda x: print(x), ("ab",)).problem == (
        "prints 'ab' and gives nothing back; end with return instead of print"
    )
    assert capsys.readouterr().out == ""


def test_no_value_is_told() -> None:
    assert run(lambda: None, ()).problem == "gives None; a return is missing on some way through it"


@pytest.mark.parametrize("value", [iter([1]), map(str, [1]), (i for i in "a"), enumerate("a"), reversed("ab")])
def test_what_holds_no_result_yet_is_told(value: Iterator[Any]) -> None:
    problem = run(lambda: value, ()).problem
    assert problem == f"gives a {type(value).__name__}, which holds no result yet; give a list or a tuple"


def test_a_coroutine_is_told_and_closed() -> None:
    async def later() -> int:
        return 1

    assert run(lambda: later(), ()).problem.startswith("gives a coroutine, which holds no result yet")


@pytest.mark.parametrize("value", [np.array([1, 2]), np.array([]), np.array([1])])
def test_arrays_of_numpy_are_told(value: Any) -> None:
    assert "tolist" in run(lambda: value, ()).problem


@pytest.mark.parametrize(
    ("value", "number"),
    [
        (np.int64(3), 3),
        (np.float64(0.5), 0.5),
        (np.bool_(True), True),
        (np.array(3), 3),
        (torch.tensor(3), 3),
        (torch.tensor(0.5, requires_grad=True), 0.5),
    ],
)
def test_a_number_of_numpy_or_torch_is_a_number(value: Any, number: float) -> None:
    outcome = run(lambda: value, ())
    assert outcome == Outcome(number) and type(outcome.value) is type(number)


@pytest.mark.parametrize("value", [torch.tensor([1.0, 2.0]), torch.tensor([3])])
def test_tensors_of_torch_are_told(value: Any) -> None:
    problem = run(lambda: value, ()).problem
    assert problem.startswith("gives a tensor of torch, tensor(") and problem.endswith("tolist makes")


def test_numbers_that_are_not_equal_to_themselves_are_values() -> None:
    outcome = run(lambda: float("nan"), ())
    assert str(outcome) == "gives nan" and not outcome.problem
    nan = float("nan")
    assert run(lambda number: 1, (nan,)) == Outcome(1)  # and no argument that was changed


class Unwilling:
    """Cannot be compared, shown, or turned into a text."""

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, _: object) -> bool:
        raise RuntimeError("no comparing")

    def __repr__(self) -> str:
        raise RuntimeError("no showing")


def test_an_object_that_cannot_be_shown_is_told() -> None:
    assert str(run(Unwilling, ())) == "gives a Unwilling whose repr raises RuntimeError"


def test_an_error_that_cannot_be_shown_is_told() -> None:
    class Mute(Exception):
        def __str__(self) -> str:
            raise RuntimeError

    def raises() -> None:
        raise Mute

    assert run(raises, ()).problem.startswith("raises Mute: a Mute whose str raises RuntimeError, in line ")


def test_what_cannot_be_compared_is_not_the_same() -> None:
    assert not same(Unwilling(), Unwilling())
    assert not same(np.array([1, 2]), np.array([1, 2]))


def test_a_huge_result_is_cut() -> None:
    written = str(run(lambda: ["token"] * 100_000, ()))
    assert len(written) < 320 and written.endswith("…")


def test_a_lone_surrogate_can_be_written_down() -> None:
    def raises() -> None:
        raise ValueError("\ud83d")

    for outcome in (run(lambda: "\ud83d", ()), run(raises, ())):
        assert "\\ud83d" in str(outcome)
        str(outcome).encode()


def test_a_value_is_shown_the_same_in_every_process() -> None:
    assert display({"b", "a", "<"}) == "{'<', 'a', 'b'}" and display(set()) == "set()"
    assert display(lambda: 1) == display(lambda: 2)


def test_it_works_in_another_thread() -> None:
    found: list[Outcome] = []

    def work() -> None:
        found.append(run(defined(ENDLESS["in a helper"][0]), (1,), lines=1000))
        found.append(run(lambda: 7, ()))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join(20)
    assert "does not end" in found[0].problem and found[1] == Outcome(7)


def test_a_stream_that_the_function_leaves_behind_does_no_harm() -> None:
    def leaves() -> int:
        sys.stdout = StringIO()
        return 1

    before = sys.stdout
    assert run(leaves, ()) == Outcome(1)
    assert sys.stdout is before
