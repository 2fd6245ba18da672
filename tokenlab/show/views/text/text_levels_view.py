"""View of the levels of a text on one ruler: characters, bytes, byte symbols and tokens, aligned by bytes.

Pointing at a unit, or focusing it, highlights the corresponding units of the other levels.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tokenlab.algorithms.text.byte_symbols import BYTE_TO_SYMBOL
from tokenlab.algorithms.text.representation_levels import Level
from tokenlab.printing.printable import printable
from tokenlab.show.frames import OTHER, Frame, Html, Panel, Question, StepRange, chip, sentence, text
from tokenlab.show.views.elements.questions import ask
from tokenlab.steps.recording import Recording

LONGEST = 96  # bytes on the ruler


def text_levels_view(recording: Recording[Any, Any], window: StepRange) -> Iterator[Frame]:
    """Show a frame for the text, and one for each level."""
    for number in window.positions:
        shown = recording.steps[:number]
        yield Frame(
            moment=shown[-1].name.capitalize() if shown else "The text",
            caption=sentence(shown[-1]) if shown else "How is this text represented as bytes and tokens?",
            remark="Point at a box to highlight the same characters in the other rows." if number > 1 else "",
            panels=(Panel("From characters to tokens", _rows(recording, shown), kind="lines", wide=True),),
            question=_question(recording, number),
        )


def _question(recording: Recording[Any, Any], number: int) -> Question | None:
    """Return one of two questions against misconception 10 (a vocabulary of bytes is one of characters)."""
    following = recording[number].name if number < len(recording) else ""
    characters, single_bytes = recording[0].units, recording[1].units
    if following == "bytes" and len(single_bytes) > len(characters):
        return _how_many_bytes(characters, len(single_bytes)) if len(single_bytes) <= LONGEST else None
    if following == "byte symbols" and b" " in single_bytes:
        why = "A space is invisible, so another, visible character represents its byte. The text does not change."
        sentencepiece = (OTHER, chip("▁"), "This is SentencePiece's symbol for a space, not a byte symbol.")
        return ask(
            "Which byte symbol represents a space, the byte 0x20?",
            (chip(BYTE_TO_SYMBOL[32]), why),
            (10, "a space", ""),
            sentencepiece,
            given=("the byte 0x20",),
        )
    return None


def _how_many_bytes(text_characters: Sequence[str], number: int) -> Question | None:
    characters = len(text_characters)
    why = f"There are {characters} characters, but UTF-8 uses up to 4 bytes for a character: {number} bytes in all."
    facts = (("characters", None, characters), ("bytes", None, number))
    most = (OTHER, str(4 * characters), "Not every character has 4 bytes.")
    wrong = (10, str(characters), "")
    given = (" ".join(text(printable(character)) for character in text_characters),)
    return ask("How many bytes does this text have?", (str(number), why), wrong, most, given=given, facts=facts)


def _rows(recording: Recording[Any, Any], shown: tuple[Level, ...]) -> tuple[Html, ...]:
    if not shown:
        return (f"<li>{text(recording.arguments['text'])}",)
    width = shown[0].spans[-1][1] if shown[0].spans else 0
    rows = tuple(_layer(layer) for layer in shown)
    more = f"<li>… the ruler shows the first {LONGEST} of {width:,} bytes"
    return (*rows, more) if width > LONGEST else rows


def _layer(layer: Level) -> Html:
    aligned = zip(layer.units, layer.spans, strict=True)
    parts = "".join(_part(layer, part, start, end) for part, (start, end) in aligned if end <= LONGEST)
    return f"<li class=tl-ruler><span>{text(layer.name)}</span> {parts}"


def _part(layer: Level, part: Any, start: int, end: int) -> Html:
    shown = printable(part)
    # A token that splits a character has no text; an unprintable character is shown by name.
    if isinstance(part, bytes) and (layer.name == "bytes" or shown.startswith("\\x")):
        shown = part.hex(" ")
    where = " ".join(map(str, range(max(start, 0), end)))
    column = f"grid-column:{start + 2}/{end + 2}"
    focus = 0 if layer.name in ("characters", "tokens") else -1
    return f'<b tabindex={focus} data-at="{where}" style={column}>{text(shown)}</b>'
