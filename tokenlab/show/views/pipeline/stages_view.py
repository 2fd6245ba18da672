"""View of `Tokenizer.encode`: the text after each stage of the pipeline, linked in both directions.

A click on a character or a token shows what it is aligned with in every row, and both of its spans.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tokenlab.show.frames import Frame, Html, Panel, StepRange, text, view
from tokenlab.show.views.elements.numbers import count_noun
from tokenlab.show.views.elements.questions import questions_apart
from tokenlab.show.views.pipeline.pipeline_questions import added_before, pipeline_question
from tokenlab.show.views.pipeline.stage_rows import stage_rows
from tokenlab.show.views.pipeline.stage_tables import inputs_table, offsets_table, windows_panel
from tokenlab.steps import Recording
from tokenlab.tokenizers.encode_steps import (
    AddedTokensExtracted,
    Normalized,
    Padded,
    PreTokenized,
    TemplateApplied,
    Tokenized,
    Truncated,
)

QUESTIONS = 4  # maximum number
HOW_TO = "Click a character or a token to see what it is aligned with. Keys: ↑ and ↓ move, Enter picks, Escape ends."


@view("tokenlab.tokenizers.tokenizer.Tokenizer.encode")
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
            return "The pipeline changes this text in stages. Every part remembers the characters that it came from."
        case AddedTokensExtracted():
            matched = sum(part.added_id is not None for part in done.parts)
            found = count_noun(matched - len(added_before(recording, number - 1, done)), "added token")
            where = "normalized" if done.normalized_pass else "original"
            return f"{found} matched in the {where} text. Later stages leave added tokens alone."
        case Normalized():
            changed = sum(len(part.text) for part in done.parts)
            return f"The normalized text has {count_noun(changed, 'character')}; each keeps its original span."
        case PreTokenized():
            return f"The text is split into {count_noun(len(done.parts), 'pre-token')}. No token crosses a boundary."
        case Tokenized():
            return f"The model splits each pre-token: {count_noun(len(done.parts), 'token')}."
        case Truncated():
            windows = count_noun(sum(map(len, done.windows)), "overflowing window")
            kept = " and ".join(f"{start} to {end}" for start, end in done.kept)
            return f"The tokens {text(kept)} are kept. The others are in {windows}."
        case TemplateApplied():
            special = sum(sequence is None for sequence in done.sequences)
            return f"The post-processor inserts {count_noun(special, 'special token')}. They came from no character."
        case Padded():
            added = done.attention_mask.count(0)
            return f"{count_noun(added, 'padding token')} on the {text(done.direction)}; the attention mask is 0 there."
    return text(done)
