"""Check a learner's function against a reference on random inputs, and shrink the input that fails.

>>> from hypothesis import strategies as st
>>> def double(number):
...     return number + number
>>> check = FunctionCheck(double, lambda: st.tuples(st.integers(0, 9)), "Doubling adds a number to itself.")
>>> check(lambda number: number * number)
✗ Not yet.
<lambda>(1) gives 1.
Think first. To be told the rule, run the cell again.
"""

from __future__ import annotations

import contextlib
import inspect
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, wraps
from random import Random
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar
from unittest.mock import patch

from tokenlab.check.feedback import FeedbackLevels, Problem, Verdict
from tokenlab.check.isolated_run import Outcome, display, run
from tokenlab.check.result_types import described, type_difference, type_mismatch, type_name, type_rule
from tokenlab.check.submission_state import is_unwritten, signature_problem
from tokenlab.check.trace_comparison import TracedCalls, equal_values, trace
from tokenlab.misconceptions.catalog import rule_of

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

    from tokenlab.show.player import Player
    from tokenlab.steps.recording import Recording

Function: TypeAlias = Callable[..., Any]
WrongProgram: TypeAlias = Function | tuple[Function, str | Function]
T = TypeVar("T")

NONDETERMINISTIC = (
    "was wrong a moment ago and is right now. The same input should always give the same result; does the function "
    "keep state between calls, such as a list as a default argument?"
)
NUM_INPUTS = 300  # random inputs that a right function passes
FAILURES = 400  # failing inputs tried while shrinking
MAX_SHRINKS = 5_000_000  # lines run in one search (seconds); after that, the smallest input so far is returned
COMPARED = 100  # inputs on which known wrong programs are compared with the learner's function


@dataclass(frozen=True)
class Adapter:
    """How a function is used on an input, if the input is not simply its arguments.

    Args:
        parameters: the names of the function's own parameters.
        result: maps the function and the input to the value that is compared.
        written: maps the function's name and the input to this use as source code.
    """

    parameters: tuple[str, ...]
    result: Callable[..., Any]
    written: Callable[..., str]

    def of(self, function: Function) -> Function:
        """Return a function of the input that uses this function."""
        return wraps(function)(lambda *arguments: self.result(function, *arguments))


