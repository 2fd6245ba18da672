"""Train BPE exactly as Hugging Face's BpeTrainer does, including its alphabet options and its queue of merges.

Adds: a limited alphabet, a continuing-subword prefix, and the queue: an entry is a pair, its count, and the words that
contained the pair when the entry was made.
Leaves out: counts of 2^31 and more, which the library stores in 32 bits. Three orders of the library change with every
run, because a hash map decides them: which of equally frequent characters `limit_alphabet` keeps (here the lower code
points), which id each character with a prefix or suffix gets (here the order of the words), and which of two entries
with the same pair and count comes first (here the older one; see `MergeQueue`).
Source: huggingface/tokenizers, models/bpe/trainer.rs.

>>> symbols, merges = train_huggingface({"hug": 10, "pug": 5, "pun": 12}, vocab_size=7)
>>> symbols, merges
(['g', 'h', 'n', 'p', 'u', 'pu', 'pun'], [('p', 'u'), ('pu', 'n')])
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from heapq import heapify, heappop, heappush, heapreplace
from itertools import count
from operator import add
from typing import TypeAlias

from tokenlab.libraries.tokenizers.trainers.training_words import Merge, SymbolTable, TrainingWords

# An entry of the queue: the negative count, the pair, and a number that makes entries distinct. The smallest is next,
# so lower ids win ties.
Entry: TypeAlias = tuple[int, str, int]
# subtle: the queue reads counts as numbers without a sign, so a negative count comes before all others.
UNSIGNED = 2**64


def train_huggingface(
    word_counts: Mapping[str, int],
    vocab_size: int,
    min_frequency: int = 0,
    special_tokens: Iterable[str] = (),
    characters: Iterable[str] | None = None,
    prefix: str = "",
    suffix: str = "",
    max_token_length: int | None = None,
) -> tuple[list[str], list[Merge]]:
    """Return the symbols in id order and the merges in rank order.

    Args:
        word_counts: the count of each word.
        vocab_size: the requested number of symbols; the alphabet and the special tokens are never truncated.
        min_frequency: a rarer pair is not merged.
        special_tokens: symbols that come first.
        characters: the alphabet, by default that of the words; other characters are removed from the words.
        prefix: begins every symbol that does not begin a word.
        suffix: ends every symbol that ends a word.
        max_token_length: a pair is merged only if the result is shorter, or has two characters.
    """
    if characters is None:
        characters = limited_alphabet(word_counts)
    table = SymbolTable(special_tokens, characters, prefix, suffix, max_token_length)
    queue = MergeQueue(table, table.split(word_counts), list(word_counts.values()))
    return table.symbols, last_occurrences(queue.merges(vocab_size, min_frequency))


def limited_alphabet(
    word_counts: Mapping[str, int], initial: Iterable[str] = (), limit: int | None = None
) -> list[str]:
    """Return the characters of the words and the initial ones, sorted; at most `limit`, the most frequent.

    The initial characters count as most frequent.

    >>> limited_alphabet({"banana": 1, "ban": 1}, initial=["z"], limit=3)
    ['a', 'n', 'z']
    """
    wanted = set(initial)
    characters = wanted.union(*word_counts)
    if limit is None or limit >= len(characters):
        return sorted(characters)
    counts: Counter[str] = Counter()
    for word, times in word_counts.items():
        for character in word:
            counts[character] += times
    best_first = sorted(characters, key=lambda one: (one not in wanted, -counts[one], one))
    return sorted(best_first[:limit])


def last_occurrences(merges: Iterable[Merge]) -> list[Merge]:
    """Return the merges without repetitions: a pair that was merged more than once has its last rank.

    >>> last_occurrences([("a", "b"), ("b", "c"), ("a", "b")])
    [('b', 'c'), ('a', 'b')]
    """
    return list(dict.fromkeys(reversed(list(merges))))[::-1]


class MergeQueue:
    """The words, the count of each pair, and the queue of merges.

    subtle: if two merges make the same symbol, as ab + c and a + bc do, a pair with that symbol can have two entries.
    Each of them merges the pair in its own words only, and the count of the pair is not reduced by its own merge.
    Counts of such pairs are therefore too high, and the pair can be merged again later.
    """

    def __init__(self, table: SymbolTable, words: list[str], frequencies: list[int]) -> None:
        self.table = table
        self.words = TrainingWords(table, words)
        self.frequencies = frequencies
        self.counts: dict[str, int] = defaultdict(int)
        where: dict[str, list[int]] = defaultdict(list)
        for number, (word, frequency) in enumerate(zip(words, frequencies, strict=True)):
            for pair in map(add, word, word[1:]):
                self.counts[pair] += frequency
                where[pair].append(number)
        self.words_of = dict(enumerate(where.values()))  # the words of each entry, by its number
        self.heap: list[Entry] = [(-self.counts[pair], pair, number) for number, pair in enumerate(where)]
        heapify(self.heap)
        self.numbers = count(len(self.heap))

    def merges(self, vocab_size: int, min_frequency: int = 0) -> Iterator[Merge]:
        """Merge until there are `vocab_size` symbols; yield each merge."""
        while len(self.table.symbols) < vocab_size:
            entry = self.pop()
            if entry is None:
                break
            minus_count, pair, number = entry
            if -minus_count < max(1, min_frequency):
                break
            self.merge(pair, self.words_of.pop(number))
            yield self.table.named(pair)

    def pop(self) -> Entry | None:
        """Return the entry with the highest count, after correcting the counts of the entries before it."""
        while self.heap:
            minus_count, pair, number = self.heap[0]
            now = -self.counts[pair]
            if now > 0:
                now -= UNSIGNED
            if minus_count == now:
                return heappop(self.heap)
            heapreplace(self.heap, (now, pair, number))
        return None

    def merge(self, pair: str, numbers: list[int]) -> None:
        """Merge the pair of an entry in the words of the entry, and add entries for the pairs that this makes."""
        counts, frequency = self.counts, self.frequencies.__getitem__
        gained: dict[str, list[int]] = defaultdict(list)
        for lost, made, where in self.words.merge(pair, self.table.merge(pair), dict.fromkeys(numbers)):
            times = sum(map(frequency, where))
            counts[lost] -= times
            if made:
                counts[made] += times
                gained[made] += where
        for made, where in gained.items():
            if counts[made] > 0:
                number = next(self.numbers)
                self.words_of[number] = where
                heappush(self.heap, (-counts[made], made, number))
