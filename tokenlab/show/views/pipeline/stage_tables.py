"""Tables of a pipeline: the offsets of the tokens, the inputs of the model, and overflowing windows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tokenlab.libraries.tokenizers.encode_in_steps import TemplateApplied, Tokenized, Truncated
from tokenlab.show.frames import Html, Panel, chip, labelled, text
from tokenlab.show.views.elements.token_tables import header_row, number, row, table
from tokenlab.show.views.pipeline.stage_rows import (
    format_span,
    original_text,
    output_tokens,
    tokens_of,
)
from tokenlab.steps.recording import Recording

ROWS = 60  # tokens of a table
WINDOWS = 12


def offsets_table(recording: Recording[Any, Any], step: Tokenized) -> Panel:
    """Return the id of each token, and its span in both coordinate systems."""
    whole = original_text(recording, (step.sequence, step.word))
    rows = [
        row(
            chip(part.text),
            number(str(part.id)),
            number(format_span(part.normalized_span)),
            number(format_span(part.original_span)),
            _cell(chip(whole[slice(*part.original_span)]) if len(set(part.original_span)) == 2 else "<small>∅</small>"),
        )
        for part in step.parts[:ROWS]
    ]
    head = header_row("token", "id", "normalized span", "original span", "original text of the span", numbers=3)
    return table("Offsets in both coordinate systems", [head, *rows, *_more(len(step.parts), 5)], width="40rem")


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
    spans = [format_span(part.original_span) if part else "0–0" for *_, part in output_tokens(recording, place)]
    columns += [("original span", spans)]
    rows = [
        row(chip(token), *(number(str(values[index])) for _, values in columns))
        for index, token in enumerate(step.tokens[:ROWS])
    ]
    head = header_row("token", *(name for name, _ in columns), numbers=len(columns))
    return table("What the model receives", [head, *rows, *_more(len(step.tokens), len(columns) + 1)], width="40rem")


def windows_panel(recording: Recording[Any, Any], step: Truncated) -> Panel:
    """Return the kept tokens and the overflowing windows, one row for each window of a sequence."""
    rows: list[Html] = []
    for sequence, (kept, windows) in enumerate(zip(step.kept, step.windows, strict=False)):
        rows.append(_window(recording, "kept", sequence, kept))
        for count, span in enumerate(windows[:WINDOWS], start=1):
            rows.append(_window(recording, f"overflowing {count}", sequence, span))
        if len(windows) > WINDOWS:
            rows.append(labelled("…", f"{len(windows) - WINDOWS} more"))
    return Panel("Windows", tuple(rows), kind="words", wide=True)


def _window(recording: Recording[Any, Any], name: str, sequence: int, span: tuple[int, int]) -> Html:
    start, end = (max(place, 0) for place in span)
    tokens = tokens_of(recording, sequence)[start:end][:ROWS]
    chips = " ".join(chip(part.text) for _, part in tokens) or "<small>nothing</small>"
    where = f"{name}, text {sequence + 1}" if recording.arguments.get("pair") is not None else name
    return labelled(f"{text(where)} <small>{text(format_span((start, end)))}</small>", chips)


def _cell(content: Html) -> Html:
    return f'<td style="padding:1px 8px;border:0;text-align:left">{content}'


def _more(length: int, columns: int) -> list[Html]:
    return [f"<tr><td colspan={columns}>… and {length - ROWS:,} more tokens"] if length > ROWS else []
