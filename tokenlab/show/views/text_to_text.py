"""One model and many tasks: beneath each text that is read stands the text that is written."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from tokenlab.show.frames import Frame, Html, Panel, Window, chip, text, view
from tokenlab.steps import Recording

SENTINEL = re.compile(r"(<extra_id_\d+>)")
CAPTIONS = {  # by the prefix of the task
    "translate English to German: ": "A translation.",
    "translate English to Chinese: ": "Another language: only the prefix changes.",
    "past tense: ": "The same language: the verb changes.",
    "which is it, question or statement: ": "A choice, written as a word. The last mark is left out: it would tell.",
}
KNOWN = {True: "✓ the grammar accepts it", False: "✗ the grammar does not accept it", None: ""}


@view("tokenlab.transformers.text_to_text.text_to_text")
def answers(recording: Recording[Any, Any], window: Window) -> Iterator[Frame]:
    """A frame before the first question, and one after each."""
    for number in range(window.first, window.end + 1):
        done = recording.steps[:number]
        rows = tuple(row for step in done for row in (_row("reads", step.reads), _row("writes", step.writes, step)))
        yield Frame(
            moment=f"After task {number} of {len(recording)}" if done else "Before the first task",
            caption=_caption(done[-1].reads) if done else "One model, one form, any task.",
            panels=(Panel("What the model reads, and what it writes", rows, kind="words", wide=True),) if done else (),
        )


def _caption(reads: str) -> Html:
    if SENTINEL.search(reads):
        return "A gap: the task of pre-training."
    found = (caption for prefix, caption in CAPTIONS.items() if reads.startswith(prefix))
    return next(found, "A text is read, and a text is written.")


def _row(name: str, written: str, step: Any = None) -> Html:
    """A text whose sentinels are chips, and whether it will do; what is read stands apart from what is above."""
    parts = " ".join(chip(part) if SENTINEL.fullmatch(part) else text(part) for part in SENTINEL.split(written))
    known = f" <small>{KNOWN[step.accepted]}</small>" if step else ""
    gap = "" if step else " style=margin-top:8px"
    return f"<li><span>{name}</span> <div{gap}><span>{parts or '(nothing)'}{known}</span></div>"
