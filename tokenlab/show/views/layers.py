"""Characters, bytes, glyphs and tokens on one ruler: each part stands over the bytes that it is made of.

Point at a part, or focus it, and what belongs to it on the other layers lights up.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tokenlab.algorithms.byte_alphabet import GLYPHS
from tokenlab.algorithms.layers import Layer, layers
from tokenlab.show.frames import Fact, Frame, Html, Option, Panel, Question, Window, chip, text, view
from tokenlab.steps import Recording
from tokenlab.visible import visible

LONGEST = 96  # bytes on the ruler


@view(layers)
def ruler(recording: Recording[Any, Any], window: Window) -> Iterator[Frame]:
    """A frame for the text, and one for each layer that is laid beneath it."""
    for number in range(window.first, window.end + 1):
        shown = recording.steps[:number]
        said = f"There are {shown[-1]}."[:300] if shown else "A text. What is beneath it?"
        yield Frame(
            moment=shown[-1].name.capitalize() if shown else "The text",
            caption=text(said),
            remark="Point at a part to see what belongs to it on the other layers." if number > 1 else "",
            panels=(Panel("From characters to tokens", _rows(recording, shown), kind="lines", wide=True),),
            question=_question(recording, number),
        )


def _question(recording: Recording[Any, Any], number: int) -> Question | None:
    """Two questions for those who believe that a vocabulary of bytes is one of characters (10)."""
    following = recording[number].name if number < len(recording) else ""
    characters, single_bytes = recording[0].parts, recording[1].parts
    if following == "bytes" and len(single_bytes) > len(characters):
        return _how_many_bytes(len(characters), len(single_bytes))
    if following == "glyphs" and b" " in single_bytes:
        why = "A blank cannot be seen, so its byte goes by another name. The text is the same."
        options = (Option("a blank", why, belief=10), Option(chip(GLYPHS[32]), why, right=True))
        return Question("Which glyph stands for a blank?", options).shuffled()
    return None


def _how_many_bytes(characters: int, number: int) -> Question:
    facts: tuple[Fact, ...] = (("characters", None, characters), ("bytes", None, number))
    why = f"There are {characters} characters, but UTF-8 needs up to four bytes for one: {number} in all."
    options = (Option(str(characters), why, belief=10, facts=facts), Option(str(number), why, True, facts=facts))
    return Question("How many bytes is that?", options).shuffled()


def _rows(recording: Recording[Any, Any], shown: tuple[Layer, ...]) -> tuple[Html, ...]:
    if not shown:
        return (f"<li>{text(recording.arguments['text'])}",)
    width = shown[0].spans[-1][1] if shown[0].spans else 0
    rows = tuple(_layer(layer) for layer in shown)
    more = f"<li>… the ruler shows the first {LONGEST} of {width:,} bytes"
    return (*rows, more) if width > LONGEST else rows


def _layer(layer: Layer) -> Html:
    parts = "".join(
        _part(layer, part, start, end)
        for part, (start, end) in zip(layer.parts, layer.spans, strict=True)
        if end <= LONGEST
    )
    return f"<li class=tl-ruler><span>{text(layer.name)}</span> {parts}"


def _part(layer: Layer, part: Any, start: int, end: int) -> Html:
    shown = visible(part)
    if layer.name == "bytes" or shown.startswith("\\x"):
        shown = part.hex(" ")
    where = " ".join(map(str, range(start, end)))
    column = f"grid-column:{start + 2}/{end + 2}"
    focus = 0 if layer.name in ("characters", "tokens") else -1
    return f'<b tabindex={focus} data-at="{where}" style={column}>{text(shown)}</b>'