@dataclass(frozen=True)
class FunctionCheck:
    """Check whether a learner's function agrees with the reference, and show the smallest input where it does not.

    Args:
        reference: the right function; the task uses its parameter names.
        inputs: returns the strategy for tuples of positional arguments.
        rule: shown on the second level if no known wrong program explains the result.
        examples: inputs that are tried first.
        edges: inputs that are tried last, if all others pass.
        wrong: known wrong programs with the signature of the task: the program of a misconception, or a pair of a
            program and either the rule that it breaks or the program of a misconception that breaks the same rule.
        traced_calls: divides an input into the parts that the traces show.
        use: how the function is used on an input, if the input is not simply its arguments.
        same: compares the expected result with the learner's; by default lists equal tuples.
        tried: the number of random inputs.
        praise: returns sentences about a right function, such as its speed.
        wants_class: whether the task asks for a class instead of a function.
        lists: the number of levels on which the task asks for lists where the reference returns tuples; both are
            accepted, but a message on types should not ask for a tuple.
    """

    reference: Function
    inputs: Callable[[], SearchStrategy[Any]]
    rule: str
    examples: Sequence[tuple[Any, ...]] = ()
    edges: Sequence[tuple[Any, ...]] = ()
    wrong: tuple[WrongProgram, ...] = ()
    traced_calls: TracedCalls | None = None
    use: Adapter | None = None
    same: Callable[[Any, Any], bool] = equal_values
    tried: int = NUM_INPUTS
    praise: Callable[[Function], Iterable[str]] = lambda function: ()
    wants_class: bool = False
    lists: int = 0
    ladder: FeedbackLevels = field(default_factory=FeedbackLevels, compare=False)

    def __call__(self, function: Any = None) -> Verdict:
        """Check a function."""
        if problem := signature_problem(function, self.parameters, self.wants_class):
            return self.ladder.wrong(Problem(f"{problem}."))
        if is_unwritten(function):
            return self.ladder.unwritten()
        if known := self._known_problem(function):
            return self.ladder.wrong(known)
        tally = SearchStatistics()
        arguments = self.counterexample(function, tally)
        if arguments is None:
            return self.ladder.right(*_praise(tally), *self.praise(function), *self._other_type(function))
        return self.ladder.wrong(self.finding(function, arguments))

    def _known_problem(self, function: Function) -> Problem | None:
        """Return the last problem if the same code still has it: then the next level needs no other search."""
        last = self.ladder.last
        if last is None or last.code is None or last.code != getattr(function, "__code__", None):
            return None
        outcome = self._run(function, last.arguments)
        if self._passes(outcome, last.arguments) or self._seen(function, last.arguments, outcome) != last.seen:
            return None
        return replace(last, traces=lambda: self._traces(function, last.arguments))

    def _other_type(self, function: Function) -> Iterator[str]:
        """Say that a list was accepted for a tuple, or a tuple for a list."""
        if self.use or not self.examples:
            return
        mine, wanted = self._run(function, self.examples[0]).value, self._wanted(self.examples[0])
        if {type_name(mine), type_name(wanted)} == {"list", "tuple"}:
            yield f"It gives {described(mine)}, where {described(wanted)} is asked for: a check accepts both."

    @property
    def parameters(self) -> tuple[str, ...]:
        """Parameter names of the learner's function."""
        return self.use.parameters if self.use else tuple(inspect.signature(self.reference).parameters)

    @cached_property
    def known_wrong(self) -> tuple[tuple[Function, str], ...]:
        """The wrong programs, each with the rule that it breaks."""
        pairs = (one if isinstance(one, tuple) else (one, one) for one in self.wrong)
        return tuple((program, rule if isinstance(rule, str) else rule_of(rule)) for program, rule in pairs)

    @cached_property
    def compared(self) -> list[tuple[Any, ...]]:
        """Arguments on which a function is compared with the known wrong programs."""
        return [*self.examples, *sample_inputs(self.inputs(), COMPARED)]

    def counterexample(self, function: Function, tally: SearchStatistics | None = None) -> tuple[Any, ...] | None:
        """Return the smallest failing arguments found, or None."""
        tally = tally or SearchStatistics()

        def fails(arguments: tuple[Any, ...]) -> bool:
            return not self._passes(tally.add(self._run(function, arguments)), arguments)

        found: tuple[Any, ...] | None = smallest_failure(self.inputs(), fails, self.examples, self.edges, self.tried)
        return found

    def finding(self, function: Function, arguments: tuple[Any, ...]) -> Problem:
        """Describe how a function fails on the arguments."""
        outcome = self._run(function, arguments)
        if self._passes(outcome, arguments):
            return Problem(f"{self._written(function, arguments)} {NONDETERMINISTIC}")
        types = self._types(outcome, arguments)
        return Problem(
            self._seen(function, arguments, outcome),
            self._rule_broken(function, arguments, outcome),
            lambda: self._traces(function, arguments),
            reveals="the expected result next to yours, step by step",
            kind=" ".join(outcome.problem.split()[:2])
            or types,  # such as "raises KeyError:", "changes its", "does not"
            code=getattr(function, "__code__", None),
            arguments=arguments,
        )

    def _seen(self, function: Function, arguments: tuple[Any, ...], outcome: Outcome) -> str:
        return f"{self._written(function, arguments)} {outcome}. {self._types(outcome, arguments)}".rstrip()

    def _types(self, outcome: Outcome, arguments: tuple[Any, ...]) -> str:
        """Return a sentence on a result of another type than the expected one, or ""."""
        return "" if outcome.problem else type_mismatch(outcome.value, self._wanted(arguments))

    def _rule_broken(self, function: Function, arguments: tuple[Any, ...], outcome: Outcome) -> str:
        """Return the rule of the known wrong program that agrees with most failures, or else the rule of the task."""
        explain = [one for one in self.known_wrong if self._same_outcome(self._run(one[0], arguments), outcome)]
        default = self._rule_of_types(outcome, arguments) or self.rule
        if not explain:
            return default
        mine = [(other, self._run(function, other)) for other in self.compared]
        failed = [(other, outcome) for other, outcome in mine if not self._passes(outcome, other)]

        def agreements(program: Function) -> int:
            return sum(self._same_outcome(self._run(program, other), outcome) for other, outcome in failed)

        best, (_, rule) = max(((agreements(one[0]), one) for one in explain), key=lambda both: both[0])
        return rule if 2 * best >= len(failed) else default

    def _rule_of_types(self, outcome: Outcome, arguments: tuple[Any, ...]) -> str:
        """Return the rule on a wrong type, or ""; if the result has it, the rule of the task follows."""
        if outcome.problem.startswith("raises"):
            return outcome.rule
        rule = outcome.rule
        if not outcome.problem:
            difference = type_difference(outcome.value, self._wanted(arguments))
            rule = type_rule(difference) if difference else ""
        return rule and f"{rule} {self.rule}"

    def _same_outcome(self, theirs: Outcome, mine: Outcome) -> bool:
        if theirs.problem or mine.problem:
            return _kind(theirs) == _kind(mine)
        return not type_difference(mine.value, theirs.value) and self.same(mine.value, theirs.value)

    def _run(self, function: Function, arguments: tuple[Any, ...]) -> Outcome:
        return run(self.use.of(function) if self.use else function, arguments)

    def _passes(self, outcome: Outcome, arguments: tuple[Any, ...]) -> bool:
        if outcome.problem:
            return False
        wanted = self._wanted(arguments)
        return not type_difference(outcome.value, wanted) and self.same(outcome.value, wanted)

    def _wanted(self, arguments: tuple[Any, ...]) -> Any:
        """Return the expected result."""
        return _with_lists(self._run(self.reference, arguments).value, self.lists)

    def _written(self, function: Function, arguments: tuple[Any, ...]) -> str:
        return self.use.written(_name(function), *arguments) if self.use else call(function, arguments)

    def _traces(self, function: Function, arguments: tuple[Any, ...]) -> Player:
        from tokenlab import show

        def traced(program: Function, title: str) -> Recording[Any, Any]:
            return trace(self.use.of(program) if self.use else program, arguments, self.traced_calls, title)

        return show.compare(traced(function, "yours"), traced(self.reference, "expected"))


