"""Questions of a recording in the player, with checks that apply to all questions."""

from __future__ import annotations

from typing import Any

from tokenlab.show.frames import OTHER, Frame, Question
from tokenlab.steps.recording import Recording


def frames(recording: Recording[Any, Any], **options: Any) -> tuple[Frame, ...]:
    """Return the frames of a recording's first player."""
    return recording.play(**options).tracks[0].frames


def questions(recording: Recording[Any, Any]) -> dict[int, Question]:
    """Return the questions of a recording by the number of steps done, after checking common properties."""
    asked = {number: frame.question for number, frame in enumerate(frames(recording)) if frame.question}
    assert len(asked) <= 5
    assert 0 not in asked
    for question in asked.values():
        assert sum(option.right for option in question.options) == 1
        assert len({option.label for option in question.options}) == len(question.options) > 1
        assert all(option.why and bool(option.misconception) != option.right for option in question.options)
    return asked


def options_of(question: Question) -> dict[int, str]:
    """The labels by misconception; the right one under 0. Options of no misconception are left out."""
    return {option.misconception: option.label for option in question.options if option.misconception != OTHER}
