"""Replay of BPE training: the state after each step of a recording, whose steps store only the merges."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from heapq import nlargest
from itertools import pairwise
from operator import itemgetter
from typing import Any

from tokenlab.algorithms.bpe.tie_break import Pair
from tokenlab.algorithms.bpe.train import Merged, TrainingState, merged_symbol, replace_pair
from tokenlab.algorithms.text.count_words import Word
from tokenlab.printing.printable import Symbol
from tokenlab.steps.recording import Recording


class SegmentedWords:
    """The symbols of each word, with the counts of all symbols and adjacent pairs."""

    def __init__(self, splits: Mapping[Any, Word], word_counts: Mapping[Any, int]) -> None:
        self.splits: dict[Any, Word] = dict(splits)
        self.word_counts = word_counts
        self.symbols: Counter[Symbol] = Counter()
        self.pairs: Counter[Pair] = Counter()
        self._words_with: dict[Pair, dict[Any, None]] = defaultdict(dict)
        for word in self.splits:
            self._count(word, +1)

    def merge(self, pair: Pair, symbol: Symbol) -> dict[Any, Word]:
        """Replace a pair by a symbol in all words; return the words that changed, with their new symbols."""
        changed = [word for word in self._words_with.pop(pair, ()) if pair in pairwise(self.splits[word])]
        for word in changed:
            self._count(word, -1)
            self.splits[word] = replace_pair(self.splits[word], pair, symbol)
            self._count(word, +1)
        return {word: self.splits[word] for word in changed}

    def _count(self, word: Any, sign: int) -> None:
        split, times = self.splits[word], sign * self.word_counts[word]
        for symbol in split:
            self.symbols[symbol] += times
        for pair in pairwise(split):
            self.pairs[pair] += times
            if sign > 0:
                self._words_with[pair][word] = None
            elif not self.pairs[pair]:
                del self.pairs[pair]


class BpeTrainingReplay:
    """The effects of the merges of a recording, up to a step.

    `changed[n]` maps the words that merge n changes to their new symbols (n counts from 1; `changed[0]` has all words).
    `best[n]` lists the most frequent pairs after merge n, with their counts. `vocabulary` is the final vocabulary.
    """

    def __init__(self, recording: Recording[Any, Any], end: int, num_pairs: int) -> None:
        arguments = recording.arguments
        self.word_counts: Mapping[Any, int] = arguments["word_counts"]
        self.vocab_size: int = arguments["vocab_size"]
        self.start = TrainingState(self.word_counts, self.vocab_size, **arguments.get("options", {}))
        self.vocabulary: list[Symbol] = list(self.start.ids)
        words = SegmentedWords(self.start.splits, self.word_counts)
        self.changed: list[dict[Any, Word]] = [dict(words.splits)]
        self.best = [self._most_frequent(words.pairs, num_pairs)]
        for step in recording[:end]:
            if isinstance(step, Merged):
                self.vocabulary.append(merged_symbol(step.pair))
                self.changed.append(words.merge(step.pair, self.vocabulary[-1]))
                self.best.append(self._most_frequent(words.pairs, num_pairs))

    def splits_after(self, merges: int) -> dict[Any, Word]:
        """Return the segmentation of each word after the given number of merges."""
        splits: dict[Any, Word] = {}
        for changed in self.changed[: merges + 1]:
            splits.update(changed)
        return splits

    def _most_frequent(self, pairs: Counter[Pair], num_pairs: int) -> list[tuple[Pair, int]]:
        return nlargest(num_pairs, self.start.allowed(pairs).items(), key=itemgetter(1))
