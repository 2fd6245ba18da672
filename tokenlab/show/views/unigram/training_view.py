"""View of Unigram training, stage by stage: counts, probabilities, removed pieces, sizes and the objective."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import exp
from typing import Any

from tokenlab.algorithms.unigram.expectation_maximization import expectation_step
from tokenlab.algorithms.unigram.train_by_counting import (
    PiecesRemoved,
    TargetReached,
    count_substrings,
)
from tokenlab.algorithms.unigram.training_state import (
    ExpectationDone,
    MaximizationDone,
    Pruned,
    SeedBuilt,
    Stage,
    VocabularyFinalized,
    check_words,
)
from tokenlab.algorithms.unigram.vocabulary import log_probabilities
from tokenlab.misconceptions.unigram_training import hard_em
from tokenlab.printing.printable import times, unit
from tokenlab.show.frames import Fact, Frame, Html, Option, Panel, Question, StepRange, bar, chip, sentence
from tokenlab.show.views.elements.questions import ask
from tokenlab.show.views.unigram.em_and_pruning_view import loss_bars
from tokenlab.steps.recording import Recording

BARS, ROUNDS, REMOVED, PRUNINGS, LISTED_WORDS = 9, 14, 30, 2, 5  # maximum numbers
MOST_WORDS = 3000  # with more words, computing a question takes too long for a player


def unigram_training_view(recording: Recording[Any, Any], window: StepRange) -> Iterator[Frame]:
    """Show a frame before the seed, and one after each stage."""
    words = check_words(recording.arguments["word_counts"])
    asked = _questions(recording, window, words)
    for number in window.positions:
        done = recording.steps[:number]
        panels = _stage_panels(done) if done else iter([_words(words)])
        yield Frame(
            moment=f"{_name(done[-1])}, stage {number} of {len(recording)}" if done else "Before the seed",
            caption=sentence(done[-1]) if done else _START,
            remark=_remark(done),
            panels=(*panels, *_history(done)),
            question=asked.get(number),
        )


_START = "These are the words and their counts. Training starts with too many pieces and removes most of them."
_NAMES = {
    SeedBuilt: "Seed",
    ExpectationDone: "E-step",
    MaximizationDone: "M-step",
    Pruned: "Pruning",
    VocabularyFinalized: "Final cut",
}


def _name(stage: Stage[Any]) -> str:
    return _NAMES[type(stage)]


def _remark(done: Sequence[Stage[Any]]) -> Html:
    objectives = [stage.objective for stage in done if isinstance(stage, ExpectationDone)]
    if not done or not isinstance(done[-1], ExpectationDone):
        return ""
    if len(objectives) < 2:
        return "The objective is the average negative log probability of a word."
    before, now = objectives[-2:]
    if now < before:
        return f"Before, the objective was {before:.3f}. The new probabilities fit the words better."
    return f"Before, the objective was {before:.3f}. With fewer pieces, the words are less probable."


def _words(words: Mapping[str, int]) -> Panel:
    frequent = sorted(words, key=lambda word: -words[word])[:BARS]
    rows = tuple(bar(chip(word), words[word] / words[frequent[0]], f"{words[word]:,}") for word in frequent)
    part = f" ({len(frequent)} of {len(words):,})" if len(words) > len(frequent) else ""
    return Panel(f"The most frequent words{part}", rows, kind="bars")


def _stage_panels(done: Sequence[Stage[Any]]) -> Iterator[Panel]:
    stage, before = done[-1], _values(done[-2]) if len(done) > 1 else {}
    match stage:
        case SeedBuilt():
            longer = {piece: score for piece, score in stage.scores.items() if len(piece) > 1}
            yield from _bars("The highest scores: count times length", longer, {}, "{:,}")
        case ExpectationDone():
            expected = {piece: count for piece, count in stage.counts.items() if len(piece) > 1}
            yield from _bars("Expected counts of the longer pieces", expected, {}, "{:,.2f}")
        case MaximizationDone():
            likely = {piece: exp(value) for piece, value in stage.vocabulary.items() if len(piece) > 1}
            yield from _bars("Probabilities of the longer pieces", likely, before, "{:.4f}")
            yield from _chips("Dropped: expected count below 0.5", stage.dropped)
        case Pruned():
            rows = loss_bars(stage.losses, stage.removed)
            yield Panel("The loss of removing each piece, and the removed pieces", rows, kind="bars")
            yield from _chips("Removed", stage.removed)
        case VocabularyFinalized():
            likely = {piece: exp(value) for piece, value in stage.vocabulary.items()}
            yield from _bars("The most probable pieces", likely, {}, "{:.4f}")
            yield from _chips("The vocabulary, the most probable first", tuple(stage.vocabulary))


def _values(stage: Stage[Any]) -> Mapping[str, float]:
    return stage.counts if isinstance(stage, ExpectationDone) else {}


def _bars(title: str, values: Mapping[str, float], counts: Mapping[str, float], form: str) -> Iterator[Panel]:
    if values:
        yield Panel(title, _top(values, counts, form), kind="bars")


def _top(values: Mapping[str, float], counts: Mapping[str, float], form: str) -> tuple[Html, ...]:
    """Return the greatest values as bars, with the counts they come from, if there are any."""
    best = sorted(values, key=lambda piece: (-values[piece], piece))[:BARS]
    source = {piece: f" from {counts[piece]:,.1f}" if piece in counts else "" for piece in best}
    top = values[best[0]]
    return tuple(bar(chip(p), values[p] / top, form.format(values[p]) + source[p]) for p in best)


def _chips(title: str, pieces: Sequence[str]) -> Iterator[Panel]:
    if pieces:
        more = f", {REMOVED} of {len(pieces):,}" if len(pieces) > REMOVED else ""
        yield Panel(f"{title}{more}", tuple(map(chip, pieces[:REMOVED])), kind="chips", more=True)


def _history(done: Sequence[Stage[Any]]) -> Iterator[Panel]:
    """Yield a panel with the number of pieces after each stage, and the objective of each E-step."""
    rows: list[tuple[str, int, float | None]] = []
    for stage in done:
        match stage:
            case SeedBuilt():
                rows.append(("seed", len(stage.scores), None))
            case ExpectationDone():
                rows.append(("E and M", len(stage.counts), stage.objective))
            case Pruned():
                rows.append(("pruned", rows[-1][1] - len(stage.removed), None))
            case MaximizationDone():
                rows[-1] = ("E and M", len(stage.vocabulary), rows[-1][2])
            case VocabularyFinalized():
                rows.append(("cut", len(stage.vocabulary), None))
    if rows:
        top = rows[0][1]
        shown = rows[-ROUNDS:]
        bars = tuple(
            bar(name, size / top, f"{size:,}" + (f" ({cost:.3f})" if cost is not None else ""))
            for name, size, cost in shown
        )
        more = f", the last {ROUNDS} of {len(rows)}" if len(rows) > ROUNDS else ""
        yield Panel(f"Number of pieces (and the objective){more}", bars, kind="bars")


# --- questions ------------------------------------------------------------------------------------


def _questions(recording: Recording[Any, Any], window: StepRange, words: Mapping[str, int]) -> dict[int, Question]:
    """Return a question about the first expected counts, and one before each of the first prunings."""
    asked: dict[int, Question] = {}
    for number in range(max(window.first, 1), min(window.end, len(recording) - 1) + 1):
        stage, before = recording[number], recording[number - 1]
        question = None
        if isinstance(stage, ExpectationDone) and isinstance(before, SeedBuilt) and len(words) <= MOST_WORDS:
            question = _expected_count_question(stage, before, words)
        elif isinstance(stage, Pruned) and isinstance(before, MaximizationDone) and len(asked) <= PRUNINGS:
            question = pruning_question(before.vocabulary, stage)
        if question:
            asked[number] = question
    return asked


def _expected_count_question(
    stage: ExpectationDone[Any], seed: SeedBuilt[Any], words: Mapping[str, int]
) -> Question | None:
    """Ask about a piece whose expected count is clearly below its occurrences and differs from its Viterbi count."""
    vocabulary = log_probabilities(seed.scores)
    best = hard_em(words, vocabulary)
    occurs = {piece: score // len(piece) for piece, score in seed.scores.items()}
    occurring = {piece: [word for word in words if piece in word] for piece in stage.counts if len(piece) > 1}
    clear = [
        piece
        for piece, count in stage.counts.items()
        if len(piece) > 1 and 1 < count < 0.8 * occurs[piece] and abs(best[piece] - count) > 0.2 * count
        and best[piece] != occurs[piece] and len(occurring[piece]) <= LISTED_WORDS
    ]  # fmt: skip
    if not clear:
        return None
    piece = max(clear, key=lambda piece: (stage.counts[piece], piece))
    right, number = f"{stage.counts[piece]:,.1f}", occurs[piece]
    shares = {word: f"{expectation_step({word: 1}, vocabulary).counts[piece]:.2f}" for word in occurring[piece]}
    listed = ", ".join(f"{chip(word)} {times(words[word])}, {share} each" for word, share in shares.items())
    used = f"The best segmentations use it this often. But every segmentation counts with its posterior: {right}."
    all_of_them = f"It occurs this often. But some segmentations use other pieces there, so it gets only {right}."
    best_fact = ("used in best segmentations", piece, round(best[piece]))
    return ask(
        f"{chip(piece)} occurs {number:,} times in the words. The words that contain it, and its expected count in one "
        f"occurrence of the word: {listed}. What is its expected count?",
        (right, f"Some segmentations use other pieces there. Each segmentation counts with its posterior: {right}."),
        Option(f"{best[piece]:,.1f}", used, misconception=22, facts=(best_fact,)),
        Option(f"{number:,.1f}", all_of_them, misconception=22, facts=(("occurs", piece, number),)),
        facts=(("tenths of the expected count", piece, round(10 * stage.counts[piece])),),
        given=(f"{number:,} times", *shares.values()),
    )


def pruning_question(vocabulary: Mapping[str, float], pruned: Pruned[Any] | PiecesRemoved[Any]) -> Question | None:
    """Ask which of three pieces is removed: one with a small loss, not a less probable one or a symbol."""
    losses = pruned.losses if isinstance(pruned, Pruned) else pruned.loss_increases
    kept = [piece for piece in losses if piece not in pruned.removed]
    if not kept or not pruned.removed:
        return None
    goes = max(pruned.removed, key=lambda piece: (vocabulary[piece], piece))
    stays = min(kept, key=lambda piece: (vocabulary[piece], piece))
    rare = min((piece for piece in vocabulary if len(piece) == 1), key=lambda piece: (vocabulary[piece], piece))
    if not (vocabulary[goes] > vocabulary[stays] and losses[goes] < losses[stays]):
        return None
    costs: tuple[Fact, ...] = (("millionths of the loss", goes, round(1e6 * losses[goes])),)
    other = (("millionths of the loss", stays, round(1e6 * losses[stays])), ("is less probable", (stays, goes), 1))
    greater = f"its loss is greater: {losses[stays]:.6f} against {losses[goes]:.6f}"
    why = f"It is less probable than {chip(goes)}, but {greater}. The loss decides."
    kind = unit(rare)
    never = f"It is a {kind}, and {kind}s are never removed: otherwise some words could not be encoded."
    given = {piece: f"{losses[piece]:.6f}" for piece in sorted((goes, stays))}
    listed = ", ".join(f"{chip(piece)} {loss}" for piece, loss in given.items())
    likely = {piece: f"{exp(vocabulary[piece]):.2g}" for piece in sorted((goes, stays, rare))}
    probable = ", ".join(f"{chip(piece)} {value}" for piece, value in likely.items())
    return ask(
        f"Pieces are removed next. The loss rises without them by: {listed}. Their probabilities, and that of a "
        f"{kind}: {probable}. Which of these is removed?",
        (chip(goes), _small_increase(losses[goes])),
        Option(chip(stays), why, misconception=24, facts=(*costs, *other)),
        Option(chip(rare), never, misconception=24, facts=((f"{kind}s", rare, len(rare)),)),
        facts=costs,
        given=(*given.values(), *likely.values()),
    )


def _small_increase(loss: float) -> str:
    rises = f"the loss rises by only {loss:.6f}" if loss > 0 else "the loss does not rise at all"
    return f"Without it, {rises}: the words are hardly less probable."


# --- training by counting -------------------------------------------------------------------------


def unigram_counting_view(recording: Recording[Any, Any], window: StepRange) -> Iterator[Frame]:
    """Show a frame before the first round, and one after each."""
    words = check_words(recording.arguments["word_counts"])
    counts = count_substrings(words, recording.arguments["whole_words"])
    for number, done, following in window.steps_around(recording):
        asks = 1 <= number <= PRUNINGS + 1 and isinstance(following, PiecesRemoved)
        yield Frame(
            moment=f"After round {number}" if number else "Before round 1",
            caption=sentence(done) if done else _COUNTED,
            panels=tuple(_counting_panels(done, counts)),
            question=pruning_question(_vocabulary_before(following, counts), following) if asks else None,
        )


_COUNTED = "Each piece was counted once. Without which pieces does the loss rise least?"


def _vocabulary_before(following: PiecesRemoved[Any], counts: Mapping[str, int]) -> dict[str, float]:
    characters = {piece: count for piece, count in counts.items() if len(piece) == 1}
    return log_probabilities(characters | {piece: counts[piece] for piece in following.loss_increases})


def _counting_panels(done: PiecesRemoved[Any] | TargetReached | None, counts: Mapping[str, int]) -> Iterator[Panel]:
    if isinstance(done, PiecesRemoved):
        rows = loss_bars(done.loss_increases, done.removed)
        yield Panel("The increase of the loss without each piece, and the removed pieces", rows, kind="bars")
    longer = {piece: count for piece, count in counts.items() if len(piece) > 1}
    yield from _bars("The counts of the longer pieces", longer, {}, "{:,}")
