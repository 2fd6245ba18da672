"""Train WordPiece as Hugging Face's WordPieceTrainer does: merge the most frequent pair, as in BPE, and keep `##`.

Adds: its alphabet, which can be limited and lists every character without prefix first; an index of pairs, for speed.
Leaves out: an order that is not reproducible. In `tokenizers` the symbols `##a`, `##b` ... get their ids in the order
in which a hash map lists the words, which changes with every run, and lower ids win ties. Runs therefore learn
different vocabularies; on the kit's English corpus 98 of 100 entries agree. Here the order is that of the given words;
with the word order of a live run, the vocabulary is that of the run. Also left out: if different merges make one
symbol, as in words that contain the prefix, `tokenizers` keeps the count of a merged pair, and may merge a pair in some
words only; here the counts are those of the words.
Source: huggingface/tokenizers, models/wordpiece/trainer.rs and models/bpe/trainer.rs.

>>> train_by_frequency({"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}, vocab_size=13)[-2:]
['##ug', '##un']
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterable, Mapping, Set
from typing import Any, Unpack

from tokenlab.algorithms.bpe import train as bpe_training_state
from tokenlab.algorithms.bpe.tie_break import Pair, Policy, first_seen, get_policy
from tokenlab.algorithms.bpe.train import Stopped, TrainingProgress, WordCounts
from tokenlab.algorithms.bpe.train_indexed import PairIndex
from tokenlab.algorithms.text.count_words import Word
from tokenlab.algorithms.wordpiece.pieces import PREFIX, Options, TrainingState, count_split_words, join
from tokenlab.algorithms.wordpiece.train import Vocabulary
from tokenlab.printing.errors import as_list, check_integer
from tokenlab.printing.printable import Parts, Symbol, count_noun, merge_parts, times
from tokenlab.steps.recording import step, stepwise


@step
class MergedByFrequency:
    """A pair was merged in all words; `ties` pairs, including this one, had the same count."""

    pair: Pair
    symbol: str
    count: int
    ties: int

    def sentence(self) -> Parts:
        """Name the merge, and say why this pair was merged."""
        why = "more often than any other pair"
        if self.ties > 1:
            why = f"as often as {count_noun(self.ties - 1, 'other pair')}, and the tie-break chose this one"
        return [*merge_parts(self.pair, self.symbol), f": the pair occurred {times(self.count)}, {why}"]

    def apply(self, progress: TrainingProgress) -> None:
        """Merge the pair in all words."""
        progress.merge(self.pair, self.symbol)


class FrequencyOptions(Options, total=False):
    """Training options besides words, size and tie-break."""

    initial_alphabet: Iterable[str]  # characters in the vocabulary even if no word contains them
    limit_alphabet: int | None  # the number of characters to keep, the most frequent ones; others leave the words


@stepwise
def train_by_frequency(
    word_counts: WordCounts, vocab_size: int, tie_break: str | Policy = "lowest_id", **options: Unpack[FrequencyOptions]
) -> Generator[MergedByFrequency | Stopped, None, Vocabulary]:
    """Learn a vocabulary of `vocab_size` entries as BPE does: repeatedly merge the most frequent pair.

    Args:
        word_counts: the count of each word; a word is a string, or a tuple of characters.
        vocab_size: the requested vocabulary size.
        tie_break: decides which of equally frequent pairs is merged; a name in `tie_break.POLICIES`, or a function.
        options: see `pieces.Options` and `FrequencyOptions`.

    Raises:
        ValueError: there are no words, the prefix is empty, vocab_size is smaller than the alphabet, or the policy is
            unknown.
        TypeError: an argument has the wrong type.

    >>> train_by_frequency({"hug": 10, "pun": 12}, vocab_size=9)
    ['g', 'h', 'n', 'p', 'u', '##u', '##g', '##n', 'pu']
    """
    policy = get_policy(tie_break)
    start = FrequencyTrainingState(word_counts, vocab_size, **options)
    index = PieceIndex(start, start.counts, policy)
    while len(index.symbols) < vocab_size:
        key, count, ties = index.best()
        if count < start.min_frequency:
            yield Stopped(len(index.symbols), vocab_size)
            break
        pair = index.merge(key)
        yield MergedByFrequency(pair, join(pair, start.prefix), count, ties)
    return list(map(str, index.symbols))


class FrequencyTrainingState(bpe_training_state.TrainingState):
    """The words as symbols, and the initial vocabulary in the order of tokenizers' trainer.

    >>> list(FrequencyTrainingState({"hug": 10, "pun": 12}, 99, limit_alphabet=2, special_tokens=["<s>"]).ids)
    ['<s>', 'n', 'u', '##u', '##n']
    """

    def __init__(
        self,
        word_counts: WordCounts,
        vocab_size: int,
        prefix: str = PREFIX,
        min_frequency: int = 1,
        special_tokens: Iterable[str] = (),
        initial_alphabet: Iterable[str] = (),
        limit_alphabet: int | None = None,
    ) -> None:
        special = special_tokens if isinstance(special_tokens, str) else as_list("special_tokens", special_tokens)
        self.prefix = prefix
        self.counts = count_split_words(word_counts, prefix)
        characters = _alphabet(self.counts, prefix, as_list("initial_alphabet", initial_alphabet), limit_alphabet)
        if limit_alphabet is not None:
            self.counts = _only(self.counts, prefix, {*characters, *special})
        super().__init__(
            self.counts, vocab_size, min_frequency=min_frequency, initial_alphabet=characters, special_tokens=special
        )
        symbols = [symbol for split in self.counts for symbol in split]
        self.ids = {symbol: id for id, symbol in enumerate(dict.fromkeys([*special, *sorted(characters), *symbols]))}


class PieceIndex(PairIndex):
    """An index of pairs that merges by WordPiece's rule."""

    start: TrainingState | FrequencyTrainingState

    def joined(self, pair: Pair) -> Symbol:
        """Return the merged symbol of a pair."""
        return join(pair, self.start.prefix)

    def _exact_key(self, pair: str) -> Any:
        key = super()._exact_key(pair)
        if self.policy is not first_seen:
            return key
        # subtle: a merge removes a prefix, and the key must never decrease, so the offset is that in the text.
        number, offset = key
        prefixes = max(0, self.words[number].index(pair) - 1)
        return number, offset - prefixes * len(self.start.prefix)


