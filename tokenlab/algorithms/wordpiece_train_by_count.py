"""What Hugging Face's WordPieceTrainer does: no score; the most frequent pair is merged, as in BPE, and `##` kept.

Adds: its alphabet, which may be limited, with every character without prefix first; an index of pairs, for speed.
Leaves out: an order that cannot be repeated. In `tokenizers` the pieces `##a`, `##b` ... get their ids in the order in
which a hash map lists the words, anew in every run, and lower ids win ties: runs learn different vocabularies, of which
on the kit's English corpus 98 of 100 entries are the same. Here it is the order of the words that are given; with the
order of a live run, the vocabulary is that of the run.
Source: huggingface/tokenizers, models/wordpiece/trainer.rs and models/bpe/trainer.rs.

>>> train_by_count({"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}, vocab_size=13)[-2:]
['##ug', '##un']
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterable, Mapping, Set

from tokenlab.algorithms import bpe_start
from tokenlab.algorithms.bpe_start import WordCounts
from tokenlab.algorithms.bpe_train import Stopped
from tokenlab.algorithms.bpe_train_indexed import PairIndex
from tokenlab.algorithms.tie_break import Pair, Policy, policy_of
from tokenlab.algorithms.wordpiece_pieces import PREFIX, counts_of_pieces, join
from tokenlab.algorithms.wordpiece_train import Vocabulary, times
from tokenlab.algorithms.words import Word
from tokenlab.errors import many, whole_number
from tokenlab.steps import step, stepwise
from tokenlab.visible import Symbol, visible


@step
class MergedByCount:
    """Everywhere in the words a pair became one piece; `ties` pairs, this one among them, were as frequent."""

    pair: Pair
    piece: str
    count: int
    ties: int

    def __str__(self) -> str:
        """Say what was merged and why."""
        left, right = map(visible, self.pair)
        why = "no other pair as often"
        if self.ties > 1:
            why = f"{self.ties - 1} other pair{'s' if self.ties > 2 else ''} as often, and the tie-break chose this one"
        return f"{left} + {right} became {visible(self.piece)}: together {times(self.count)}, {why}"


@stepwise
def train_by_count(
    word_counts: WordCounts,
    vocab_size: int,
    tie_break: str | Policy = "lowest_id",
    prefix: str = PREFIX,
    min_frequency: int = 1,
    special_tokens: Iterable[str] = (),
    initial_alphabet: Iterable[str] = (),
    limit_alphabet: int | None = None,
) -> Generator[MergedByCount | Stopped, None, Vocabulary]:
    """Learn a vocabulary of `vocab_size` entries as BPE does: the most frequent pair is merged, again and again.

    Args:
        word_counts: how often each word occurs; a word is a string, or a tuple of characters.
        vocab_size: the size of the vocabulary that is wanted.
        tie_break: which of equally frequent pairs is merged; a name in `tie_break.POLICIES`, or a function.
        prefix: the mark of a piece that does not begin a word.
        min_frequency: a pair that occurs less often is not merged.
        special_tokens: entries that come first in the vocabulary and are never merged.
        initial_alphabet: characters that belong to the vocabulary even if no word has them.
        limit_alphabet: so many characters are kept, the most frequent; the others are cut out of the words.

    Raises:
        ValueError: no words, no prefix, a size that does not hold the alphabet, a policy that is not known.
        TypeError: an argument of another type.

    >>> train_by_count({"hug": 10, "pun": 12}, vocab_size=9)
    ['g', 'h', 'n', 'p', 'u', '##u', '##g', '##n', 'pu']
    """
    policy = policy_of(tie_break)
    start = Start(word_counts, vocab_size, prefix, min_frequency, special_tokens, initial_alphabet, limit_alphabet)
    index = PieceIndex(start, start.counts, policy, prefix)
    while len(index.symbols) < vocab_size:
        letters, count, ties = index.best()
        if count < start.least:
            yield Stopped(len(index.symbols), vocab_size)
            break
        pair = index.merge(letters)
        yield MergedByCount(pair, join(pair, prefix), count, ties)
    return list(map(str, index.symbols))


class Start(bpe_start.Start):
    """The words as pieces, and the vocabulary before the first merge in the order of tokenizers' trainer.

    >>> list(Start({"hug": 10, "pun": 12}, 99, limit_alphabet=2, special_tokens=["<s>"]).ids)
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
        """Check what `train_by_count` is given.

        Raises:
            ValueError, TypeError: as `train_by_count`.
        """
        special = special_tokens if isinstance(special_tokens, str) else many("special_tokens", special_tokens)
        self.counts = counts_of_pieces(word_counts, prefix)
        characters = _kept(self.counts, prefix, many("initial_alphabet", initial_alphabet), limit_alphabet)
        if limit_alphabet is not None:
            self.counts = _only(self.counts, prefix, {*characters, *special})
        super().__init__(
            self.counts,
            vocab_size,
            min_frequency=min_frequency,
            initial_alphabet=characters,
            special_tokens=special,
        )
        pieces = [piece for split in self.counts for piece in split]
        self.ids = {piece: id for id, piece in enumerate(dict.fromkeys([*special, *sorted(characters), *pieces]))}


class PieceIndex(PairIndex):
    """The index of pairs, in which a pair becomes the piece that WordPiece makes of it."""

    def __init__(self, start: bpe_start.Start, counts: Mapping[Word, int], policy: Policy, prefix: str) -> None:
        """Count the pairs of the words as they are split at the start."""
        self.prefix = prefix
        super().__init__(start, counts, policy)

    def joined(self, pair: Pair) -> Symbol:
        """The piece that a pair becomes."""
        return join(pair, self.prefix)


def _kept(counts: Mapping[Word, int], prefix: str, initial: list[str], limit: int | None) -> list[str]:
    """The characters of the alphabet: those that are asked for, then the most frequent; of equals the lower code."""
    wanted = set(initial)
    if limit is None:
        inside = {str(piece) for split in counts for piece in split[1:]}
        first = {str(piece) for split in counts for piece in split[:1]}
        return sorted({*wanted, *first, *(piece[len(prefix) :] for piece in inside)})
    frequencies: Counter[str] = Counter()
    for split, count in counts.items():
        for character in _characters(split, prefix):
            frequencies[character] += count
    best_first = sorted({*frequencies, *wanted}, key=lambda one: (one not in wanted, -frequencies[one], one))
    return best_first[: whole_number("limit_alphabet", limit, at_least=1)]


def _only(counts: Mapping[Word, int], prefix: str, kept: Set[str]) -> Counter[Word]:
    """The words without the characters that are not kept; a character inside keeps its prefix."""
    only: Counter[Word] = Counter()
    for split, count in counts.items():
        characters = zip(split, _characters(split, prefix), strict=True)
        only[tuple(piece for piece, character in characters if character in kept)] += count
    return only


def _characters(split: Word, prefix: str) -> list[str]:
    return [str(piece)[len(prefix) :] if place else str(piece) for place, piece in enumerate(split)]
