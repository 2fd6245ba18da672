"""Views of contrastive search on a text, and of one selection on plain vectors, whose directions are arrows.

Both show the confidence, the degeneration penalty and the score of each candidate.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import hypot
from statistics import fmean
from typing import Any, TypeAlias

from tokenlab.algorithms.decoding.contrastive import CandidateScored, CandidateSelected, cosine_similarity
from tokenlab.algorithms.vectors import Matrix, Vector
from tokenlab.libraries.transformers.generation.contrastive_steps import CandidatesReranked, ContrastiveCandidate
from tokenlab.misconceptions.streaming import contrastive_select_with
from tokenlab.printing.printable import count_noun
from tokenlab.printing.printed_numbers import format_number
from tokenlab.show.frames import Frame, Html, Panel, Question, StepRange, bar, chip, sentence, text
from tokenlab.show.views.elements import matrices
from tokenlab.show.views.elements.numbers import format_negative
from tokenlab.show.views.elements.questions import ask
from tokenlab.steps.recording import Recording
from tokenlab.traces.generation.token_names import NamedOutputs

LONGEST = 60  # generated tokens that are shown: the newest
MAX_HEATMAP_COLUMNS = matrices.WITH_NUMBERS  # positions in the heatmap: the last ones
START = "start"
MIN_GAP = 0.015  # numbers with this difference differ in two decimals

Label: TypeAlias = Callable[[ContrastiveCandidate], Html]
SIDE, MARGIN, HEAD = 240, 96, 9  # pixels: the longer side, the margin for labels, an arrow's head
PAST, CANDIDATE = "var(--right)", "var(--new)"
MOST = 12  # arrows


def contrastive_search(recording: Recording[Any, Any], window: StepRange) -> Iterator[Frame]:
    """Yield a frame before the search, one for greedy search, and one for each generated token."""
    names, steps = recording.result, [step for step in recording if isinstance(step, CandidatesReranked)]
    written = [START, *(names.name(_selected(step).token) for step in steps)]
    alpha = recording.arguments["penalty_alpha"]
    asked = _questions(steps, written, names, alpha)
    for number, done, _ in window.steps_around(recording):
        last = isinstance(done, CandidatesReranked) and number == len(recording)
        yield Frame(
            moment=_moment(done),
            caption=sentence(done) if done else f"Source: {text(recording.arguments['text'])}",
            remark=_both(recording) if last else _remark(done, written, names),
            panels=tuple(_panels(done, written, names, alpha)),
            question=asked.get(number),
        )


def _selected(step: CandidatesReranked) -> ContrastiveCandidate:
    """Return the selected candidate of the recording's only text."""
    index = step.selected[0]
    assert index is not None
    return step.candidates[0][index]


def _moment(done: Any) -> str:
    if isinstance(done, CandidatesReranked):
        return f"Token {done.number}"
    return "Before the first token" if done else "The text"


def _remark(done: Any, written: Sequence[str], names: NamedOutputs) -> Html:
    if not isinstance(done, CandidatesReranked):
        return ""
    if done.number == 1:
        return "The only earlier position is the start."
    most_probable = done.candidates[0][0]
    most_similar = _place(written, most_similar_position(most_probable))
    name, penalty = chip(names.name(most_probable.token)), format_negative(most_probable.penalty)
    return f"The hidden state of {name} is most similar to that of {most_similar}: {penalty}."


def _both(recording: Recording[Any, Any]) -> Html:
    """Return the whole text and that of greedy search."""
    greedy, whole = recording[0].text, recording.result.texts[0]
    if greedy == whole:
        return f"Output: {text(whole)}<br>Greedy search generates the same."
    return f"Output: {text(whole)}<br>Greedy search generates: {text(greedy)}"


def most_similar_position(candidate: ContrastiveCandidate) -> int:
    """Return the position whose cosine similarity is the penalty."""
    return candidate.similarities.index(candidate.penalty)


def _place(written: Sequence[str], place: int) -> Html:
    return "the start" if place == 0 else f"{chip(written[place])} (token {place})"


def num_decimals(scores: Sequence[float]) -> int:
    """Return 2, or 3 if with 2 decimals the best score would equal another one or 0.

    >>> num_decimals([0.067, 0.081]), num_decimals([0.067, 0.074]), num_decimals([-0.3, -0.004])
    (2, 3, 3)
    """
    best, *others = sorted(scores, reverse=True)
    return 3 if format_negative(best) in {format_negative(0), *map(format_negative, others)} else 2


