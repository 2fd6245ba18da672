"""One sentence tokenized at three granularities: words, characters and subwords.

Adds: each vocabulary is learned from the same corpus and applied to unseen text.

>>> print(tokenize_at_each_granularity.record("hugs hog", corpus="hug hugs pug hugs pug", merges=2))
1. into words: 2 tokens, 1 unknown, with a vocabulary of 3 words
2. into characters: 7 tokens, 1 unknown, with a vocabulary of 5 characters
3. into subwords: 5 tokens, 1 unknown, with a vocabulary of 7 subwords
"""

from __future__ import annotations

from collections.abc import Generator, Set
from functools import lru_cache
from itertools import chain

from tokenlab.algorithms.bpe.encode import encode_in_order
from tokenlab.algorithms.bpe.train import Merges, TrainingState
from tokenlab.algorithms.bpe.train_indexed import train_indexed
from tokenlab.algorithms.text.count_words import count_words
from tokenlab.algorithms.text.pretokenize import split_whitespace
from tokenlab.printing.printable import Symbol, count_noun
from tokenlab.steps.recording import step, stepwise


@step
class Tokenization:
    """A sentence as the tokens of one vocabulary; pieces that the vocabulary lacks are `unknown`."""

    kind: str
    tokens: tuple[Symbol, ...]
    unknown: frozenset[Symbol]
    vocabulary: int

    def __str__(self) -> str:
        lost = sum(token in self.unknown for token in self.tokens)
        return (
            f"into {self.kind}: {count_noun(len(self.tokens), 'token')}, {lost or 'none'} unknown, "
            f"with a vocabulary of {self.vocabulary:,} {self.kind}"
        )


@stepwise
def tokenize_at_each_granularity(sentence: str, corpus: str, merges: int = 500) -> Generator[Tokenization, None, None]:
    """Tokenize a sentence into words, characters, and the subwords that BPE learns from a corpus.

    Raises:
        ValueError: the corpus has no words.

    >>> tokenize_at_each_granularity("hugs", "hug hugs", merges=1)
    """
    words = split_whitespace.words(sentence)
    known_words, alphabet, learned = _learn(corpus, merges)
    subwords = tuple(chain.from_iterable(encode_in_order(word, learned) for word in words))
    known_subwords = alphabet.union(left + right for left, right in learned)  # type: ignore[operator]
    yield _cut("words", tuple(words), known_words)
    yield _cut("characters", tuple(chain.from_iterable(words)), alphabet)
    yield _cut("subwords", subwords, known_subwords)


def _cut(kind: str, tokens: tuple[Symbol, ...], known: Set[Symbol]) -> Tokenization:
    return Tokenization(kind, tokens, frozenset(tokens) - known, len(known))


@lru_cache(maxsize=8)
def _learn(corpus: str, merges: int) -> tuple[frozenset[Symbol], frozenset[Symbol], Merges]:
    counts = count_words(corpus)
    if not counts:
        raise ValueError("corpus has no words, so no vocabulary can be learned from it; give a text with words")
    alphabet = TrainingState(counts, vocab_size=10**9).ids
    learned = train_indexed(counts, len(alphabet) + merges)
    return frozenset(map("".join, counts)), frozenset(alphabet), learned  # type: ignore[arg-type]
