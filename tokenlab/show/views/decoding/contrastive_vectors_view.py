"""View of contrastive selection on plain vectors: hidden states as arrows, and the two terms of each candidate."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import hypot
from typing import Any

from tokenlab.algorithms.decoding.contrastive import CandidateScored, CandidateSelected, cosine_similarity
from tokenlab.algorithms.vectors import Matrix, Vector
from tokenlab.libraries.transformers.generation.contrastive_steps import ContrastiveCandidate
from tokenlab.printing.printable import count_noun
from tokenlab.show.frames import Frame, Html, Panel, StepRange, text
from tokenlab.show.views.decoding.contrastive_view import (
    choice_question,
    most_similar_position,
    num_decimals,
    score_terms_table,
    similarity_heatmap,
)
from tokenlab.show.views.elements.numbers import format_negative
from tokenlab.steps.recording import Recording

SIDE, MARGIN, HEAD = 240, 96, 9  # pixels: the longer side, the margin for labels, an arrow's head
PAST, CANDIDATE = "var(--right)", "var(--new)"
MOST = 12  # arrows


def contrastive_choice(recording: Recording[Any, Any], window: StepRange) -> Iterator[Frame]:
    """Yield a frame before the first candidate, one for each candidate, and one for the selection."""
    states, past, alpha = (recording.arguments[name] for name in ("states", "past", "alpha"))
    candidates = [
        ContrastiveCandidate(
            step.candidate,
            step.probability,
            tuple(cosine_similarity(states[step.candidate], one) for one in past),
            step.score,
        )
        for step in recording
        if isinstance(step, CandidateScored)
    ]
    arrows = _arrows(states, past)
    for number, step, _ in window.steps_around(recording):
        ranked = candidates[:number]
        decides = number == len(candidates) and number < len(recording)
        yield Frame(
            *_moment(step, candidates, past),
            panels=tuple(_panels(ranked, arrows, len(past), alpha, step)),
            question=choice_question(candidates, recording.result, _label, alpha) if decides else None,
        )


def _label(candidate: ContrastiveCandidate) -> Html:
    return f"candidate {candidate.token}"


def _moment(
    step: CandidateScored | CandidateSelected | None, candidates: Sequence[ContrastiveCandidate], past: Matrix
) -> tuple[str, Html]:
    """Return the moment and the caption."""
    match step:
        case CandidateScored():
            candidate = candidates[step.candidate]
            nearest, penalty = f"position {most_similar_position(candidate)}", format_negative(candidate.penalty)
            said = f"Its hidden state is most similar to that of {nearest}: {penalty}. That is its penalty."
            return f"Candidate {step.candidate}", said
        case CandidateSelected():
            score = format_negative(step.score, num_decimals([candidate.score for candidate in candidates]))
            return "The selection", f"Candidate {step.candidate} is selected: {score} is the highest score."
    said = f"{count_noun(len(past), 'position')} so far, and {len(candidates)} candidates for the next."
    return "The hidden states", said


def _panels(
    ranked: Sequence[ContrastiveCandidate],
    arrows: tuple[Html, ...],
    places: int,
    alpha: float,
    step: CandidateScored | CandidateSelected | None,
) -> Iterator[Panel]:
    if arrows:
        yield Panel("Their directions; lengths do not matter", arrows)
    if not ranked:
        return
    rows = [str(candidate.token) for candidate in ranked]
    heatmap = similarity_heatmap(ranked, rows, [str(place) for place in range(places)])
    yield Panel("Cosine similarity to every position so far", heatmap)
    yield from score_terms_table(ranked, _label, alpha, step.candidate if isinstance(step, CandidateSelected) else None)


# --- arrows ---------------------------------------------------------------------------------------


def _arrows(states: Matrix, past: Matrix) -> tuple[Html, ...]:
    """Return a drawing of two-dimensional vectors, or nothing for other dimensions."""
    if any(len(vector) != 2 for vector in (*states, *past)) or len(states) + len(past) > MOST:
        return ()
    lefts, tops = zip(*((float(x), -float(y)) for x, y in (*states, *past)), strict=True)
    left, top = min(0.0, *lefts), min(0.0, *tops)
    width, height = max(0.0, *lefts) - left, max(0.0, *tops) - top
    scale = SIDE / (max(width, height) or 1)
    origin = (MARGIN - scale * left, HEAD + 10 - scale * top)
    named = [(f"position {place}", vector, PAST) for place, vector in enumerate(past)]
    named += [(f"candidate {place}", vector, CANDIDATE) for place, vector in enumerate(states)]
    aria_label = ", ".join(f"{name} ({vector[0]:g}, {vector[1]:g})" for name, vector, _ in named)
    size = f"width={scale * width + 2 * MARGIN:.0f} height={scale * height + 2 * HEAD + 20:.0f}"
    # The past is drawn first and wider, so that a candidate on top of it does not hide it.
    drawn = "".join(_arrow(name, vector, colour, origin, scale) for name, vector, colour in named)
    attributes = f'role=img aria-label="{text(aria_label)}" {size} style="font:12px ui-monospace,monospace"'
    return (f'<li style="list-style:none"><svg {attributes}>{drawn}</svg>',)


def _arrow(name: str, vector: Vector, colour: str, origin: tuple[float, float], scale: float) -> Html:
    """Return an arrow from the origin with its name next to the head."""
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
