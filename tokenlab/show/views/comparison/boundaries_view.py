"""View of the boundaries of a word: those of its tokens, and those of its morphemes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tokenlab.show.frames import Frame, Panel, StepRange, chips, labelled, sentence
from tokenlab.steps.recording import Recording


def boundaries_view(recording: Recording[Any, Any], window: StepRange) -> Iterator[Frame]:
    """Show a frame for the word, and one for each boundary."""
    rows = [labelled(name, chips(recording.arguments[name])) for name in ("tokens", "morphemes")]
    for count, last, _ in window.steps_around(recording):
        done = recording.steps[:count]
        right = sum(one.of_tokens and one.of_morphemes for one in done)
        counts = (
            labelled("of both", str(right)),
            labelled("of tokens", str(sum(one.of_tokens for one in done))),
            labelled("of morphemes", str(sum(one.of_morphemes for one in done))),
        )
        yield Frame(
            moment=f"Index {last.index}" if last else "The word",
            caption=sentence(last)
            if last
            else "At which indices does a token end? At which indices does a morpheme end?",
            panels=(Panel("The word", tuple(rows), "words"), Panel("Boundaries so far", counts, "words")),
        )
