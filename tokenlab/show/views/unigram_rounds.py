"""Unigram training round by round: what is counted, estimated and removed, the sizes and the objective."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import exp
from typing import Any

from tokenlab.algorithms.unigram_count import Ready, Removed, count_substrings, train_by_counting
from tokenlab.algorithms.unigram_stages import Counted, Cut, Estimated, Pruned, Seeded, Stage
from tokenlab.algorithms.unigram_start import words_of
from tokenlab.algorithms.unigram_train import train
from tokenlab.algorithms.unigram_train_arrays import train_arrays
from tokenlab.algorithms.unigram_vocabulary import log_probabilities
from tokenlab.misconceptions.unigram_training import hard_em
from tokenlab.show.frames import Frame, Html, Option, Panel, Question, Window, bar, chip, chips, text, view
from tokenlab.show.views.unigram_training import loss_bars
from tokenlab.steps import Recording

BARS, ROUNDS, GONE, PRUNINGS = 9, 14, 30, 2  # at the most
MOST_WORDS = 3000  # beyond that, asking takes longer than a player may


@view(train, train_arrays)
def rounds(recording: Recording[Any, Any], window: Window) -> Iterator[Frame]:
    """A frame before the seed, and one after each stage."""
    words = words_of(recording.arguments["word_counts"])
    asked = _questions(recording, window, words)
    for number in range(window.first, window.end + 1):
        done = recording.steps[:number]
        panels = _stage_panels(done) if done else iter([_words(words)])
        yield Frame(
            moment=f"{_name(done[-1])}, stage {number} of {len(recording)}" if done else "Before the seed",
            caption=_caption(done[-1]) if done else _BEGINNING,
            remark=_remark(done),
            panels=(*panels, *_history(done)),
            question=asked.get(number),
        )


_BEGINNING = (
    "The words and their counts. Training will begin with far more pieces than are wanted, and remove most of them."
)
_NAMES = {Seeded: "Seed", Counted: "E-step", Estimated: "M-step", Pruned: "Pruning", Cut: "Final cut"}


def _name(stage: Stage) -> str:
    return _NAMES[type(stage)]


def _caption(stage: Stage) -> Html:
    match stage:
        case Seeded():
            return f"The seed has {len(stage.scores):,} pieces: the characters, and what occurs more than once."
        case Counted():
            return f"Every word was cut in all ways. A word costs {stage.objective:.3f} on average: the objective."
        case Estimated():
            gone = f"; {len(stage.dropped):,} were expected too rarely and are gone" if stage.dropped else ""
            return f"{len(stage.vocabulary):,} pieces have a new probability, from their expected counts{gone}."
        case Pruned():
            useless = sum(stage.losses[piece] == 0 for piece in stage.removed)
            return (
                f"{len(stage.removed):,} pieces were removed: {useless:,} useless ones, and those of the smallest loss."
            )
        case Cut():
            return f"The vocabulary is ready: {len(stage.vocabulary):,} pieces, all characters among them."


def _remark(done: Sequence[Stage]) -> Html:
    objectives = [stage.objective for stage in done if isinstance(stage, Counted)]
    if not done or not isinstance(done[-1], Counted) or len(objectives) < 2:
        return ""
    before, now = objectives[-2:]
    if now < before:
        return f"It was {before:.3f}: the better probabilities made the words cheaper."
    return f"It was {before:.3f}: with fewer pieces to choose from, the words cost more."


def _words(words: Mapping[str, int]) -> Panel:
    frequent = sorted(words, key=lambda word: -words[word])[:BARS]
    rows = tuple(bar(chip(word), words[word] / words[frequent[0]], f"{words[word]:,}") for word in frequent)
    part = f" ({len(frequent)} of {len(words):,})" if len(words) > len(frequent) else ""
    return Panel(f"The most frequent words{part}", rows, kind="bars")


def _stage_panels(done: Sequence[Stage]) -> Iterator[Panel]:
    stage, before = done[-1], _values(done[-2]) if len(done) > 1 else {}
    match stage:
        case Seeded():
            longer = {piece: score for piece, score in stage.scores.items() if len(piece) > 1}
            yield from _most("The best scores: count times length", longer, {}, "{:,}")
        case Counted():
            expected = {piece: count for piece, count in stage.counts.items() if len(piece) > 1}
            yield from _most("Expected counts of the longer pieces", expected, {}, "{:,.2f}")
        case Estimated():
            likely = {piece: exp(value) for piece, value in stage.vocabulary.items() if len(piece) > 1}
            yield from _most("Probabilities of the longer pieces", likely, before, "{:.4f}")
            yield from _chips("Dropped: expected less than half a time", stage.dropped)
        case Pruned():
            rows = loss_bars(stage.losses, stage.removed)
            yield Panel("What removing a piece would cost, and what goes", rows, kind="bars")
            yield from _chips("Removed", stage.removed)
        case Cut():
            likely = {piece: exp(value) for piece, value in stage.vocabulary.items()}
            yield from _most("The most probable pieces", likely, {}, "{:.4f}")
            yield from _chips("The vocabulary, the most probable first", tuple(stage.vocabulary))


def _values(stage: Stage) -> Mapping[str, float]:
    return stage.counts if isinstance(stage, Counted) else {}


def _most(title: str, values: Mapping[str, float], counts: Mapping[str, float], form: str) -> Iterator[Panel]:
    if values:
        yield Panel(title, _top(values, counts, form), kind="bars")


def _top(values: Mapping[str, float], counts: Mapping[str, float], form: str) -> tuple[Html, ...]:
    """The greatest values as bars; with the counts that they come from, where there are any."""
    best = sorted(values, key=lambda piece: (-values[piece], piece))[:BARS]
    return tuple(
        bar(
            chip(piece),
            values[piece] / values[best[0]],
            form.format(values[piece]) + (f" from {counts[piece]:,.1f}" if piece in counts else ""),
        )
        for piece in best
    )


def _chips(title: str, pieces: Sequence[str]) -> Iterator[Panel]:
    if pieces:
        more = f", {GONE} of {len(pieces):,}" if len(pieces) > GONE else ""
        yield Panel(f"{title}{more}", tuple(map(chip, pieces[:GONE])), kind="chips", more=True)


def _history(done: Sequence[Stage]) -> Iterator[Panel]:
    """How many pieces there were after each stage that changed their number, and the objective of each E-step."""
    rows: list[tuple[str, int, float | None]] = []
    for stage in done:
        match stage:
            case Seeded():
                rows.append(("seed", len(stage.scores), None))
            case Counted():
                rows.append(("E and M", len(stage.counts), stage.objective))
            case Pruned():
                rows.append(("pruned", rows[-1][1] - len(stage.removed), None))
            case Estimated():
                rows[-1] = ("E and M", len(stage.vocabulary), rows[-1][2])
            case Cut():
                rows.append(("cut", len(stage.vocabulary), None))
    if rows:
        top = rows[0][1]
        shown = rows[-ROUNDS:]
        bars = tuple(
            bar(name, size / top, f"{size:,}" + (f" ({cost:.3f})" if cost is not None else ""))
            for name, size, cost in shown
        )
        more = f", the last {ROUNDS} of {len(rows)}" if len(rows) > ROUNDS else ""
        yield Panel(f"Pieces left (and what a word costs){more}", bars, kind="bars")


# What is asked.


def _questions(recording: Recording[Any, Any], window: Window, words: Mapping[str, int]) -> dict[int, Question]:
    """One about the first expected counts, and one before each of the first prunings; never two in a row."""
    asked: dict[int, Question] = {}
    for number in range(max(window.first, 1), min(window.end, len(recording) - 1) + 1):
        stage, before = recording[number], recording[number - 1]
        question = None
        if isinstance(stage, Counted) and isinstance(before, Seeded) and len(words) <= MOST_WORDS:
            question = _how_often(stage, before, words)
        elif isinstance(stage, Pruned) and isinstance(before, Estimated) and len(asked) <= PRUNINGS:
            question = which_goes({piece: before.vocabulary[piece] for piece in before.vocabulary}, stage)
        if question:
            asked[number] = question
    return asked


def _how_often(stage: Counted, seed: Seeded, words: Mapping[str, int]) -> Question | None:
    """About a piece whose expected count lies clearly below its occurrences, and away from its count by Viterbi."""
    best = hard_em(words, log_probabilities(seed.scores))
    occurs = {piece: score // len(piece) for piece, score in seed.scores.items()}
    clear = [
        piece
        for piece, count in stage.counts.items()
        if len(piece) > 1 and 1 < count < 0.8 * occurs[piece] and abs(best[piece] - count) > 0.2 * count
        and best[piece] != occurs[piece]
    ]  # fmt: skip
    if not clear:
        return None
    piece = max(clear, key=lambda piece: (stage.counts[piece], piece))
    right = f"{stage.counts[piece]:,.1f}"
    facts = (("tenths of the expected count", piece, round(10 * stage.counts[piece])),)
    return Question(
        f"{chip(piece)} occurs {occurs[piece]:,} times in the words. How often is it expected?",
        (
            Option(
                right,
                f"Where it stands, other pieces can stand as well, and each segmentation gets only its share: {right}.",
                right=True,
                facts=facts,
            ),
            Option(
                f"{best[piece]:,.1f}",
                f"So often the best segmentations use it. But all segmentations count, each by its share: {right}.",
                belief=22,
                facts=(("used in best segmentations", piece, round(best[piece])),),
            ),
            Option(
                f"{occurs[piece]:,.1f}",
                f"So often it occurs. But where it occurs, other pieces share the count with it: {right} is its part.",
                belief=22,
                facts=(("occurs", piece, occurs[piece]),),
            ),
        ),
    ).shuffled()


def which_goes(vocabulary: Mapping[str, float], pruned: Pruned | Removed) -> Question | None:
    """Which of three pieces is removed: one that is probable and not missed, not an improbable one or a character."""
    losses = pruned.losses if isinstance(pruned, Pruned) else pruned.rises
    kept = [piece for piece in losses if piece not in pruned.removed]
    if not kept or not pruned.removed:
        return None
    goes = max(pruned.removed, key=lambda piece: (vocabulary[piece], piece))
    stays = min(kept, key=lambda piece: (vocabulary[piece], piece))
    rare = min((piece for piece in vocabulary if len(piece) == 1), key=lambda piece: (vocabulary[piece], piece))
    if not (vocabulary[goes] > vocabulary[stays] and losses[goes] < losses[stays]):
        return None
    costs = (("millionths of the loss", goes, round(1e6 * losses[goes])),)
    other = (("millionths of the loss", stays, round(1e6 * losses[stays])), ("is less probable", (stays, goes), 1))
    return Question(
        "Pieces are removed next. Which of these goes?",
        (
            Option(chip(goes), _missed(losses[goes]), True, facts=costs),
            Option(
                chip(stays),
                f"It is less probable than {chip(goes)}, but the words would miss it: {losses[stays]:.6f} to "
                f"{losses[goes]:.6f}. The loss decides.",
                belief=24,
                facts=(*costs, *other),
            ),
            Option(
                chip(rare),
                "It is a character, and characters are never removed: else a word could not be spelled.",
                belief=24,
                facts=(("characters", rare, len(rare)),),
            ),
        ),
    ).shuffled()


def _missed(loss: float) -> str:
    rises = f"the loss rises by {loss:.6f} only" if loss > 0 else "the loss does not rise at all"
    return f"Without it {rises}: the words hardly miss it."


# Training by counting.


@view(train_by_counting)
def counting(recording: Recording[Any, Any], window: Window) -> Iterator[Frame]:
    """A frame before the first round, and one after each."""
    words = words_of(recording.arguments["word_counts"])
    counts = count_substrings(words, recording.arguments["whole_words"])
    for number in range(window.first, window.end + 1):
        done = recording[number - 1] if number else None
        following = recording[number] if number < len(recording) else None
        asks = 1 <= number <= PRUNINGS + 1 and isinstance(following, Removed)
        yield Frame(
            moment=f"After round {number}" if number else "Before round 1",
            caption=_round(done) if done else "Each piece was counted once. Which would the words miss least?",
            panels=tuple(_counting_panels(done, counts)),
            question=which_goes(_still(following, counts), following)
            if asks and isinstance(following, Removed)
            else None,
        )


def _still(following: Removed, counts: Mapping[str, int]) -> dict[str, float]:
    characters = {piece: count for piece, count in counts.items() if len(piece) == 1}
    return log_probabilities(characters | {piece: counts[piece] for piece in following.rises})


def _round(done: Removed | Ready) -> Html:
    if isinstance(done, Ready):
        said = str(done)
        return text(f"{said[0].upper()}{said[1:]}.")
    them = "it" if len(done.removed) == 1 else "them"
    return f"The loss was {done.loss:.1f}. {chips(done.removed[:8])} went: without {them} it rises least."


def _counting_panels(done: Removed | Ready | None, counts: Mapping[str, int]) -> Iterator[Panel]:
    if isinstance(done, Removed):
        rows = loss_bars(done.rises, done.removed)
        yield Panel("By how much the loss rises without each piece, and what goes", rows, kind="bars")
    longer = {piece: count for piece, count in counts.items() if len(piece) > 1}
    yield from _most("How often each piece was counted", longer, {}, "{:,}")
