"""The words during training, with the counts of all symbols and pairs: what the steps of a recording are applied to.

Adds: the state after each step of BPE or WordPiece training. A step stores only its merge, and `step.apply(progress)`
changes only the words with its pair and their counts; `train.train` recounts all pairs instead.
Leaves out: the choice of the pair, which the steps report.

>>> progress = TrainingProgress.at_start({"word_counts": {"hug": 10, "hub": 2}, "vocab_size": 6})
>>> progress.merge(("h", "u"), "hu")
>>> progress.splits, progress.most_frequent(1)
({'hug': ('hu', 'g'), 'hub': ('hu', 'b')}, [(('hu', 'g'), 10)])
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from heapq import nlargest
from itertools import pairwise
from operator import itemgetter
from typing import Any

from tokenlab.algorithms.bpe.tie_break import Pair
from tokenlab.algorithms.bpe.train import TrainingState, replace_pair
from tokenlab.algorithms.text.count_words import Word
from tokenlab.printing.printable import Symbol


class TrainingProgress:
    """The symbols of each word, the counts of all symbols and adjacent pairs, and the effect of each merge.

    `changed[n]` maps the words that merge n changed to their new symbols (n counts from 1; `changed[0]` has all words).
    `made` lists the symbols that the merges made.
    """

    def __init__(self, start: TrainingState, word_counts: Mapping[Any, int]) -> None:
        self.start = start
        self.word_counts = word_counts
        self.splits: dict[Any, Word] = dict(start.splits)
        self.changed: list[dict[Any, Word]] = [start.splits]
        self.made: list[Symbol] = []
        self.symbols: Counter[Symbol] = Counter()
        self.pairs: Counter[Pair] = Counter()
        self._words_with: dict[Pair, dict[Any, None]] = defaultdict(dict)
        for word in self.splits:
            self._count(word, +1)

    @classmethod
    def at_start(cls, arguments: Mapping[str, Any]) -> TrainingProgress:
        """Return the progress before the first step of a recording of `train` with these arguments."""
        word_counts = arguments["word_counts"]
        start = TrainingState(word_counts, arguments["vocab_size"], **arguments.get("options", {}))
        return cls(start, word_counts)

    def merge(self, pair: Pair, symbol: Symbol) -> None:
        """Replace a pair by a symbol in all words."""
        changed = [word for word in self._words_with.pop(pair, ()) if pair in pairwise(self.splits[word])]
        for word in changed:
            self._count(word, -1)
            self.splits[word] = replace_pair(self.splits[word], pair, symbol)
            self._count(word, +1)
        self.changed.append({word: self.splits[word] for word in changed})
        self.made.append(symbol)

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

    def most_frequent(self, num_pairs: int) -> list[tuple[Pair, int]]:
        """Return the most frequent pairs that may be merged, with their counts."""
        return nlargest(num_pairs, self.start.allowed(self.pairs).items(), key=itemgetter(1))

    def splits_after(self, merges: int) -> dict[Any, Word]:
        """Return the segmentation of each word after the given number of merges."""
        return {word: split for changed in self.changed[: merges + 1] for word, split in changed.items()}

    def vocabulary_after(self, merges: int) -> list[Symbol]:
        """Return the vocabulary after the given number of merges."""
        return [*self.start.ids, *self.made[:merges]]
