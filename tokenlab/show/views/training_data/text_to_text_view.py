"""One model for many tasks: each source text with the generated text below it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from tokenlab.show.frames import Frame, Html, Panel, StepRange, chip, sentence, text
from tokenlab.steps.recording import Recording

SENTINEL = re.compile(r"(<extra_id_\d+>)")
TASKS = {  # by the prefix of the task
    "translate English to German: ": "A translation.",
    "translate English to Chinese: ": "Another language: only the prefix changes.",
    "past tense: ": "The same language: the verb changes.",
    "which is it, question or statement: ": "Classification, with the class as a word. The source has no final "
    "punctuation mark, which would give it away.",
}
KNOWN = {True: "✓ the grammar accepts it", False: "✗ the grammar does not accept it", None: ""}


def text_to_text_view(recording: Recording[Any, Any], window: StepRange) -> Iterator[Frame]:
    """Yield a frame before the first task, and one after each."""
    for number in window.positions:
        done = recording.steps[:number]
        rows = tuple(
            row for step in done for row in (_row("source", step.source), _row("output", step.generated, step))
        )
        yield Frame(
            moment=f"After task {number} of {len(recording)}" if done else "Before the first task",
            caption=sentence(done[-1] if done else "one model and one text-to-text format for every task"),
            remark=_task(done[-1].source) if done else "",
            panels=(Panel("The source text, and the generated text", rows, kind="words", wide=True),) if done else (),
        )


def _task(source: str) -> Html:
    if SENTINEL.search(source):
        return "Span corruption: the pre-training task."
    found = (task for prefix, task in TASKS.items() if source.startswith(prefix))
    return next(found, "")


def _row(name: str, content: str, step: Any = None) -> Html:
    """Return a row for a text with its sentinels as chips; with `step`, also whether the grammar accepts the text."""
    parts = " ".join(chip(part) if SENTINEL.fullmatch(part) else text(part) for part in SENTINEL.split(content))
    known = f" <small>{KNOWN[step.accepted]}</small>" if step else ""
    gap = "" if step else " style=margin-top:8px"
    return f"<li><span>{name}</span> <div{gap}><span>{parts or '(nothing)'}{known}</span></div>"
