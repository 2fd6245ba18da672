"""The grader says what the learner's function did and the rule, and never what the right one does."""

from __future__ import annotations

import contextlib
import doctest
import functools
import inspect
import re
import signal
import sys
import traceback
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import strategies as st

from course import time_limit
from course.grading import grade, grade_answer, grade_class
from course.time_limit import TooLongError, stopped_after
from tests.check.samples import VARIANTS, WRONG
from tokenlab import check
from tokenlab.algorithms.bpe.train import merge
from tokenlab.check import FunctionCheck

WORDS = st.tuples(st.lists(st.sampled_from("ab"), max_size=5).map("".join))
SECRET = "the-reference-was-here"
RULE = "Each letter is doubled, from the left."


def right(word: str) -> list[str]:
    return [letter * 2 for letter in word] + [SECRET]


def graded(function: Any, **options: Any) -> str:
    """What the grader says; nothing if there are points."""
    try:
        grade(function, right, WORDS, RULE, **options)
    except AssertionError as error:
        text = "".join(traceback.format_exception(error))
        assert SECRET not in str(error)
        assert SECRET not in text  # and not in the chain of errors behind it
        return str(error)
    return ""


def generator(word: str) -> Iterator[str]:
    yield word


def keyword_only(*, word: str) -> list[str]:
    return []


class Class:
    pass


def forever(word: str) -> list[str]:
    while True:
        pass


def changes(word: str, seen: list[str] = []) -> list[str]:  # noqa: B006
    seen.append(word)
    return seen


def leaves(word: str) -> None:
    sys.exit(0)


FAILING: dict[str, tuple[Any, str]] = {
    "nothing": (None, r"^None is not a function; "),
    "a class": (Class, r"^Class is a class; "),
    "a value": (["aa"], r"^\['aa'\] is not a function; "),
    "a generator": (generator, r"^generator is a generator, "),
    "another signature": (lambda: ["aa"], r"^<lambda> takes \(\), but it is called with one argument: word\.$"),
    "keywords only": (keyword_only, r"^keyword_only takes "),
    "dots": (lambda word: ..., r"^<lambda> is not written yet\.$"),
    "a wrong value": (lambda word: [word], r"^<lambda>\(''\) gives \[''\]\. The rule: Each letter is doubled"),
    "an error": (
        lambda word: [word[9]],
        r"^<lambda>\(''\) raises IndexError: string index out of range, in line \d+.*",
    ),
    "no value": (lambda word: None, r"^<lambda>\(''\) gives None; a return is missing on some way through it\."),
    "an exit": (leaves, r"^leaves\(''\) raises SystemExit: 0"),
    "no end": (forever, r"^forever\(''\) does not end: after 1,000,000 lines"),
    "a print": (lambda word: print(word * 2), r"^<lambda>\(''\) prints '' and gives nothing back"),
    "a state": (changes, r"^changes\("),
}


@pytest.mark.parametrize("what", FAILING)
def test_what_gets_no_points_is_told_why(what: str) -> None:
    function, pattern = FAILING[what]
    assert re.match(pattern, graded(function)), graded(function)


def test_the_right_answer_gets_points_as_a_list_or_a_tuple() -> None:
    assert graded(lambda word: [*(letter + letter for letter in word), SECRET]) == ""
    assert graded(lambda word: (*map("".join, zip(word, word, strict=True)), SECRET)) == ""


def test_the_counterexample_is_small_and_the_same_every_time() -> None:
    def only_short(word: str) -> list[str]:
        return right(word) if len(word) < 3 else []

    said = graded(only_short)
    assert said == f"only_short('aaa') gives []. The rule: {RULE}" == graded(only_short)


def test_an_example_that_no_input_reaches_counts() -> None:
    def no_c(word: str) -> list[str]:
        return [] if "c" in word else right(word)

    assert graded(no_c) == ""
    assert graded(no_c, examples=[("ccc",)]).startswith("no_c('ccc') gives []")


def test_an_answer_that_changes_never_becomes_the_right_one_in_the_message() -> None:
    def remembers(word: str, seen: list[str] = []) -> list[str]:  # noqa: B006
        seen.append(word)
        return [] if len(seen) == 4 else right(word)

    said = graded(remembers)
    assert "was wrong a moment ago and is right now" in said


@pytest.mark.parametrize(
    "function", [merge, lambda split, pair: merge(split, pair), functools.partial(merge), functools.lru_cache(merge)]
)
def test_what_calls_the_kit_gets_no_points_and_a_sentence_why(function: Any) -> None:
    own: Callable[..., Any] = VARIANTS["merge"][0]
    with pytest.raises(AssertionError) as caught:
        grade(function, own, check.merge.inputs(), RULE)
    assert "uses tokenlab.algorithms.bpe.train.merge; this task is to write it yourself" in str(caught.value)
    assert "no points" in str(caught.value)


def test_an_error_of_the_reference_is_the_graders_own() -> None:
    def broken(word: str) -> Any:
        raise LookupError("the grader is wrong")

    with pytest.raises(LookupError):
        grade(lambda word: word, broken, WORDS, RULE)


@pytest.mark.parametrize(
    "name", [name for name in check.exercise_names() if isinstance(check.exercise_of(name), FunctionCheck)]
)
def test_the_grader_passes_and_catches_what_the_check_does(name: str) -> None:
    one: FunctionCheck = getattr(check, name)

    def used(function: Any) -> Any:
        if one.use is None:
            return function
        using = one.use.of(function)
        del using.__wrapped__  # what is graded takes an input, not what the function takes
        return using

    for program in [wrong for wrong, *_ in WRONG[name][:1]]:
        with pytest.raises(AssertionError, match="The rule: "):
            grade(free(used(program), one), used(one.reference), one.inputs(), one.rule, one.examples, same=one.same)
    right = free(used(VARIANTS[name][0]), one)
    grade(right, used(one.reference), one.inputs(), one.rule, one.examples, tried=20, same=one.same)


