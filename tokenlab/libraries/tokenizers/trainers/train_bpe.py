"""Train BPE exactly as Hugging Face's BpeTrainer does, including its alphabet options and its queue of merges.

Adds: a limited alphabet, a continuing-subword prefix, and the queue: an entry is a pair, its count, and the words that
contained the pair when the entry was made; and the length of each occurrence of a symbol, in characters of the text.
Two occurrences of one symbol have different lengths if the text contains the prefix or suffix: with the suffix "b",
"ab" is one character at the end of "a", and two in "abc".
Leaves out: counts of 2^31 and more, which the library stores in 32 bits. Three orders of the library change with every
run, because a hash map decides them: which of equally frequent characters `limit_alphabet` keeps (here the lower code
points), which id each character with a prefix or suffix gets (here the order of the words), and which of two entries
with the same pair and count comes first (here the older one; see `MergeQueue`).
Source: huggingface/tokenizers, models/bpe/trainer.rs and models/bpe/word.rs.

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

from tokenlab.algorithms.bpe.train_indexed import merge_in_words

Merge: TypeAlias = tuple[str, str]
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
        self.counts, where = self.words.pairs(frequencies)
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


class SymbolTable:
    """The symbols by id. For speed, the symbol with id `i` is the character `chr(i)` in words and pairs."""

    def __init__(
        self,
        special_tokens: Iterable[str],
        characters: Iterable[str],
        prefix: str = "",
        suffix: str = "",
        max_token_length: int | None = None,
    ) -> None:
        self.symbols = list(dict.fromkeys([*special_tokens, *characters]))
        self.ids = {symbol: id for id, symbol in enumerate(self.symbols)}
        self.prefix, self.suffix = prefix, suffix
        self.max_token_length = max_token_length
        # The length in characters, without prefix and suffix, that each symbol had when it was first made.
        self.lengths: dict[str, int] = defaultdict(lambda: 1)
        self.two_lengths = False  # whether a symbol was made with another length

    def split(self, words: Iterable[str]) -> list[str]:
        """Return each word as a string of ids, without the characters that are not in the table.

        >>> table = SymbolTable(["<s>"], ["a", "b"], prefix="##")
        >>> table.split(["aba", "acb"]), table.symbols
        (['\\x01\\x03\\x04', '\\x01\\x03'], ['<s>', 'a', 'b', '##b', '##a'])
        """
        known = {character: chr(id) for character, id in self.ids.items() if len(character) == 1}
        if not self.prefix and not self.suffix:
            letters = {ord(character): letter for character, letter in known.items()}
            return [word.translate(letters) for word in _only(words, known.keys())]
        split = []
        for word in words:
            last = len(word) - 1
            # subtle: a removed character is still the first or the last one of its word.
            parts = [
                self.prefix * (place > 0) + character + self.suffix * (place == last)
                for place, character in enumerate(word)
                if character in known
            ]
            split.append("".join(map(self.letter, parts)))
        self.lengths.update(dict.fromkeys("".join(split), 1))
        return split

    def letter(self, symbol: str) -> str:
        """Return the character whose code is the id of a symbol; a new symbol gets the next id."""
        id = self.ids.get(symbol)
        if id is None:
            id = self.ids[symbol] = len(self.symbols)
            self.symbols.append(symbol)
        return chr(id)

    def merge(self, pair: str) -> str:
        """Return the character of the merged symbol of a pair.

        >>> table = SymbolTable([], ["a", "b"], suffix="b")
        >>> table.split(["a", "ab"]), table.symbols
        (['\\x02', '\\x00\\x03'], ['a', 'b', 'ab', 'bb'])
        >>> table.merge("\\x00\\x01"), table.lengths["\\x02"], table.two_lengths
        ('\\x02', 1, True)
        """
        left, right = self.named(pair)
        merged = self.letter(left + right.removeprefix(self.prefix))
        length = self.lengths[pair[0]] + self.lengths[pair[1]]
        self.two_lengths |= self.lengths.setdefault(merged, length) != length
        return merged

    def named(self, pair: str) -> Merge:
        """Return the two symbols of a pair."""
        return self.symbols[ord(pair[0])], self.symbols[ord(pair[1])]

    def may_merge(self, pair: str) -> bool:
        """Whether a pair that a merge has made may be merged itself."""
        # subtle: shorter than the maximum; only two single characters may be merged in any case.
        return self.max_token_length is None or self.lengths[pair[0]] + self.lengths[pair[1]] < self.max_token_length


def _only(words: Iterable[str], known: Iterable[str]) -> Iterator[str]:
    """Yield the words without the characters that are not known."""
    kept = set(known)
    for word in words:
        yield word if kept.issuperset(word) else "".join(filter(kept.__contains__, word))


# The pair that a merge has removed, the pair that it has made ("" if that is too long), and the numbers of the words.
Change: TypeAlias = tuple[str, str, list[int]]


class TrainingWords:
    """Words as strings of ids, as `SymbolTable.split` returns them.

    subtle: a pair that is too long is not counted when it is made, but subtracted when it is removed. Its count is too
    low, or negative, if other occurrences of the pair are shorter.

    Args:
        table: the symbols.
        words: the words.
        any_length: ignore the maximum length of the table.

    >>> table = SymbolTable([], "abcd", max_token_length=4)
    >>> a, b, c, d = table.split("abcd")
    >>> words = TrainingWords(table, table.split(["abc", "abd", "bab"]))
    >>> ab = table.merge(a + b)
    >>> words.merge(a + b, ab, [0, 2]) == [(b + a, b + ab, [2]), (b + c, ab + c, [0])]
    True
    """

    def __init__(self, table: SymbolTable, words: list[str], any_length: bool = False) -> None:
        self.table = table
        self.strings = words
        self.measured: list[MeasuredWord] = []
        self.any_length = any_length or table.max_token_length is None

    def pairs(self, frequencies: list[int]) -> tuple[dict[str, int], dict[str, list[int]]]:
        """Return the count of each pair, and the numbers of the words that contain it, once for each occurrence."""
        counts: dict[str, int] = defaultdict(int)
        where: dict[str, list[int]] = defaultdict(list)
        for number, (word, frequency) in enumerate(zip(self.strings, frequencies, strict=True)):
            for pair in map(add, word, word[1:]):
                counts[pair] += frequency
                where[pair].append(number)
        return counts, where

    def size(self, number: int) -> int:
        """Return the number of symbols of a word."""
        return len(self.measured[number].symbols if self.measured else self.strings[number])

    def merge(self, pair: str, new: str, numbers: Iterable[int]) -> list[Change]:
        """Merge a pair in the words with these numbers."""
        if self.table.two_lengths and not self.any_length:
            return self._merge_measured(pair, new, numbers)
        left, right = pair[0], pair[1]
        before, after, doubled = merge_in_words(self.strings, numbers, pair, new)
        changes = [(neighbor + left, neighbor + new, where) for neighbor, where in before.items()]
        changes += [(right + neighbor, new + neighbor, where) for neighbor, where in after.items()]
        if doubled:
            # subtle: the merge of the first pair makes new + left, and that of the second removes it.
            changes += [(right + left, new + left, doubled), (new + left, new + new, doubled)]
        if self.any_length:
            return changes
        return [(lost, made if self.table.may_merge(made) else "", where) for lost, made, where in changes]

    def _merge_measured(self, pair: str, new: str, numbers: Iterable[int]) -> list[Change]:
        """Do the same much more slowly, with the length of each occurrence of a symbol."""
        if not self.measured:
            self.measured = [MeasuredWord(word, map(self.table.lengths.__getitem__, word)) for word in self.strings]
        limit = self.table.max_token_length or 0
        return [
            (lost, made, [number]) for number in numbers for lost, made in self.measured[number].merge(pair, new, limit)
        ]


class MeasuredWord:
    """The symbols of a word, and their lengths.

    >>> word = MeasuredWord("xaby", [1, 1, 1, 2])
    >>> word.merge("ab", "c", limit=4), word.symbols, word.lengths
    ([('xa', 'xc'), ('by', '')], ['x', 'c', 'y'], [1, 2, 2])
    """

    def __init__(self, symbols: Iterable[str], lengths: Iterable[int]) -> None:
        self.symbols = list(symbols)
        self.lengths = list(lengths)

    def merge(self, pair: str, new: str, limit: int) -> list[tuple[str, str]]:
        """Merge a pair from left to right; return each removed pair, with the pair made if it is below the limit."""
        symbols, lengths = self.symbols, self.lengths
        changes: list[tuple[str, str]] = []
        place = 0
        while place < len(symbols) - 1:
            if symbols[place] + symbols[place + 1] == pair:
                symbols[place : place + 2] = [new]
                lengths[place : place + 2] = [lengths[place] + lengths[place + 1]]
                if place > 0:
                    short = lengths[place - 1] + lengths[place] < limit
                    changes.append((symbols[place - 1] + pair[0], symbols[place - 1] + new if short else ""))
                if place < len(symbols) - 1:
                    short = lengths[place] + lengths[place + 1] < limit
                    changes.append((pair[1] + symbols[place + 1], new + symbols[place + 1] if short else ""))
            place += 1
        return changes
