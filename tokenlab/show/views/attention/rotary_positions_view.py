"""Rotary positions: a dial for each pair of numbers with the arrows of query and key, and the scores so far."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import hypot
from typing import Any

from tokenlab.algorithms.attention.attention_weights import dot
from tokenlab.algorithms.attention.rotary_positions import ScoreAtPositions, pair_angle
from tokenlab.algorithms.vectors import Row, Vector
from tokenlab.misconceptions.decoder_only import position_added
from tokenlab.printing.printed_numbers import format_number
from tokenlab.show.frames import OTHER, Frame, Html, Panel, Question, StepRange, sentence, text
from tokenlab.show.views.elements import token_tables as tables
from tokenlab.show.views.elements.numbers import format_negative
from tokenlab.show.views.elements.questions import ask
from tokenlab.steps.recording import Recording

RADIUS, MARGIN = 52, 14  # pixels of a dial
QUERY, KEY = "var(--left)", "var(--right)"
MOST = 6  # dials that are drawn


def rotary_positions_view(recording: Recording[Any, Any], window: StepRange) -> Iterator[Frame]:
    """Yield a frame before the rotation, and one for each pair of positions."""
    asked = _question(recording)
    for number, done, _ in window.steps_around(recording):
        steps: Sequence[ScoreAtPositions] = recording.steps[:number]
        yield Frame(
            moment=f"Query at {done.query_position}, key at {done.key_position}" if done else "Before the rotation",
            caption=sentence(done) if done else "A query and a key, as their projections give them.",
            remark=_remark(steps),
            panels=tuple(_panels(recording, steps)),
            question=asked.get(number),
        )


def _remark(steps: Sequence[ScoreAtPositions]) -> Html:
    if not steps:
        return "Each pair of their numbers is a point in a plane."
    same = [step for step in steps[:-1] if step.distance == steps[-1].distance]
    if same:
        return (
            f"The distance is {steps[-1].distance} as before, so the score is the same: "
            "both arrows of a pair turned by the same angle."
        )
    return "Another distance gives another angle between the arrows, so another score." if len(steps) > 1 else ""


def _panels(recording: Recording[Any, Any], steps: Sequence[ScoreAtPositions]) -> Iterator[Panel]:
    given = recording.arguments
    query, key = (steps[-1].query, steps[-1].key) if steps else (given["query"], given["key"])
    title = "The pairs of the query (blue, wide) and of the key (orange)"
    yield Panel(title, tuple(_dials(query, key, given["theta"])), wide=True)
    if steps:
        yield tables.table("The scores so far", list(_scores(steps)), "30rem")


def _scores(steps: Sequence[ScoreAtPositions]) -> Iterator[Html]:
    yield tables.header_row("query at", "key at", "distance", "score", numbers=3)
    for step in steps:
        numbers = (f"{step.key_position}", f"{step.distance}", format_negative(step.score))
        yield tables.row(text(step.query_position), *map(tables.number, numbers))


def _dials(query: Vector, key: Vector, theta: float) -> Iterator[Html]:
    half = len(query) // 2
    longest = max([1e-9, *(hypot(v[pair], v[pair + half]) for v in (query, key) for pair in range(half))])
    for pair in range(min(half, MOST)):
        turn = pair_angle(pair, len(query), 1, theta)
        points = [(v[pair] / longest, v[pair + half] / longest) for v in (query, key)]
        said = ", ".join(
            f"{name} ({format_number(v[pair])}, {format_number(v[pair + half])})"
            for name, v in (("query", query), ("key", key))
        )
        name = f"pair {pair} (numbers {pair} and {pair + half})"
        yield _dial(f"{name}: {said}", f"{name}: {turn:.2g} rad per position", points)


def _dial(said: str, title: str, points: Sequence[tuple[float, float]]) -> Html:
    """Return a circle with two arrows from its centre."""
    middle = RADIUS + MARGIN
    arrows = "".join(
        f'<line x1={middle} y1={middle} x2="{middle + RADIUS * x:.1f}" y2="{middle - RADIUS * y:.1f}" '
        f'style="stroke:{colour};stroke-width:{width}"/>'
        f'<circle cx="{middle + RADIUS * x:.1f}" cy="{middle - RADIUS * y:.1f}" r={width} style="fill:{colour}"/>'
        for (x, y), colour, width in zip(points, (QUERY, KEY), (6, 3), strict=True)
    )
    circle = f'<circle cx={middle} cy={middle} r={RADIUS} style="fill:none;stroke:currentColor;stroke-width:1"/>'
    drawn = f'<svg role=img aria-label="{text(said)}" width={2 * middle} height={2 * middle}>{circle}{arrows}</svg>'
    return (
        '<li style="list-style:none;display:inline-block;vertical-align:top;margin-right:12px;font-size:12px">'
        f"<div>{text(title)}</div>{drawn}"
    )


def _question(recording: Recording[Any, Any]) -> dict[int, Question | None]:
    """Ask for the score at the first distance that was there before, at other positions (160)."""
    for number, step in enumerate(recording):
        before = [one for one in recording[:number] if one.distance == step.distance != 0]
        if before and before[0].query_position != step.query_position:
            return {number: _score_question(recording.arguments, before[0], step)}
    return {}


def _score_question(given: Any, before: ScoreAtPositions, step: ScoreAtPositions) -> Question | None:
    places = step.query_position, step.key_position
    added: list[Row] = [
        position_added(vector, place, given["theta"])
        for vector, place in zip((given["query"], given["key"]), places, strict=True)
    ]
    score, plain = format_negative(step.score), format_negative(dot(given["query"], given["key"]))
    why = (
        f"The distance is still {step.distance}, so the angles between the arrows stay the same, and so does the score."
    )
    shown = f"query at position {places[0]}", f"key at position {places[1]}"
    return ask(
        f"Next, the {shown[0]} meets the {shown[1]}. What is their score?",
        (score, why),
        (
            160,
            format_negative(dot(*added)),
            "This is the score if cosines and sines are added to the vectors, as in the first transformer.",
        ),
        (OTHER, plain, "This is the score without any rotation."),
        given=(*shown, format_negative(before.score)),
        facts=(("distance", None, step.distance), ("distance before", None, before.distance)),
    )
