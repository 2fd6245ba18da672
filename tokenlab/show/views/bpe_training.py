"""BPE training: the words as chips, the pairs as bars, the vocabulary, and which pairs tie.

Every frame shows one moment: what the merge before it made, and which pairs are most frequent now.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from tokenlab.algorithms.bpe_start import join
from tokenlab.algorithms.bpe_train import Merged, Stopped, train
from tokenlab.algorithms.bpe_train_indexed import train_indexed
from tokenlab.algorithms.tie_break import Pair
from tokenlab.algorithms.words import Word
from tokenlab.misconceptions import bpe as misconceptions
from tokenlab.show.frames import Frame, Html, Panel, Window, bar, chip, chips, text, view
from tokenlab.show.views.bpe_questions import questions
from tokenlab.show.views.bpe_replay import Replay
from tokenlab.steps import Recording
from tokenlab.visible import Symbol

WORDS, PAIRS, ENTRIES = 10, 8, 12  # rows of a panel at the most
# In a text without blanks a word may be a paragraph: of a word longer than LONG a stretch is shown, and of fewer words.
LONG, STRETCH, LONG_WORDS = 24, 14, 3
FREQUENT = 60  # the words that are shown are among so many most frequent ones
# What a wrong program does next is not worth predicting, and it does not say which of its steps are ties.
ASKED = {f"{function.__module__}.{function.__qualname__}" for function in (train, train_indexed)}


@view(train, train_indexed, misconceptions.tie_last_seen, misconceptions.tie_lexicographic)
@view(misconceptions.batch_merge_stale_counts, misconceptions.no_exhaustion_guard)
def bpe_training(recording: Recording[Any, Any], window: Window) -> Iterator[Frame]:
    """A frame for the words as they are at first, and one after each step."""
    replay = Replay(recording, window.end, PAIRS + 1)
    asked = questions(recording, window, replay) if recording.function in ASKED else {}
    shown = _words_that_change(replay, window)
    splits: dict[Any, Word] = {}
    for number in range(window.end + 1):
        done = recording[number - 1] if number else None
        following = recording[number] if number < len(recording) else None
        if isinstance(done, Stopped):
            yield Frame("At the end", _sentence(done), panels=tuple(_panels(replay, number - 1, splits, None, None)))
            return
        splits |= {word: replay.changed[number][word] for word in shown if word in replay.changed[number]}
        if number >= window.first:
            yield Frame(
                moment=f"After merge {number}" if number else "Before merge 1",
                caption=_caption(done) if done else _beginning(replay),
                remark=_remark(done, replay.best[number - 1]) if done else "",
                panels=tuple(_panels(replay, number, splits, done, following)),
                question=asked.get(number),
            )


def _words_that_change(replay: Replay, window: Window) -> list[Any]:
    """The words worth showing: of the frequent ones those that most of the merges in the window change."""
    changes = Counter(word for changed in replay.changed[window.first + 1 :] for word in changed)
    frequent = sorted(replay.word_counts, key=lambda word: -replay.word_counts[word])[:FREQUENT]
    ordered = sorted(frequent, key=lambda word: -changes[word])[:WORDS]
    long = any(len(replay.start.splits[word]) > LONG for word in ordered)
    chosen = set(ordered[: LONG_WORDS if long else WORDS])
    return [word for word in replay.word_counts if word in chosen]


def _sentence(step: Stopped) -> Html:
    said = str(step)
    return text(f"{said[0].upper()}{said[1:]}.")


def _beginning(replay: Replay) -> Html:
    kind = "bytes" if isinstance(replay.vocabulary[-1], bytes) else "characters"
    return f"Every word is split into its {kind}. The two that stand side by side most often are merged first."


def _caption(done: Merged) -> Html:
    left, right = map(chip, done.pair)
    times = "once" if done.count == 1 else f"{done.count:,} times"
    more = ", more often than any other pair" if done.ties == 1 else ""
    return f"{left} + {right} became {chip(join(done.pair), 'new')}. They stood side by side {times}{more}."


def _remark(done: Merged, before: list[tuple[Pair, int]]) -> Html:
    others = [(pair, count) for pair, count in before if pair != done.pair]
    if done.ties > 1:
        named = [plus(pair) for pair, count in others[:2] if count == done.count]
        more = f" and {done.ties - 1 - len(named):,} more" if done.ties - 1 > len(named) else ""
        return f"A tie: {', '.join(named)}{more} occurred as often. The tie-break decided."
    return (
        f"No tie: the runner-up was {plus(others[0][0])} with {others[0][1]:,}."
        if others
        else "It was the only pair left."
    )


def plus(pair: Pair) -> Html:
    """A pair as two chips."""
    return f"{chip(pair[0])} + {chip(pair[1])}"


def _panels(
    replay: Replay, number: int, splits: dict[Any, Word], done: Merged | None, following: object
) -> Iterator[Panel]:
    pair = following.pair if isinstance(following, Merged) else None
    made = join(done.pair) if done else None
    part = f" ({len(splits)} of {len(replay.word_counts):,})" if len(splits) < len(replay.word_counts) else ""
    rows = tuple(_word(replay.word_counts[word], split, made, pair) for word, split in splits.items())
    yield Panel(f"Words, as they are split now{part}", rows, kind="words")
    best = replay.best[number]
    yield Panel("How often each pair occurs now", _bars(best, pair), kind="bars", hides=True)
    yield _vocabulary(replay, number, made)
    tied = [tied for tied, count in best if count == best[0][1]]
    if len(tied) > 1:
        more = f", {following.ties:,} in all" if isinstance(following, Merged) and following.ties > len(tied) else ""
        rows = tuple(f"<li>{plus(tie)}" for tie in tied)
        yield Panel(f"Pairs that tie for the most frequent{more}", rows, more=True, hides=True)


def _word(frequency: int, split: Word, made: Symbol | None, following: Pair | None) -> Html:
    first = _first_shown(split, made, following)
    end = len(split) if len(split) <= LONG else first + STRETCH
    marked, positions = ["…"] if first else [], iter(range(first, end))
    for position in positions:
        if following and split[position : position + 2] == following:
            marked.append(chip(following[0], "left") + chip(following[1], "right"))
            next(positions, None)
        else:
            marked.append(chip(split[position], "new" if split[position] == made else ""))
    if end < len(split):
        marked.append(f"… {len(split) - end:,} more")
    return f"<li><span>{frequency:,} ×</span> <div>{' '.join(marked)}</div>"


def _first_shown(split: Word, made: Symbol | None, following: Pair | None) -> int:
    """Where the stretch of a long word begins that is shown: a little before what is new, or what comes next."""
    if len(split) <= LONG:
        return 0
    places = range(len(split))
    place = next((i for i in places if split[i] == made), None)
    if place is None:
        place = next((i for i in places if following and split[i : i + 2] == following), 0)
    return max(0, min(place - 4, len(split) - STRETCH))


def _bars(best: list[tuple[Pair, int]], following: Pair | None) -> tuple[Html, ...]:
    counts = dict(best[:PAIRS])
    if following and following not in counts:  # it ties with all that are listed
        counts[following] = best[0][1]
    # subtle: the pair that is merged next stands first among those that tie with it.
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0] != following))[:PAIRS]
    return tuple(
        bar(chips(pair), count / ordered[0][1], f"{count:,}", "best" if pair == following else "")
        for pair, count in ordered
    )


def _vocabulary(replay: Replay, number: int, made: Symbol | None) -> Panel:
    size = replay.start.size + number
    last = replay.vocabulary[max(0, size - ENTRIES) : size]
    rows = tuple(chip(entry, "new" if entry == made else "") for entry in last)
    part = f": the last {len(last)} entries" if size > len(last) else ""
    return Panel(f"Vocabulary, {size:,} of {replay.wanted:,}{part}", rows, kind="chips", wide=True)
