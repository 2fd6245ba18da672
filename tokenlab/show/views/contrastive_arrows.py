"""A choice of contrastive search on plain vectors: the states as arrows, and the two terms of each candidate."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import hypot
from typing import Any

from tokenlab.algorithms.attention_head import Matrix, Vector
from tokenlab.algorithms.contrastive import Picked, Ranked, likeness
from tokenlab.show.frames import Frame, Html, Panel, Window, text, view
from tokenlab.show.views.contrastive import decimals_of, heat, nearest, terms, which_choice
from tokenlab.show.views.numbers import minus
from tokenlab.steps import Recording
from tokenlab.transformers.generation.contrastive_steps import Rival

SIDE, MARGIN, HEAD = 240, 96, 9  # pixels of the longer side, around it for words, and of an arrow's head
PAST, CANDIDATE = "var(--right)", "var(--new)"
MOST = 12  # arrows


@view("tokenlab.algorithms.contrastive.contrastive_choice")
def contrastive_choice(recording: Recording[Any, Any], window: Window) -> Iterator[Frame]:
    """A frame before all, one for each candidate, and one for the choice."""
    states, past, alpha = (recording.arguments[name] for name in ("states", "past", "alpha"))
    rivals = [
        Rival(
            step.candidate, step.probability, tuple(likeness(states[step.candidate], one) for one in past), step.score
        )
        for step in recording
        if isinstance(step, Ranked)
    ]
    arrows = _arrows(states, past)
    for number in range(window.first, window.end + 1):
        step = recording[number - 1] if number else None
        ranked = rivals[:number]
        decides = number == len(rivals) and number < len(recording)
        yield Frame(
            moment=_moment(step),
            caption=_caption(step, rivals, past),
            panels=tuple(_panels(ranked, arrows, len(past), alpha, step)),
            question=which_choice(rivals, recording.result, _label, alpha) if decides else None,
        )


def _label(rival: Rival) -> Html:
    return _candidate(rival.token)


def _candidate(place: int) -> str:
    return f"candidate {place}"


def _earlier(place: int) -> str:
    return f"place {place}"


def _moment(step: Ranked | Picked | None) -> str:
    match step:
        case Ranked():
            return f"Candidate {step.candidate}"
        case Picked():
            return "The choice"
    return "The states"


def _caption(step: Ranked | Picked | None, rivals: Sequence[Rival], past: Matrix) -> Html:
    match step:
        case Ranked():
            rival = rivals[step.candidate]
            place = nearest(rival)
            return f"Its state is most like that of {_earlier(place)}: {minus(rival.penalty)}. That is its penalty."
        case Picked():
            score = minus(step.score, decimals_of([rival.score for rival in rivals]))
            return f"Candidate {step.candidate} is written: {score} is the highest score."
    return f"{len(past)} {'place' if len(past) == 1 else 'places'} so far, and {len(rivals)} that may be written next."


def _panels(
    ranked: Sequence[Rival], arrows: tuple[Html, ...], places: int, alpha: float, step: Ranked | Picked | None
) -> Iterator[Panel]:
    if arrows:
        yield Panel("Their directions; how long they are does not matter", arrows)
    if not ranked:
        return
    rows = [str(rival.token) for rival in ranked]
    yield Panel("Likeness to every place so far", heat(ranked, rows, [str(place) for place in range(places)]))
    yield from terms(ranked, _label, alpha, step.candidate if isinstance(step, Picked) else None)


# --- arrows ---------------------------------------------------------------------------------------


def _arrows(states: Matrix, past: Matrix) -> tuple[Html, ...]:
    """A drawing of vectors of two numbers; of others there is none."""
    if any(len(vector) != 2 for vector in (*states, *past)) or len(states) + len(past) > MOST:
        return ()
    lefts, tops = zip(*((float(x), -float(y)) for x, y in (*states, *past)), strict=True)
    left, top = min(0.0, *lefts), min(0.0, *tops)
    width, height = max(0.0, *lefts) - left, max(0.0, *tops) - top
    scale = SIDE / (max(width, height) or 1)
    origin = (MARGIN - scale * left, HEAD + 10 - scale * top)
    named = [(_earlier(place), vector, PAST) for place, vector in enumerate(past)]
    named += [(_candidate(place), vector, CANDIDATE) for place, vector in enumerate(states)]
    said_aloud = ", ".join(f"{name} ({vector[0]:g}, {vector[1]:g})" for name, vector, _ in named)
    size = f"width={scale * width + 2 * MARGIN:.0f} height={scale * height + 2 * HEAD + 20:.0f}"
    # The past lies below, and broader, so that a candidate on top of it hides nothing.
    drawn = "".join(_arrow(name, vector, colour, origin, scale) for name, vector, colour in named)
    return (
        f'<li style="list-style:none"><svg role=img aria-label="{text(said_aloud)}" {size} '
        f'style="font:12px ui-monospace,monospace">{drawn}</svg>',
    )


def _arrow(name: str, vector: Vector, colour: str, origin: tuple[float, float], scale: float) -> Html:
    """A line from the origin with a head, and its name and numbers beyond the head."""
    x, y = scale * float(vector[0]), -scale * float(vector[1])
    length = hypot(x, y)
    if not length:
        return ""
    along, across = x / length, y / length
    tip = (origin[0] + x, origin[1] + y)
    neck = (tip[0] - HEAD * along, tip[1] - HEAD * across)
    wings = [(neck[0] - side * HEAD / 2 * across, neck[1] + side * HEAD / 2 * along) for side in (1, -1)]
    points = " ".join(f"{a:.0f},{b:.0f}" for a, b in (tip, *wings))
    anchor = "start" if x >= 0 else "end"
    return (
        f'<path d="M{origin[0]:.0f} {origin[1]:.0f}L{neck[0]:.0f} {neck[1]:.0f}" '
        f'style="stroke:{colour};stroke-width:{6 if colour == PAST else 2}"/>'
        f'<polygon points="{points}" style="fill:{colour};stroke:{colour}"/>'
        f'<text x="{tip[0] + (8 if x >= 0 else -8):.0f}" y="{tip[1] + 4:.0f}" '
        f'style="fill:currentColor;text-anchor:{anchor}">{text(name)}</text>'
    )
