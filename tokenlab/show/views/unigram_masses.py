"""What all segmentations weigh together: forward, backward, each piece's share; and one segmentation being drawn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import exp
from typing import Any

from tokenlab.algorithms.forward_backward import SummedBackward, SummedForward, Weighed, forward_backward
from tokenlab.algorithms.lattice import Edge, Lattice, segmentations
from tokenlab.algorithms.sampling import Drawn, powers, sample
from tokenlab.algorithms.viterbi import best_path
from tokenlab.misconceptions.unigram_segmenting import alpha_swapped
from tokenlab.show.frames import Fact, Frame, Option, Panel, Question, Window, bar, chip, chips, view
from tokenlab.show.views.lattice_drawing import LONGEST, Mark, lattice_panel
from tokenlab.show.views.sentences import sentences
from tokenlab.show.views.unigram_segmenting import Table, lattice_of, reached
from tokenlab.steps import Recording
from tokenlab.visible import visible

BARS = 12  # at the most


@view(forward_backward)
def masses_on_the_lattice(recording: Recording[Any, Any], window: Window) -> Iterator[Frame]:
    """A frame for the lattice, one for each position forward, each backward, and each piece that is weighed."""
    lattice = lattice_of(recording)
    if lattice is None:
        yield from sentences(recording, window)
        return
    asked = _uncertain(recording, lattice)
    for number in range(window.first, window.end + 1):
        frame = _massed(lattice, recording.steps[:number])
        question = _share(lattice, recording[number]) if number == asked and number > window.first else None
        yield Frame(frame.moment, frame.caption, frame.remark, frame.panels, question)


def _massed(lattice: Lattice, steps: tuple[Any, ...]) -> Frame:
    if not steps:
        return reached(Table(lattice), None)
    done = steps[-1]
    forward = {0: 1.0} | {step.end: exp(step.log_mass) for step in steps if isinstance(step, SummedForward)}
    if isinstance(done, SummedForward):
        return _forward(lattice, done, forward)
    backward = {len(lattice.text): 1.0}
    backward |= {step.start: exp(step.log_mass) for step in steps if isinstance(step, SummedBackward)}
    if isinstance(done, SummedBackward):
        return _backward(lattice, done, backward)
    return _weighed(lattice, [step for step in steps if isinstance(step, Weighed)])


def _forward(lattice: Lattice, done: SummedForward, masses: Mapping[int, float], alpha: float = 1.0) -> Frame:
    arriving = lattice.edges_to[done.end]
    parts = {edge: masses[edge.start] * exp(alpha * edge.log_prob) for edge in arriving}
    return Frame(
        f"Forward to {done.end}",
        f"All ways to position {done.end} weigh {exp(done.log_mass):.3g}: the sum over what ends here.",
        "Viterbi would keep the largest; here nothing is dropped.",
        _panels(lattice, parts, masses, f"What arrives at position {done.end}"),
    )


def _backward(lattice: Lattice, done: SummedBackward, masses: Mapping[int, float]) -> Frame:
    parts = {edge: exp(edge.log_prob) * masses[edge.end] for edge in lattice.edges_from[done.start]}
    return Frame(
        f"Backward to {done.start}",
        f"All ways from position {done.start} to the end weigh {exp(done.log_mass):.3g}.",
        "At the start it is the same number as forward at the end: the word, all its segmentations together."
        if done.start == 0
        else "",
        _panels(lattice, parts, masses, f"What leaves position {done.start}"),
    )


def _panels(
    lattice: Lattice, parts: Mapping[Edge, float], masses: Mapping[int, float], title: str
) -> tuple[Panel, ...]:
    marks: dict[Edge, Mark] = dict.fromkeys(parts, "now")
    beneath = [f"{masses[place]:.2g}" if place in masses else "" for place in range(len(lattice.text) + 1)]
    labels = {edge: f"{exp(edge.log_prob):.2g}" for edge in lattice.edges}
    most = max(parts.values(), default=1.0) or 1.0
    bars = [bar(chip(edge.piece), part / most, f"{part:.3g}") for edge, part in list(parts.items())[:BARS]]
    known = [f"<li><span>{place}</span> <div>{mass:.3g}</div>" for place, mass in sorted(masses.items())][:BARS]
    return (
        lattice_panel("The lattice: under each piece its probability", lattice, marks, beneath, labels),
        Panel(title, tuple(bars), "bars"),
        Panel("What all ways weigh, by position", tuple(known), "words"),
    )


def _weighed(lattice: Lattice, weighed: list[Weighed]) -> Frame:
    done = weighed[-1]
    shares = {(step.start, step.end): step.probability for step in weighed}
    labels = {
        edge: f"{shares[edge.start, edge.end]:.3f}" if (edge.start, edge.end) in shares else ""
        for edge in lattice.edges
    }
    marks: dict[Edge, Mark] = {
        edge: "now" if (edge.start, edge.end) == (done.start, done.end) else "" for edge in lattice.edges
    }
    expected: dict[str, float] = {}
    for step in weighed:
        expected[step.piece] = expected.get(step.piece, 0.0) + step.probability
    most = max(expected.values())
    bars = tuple(bar(chip(piece), count / most, f"{count:.3f}") for piece, count in list(expected.items())[-BARS:])
    return Frame(
        f"The share of {visible(done.piece)} from {done.start}",
        f"{chip(done.piece, 'new')} has {done.probability:.3f} of it: before it, itself and behind it, over all.",
        "A piece is expected as often as its arcs' shares add up to.",
        (
            lattice_panel("The lattice: under each piece its share, once it is known", lattice, marks, [], labels),
            Panel("Expected counts so far", bars, "bars"),
        ),
    )


def _uncertain(recording: Recording[Any, Any], lattice: Lattice) -> int:
    """The step that weighs the most uncertain piece of the best segmentation; -1 where none is uncertain."""
    best = {(edge.start, edge.end) for edge in best_path(lattice)}
    shares = {
        number: abs(step.probability - 0.6)
        for number, step in enumerate(recording)
        if isinstance(step, Weighed) and (step.start, step.end) in best
    }
    number = min(shares, key=shares.__getitem__, default=-1)
    return number if number >= 0 and shares[number] < 0.35 else -1


def _share(lattice: Lattice, following: Weighed) -> Question:
    """For those who believe that what Viterbi gives is all there is to count (22)."""
    facts: tuple[Fact, ...] = (("share", (following.start, following.end), round(following.probability, 3)),)
    piece = chip(following.piece)
    why = f"{piece} lies on the best segmentation, but others count too: {following.probability:.3f}."
    options = (
        Option(f"{following.probability:.3f}", f"Ways through {piece} have that share of all ways.", True, facts=facts),
        Option("1.000", why, belief=22, facts=facts),
    )
    prompt = f"{piece} from {following.start} lies on the best segmentation. How often is it expected there?"
    return Question(prompt, options).shuffled()


# --- a sample -------------------------------------------------------------------------------------


@view(sample)
def a_sample_being_drawn(recording: Recording[Any, Any], window: Window) -> Iterator[Frame]:
    """A frame for the lattice, one for each position forward, and one for each piece that is drawn, from the end."""
    lattice = lattice_of(recording)
    alpha = recording.arguments["alpha"]
    if lattice is None or not any(isinstance(step, SummedForward) for step in recording):
        yield from sentences(recording, window)
        return
    for number in range(window.first, window.end + 1):
        done = recording.steps[:number]
        following = recording[number] if number < len(recording) else None
        turning = number > window.first and isinstance(following, Drawn) and not isinstance(done[-1], Drawn)
        frame = _sampled(lattice, done, alpha)
        question = _two_alphas(lattice, alpha) if turning else None
        yield Frame(frame.moment, frame.caption, frame.remark, frame.panels, question)


def _sampled(lattice: Lattice, steps: tuple[Any, ...], alpha: float) -> Frame:
    if not steps:
        return reached(Table(lattice), None)
    done = steps[-1]
    masses = {0: 1.0} | {step.end: exp(step.log_mass) for step in steps if isinstance(step, SummedForward)}
    if isinstance(done, SummedForward):
        return _forward(lattice, done, masses, alpha)
    return _drawn(lattice, [step for step in steps if isinstance(step, Drawn)], masses, alpha)


def _drawn(lattice: Lattice, drawn: list[Drawn], masses: Mapping[int, float], alpha: float) -> Frame:
    done = drawn[-1]
    shares = {
        edge: masses[edge.start] * exp(alpha * edge.log_prob) / masses[done.end]
        for edge in lattice.edges_to[done.end]
        if masses[done.end]
    }
    marks: dict[Edge, Mark] = dict.fromkeys(shares, "lost")
    for step in drawn:
        marks |= {edge: "path" for edge in lattice.edges_to[step.end] if edge.start == step.start}
    labels = dict.fromkeys(lattice.edges, "") | {edge: f"{share:.3f}" for edge, share in shares.items()}
    bars = [
        bar(chip(edge.piece, "new" if edge.start == done.start else ""), share, f"{share:.3f}")
        for edge, share in shares.items()
    ]
    beneath = [f"{masses[place]:.2g}" if place in masses else "" for place in range(len(lattice.text) + 1)]
    return Frame(
        f"Drawn at {done.end}",
        f"{chip(done.piece, 'new')} was drawn, with probability {done.probability:.3f}.",
        "The word is cut." if done.start == 0 else f"Next: what ends at position {done.start}.",
        (
            lattice_panel("The lattice: thick, what was drawn; dashed, what was not", lattice, marks, beneath, labels),
            Panel(f"The draw at position {done.end}", tuple(bars[:BARS]), "bars"),
            Panel("Drawn so far, from the end", (chips([step.piece for step in reversed(drawn)][:LONGEST]),), "chips"),
        ),
    )


def _two_alphas(lattice: Lattice, alpha: float) -> Question | None:
    """For those who take alpha for a temperature (26): what does it do to the best segmentation's chance?"""
    if alpha == 1 or len(lattice.text) > BARS:
        return None
    scores = [sum(edge.log_prob for edge in path) for path in segmentations(lattice)]
    plain, right, swapped = (max(shares) for shares in _chances(scores, alpha))
    if not (round(plain, 3) - round(right, 3)) * (round(plain, 3) - round(swapped, 3)) < 0:
        return None
    facts: tuple[Fact, ...] = (("plain", None, round(plain, 3)), ("right", None, round(right, 3)))
    word, other = ("more", "less") if right > plain else ("less", "more")
    why = f"Its chance goes from {plain:.3f} to {right:.3f}: alpha is an exponent of every probability."
    return Question(
        f"alpha is {alpha:g}. Is the most probable segmentation drawn more often than with alpha one, or less often?",
        (
            Option(f"{word} often", why, True, facts=facts),
            Option(f"{other} often", f"That would be a temperature. {why}", belief=26, facts=facts),
        ),
    ).shuffled()


def _chances(scores: list[float], alpha: float) -> Iterator[list[float]]:
    """The chances with alpha one, with this alpha, and as the misconception has them."""
    yield powers(scores, 1)
    yield powers(scores, alpha)
    yield alpha_swapped(scores, alpha)