def _alphabet(counts: Mapping[Word, int], prefix: str, initial: list[str], limit: int | None) -> list[str]:
    """Characters of the alphabet: the requested ones, then the most frequent; the lower code point wins ties."""
    wanted = set(initial)
    if limit is None:
        inside = {str(symbol) for split in counts for symbol in split[1:]}
        first = {str(symbol) for split in counts for symbol in split[:1]}
        return sorted({*wanted, *first, *(symbol[len(prefix) :] for symbol in inside)})
    frequencies: Counter[str] = Counter()
    for split, count in counts.items():
        for character in _characters(split, prefix):
            frequencies[character] += count
    best_first = sorted({*frequencies, *wanted}, key=lambda one: (one not in wanted, -frequencies[one], one))
    return best_first[: check_integer("limit_alphabet", limit, at_least=1)]


def _only(counts: Mapping[Word, int], prefix: str, kept: Set[str]) -> Counter[Word]:
    """Remove the characters that are not kept; a character inside a word keeps its prefix."""
    only: Counter[Word] = Counter()
    for split, count in counts.items():
        characters = zip(split, _characters(split, prefix), strict=True)
        only[tuple(symbol for symbol, character in characters if character in kept)] += count
    return only


def _characters(split: Word, prefix: str) -> list[str]:
    return [str(symbol)[len(prefix) :] if place else str(symbol) for place, symbol in enumerate(split)]
