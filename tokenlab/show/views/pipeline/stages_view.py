"""View of `Tokenizer.encode`: the text after each stage of the pipeline, linked in both directions.

A click on a character or a token shows what it is aligned with in every row, and both of its spans.
"""

from __future__ import annotations

from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import Any

from tokenlab.libraries.tokenizers.encode_in_steps import (
    AddedTokensExtracted,
    Normalized,
    Padded,
    PreTokenized,
    TemplateApplied,
    Tokenized,
    Truncated,
)
from tokenlab.printing.printable import count_noun
from tokenlab.show.frames import Frame, Html, Panel, StepRange, chip, text
from tokenlab.show.views.elements.questions import questions_apart
from tokenlab.show.views.pipeline.pipeline_questions import added_before, pipeline_question
from tokenlab.show.views.pipeline.stage_rows import format_span, is_pair, original_text, stage_rows
from tokenlab.show.views.pipeline.stage_tables import inputs_table, offsets_table, windows_panel
from tokenlab.steps.recording import Recording

QUESTIONS = 4  # maximum number
CHANGES = 3  # changes of a normalizer that its caption names
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
    match done:
        case None:
            return "The pipeline changes this text in stages. Every part keeps its span of the original text."
        case AddedTokensExtracted():
            matched = sum(part.added_id is not None for part in done.parts)
            found = matched - len(added_before(recording, number - 1, done))
            where = "normalized" if done.normalized_pass else "original"
            if not found:
                return f"No added token matched in the {where} text."
            them = "it" if found == 1 else "them"
            return f"{count_noun(found, 'added token')} matched in the {where} text. Later stages leave {them} alone."
        case Normalized():
            return _normalized_caption(recording, number, done)
        case PreTokenized():
            return f"The text is split into {count_noun(len(done.parts), 'pre-token')}. No token crosses a boundary."
        case Tokenized():
            return f"The model splits the pre-tokens into {count_noun(len(done.parts), 'token')}."
        case Truncated():
            return _truncated_caption(recording, done)
        case TemplateApplied():
            special = sum(sequence is None for sequence in done.sequences)
            return f"The post-processor inserts {count_noun(special, 'special token')}, with the offsets (0, 0)."
        case Padded():
            added = done.attention_mask.count(0)
            return f"{count_noun(added, 'padding token')} on the {text(done.direction)}; the attention mask is 0 there."
    return text(done)


def _normalized_caption(recording: Recording[Any, Any], number: int, done: Normalized) -> Html:
    """Name the changes of a normalizer, found by comparing the text with the text of the stage before it."""
    before = original_text(recording, (done.sequence, done.word))
    for step in recording[: number - 1]:
        is_text = isinstance(step, AddedTokensExtracted | Normalized)
        if is_text and (step.sequence, step.word) == (done.sequence, done.word):
            before = "".join(part.text for part in step.parts)
    after = "".join(part.text for part in done.parts)
    rule = text(done.rule)
    if before == after:
        return f"{rule} changes nothing in this text."
    if len(before) + len(after) > 2 * LONGEST_COMPARED:
        return f"{rule} changes the text: it now has {count_noun(len(after), 'character')}."
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
    return f"{rule}: {', '.join([*changes[:CHANGES], *more])}."


def _truncated_caption(recording: Recording[Any, Any], done: Truncated) -> Html:
    """Name the ranges of tokens that are kept, and the number of overflowing windows of the encoding."""
    pair = is_pair(recording)
    names = [f" of text {sequence + 1}" if pair else "" for sequence in range(len(done.kept))]
    kept = " and ".join(f"{format_span(span)}{name}" for span, name in zip(done.kept, names, strict=True))
    number = done.combined()
    combined = " The windows of one text are combined with those of the other." if pair and number else ""
    windows = count_noun(number, "overflowing window")
    return f"The tokens {text(kept)} are kept (the end is exclusive).{combined} The encoding has {windows}."
