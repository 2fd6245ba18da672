"""Views of forward-backward (forward sums, backward sums, posteriors), and of sampling a segmentation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import exp, log
from typing import Any

from tokenlab.algorithms.unigram.forward_backward import BackwardSum, EdgePosterior, ForwardSum, PathSums
from tokenlab.algorithms.unigram.lattice import Edge, Lattice, segmentations
from tokenlab.algorithms.unigram.sample_segmentation import PieceSampled, SampledPath, sharpened
from tokenlab.algorithms.unigram.viterbi import ViterbiTable, best_path
from tokenlab.misconceptions.unigram_segmenting import alpha_swapped
from tokenlab.printing.printable import printable
from tokenlab.show.frames import (
    OTHER,
    Fact,
    Frame,
    Option,
    Panel,
    Question,
    StepRange,
    bar,
    chip,
    chips,
    labelled,
    sentence,
)
from tokenlab.show.views.elements.questions import ask
from tokenlab.show.views.elements.step_list_view import step_list_view
from tokenlab.show.views.unigram.lattice_drawing import LONGEST, Mark, lattice_panel
from tokenlab.show.views.unigram.viterbi_view import recorded_lattice, viterbi_frame
from tokenlab.steps.recording import Recording

BARS = 12  # maximum number


def forward_backward_view(recording: Recording[Any, Any], window: StepRange) -> Iterator[Frame]:
    """Show a frame for the lattice, one for each forward sum, each backward sum, and each edge's posterior."""
    lattice = recorded_lattice(recording)
    if lattice is None:
        yield from step_list_view(recording, window)
        return
    sums, asked = PathSums(lattice), _question_step(recording, lattice)
    for number, done, following in StepRange(0, window.end).steps_around(recording):
        if done:
            done.apply(sums)
        if number >= window.first:
            frame = _frame_after(sums, done)
            question = _posterior_question(sums, following) if number == asked and number > window.first else None
            yield Frame(frame.moment, frame.caption, frame.remark, frame.panels, question)


def _frame_after(sums: PathSums[Any], done: Any) -> Frame:
    match done:
        case ForwardSum():
            return _forward(sums, done)
        case BackwardSum():
            return _backward(sums, done)
        case EdgePosterior():
            return _posteriors(sums, done)
    return viterbi_frame(ViterbiTable(sums.lattice), None)


def _forward(sums: PathSums[Any], done: ForwardSum, alpha: float = 1.0) -> Frame:
    incoming = sums.lattice.edges_to[done.end]
    parts = {edge: exp(sums.forward[edge.start] + alpha * edge.log_prob) for edge in incoming}
    return Frame(
        f"Forward to {done.end}",
        sentence(done),
        "Viterbi would keep only the largest term; here all terms are added.",
        _panels(sums.lattice, parts, sums.forward, done.end),
    )


def _backward(sums: PathSums[Any], done: BackwardSum) -> Frame:
    parts = {edge: exp(edge.log_prob + sums.backward[edge.end]) for edge in sums.lattice.edges_from[done.start]}
    likelihood = "The backward sum at the start is the probability of the word, like the forward sum at the end."
    return Frame(
        f"Backward to {done.start}",
        sentence(done),
        "" if done.start else likelihood,
        _panels(sums.lattice, parts, sums.backward, done.start),
    )


def _panels(
    lattice: Lattice[Any], parts: Mapping[Edge[Any], float], sums: Mapping[int, float], position: int
) -> tuple[Panel, ...]:
    marks: dict[Edge[Any], Mark] = dict.fromkeys(parts, "now")
    labels = {edge: f"{exp(edge.log_prob):.2g}" for edge in lattice.edges}
    most = max(parts.values(), default=1.0) or 1.0
    bars = [bar(chip(edge.piece), part / most, f"{part:.3g}") for edge, part in list(parts.items())[:BARS]]
    known = [labelled(f"{place}", f"{exp(total):.3g}") for place, total in sorted(sums.items())][:BARS]
    title = "The lattice, with the probability of each piece"
    return (
        lattice_panel(title, lattice, marks, _position_labels(lattice, sums), labels),
        Panel(f"The terms of the sum at position {position}", tuple(bars), "bars"),
        Panel("The sum at each position", tuple(known), "words"),
    )


def _position_labels(lattice: Lattice[Any], sums: Mapping[int, float]) -> list[str]:
    return [f"{exp(sums[place]):.2g}" if place in sums else "" for place in range(len(lattice.text) + 1)]


def _posteriors(sums: PathSums[Any], done: EdgePosterior[Any]) -> Frame:
    edges, known = list(sums.lattice.edges), sums.posteriors
    labels = {edge: f"{known[place]:.3f}" if (place := (edge.start, edge.end)) in known else "" for edge in edges}
    now = [edge for edge in edges if (edge.start, edge.end) == (done.start, done.end)]
    marks: dict[Edge[Any], Mark] = dict.fromkeys(now, "now")
    most = max(sums.expected.values())
    expected = list(sums.expected.items())[-BARS:]
    bars = tuple(bar(chip(piece), count / most, f"{count:.3f}") for piece, count in expected)
    return Frame(
        f"The posterior of {printable(done.piece)} from {done.start}",
        sentence(done),
        "It is (forward sum at its start) × (its probability) × (backward sum at its end) / (probability of the word). "
        "The expected count of a piece is the sum of the posterior probabilities of its edges.",
        (
            lattice_panel("The lattice, with the posterior of each piece so far", sums.lattice, marks, [], labels),
            Panel("Expected counts so far", bars, "bars"),
        ),
    )


