"""The captions of a recording's view as plain text, so that terminal and player state a rule in the same words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tokenlab.show.frames import Frame, StepRange
from tokenlab.show.views import view_of
from tokenlab.steps.recording import Recording


def frames(recording: Recording[Any, Any], steps: int) -> Iterator[Frame]:
    """Yield the frames of the player after each of the first steps, without the frame before step 1.

    >>> from tokenlab.algorithms.wordpiece.encode import encode_word
    >>> from tokenlab.show.plain_text import plain_text
    >>> [plain_text(frame.caption) for frame in frames(encode_word.record("a", {"a"}), 1)]
    ['a is in the vocabulary: token at 0.']
    """
    shown = iter(view_of(recording.function)(recording, StepRange(0, min(steps, len(recording)))))
    next(shown, None)
    yield from shown
