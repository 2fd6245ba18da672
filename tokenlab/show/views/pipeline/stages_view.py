"""View of `Tokenizer.encode`: the text after each stage of the pipeline, linked in both directions.

A click on a character or a token shows what it is aligned with in every row, and both of its spans.
"""

from __future__ import annotations

from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import Any

from tokenlab.libraries.tokenizers.encode_steps import (
    AddedTokensExtracted,
    Normalized,
    Padded,
    PreTokenized,
    TemplateApplied,
    Tokenized,
    Truncated,
)
from tokenlab.printing.printable import count_noun
from tokenlab.show.frames import Frame, Html, Panel, StepRange, chip, sentence
from tokenlab.show.views.elements.questions import questions_apart
from tokenlab.show.views.pipeline.pipeline_questions import pipeline_question
from tokenlab.show.views.pipeline.stage_rows import original_text, stage_rows
from tokenlab.show.views.pipeline.stage_tables import inputs_table, offsets_table, windows_panel
from tokenlab.steps.recording import Recording

QUESTIONS = 4  # maximum number
CHANGES = 3  # changes of a normalizer that its caption names
UNCHANGED = "Nothing changes in this text."
LONGEST_COMPARED = 500  # characters of a text whose changes are named
HOW_TO = "Click a character or a token to see what it is aligned with. Keys: ↑ and ↓ move, Enter picks, Escape ends."


def stages_view(recording: Recording[Any, Any], window: StepRange) -> Iterator[Frame]:
    """Show a frame for the original text, and one after each stage."""
    asked = questions_apart(
        window.between_steps(recording), lambda number: pipeline_question(recording, number), QUESTIONS
    )
    for number, done, _ in window.steps_around(recording):
        yield Frame(
            moment=_moment(done),
            caption=_caption(recording, number, done),
            remark=HOW_TO,
            panels=tuple(_panels(recording, number)),
            question=asked.get(number),
        )


def _panels(recording: Recording[Any, Any], number: int) -> Iterator[Panel]:
    yield Panel("The text at every stage", tuple(stage_rows(recording, number)), kind="words", wide=True)
    done = recording[number - 1] if number else None
    match done:
        case Tokenized():
            yield offsets_table(recording, done)
        case Truncated():
            yield windows_panel(recording, done)
        case TemplateApplied() | Padded():
            yield inputs_table(recording, number - 1)


def _moment(done: Any) -> str:
    match done:
        case None:
            return "The original text"
        case AddedTokensExtracted():
            return "Added tokens, second pass" if done.normalized_pass else "Added tokens, first pass"
        case Normalized():
            return f"Normalizer {done.rule}"
        case PreTokenized():
            return f"Pre-tokenizer {done.rule}"
        case Tokenized():
            return f"Model {done.rule}".strip()
        case Truncated():
            return "Truncation"
        case TemplateApplied():
            return f"Post-processor {done.rule}"
        case Padded():
            return "Padding"
    return "Another stage"


def _caption(recording: Recording[Any, Any], number: int, done: Any) -> Html:
    if done is None:
        return "The pipeline changes this text in stages. Every part keeps its span of the original text."
    return (
        f"{sentence(done)} {normalizer_changes(recording, number)}" if isinstance(done, Normalized) else sentence(done)
    )


def normalizer_changes(recording: Recording[Any, Any], number: int) -> Html:
    """Name the changes of the normalizer that is the last of some steps, by comparing its text with the text before."""
    done = recording[number - 1]
    before = original_text(recording, (done.sequence, done.word))
    for step in recording[: number - 1]:
        is_text = isinstance(step, AddedTokensExtracted | Normalized)
        if is_text and (step.sequence, step.word) == (done.sequence, done.word):
            before = "".join(part.text for part in step.parts)
    after = "".join(part.text for part in done.parts)
    if before == after:
        return UNCHANGED
    if len(before) + len(after) > 2 * LONGEST_COMPARED:
        return f"The text now has {count_noun(len(after), 'character')}."
    changes = []
    for kind, start, end, new_start, new_end in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        old, new = chip(before[start:end]), chip(after[new_start:new_end])
        match kind:
            case "replace":
                changes.append(f"{old} becomes {new}")
            case "delete":
                changes.append(f"{old} is removed")
            case "insert":
                changes.append(f"{new} is inserted")
    changes = list(dict.fromkeys(changes))
    more = [f"and {len(changes) - CHANGES} more"] if len(changes) > CHANGES else []
    return f"{', '.join([*changes[:CHANGES], *more])}."
