"""Rows of linked characters, parts and tokens: one row for the text at each stage of a pipeline.

Adds: the places of each part, by which the player links it to parts of other rows (`data-at`, `data-to`).
Leaves out: the frames and their other panels; see `stages_view`.

A part has places in two coordinate systems, the original text and the normalized text. Two parts that both have
normalized places are linked by these, and any other two by their original places.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from tokenlab.algorithms.text.alignment import Span
from tokenlab.libraries.tokenizers.encode_in_steps import (
    AddedTokensExtracted,
    EncodingProgress,
    Normalized,
    Padded,
    Part,
    PreTokenized,
    TemplateApplied,
    Tokenized,
    TokenPart,
    Truncated,
)
from tokenlab.printing.printable import printable
from tokenlab.show.frames import Html, labelled, text
from tokenlab.steps.recording import Recording

LONGEST = 160  # characters of the original or normalized text, and parts of a row, that are shown
LONGEST_PART = 40  # characters of a part that are shown

TextStage: TypeAlias = AddedTokensExtracted | Normalized | PreTokenized | Tokenized
TEXT_STAGES = (AddedTokensExtracted, Normalized, PreTokenized, Tokenized)


@dataclass(frozen=True)
class Places:
    """The places of a part in one sequence; `normalized` is None before the last normalizer."""

    sequence: str  # distinguishes the sequences, and the words of a pre-tokenized sequence
    original: Span | None
    normalized: Span | None = None
    is_original: bool = False  # the part is a character of the original text

    @property
    def attributes(self) -> Html:
        """The attributes with the places of the part, and with those that it is linked to."""
        original = self._named("o", self.original)
        characters = self._named("c", self.original)
        normalized = self._named("n", self.normalized)
        match self.normalized:
            case None if self.is_original:
                at, to = characters, characters + original
            case None:
                at = to = characters + original
            case _:
                at, to = normalized + original, normalized + characters
        return f'data-at="{" ".join(at)}" data-to="{" ".join(to)}" title="{text(self.sentence)}"'

    def _named(self, kind: str, span: Span | None) -> list[str]:
        if span is None:
            return []
        start, end = (min(max(place, 0), 2 * LONGEST) for place in span)
        return [f"{self.sequence}{kind}{place}" for place in range(start, end)]

    @property
    def sentence(self) -> str:
        """The spans in words.

        >>> Places("", (3, 4), (3, 6)).sentence
        'original 3–4, normalized 3–6'
        """
        spans = (("original", self.original), ("normalized", self.normalized))
        said = [f"{name} {format_span(span)}" for name, span in spans if span is not None]
        return ", ".join(said) or "inserted, from no character"


def format_span(span: Span) -> str:
    """Format a span: its start, and its end, which is exclusive.

    >>> format_span((0, 3))
    '0–3'
    """
    return f"{span[0]}–{span[1]}"


def part_chip(shown: str, places: Places, mark: str = "", first: bool = False) -> Html:
    """Return a linked part as a button; the first of a row is reached by the Tab key."""
    written = printable(shown)
    if len(written) > LONGEST_PART:
        written = f"{written[: LONGEST_PART - 1]}…"
    marked = f" class={mark}" if mark else ""
    return f"<b{marked} role=button tabindex={0 if first else -1} {places.attributes}>{text(written) or '∅'}</b>"


def row_of_parts(name: str, chips: Sequence[Html], cells: bool = False, note: str = "") -> Html:
    """Return a labelled row; `cells` are single characters with their positions."""
    more = [f"<small>… and {len(chips) - LONGEST:,} more</small>"] if len(chips) > LONGEST else []
    inside = " ".join([*chips[:LONGEST], *more]) or "<small>nothing</small>"
    label = f"{text(name)}{f'<small> {text(note)}</small>' if note else ''}"
    row = labelled(label, inside)
    return row.replace("<div>", "<div class=tl-cells>", 1) if cells else row


# --- the rows of a recording ------------------------------------------------------------------------


def stage_rows(recording: Recording[Any, Any], number: int) -> Iterator[Html]:
    """Yield the rows after `number` steps: the original text, and the text after each stage so far."""
    done = recording.steps[:number]
    newest = next((step for step in reversed(done) if isinstance(step, TEXT_STAGES)), None)
    first = next((step for step in recording if isinstance(step, TEXT_STAGES)), None)
    group = _group(newest or first)
    if not done or isinstance(done[-1], TEXT_STAGES):
        yield from _group_rows(recording, group, done)
        return
    groups = dict.fromkeys(_group(step) for step in done if isinstance(step, TEXT_STAGES))
    for one in list(groups)[:4]:
        yield from _group_rows(recording, one, done)
    names = {Truncated: "truncated", TemplateApplied: "special tokens", Padded: "padded"}
    for place, step in enumerate(done, start=1):
        if type(step) in names:
            yield row_of_parts(names[type(step)], _output_chips(recording, place))


def _group(step: Any) -> tuple[int, int | None]:
    """Return the sequence of a stage, and the word of a pre-tokenized sequence."""
    return (step.sequence, step.word) if step is not None else (0, None)


def _name_of_group(group: tuple[int, int | None]) -> str:
    sequence, word = group
    return f"{'ab'[sequence % 2]}{'' if word is None else word}"


def _group_rows(recording: Recording[Any, Any], group: tuple[int, int | None], done: Sequence[Any]) -> Iterator[Html]:
    key = _name_of_group(group)
    original = original_text(recording, group)
    cells = [
        part_chip(character, Places(key, (place, place + 1), is_original=True), first=not place)
        for place, character in enumerate(original[: LONGEST + 1])
    ]
    note = f"word {group[1] + 1}" if group[1] is not None else f"text {group[0] + 1}" if is_pair(recording) else ""
    yield row_of_parts("original", cells, cells=True, note=note)
    final = last_normalizer(recording, group)
    before: TextStage | str = original
    for place, step in enumerate(recording.steps[: len(done)]):
        if isinstance(step, TEXT_STAGES) and _group(step) == group:
            yield _stage_row(recording, step, key, place >= final, before)
            before = step


def _pieces(stage: TextStage | str, of_one: bool) -> set[tuple[str, Span]]:
    """Return the parts of a stage with their original spans, or their characters; a text is its own only part."""
    if isinstance(stage, str):
        return {(one, (n, n + 1)) for n, one in enumerate(stage)} if of_one else {(stage, (0, len(stage)))}
    if of_one and not isinstance(stage, Tokenized):
        return {pair for part in stage.parts for pair in zip(part.text, part.spans, strict=True)}
    return {(part.text, part.original_span) for part in stage.parts}


def original_text(recording: Recording[Any, Any], group: tuple[int, int | None]) -> str:
    """Return the text of a sequence, or one word of a pre-tokenized sequence."""
    sequence, word = group
    given = recording.arguments["pair" if sequence else "sequence"]
    shown = given if word is None else given[word]
    return shown if isinstance(shown, str) else str(shown)


def is_pair(recording: Recording[Any, Any]) -> bool:
    """Return True if two sequences are encoded."""
    return recording.arguments.get("pair") is not None


def last_normalizer(recording: Recording[Any, Any], group: tuple[int, int | None]) -> int:
    """Return the index of the first step after which spans refer to the final normalized text."""
    stages = [place for place, step in enumerate(recording) if isinstance(step, TEXT_STAGES) and _group(step) == group]
    changing = [place for place in stages if isinstance(recording[place], Normalized)]
    later = [place for place in stages if not _is_first_pass(recording[place])]
    return max(changing, default=min(later, default=len(recording)))


def _is_first_pass(step: TextStage) -> bool:
    return isinstance(step, AddedTokensExtracted) and not step.normalized_pass


def _stage_row(
    recording: Recording[Any, Any], step: TextStage, key: str, normalized: bool, before: TextStage | str
) -> Html:
    """Return the row of a stage; what is not in the stage `before` it is marked, which shows while the row is last."""
    old = _pieces(before, of_one=isinstance(step, Normalized) and normalized)
    if isinstance(step, Tokenized):
        added = added_tokens(recording)
        chips = [
            token_chip(part, key, added, not place, (part.text, part.original_span) not in old)
            for place, part in enumerate(step.parts)
        ]
        return row_of_parts("tokens", chips)
    if isinstance(step, Normalized) and normalized:
        return row_of_parts("normalized", list(_characters(step.parts, key, old)), cells=True, note=step.rule)
    chips = [
        part_chip(
            part.text,
            Places(key, part.original_span, part.normalized_span if normalized else None),
            _mark(part.added_id is not None, (part.text, part.original_span) not in old),
            first=not place,
        )
        for place, part in enumerate(step.parts)
    ]
    match step:
        case AddedTokensExtracted():
            where = "in the normalized text" if step.normalized_pass else "in the original text"
            return row_of_parts("added tokens", chips, note=where)
        case Normalized():
            return row_of_parts("rewritten", chips, note=step.rule)
        case _:
            return row_of_parts("pre-tokens", chips, note=step.rule)


def _mark(added: bool, changed: bool) -> str:
    return "inserted" if added and changed else "added" * added + "changed" * changed


def _characters(parts: Sequence[Part], key: str, old: set[tuple[str, Span]]) -> Iterator[Html]:
    """Yield the characters of the normalized text, each with its own original span."""
    place = 0
    for part in parts:
        for character, original in zip(part.text, part.spans, strict=True):
            if place <= LONGEST:
                mark = _mark(part.added_id is not None, (character, original) not in old)
                yield part_chip(character, Places(key, original, (place, place + 1)), mark, first=not place)
            place += 1


def added_tokens(recording: Recording[Any, Any]) -> set[tuple[str, int, Span]]:
    """Return the name of the text, the id and the original span of each added token in the text."""
    return {
        (_name_of_group(_group(step)), part.added_id, part.original_span)
        for step in recording
        if isinstance(step, AddedTokensExtracted)
        for part in step.parts
        if part.added_id is not None
    }


def token_chip(
    part: TokenPart, key: str, added: set[tuple[str, int, Span]], first: bool = False, changed: bool = False
) -> Html:
    """Return a token as a linked part; those in `added` are marked."""
    mark = _mark((key, part.id, part.original_span) in added, changed)
    return part_chip(part.text, Places(key, part.original_span, part.normalized_span), mark, first)


# --- what the model receives --------------------------------------------------------------------------

OUTPUT_STAGES = (Tokenized, Truncated, TemplateApplied, Padded)


def encoding_after(recording: Recording[Any, Any], number: int) -> EncodingProgress:
    """Return the tokens of each sequence, and those of the output, after some steps."""
    progress = EncodingProgress()
    for step in recording.steps[:number]:
        if isinstance(step, OUTPUT_STAGES):
            step.apply(progress)
    return progress


def _output_chips(recording: Recording[Any, Any], number: int) -> list[Html]:
    """Return the tokens after some steps; those that the last of them inserted are marked."""
    added = added_tokens(recording)
    old = {token.text for token in encoding_after(recording, number - 1).output if not token.part}
    return [
        token_chip(token.part, _name_of_group((token.sequence, token.word)), added, first=not place)
        if token.part
        else part_chip(token.text, Places("", None), _mark(True, token.text not in old), first=not place)
        for place, token in enumerate(encoding_after(recording, number).output[: LONGEST + 1])
    ]
