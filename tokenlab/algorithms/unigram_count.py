"""Training Unigram without re-estimating: count all substrings once, and remove those that the loss does not miss.

Adds: the simple training that many tutorials teach. A piece's probability is its share of all counted occurrences, and
the loss of a piece is the exact one: all words are cut again without it.
Leaves out: expectation maximization. A count is never corrected, though `his` stands in every `This`, which wins; and
the time grows with words times pieces.
Source: the Hugging Face course, chapter 6.7, "Unigram tokenization"; some of its numbers are wrong, these are computed.

>>> print(train_by_counting.record({"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}, vocab_size=12, removed=0.2))
1. 15 pieces, loss 169.8: without bu it rises by 0.00; 3 pieces removed: bu, gs, hu
2. 12 pieces are left, as many as were asked for
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Mapping

from tokenlab.algorithms.unigram_seed import alphabet_of
from tokenlab.algorithms.unigram_stages import pieces
from tokenlab.algorithms.unigram_start import Words, checked_size, share, words_of
from tokenlab.algorithms.unigram_vocabulary import Vocabulary, log_probabilities, log_probability
from tokenlab.algorithms.viterbi import viterbi
from tokenlab.errors import whole_number
from tokenlab.steps import step, stepwise
from tokenlab.visible import visible


@step
class Removed:
    """The loss, by how much it rises without each piece, and the pieces that went: those that the loss misses least."""

    loss: float
    rises: dict[str, float]
    removed: tuple[str, ...]
    size: int

    def __str__(self) -> str:
        """Say what the cheapest piece costs, and which went."""
        cheapest = min(self.rises, key=lambda piece: (self.rises[piece], piece))
        shown = ", ".join(map(visible, self.removed[:5])) + (" ..." if len(self.removed) > 5 else "")
        return (
            f"{pieces(self.size)}, loss {self.loss:.1f}: without {visible(cheapest)} it rises by "
            f"{self.rises[cheapest]:.2f}; {pieces(len(self.removed))} removed: {shown}"
        )


@step
class Ready:
    """Enough pieces have been removed."""

    size: int
    wanted: int

    def __str__(self) -> str:
        """Say how many are left."""
        few = "as many as were asked for" if self.size == self.wanted else f"of {self.wanted:,} that were asked for"
        return f"{pieces(self.size)} are left, {few}"


@stepwise
def train_by_counting(
    word_counts: Words, vocab_size: int, seed_size: int = 300, removed: float = 0.1, whole_words: bool = False
) -> Generator[Removed | Ready, None, dict[str, float]]:
    """Learn a vocabulary with log probabilities from counts of substrings that are made once.

    Args:
        word_counts: how often each word occurs.
        vocab_size: how many pieces are wanted, the alphabet among them.
        seed_size: how many pieces there are before the first round, the characters among them.
        removed: the share of the pieces that a round removes.
        whole_words: whether a whole word is a piece of the seed even if it is part of no other.

    Raises:
        ValueError, TypeError: as `unigram_train.train`.
    """
    words = words_of(word_counts)
    size = checked_size(vocab_size, alphabet_of(words))
    share("removed", removed)
    counts = seed_counts(words, whole_number("seed_size", seed_size, at_least=0), whole_words)
    while len(counts) > size:
        vocabulary = log_probabilities(counts)
        rises = {piece: rise(words, vocabulary, piece) for piece in vocabulary if len(piece) > 1}
        number = min(len(rises), max(1, int(len(counts) * removed)), len(counts) - size)
        gone = tuple(sorted(rises, key=lambda piece: (rises[piece], piece))[:number])
        yield Removed(loss(words, vocabulary), rises, gone, len(counts))
        counts = {piece: count for piece, count in counts.items() if piece not in gone}
    yield Ready(len(counts), vocab_size)
    return log_probabilities(counts)


def seed_counts(words: Mapping[str, int], seed_size: int, whole_words: bool) -> dict[str, int]:
    """The characters and the most frequent substrings, with their counts."""
    substrings = {piece: count for piece, count in count_substrings(words, whole_words).items() if len(piece) > 1}
    characters = alphabet_of(words)
    frequent = sorted(substrings, key=lambda piece: (-substrings[piece], piece))
    return characters | {piece: substrings[piece] for piece in frequent[: max(0, seed_size - len(characters))]}


def count_substrings(words: Mapping[str, int], whole_words: bool = False) -> dict[str, int]:
    """How often each substring occurs: every occurrence in every word, times the word's count.

    Args:
        words: how often each word occurs.
        whole_words: whether whole words count as well; without them, `hug` counts because it is a part of `hugs`.

    >>> counts = count_substrings({"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5})
    >>> counts["p"], sum(counts.values())
    (17, 210)
    """
    everywhere: Counter[str] = Counter()
    strict: Counter[str] = Counter()
    for word, count in words.items():
        for start in range(len(word)):
            for end in range(start + 1, len(word) + 1):
                everywhere[word[start:end]] += count
                strict[word[start:end]] += count * (end - start < len(word) or len(word) == 1)
    # subtle: whether a piece is there and how often it counts are two questions: `hug` counts in the word hug, too.
    return {piece: count for piece, count in everywhere.items() if whole_words or strict[piece]}


def loss(words: Mapping[str, int], vocabulary: Vocabulary) -> float:
    """The sum of all words' negative log probabilities, each word cut in the best way; small is good.

    >>> from tokenlab.algorithms.unigram_vocabulary import log_probabilities
    >>> words = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
    >>> round(loss(words, log_probabilities(count_substrings(words))), 2)
    169.8
    """
    return -sum(count * log_probability(viterbi(word, vocabulary), vocabulary) for word, count in words.items())


def rise(words: Mapping[str, int], vocabulary: Vocabulary, piece: str) -> float:
    """By how much the loss rises if a piece is removed and the others keep their probabilities."""
    concerned = {word: count for word, count in words.items() if piece in word}
    others = {other: value for other, value in vocabulary.items() if other != piece}
    return loss(concerned, others) - loss(concerned, vocabulary)