def _panels(done: Any, written: Sequence[str], names: NamedOutputs, alpha: float) -> Iterator[Panel]:
    if done is None:
        return
    if not isinstance(done, CandidatesReranked):
        yield Panel("Greedy search", (_chips([chip(token) for token in done.tokens]),), wide=True)
        return
    like = most_similar_position(done.candidates[0][0]) if done.number > 1 else 0
    past = [chip(token) for token in written[: done.number]]
    # A class would be removed while a question is open.
    past[like] = past[like].replace("<b", '<b style="background:var(--right)"', 1)
    yield Panel("Generated tokens", (_chips([*past[1:], chip(written[done.number], "new")]),), wide=True)
    yield from score_terms_table(done.candidates[0], _named(names), alpha, done.selected[0])
    first = max(0, done.number - MAX_HEATMAP_COLUMNS)
    title = f"Cosine similarity to {f'the last {MAX_HEATMAP_COLUMNS} positions' if first else 'every position so far'}"
    rows = [names.name(candidate.token) for candidate in done.candidates[0]]
    yield Panel(title, similarity_heatmap(done.candidates[0], rows, written[first : done.number]), more=True)


def _named(names: NamedOutputs) -> Label:
    return lambda candidate: chip(names.name(candidate.token))


def _chips(shown: Sequence[Html]) -> Html:
    return f"<li>{'… ' if len(shown) > LONGEST else ''}{' '.join(shown[-LONGEST:])}"


def score_terms_table(
    candidates: Sequence[ContrastiveCandidate], label: Label, alpha: float, selected: int | None
) -> Iterator[Panel]:
    """Yield confidence, penalty and score, a row for each candidate in the same order, and mark the selected one."""
    confidence = (bar(label(each), each.probability, f"{format_number(each.probability)}") for each in candidates)
    yield Panel("Confidence: the probability", tuple(confidence), kind="bars")
    penalty = (bar(label(each), max(0.0, each.penalty), format_negative(each.penalty)) for each in candidates)
    yield Panel("Degeneration penalty", tuple(penalty), kind="bars")
    lowest = min(candidate.score for candidate in candidates)
    room = max(candidate.score for candidate in candidates) - lowest or 1.0
    decimals = num_decimals([candidate.score for candidate in candidates])
    rows = [
        (_selected_bar if place == selected else bar)(
            label(candidate), (candidate.score - lowest) / room, format_negative(candidate.score, decimals)
        )
        for place, candidate in enumerate(candidates)
    ]
    formula = f"{format_negative(1 - alpha)} × confidence − {format_negative(alpha)} × penalty"
    yield Panel(
        f"Score: {formula} (the lowest has no bar)", tuple(rows), kind="bars", hides=selected is None, wide=True
    )


def _selected_bar(label: Html, share: float, score: str) -> Html:
    """Return the bar of the selected candidate, also while a question about the next token is open."""
    number = f'<td style="color:var(--ink);font-weight:600">selected {score}'
    return bar(label, share, score).replace("%></i>", "%;background:var(--new)></i>").replace(f"<td>{score}", number)


def similarity_heatmap(
    candidates: Sequence[ContrastiveCandidate], rows: Sequence[str], places: Sequence[str]
) -> tuple[Html, Html]:
    """Return a heatmap of the cosine similarities of each candidate to the last positions."""
    similarities = [candidate.similarities[len(candidate.similarities) - len(places) :] for candidate in candidates]
    title = "each row a candidate, each column a position"
    return matrices.matrix_rows(matrices.LabeledMatrix(title, similarities, rows, places))


# --- questions ------------------------------------------------------------------------------------


def _questions(
    steps: Sequence[CandidatesReranked], written: Sequence[str], names: NamedOutputs, alpha: float
) -> dict[int, Question]:
    """Return questions by the number of finished steps: a candidate's penalty, and the selected candidate."""
    asked: dict[int, Question] = {}
    for step in steps[1:]:
        if (question := _which_penalty(step, written, names)) is not None:
            asked[step.number] = question
            break
    turns = [step for step in steps if step.selected[0] and step.number > 1]
    for step in turns[:2]:
        if (question := choice_question(step.candidates[0], step.selected[0], _named(names), alpha)) is not None:
            asked[step.number] = question
    return asked


