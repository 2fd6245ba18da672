"""View of BPE encoding: the tokens of a piece as chips, with the rank of each adjacent pair between them.

All encoders share this view, because they have the same steps. Folded panels show what only one encoder has: the array
of parts, or the priority queue with its linked symbols. The models of tokenizers have a view of their own: their merges
need not be the concatenation of the parts (with the prefix ##), nor their initial symbols characters (byte fallback).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import accumulate, pairwise
from typing import Any, TypeAlias

from tokenlab.algorithms.bpe.encode import PairMerged
from tokenlab.algorithms.bpe.encode_by_pairs import PairReplaced, shown
from tokenlab.algorithms.bpe.tie_break import Pair
from tokenlab.algorithms.bpe.train import merged_symbol
from tokenlab.algorithms.text.count_words import Word, to_symbols
from tokenlab.printing.printable import count_noun, unit
from tokenlab.show.frames import Fact, Frame, Html, Mark, Option, Panel, Question, StepRange, chip, plus, sentence
from tokenlab.show.views.elements.questions import ask, questions_apart
from tokenlab.steps.recording import Recording

Ranking: TypeAlias = Mapping[Any, int]  # the key is a token, or a pair

TOKENS, PAIRS, QUESTIONS = 60, 8, 4  # maximum numbers


def bpe_encoding(recording: Recording[Any, Any], window: StepRange) -> Iterator[Frame]:
    """Yield a frame for the initial symbols of the piece, and one after each merge."""
    ranks = _ranks(recording.arguments)
    start = to_symbols(recording.arguments["piece"])
    states = list(accumulate(recording, lambda split, step: step.apply(split), initial=start))
    kind, is_random = recording.function.rpartition(".")[2], bool(recording.arguments.get("dropout"))
    # Asks where a wrong rule would choose another pair; with dropout, chance decides.
    places = () if is_random else window.between_steps(recording)
    asked = questions_apart(places, lambda n: which_pair(states[n], ranks, recording[n]), QUESTIONS)
    for number, done, following in window.steps_around(recording):
        split = states[number]
        end = f"No adjacent pair {'is merged' if is_random else 'has a rank'} now: {_count(split)}."
        yield Frame(
            moment=f"After merge {number}" if number else "Before merge 1",
            caption=sentence(done) if done else _opening(split),
            remark=why_this_pair(done, is_random) if following else end,
            panels=tuple(_panels(kind, split, ranks, done, following)),
            question=asked.get(number),
        )


def why_this_pair(done: object, is_random: bool) -> Html:
    """Return the reason for a merge; nothing before the first one."""
    if done is None:
        return ""
    return "Dropout skips others at random." if is_random else "No other pair had a lower rank."


def _opening(split: Word) -> str:
    return f"At first, every {unit(split[0]) if split else 'character'} is a symbol. Which pair has the lowest rank?"


def _ranks(arguments: Mapping[str, Any]) -> Ranking:
    """Return the ranks that the encoder looked up: those of tokens, or, given a list of merges, those of pairs."""
    if "ranks" in arguments:
        ranks: Ranking = arguments["ranks"]
        return ranks
    # subtle: reversed, because the first of two equal merges decides.
    return {pair: rank for rank, pair in reversed([*enumerate(arguments["merges"])])}


def rank_of(ranks: Ranking, pair: Pair) -> int | None:
    """Return the rank of a pair or, where ranks belong to tokens, of the token that the pair becomes."""
    rank = ranks.get(pair)
    return ranks.get(merged_symbol(pair)) if rank is None else rank


def _count(split: Word) -> str:
    return "one token" if len(split) == 1 else f"{len(split)} tokens"


def _panels(
    kind: str, split: Word, ranks: Ranking, done: PairMerged | None, following: PairMerged | None
) -> Iterator[Panel]:
    yield Panel("The tokens, and the rank of each adjacent pair", tokens(split, ranks, done, following), wide=True)
    if kind == "encode_with_parts":
        title = "The array: the start of each token, and the rank of its merge with the next token"
        yield Panel(title, _parts(split, ranks), hides=True, wide=True)
    else:
        queued = kind == "encode_with_priority_queue"
        title = "The priority queue, lowest rank first" if queued else "Pairs that can be merged, lowest rank first"
        yield Panel(title, candidates(split, ranks), hides=True)
    if kind == "encode_with_priority_queue":
        yield Panel("Symbols: start, length, left neighbor", _links(split), more=True, wide=True)


def tokens(split: Word, ranks: Ranking, done: PairMerged | None, following: PairMerged | None) -> tuple[Html, ...]:
    """Chips with ranks between them; the pair that is merged next is marked."""
    cells, at = [], 0
    for place, token in enumerate(split[:TOKENS]):
        here = following is not None and at == following.at
        after = following is not None and at == following.at + len(following.pair[0])
        mark: Mark = "left" if here else "right" if after else "new" if done and at == done.at else ""
        cells.append(chip(token, mark))
        if place + 1 < len(split):
            rank = rank_of(ranks, (token, split[place + 1]))
            cells.append(f"<small{' class=best' if here else ''}>{'–' if rank is None else f'{rank:,}'}</small>")
        at += len(token)
    if len(split) > TOKENS:
        cells.append(f"… and {len(split) - TOKENS:,} more")
    return (f"<li class=tl-ranks>{' '.join(cells)}",)


def _possible(split: Word, ranks: Ranking) -> list[tuple[int, int, Pair]]:
    """Return the rank, the start and the symbols of each pair that can be merged, best first."""
    found, at = [], 0
    for pair in pairwise(split):
        rank = rank_of(ranks, pair)
        if rank is not None:
            found.append((rank, at, pair))
        at += len(pair[0])
    return sorted(found, key=lambda item: item[:2])


def candidates(split: Word, ranks: Ranking) -> tuple[Html, ...]:
    """Rows for the pairs that can be merged, best first."""
    possible = _possible(split, ranks)
    rows = [f"<li>{plus(pair)} rank {rank:,}, at {at}" for rank, at, pair in possible[:PAIRS]]
    return (*rows, f"<li>… and {len(possible) - PAIRS:,} more") if len(possible) > PAIRS else tuple(rows)


def _parts(split: Word, ranks: Ranking) -> tuple[Html, ...]:
    starts = _starts(split)
    paired = [rank_of(ranks, pair) for pair in pairwise(split)]
    cells = [
        f"({start}, {'none' if rank is None else f'{rank:,}'})" for start, rank in zip(starts, paired, strict=False)
    ]
    ends = [f"({start}, none)" for start in starts[len(paired) :]]
    shown = [*cells, *ends][: TOKENS + 2]
    return (f"<li><code>{' '.join(shown)}</code>{' …' if len(starts) > len(shown) else ''}",)


def _links(split: Word) -> tuple[Html, ...]:
    starts = _starts(split)
    left = ["first", *(f"after {start}" for start in starts)]
    rows = zip(split[:TOKENS], starts, left, strict=False)
    return tuple(f"<li>{chip(token)} at {start}, length {len(token)}, {before}" for token, start, before in rows)


def _starts(split: Word) -> list[int]:
    starts = [0]
    for token in split:
        starts.append(starts[-1] + len(token))
    return starts


def misconception_pairs(split: Word, ranks: Ranking) -> list[tuple[int, Pair]]:
    """Return the pairs that misconceptions 7 and 6 would merge: the leftmost, and the one with the longest result."""
    possible = _possible(split, ranks)
    leftmost = min(possible, key=lambda item: item[1])
    longest = max(possible, key=lambda item: (len(merged_symbol(item[2])), -item[1]))
    return [(7, leftmost[2]), (6, longest[2])]


def which_pair(split: Word, ranks: Ranking, following: PairMerged) -> Question | None:
    """Ask which pair is merged next, if all are shown; misconceptions 7 and 6 give the wrong answers."""
    if len(split) > TOKENS:
        return None
    right = following.pair
    lowest: Fact = ("rank", right, following.rank)
    why = {7: "It is the leftmost pair", 6: "It makes the longest token"}
    options = []
    for misconception, pair in misconception_pairs(split, ranks):
        rank = rank_of(ranks, pair)
        assert rank is not None  # a guess is a pair that can be merged
        reason = f"{why[misconception]}, but its rank is {rank:,}; {plus(right)} has {lowest[2]:,}, the lowest."
        options.append(Option(plus(pair), reason, misconception=misconception, facts=(("rank", pair, rank), lowest)))
    best = f"{plus(right)} has rank {lowest[2]:,}, the lowest."
    given = tokens(split, ranks, None, None)
    return ask("Which pair is merged next?", (plus(right), best), *options, given=given, facts=(lowest,))


# --- a merge table --------------------------------------------------------------------------------


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