def _praise(tally: SearchStatistics) -> Iterator[str]:
    yield f"It passes on {tally.inputs} inputs, including edge cases."
    if tally.lines > MAX_SHRINKS:
        yield "It is slow; a faster function would be checked on more inputs."
    if tally.printed:
        yield "It also prints; remove that when you no longer need it."


def _kind(outcome: Outcome) -> str:
    """The problem without its line number."""
    return re.split(r", in line|: after", outcome.problem)[0]


def _with_lists(value: Any, levels: int) -> Any:
    """Convert tuples to lists on some outer levels of nesting.

    >>> _with_lists(((1, (2,)), "a"), 2)
    [[1, (2,)], 'a']
    """
    return [_with_lists(part, levels - 1) for part in value] if levels and isinstance(value, list | tuple) else value


def call(function: Function, arguments: Iterable[Any]) -> str:
    """Return the call as source code.

    >>> call(len, (("a", "b"),))
    "len(('a', 'b'))"
    """
    return f"{_name(function)}({', '.join(map(display, arguments))})"


def _name(function: Function) -> str:
    return str(getattr(function, "__name__", "your_function"))


def smallest_failure(
    inputs: SearchStrategy[T],
    fails: Callable[[T], bool],
    first: Iterable[T] = (),
    last: Iterable[T] = (),
    tried: int = NUM_INPUTS,
    seed: int = 0,
) -> T | None:
    """Return the smallest failing input that is found, or None if all inputs pass: hypothesis finds and shrinks it.

    >>> from hypothesis import strategies as st
    >>> words = st.lists(st.sampled_from("ab")).map(tuple)
    >>> smallest_failure(words, lambda word: word.count("b") > 1)
    ('b', 'b')

    Args:
        inputs: the strategy that draws inputs.
        fails: returns True if the function fails on an input; may raise `SearchStoppedError` to end the search.
        first: inputs that are tried first; a failing one is returned if the search finds none that is smaller.
        last: inputs that are tried if all others pass, such as the empty one, on which many wrong functions fail.
        tried: the number of random inputs.
        seed: draws them.
    """
    failing: T | None = None
    failures = 0

    def count(drawn: T) -> bool:
        nonlocal failing, failures
        if failures > FAILURES:
            raise SearchStoppedError
        if not fails(drawn):
            return False
        # subtle: the smallest is the one with the shortest repr; hypothesis orders inputs differently.
        failing = drawn if failing is None else min(drawn, failing, key=lambda value: len(repr(value)))
        failures += 1
        return True

    hypothesis = _hypothesis()
    settings = hypothesis.settings(
        database=None,
        deadline=None,
        derandomize=False,
        max_examples=tried,
        report_multiple_bugs=False,  # find one failure and shrink it
        phases=[hypothesis.Phase.generate, hypothesis.Phase.shrink],
        suppress_health_check=list(hypothesis.HealthCheck),
    )
    not_found = (hypothesis.errors.NoSuchExample, hypothesis.errors.Flaky, SearchStoppedError)
    with contextlib.suppress(*not_found), _same_draws_everywhere():
        any(map(count, first))
        hypothesis.find(inputs, count, settings=settings, random=Random(seed))
    with contextlib.suppress(SearchStoppedError):
        any(map(count, () if failing else last))
    return failing


