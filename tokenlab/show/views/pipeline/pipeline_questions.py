"""Questions about the stages of a pipeline, from misconceptions 16, 33, 34 and 51.

The wrong options are the results of the programs of these misconceptions on the same text.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Any

from tokenlab.algorithms.text.alignment import Span
from tokenlab.libraries.tokenizers.encode_in_steps import (
    AddedTokensExtracted,
    Normalized,
    Part,
    TemplateApplied,
    Tokenized,
    TokenPart,
    Truncated,
)
from tokenlab.misconceptions.pipeline import byte_offsets, ignore_lstrip, normalized_positions
from tokenlab.misconceptions.streaming import double_bos, no_bos
from tokenlab.show.frames import Fact, Html, Option, Question, chip, chips, text
from tokenlab.show.views.elements.questions import ask
from tokenlab.show.views.pipeline.stage_rows import format_span, original_text
from tokenlab.show.views.text.text_rows import code
from tokenlab.steps.recording import Recording

LONGEST = 12  # tokens in an option


def pipeline_question(recording: Recording[Any, Any], number: int) -> Question | None:
    """Return a question about the next step, or about the normalized text that was just made."""
    following = recording[number]
    match following:
        case AddedTokensExtracted():
            found = _where_is_the_space(recording, number, following)
        case Tokenized():
            found = _spans_of_one_character(following)
        case TemplateApplied():
            found = _with_special_tokens(recording, number, following)
        case _:
            found = None
    last = recording[number - 1] if number else None
    if found is None and isinstance(last, Normalized) and not isinstance(following, Normalized):
        return _came_from(recording, last)
    return found


def _where_is_the_space(recording: Recording[Any, Any], number: int, step: AddedTokensExtracted) -> Question | None:
    """Ask for the part that has the space next to an added token; misconception 16 leaves the space in the text."""
    found = {part.original_span for part in _added_before(recording, number, step)}
    for place, part in enumerate(step.parts):
        content = part.text.strip()
        if part.added_id is None or part.original_span in found or part.text == content or not content:
            continue
        before, after = ("" if one is None or one.added_id is not None else one.text for one in _beside(step, place))
        wrong = ignore_lstrip(before + part.text + after, content)
        right = [one for one in (before, part.text, after) if one]
        facts: tuple[Fact, ...] = (("start", content, part.original_span[0]), ("end", content, part.original_span[1]))
        why = f"The added token takes the whitespace next to it. Its span is {format_span(part.original_span)}."
        sides = ["left"] * part.text[0].isspace() + ["right"] * part.text[-1].isspace()
        takes = f"The added token {chip(content)} takes the whitespace on its {' and '.join(sides)}"
        whole = chip(before + part.text + after)
        return ask(
            f"{takes}. How is {whole} split?",
            (chips(right), why),
            (16, chips(wrong), "In this answer, the space stays in the text."),
            given=(takes, whole),
            facts=facts,
        )
    return None


def _added_before(recording: Recording[Any, Any], number: int, step: AddedTokensExtracted) -> list[Part]:
    """Return the added tokens of the earlier pass over the same text."""
    return [
        part
        for one in recording[:number]
        if isinstance(one, AddedTokensExtracted) and (one.sequence, one.word) == (step.sequence, step.word)
        for part in one.parts
        if part.added_id is not None
    ]


def _beside(step: AddedTokensExtracted, place: int) -> tuple[Part | None, Part | None]:
    after = step.parts[place + 1] if place + 1 < len(step.parts) else None
    return step.parts[place - 1] if place else None, after


def _spans_of_one_character(step: Tokenized) -> Question | None:
    """Ask for the spans of tokens that share a character; misconception 33 gives each byte a separate span."""
    for (span, _), run in groupby(step.parts, key=lambda part: (part.original_span, part.normalized_span)):
        tokens: list[TokenPart] = list(run)
        if len(tokens) > 1 and span[1] - span[0] == 1:
            guess = byte_offsets([part.text for part in tokens], span[0])
            facts: tuple[Fact, ...] = (("tokens", str(span[0]), len(tokens)), ("start", str(span[0]), span[0]))
            why = f"The {len(tokens)} tokens come from the character at {format_span(span)}. They share its span."
            which = f"The character at position {span[0]} becomes {len(tokens)} tokens"
            shown = chips(part.text for part in tokens)
            return ask(
                f"{which}: {shown}. What are their original spans?",
                (_spans([span] * len(tokens)), why),
                (33, _spans(guess), "In this answer, each token has a different span."),
                given=(which, shown),
                facts=facts,
            )
    return None


def _spans(spans: list[Span]) -> Html:
    return text(", ".join(map(format_span, spans)))


def _came_from(recording: Recording[Any, Any], step: Normalized) -> Question | None:
    """Ask for the original span of a normalized character; misconception 34 gives its normalized position."""
    whole = original_text(recording, (step.sequence, step.word))
    for place, (character, span) in enumerate(_characters(step)):
        guess = normalized_positions((), place, place + 1)
        if span != guess and span[0] < span[1] and not character.isspace():
            facts: tuple[Fact, ...] = (("place", character, place), ("start", character, span[0]))
            came = f"It came from {chip(whole[slice(*span)])}, at {format_span(span)} of the original text."
            where = f"{chip(character)} is at position {place} of the normalized text"
            return ask(
                f"The text was {code(whole)}. {where}. What is its original span?",
                (format_span(span), came),
                (34, format_span(guess), f"{format_span(guess)} is its span in the normalized text."),
                given=(code(whole), where),
                facts=facts,
            )
    return None


def _characters(step: Normalized) -> Iterator[tuple[str, Span]]:
    for part in step.parts:
        yield from zip(part.text, part.spans, strict=True)


def _with_special_tokens(recording: Recording[Any, Any], number: int, step: TemplateApplied) -> Question | None:
    """Ask what the post-processor returns; misconception 51 adds a start token again, or expects none."""
    plain = [token for token, sequence in zip(step.tokens, step.sequences, strict=True) if sequence is not None]
    if (
        len(step.tokens) > LONGEST
        or step.tokens[:1] == tuple(plain[:1])
        or any(isinstance(one, Truncated) for one in recording[:number])
    ):
        return None
    start = step.tokens[0]
    special = sum(sequence is None for sequence in step.sequences)
    facts: tuple[Fact, ...] = (("special tokens", None, special),)
    why = f"The post-processor inserts {special} special tokens, once. Do not type or add them yourself."
    names = {token: place for place, token in enumerate(dict.fromkeys([*step.tokens, *plain]))}
    tokens = list(names)
    twice = [tokens[id] for id in double_bos([names[token] for token in step.tokens], names[start])]
    none = [tokens[id] for id in no_bos([names[token] for token in plain], names[start])]
    added = dict.fromkeys(token for token, of in zip(step.tokens, step.sequences, strict=True) if of is None)
    given = (f"The special tokens are {chips(added)}", f"for {chips(plain)}")
    return ask(
        f"{given[0]}. Which tokens does the post-processor return {given[1]}?",
        (chips(step.tokens), why),
        Option(chips(twice), f"This has two start tokens. {why}", misconception=51, facts=facts),
        Option(chips(none), f"This has no special tokens. {why}", misconception=51, facts=facts),
        given=given,
        facts=facts,
    )
