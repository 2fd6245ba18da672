"""View of an id mapping on a ruler: ids of the model file above, ids of the model below."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tokenlab.algorithms.text.id_mapping import FILE_PIECES, IdAssigned, sentinel_id
from tokenlab.misconceptions.sentencepiece import no_offset, sentinel_ascending
from tokenlab.printing.printable import printable
from tokenlab.show.frames import OTHER, Fact, Frame, Html, Option, Panel, Question, StepRange, chip, sentence, text
from tokenlab.show.views.elements.questions import ask
from tokenlab.steps.recording import Recording

WIDEST = 40  # ids on the ruler
FIRST_COLUMN = 2  # column 1 has the name of the row


def id_mapping_view(recording: Recording[Any, Any], window: StepRange) -> Iterator[Frame]:
    """Show a frame for the model file, and one for each piece that is assigned its id in the model."""
    pieces = recording.arguments["pieces"]
    asked = _stops(recording)
    for number, done, _ in window.steps_around(recording):
        placed = recording.steps[:number]
        yield Frame(
            moment=f"After {number} of {len(recording)}" if done else "The model file",
            caption=sentence(done) if done else "The ids of the model file are the positions of its pieces, from 0.",
            remark=_remark(recording) if number == len(recording) else "",
            panels=(Panel("The ids", tuple(_rows(pieces, placed)), wide=True),),
            question=_question(recording, number) if number in asked else None,
        )


def _remark(recording: Recording[Any, Any]) -> Html:
    left = len(recording.result) - len(recording)
    return f"{left} rows of the embedding table have no id." if left else "Point at a piece to see it in both rows."


def _rows(pieces: Sequence[str], placed: Sequence[IdAssigned]) -> Iterator[Html]:
    """Yield rows with the ids, the pieces of the file, and those of the model; equal pieces are linked."""
    first = max(0, len(placed) - WIDEST)
    last = min(first + WIDEST, max(len(pieces), len(placed)))
    new_ids = {step.file_id: step.model_id for step in placed if step.file_id is not None}
    file = [(id, piece, new_ids.get(id, "")) for id, piece in enumerate(pieces)][first:last]
    yield _ruler("id", "".join(f"<small style={_column(id - first)}>{id}</small>" for id in range(first, last)))
    newest = placed[-1].model_id if placed else None
    yield _ruler("in the file", "".join(_piece(piece, id - first, link, newest) for id, piece, link in file))
    if placed:
        model = placed[first:]
        yield _ruler(
            "in the model", "".join(_piece(step.piece, step.model_id - first, step.model_id, newest) for step in model)
        )


def _ruler(name: str, cells: Html) -> Html:
    return f"<li class=tl-ruler style=grid-auto-columns:4.6em><span>{text(name)}</span> {cells}"


def _piece(piece: str, place: int, link: int | str, newest: int | None) -> Html:
    mark = " class=new" if link == newest else ""
    return f'<b{mark} data-at="{link}" style={_column(place)} title="{text(piece)}">{text(printable(piece))}</b>'


def _column(place: int) -> str:
    return f"grid-column:{place + FIRST_COLUMN};text-align:center"


def _stops(recording: Recording[Any, Any]) -> set[int]:
    """Return the steps to ask before: the first and the third moved ordinary piece, and the first sentinel."""
    moved = [number for number, step in enumerate(recording) if _moves(step)]
    sentinels = [number for number, step in enumerate(recording) if number and step.piece.startswith("<extra_id_")]
    return {*moved[:3:2], *sentinels[:1]}


def _moves(step: IdAssigned) -> bool:
    return step.file_id is not None and step.file_id >= len(FILE_PIECES) and step.file_id != step.model_id


def _question(recording: Recording[Any, Any], number: int) -> Question | None:
    step = recording[number]
    return _where_is_it(recording, step) if step.file_id is not None else _which_is_first(recording, step)


def _where_is_it(recording: Recording[Any, Any], step: IdAssigned) -> Question | None:
    facts: tuple[Fact, ...] = (("old", step.piece, step.file_id or 0), ("new", step.piece, step.model_id))
    guess = no_offset(step.file_id or 0)
    why = f"That is its id in the file, {guess}. In the model, one more piece comes before it: {step.model_id}."
    special = [first.piece for first in recording[: len(FILE_PIECES) + 1]]
    where = f"{chip(step.piece)} has the id {step.file_id} in the model file"
    return ask(
        f"{where}. Which id does it have in the model?",
        (str(step.model_id), f"Four special pieces come first in the model, and three in the file: {step.model_id}."),
        Option(str(guess), why, misconception=30, facts=facts),
        (OTHER, str((step.file_id or 0) + 4), "The ids of the file already count three special pieces."),
        given=(where, *(text(printable(piece)) for piece in special)),
        facts=facts,
    )


def _which_is_first(recording: Recording[Any, Any], step: IdAssigned) -> Question | None:
    pieces, sentinels = len(recording.arguments["pieces"]), recording.arguments["sentinels"]
    last, first = sentinel_id(0, pieces, sentinels), sentinel_ascending(0, pieces, sentinels)
    facts: tuple[Fact, ...] = (("sentinel", "<extra_id_0>", last), ("pieces", None, pieces))
    why = f"{first} is the id right after the {pieces} pieces. But sentinels are counted from the end: {last}."
    where = f"{sentinels} sentinels come after the {pieces} pieces"
    return ask(
        f"{where}. Which id does {chip('<extra_id_0>')} have?",
        (str(last), f"Sentinels are counted from the end, so the first has the last id, {last}."),
        Option(str(first), why, misconception=29, facts=facts),
        (OTHER, str(last - 1), "That is the id of the next sentinel."),
        given=(where,),
        facts=facts,
    )
