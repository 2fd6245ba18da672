"""Views of the E-step, word by word, and of the losses that pruning compares, piece by piece."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from math import exp, inf
from typing import Any

from tokenlab.algorithms.unigram.expectation_maximization import WordExpected
from tokenlab.algorithms.unigram.lattice import build_lattice, count_segmentations, segmentations
from tokenlab.algorithms.unigram.prune import PieceLoss
from tokenlab.algorithms.unigram.vocabulary import Vocabulary, log_probability
from tokenlab.misconceptions.unigram_training import hard_em
from tokenlab.printing.printable import times
from tokenlab.show.frames import (
    OTHER,
    Frame,
    Html,
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
from tokenlab.steps.recording import Recording

BARS, SEGMENTATIONS, LISTED, QUESTIONS = 10, 6, 200, 3  # maximum numbers; a question lists all segmentations


# --- expected counts ------------------------------------------------------------------------------


def expected_counts_view(recording: Recording[Any, Any], window: StepRange) -> Iterator[Frame]:
    """Show a frame before the first word, and one after each word."""
    vocabulary = recording.arguments["vocabulary"]
    asked = _questions(recording, vocabulary, window)
    counts: Counter[str] = Counter()
    for number, step in enumerate([None, *recording.steps[: window.end]]):
        counts.update(step.expected_counts if step else {})
        if number >= window.first:
            yield Frame(
                moment=f"After word {number} of {len(recording)}" if step else "Before the first word",
                caption=sentence(step) if step else _NOTHING_YET,
                remark=_shared(step, vocabulary) + (_total(recording, counts) if number == len(recording) else ""),
                panels=tuple(_segmentations_and_counts(step, vocabulary, counts)),
                question=asked.get(number),
            )


_NOTHING_YET = "Nothing is counted yet. Each word will divide its count among all of its segmentations."


def _shared(step: WordExpected[Any] | None, vocabulary: Vocabulary[Any]) -> Html:
    if step is None:
        return ""
    number = count_segmentations(build_lattice(step.word, vocabulary))
    return f"The {number:,} segmentations of the word share its count." if number > 1 else "It has one segmentation."


def _total(recording: Recording[Any, Any], counts: Mapping[str, float]) -> Html:
    unused = sum(counts.get(piece, 0) < 0.5 for piece in recording.arguments["vocabulary"] if len(piece) > 1)
    has = "has" if unused == 1 else "have"
    few = f" {unused:,} of the longer pieces {has} an expected count below 0.5." * bool(unused)
    return f" The sum of all expected counts is {sum(counts.values()):,.1f}.{few}"


def _segmentations_and_counts(
    step: WordExpected[Any] | None, vocabulary: Vocabulary[Any], counts: Mapping[str, float]
) -> Iterator[Panel]:
    if step:
        best = segmentations_with_probability(step.word, vocabulary)
        rows = tuple(bar(chips(pieces), posterior, f"{posterior:.1%}") for pieces, posterior in best[:SEGMENTATIONS])
        more = f", the best {SEGMENTATIONS}" if len(best) > SEGMENTATIONS else ""
        if rows:
            yield Panel(f"The segmentations and their posterior probabilities{more}", rows, kind="bars")
        so_far = _counts(counts, step.expected_counts)
        yield Panel("Expected counts so far (and the last addition)", so_far, kind="bars")
    else:
        likely = sorted(vocabulary, key=lambda piece: -vocabulary[piece])[:BARS]
        top = vocabulary[likely[0]]
        rows = tuple(bar(chip(p), exp(vocabulary[p] - top), f"{exp(vocabulary[p]):.3f}") for p in likely)
        yield Panel(f"The current probabilities of the pieces{_of_all(vocabulary)}", rows, kind="bars")


def segmentations_with_probability(word: str, vocabulary: Vocabulary[Any]) -> list[tuple[tuple[str, ...], float]]:
    """Return all segmentations of a word with their posterior probabilities, best first; [] if there are too many."""
    lattice = build_lattice(word, vocabulary)
    if count_segmentations(lattice) > LISTED:
        return []
    found = [tuple(edge.piece for edge in path) for path in segmentations(lattice)]
    weights = [exp(log_probability(pieces, vocabulary)) for pieces in found]
    ranked = sorted(zip(found, weights, strict=True), key=lambda both: -both[1])
    return [(pieces, weight / sum(weights)) for pieces, weight in ranked] if sum(weights) else []


def _counts(counts: Mapping[str, float], added: Mapping[str, float]) -> tuple[Html, ...]:
    shown = sorted(counts, key=lambda piece: (piece not in added, -counts[piece]))[:BARS]
    top = max(counts.values())
    new = {piece: f" (+{added[piece]:.2f})" if piece in added else "" for piece in shown}
    return tuple(
        bar(chip(piece, "new" if new[piece] else ""), counts[piece] / top, f"{counts[piece]:.2f}{new[piece]}")
        for piece in sorted(shown, key=lambda piece: -counts[piece])
    )


def _questions(
    recording: Recording[Any, Any], vocabulary: Vocabulary[Any], window: StepRange
) -> dict[int, Question | None]:
    """Return questions, not before the first word: about words whose best segmentation has clearly less than all."""
    asked: dict[int, Question | None] = {}
    for number in range(max(window.first, 1), min(window.end, len(recording) - 1) + 1):
        step = recording[number]
        ranked = segmentations_with_probability(step.word, vocabulary)
        clear = 1 < len(ranked) <= SEGMENTATIONS and 0.1 < ranked[1][1] < ranked[0][1] - 0.05
        if clear and len(asked) < QUESTIONS:
            asked[number] = _question(step, vocabulary, [pieces for pieces, _ in ranked])
    return asked


def _question(step: WordExpected[Any], vocabulary: Vocabulary[Any], ranked: Sequence[Sequence[str]]) -> Question | None:
    """Ask for an expected count; misconception 22 counts only the best segmentation."""
    best = ranked[0]
    products = [f"{exp(log_probability(pieces, vocabulary)):.3g}" for pieces in ranked]
    terms = ", ".join(f"{chips(pieces)} {product}" for pieces, product in zip(ranked, products, strict=True))
    piece = max(best, key=lambda piece: (len(piece), piece))
    right, wrong = step.expected_counts[piece], hard_em({step.word: step.count}, vocabulary)[piece]
    facts = (("hundredths of the expected count", (step.word, piece), round(100 * right)),)
    why = f"The segmentations with {chip(piece)} have {right / wrong:.1%} of the probability, so it gets {right:.2f}."
    reason = (
        f"This would be its count if only the best segmentation, {chips(best)}, counted. But every segmentation counts "
        f"with its posterior probability, so it gets {right:.2f}."
    )
    equal = step.count * sum(pieces.count(piece) for pieces in ranked) / len(ranked)
    share = f"Here each of the {len(ranked)} segmentations has the same share. But they are not equally probable."
    return ask(
        f"Next is {chip(step.word)}, which occurs {times(step.count)}. Its segmentations have these "
        f"probabilities: {terms}. How much of this count does {chip(piece)} get?",
        (f"{right:.2f}", why),
        Option(f"{wrong:.2f}", reason, misconception=22, facts=facts),
        (OTHER, f"{equal:.2f}", share),
        facts=facts,
        given=(times(step.count), *products),
    )


# --- pruning --------------------------------------------------------------------------------------


def pruning_view(recording: Recording[Any, Any], window: StepRange) -> Iterator[Frame]:
    """Show a frame before the first piece, and one after each piece whose loss was computed."""
    vocabulary = recording.arguments["vocabulary"]
    asked = _pruning_questions(recording, vocabulary, window)
    for number, last, _ in window.steps_around(recording):
        done = recording.steps[:number]
        yield Frame(
            moment=f"After piece {number} of {len(recording)}" if last else "Before the first piece",
            caption=sentence(last) if last else _OPENING,
            remark=_cheapest(done) if number == len(recording) and done else "",
            panels=tuple(_judged(last, done, vocabulary)),
            question=asked.get(number),
        )


_OPENING = "For each longer piece, the next frames show its best replacement, and what this replacement would cost."


def _cheapest(done: Sequence[PieceLoss[Any]]) -> Html:
    useless = sum(one.is_redundant for one in done)
    return (
        f"{useless:,} of {len(done):,} are useless. They are removed first, then the pieces with the smallest losses."
    )


def _judged(
    last: PieceLoss[Any] | None, done: Sequence[PieceLoss[Any]], vocabulary: Vocabulary[Any]
) -> Iterator[Panel]:
    if last:
        alternative = tuple(last.alternative)
        compared = [(last.piece,), alternative] if alternative else [(last.piece,)]
        costs = {pieces: -log_probability(pieces, vocabulary) for pieces in compared}
        most = max(*costs.values(), 1e-9)
        rows = tuple(bar(chips(pieces), cost / most, f"{cost:.2f}") for pieces, cost in costs.items())
        yield Panel("The piece and its best replacement: negative log probability", rows, kind="bars")
        losses = loss_bars({one.piece: one.loss for one in done})
        yield Panel("The loss of removing each piece, smallest first", losses, "bars")
    else:
        rows = tuple(labelled(f"{vocabulary[piece]:.2f}", chip(piece)) for piece in vocabulary)
        yield Panel(f"Pieces and their log probabilities{_of_all(vocabulary)}", rows[:BARS], kind="words")


def _of_all(vocabulary: Vocabulary[Any]) -> str:
    return f", {BARS} of {len(vocabulary):,}" if len(vocabulary) > BARS else ""


def loss_bars(losses: Mapping[str, float], removed: Collection[str] = ()) -> tuple[Html, ...]:
    """Return bars of pieces and their losses, smallest first; useless pieces have a dashed outline."""
    gone = set(removed)
    ordered = sorted(losses, key=lambda piece: (piece not in gone, losses[piece]))
    top = max([1e-9, *(loss for loss in losses.values() if loss != inf)])
    return tuple(
        bar(
            chip(piece, "" if losses[piece] else "unknown"),
            max(0.0, min(1.0, losses[piece] / top)),
            (f"{losses[piece]:.4f}" if losses[piece] else "useless") + (", removed" if piece in gone else ""),
        )
        for piece in _representative(ordered, len(gone))
    )


def _representative(ordered: list[str], gone: int) -> list[str]:
    """Select the first and last pieces, and those on both sides of the boundary between removed and kept."""
    if len(ordered) <= BARS:
        return ordered
    if not gone:
        return [*ordered[: BARS - 3], *ordered[-3:]]
    places = [*range(3), *range(gone - 3, gone + 3), *range(len(ordered) - 3, len(ordered))]
    return [ordered[place] for place in sorted(set(places)) if 0 <= place < len(ordered)]


def _pruning_questions(
    recording: Recording[Any, Any], vocabulary: Vocabulary[Any], window: StepRange
) -> dict[int, Question | None]:
    """Return questions about useless pieces that are more probable than some useful piece."""
    asked: dict[int, Question | None] = {}
    needed = [one for one in recording if not one.is_redundant]
    for number in range(max(window.first, 1), min(window.end, len(recording) - 1) + 1):
        one = recording[number]
        less = [other for other in needed if vocabulary[other.piece] < vocabulary[one.piece] - 0.05]
        if one.is_redundant and less and len(asked) < QUESTIONS:
            least = sorted(less, key=lambda other: (vocabulary[other.piece], other.piece))
            asked[number] = _which_is_removed(one, least[0], least[1:2], vocabulary)
    return asked


def _which_is_removed(
    useless: PieceLoss[Any], needed: PieceLoss[Any], more: Sequence[PieceLoss[Any]], vocabulary: Vocabulary[Any]
) -> Question | None:
    """Ask for the piece with the smallest loss; misconception 24 takes the least probable one."""
    candidates = sorted([useless, needed, *more], key=lambda one: one.piece)
    given = [number for one in candidates for number in _probabilities(one, vocabulary)]
    listed = "; ".join(_candidate(one, vocabulary) for one in candidates)
    used = (("used", useless.piece, useless.frequency), ("used", needed.piece, needed.frequency))
    order = (("is more probable than", (useless.piece, needed.piece), 1),)
    why = (
        f"The best segmentations use {chip(needed.piece)} {times(needed.frequency)} and {chip(useless.piece)} "
        f"{'never' if not useless.frequency else times(useless.frequency)}: removing it costs nothing."
    )
    less = f"It is less probable ({exp(vocabulary[needed.piece]):.4f} against {exp(vocabulary[useless.piece]):.4f})"
    reason = f"{less}, but it is used {times(needed.frequency)}. The loss decides, not the probability."
    also = [
        Option(
            chip(one.piece), f"It is used {times(one.frequency)}, so removing it costs something.", False, OTHER, used
        )
        for one in more
    ]
    return ask(
        f"These pieces are candidates for removal: {listed}. Which of them has the smallest loss?",
        (chip(useless.piece), why),
        Option(chip(needed.piece), reason, misconception=24, facts=order),
        *also,
        facts=used,
        given=tuple(given),
    )


def _candidate(one: PieceLoss[Any], vocabulary: Vocabulary[Any]) -> Html:
    """Describe a candidate by what its loss is computed from."""
    numbers = _probabilities(one, vocabulary)
    replaced = f", its best replacement {chips(one.alternative)} {numbers[1]}" if one.alternative else ""
    return f"{chip(one.piece)} has the probability {numbers[0]}{replaced}, and is used {times(one.frequency)}"


def _probabilities(one: PieceLoss[Any], vocabulary: Vocabulary[Any]) -> list[str]:
    """Return the probability of a piece and that of its best replacement, if there is one."""
    compared = [(one.piece,), tuple(one.alternative)]
    return [f"{exp(log_probability(pieces, vocabulary)):.3g}" for pieces in compared if pieces]
