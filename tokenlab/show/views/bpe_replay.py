"""The state of BPE training after each step of a recording, which itself says only what each step merged."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from heapq import nlargest
from itertools import pairwise
from operator import itemgetter
from typing import Any

from tokenlab.algorithms.bpe_start import Start, join
from tokenlab.algorithms.bpe_train import Merged, merge
from tokenlab.algorithms.tie_break import Pair
from tokenlab.algorithms.words import Word
from tokenlab.steps import Recording
from tokenlab.visible import Symbol


class Replay:
    """What the merges of a recording did, up to a step.

    `changed[n]` maps the words that merge n changes to their new symbols (n counts from 1; 0 is the start, which
    "changes" all), `best[n]` lists the most frequent pairs after it with their counts, `vocabulary` is that of the end.
    """

    def __init__(self, recording: Recording[Any, Any], end: int, most: int) -> None:
        """Replay the first `end` steps, and keep `most` pairs of each."""
        arguments = recording.arguments
        self.word_counts: Mapping[Any, int] = arguments["word_counts"]
        self.wanted: int = arguments["vocab_size"]
        self.start = Start(self.word_counts, self.wanted, **arguments.get("options", {}))
        self.vocabulary: list[Symbol] = list(self.start.ids)
        self._splits: dict[Any, Word] = dict(self.start.splits)
        self._counts: Counter[Pair] = Counter()
        self._where: dict[Pair, dict[Any, None]] = defaultdict(dict)
        for word in self._splits:
            self._count(word, +1)
        self.changed: list[dict[Any, Word]] = [dict(self._splits)]
        self.best = [self._most_frequent(most)]
        for step in recording[:end]:
            if isinstance(step, Merged):
                self.changed.append(self._merge(step.pair))
                self.best.append(self._most_frequent(most))

    def splits_after(self, merges: int) -> dict[Any, Word]:
        """The words as they are split after so many merges."""
        splits: dict[Any, Word] = {}
        for changed in self.changed[: merges + 1]:
            splits.update(changed)
        return splits

    def _merge(self, pair: Pair) -> dict[Any, Word]:
        changed = {}
        for word in self._where.pop(pair, ()):
            if pair in pairwise(self._splits[word]):
                self._count(word, -1)
                changed[word] = self._splits[word] = merge(self._splits[word], pair)
                self._count(word, +1)
        self.vocabulary.append(join(pair))
        return changed

    def _count(self, word: Any, sign: int) -> None:
        for pair in pairwise(self._splits[word]):
            self._counts[pair] += sign * self.word_counts[word]
            if sign > 0:
                self._where[pair][word] = None
            elif not self._counts[pair]:
                del self._counts[pair]

    def _most_frequent(self, most: int) -> list[tuple[Pair, int]]:
        return nlargest(most, self.start.allowed(self._counts).items(), key=itemgetter(1))
