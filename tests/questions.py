"""What a recording asks in the player, and what holds for all questions."""

from __future__ import annotations

from typing import Any

from tokenlab.show.frames import Frame, Question
from tokenlab.steps import Recording


def frames(recording: Recording[Any, Any], **options: Any) -> tuple[Frame, ...]:
    """The frames of its first player."""
    return recording.play(**options).tracks[0].frames


def questions(recording: Recording[Any, Any]) -> dict[int, Question]:
    """The questions of a recording by the number of steps done; what holds for all of them holds here."""
    asked = {number: frame.question for number, frame in enumerate(frames(recording)) if frame.question}
    assert len(asked) <= 5
    assert 0 not in asked
    for question in asked.values():
        assert sum(option.right for option in question.options) == 1
        assert len({option.label for option in question.options}) == len(question.options) > 1
        assert all(option.why and bool(option.belief) != option.right for option in question.options)
    return asked


def options_of(question: Question) -> dict[int, str]:
    """The labels by belief; the right one under 0."""
    return {option.belief: option.label for option in question.options}
