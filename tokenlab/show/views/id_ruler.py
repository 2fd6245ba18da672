"""Ids on a ruler: above those of the model file, below those of the model, with what moved and what came in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tokenlab.algorithms.id_layouts import IN_THE_FILE, Placed, fairseq_layout, sentinel_id, t5_layout
from tokenlab.misconceptions.sentencepiece import no_offset, sentinel_ascending
from tokenlab.show.frames import Fact, Frame, Html, Option, Panel, Question, Window, chip, text, view
from tokenlab.steps import Recording
from tokenlab.visible import visible

WIDEST = 40  # places on the ruler
FIRST_COLUMN = 2  # its name stands in the first


@view(fairseq_layout, t5_layout)
def id_ruler(recording: Recording[Any, Any], window: Window) -> Iterator[Frame]:
    """A frame for the model file, and one for each piece that gets its id in the model."""
    pieces = recording.arguments["pieces"]
    asked = _stops(recording)
    for number in range(window.first, window.end + 1):
        done = recording[number - 1] if number else None
        placed = recording.steps[:number]
        yield Frame(
            moment=f"After {number} of {len(recording)}" if done else "The model file",
            caption=text(f"{done}.") if done else "The ids of the model file are the places of its pieces, from zero.",
            remark=_remark(recording) if number == len(recording) else "",
            panels=(Panel("The ids", tuple(_rows(pieces, placed)), wide=True),),
            question=_question(recording, number) if number in asked else None,
        )


def _remark(recording: Recording[Any, Any]) -> Html:
    left = len(recording.result) - len(recording)
    return f"{left} rows of the model's table belong to no id." if left else "Point at a piece: it lights up on both."


def _rows(pieces: Sequence[str], placed: Sequence[Placed]) -> Iterator[Html]:
    """The ids, the pieces of the file under theirs, and those of the model; linked where they are the same piece."""
    first = max(0, len(placed) - WIDEST)
    last = min(first + WIDEST, max(len(pieces), len(placed)))
    new_ids = {step.old: step.new for step in placed if step.old is not None}
    file = [(id, piece, new_ids.get(id, "")) for id, piece in enumerate(pieces)][first:last]
    yield _ruler("id", "".join(f"<small style={_column(id - first)}>{id}</small>" for id in range(first, last)))
    newest = placed[-1].new if placed else None
    yield _ruler("in the file", "".join(_piece(piece, id - first, link, newest) for id, piece, link in file))
    if placed:
        model = placed[first:]
        yield _ruler("in the model", "".join(_piece(step.piece, step.new - first, step.new, newest) for step in model))


def _ruler(name: str, cells: Html) -> Html:
    return f"<li class=tl-ruler style=grid-auto-columns:4.6em><span>{text(name)}</span> {cells}"


def _piece(piece: str, place: int, link: int | str, newest: int | None) -> Html:
    mark = " class=new" if link == newest else ""
    return f'<b{mark} data-at="{link}" style={_column(place)} title="{text(piece)}">{text(visible(piece))}</b>'


def _column(place: int) -> str:
    return f"grid-column:{place + FIRST_COLUMN};text-align:center"


def _stops(recording: Recording[Any, Any]) -> set[int]:
    """Before the first ordinary piece that moves, and the third; and before the sentinels."""
    moved = [number for number, step in enumerate(recording) if _moves(step)]
    sentinels = [number for number, step in enumerate(recording) if number and step.piece.startswith("<extra_id_")]
    return {*moved[:3:2], *sentinels[:1]}


def _moves(step: Placed) -> bool:
    return step.old is not None and step.old >= len(IN_THE_FILE) and step.old != step.new


def _question(recording: Recording[Any, Any], number: int) -> Question:
    step = recording[number]
    return _where_is_it(step) if step.old is not None else _which_is_first(recording, step)


def _where_is_it(step: Placed) -> Question:
    facts: tuple[Fact, ...] = (("old", step.piece, step.old or 0), ("new", step.piece, step.new))
    guess = no_offset(step.old or 0)
    right = Option(
        str(step.new), f"Four pieces stand before it here, and three in the file: {step.new}.", True, facts=facts
    )
    why = f"That is its id in the file, {guess}. In the model one more piece stands before it: {step.new}."
    wrong = Option(str(guess), why, belief=30, facts=facts)
    prompt = f"{chip(step.piece)} has the id {step.old} in the model file. Which has it in the model?"
    return Question(prompt, (right, wrong)).shuffled()


def _which_is_first(recording: Recording[Any, Any], step: Placed) -> Question:
    pieces, sentinels = len(recording.arguments["pieces"]), recording.arguments["sentinels"]
    last, first = sentinel_id(0, pieces, sentinels), sentinel_ascending(0, pieces, sentinels)
    facts: tuple[Fact, ...] = (("sentinel", "<extra_id_0>", last), ("pieces", None, pieces))
    right = Option(
        str(last), f"Sentinels are counted from the end, so the first has the last id, {last}.", True, facts=facts
    )
    why = f"{first} comes right behind the {pieces} pieces. But sentinels are counted from the end: {last}."
    wrong = Option(str(first), why, belief=29, facts=facts)
    return Question(f"Now the sentinels. Which id has {chip('<extra_id_0>')}?", (right, wrong)).shuffled()
