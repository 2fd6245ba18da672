"""Parity-aware BPE: each merge is the best one for the language that is compressed least.

Adds: word counts per language, and the choice of the language before each merge. The merge is then applied to all
languages, so that the vocabulary stays common.
Leaves out: two loops without end of the library's ParityBpeTrainer: if a language without words is chosen by ratio
(an error here), and if a window allows only exhausted languages (here the window is then ignored).
Source: Foroutan et al. 2025, "Parity-Aware Byte-Pair Encoding: Improving Cross-lingual Fairness in Tokenization";
huggingface/tokenizers, models/bpe/parity_trainer.rs.

>>> train_parity([{"aabb": 10}, {"ccdd": 10}], num_merges=3)[1]
[('b', 'b'), ('d', 'd'), ('a', 'bb')]
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from heapq import heapify, heappop, heappush, heapreplace
from math import inf, isfinite, nan
from typing import Any

from tokenlab.algorithms.bpe.tie_break import Tied, lexicographic_max
from tokenlab.libraries.tokenizers.trainers.train_bpe import (
    Merge,
    SymbolTable,
    TrainingWords,
    last_occurrences,
    limited_alphabet,
)


def train_parity(
    languages: Sequence[Mapping[str, int]],
    num_merges: int,
    *,
    dev: Sequence[Mapping[str, int]] = (),
    ratio: Sequence[float] | None = None,
    window: int | None = None,
    alpha: float = 2.0,
    min_frequency: int = 0,
    global_merges: int = 0,
    total_symbols: bool = False,
    special_tokens: Iterable[str] = (),
    initial_alphabet: Iterable[str] = (),
    limit_alphabet: int | None = None,
    prefix: str = "",
    suffix: str = "",
    max_token_length: int | None = None,
    on_merge: Callable[[], None] = lambda: None,
) -> tuple[list[str], list[Merge]]:
    """Return the symbols in id order and the merges in rank order.

    Args:
        languages: the count of each word, for each language.
        num_merges: the number of merges.
        dev: counts of words whose total length chooses the language, by default the training words.
        ratio: the wanted compression rate of each language; the lowest rate / ratio chooses the language. Without
            `dev` only.
        window: the number of recent choices among which a language may have at most `alpha` times its equal share.
        alpha: see `window`.
        min_frequency: a language whose best pair is rarer is exhausted.
        global_merges: the number of initial merges that are best for all languages together.
        total_symbols: whether the special tokens and the initial symbols count as merges.
        special_tokens, prefix, suffix, max_token_length: as in `train_huggingface`.
        initial_alphabet, limit_alphabet: as in `limited_alphabet`.
        on_merge: called after each merge.

    Raises:
        ValueError: the lengths of the arguments differ, or a number is not positive.
    """
    _check(languages, dev, ratio, window, alpha)
    everything: Counter[str] = Counter()
    for words in [*languages, *dev]:
        everything.update(words)
    table = SymbolTable(
        special_tokens, limited_alphabet(everything, initial_alphabet, limit_alphabet), prefix, suffix, max_token_length
    )
    indexes = [LanguageIndex(table, table.split(words), list(words.values())) for words in languages]
    measured = indexes if ratio is not None or not dev else [dev_index(table, words) for words in dev]
    chooser = LanguageChooser(measured, ratio, window, alpha)
    everywhere = GlobalIndex(table, indexes) if global_merges else None
    if total_symbols:
        num_merges -= len(table.symbols)
    merges: list[Merge] = []
    while len(merges) < num_merges and len(chooser.exhausted) < len(languages):
        is_global = len(merges) < global_merges
        number = -1 if is_global else chooser.choose()
        best = everywhere.pop() if everywhere is not None and is_global else indexes[number].pop()
        if best is None or best[1] < min_frequency:
            if is_global:
                break
            chooser.exhaust(number)
            continue
        pair = best[0]
        new = table.merge(pair)
        merges.append(table.named(pair))
        changed = {pair}
        for index in indexes:
            changed |= index.merge(pair, new)
        if measured is not indexes:
            for index in measured:
                index.merge(pair, new)
        if everywhere is not None:
            everywhere.update(changed)
        on_merge()
    return table.symbols, last_occurrences(merges)


class PairHeap:
    """Counts of pairs and a heap of them: the most frequent first, and of these the greatest as a pair of texts."""

    def __init__(self, table: SymbolTable, counts: dict[str, int]) -> None:
        self.table = table
        self.counts = counts
        self.heap = [(-count, self._key(pair), pair) for pair, count in counts.items() if count > 0]
        heapify(self.heap)

    def push(self, pair: str) -> None:
        """Add a pair whose count has grown."""
        if self.counts[pair] > 0:
            heappush(self.heap, (-self.counts[pair], self._key(pair), pair))

    def pop(self) -> tuple[str, int] | None:
        """Remove and return the best pair and its count; None if no pair is left."""
        while self.heap:
            minus_count, key, pair = self.heap[0]
            count = self.counts.get(pair, 0)
            if count > 0 and count != -minus_count:
                heapreplace(self.heap, (-count, key, pair))
                continue
            heappop(self.heap)
            if count > 0:
                return pair, count
        return None

    def _key(self, pair: str) -> Any:
        return lexicographic_max(Tied(self.table.named(pair), (0, 0), (0, 0)))


class LanguageIndex(PairHeap):
    """The words of a language, with the count of each pair and the words that contain it."""

    def __init__(self, table: SymbolTable, words: list[str], frequencies: list[int], any_length: bool = False) -> None:
        self.words = TrainingWords(table, words, any_length)
        self.frequencies = frequencies
        self.length = sum(len(word) * count for word, count in zip(words, frequencies, strict=True))
        self.initial_length = self.length
        counts, self.where = self.words.pairs(frequencies)
        super().__init__(table, counts)

    def merge(self, pair: str, new: str) -> set[str]:
        """Merge a pair in all words; return the pairs whose counts have changed."""
        if pair not in self.where:
            return set()
        numbers = dict.fromkeys(self.where.pop(pair))
        self.length -= self._size(numbers)
        changes = self.words.merge(pair, new, numbers)
        self.length += self._size(numbers)
        changed, gained = set(), set()
        for lost, made, where in changes:
            times = sum(map(self.frequencies.__getitem__, where))
            self.counts[lost] -= times
            changed.add(lost)
            if made:
                gained.add(made)
                self.counts[made] += times
                self.where[made] += where
        self.counts[pair] = 0
        for made in gained:
            self.push(made)
        return changed | gained

    def _size(self, numbers: Iterable[int]) -> int:
        """Return the number of symbols in words, as often as they occur."""
        return sum(self.frequencies[number] * self.words.size(number) for number in numbers)


class GlobalIndex(PairHeap):
    """The counts of the pairs in all languages together."""

    def __init__(self, table: SymbolTable, indexes: Sequence[LanguageIndex]) -> None:
        self.indexes = indexes
        pairs = dict.fromkeys(pair for index in indexes for pair in index.counts)
        super().__init__(table, {pair: self._total(pair) for pair in pairs})

    def update(self, pairs: Iterable[str]) -> None:
        """Count these pairs again."""
        for pair in pairs:
            self.counts[pair] = self._total(pair)
            self.push(pair)

    def _total(self, pair: str) -> int:
        return max(0, sum(index.counts.get(pair, 0) for index in self.indexes))


class LanguageChooser:
    """Chooses the language of the next merge: the longest one, or the one with the lowest rate / ratio."""

    def __init__(
        self, indexes: Sequence[LanguageIndex], ratio: Sequence[float] | None, window: int | None, alpha: float
    ) -> None:
        self.indexes = indexes
        self.ratio = ratio
        self.window = window
        self.threshold = alpha / len(indexes)
        self.recent: deque[int] = deque(maxlen=window)
        self.exhausted: set[int] = set()

    def choose(self) -> int:
        """Return the number of a language."""
        needs = [-inf if number in self.exhausted else self._need(number) for number in range(len(self.indexes))]
        if self.window is None:
            return _argmax(needs)
        number = self._choose_rarely_chosen(needs, self.window)
        self.recent.append(number)
        return number

    def _choose_rarely_chosen(self, needs: list[float], window: int) -> int:
        """Return the greatest need among the languages that were not chosen too often in the window."""
        open_to_choice = set(range(len(needs)))
        while open_to_choice:
            # subtle: as in the library, the first language if all languages that are open to choice are exhausted.
            number = _argmax([need if i in open_to_choice else -inf for i, need in enumerate(needs)])
            if self.recent.count(number) / window <= self.threshold:
                return number
            if number not in open_to_choice:
                return _argmax(needs)  # the library never ends here
            open_to_choice.remove(number)
        return number

    def exhaust(self, number: int) -> None:
        """Note that a language has no pair left.

        Raises:
            ValueError: this was known; without a window, the library would choose the language forever.
        """
        if number in self.exhausted and self.window is None:
            empty = [i for i, index in enumerate(self.indexes) if not index.initial_length]
            raise ValueError(
                f"the languages {empty} have no words, so their compression rates are not numbers, and the other "
                "languages have no pairs left; the library never ends here; leave out these languages"
            )
        self.exhausted.add(number)

    def _need(self, number: int) -> float:
        index = self.indexes[number]
        if self.ratio is None:
            return index.length
        rate = index.initial_length / index.length if index.length else nan
        return -(rate / self.ratio[number])


def _argmax(values: Sequence[float]) -> int:
    """Return the first index of the greatest value; 0 if none is greater than -inf. NaN is never the greatest."""
    best, best_value = 0, -inf
    for number, value in enumerate(values):
        if value > best_value:
            best, best_value = number, value
    return best


def dev_index(table: SymbolTable, words: Mapping[str, int]) -> LanguageIndex:
    """Return the index of dev words, without those that have a symbol that is not in the table."""
    known = {}
    for word, count in words.items():
        last = len(word) - 1
        symbols = (
            (character, table.prefix * (place > 0) + character + table.suffix * (place == last))
            for place, character in enumerate(word)
        )
        if all(character in table.ids and symbol in table.ids for character, symbol in symbols):
            known[word] = count
    return LanguageIndex(table, table.split(known), list(known.values()), any_length=True)


def _check(
    languages: Sequence[Any], dev: Sequence[Any], ratio: Sequence[float] | None, window: int | None, alpha: float
) -> None:
    if not languages:
        raise ValueError("languages is empty; give the word counts of at least one language")
    for name, values in (("ratio", ratio), ("dev", dev or None)):
        if values is not None and len(values) != len(languages):
            raise ValueError(f"{name} length ({len(values)}) does not match number of languages ({len(languages)})")
    if window is not None and not (window > 0 and isfinite(alpha) and alpha > 0):
        raise ValueError(
            f"window_size={window}, alpha={alpha}: window_size must be > 0, and alpha must be a positive finite number"
        )
    for number, value in enumerate(ratio or ()):
        if not (isfinite(value) and value > 0):
            raise ValueError(f"ratio[{number}] must be a positive finite number (got {value:g})")
