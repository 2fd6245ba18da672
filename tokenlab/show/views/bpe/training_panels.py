"""Panels of BPE and WordPiece training: the words as symbols, the pairs by count, and the vocabulary."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from tokenlab.algorithms.bpe.tie_break import Pair
from tokenlab.algorithms.text.count_words import Word
from tokenlab.printing.printable import Symbol
from tokenlab.show.frames import Html, Panel, bar, chip, chips
from tokenlab.show.views.elements.rows import labelled

# In a text without spaces a word may be a paragraph: of words longer than LONG, STRETCH symbols are shown.
LONG, STRETCH = 24, 14
FREQUENT = 60  # shown words are among this number of most frequent words


def plus(pair: Pair) -> Html:
    """Format a pair as two chips."""
    return f"{chip(pair[0])} + {chip(pair[1])}"


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
