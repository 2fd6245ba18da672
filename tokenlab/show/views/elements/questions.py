"""Build questions from a right answer and the answers of misconceptions, and select the steps to ask about."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from tokenlab.show.frames import Fact, Html, Option, Question


def ask(
    prompt: Html,
    right: tuple[Html, Html],
    *wrong: tuple[int, Html, Html] | Option,
    given: tuple[Html, ...],
    facts: tuple[Fact, ...] = (),
) -> Question | None:
    """Return a question in which each label occurs once; None if no misconception leads to another label.

    Args:
        prompt: the question.
        right: the label of the right option, and its reason.
        wrong: each wrong option as its misconception (or `OTHER`), its label, and a remark that precedes the reason of
            the right option; or as an `Option`, if it has its own reason or facts.
        given: the values that the answer is computed from, at least one: the frame or the prompt shows each of them.
        facts: the claims of the reason.
    """
    assert given
    label, why = right
    options = [Option(label, why, right=True, facts=facts)]
    for one in wrong:
        if not isinstance(one, Option):
            misconception, label, remark = one
            one = Option(label, f"{remark} {why}" if remark else why, misconception=misconception, facts=facts)
        if one.label not in {option.label for option in options}:
            options.append(one)
    believed = any(option.misconception > 0 for option in options)
    return Question(prompt, tuple(options), given) if believed else None


def questions_apart(
    numbers: Iterable[int], question: Callable[[int], Question | None], most: int
) -> dict[int, Question]:
    """Return the first questions by number of finished steps: at most `most`, and never at two steps in a row."""
    asked: dict[int, Question] = {}
    for number in numbers:
        if len(asked) < most and number - 1 not in asked and (found := question(number)):
            asked[number] = found
    return asked
