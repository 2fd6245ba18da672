"""View of WordPiece training: the words as symbols, the scores, the vocabulary, and the pairs by count, as in BPE.

Each frame shows the result of the previous merge and the current scores of the pairs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from tokenlab.algorithms.bpe.tie_break import Pair
from tokenlab.algorithms.bpe.train import Stopped
from tokenlab.algorithms.text.count_words import Word
from tokenlab.algorithms.wordpiece.train import Merged
from tokenlab.show.frames import Frame, Html, Panel, StepRange, chip, chips, plus, sentence
from tokenlab.show.views.bpe.training_view import (
    changing_words,
    count_bars,
    vocabulary_panel,
    word_symbols,
    words_panel,
)
from tokenlab.show.views.wordpiece.training_questions import WordPieceQuestions
from tokenlab.show.views.wordpiece.training_scores import WordPieceProgress, fraction
from tokenlab.steps.recording import Recording

WORDS, PAIRS, ENTRIES = 10, 7, 14  # maximum rows of a panel
LONG = 24  # maximum symbols shown of a word
INDEXED = "tokenlab.algorithms.wordpiece.train_indexed.train_indexed"  # by name, because importing it loads numpy


def wordpiece_training(recording: Recording[Any, Any], window: StepRange) -> Iterator[Frame]:
    """Yield a frame for the initial words, and one after each step."""
    shown = _words_that_change(recording, window)
    asking = WordPieceQuestions(recording, shown, LONG)
    progress = WordPieceProgress(recording)
    runner_up: Pair | None = None
    for number in range(window.end + 1):
        done = recording[number - 1] if number else None
        remark = _remark(progress, done, runner_up) if number > window.first else ""
        if done:
            done.apply(progress)
        if number < window.first:
            continue
        following = recording[number] if number < len(recording) else None
        best = progress.best(PAIRS)
        yield Frame(
            moment="At the end" if isinstance(done, Stopped) else _moment(number),
            caption=sentence(done) if done else _beginning(progress),
            remark=remark,
            panels=tuple(_panels(progress, shown, best, done, following)),
            question=asking.question(number, progress, following) if number > window.first else None,
        )
        pair = getattr(following, "pair", None)
        runner_up = next((other for other in best if other != pair), None)


def _moment(number: int) -> str:
    return f"After merge {number}" if number else "Before merge 1"


def _words_that_change(recording: Recording[Any, Any], window: StepRange) -> list[Word]:
    """Return the words to show: of the frequent ones, those that the merges in the window change most often."""
    progress = WordPieceProgress(recording)
    for step in recording[: window.end]:
        step.apply(progress)
    changes = Counter(word for changed in progress.changed[1:] for word in changed)
    chosen = set(changing_words(progress.word_counts, changes)[:WORDS])
    return [word for word in progress.word_counts if word in chosen]


def _beginning(progress: WordPieceProgress) -> Html:
    best = "count" if progress.by_frequency else "score"
    return (
        f"Every word is split into characters. A character inside a word has the prefix {chip(progress.start.prefix)}. "
        f"The pair with the highest {best} is merged first."
    )


def _remark(progress: WordPieceProgress, done: Any, runner_up: Pair | None) -> Html:
    """Name the runner-up, by the counts before the merge, if no tie decided."""
    if not hasattr(done, "pair") or done.ties > 1:
        return ""
    if runner_up is None:
        return "No other pair was left."
    second = fraction(progress.score(runner_up)) if isinstance(done, Merged) else f"{progress.pairs[runner_up]:,}"
    return f"The runner-up was {plus(runner_up)} with {second}."


def product(progress: WordPieceProgress, pair: Pair) -> str:
    """Format the count of a pair divided by the product of the counts of its symbols."""
    left, right = (progress.symbols[symbol] for symbol in pair)
    return f"{progress.pairs[pair]:,}/({left:,}×{right:,})"


def _panels(
    progress: WordPieceProgress, shown: list[Word], best: list[Pair], done: Any, following: Any
) -> Iterator[Panel]:
    pair, made = getattr(following, "pair", None), getattr(done, "symbol", None)
    rows = [(progress.word_counts[word], word_symbols(progress.splits[word], made, pair, end=LONG)) for word in shown]
    yield words_panel(rows, len(progress.word_counts))
    counts = Panel("The pairs with the highest counts", _by_count(progress, pair), kind="bars", hides=True)
    if progress.by_frequency:
        yield Panel("Count of each pair", counts.rows, kind="bars", hides=True)
    else:
        title = "Score: count(ab) / (count(a) × count(b))"
        yield Panel(title, _by_score(progress, best, pair), kind="bars", hides=True)
    vocabulary = list(dict.fromkeys([*progress.start.ids, *progress.made]))  # different pairs may make one symbol
    yield vocabulary_panel(f"Vocabulary: {len(vocabulary):,} entries", vocabulary, ENTRIES, made)
    if not progress.by_frequency:
        yield Panel(counts.title, counts.rows, kind="bars", hides=True, more=True)


def _by_score(progress: WordPieceProgress, best: list[Pair], following: Pair | None) -> tuple[Html, ...]:
    """Rows for the best pairs by score, the next merge first among equals; the most frequent pair comes last."""
    if not best:
        return ()
    if following and following not in best:  # it ties with all listed pairs
        best = [following, *best[:-1]]
    ordered = sorted(best, key=lambda pair: (-progress.score(pair), pair != following))
    frequent = progress.allowed().most_common(1)[0][0]
    rows = [_scored(progress, pair, ordered[0], pair == following) for pair in ordered]
    if frequent not in ordered:
        rows.append(_scored(progress, frequent, ordered[0], False, "<small>highest count</small>"))
    return tuple(rows)


def _scored(progress: WordPieceProgress, pair: Pair, best: Pair, following: bool, note: Html = "") -> Html:
    width = round(100 * progress.score(pair) / progress.score(best))
    mark = " class=best" if following else ""
    cells = f"<td>&nbsp;{note or product(progress, pair)}<td>{float(progress.score(pair)):.3g}"
    return f"<tr{mark}><th scope=row>{chips(pair)}<td><i style=width:{width}%></i>{cells}"


def _by_count(progress: WordPieceProgress, following: Pair | None) -> tuple[Html, ...]:
    counts = dict(progress.allowed().most_common(PAIRS))
    if progress.by_frequency and following and following not in counts:
        counts[following] = progress.pairs[following]
    return count_bars(counts, following, PAIRS)
