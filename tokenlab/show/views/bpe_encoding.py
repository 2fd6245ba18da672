"""Encoding one piece: the tokens as chips with the rank of every two neighbours between them.

All encoders share it, for their steps say the same thing. Folded away is what only one of them has: the array of parts,
or the agenda with its linked symbols.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

from tokenlab.algorithms.bpe_encode import Joined, encode_by_rank, encode_in_order, ranks_of, symbols_of
from tokenlab.algorithms.bpe_encode_agenda import encode_with_agenda
from tokenlab.algorithms.bpe_encode_parts import encode_with_parts
from tokenlab.algorithms.bpe_start import join
from tokenlab.algorithms.tie_break import Pair
from tokenlab.algorithms.words import Word
from tokenlab.show.frames import Fact, Frame, Html, Mark, Option, Panel, Question, Window, chip, view
from tokenlab.show.views.bpe_training import plus
from tokenlab.steps import Recording
from tokenlab.visible import Symbol

TOKENS, PAIRS, QUESTIONS = 60, 8, 4  # at the most


@view(encode_in_order, encode_by_rank, encode_with_parts, encode_with_agenda)
def bpe_encoding(recording: Recording[Any, Any], window: Window) -> Iterator[Frame]:
    """A frame for the piece as its symbols, and one after each merge."""
    ranks = _ranks(recording.arguments)
    states = _states(recording)
    asked = _stops(recording, states, ranks, window)
    kind = recording.function.rpartition(".")[2]
    for number in range(window.first, window.end + 1):
        done = recording[number - 1] if number else None
        following = recording[number] if number < len(recording) else None
        split = states[number]
        yield Frame(
            moment=f"After merge {number}" if number else "Before merge 1",
            caption=merged(done) if done else "The piece is split into its symbols. Which pair has the lowest rank?",
            remark="" if following else f"No two neighbours have a rank now: {_count(split)}.",
            panels=tuple(_panels(kind, split, ranks, done, following)),
            question=which_pair(split, ranks, following) if number in asked else None,
        )


def _ranks(arguments: Mapping[str, Any]) -> Mapping[Symbol, int]:
    ranks: Mapping[Symbol, int] = arguments["ranks"] if "ranks" in arguments else ranks_of(arguments["merges"])
    return ranks


def _states(recording: Recording[Any, Any]) -> list[Word]:
    """The tokens before the first step and after each."""
    states = [symbols_of(recording.arguments["piece"])]
    for step in recording:
        split, place, before = states[-1], 0, 0
        while before < step.at:
            before += len(split[place])
            place += 1
        states.append((*split[:place], join(step.pair), *split[place + 2 :]))
    return states


def merged(done: Joined) -> Html:
    """What a merge made of two tokens, and why of these."""
    return (
        f"{plus(done.pair)} became {chip(join(done.pair), 'new')}: no other pair had a rank lower than {done.rank:,}."
    )


def _count(split: Word) -> str:
    return "one token" if len(split) == 1 else f"{len(split)} tokens"


def _panels(
    kind: str, split: Word, ranks: Mapping[Symbol, int], done: Joined | None, following: Joined | None
) -> Iterator[Panel]:
    yield Panel("The tokens, and the rank of every two neighbours", tokens(split, ranks, done, following), wide=True)
    if kind == "encode_with_parts":
        yield Panel("The array of parts: start, and rank with the next", _parts(split, ranks), hides=True, wide=True)
    else:
        title = "The agenda, best first" if kind == "encode_with_agenda" else "Pairs that can be merged, best first"
        yield Panel(title, candidates(split, ranks), hides=True)
    if kind == "encode_with_agenda":
        yield Panel("Linked symbols: start, length, left neighbour", _links(split), more=True, wide=True)


def tokens(split: Word, ranks: Mapping[Symbol, int], done: Joined | None, following: Joined | None) -> tuple[Html, ...]:
    """Chips, with ranks between them; the two that are joined next are marked."""
    cells, at = [], 0
    for place, token in enumerate(split[:TOKENS]):
        here = following is not None and at == following.at
        behind = following is not None and at == following.at + len(following.pair[0])
        mark: Mark = "left" if here else "right" if behind else "new" if done and at == done.at else ""
        cells.append(chip(token, mark))
        if place + 1 < len(split):
            rank = ranks.get(join((token, split[place + 1])))
            cells.append(f"<small{' class=best' if here else ''}>{'–' if rank is None else f'{rank:,}'}</small>")
        at += len(token)
    if len(split) > TOKENS:
        cells.append(f"… and {len(split) - TOKENS:,} more")
    return (f"<li class=tl-ranks>{' '.join(cells)}",)


def _possible(split: Word, ranks: Mapping[Symbol, int]) -> list[tuple[int, int, Pair]]:
    """The rank, the start and the symbols of every pair that can be merged, best first."""
    found, at = [], 0
    for pair in pairwise(split):
        if join(pair) in ranks:
            found.append((ranks[join(pair)], at, pair))
        at += len(pair[0])
    return sorted(found, key=lambda item: item[:2])


def candidates(split: Word, ranks: Mapping[Symbol, int]) -> tuple[Html, ...]:
    """The pairs that can be merged, best first."""
    possible = _possible(split, ranks)
    rows = [f"<li>{plus(pair)} rank {rank:,}, at {at}" for rank, at, pair in possible[:PAIRS]]
    return (*rows, f"<li>… and {len(possible) - PAIRS:,} more") if len(possible) > PAIRS else tuple(rows)


def _parts(split: Word, ranks: Mapping[Symbol, int]) -> tuple[Html, ...]:
    starts = _starts(split)
    paired = [ranks.get(join(pair)) for pair in pairwise(split)]
    cells = [
        f"({start}, {'none' if rank is None else f'{rank:,}'})" for start, rank in zip(starts, paired, strict=False)
    ]
    ends = [f"({start}, none)" for start in starts[len(paired) :]]
    shown = [*cells, *ends][: TOKENS + 2]
    return (f"<li><code>{' '.join(shown)}</code>{' …' if len(starts) > len(shown) else ''}",)


def _links(split: Word) -> tuple[Html, ...]:
    starts = _starts(split)
    rows = zip(split[:TOKENS], starts, [None, *starts], strict=False)
    return tuple(
        f"<li>{chip(token)} at {start}, length {len(token)}, {'first' if before is None else f'after {before}'}"
        for token, start, before in rows
    )


def _starts(split: Word) -> list[int]:
    starts = [0]
    for token in split:
        starts.append(starts[-1] + len(token))
    return starts


def _stops(recording: Recording[Any, Any], states: list[Word], ranks: Mapping[Symbol, int], window: Window) -> set[int]:
    """Where to ask: after the first merge, where a wrong rule would choose another pair; not twice running."""
    stops: list[int] = []
    for number in range(window.first + 1, min(window.end + 1, len(recording))):
        wrong = {pair for _, pair in guesses(states[number], ranks)} - {recording[number].pair}
        if wrong and (not stops or number - stops[-1] > 1):
            stops.append(number)
    return set(stops[:QUESTIONS])


def guesses(split: Word, ranks: Mapping[Symbol, int]) -> list[tuple[int, Pair]]:
    """What the misconceptions 7 and 6 would merge: the leftmost pair, and the pair with the longest result."""
    possible = _possible(split, ranks)
    leftmost = min(possible, key=lambda item: item[1])
    longest = max(possible, key=lambda item: (len(join(item[2])), -item[1]))
    return [(7, leftmost[2]), (6, longest[2])]


def which_pair(split: Word, ranks: Mapping[Symbol, int], following: Joined | None) -> Question:
    """Which pair is merged next? The wrong answers are those of the misconceptions 7 and 6."""
    assert following is not None
    right = following.pair
    lowest: Fact = ("rank", right, ranks[join(right)])
    why = {7: "It stands first from the left", 6: "It makes the longest token"}
    options = {right: Option(plus(right), f"{plus(right)} has rank {lowest[2]:,}, the lowest.", True, facts=(lowest,))}
    for belief, pair in guesses(split, ranks):
        if pair not in options:
            rank = ranks[join(pair)]
            reason = (
                f"{why[belief]}, but its rank is {rank:,}; {plus(right)} has {lowest[2]:,}, and the lowest decides."
            )
            options[pair] = Option(plus(pair), reason, belief=belief, facts=(("rank", pair, rank), lowest))
    return Question("Which pair is merged next?", tuple(options.values())).shuffled()
