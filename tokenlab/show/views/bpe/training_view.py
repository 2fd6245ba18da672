"""View of BPE training: the words as chips, the pairs as bars, the vocabulary, and the tied pairs.

Each frame shows the result of the previous merge and the pairs that are most frequent now.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from tokenlab.algorithms.bpe.tie_break import Pair
from tokenlab.algorithms.bpe.train import Merged, Stopped, merged_symbol, train
from tokenlab.algorithms.bpe.train_indexed import train_indexed
from tokenlab.algorithms.bpe.training_progress import TrainingProgress
from tokenlab.algorithms.text.count_words import Word
from tokenlab.printing.printable import unit
from tokenlab.show.frames import Frame, Html, Panel, StepRange
from tokenlab.show.views.bpe.training_panels import (
    LONG,
    changing_words,
    count_bars,
    part_of_word,
    plus,
    vocabulary_panel,
    words_panel,
)
from tokenlab.show.views.bpe.training_questions import training_questions
from tokenlab.show.views.elements.rows import sentence
from tokenlab.steps.recording import Recording

WORDS, PAIRS, ENTRIES = 10, 8, 12  # maximum rows of a panel
LONG_WORDS = 3  # the number of words shown if some are longer than LONG
# Wrong programs get no questions: their next step is not worth predicting, and their steps do not record ties.
ASKED = {f"{function.__module__}.{function.__qualname__}" for function in (train, train_indexed)}


def bpe_training(recording: Recording[Any, Any], window: StepRange) -> Iterator[Frame]:
    """Yield a frame for the initial words, and one after each step."""
    progress = TrainingProgress.at_start(recording.arguments)
    best = [progress.most_frequent(PAIRS + 1)]
    for step in recording[: window.end]:
        step.apply(progress)
        best.append(progress.most_frequent(PAIRS + 1))
    shown = _words_that_change(progress, window)
    whole = [word for word in shown if len(progress.start.splits[word]) <= LONG]
    asked = training_questions(recording, window, progress, best, whole) if recording.function in ASKED else {}
    splits: dict[Any, Word] = {}
    for number, done, following in StepRange(0, window.end).steps_around(recording):
        if isinstance(done, Stopped):
            panels = tuple(_panels(progress, number - 1, best[number], splits, None, None))
            yield Frame("At the end", sentence(done), panels=panels)
            return
        splits |= {word: split for word, split in progress.changed[number].items() if word in shown}
        if number >= window.first:
            yield Frame(
                moment=f"After merge {number}" if number else "Before merge 1",
                caption=sentence(done) if done else _beginning(progress),
                remark=_remark(done, best[number - 1]) if done else "",
                panels=tuple(_panels(progress, number, best[number], splits, done, following)),
                question=asked.get(number),
            )


def _words_that_change(progress: TrainingProgress, window: StepRange) -> list[Any]:
    """Return the words to show: of the frequent ones, those that the merges in the window change most often."""
    changes = Counter(word for changed in progress.changed[window.first + 1 :] for word in changed)
    ordered = changing_words(progress.word_counts, changes)[:WORDS]
    long = any(len(progress.start.splits[word]) > LONG for word in ordered)
    chosen = set(ordered[: LONG_WORDS if long else WORDS])
    return [word for word in progress.word_counts if word in chosen]


def _beginning(progress: TrainingProgress) -> Html:
    kind = unit(progress.vocabulary_after(0)[-1])
    return f"Every word is split into its {kind}s. The most frequent adjacent pair is merged first."


def _remark(done: Merged, before: list[tuple[Pair, int]]) -> Html:
    others = [(pair, count) for pair, count in before if pair != done.pair]
    if done.ties > 1:
        named = [plus(pair) for pair, count in others[:2] if count == done.count]
        more = f" and {done.ties - 1 - len(named):,} more" if done.ties - 1 > len(named) else ""
        return f"A tie: {', '.join(named)}{more} occurred as often."
    if not others:
        return "No other pair was left."
    return f"No tie: the runner-up was {plus(others[0][0])} with {others[0][1]:,}."


def _panels(
    progress: TrainingProgress,
    number: int,
    best: list[tuple[Pair, int]],
    splits: dict[Any, Word],
    done: Merged | None,
    following: object,
) -> Iterator[Panel]:
    pair = following.pair if isinstance(following, Merged) else None
    made = merged_symbol(done.pair) if done else None
    shown = [(progress.word_counts[word], part_of_word(split, made, pair)) for word, split in splits.items()]
    yield words_panel(shown, len(progress.word_counts))
    yield Panel("Count of each pair now", _bars(best, pair), kind="bars", hides=True)
    vocabulary = progress.vocabulary_after(number)
    title = f"Vocabulary, {len(vocabulary):,} of {progress.start.vocab_size:,}"
    yield vocabulary_panel(title, vocabulary, ENTRIES, made)
    tied = [tied for tied, count in best if count == best[0][1]]
    if len(tied) > 1:
        more = f", {following.ties:,} in all" if isinstance(following, Merged) and following.ties > len(tied) else ""
        ties = tuple([f"<li>{plus(tie)}" for tie in tied])
        yield Panel(f"Pairs that tie for the most frequent{more}", ties, more=True, hides=True)


def _bars(best: list[tuple[Pair, int]], following: Pair | None) -> tuple[Html, ...]:
    counts = dict(best[:PAIRS])
    if following and following not in counts:  # it ties with all listed pairs
        counts[following] = best[0][1]
    return count_bars(counts, following, PAIRS)
