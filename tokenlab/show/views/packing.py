"""Packing: the open packs with their segments, and which of them takes the next example."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from tokenlab.algorithms.pack import Closed, Pack, Packed, Side, pack
from tokenlab.show.frames import Fact, Frame, Html, Mark, Option, Panel, Question, Window, text, view
from tokenlab.steps import Recording

QUESTIONS = 3
SHOWN = 8  # packs that are closed

NEW = "a new pack"


@dataclass
class _State:
    """The packs as they are after some steps."""

    opened: list[Pack] = field(default_factory=list)
    closed: list[Pack] = field(default_factory=list)

    def follow(self, step: Packed | Closed, example: Sequence[Sequence[int]], spacing: int) -> None:
        if isinstance(step, Closed):
            [done] = [pack for pack in self.opened if pack.number == step.pack]
            self.opened.remove(done)
            self.closed.append(done)
        else:
            if step.segment == 1:
                self.opened.append(Pack(step.pack, [Side() for _ in example]))
            next(pack for pack in self.opened if pack.number == step.pack).add(example, spacing)


@view(pack)
def packing(recording: Recording[Any, Any], window: Window) -> Iterator[Frame]:
    """A frame before the first example, and one after each step."""
    spacing = recording.arguments["spacing"]
    examples, state, asked = recording.arguments["examples"], _State(), 0
    chopped = recording.arguments["chop"]
    for number in range(window.end + 1):
        done = recording[number - 1] if number else None
        if done is not None:
            state.follow(done, _given(recording, number - 1), spacing)
        if number < window.first:
            continue
        following = recording[number] if number < len(recording) else None
        question = None
        if isinstance(following, Packed) and number and asked < QUESTIONS and not chopped:
            question = _question(recording, state, following, examples[following.example - 1])
            asked += question is not None
        yield Frame(
            moment=f"After step {number}" if number else "Before the first example",
            caption=_sentence(done) if done else "Short examples go side by side into packs. No pack is open yet.",
            panels=tuple(_panels(recording, state, done, following)),
            question=question,
        )


def _given(recording: Recording[Any, Any], index: int) -> Sequence[Sequence[int]]:
    """What the step put into its pack: the example, or the piece of it that was left to pack."""
    step = recording[index]
    if isinstance(step, Closed):
        return ()
    example: Sequence[Sequence[int]] = recording.arguments["examples"][step.example - 1]
    length = step.packed_length
    if not recording.arguments["chop"] or len(example[0]) <= length:
        return example
    before = sum(isinstance(other, Packed) and other.example == step.example for other in recording.steps[:index])
    return (example[0][before * length : (before + 1) * length],)


def _sentence(step: Packed | Closed) -> Html:
    said = str(step)
    return text(f"{said[0].upper()}{said[1:]}.")


def _panels(recording: Recording[Any, Any], state: _State, done: Any, following: Any) -> Iterator[Panel]:
    length = recording.arguments["packed_length"]
    if isinstance(following, Packed):
        example = recording.arguments["examples"][following.example - 1]
        rows = tuple(f"<li>{_segment(side, 'left')} {len(side)} ids" for side in example)
        yield Panel(f"Next: example {following.example}", rows)
    new = done.pack if isinstance(done, Packed) else 0
    for title, packs in (("Open packs", state.opened), ("Closed packs", state.closed[-SHOWN:])):
        if packs:
            rows = tuple(_row(pack, side, length, new) for pack in packs for side in pack.sides)
            yield Panel(f"{title}, and the places that are filled", rows, kind="words", wide=True)
    if isinstance(done, Packed):
        changed = [pack for pack in state.opened if pack.number == done.pack]
        rows = tuple(_numbers(side) for pack in changed for side in pack.sides)
        yield Panel(f"Pack {done.pack}: of each id its segment, and its place there", rows, more=True, wide=True)


def _row(pack: Pack, side: Side, length: int, new: int) -> Html:
    segments = []
    for segment in range(1, pack.segments + 1):
        ids = [id for id, mine in zip(side.ids, side.segmentation, strict=True) if mine == segment]
        segments.append(_segment(ids, "new" if pack.number == new and segment == pack.segments else ""))
    return f"<li><span>pack {pack.number}: {len(side.ids)} of {length}</span> <div>{' '.join(segments)}</div>"


def _segment(ids: Sequence[int], mark: Mark) -> Html:
    return f"<b{mark and f' class={mark}'}>{text(_ids(ids))}</b>"


def _numbers(side: Side) -> Html:
    return f"<li><code>ids {_ids(side.ids)}\nsegment {_ids(side.segmentation)}\nplace {_ids(side.position)}</code>"


def _ids(ids: Sequence[int]) -> str:
    return " ".join(map(str, ids))


def _question(
    recording: Recording[Any, Any], state: _State, following: Packed, example: Sequence[Sequence[int]]
) -> Question | None:
    """Where first fit and the belief that only the last pack can take more (58) part."""
    length, spacing = recording.arguments["packed_length"], recording.arguments["spacing"]
    last = state.opened[-1] if state.opened else None
    guess = last.number if last and last.has_room(example, length, spacing) else 0
    right = following.pack if following.segment > 1 else 0
    if guess == right or not right or len(example) > 1:  # of two sides, either may be the one without room
        return None
    free, needed = length - spacing - _filled(state, right), len(example[0])
    facts: tuple[Fact, ...] = (("free", right, free), ("needed", following.example, needed))
    why = f"Pack {right} is the first with room: {free} places are free, and {needed} are needed."
    options = (
        Option(f"pack {right}", why, right=True, facts=facts),
        Option(f"pack {guess}" if guess else NEW, f"All open packs are asked. {why}", belief=58, facts=facts),
    )
    return Question(f"Which pack takes example {following.example}?", options).shuffled()


def _filled(state: _State, number: int) -> int:
    return next(pack.filled for pack in state.opened if pack.number == number)
