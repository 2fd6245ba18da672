"""The two halves of a Unigram round, slowly: words that hand out their counts in shares, and pieces that are judged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from math import exp, inf
from typing import Any

from tokenlab.algorithms.lattice import build_lattice, count_segmentations, segmentations
from tokenlab.algorithms.unigram_em import Shared, expect
from tokenlab.algorithms.unigram_prune import Judged, judge
from tokenlab.algorithms.unigram_vocabulary import Vocabulary, log_probability
from tokenlab.misconceptions.unigram_training import hard_em
from tokenlab.show.frames import Frame, Html, Option, Panel, Question, Window, bar, chip, chips, text, view
from tokenlab.steps import Recording

BARS, WAYS, LISTED, QUESTIONS = 10, 6, 200, 3  # at the most


# A word hands out its count.


@view(expect)
def shares(recording: Recording[Any, Any], window: Window) -> Iterator[Frame]:
    """A frame before the first word, and one after each."""
    vocabulary = recording.arguments["vocabulary"]
    asked = _stops(recording, vocabulary, window)
    counts: Counter[str] = Counter()
    for number, step in enumerate([None, *recording.steps[: window.end]]):
        counts.update(step.shares if step else {})
        if number >= window.first:
            yield Frame(
                moment=f"After word {number} of {len(recording)}" if step else "Before the first word",
                caption=_handed_out(step, vocabulary) if step else _NOTHING_YET,
                remark=_left_at_the_end(recording, counts) if number == len(recording) else "",
                panels=tuple(_ways_and_counts(step, vocabulary, counts)),
                question=asked.get(number),
            )


_NOTHING_YET = "Nothing is counted yet. Each word will hand out its count to the pieces of all of its segmentations."


def _handed_out(step: Shared, vocabulary: Vocabulary) -> Html:
    ways = count_segmentations(build_lattice(step.word, vocabulary))
    how = f"its {ways:,} segmentations share that" if ways > 1 else "it has one segmentation, which gets all of it"
    return f"{chip(step.word)} occurs {_times(step.count)}; {how}."


def _left_at_the_end(recording: Recording[Any, Any], counts: Mapping[str, float]) -> Html:
    unused = sum(counts.get(piece, 0) < 0.5 for piece in recording.arguments["vocabulary"] if len(piece) > 1)
    few = (
        f" {unused:,} of the longer pieces {'is' if unused == 1 else 'are'} expected less than half a time."
        if unused
        else ""
    )
    return f"{sum(counts.values()):,.1f} pieces are expected in all.{few}"


def _ways_and_counts(step: Shared | None, vocabulary: Vocabulary, counts: Mapping[str, float]) -> Iterator[Panel]:
    if step:
        best = ways_of(step.word, vocabulary)
        rows = tuple(bar(chips(way), share, f"{share:.1%}") for way, share in best[:WAYS])
        more = f", the best {WAYS}" if len(best) > WAYS else ""
        if rows:
            yield Panel(f"The segmentations and their shares{more}", rows, kind="bars")
        yield Panel("Expected so far, and what was added now", _counts(counts, step.shares), kind="bars")
    else:
        likely = sorted(vocabulary, key=lambda piece: -vocabulary[piece])[:BARS]
        top = vocabulary[likely[0]]
        rows = tuple(bar(chip(p), exp(vocabulary[p] - top), f"{exp(vocabulary[p]):.3f}") for p in likely)
        yield Panel("The probabilities that the shares follow from", rows, kind="bars")


def ways_of(word: str, vocabulary: Vocabulary) -> list[tuple[tuple[str, ...], float]]:
    """All segmentations of a word, each with its share of the probability, best first; none if there are too many."""
    lattice = build_lattice(word, vocabulary)
    if count_segmentations(lattice) > LISTED:
        return []
    ways = [tuple(edge.piece for edge in path) for path in segmentations(lattice)]
    weights = [exp(log_probability(way, vocabulary)) for way in ways]
    ranked = sorted(zip(ways, weights, strict=True), key=lambda both: -both[1])
    return [(way, weight / sum(weights)) for way, weight in ranked] if sum(weights) else []


def _counts(counts: Mapping[str, float], added: Mapping[str, float]) -> tuple[Html, ...]:
    shown = sorted(counts, key=lambda piece: (piece not in added, -counts[piece]))[:BARS]
    top = max(counts.values())
    return tuple(
        bar(
            chip(piece, "new" if piece in added else ""),
            counts[piece] / top,
            f"{counts[piece]:.2f}" + (f" (+{added[piece]:.2f})" if piece in added else ""),
        )
        for piece in sorted(shown, key=lambda piece: -counts[piece])
    )


def _stops(recording: Recording[Any, Any], vocabulary: Vocabulary, window: Window) -> dict[int, Question]:
    """Where to ask, once a word has been seen: at words whose best segmentation clearly has not all probability."""
    asked: dict[int, Question] = {}
    for number in range(max(window.first, 1), min(window.end, len(recording) - 1) + 1):
        step = recording[number]
        ways = ways_of(step.word, vocabulary)
        if len(ways) > 1 and 0.1 < ways[1][1] < ways[0][1] - 0.05 and len(asked) < QUESTIONS:
            asked[number] = _question(step, vocabulary, ways[0][0])
    return asked


def _question(step: Shared, vocabulary: Vocabulary, best: Sequence[str]) -> Question:
    piece = max(best, key=lambda piece: (len(piece), piece))
    right, wrong = step.shares[piece], hard_em({step.word: step.count}, vocabulary)[piece]
    fact = ("hundredths of the expected count", (step.word, piece), round(100 * right))
    why = f"The segmentations with {chip(piece)} have {right / wrong:.1%} of the probability, so it gets {right:.2f}."
    reason = (
        f"That is what it gets if only the best segmentation, {chips(best)}, counts. Every segmentation counts, by its "
        f"share: {right:.2f}."
    )
    return Question(
        f"Next is {chip(step.word)}, which occurs {_times(step.count)}. How much of that does {chip(piece)} get?",
        (
            Option(f"{right:.2f}", why, right=True, facts=(fact,)),
            Option(f"{wrong:.2f}", reason, belief=22, facts=(fact,)),
        ),
    ).shuffled()


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count:,} times"


# A piece is judged.


@view(judge)
def candidates(recording: Recording[Any, Any], window: Window) -> Iterator[Frame]:
    """A frame before the first piece, and one after each that was judged."""
    vocabulary = recording.arguments["vocabulary"]
    asked = _surprising(recording, vocabulary, window)
    for number in range(window.first, window.end + 1):
        done = recording.steps[:number]
        last = done[-1] if done else None
        yield Frame(
            moment=f"After piece {number} of {len(recording)}" if last else "Before the first piece",
            caption=_verdict(last)
            if last
            else "For each piece: what would the words use instead, and what would it cost?",
            remark=_cheapest(done) if number == len(recording) and done else "",
            panels=tuple(_judged(last, done, vocabulary)),
            question=asked.get(number),
        )


def _verdict(one: Judged) -> Html:
    if one.useless and one.own_best:
        return f"{chip(one.piece, 'unknown')} is useless: no word's best segmentation has it."
    if one.useless:
        return f"{chip(one.piece, 'unknown')} is useless: {chips(one.instead)} is more probable, so nothing uses it."
    if not one.instead:
        return f"{chip(one.piece)} is used {_times(one.frequency)}, and nothing could stand instead. It stays."
    used = f"{chip(one.piece, 'new')} is used {_times(one.frequency)}"
    costs = f"costs {one.loss:.4f}" if one.loss >= 0 else f"even saves {-one.loss:.4f}"
    return f"{used}. Without it: {chips(one.instead)}, which {costs}."


def _cheapest(done: Sequence[Judged]) -> Html:
    useless = sum(one.useless for one in done)
    return f"{useless:,} of {len(done):,} are useless. They go first, then those with the smallest losses."


def _judged(last: Judged | None, done: Sequence[Judged], vocabulary: Vocabulary) -> Iterator[Panel]:
    if last:
        instead = tuple(last.instead)
        ways = [(last.piece,), instead] if instead else [(last.piece,)]
        costs = [-log_probability(way, vocabulary) for way in ways]
        rows = tuple(
            bar(chips(way), cost / max(*costs, 1e-9), f"{cost:.2f}") for way, cost in zip(ways, costs, strict=True)
        )
        yield Panel("The piece, and what could stand instead: minus the log probability", rows, kind="bars")
        yield Panel(
            "What removing would cost, the cheapest first", loss_bars({one.piece: one.loss for one in done}), "bars"
        )
    else:
        rows = tuple(
            f"<li><span>{text(f'{vocabulary[piece]:.2f}')}</span> <div>{chip(piece)}</div>" for piece in vocabulary
        )
        yield Panel("Pieces and their log probabilities", rows[:BARS], kind="words")


def loss_bars(losses: Mapping[str, float], removed: Collection[str] = ()) -> tuple[Html, ...]:
    """Pieces and their losses, the cheapest first; useless ones have a dashed outline, and what is removed goes."""
    gone = set(removed)
    ordered = sorted(losses, key=lambda piece: (piece not in gone, losses[piece]))
    top = max([1e-9, *(loss for loss in losses.values() if loss != inf)])
    return tuple(
        bar(
            chip(piece, "" if losses[piece] else "unknown"),
            max(0.0, min(1.0, losses[piece] / top)),
            (f"{losses[piece]:.4f}" if losses[piece] else "useless") + (", goes" if piece in gone else ""),
        )
        for piece in _telling(ordered, len(gone))
    )


def _telling(ordered: list[str], gone: int) -> list[str]:
    """Of the ordered pieces the first and the last, and those on either side of the line between going and staying."""
    if len(ordered) <= BARS:
        return ordered
    if not gone:
        return [*ordered[: BARS - 3], *ordered[-3:]]
    places = [*range(3), *range(gone - 3, gone + 3), *range(len(ordered) - 3, len(ordered))]
    return [ordered[place] for place in sorted(set(places)) if 0 <= place < len(ordered)]


def _surprising(recording: Recording[Any, Any], vocabulary: Vocabulary, window: Window) -> dict[int, Question]:
    """Questions about pieces that are useless though more probable than the next one that is not."""
    asked: dict[int, Question] = {}
    needed = [one for one in recording if not one.useless]
    for number in range(max(window.first, 1), min(window.end, len(recording) - 1) + 1):
        one = recording[number]
        less = [other for other in needed if vocabulary[other.piece] < vocabulary[one.piece] - 0.05]
        if one.useless and less and len(asked) < QUESTIONS:
            other = min(less, key=lambda other: (vocabulary[other.piece], other.piece))
            asked[number] = _which_goes(one, other, vocabulary)
    return asked


def _which_goes(useless: Judged, needed: Judged, vocabulary: Vocabulary) -> Question:
    used = (("used", useless.piece, useless.frequency), ("used", needed.piece, needed.frequency))
    order = (("is more probable than", (useless.piece, needed.piece), 1),)
    why = (
        f"The best segmentations use {chip(needed.piece)} {_times(needed.frequency)} and {chip(useless.piece)} "
        f"{'never' if not useless.frequency else _times(useless.frequency)}: it would not be missed."
    )
    reason = (
        f"It is less probable ({exp(vocabulary[needed.piece]):.4f} to {exp(vocabulary[useless.piece]):.4f}), but it is "
        f"used {_times(needed.frequency)}. What decides is what the words would miss."
    )
    return Question(
        "Next two candidates for removal. Which of them would the words miss less?",
        (
            Option(chip(useless.piece), why, right=True, facts=used),
            Option(chip(needed.piece), reason, belief=24, facts=order),
        ),
    ).shuffled()
