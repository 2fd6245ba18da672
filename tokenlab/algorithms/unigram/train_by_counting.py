"""Training Unigram without re-estimation: count all substrings once, and remove those that raise the loss least.

Adds: the simple training that many tutorials teach. A piece's probability is its share of all counted occurrences, and
the loss of removing a piece is exact: all words are segmented again without it.
Leaves out: expectation maximization. A count is never corrected, although `his` is counted in every `This`, which is
the piece actually used; and the time grows with the number of words times the number of pieces.
Source: the Hugging Face course, chapter 6.7, "Unigram tokenization"; some of its numbers are wrong, these are computed.

>>> print(train_by_counting.record({"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}, vocab_size=12, removed=0.2))
1. 15 pieces give the loss 169.8; it rises least, by 0.00, without bu; 3 pieces removed: bu, gs, hu
2. 12 pieces are left, the requested number
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Mapping
from typing import Any, AnyStr, Generic

from tokenlab.algorithms.bpe.train import check_vocab_size
from tokenlab.algorithms.unigram.seed import character_counts
from tokenlab.algorithms.unigram.training_state import Words, check_fraction, check_words
from tokenlab.algorithms.unigram.viterbi import viterbi
from tokenlab.algorithms.unigram.vocabulary import Vocabulary, log_probabilities, log_probability
from tokenlab.printing.errors import check_integer
from tokenlab.printing.printable import Parts, SymbolPart, count_noun, symbol_parts
from tokenlab.steps.recording import step, stepwise


@step
class PiecesRemoved(Generic[AnyStr]):
    """The loss, its increase without each piece, and the removed pieces: those with the smallest increases."""

    loss: float
    loss_increases: dict[AnyStr, float]
    removed: tuple[AnyStr, ...]
    size: int

    def sentence(self) -> Parts:
        """Say without which piece the loss rises least, and which pieces are removed."""
        cheapest = min(self.loss_increases, key=lambda piece: (self.loss_increases[piece], piece))
        loss = f"{count_noun(self.size, 'piece')} give the loss {self.loss:.1f}; it rises least, by "
        rises = f"{self.loss_increases[cheapest]:.2f}, without "
        removed = f"; {count_noun(len(self.removed), 'piece')} removed: "
        return [loss + rises, SymbolPart(cheapest), removed, *symbol_parts(self.removed, between=", ", most=5)]


@step
class TargetReached:
    """Enough pieces have been removed."""

    size: int
    target_size: int

    def __str__(self) -> str:
        requested = "the requested number" if self.size == self.target_size else f"of {self.target_size:,} requested"
        return f"{count_noun(self.size, 'piece')} are left, {requested}"


@stepwise
def train_by_counting(
    word_counts: Words, vocab_size: int, seed_size: int = 300, removed: float = 0.1, whole_words: bool = False
) -> Generator[PiecesRemoved[Any] | TargetReached, None, dict[Any, float]]:
    """Learn a vocabulary with log probabilities from substring counts that are computed once.

    Args:
        word_counts: the count of each word.
        vocab_size: the number of pieces, including the alphabet.
        seed_size: the number of pieces before the first round, including the characters.
        removed: the fraction of the pieces that a round removes.
        whole_words: whether a whole word is a piece of the seed even if it is part of no other word.

    Raises:
        ValueError, TypeError: as `train.train`.
    """
    words = check_words(word_counts)
    size = check_vocab_size(vocab_size, character_counts(words))
    check_fraction("removed", removed)
    counts = seed_counts(words, check_integer("seed_size", seed_size, at_least=0), whole_words)
    while len(counts) > size:
        vocabulary = log_probabilities(counts)
        loss_increases = {piece: loss_increase(words, vocabulary, piece) for piece in vocabulary if len(piece) > 1}
        number = min(len(loss_increases), max(1, int(len(counts) * removed)), len(counts) - size)
        gone = tuple(sorted(loss_increases, key=lambda piece: (loss_increases[piece], piece))[:number])
        yield PiecesRemoved(loss(words, vocabulary), loss_increases, gone, len(counts))
        counts = {piece: count for piece, count in counts.items() if piece not in gone}
    yield TargetReached(len(counts), vocab_size)
    return log_probabilities(counts)


def seed_counts(words: Mapping[AnyStr, int], seed_size: int, whole_words: bool) -> dict[AnyStr, int]:
    """Return the characters and the most frequent substrings, with their counts."""
    substrings = {piece: count for piece, count in count_substrings(words, whole_words).items() if len(piece) > 1}
    characters = character_counts(words)
    frequent = sorted(substrings, key=lambda piece: (-substrings[piece], piece))
    return characters | {piece: substrings[piece] for piece in frequent[: max(0, seed_size - len(characters))]}


def count_substrings(words: Mapping[AnyStr, int], whole_words: bool = False) -> dict[AnyStr, int]:
    """Return the count of each substring: its occurrences in every word, times the word's count.

    Args:
        words: the count of each word.
        whole_words: whether whole words are included; without them, `hug` is included because it is part of `hugs`.

    >>> counts = count_substrings({"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5})
    >>> counts["p"], sum(counts.values())
    (17, 210)
    """
    everywhere: Counter[AnyStr] = Counter()
    strict: Counter[AnyStr] = Counter()
    for word, count in words.items():
        for start in range(len(word)):
            for end in range(start + 1, len(word) + 1):
                everywhere[word[start:end]] += count
                strict[word[start:end]] += count * (end - start < len(word) or len(word) == 1)
    # subtle: `strict` decides whether a piece is included, `everywhere` gives its count: the word hug counts for `hug`.
    return {piece: count for piece, count in everywhere.items() if whole_words or strict[piece]}


def loss(words: Mapping[AnyStr, int], vocabulary: Vocabulary[AnyStr]) -> float:
    """Return the negative log-likelihood of the words, each with its best segmentation; lower is better.

    Raises:
        TypeError, ValueError: as `viterbi`.

    >>> from tokenlab.algorithms.unigram.vocabulary import log_probabilities
    >>> words = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
    >>> round(loss(words, log_probabilities(count_substrings(words))), 2)
    169.8
    """
    return -sum(count * log_probability(viterbi(word, vocabulary), vocabulary) for word, count in words.items())


def loss_increase(words: Mapping[AnyStr, int], vocabulary: Vocabulary[AnyStr], piece: AnyStr) -> float:
    """Return the increase of the loss if a piece is removed and the others keep their probabilities.

    Raises:
        TypeError, ValueError: as `viterbi`, such as for a word that the other pieces do not cover.
    """
    affected = {word: count for word, count in words.items() if piece in word}
    others = {other: value for other, value in vocabulary.items() if other != piece}
    return loss(affected, others) - loss(affected, vocabulary)
