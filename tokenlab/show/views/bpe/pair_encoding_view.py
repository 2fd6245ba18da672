"""View of BPE encoding with a merge table (`encode_by_pairs`): the tokens, and the rank of each adjacent pair.

Adds: the panels and questions of `encoding_view` for the models of tokenizers. Their merges need not be the
concatenation of the parts (with the prefix ##), and their initial symbols need not be characters (byte fallback).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tokenlab.algorithms.bpe.encode import PairMerged
from tokenlab.algorithms.bpe.encode_by_pairs import PairReplaced
from tokenlab.printing.printable import Symbol
from tokenlab.show.frames import Frame, Html, Panel, StepRange, chip
from tokenlab.show.views.bpe.encoding_view import QUESTIONS, Ranking, candidates, tokens, which_pair
from tokenlab.show.views.bpe.training_panels import plus
from tokenlab.show.views.elements.numbers import count_noun
from tokenlab.show.views.elements.questions import questions_apart
from tokenlab.steps.recording import Recording


def pair_encoding(recording: Recording[Any, Any], window: StepRange) -> Iterator[Frame]:
    """Yield a frame for the initial symbols, and one after each merge."""
    arguments = recording.arguments
    ranks: Ranking = {tuple(map(_shown, pair)): rank for pair, (rank, _) in arguments["merges"].items()}
    states, merges = _replayed(recording, window.end + 1)
    is_random = bool(arguments["dropout"])
    joins = all(_shown(step.made) == _joined(step) for step in recording)
    asked = questions_apart(
        window.between_steps(recording) if joins and not is_random else (),
        lambda number: which_pair(states[number], ranks, merges[number]),
        QUESTIONS,
    )
    for number, done, following in window.steps_around(recording):
        split = states[number]
        last = merges[number - 1] if done else None
        coming = merges[number] if following else None
        end = f"No adjacent pair is merged now: {count_noun(len(split), 'token')}."
        yield Frame(
            moment=f"After merge {number}" if number else "Before merge 1",
            caption=_caption(done, is_random),
            remark="" if following else end,
            panels=(
                Panel("The tokens, and the rank of each adjacent pair", tokens(split, ranks, last, coming), wide=True),
                Panel("Pairs that can be merged, lowest rank first", candidates(split, ranks), hides=True),
            ),
            question=asked.get(number),
        )


def _replayed(recording: Recording[Any, Any], end: int) -> tuple[list[tuple[Symbol, ...]], list[PairMerged]]:
    """Return the tokens before and after each of the first steps, and these steps with offsets in the tokens."""
    now = [(place, _shown(symbol)) for place, symbol in enumerate(recording.arguments["symbols"])]
    states, merges = [_symbols(now)], []
    for step in recording[:end]:
        at = next(index for index, (place, _) in enumerate(now) if place == step.at)
        offset = sum(len(symbol) for _, symbol in now[:at])
        merges.append(PairMerged(offset, (_shown(step.left), _shown(step.right)), step.rank))
        now[at : at + 2] = [(step.at, _shown(step.made))]
        states.append(_symbols(now))
    return states, merges


def _symbols(placed: list[tuple[int, Symbol]]) -> tuple[Symbol, ...]:
    return tuple(symbol for _, symbol in placed)


def _shown(symbol: Any) -> Symbol:
    """Return a symbol; an id becomes its digits."""
    return symbol if isinstance(symbol, str | bytes) else str(symbol)


def _joined(step: PairReplaced[Any]) -> Any:
    return step.left + step.right if isinstance(step.left, str | bytes) else None


def _caption(done: PairReplaced[Any] | None, is_random: bool) -> Html:
    if done is None:
        return "These are the initial symbols. Which pair has the lowest rank?"
    made = f"{plus((_shown(done.left), _shown(done.right)))} became {chip(_shown(done.made), 'new')}"
    why = "dropout skips others at random" if is_random else f"no other pair had a rank lower than {done.rank:,}"
    return f"{made}: {why}."
