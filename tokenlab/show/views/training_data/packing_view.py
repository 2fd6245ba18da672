"""Packing: the open packs with their segments, and the pack of the next example."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tokenlab.algorithms.training_data.pack import ExampleAdded, Pack, PackingProgress, Side
from tokenlab.printing.printable import count_noun
from tokenlab.show.frames import OTHER, Frame, Html, Mark, Panel, Question, StepRange, labelled, sentence, text
from tokenlab.show.views.elements.questions import ask
from tokenlab.steps.recording import Recording

QUESTIONS = 3
SHOWN = 8  # closed packs

NEW = "a new pack"


def packing_view(recording: Recording[Any, Any], window: StepRange) -> Iterator[Frame]:
    """Yield a frame before the first example, and one after each step."""
    spacing, length = recording.arguments["spacing"], recording.arguments["packed_length"]
    if spacing >= length and any(isinstance(step, ExampleAdded) and step.segment > 1 for step in recording):
        raise ValueError(f"spacing={spacing}: no second example fits into a pack of length {length}")
    examples, chopped = recording.arguments["examples"], recording.arguments["chop"]
    state, asked = PackingProgress(examples, spacing, chopped), 0
    for number, done, following in StepRange(0, window.end).steps_around(recording):
        if done is not None:
            done.apply(state)
        if number < window.first:
            continue
        question = None
        if isinstance(following, ExampleAdded) and number and asked < QUESTIONS and not chopped:
            question = _question(recording, state, following, examples[following.example - 1])
            asked += question is not None
        yield Frame(
            moment=f"After step {number}" if number else "Before the first example",
            caption=sentence(done) if done else "Several short examples share a pack. No pack is open yet.",
            panels=tuple(_panels(recording, state, done, following)),
            question=question,
        )


def _panels(recording: Recording[Any, Any], state: PackingProgress, done: Any, following: Any) -> Iterator[Panel]:
    length = recording.arguments["packed_length"]
    if isinstance(following, ExampleAdded):
        example = recording.arguments["examples"][following.example - 1]
        rows = tuple(f"<li>{_segment(side, 'left')} {len(side)} ids" for side in example)
        yield Panel(f"Next: example {following.example}", rows)
    new = done.pack if isinstance(done, ExampleAdded) else 0
    for title, packs in (("Open packs", state.opened), ("Closed packs", state.closed[-SHOWN:])):
        if packs:
            rows = tuple(_row(pack, side, length, new) for pack in packs for side in pack.sides)
            yield Panel(f"{title}, with filled positions", rows, kind="words", wide=True)
    if isinstance(done, ExampleAdded):
        changed = [pack for pack in state.opened if pack.number == done.pack]
        rows = tuple(_numbers(side) for pack in changed for side in pack.sides)
        yield Panel(f"Pack {done.pack}: the segment of each id, and its position there", rows, more=True, wide=True)


def _row(pack: Pack, side: Side, length: int, new: int) -> Html:
    segments = []
    for segment in range(1, pack.segments + 1):
        ids = [id for id, mine in zip(side.ids, side.segmentation, strict=True) if mine == segment]
        segments.append(_segment(ids, "new" if pack.number == new and segment == pack.segments else ""))
    return labelled(f"pack {pack.number}: {len(side.ids)} of {length}", " ".join(segments))


def _segment(ids: Sequence[int], mark: Mark) -> Html:
    return f"<b{mark and f' class={mark}'}>{text(_ids(ids))}</b>"


def _numbers(side: Side) -> Html:
    rows = [("ids", *side.ids), ("segment", *side.segmentation), ("position", *side.position)]
    widths = [max(len(str(cell)) for cell in column) for column in zip(*rows, strict=True)]
    lines = ("  ".join(f"{cell!s:>{width}}" for cell, width in zip(row, widths, strict=True)) for row in rows)
    return f"<li><code>{text(chr(10).join(lines))}</code>"


def _ids(ids: Sequence[int]) -> str:
    return " ".join(map(str, ids))


def _question(
    recording: Recording[Any, Any], state: PackingProgress, following: ExampleAdded, example: Sequence[Sequence[int]]
) -> Question | None:
    """Ask for the pack of the next example, if next fit (misconception 58) would choose another one."""
    length, spacing = recording.arguments["packed_length"], recording.arguments["spacing"]
    last = state.opened[-1] if state.opened else None
    guess = last.number if last and last.has_room(example, length, spacing) else 0
    right = following.pack if following.segment > 1 else 0
    if guess == right or not right or len(example) > 1:  # of two sides, either may be the one without room
        return None
    filled = state.open_pack(right).filled
    free, needed = length - spacing - filled, len(example[0])
    opened = [pack.number for pack in state.opened if pack.number not in (right, guess)]
    others = [NEW, *(f"pack {number}" for number in opened)][0 if guess else 1 :]
    zeros = f"{count_noun(spacing, 'zero')} between two examples"
    asks = f"Which pack does example {following.example} go into?"
    return ask(
        f"A pack has {zeros}. {asks}" if spacing else asks,
        (f"pack {right}", f"Pack {right} is the first with room: {free} positions are free, and {needed} are needed."),
        (58, f"pack {guess}" if guess else NEW, "All open packs are considered."),
        *((OTHER, other, "It is not the first with room.") for other in others[:1]),
        given=(
            *[zeros] * bool(spacing),
            f"{needed} ids",
            *(f"pack {pack.number}: {len(pack.sides[0].ids)} of {length}" for pack in state.opened),
        ),
        facts=(("free", right, free), ("needed", following.example, needed)),
    )
