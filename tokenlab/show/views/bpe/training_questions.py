"""Questions of the player about BPE training, with the reason why each wrong answer is wrong.

Each wrong answer is the result of a misconception on the same data. Its reason states counts; the option lists them as
facts, so a test can check them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

from tokenlab.algorithms.bpe.tie_break import Pair
from tokenlab.algorithms.bpe.train import Stopped, TrainingProgress, count_pairs, merged_symbol
from tokenlab.misconceptions.bpe_training import (
    MergeState,
    guess_nonoverlap,
    guess_stale_counts,
    guess_string_replace,
    nonoverlap_count,
    replaced,
)
from tokenlab.printing.printable import times
from tokenlab.show.frames import OTHER, Fact, Html, Option, Question, StepRange, chip, chips, plus
from tokenlab.show.views.elements.questions import ask
from tokenlab.steps.recording import Recording

TURNS = 2  # maximum questions where the runner-up loses; plus one where it wins, one on a tie, one on the end: 5
APART = 2  # minimum steps between two questions


def training_questions(
    recording: Recording[Any, Any],
    window: StepRange,
    progress: TrainingProgress,
    best: Sequence[list[tuple[Pair, int]]],
    shown: Collection[Any],
) -> dict[int, Question | None]:
    """Return the questions of a window, keyed by the number of merges done before the question.

    `progress` has applied the steps of the window; `best` lists the most frequent pairs after each step. No question
    comes before the first merge, or where a tie would decide the right answer. If the panels do not show all words,
    the question states the counts.
    """
    return {number: _question(recording, number, progress, shown) for number in _stops(recording, window, best)}


def _question(
    recording: Recording[Any, Any], number: int, progress: TrainingProgress, shown: Collection[Any]
) -> Question | None:
    following = recording[number]
    pair = recording[number - 1].pair
    before, now = progress.splits_after(number - 1), progress.splits_after(number)
    state = MergeState(progress.word_counts, before, pair, now, progress.start.allowed)
    splits = {word: split for word, split in now.items() if word in shown} if len(now) <= len(shown) else {}
    rows = tuple([f"{progress.word_counts[word]:,} × {chips(split)}" for word, split in splits.items()])
    if isinstance(following, Stopped):
        return _at_the_end(following, state, rows)
    return _is_it_a_tie(state, rows) if following.ties > 1 else _which_pair(state, following.pair, rows)


def _changes(state: MergeState, pairs: Iterable[Pair]) -> Html:
    """State the counts of some pairs before the last merge, and how it changed them."""
    listed = []
    for pair in sorted(pairs, key=lambda pair: (-state.counts_before[pair], str(pair))):
        before, change = state.counts_before[pair], state.counts[pair] - state.counts_before[pair]
        listed.append(f"{plus(pair)} {before:,}" + (f" {'−' if change < 0 else '+'} {abs(change):,}" if change else ""))
    return f"Counts before this merge, and their changes: {'; '.join(listed)}"


def _stops(recording: Recording[Any, Any], window: StepRange, best: Sequence[list[tuple[Pair, int]]]) -> list[int]:
    """Steps to ask about, spread out: the end, where the old runner-up loses, where it wins, and a tie."""
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
        elif runner_up := _runner_up(best[number - 1], recording[number - 1].pair):
            (steady if runner_up == following.pair else turns).append(number)
    for group, most in ((turns, TURNS), (steady, 1), (ties, 1)):
        chosen += _spread([n for n in group if all(abs(n - other) >= APART for other in chosen)], most)
    return sorted(chosen)


def _runner_up(best: list[tuple[Pair, int]], merged: Pair) -> Pair | None:
    """Return the pair with the second highest count, if it is unique."""
    others = [item for item in best if item[0] != merged] + [(merged, 0)] * 2
    return others[0][0] if others[0][1] > others[1][1] else None


def _spread(numbers: list[int], most: int) -> Iterator[int]:
    """Yield at most `most` of the numbers, spread evenly from the first one."""
    if not numbers:
        return
    distance = max(APART, -(-(numbers[-1] - numbers[0]) // most))
    last = numbers[0] - distance
    for number in numbers:
        if most and number - last >= distance:
            last, most = number, most - 1
            yield number


def _which_pair(state: MergeState, right: Pair, rows: tuple[Html, ...]) -> Question | None:
    options = {right: _right(state, right)}
    stale = [(pair, _stale) for pair in guess_stale_counts(state)]
    for pair, reason in (*stale, (guess_nonoverlap(state), _overlap), (guess_string_replace(state), _text)):
        if pair is not None and pair not in options:
            options[pair] = reason(state, pair, right)
    if len(options) == 2:
        more = (pair for pair, _ in Counter(state.allowed(state.counts)).most_common(3) if pair not in options)
        options |= {pair: _less_frequent(state, pair, right) for pair in [*more][:1]}
    counts = _changes(state, options)
    first, *others = options.values()
    return ask(
        "Which pair is merged next?" if rows else f"{counts}. Which pair is merged next?",
        (first.label, first.why),
        *others,
        given=rows or (counts,),
        facts=first.facts,
    )


def _right(state: MergeState, right: Pair) -> Option:
    counts = state.counts
    facts: list[Fact] = [("now", right, counts[right])]
    why = f"{plus(right)} occurs {times(counts[right])}"
    best = Counter(state.allowed(counts)).most_common(2)
    (runner_up, second), *_ = [*(item for item in best if item[0] != right), (None, 0)]
    if runner_up:
        facts.append(("now", runner_up, second))
        why += f", the runner-up {plus(runner_up)} {times(second)}"
    return Option(plus(right), f"{why}.", right=True, facts=tuple(facts))


def _stale(state: MergeState, pair: Pair, right: Pair) -> Option:
    was, now, best = state.counts_before[pair], state.counts[pair], state.counts[right]
    made = chip(merged_symbol(state.merged))
    if now < was:
        why = f"It had {was:,} before this merge, but {was - now:,} of those are gone, where {made} is now: "
        why += f"{'none is' if not now else f'{now:,} are'} left."
    else:
        why = f"It had {was:,} before this merge and still has {now:,}."
    facts = (("before", pair, was), ("now", pair, now), ("now", right, best))
    return Option(plus(pair), f"{why} {plus(right)} has {best:,}.", misconception=4, facts=facts)


def _less_frequent(state: MergeState, pair: Pair, right: Pair) -> Option:
    now, best = state.counts[pair], state.counts[right]
    facts = (("now", pair, now), ("now", right, best))
    return Option(plus(pair), f"It has {now:,}. {plus(right)} has {best:,}.", misconception=OTHER, facts=facts)


def _overlap(state: MergeState, pair: Pair, right: Pair) -> Option:
    once = nonoverlap_count(state.splits_after, state.word_counts)
    now, best = state.counts[pair], state.counts[right]
    why = (
        f"It would come first, with {once[pair]:,} to {once[right]:,}, if no symbol could be counted twice. But all "
        f"adjacent pairs count, even if two of them share a symbol: it has {now:,}, {plus(right)} has {best:,}."
    )
    facts = (("once", pair, once[pair]), ("once", right, once[right]), ("now", pair, now), ("now", right, best))
    return Option(plus(pair), why, misconception=2, facts=facts)


def _text(state: MergeState, pair: Pair, right: Pair) -> Option:
    glued: Counter[Pair] = count_pairs(replaced(state), state.word_counts)
    now, best = state.counts[pair], state.counts[right]
    left_end, right_start = map(chip, state.merged)
    why = (
        f"It would come first, with {glued[pair]:,}, if the merge had also joined the end {left_end} of one symbol to "
        f"the start {right_start} of the next. Only whole symbols merge: it has {now:,}, {plus(right)} has {best:,}."
    )
    facts = (("glued", pair, glued[pair]), ("now", pair, now), ("now", right, best))
    return Option(plus(pair), why, misconception=3, facts=facts)


def _is_it_a_tie(state: MergeState, rows: tuple[Html, ...]) -> Question | None:
    best = Counter(state.allowed(state.counts)).most_common(3)
    (first, count), (second, _), *_ = best
    counts = _changes(state, (pair for pair, _ in best))
    facts = (("now", first, count), ("now", second, count))
    both = f"{plus(first)} and {plus(second)} both occur {times(count)}"
    not_only = f"{both}: several pairs can have the highest count."
    asks = "Is one pair more frequent now than every other?"
    return ask(
        asks if rows else f"{counts}. No other pair occurs more often. {asks}",
        ("No, pairs tie", f"{both}, so the tie-break decides."),
        Option("Yes", not_only, misconception=1, facts=facts),
        given=rows or (counts,),
        facts=facts,
    )


def _at_the_end(stopped: Stopped, state: MergeState, rows: tuple[Html, ...]) -> Question | None:
    longest = max(len(split) for split in state.splits_after.values())
    left = "Every word is one symbol now, so no pair is left"
    if longest > 1:
        left = "The remaining pairs are too rare, or too long when merged, for the given options"
    facts: tuple[Fact, ...] = (("symbols in the longest word", None, longest),)
    crash = f"{left}. This program checks that a pair is left. Without the check, it would raise an error."
    requested = f"{stopped.target_size:,} symbols were requested, and there are {stopped.size:,}"
    state_now = () if rows else (left,)
    return ask(
        f"{'. '.join((requested, *state_now))}. What happens next?",
        ("Training stops", f"{left}: training stops with the vocabulary that it has."),
        Option("Another merge", f"{left}.", misconception=5, facts=facts),
        Option("An error", crash, misconception=5, facts=facts),
        given=(requested, *state_now, *rows),
        facts=facts,
    )