def sample_inputs(inputs: SearchStrategy[T], number: int) -> list[T]:
    """Return the first inputs that a strategy draws."""
    seen: list[T] = []
    smallest_failure(inputs, lambda one: bool(seen.append(one)), tried=number)  # type: ignore[func-returns-value]
    return seen


class SearchStoppedError(BaseException):
    """Ends a search; not an Exception, because hypothesis would count that as a failure of the function."""


@dataclass
class SearchStatistics:
    """The number of inputs and lines run so far in a search, and whether the function printed anything."""

    inputs: int = 0
    lines: int = 0
    printed: bool = False

    def add(self, outcome: Outcome) -> Outcome:
        """Count a run.

        Raises:
            SearchStoppedError: the search has already run more than `MAX_SHRINKS` lines.
        """
        if self.lines > MAX_SHRINKS:
            raise SearchStoppedError
        self.inputs += 1
        self.lines += outcome.lines
        self.printed |= bool(outcome.printed)
        return outcome


@cache
def _hypothesis() -> Any:
    """Import hypothesis at its first use, with its storage folder outside the learner's folder."""
    if "HYPOTHESIS_STORAGE_DIRECTORY" not in os.environ:
        _hypothesis.folder = TemporaryDirectory(prefix="tokenlab-")  # type: ignore[attr-defined]
        os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = _hypothesis.folder.name  # type: ignore[attr-defined]
    import hypothesis

    return hypothesis


@contextlib.contextmanager
def _same_draws_everywhere() -> Iterator[None]:
    """Let what hypothesis draws depend on its seed only.

    It also draws constants from the source of all loaded modules outside site-packages (hypothesis/internal/conjecture/
    providers.py), so the inputs would depend on what ran before and on how the kit was installed.
    """
    from hypothesis.internal.conjecture import providers
    from hypothesis.internal.constants_ast import Constants

    with (
        patch.object(providers.HypothesisProvider, "_local_constants", Constants()),
        patch.object(providers, "CONSTANTS_CACHE", type(providers.CONSTANTS_CACHE)(1024)),
    ):
        yield
