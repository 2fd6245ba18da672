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

FREQUENT = 60  # shown words are among this number of most frequent words


def plus(pair: Pair) -> Html:
    """Format a pair as two chips."""
    return f"{chip(pair[0])} + {chip(pair[1])}"


def changing_words(word_counts: Mapping[Any, int], changes: Counter[Any]) -> list[Any]:
    """Return the frequent words, those that merges change most often first."""
    frequent = sorted(word_counts, key=lambda word: -word_counts[word])[:FREQUENT]
    return sorted(frequent, key=lambda word: -changes[word])


def words_panel(rows: Sequence[Html], words: int) -> Panel:
    """Return a panel with the segmentations of some of the words."""
    part = f" ({len(rows)} of {words:,})" if len(rows) < words else ""
    return Panel(f"Words, as they are split now{part}", tuple(rows), kind="words")


def word_row(
    count: int, split: Word, made: Symbol | None, following: Pair | None, first: int = 0, end: int | None = None
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
    return labelled(f"{count:,} ×", " ".join(marked))


def count_bars(counts: Mapping[Pair, int], following: Pair | None, most: int) -> tuple[Html, ...]:
    """Return bars for the most frequent pairs."""
    # subtle: the pair that is merged next comes first among the pairs that tie with it.
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0] != following))[:most]
    return tuple(
        bar(chips(pair), count / ordered[0][1], f"{count:,}", "best" if pair == following else "")
        for pair, count in ordered
    )


def vocabulary_panel(title: str, entries: Sequence[Symbol], most: int, made: Symbol | None) -> Panel:
    """Return a panel with the last entries of a vocabulary."""
    last = entries[-most:]
    rows = tuple(chip(entry, "new" if entry == made else "") for entry in last)
    part = f": the last {len(last)} entries" if len(entries) > len(last) else ""
    return Panel(f"{title}{part}", rows, kind="chips", wide=True)
