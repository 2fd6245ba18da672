"""View of BPE training: the words as chips, the pairs as bars, the vocabulary, and the tied pairs.

Each frame shows the result of the previous merge and the pairs that are most frequent now.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tokenlab.algorithms.bpe.tie_break import Pair
from tokenlab.algorithms.bpe.train import Merged, Stopped, TrainingProgress, train
from tokenlab.algorithms.bpe.train_indexed import train_indexed
from tokenlab.algorithms.text.count_words import Word
from tokenlab.printing.printable import Symbol, unit
from tokenlab.show.frames import Frame, Html, Panel, StepRange, bar, chip, chips, labelled, plus, sentence
from tokenlab.show.views.bpe.training_questions import training_questions
from tokenlab.steps.recording import Recording

WORDS, PAIRS, ENTRIES = 10, 8, 12  # maximum rows of a panel
LONG_WORDS = 3  # the number of words shown if some are longer than LONG
# In a text without spaces a word may be a paragraph: of words longer than LONG, STRETCH symbols are shown.
LONG, STRETCH = 24, 14
FREQUENT = 60  # shown words are among this number of most frequent words
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
    vocabulary, initial = [*progress.start.ids, *progress.made], len(progress.start.ids)
    splits: dict[Any, Word] = {}
    for number, done, following in StepRange(0, window.end).steps_around(recording):
        if isinstance(done, Stopped):
            panels = tuple(_panels(progress, vocabulary, best[number], splits))
            yield Frame("At the end", sentence(done), panels=panels)
            return
        splits |= {word: split for word, split in progress.changed[number].items() if word in shown}
        if number >= window.first:
            panels = tuple(_panels(progress, vocabulary[: initial + number], best[number], splits, done, following))
            yield Frame(
                moment=f"After merge {number}" if number else "Before merge 1",
                caption=sentence(done) if done else _beginning(vocabulary[initial - 1]),
                remark=_remark(done, best[number - 1]) if done else "",
                panels=panels,
                question=asked.get(number),
            )


def _words_that_change(progress: TrainingProgress, window: StepRange) -> list[Any]:
    """Return the words to show: of the frequent ones, those that the merges in the window change most often."""
    changes = Counter(word for changed in progress.changed[window.first + 1 :] for word in changed)
    ordered = changing_words(progress.word_counts, changes)[:WORDS]
    long = any(len(progress.start.splits[word]) > LONG for word in ordered)
    chosen = set(ordered[: LONG_WORDS if long else WORDS])
    return [word for word in progress.word_counts if word in chosen]


def _beginning(symbol: Symbol) -> Html:
    return f"Every word is split into its {unit(symbol)}s. The most frequent adjacent pair is merged first."


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
    vocabulary: list[Symbol],
    best: list[tuple[Pair, int]],
    splits: dict[Any, Word],
    done: Merged | None = None,
    following: object = None,
) -> Iterator[Panel]:
    pair = following.pair if isinstance(following, Merged) else None
    made = vocabulary[-1] if done else None
    shown = [(progress.word_counts[word], part_of_word(split, made, pair)) for word, split in splits.items()]
    yield words_panel(shown, len(progress.word_counts))
    yield Panel("Count of each pair now", _bars(best, pair), kind="bars", hides=True)
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


# --- panels, also of WordPiece training -----------------------------------------------------------


def changing_words(word_counts: Mapping[Any, int], changes: Counter[Any]) -> list[Any]:
    """Return the frequent words, those that merges change most often first."""
    frequent = sorted(word_counts, key=lambda word: -word_counts[word])[:FREQUENT]
    return sorted(frequent, key=lambda word: -changes[word])


def words_panel(shown: Sequence[tuple[int, Html]], words: int) -> Panel:
    """Return a panel with the counts and the segmentations of some of the words."""
    part = f" ({len(shown)} of {words:,})" if len(shown) < words else ""
    rows = tuple([labelled(f"{count:,} ×", symbols) for count, symbols in shown])
    return Panel(f"Words, as they are split now{part}", rows, kind="words")


def word_symbols(
    split: Word, made: Symbol | None, following: Pair | None, first: int = 0, end: int | None = None
) -> Html:
    """Return some symbols of a word, with the new symbol and the pair that is merged next marked."""
    end = len(split) if end is None else min(end, len(split))
    marked, positions = ["…"] if first else [], iter(range(first, end))
    for position in positions:
        if following and split[position : position + 2] == following:
            marked.append(chip(following[0], "left") + chip(following[1], "right"))
            next(positions, None)
        else:
            marked.append(chip(split[position], "new" if split[position] == made else ""))
    if end < len(split):
        marked.append(f"… {len(split) - end:,} more")
    return " ".join(marked)


def part_of_word(split: Word, made: Symbol | None, following: Pair | None) -> Html:
    """Return the symbols of a word; of a long one, those around the new symbol or the next merge."""
    if len(split) <= LONG:
        return word_symbols(split, made, following)
    first = _first_shown(split, made, following)
    return word_symbols(split, made, following, first, first + STRETCH)


def _first_shown(split: Word, made: Symbol | None, following: Pair | None) -> int:
    """Return the start of the shown part of a long word: shortly before the new symbol, or the next merge."""
    places = range(len(split))
    place = next((i for i in places if split[i] == made), None)
    if place is None:
        place = next((i for i in places if following and split[i : i + 2] == following), 0)
    return max(0, min(place - 4, len(split) - STRETCH))


def count_bars(counts: Mapping[Pair, int], following: Pair | None, most: int) -> tuple[Html, ...]:
    """Return bars for the most frequent pairs."""
    # subtle: the pair that is merged next comes first among the pairs that tie with it.
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0] != following))[:most]
    return tuple(
        [
            bar(chips(pair), count / ordered[0][1], f"{count:,}", "best" if pair == following else "")
            for pair, count in ordered
        ]
    )


def vocabulary_panel(title: str, entries: Sequence[Symbol], most: int, made: Symbol | None) -> Panel:
    """Return a panel with the last entries of a vocabulary."""
    last = entries[-most:]
    rows = tuple([chip(entry, "new" if entry == made else "") for entry in last])
    part = f": the last {len(last)} entries" if len(entries) > len(last) else ""
    return Panel(f"{title}{part}", rows, kind="chips", wide=True)
