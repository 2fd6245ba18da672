"""View of `Tokenizer.encode`: the text after each stage of the pipeline, linked in both directions.

A click on a character or a token shows what it is aligned with in every row, and both of its spans.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tokenlab.libraries.tokenizers.encode_in_steps import (
    AddedTokensExtracted,
    Normalized,
    OutputToken,
    Padded,
    PreTokenized,
    TemplateApplied,
    Tokenized,
    Truncated,
)
from tokenlab.show.frames import Frame, Html, Panel, StepRange, chip, chips, labelled, sentence, text
from tokenlab.show.views.elements import token_tables
from tokenlab.show.views.elements.questions import questions_apart
from tokenlab.show.views.pipeline.pipeline_questions import pipeline_question
from tokenlab.show.views.pipeline.stage_rows import (
    encoding_after,
    format_span,
    is_pair,
    original_text,
    stage_rows,
)
from tokenlab.steps.recording import Recording

QUESTIONS = 4  # maximum number
ROWS, WINDOWS = 60, 12  # tokens of a table, and windows, that are shown
BEGINNING = "The pipeline changes this text in stages. Every part keeps its span of the original text."
HOW_TO = "Click a character or a token to see what it is aligned with; or use ↑, ↓, Enter and Escape."


def stages_view(recording: Recording[Any, Any], window: StepRange) -> Iterator[Frame]:
    """Show a frame for the original text, and one after each stage."""
    asked = questions_apart(
        window.between_steps(recording), lambda number: pipeline_question(recording, number), QUESTIONS
    )
    for number, done, _ in window.steps_around(recording):
        yield Frame(
            moment=_moment(done),
            caption=sentence(done) if done else BEGINNING,
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
            yield windows_panel(recording, number - 1)
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


# --- tables ---------------------------------------------------------------------------------------


def offsets_table(recording: Recording[Any, Any], step: Tokenized) -> Panel:
    """Return the id of each token, and its span in both coordinate systems."""
    whole = original_text(recording, (step.sequence, step.word))
    rows = [
        token_tables.row(
            chip(part.text),
            token_tables.number(str(part.id)),
            token_tables.number(format_span(part.normalized_span)),
            token_tables.number(format_span(part.original_span)),
            _cell(chip(whole[slice(*part.original_span)]) if len(set(part.original_span)) == 2 else "<small>∅</small>"),
        )
        for part in step.parts[:ROWS]
    ]
    head = token_tables.header_row(
        "token", "id", "normalized span", "original span", "original text of the span", numbers=3
    )
    return token_tables.table(
        "Offsets in both coordinate systems", [head, *rows, *_more(len(step.parts), 5)], width="40rem"
    )


def inputs_table(recording: Recording[Any, Any], place: int) -> Panel:
    """Return what the model receives after a template or padding: ids, type ids, and both masks."""
    step = recording[place]
    template = next((one for one in reversed(recording[:place]) if isinstance(one, TemplateApplied)), None)
    columns: list[tuple[str, Sequence[Any]]] = [("id", step.ids)]
    if isinstance(step, TemplateApplied):
        columns += [("type id", step.type_ids), ("special-tokens mask", step.special_tokens_mask)]
    else:
        columns += [("attention mask", step.attention_mask)]
        if template and len(template.type_ids) == len(step.ids):
            columns += [("type id", template.type_ids)]
    output = encoding_after(recording, place + 1).output
    spans = [format_span(part.original_span) if part else "0–0" for _, part, *_ in output]
    columns += [("original span", spans)]
    rows = [
        token_tables.row(chip(token), *(token_tables.number(str(values[index])) for _, values in columns))
        for index, token in enumerate(step.tokens[:ROWS])
    ]
    head = token_tables.header_row("token", *(name for name, _ in columns), numbers=len(columns))
    return token_tables.table(
        "What the model receives", [head, *rows, *_more(len(step.tokens), len(columns) + 1)], width="40rem"
    )


def windows_panel(recording: Recording[Any, Any], place: int) -> Panel:
    """Return the kept tokens and the overflowing windows, one row for each window of a sequence."""
    step, before = recording[place], encoding_after(recording, place).tokens
    rows: list[Html] = []
    for sequence, (kept, windows) in enumerate(zip(step.kept, step.windows, strict=False)):
        of, tokens = f", text {sequence + 1}" if is_pair(recording) else "", before.get(sequence, [])
        rows.append(_window(f"kept{of}", tokens, kept))
        for count, span in enumerate(windows[:WINDOWS], start=1):
            rows.append(_window(f"overflowing {count}{of}", tokens, span))
        if len(windows) > WINDOWS:
            rows.append(labelled("…", f"{len(windows) - WINDOWS} more"))
    return Panel("Windows", tuple(rows), kind="words", wide=True)


def _window(name: str, tokens: Sequence[OutputToken], span: tuple[int, int]) -> Html:
    start, end = (max(place, 0) for place in span)
    shown = chips(token.text for token in tokens[start:end][:ROWS]) or "<small>nothing</small>"
    return labelled(f"{name} <small>{text(format_span((start, end)))}</small>", shown)


def _cell(content: Html) -> Html:
    return f'<td style="padding:1px 8px;border:0;text-align:left">{content}'


def _more(length: int, columns: int) -> list[Html]:
    return [f"<tr><td colspan={columns}>… and {length - ROWS:,} more tokens"] if length > ROWS else []
