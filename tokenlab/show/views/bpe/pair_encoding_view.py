"""View of BPE encoding with a merge table (`encode_by_pairs`): the tokens, and the rank of each adjacent pair.

Adds: the panels and questions of `encoding_view` for the models of tokenizers. Their merges need not be the
concatenation of the parts (with the prefix ##), and their initial symbols need not be characters (byte fallback).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import accumulate
from typing import Any

from tokenlab.algorithms.bpe.encode import PairMerged
from tokenlab.algorithms.bpe.encode_by_pairs import PairReplaced, shown
from tokenlab.printing.printable import count_noun
from tokenlab.show.frames import Frame, Panel, StepRange, sentence
from tokenlab.show.views.bpe.encoding_view import QUESTIONS, Ranking, candidates, tokens, which_pair, why_this_pair
from tokenlab.show.views.elements.questions import questions_apart
from tokenlab.steps.recording import Recording


def pair_encoding(recording: Recording[Any, Any], window: StepRange) -> Iterator[Frame]:
    """Yield a frame for the initial symbols, and one after each merge."""
    arguments = recording.arguments
    ranks: Ranking = {tuple(map(shown, pair)): rank for pair, (rank, _) in arguments["merges"].items()}
    start = dict(enumerate(arguments["symbols"]))
    placed = list(accumulate(recording[: window.end + 1], lambda symbols, step: step.apply(symbols), initial=start))
    states = [tuple(map(shown, symbols.values())) for symbols in placed]
    merges = [_with_offset(step, symbols) for step, symbols in zip(recording, placed, strict=False)]
    is_random = bool(arguments["dropout"])
    joins = all(shown(step.made) == _joined(step) for step in recording)
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
            caption=sentence(done) if done else "These are the initial symbols. Which pair has the lowest rank?",
            remark=why_this_pair(done, is_random) if following else end,
            panels=(
                Panel("The tokens, and the rank of each adjacent pair", tokens(split, ranks, last, coming), wide=True),
                Panel("Pairs that can be merged, lowest rank first", candidates(split, ranks), hides=True),
            ),
            question=asked.get(number),
        )


def _with_offset(step: PairReplaced[Any], symbols: Mapping[int, Any]) -> PairMerged:
    """Return a step with the offset in the text, given the symbols before it."""
    offset = sum(len(shown(symbol)) for at, symbol in symbols.items() if at < step.at)
    return PairMerged(offset, (shown(step.left), shown(step.right)), step.rank)


def _joined(step: PairReplaced[Any]) -> Any:
    return step.left + step.right if isinstance(step.left, str | bytes) else None
