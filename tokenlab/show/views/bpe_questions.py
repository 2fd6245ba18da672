"""What the player asks about BPE training, and why each wrong answer is wrong.

A wrong answer is what a misconception gives on the same data. Its reason is made from counts, which the option lists
as facts, so that a test can count them again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from tokenlab.algorithms.bpe_start import join
from tokenlab.algorithms.bpe_train import Stopped, count_pairs
from tokenlab.algorithms.tie_break import Pair
from tokenlab.misconceptions.bpe import (
    Moment,
    guess_nonoverlap,
    guess_stale_counts,
    guess_string_replace,
    nonoverlap_count,
    replaced,
)
from tokenlab.show.frames import Fact, Html, Option, Question, Window, chip
from tokenlab.show.views.bpe_replay import Replay
from tokenlab.steps import Recording

TURNS = 2  # questions where the runner-up loses, at the most; one where it wins, one on a tie, one on the end: five
APART = 2  # steps between two questions at the least


def questions(recording: Recording[Any, Any], window: Window, replay: Replay) -> dict[int, Question]:
    """The questions of a window, by how many merges are done when they are asked.

    None comes before one merge has been seen, and none where a tie would decide what is right.
    """
    asked = {number: _question(recording, number, replay) for number in _stops(recording, window, replay)}
    return {number: question for number, question in asked.items() if len(question.options) > 1}


def _question(recording: Recording[Any, Any], number: int, replay: Replay) -> Question:
    following = recording[number]
    pair = recording[number - 1].pair
    before, now = replay.splits_after(number - 1), replay.splits_after(number)
    moment = Moment(replay.word_counts, before, pair, now, replay.start.allowed)
    if isinstance(following, Stopped):
        return _at_the_end(following, moment)
    return _is_it_a_tie(moment) if following.ties > 1 else _which_pair(moment, following.pair)


def _stops(recording: Recording[Any, Any], window: Window, replay: Replay) -> list[int]:
    """Where to ask: at the end, where the old runner-up loses, where it wins, and at a tie; spread out."""
    turns: list[int] = []
    steady: list[int] = []
    ties: list[int] = []
    chosen: list[int] = []
    for number in range(window.first + 1, min(window.end + 1, len(recording))):
        following = recording[number]
        if isinstance(following, Stopped):
            chosen.append(number)
        elif following.ties > 1:
            ties.append(number)
        elif runner_up := _runner_up(replay.best[number - 1], recording[number - 1].pair):
            (steady if runner_up == following.pair else turns).append(number)
    for group, most in ((turns, TURNS), (steady, 1), (ties, 1)):
        chosen += _spread([n for n in group if all(abs(n - other) >= APART for other in chosen)], most)
    return sorted(chosen)


def _runner_up(best: list[tuple[Pair, int]], merged: Pair) -> Pair | None:
    """The pair that came second, if no other shares that place."""
    others = [item for item in best if item[0] != merged] + [(merged, 0)] * 2
    return others[0][0] if others[0][1] > others[1][1] else None


def _spread(numbers: list[int], most: int) -> Iterator[int]:
    """The first of the numbers, and then as many more as keep the same distance at the least."""
    if not numbers:
        return
    distance = max(APART, -(-(numbers[-1] - numbers[0]) // most))
    last = numbers[0] - distance
    for number in numbers:
        if most and number - last >= distance:
            last, most = number, most - 1
            yield number


def _which_pair(moment: Moment, right: Pair) -> Question:
    options = {right: _right(moment, right)}
    stale = [(pair, _stale) for pair in guess_stale_counts(moment)]
    for pair, reason in (*stale, (guess_nonoverlap(moment), _overlap), (guess_string_replace(moment), _text)):
        if pair is not None and pair not in options:
            options[pair] = reason(moment, pair, right)
    return Question("Which pair is merged next?", tuple(options.values())).shuffled()


def _right(moment: Moment, right: Pair) -> Option:
    counts = moment.counts
    facts: list[Fact] = [("now", right, counts[right])]
    why = f"{_plus(right)} stands side by side {_times(counts[right])}"
    best = Counter(moment.allowed(counts)).most_common(2)
    (runner_up, second), *_ = [*(item for item in best if item[0] != right), (None, 0)]
    if runner_up:
        facts.append(("now", runner_up, second))
        why += f", the runner-up {_plus(runner_up)} {_times(second)}"
    return Option(_plus(right), f"{why}.", right=True, facts=tuple(facts))


def _stale(moment: Moment, pair: Pair, right: Pair) -> Option:
    was, now, best = moment.counts_before[pair], moment.counts[pair], moment.counts[right]
    made = chip(join(moment.merged))
    if now < was:
        why = f"It had {was:,} before this merge, but {was - now:,} of those are gone, where {made} is now: "
        why += f"{'none is' if not now else f'{now:,} are'} left."
    else:
        why = f"It had {was:,} before this merge and still has {now:,}."
    facts = (("before", pair, was), ("now", pair, now), ("now", right, best))
    return Option(_plus(pair), f"{why} {_plus(right)} has {best:,}.", belief=4, facts=facts)


def _overlap(moment: Moment, pair: Pair, right: Pair) -> Option:
    once = nonoverlap_count(moment.now, moment.word_counts)
    now, best = moment.counts[pair], moment.counts[right]
    why = (
        f"It would come first, with {once[pair]:,} to {once[right]:,}, if no symbol could be counted twice. But all "
        f"neighbours count, also where two pairs share a symbol: it has {now:,}, {_plus(right)} has {best:,}."
    )
    facts = (("once", pair, once[pair]), ("once", right, once[right]), ("now", pair, now), ("now", right, best))
    return Option(_plus(pair), why, belief=2, facts=facts)


def _text(moment: Moment, pair: Pair, right: Pair) -> Option:
    glued: Counter[Pair] = count_pairs(replaced(moment), moment.word_counts)
    now, best = moment.counts[pair], moment.counts[right]
    left_end, right_start = map(chip, moment.merged)
    why = (
        f"It would come first, with {glued[pair]:,}, if the merge had also glued the end {left_end} of one symbol to "
        f"the start {right_start} of the next. Only whole symbols merge: it has {now:,}, {_plus(right)} has {best:,}."
    )
    return Option(
        _plus(pair), why, belief=3, facts=(("glued", pair, glued[pair]), ("now", pair, now), ("now", right, best))
    )


def _is_it_a_tie(moment: Moment) -> Question:
    (first, count), (second, _) = Counter(moment.allowed(moment.counts)).most_common(2)
    facts = (("now", first, count), ("now", second, count))
    both = f"{_plus(first)} and {_plus(second)} both stand side by side {_times(count)}"
    return Question(
        "Is one pair more frequent now than every other?",
        (
            Option("Yes", f"{both}: the most frequent pair need not be the only one.", belief=1, facts=facts),
            Option("No, pairs tie", f"{both}, so the tie-break decides.", right=True, facts=facts),
        ),
    )


def _at_the_end(stopped: Stopped, moment: Moment) -> Question:
    longest = max(len(split) for split in moment.now.values())
    left = "Every word is one symbol now, so no pair is left"
    if longest > 1:
        left = "The pairs that are left are too rare, or too long together, for what was asked"
    facts: tuple[Fact, ...] = (("symbols in the longest word", None, longest),)
    return Question(
        f"{stopped.wanted:,} symbols were asked for, and there are {stopped.size:,}. What happens next?",
        (
            Option("Another merge", f"{left}.", belief=5, facts=facts),
            Option(
                "An error",
                f"{left}. A program that did not ask first would crash; this one asks.",
                belief=5,
                facts=facts,
            ),
            Option(
                "Training stops", f"{left}: training stops with the vocabulary that it has.", right=True, facts=facts
            ),
        ),
    )


def _plus(pair: Pair) -> Html:
    return f"{chip(pair[0])} + {chip(pair[1])}"


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count:,} times"
