"""Checks of answers that are not functions: a step traced by hand, and an input that shows the bug of a program."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tokenlab.check.running import run, shown
from tokenlab.check.traces import alike, trace
from tokenlab.check.verdict import Finding, Ladder, Verdict
from tokenlab.steps import Recording

if TYPE_CHECKING:
    from tokenlab.show.player import Player


@dataclass(frozen=True)
class AnswerCheck:
    """Tells whether a step was traced right.

    Args:
        recording: makes the recording of the run that was traced by hand.
        answers: reads from it the right answers, in the order of the task.
        rules: for each answer, what is said on the second level.
        names: for each answer, how a sentence calls it.
    """

    recording: Callable[[], Recording[Any, Any]]
    answers: Callable[[Recording[Any, Any]], tuple[Any, ...]]
    names: tuple[str, ...]
    rules: tuple[str, ...]
    ladder: Ladder = field(default_factory=Ladder, compare=False)

    def __call__(self, *given: Any) -> Verdict:
        """Check what the learner found."""
        if len(given) != len(self.names):
            return self.ladder.wrong(Finding(_another_number(self.names, given)))
        if any(answer is ... for answer in given):
            return self.ladder.unwritten()
        recording = self.recording()
        right = self.answers(recording)
        for name, rule, mine, wanted in zip(self.names, self.rules, given, right, strict=True):
            if not alike(mine, wanted):
                return self.ladder.wrong(Finding(f"{name} is not {shown(mine)}.", rule, recording.play))
        return self.ladder.right(f"Step by step:\n{recording}" if len(recording) < 9 else "")


@dataclass(frozen=True)
class BugCheck:
    """Tells whether an input shows the bug of a program.

    Args:
        wrong: the program, called with the learner's input.
        right: the same call of the right program.
        needs: says what an input lacks, as a sentence; nothing if it is fine. Its parameters' names are the task's.
        rule: what is said on the second level.
        example: an input that shows the bug; on the third level both programs are traced on it.
        same: whether the program's result is right, given the right one.
    """

    wrong: Callable[..., Any]
    right: Callable[..., Any]
    needs: Callable[..., str]
    rule: str
    example: tuple[Any, ...]
    same: Callable[[Any, Any], bool] = alike
    ladder: Ladder = field(default_factory=Ladder, compare=False)

    def __call__(self, *given: Any) -> Verdict:
        """Check the input that the learner found."""
        if any(part is ... for part in given):
            return self.ladder.unwritten()
        names = tuple(inspect.signature(self.needs).parameters)
        if len(given) != len(names):
            return self.ladder.wrong(Finding(_another_number(names, given)))
        if lacking := self._lacking(given):
            return self.ladder.wrong(self._finding(lacking))
        wrong, right = run(self.wrong, given), run(self.right, given)
        if right.problem:
            return self.ladder.wrong(Finding(f"The right program cannot take this input either: it {right.problem}."))
        if not wrong.problem and self.same(wrong.value, right.value):
            return self.ladder.wrong(self._finding(f"Here the program gives {shown(right.value)}, which is right."))
        return self.ladder.right(f"The program {wrong}, where {shown(right.value)} is right.")

    def _finding(self, seen: str) -> Finding:
        traced = f"An input that shows it: {', '.join(map(shown, self.example))}."
        return Finding(seen, self.rule, self._traces, traced)

    def _lacking(self, given: tuple[Any, ...]) -> str:
        try:
            return self.needs(*given)
        except Exception as error:
            return f"This input cannot be used: looking at it raises {type(error).__name__}."

    def _traces(self) -> Player:
        from tokenlab import show

        return show.compare(
            trace(self.wrong, self.example, None, "program"), trace(self.right, self.example, None, "expected")
        )


def _another_number(names: Sequence[str], given: Sequence[Any]) -> str:
    values = "one value" if len(names) == 1 else f"{len(names)} values"
    return f"Give {values}: {', '.join(names)}. You gave {len(given)}."