def _which_penalty(step: CandidatesReranked, written: Sequence[str], names: NamedOutputs) -> Question | None:
    """Ask for a penalty: the largest similarity, or the mean or the last (87)?"""
    candidate, number = step.candidates[0][0], len(step.candidates[0][0].similarities)
    mean, last = fmean(candidate.similarities), candidate.similarities[-1]
    if not (3 <= number <= 8 and min(candidate.penalty - mean, candidate.penalty - last, abs(mean - last)) > MIN_GAP):
        return None
    similarities = map(format_negative, candidate.similarities)
    listed = ", ".join(f"{_place(written, place)} {shown}" for place, shown in enumerate(similarities))
    return ask(
        f"{chip(names.name(candidate.token))} is the most probable candidate. Cosine similarities of its hidden state "
        f"to the earlier ones: "
        f"{listed}. Which number is its penalty?",
        (
            format_negative(candidate.penalty),
            f"The largest similarity counts, {format_negative(candidate.penalty)}. One similar token is enough.",
        ),
        (87, format_negative(mean), "That is the mean."),
        (87, format_negative(last), "That is the similarity to the newest token only."),
        given=(listed,),
        facts=(("penalty", candidate.token, candidate.penalty),),
    )


def choice_question(
    candidates: Sequence[ContrastiveCandidate], right: int | None, label: Label, alpha: float
) -> Question | None:
    """Ask for the selected candidate; wrong options reward similarity, or use its mean or last value (87)."""
    assert right is not None
    penalties = {
        "The penalty is subtracted, so similarity to an earlier token lowers the score.": lambda one: -one.penalty,
        "The largest similarity counts, not the mean.": lambda one: fmean(one.similarities),
        "The largest similarity counts, not only the similarity to the newest token.": lambda one: one.similarities[-1],
    }
    best = sorted((candidate.score for candidate in candidates), reverse=True)
    if len(best) < 2 or best[0] - best[1] < MIN_GAP:
        return None  # a single candidate, or rounding would decide
    wrong: dict[int, str] = {}
    for reason, penalty in penalties.items():
        probabilities = [candidate.probability for candidate in candidates]
        place = contrastive_select_with([*map(penalty, candidates)], probabilities, alpha)
        if place != right:
            wrong.setdefault(place, reason)
    asked = sorted((right, *wrong))
    listed = "; ".join(
        f"{label(candidates[place])} has confidence {format_negative(candidates[place].probability)} and penalty "
        f"{format_negative(candidates[place].penalty)}"
        for place in asked
    )
    listed = f"{listed[0].upper()}{listed[1:]}"
    weights = f"The weight of the penalty is {format_negative(alpha)}"
    weights += f", that of the confidence {format_negative(1 - alpha)}."
    return ask(
        f"{listed}. {weights} Which is selected?",
        (label(candidates[right]), _scores(candidates, asked, label)),
        *((87, label(candidates[place]), reason) for place, reason in wrong.items()),
        given=(*listed.split("; "), weights),
        facts=tuple(("score", place, candidates[place].score) for place in asked),
    )


def _scores(candidates: Sequence[ContrastiveCandidate], places: Sequence[int], label: Label) -> Html:
    """Name the scores of some candidates, best first."""
    decimals = num_decimals([candidate.score for candidate in candidates])
    best, *others = sorted(places, key=lambda place: -candidates[place].score)
    scores = [format_negative(candidate.score, decimals) for candidate in candidates]
    # The most probable candidate is the first.
    named = {place: f"{label(candidates[place])}{'' if place else ', the most probable,'}" for place in places}
    said = ", ".join([f"{named[best]} has the score {scores[best]}", *(f"{named[n]} {scores[n]}" for n in others)])
    return f"{said[0].upper()}{said[1:]}."


# --- contrastive selection on plain vectors --------------------------------------------------------


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
    start = f"{count_noun(len(past), 'position')} so far, and {len(candidates)} candidates for the next."
    for number, step, _ in window.steps_around(recording):
        ranked = candidates[:number]
        decides = number == len(candidates) and number < len(recording)
        yield Frame(
            _vectors_moment(step),
            sentence(step) if step else start,
            panels=tuple(_vectors_panels(ranked, arrows, len(past), alpha, step)),
            question=choice_question(candidates, recording.result, _label, alpha) if decides else None,
        )


def _label(candidate: ContrastiveCandidate) -> Html:
    return f"candidate {candidate.token}"


def _vectors_moment(step: CandidateScored | CandidateSelected | None) -> str:
    match step:
        case CandidateScored():
            return f"Candidate {step.candidate}"
        case CandidateSelected():
            return "The selection"
    return "The hidden states"


def _vectors_panels(
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
