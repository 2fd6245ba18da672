"""Checks of answers that are not functions: a step traced by hand, and an input that shows a program's bug."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tokenlab.check.feedback import FeedbackLevels, Problem, Verdict
from tokenlab.check.isolated_run import display, plain_numbers, run
from tokenlab.check.result_types import type_difference, type_mismatch, type_rule
from tokenlab.check.trace_comparison import close_by_hand, equal_values, trace
from tokenlab.misconceptions.catalog import rule_of
from tokenlab.steps.recording import Recording

if TYPE_CHECKING:
    from tokenlab.show.player import Player


@dataclass(frozen=True)
class AnswerCheck:
    """Check a step traced by hand; fractions may be rounded to 2 decimal places.

    Args:
        recording: returns the recording of the run that was traced by hand.
        answers: returns the right answers from the recording, in the order of the task.
        names: a noun phrase in the singular for each answer, such as "The list of scores".
        rules: the rule for each answer, shown on the second level.
        sums: returns sentences that compute the answers, from the recording; the steps alone may not show a sum.
    """

    recording: Callable[[], Recording[Any, Any]]
    answers: Callable[[Recording[Any, Any]], tuple[Any, ...]]
    names: tuple[str, ...]
    rules: tuple[str, ...]
    sums: Callable[[Recording[Any, Any]], Iterable[str]] = lambda recording: ()
    ladder: FeedbackLevels = field(default_factory=FeedbackLevels, compare=False)

    def __call__(self, *given: Any) -> Verdict:
        """Check the learner's answers."""
        if len(given) != len(self.names):
            return self.ladder.wrong(Problem(_another_number(self.names, given)))
        if any(answer is ... for answer in given):
            return self.ladder.unwritten()
        recording = self.recording()
        right = self.answers(recording)
        sums = tuple(self.sums(recording))
        for name, rule, mine, wanted in zip(self.names, self.rules, map(plain_numbers, given), right, strict=True):
            types = _of_answer(type_mismatch(mine, wanted))
            if types or not close_by_hand(mine, wanted):
                seen = f"{name} is not {display(mine)}. {types}".rstrip()
                rule = type_rule(type_difference(mine, wanted)) if types else rule
                reveals = "the correct run with all answers of this task"
                return self.ladder.wrong(Problem(seen, rule, recording.play, sums, reveals, name))
        steps = f"Step by step:\n{recording}" if len(recording) < 9 else ""
        return self.ladder.right(steps, *sums)


@dataclass(frozen=True)
class BugCheck:
    """Check whether an input shows the bug of a program.

    Args:
        program: the wrong program of a misconception; the rule that it breaks is shown on the second level.
        right: the right program.
        input_problem: returns why an input is not usable, or "". The task uses its parameter names.
        example: an input that shows the bug; both programs are traced on it on the third level.
        use: calls one of the two programs with the learner's input, which by default is its arguments.
        same: compares the program's result with the right one.
    """

    program: Callable[..., Any]
    right: Callable[..., Any]
    input_problem: Callable[..., str]
    example: tuple[Any, ...]
    use: Callable[..., Any] = lambda program, *given: program(*given)
    same: Callable[[Any, Any], bool] = equal_values
    ladder: FeedbackLevels = field(default_factory=FeedbackLevels, compare=False)

    @property
    def rule(self) -> str:
        """The rule that the program breaks."""
        return rule_of(self.program)

    def _called(self, program: Callable[..., Any]) -> Callable[..., Any]:
        """Return a program as a function of the learner's input."""
        return lambda *given: self.use(program, *given)

    def __call__(self, *given: Any) -> Verdict:
        """Check the learner's input."""
        if any(part is ... for part in given):
            return self.ladder.unwritten()
        names = tuple(inspect.signature(self.input_problem).parameters)
        if len(given) != len(names):
            return self.ladder.wrong(Problem(_another_number(names, given)))
        if lacking := self._lacking(given):
            return self.ladder.wrong(self._finding(lacking, kind="unusable"))
        wrong, right = (run(self._called(program), given) for program in (self.program, self.right))
        if right.problem:
            return self.ladder.wrong(Problem(f"The right program cannot take this input either: it {right.problem}."))
        if not wrong.problem and self.same(wrong.value, right.value):
            return self.ladder.wrong(self._finding(f"Here the program gives {display(right.value)}, which is right."))
        return self.ladder.right(f"The program {wrong}, where {display(right.value)} is right.")

    def _finding(self, seen: str, kind: str = "") -> Problem:
        traced = f"An input that shows it: {', '.join(map(display, self.example))}."
        return Problem(seen, self.rule, self._traces, (traced,), "an input that shows the bug, with both runs", kind)

    def _lacking(self, given: tuple[Any, ...]) -> str:
        try:
            return self.input_problem(*given)
        except Exception as error:
            return f"This input cannot be used: looking at it raises {type(error).__name__}."

    def _traces(self) -> Player:
        from tokenlab import show

        return show.compare(
            trace(self._called(self.program), self.example, None, "program"),
            trace(self._called(self.right), self.example, None, "expected"),
        )


def _of_answer(types: str) -> str:
    """Return a sentence on types as one on an answer, which may be a list or a tuple.

    >>> _of_answer("The result should be a tuple of strings, not a string.")
    'It should be a list or a tuple of strings, not a string.'
    """
    types = types.replace("The result", "It").replace("of the result", "of it")
    return re.sub(r"be a (list|tuple)\b(?! or)", "be a list or a tuple", types, count=1)


def _another_number(names: Sequence[str], given: Sequence[Any]) -> str:
    values = "one value" if len(names) == 1 else f"{len(names)} values"
    return f"Give {values}: {', '.join(names)}. You gave {len(given)}."


def summed(terms: Iterable[float]) -> str:
    """Return a sum in words; a negative number is in parentheses.

    >>> summed([3, 4]), summed([7]), summed([-1, -2]), summed([0.5, 0.25])
    ('3 + 4 = 7', '7', '(-1) + (-2) = -3', '0.5 + 0.25 = 0.75')
    """
    numbers = [*terms]
    written = " + ".join(f"({number:g})" if number < 0 else f"{number:g}" for number in numbers)
    return f"{written} = {sum(numbers):g}" if len(numbers) > 1 else f"{sum(numbers):g}"
