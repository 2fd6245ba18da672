"""A check of a function that a learner wrote: against the right one, on inputs that are drawn and made small.

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

import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import wraps
from typing import TYPE_CHECKING, Any

from tokenlab.check.given import complaint, unwritten
from tokenlab.check.running import Outcome, run, shown
from tokenlab.check.searching import PATIENCE, TRIED, Tally, drawn, smallest
from tokenlab.check.traces import Asking, alike, trace
from tokenlab.check.verdict import Finding, Ladder, Verdict

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

    from tokenlab.show.player import Player
    from tokenlab.steps import Recording

Function = Callable[..., Any]

FICKLE = (
    "was wrong a moment ago, and is right now. The same input should always give the same result; does something live "
    "on between two calls, such as a list that is a default argument?"
)
COMPARED = 100  # inputs on which wrong programs are compared with a learner's


@dataclass(frozen=True)
class Use:
    """How a function is used on an input where it is not simply called with it.

    Args:
        parameters: what the function itself takes.
        result: from the function and the input to what is compared.
        written: from the function's name and the input to that use as it would be written.
    """

    parameters: tuple[str, ...]
    result: Callable[..., Any]
    written: Callable[..., str]

    def of(self, function: Function) -> Function:
        """A function of the input that uses this one."""
        return wraps(function)(lambda *arguments: self.result(function, *arguments))


@dataclass(frozen=True)
class FunctionCheck:
    """Tells a learner whether their function does what the right one does, and where it does not.

    Args:
        reference: the right function; its parameters' names are those of the task.
        inputs: makes the strategy for tuples of positional arguments.
        rule: what is said on the second level if no known wrong program explains the result.
        examples: inputs that are tried first.
        edges: inputs that are tried last, if nothing else went wrong.
        wrong: wrong programs with the signature of the task, each with the rule that it breaks.
        asking: how the same input is asked about part by part, for the traces.
        use: how the function is used on an input, where it is not simply called with it.
        same: whether a result is right, given the right one; lists count as tuples unless this says otherwise.
        tried: how many inputs are drawn.
    """

    reference: Function
    inputs: Callable[[], SearchStrategy[Any]]
    rule: str
    examples: Sequence[tuple[Any, ...]] = ()
    edges: Sequence[tuple[Any, ...]] = ()
    wrong: tuple[tuple[Function, str], ...] = ()
    asking: Asking | None = None
    use: Use | None = None
    same: Callable[[Any, Any], bool] = alike
    tried: int = TRIED
    ladder: Ladder = field(default_factory=Ladder, compare=False)

    def __call__(self, function: Any = None) -> Verdict:
        """Check a function."""
        if problem := complaint(function, self.parameters):
            return self.ladder.wrong(Finding(f"{problem}."))
        if unwritten(function):
            return self.ladder.unwritten()
        tally = Tally()
        arguments = self.counterexample(function, tally)
        if arguments is None:
            return self.ladder.right(*_praise(tally))
        return self.ladder.wrong(self.finding(function, arguments))

    @property
    def parameters(self) -> tuple[str, ...]:
        """What a function is called with."""
        return self.use.parameters if self.use else tuple(inspect.signature(self.reference).parameters)

    def counterexample(self, function: Function, tally: Tally | None = None) -> tuple[Any, ...] | None:
        """The smallest arguments on which a function is wrong, or None."""
        tally = tally or Tally()

        def fails(arguments: tuple[Any, ...]) -> bool:
            return not self._passes(tally.add(self._run(function, arguments)), arguments)

        found: tuple[Any, ...] | None = smallest(self.inputs(), fails, self.examples, self.edges, self.tried)
        return found

    def finding(self, function: Function, arguments: tuple[Any, ...]) -> Finding:
        """What is wrong with a function on these arguments."""
        outcome = self._run(function, arguments)
        written = self._written(function, arguments)
        if self._passes(outcome, arguments):
            return Finding(f"{written} {FICKLE}")
        rule = self._rule_broken(function, arguments, outcome)
        return Finding(f"{written} {outcome}.", rule, lambda: self._traces(function, arguments))

    def _rule_broken(self, function: Function, arguments: tuple[Any, ...], outcome: Outcome) -> str:
        """The rule that a known wrong program breaks which mostly does the same; else the rule of the task."""
        explain = [one for one in self.wrong if self._same_outcome(self._run(one[0], arguments), outcome)]
        if not explain:
            return self.rule
        others = [*self.examples, *drawn(self.inputs(), COMPARED)]
        mine = [(other, self._run(function, other)) for other in others]
        failed = [(other, outcome) for other, outcome in mine if not self._passes(outcome, other)]

        def agreements(program: Function) -> int:
            return sum(self._same_outcome(self._run(program, other), outcome) for other, outcome in failed)

        best, (_, rule) = max(((agreements(one[0]), one) for one in explain), key=lambda both: both[0])
        return rule if 2 * best >= len(failed) else self.rule

    def _same_outcome(self, theirs: Outcome, mine: Outcome) -> bool:
        if theirs.problem or mine.problem:
            return _kind(theirs) == _kind(mine)
        return self.same(mine.value, theirs.value)

    def _run(self, function: Function, arguments: tuple[Any, ...]) -> Outcome:
        return run(self.use.of(function) if self.use else function, arguments)

    def _passes(self, outcome: Outcome, arguments: tuple[Any, ...]) -> bool:
        return not outcome.problem and self.same(outcome.value, self._run(self.reference, arguments).value)

    def _written(self, function: Function, arguments: tuple[Any, ...]) -> str:
        return self.use.written(_name(function), *arguments) if self.use else call(function, arguments)

    def _traces(self, function: Function, arguments: tuple[Any, ...]) -> Player:
        from tokenlab import show

        def traced(program: Function, title: str) -> Recording[Any, Any]:
            return trace(self.use.of(program) if self.use else program, arguments, self.asking, title)

        return show.compare(traced(function, "yours"), traced(self.reference, "expected"))


def _praise(tally: Tally) -> Iterator[str]:
    yield f"It was tried on {tally.inputs} inputs, some of them nasty."
    if tally.lines > PATIENCE:
        yield "It takes long; a quicker one is tried on more."
    if tally.printed:
        yield "It also prints; take that out when you no longer need it."


def _kind(outcome: Outcome) -> str:
    """The problem, less the line in which it came up."""
    return re.split(r", in line|: after", outcome.problem)[0]


def call(function: Function, arguments: Iterable[Any]) -> str:
    """The call as it would be written.

    >>> call(len, (("a", "b"),))
    "len(('a', 'b'))"
    """
    return f"{_name(function)}({', '.join(map(shown, arguments))})"


def _name(function: Function) -> str:
    return str(getattr(function, "__name__", "your_function"))
