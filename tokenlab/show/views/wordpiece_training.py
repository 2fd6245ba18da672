"""WordPiece training: the words as pieces, the table of scores, the vocabulary; by count, what BPE would look at.

Every frame shows one moment: what the merge before it made, and what every pair scores now.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from tokenlab.algorithms.bpe_train import Stopped
from tokenlab.algorithms.tie_break import Pair
from tokenlab.algorithms.wordpiece_train import Merged, train
from tokenlab.algorithms.wordpiece_train_by_count import train_by_count
from tokenlab.algorithms.words import Word
from tokenlab.misconceptions.wordpiece import frequency_score
from tokenlab.show.frames import Frame, Html, Panel, Window, bar, chip, chips, text, view
from tokenlab.show.views.bpe_training import plus
from tokenlab.show.views.wordpiece_questions import Asking
from tokenlab.show.views.wordpiece_replay import Replay, fraction
from tokenlab.steps import Recording

WORDS, PAIRS, ENTRIES = 10, 7, 14  # rows of a panel at the most
LONG = 24  # pieces of a word that are shown at the most
FREQUENT = 60  # the words that are shown are among so many most frequent ones
INDEXED = "tokenlab.algorithms.wordpiece_train_indexed.train_indexed"  # by name, for it would load numpy


@view(train, INDEXED, train_by_count, frequency_score)
def wordpiece_training(recording: Recording[Any, Any], window: Window) -> Iterator[Frame]:
    """A frame for the words as they are at first, and one after each step."""
    shown = _words_that_change(recording, window)
    asking = Asking(recording)
    replay = Replay(recording)
    runner_up: Pair | None = None
    for number in range(window.end + 1):
        done = recording[number - 1] if number else None
        remark = _remark(replay, done, runner_up) if number > window.first else ""
        if done:
            replay.take(done)
        if number < window.first:
            continue
        following = recording[number] if number < len(recording) else None
        best = replay.best(PAIRS)
        yield Frame(
            moment="At the end" if isinstance(done, Stopped) else _moment(number),
            caption=_caption(done) if done else _beginning(replay),
            remark=remark,
            panels=tuple(_panels(replay, shown, best, done, following)),
            question=asking.question(number, replay, following) if number > window.first else None,
        )
        pair = getattr(following, "pair", None)
        runner_up = next((other for other in best if other != pair), None)


def _moment(number: int) -> str:
    return f"After merge {number}" if number else "Before merge 1"


def _words_that_change(recording: Recording[Any, Any], window: Window) -> list[Word]:
    """The words worth showing: of the frequent ones those that most of the merges in the window change."""
    replay = Replay(recording)
    changes = Counter(word for number in range(window.end) for word in replay.take(recording[number]))
    frequent = sorted(replay.counts, key=lambda word: -replay.counts[word])[:FREQUENT]
    chosen = set(sorted(frequent, key=lambda word: -changes[word])[:WORDS])
    return [word for word in replay.counts if word in chosen]


def _beginning(replay: Replay) -> Html:
    best = "The most frequent pair" if replay.by_count else "The pair with the highest score"
    return (
        f"Every word is split into characters; inside a word they bear {chip(replay.prefix)}. {best} is merged first."
    )


def _caption(done: Any) -> Html:
    if isinstance(done, Stopped):
        said = str(done)
        return text(f"{said[0].upper()}{said[1:]}.")
    return f"{plus(done.pair)} became {chip(done.piece, 'new')}. They stood together {_times(done.count)}."


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count:,} times"


def _remark(replay: Replay, done: Any, runner_up: Pair | None) -> Html:
    """Why this pair: from the counts before it was merged."""
    if not hasattr(done, "pair"):
        return ""
    value = fraction(done.score) if isinstance(done, Merged) else f"{done.count:,}"
    why = f"Score: {product(replay, done.pair)} = {value}. " if isinstance(done, Merged) else ""
    if done.ties > 1:
        return f"{why}{done.ties - 1:,} other{'s' if done.ties > 2 else ''} had as much; the tie-break decided."
    if runner_up is None:
        return f"{why}It was the only pair left."
    second = fraction(replay.score(runner_up)) if isinstance(done, Merged) else f"{replay.pairs[runner_up]:,}"
    return f"{why}The runner-up was {plus(runner_up)} with {second}."


def product(replay: Replay, pair: Pair) -> str:
    """The count of a pair, divided by the product of those of its pieces."""
    left, right = (replay.pieces[piece] for piece in pair)
    return f"{replay.pairs[pair]:,}/({left:,}×{right:,})"


def _panels(replay: Replay, shown: list[Word], best: list[Pair], done: Any, following: Any) -> Iterator[Panel]:
    pair, made = getattr(following, "pair", None), getattr(done, "piece", None)
    part = f" ({len(shown)} of {len(replay.counts):,})" if len(shown) < len(replay.counts) else ""
    rows = tuple(_word(replay.counts[word], replay.splits[word], made, pair) for word in shown)
    yield Panel(f"Words, as they are split now{part}", rows, kind="words")
    counts = Panel("The same pairs by how often they stand together", _by_count(replay, pair), kind="bars", hides=True)
    if replay.by_count:
        yield Panel("How often each pair stands together now", counts.rows, kind="bars", hides=True)
    else:
        title = "Score: together / (left in all × right in all)"
        yield Panel(title, _by_score(replay, best, pair), kind="bars", hides=True)
    yield _vocabulary(replay, made)
    if not replay.by_count:
        yield Panel(counts.title, counts.rows, kind="bars", hides=True, more=True)


def _word(frequency: int, split: Word, made: str | None, following: Pair | None) -> Html:
    marked, positions = [], iter(range(min(len(split), LONG)))
    for position in positions:
        if following and split[position : position + 2] == following:
            marked.append(chip(following[0], "left") + chip(following[1], "right"))
            next(positions, None)
        else:
            marked.append(chip(split[position], "new" if split[position] == made else ""))
    if len(split) > LONG:
        marked.append(f"… {len(split) - LONG:,} more")
    return f"<li><span>{frequency:,} ×</span> <div>{' '.join(marked)}</div>"


def _by_score(replay: Replay, best: list[Pair], following: Pair | None) -> tuple[Html, ...]:
    """The best pairs with their scores, the next one first among equals, and last the most frequent one."""
    if not best:
        return ()
    if following and following not in best:  # it ties with all that are listed
        best = [following, *best[:-1]]
    ordered = sorted(best, key=lambda pair: (-replay.score(pair), pair != following))
    frequent = replay.allowed().most_common(1)[0][0]
    rows = [_scored(replay, pair, ordered[0], pair == following) for pair in ordered]
    if frequent not in ordered:
        rows.append(_scored(replay, frequent, ordered[0], False, "<small>most frequent</small>"))
    return tuple(rows)


def _scored(replay: Replay, pair: Pair, best: Pair, following: bool, note: Html = "") -> Html:
    share = round(100 * replay.score(pair) / replay.score(best))
    mark = " class=best" if following else ""
    cells = f"<td>&nbsp;{note or product(replay, pair)}<td>{float(replay.score(pair)):.3g}"
    return f"<tr{mark}><th scope=row>{chips(pair)}<td><i style=width:{share}%></i>{cells}"


def _by_count(replay: Replay, following: Pair | None) -> tuple[Html, ...]:
    counts = dict(replay.allowed().most_common(PAIRS))
    if replay.by_count and following and following not in counts:
        counts[following] = replay.pairs[following]
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0] != following))[:PAIRS]
    return tuple(
        bar(chips(pair), count / ordered[0][1], f"{count:,}", "best" if pair == following else "")
        for pair, count in ordered
    )


def _vocabulary(replay: Replay, made: str | None) -> Panel:
    entries = list(replay.vocabulary)
    last = entries[-ENTRIES:]
    rows = tuple(chip(entry, "new" if entry == made else "") for entry in last)
    part = f": the last {len(last)} entries" if len(entries) > len(last) else ""
    return Panel(f"Vocabulary, {len(entries):,} entries{part}", rows, kind="chips", wide=True)