def free(function: Any, one: FunctionCheck) -> Any:
    """The same function, hidden from the look for borrowed ones: the wrong programs are the kit's own."""
    hidden = {"function": function}
    names: dict[str, Any] = {"hidden": hidden, "__name__": "__main__"}
    arguments = ", ".join(inspect.signature(one.reference).parameters) if one.use is None else "*arguments"
    exec(f"def graded({arguments}):\n    return hidden['function']({arguments})", names)
    return names["graded"]


# --- classes --------------------------------------------------------------------------------------


class Counter:
    def __init__(self) -> None:
        self.seen = 0

    def add(self, word: str) -> int:
        self.seen += len(word)
        return self.seen


class NeverEnds(Counter):
    def add(self, word: str) -> int:
        while True:
            pass


class NotWritten(Counter):
    def add(self, word: str) -> int:
        return ...  # type: ignore[return-value]


class NoMethod:
    pass


class CountsWords(Counter):
    def add(self, word: str) -> int:
        return super().add("a")


class Borrows(Counter):
    def add(self, word: str) -> int:
        return len(self._merged(word))

    def _merged(self, word: str) -> tuple[str, ...]:
        return merge(tuple(word), ("a", "b"))


class Borrowed(FunctionCheck):
    add = FunctionCheck.counterexample


def said_of(cls: Any, tried: int = 20, right: type = Counter) -> str:
    def use(used: Any, words: list[str]) -> list[int]:
        counter = used()
        return [counter.add(word) for word in words]

    def written(name: str, words: list[str]) -> str:
        return f"{name}(), given {words},"

    words = st.tuples(st.lists(st.sampled_from(("a", "bb")), max_size=3))
    try:
        grade_class(cls, right, use, written, words, "All letters so far are counted.", tried=tried)
    except AssertionError as error:
        return str(error)
    return ""


@pytest.mark.parametrize(
    ("cls", "said"),
    [
        (None, r"^None is no class; "),
        (3, r"^3 is no class; "),
        (NoMethod, r"^NoMethod has no method add; it should have __init__, add\.$"),
        (NotWritten, r"^NotWritten\.add is not written yet\.$"),
        (CountsWords, r"^CountsWords\(\), given \['bb'\], gives \[1\]\. The rule: All letters so far are counted\.$"),
        (NeverEnds, r"^NeverEnds\(\), given \['a'\], does not end: "),
        (Borrows, r"^Borrows uses tokenlab\.algorithms\.bpe\.train\.merge; "),
        (Borrowed, r"^Borrowed uses tokenlab\."),
    ],
)
def test_a_class_is_graded_by_what_its_objects_do(cls: Any, said: str) -> None:
    assert re.search(said, said_of(cls)), said_of(cls)


def test_a_right_class_passes() -> None:
    class Mine:
        def __init__(self) -> None:
            self.words: list[str] = []

        def add(self, word: str) -> int:
            self.words.append(word)
            return len("".join(self.words))

    assert said_of(Mine) == "" == said_of(Counter)


class Grows(Counter):
    def grow(self, word: str) -> None:
        self.seen += len(word)

    def add(self, word: str) -> int:
        self.grow(word)
        return self.seen


class LeavesTheDots(Grows):
    def grow(self, word: str) -> None:
        self.seen += len(word)
        return ...  # type: ignore[return-value]


class DoesNotGrow(Grows):
    def grow(self, word: str) -> None:
        """Add the word."""
        return ...  # type: ignore[return-value]


def test_dots_below_what_was_written_do_no_harm_where_nobody_asks_for_the_result() -> None:
    assert said_of(LeavesTheDots, right=Grows) == ""
    assert said_of(DoesNotGrow, right=Grows) == "DoesNotGrow.grow is not written yet."


@pytest.mark.parametrize("odd", [[1] * 20_000, [(0, 10**10)], "x" * 20_000, {"a": {"b": [0] * 20_000}}, {-(10**9)}])
def test_a_result_that_takes_long_to_compare_is_wrong_at_once(odd: Any) -> None:
    compared = []

    def same(given: Any, right: Any) -> bool:
        compared.append(given)
        return True

    assert "gives" in graded(lambda word: odd, same=same) and not compared
    assert graded(lambda word: [1] * 9_000, same=same) == "" and compared


def test_a_result_may_be_as_large_as_the_right_one() -> None:
    large = [10**12] * 50_000
    grade(lambda word: large, lambda word: large, WORDS, RULE, tried=3)
    with pytest.raises(AssertionError, match="n = 10000000000 is not right"):
        grade_answer({"n": 10**10}, "n", 3, RULE, same=lambda given, right: len(range(given)) > 0)


@pytest.mark.slow
def test_the_grader_stops_what_takes_too_long() -> None:
    assert doctest.testmod(time_limit).failed == 0 and not signal.getitimer(signal.ITIMER_PROF)[0]
    with pytest.raises(TooLongError), stopped_after(0.1):
        while True:
            with contextlib.suppress(Exception):
                sum(range(1000))
    with stopped_after(5):
        pass
    assert signal.getsignal(signal.SIGPROF) is signal.SIG_DFL