def _question_step(recording: Recording[Any, Any], lattice: Lattice[Any]) -> int:
    """Return the step with the most uncertain posterior on the best segmentation; -1 if none is uncertain."""
    best = {(edge.start, edge.end) for edge in best_path(lattice)}
    distances = {
        number: abs(step.probability - 0.6)
        for number, step in enumerate(recording)
        if isinstance(step, EdgePosterior) and (step.start, step.end) in best
    }
    number = min(distances, key=distances.__getitem__, default=-1)
    return number if number >= 0 and distances[number] < 0.35 else -1


def _posterior_question(sums: PathSums[Any], following: EdgePosterior[Any]) -> Question | None:
    """Ask for a posterior; misconception 22 counts only Viterbi's segmentation."""
    before, after = sums.forward[following.start], sums.backward[following.end]
    whole = sums.forward[len(sums.lattice.text)]
    alone = exp(log(following.probability) + whole - before - after)
    given = tuple(f"{value:.3g}" for value in (exp(before), alone, exp(after), exp(whole)))
    facts: tuple[Fact, ...] = (("share", (following.start, following.end), round(following.probability, 3)),)
    piece = chip(following.piece)
    why = f"{piece} is in the best segmentation. But all segmentations count: {following.probability:.3f}."
    right = f"The paths through {piece} have this share of the probability of all paths."
    single = f"{alone:.3f} is the probability of the piece alone, without the rest of the word."
    return ask(
        f"{piece} at position {following.start} is in the best segmentation. Its probability is {given[1]}, the "
        f"forward sum at its start {given[0]}, the backward sum at its end {given[2]}, and the probability of the word "
        f"{given[3]}. What is its expected count there?",
        (f"{following.probability:.3f}", right),
        Option("1.000", why, misconception=22, facts=facts),
        (OTHER, f"{alone:.3f}", single),
        facts=facts,
        given=given,
    )


# --- a sample -------------------------------------------------------------------------------------


def lattice_sampling_view(recording: Recording[Any, Any], window: StepRange) -> Iterator[Frame]:
    """Show a frame for the lattice, one for each forward sum, and one for each piece drawn, from the end."""
    lattice = recorded_lattice(recording)
    alpha = recording.arguments["alpha"]
    if lattice is None or not any(isinstance(step, ForwardSum) for step in recording):
        yield from step_list_view(recording, window)
        return
    path, opening = SampledPath(lattice), viterbi_frame(ViterbiTable(lattice), None)
    for number, done, following in StepRange(0, window.end).steps_around(recording):
        if done:
            done.apply(path)
        if number >= window.first:
            drawn = isinstance(done, PieceSampled)
            frame = _draw_frame(path, done, alpha) if drawn else _forward(path, done, alpha) if done else opening
            asks = isinstance(following, PieceSampled) and not drawn and number > window.first
            question = _alpha_question(lattice, alpha) if asks else None
            yield Frame(frame.moment, frame.caption, frame.remark, frame.panels, question)


def _draw_frame(path: SampledPath[Any], done: PieceSampled[Any], alpha: float) -> Frame:
    lattice, sums = path.lattice, path.forward
    probabilities = {
        edge: exp(sums[edge.start] + alpha * edge.log_prob - sums[done.end]) for edge in lattice.edges_to[done.end]
    }
    marks: dict[Edge[Any], Mark] = dict.fromkeys(probabilities, "lost")
    marks |= dict.fromkeys(path.drawn, "path")
    labels = dict.fromkeys(lattice.edges, "") | {edge: f"{value:.3f}" for edge, value in probabilities.items()}
    bars = [
        bar(chip(edge.piece, "new" if edge.start == done.start else ""), value, f"{value:.3f}")
        for edge, value in probabilities.items()
    ]
    title, from_end = "The lattice (thick: drawn; dashed: not drawn)", [edge.piece for edge in reversed(path.drawn)]
    return Frame(
        f"Drawn at {done.end}",
        sentence(done),
        "The segmentation is complete." if done.start == 0 else f"The next piece must end at position {done.start}.",
        (
            lattice_panel(title, lattice, marks, _position_labels(lattice, sums), labels),
            Panel(f"The draw at position {done.end}", tuple(bars[:BARS]), "bars"),
            Panel("Drawn so far, from the end", (chips(from_end[:LONGEST]),), "chips"),
        ),
    )


def _alpha_question(lattice: Lattice[Any], alpha: float) -> Question | None:
    """Ask how alpha changes the probability of the best segmentation; misconception 26 treats it as a temperature."""
    if alpha == 1 or len(lattice.text) > BARS:
        return None
    scores = [sum(edge.log_prob for edge in path) for path in segmentations(lattice)]
    plain, right, swapped = map(max, _probabilities(scores, alpha))
    if not (round(plain, 3) - round(right, 3)) * (round(plain, 3) - round(swapped, 3)) < 0:
        return None
    word, other = ("more", "less") if right > plain else ("less", "more")
    return ask(
        f"alpha is {alpha:g}. Is the most probable segmentation drawn more often than with alpha = 1?",
        (
            f"{word} often",
            f"Its probability goes from {plain:.3f} to {right:.3f}: alpha is an exponent of every probability.",
        ),
        (26, f"{other} often", "A larger exponent favours the best segmentation. A smaller one does not."),
        (OTHER, "equally often", "Only alpha = 1 leaves the probabilities unchanged."),
        facts=(("plain", None, round(plain, 3)), ("right", None, round(right, 3))),
        given=(f"alpha is {alpha:g}",),
    )


def _probabilities(scores: list[float], alpha: float) -> Iterator[list[float]]:
    """Yield the sampling probabilities with alpha = 1, with this alpha, and according to the misconception."""
    yield sharpened(scores, 1)
    yield sharpened(scores, alpha)
    yield alpha_swapped(scores, alpha)
