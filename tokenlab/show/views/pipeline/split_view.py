"""View of a split: the delimiters of a text, and the parts that its behaviour makes of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tokenlab.algorithms.pipeline.split_behavior import SplitPart
from tokenlab.printing.printable import count_noun
from tokenlab.show.frames import Frame, Html, Panel, StepRange, chip, labelled, sentence, text
from tokenlab.steps.recording import Recording

PARTS = 60  # parts of a row
RULES = {
    "removed": "Delimiters are removed.",
    "isolated": "Each delimiter is a separate part.",
    "merged_with_previous": "A delimiter is merged with the text directly before it.",
    "merged_with_next": "A delimiter is merged with the text directly after it.",
    "contiguous": "Neighbouring delimiters are merged with each other.",
}


def split_view(recording: Recording[Any, Any], window: StepRange) -> Iterator[Frame]:
    """Show a frame for the matches, and one after each delimiter or text between delimiters."""
    given = recording.arguments
    inverted = "The matches are text; everything between them is a delimiter. Delimiters are marked in the text."
    for number, done, _ in window.steps_around(recording):
        yield Frame(
            moment=f"After part {number}" if done else "The matches",
            caption=sentence(done) if done else _about(recording),
            remark=inverted if given["invert"] else "The matches are delimiters, which are marked in the text.",
            panels=(
                Panel(
                    "The split",
                    (
                        labelled("behavior", f"<code>{text(given['behavior'])}</code>"),
                        labelled("pattern", f"<code>{text(given['pattern'])}</code>"),
                        labelled("text", _chips(_text_chips(recording.steps))),
                        labelled("parts so far", _chips(_part_chips(recording.steps[:number]))),
                        labelled("rest", _chips(_text_chips(recording.steps[number:]))),
                    ),
                    kind="words",
                    wide=True,
                ),
            ),
        )


def _about(recording: Recording[Any, Any]) -> Html:
    found = count_noun(sum(step.delimiter for step in recording), "delimiter")
    return f"The text has {found}. {RULES[recording.arguments['behavior']]}"


def _text_chips(steps: Sequence[SplitPart]) -> list[Html]:
    return [chip(step.text, "new" if step.delimiter else "") for step in steps if step.text]


def _part_chips(steps: Sequence[SplitPart]) -> list[Html]:
    parts: list[str] = []
    for step in steps:
        if len(step.result) > len(step.text):
            parts[-1:] = [step.result]
        elif step.result:
            parts.append(step.result)
    return [chip(part) for part in parts]


def _chips(chips: Sequence[Html]) -> Html:
    more = f" <small>and {len(chips) - PARTS:,} more</small>" if len(chips) > PARTS else ""
    return " ".join(chips[:PARTS]) + more or "<small>none</small>"
