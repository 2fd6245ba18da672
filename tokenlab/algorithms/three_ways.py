"""One sentence cut in three ways: into words, into characters, and into subwords.

Adds: what each vocabulary, learned from the same corpus, makes of text that it has not seen.

>>> print(cut_three_ways.record("hugs hog", corpus="hug hugs pug hugs pug", merges=2))
1. into words: 2 tokens, 1 unknown, with a vocabulary of 3 words
2. into characters: 7 tokens, 1 unknown, with a vocabulary of 5 characters
3. into subwords: 5 tokens, 1 unknown, with a vocabulary of 7 subwords
"""

from __future__ import annotations

from collections.abc import Generator, Set
from functools import lru_cache
from itertools import chain

from tokenlab.algorithms.bpe_encode import encode_in_order
from tokenlab.algorithms.bpe_start import Start
from tokenlab.algorithms.bpe_train import Merges
from tokenlab.algorithms.bpe_train_indexed import train_indexed
from tokenlab.algorithms.split import split_whitespace
from tokenlab.algorithms.words import count_words
from tokenlab.steps import step, stepwise
from tokenlab.visible import Symbol


@step
class Cut:
    """A sentence as the tokens of one vocabulary; those it does not have are `unknown`."""

    kind: str
    tokens: tuple[Symbol, ...]
    unknown: frozenset[Symbol]
    vocabulary: int

    def __str__(self) -> str:
        """Say how long the sequence is and what got lost."""
        lost = sum(token in self.unknown for token in self.tokens)
        return (
            f"into {self.kind}: {len(self.tokens)} tokens, {lost or 'none'} unknown, "
            f"with a vocabulary of {self.vocabulary:,} {self.kind}"
        )


@stepwise
def cut_three_ways(sentence: str, corpus: str, merges: int = 500) -> Generator[Cut, None, None]:
    """Cut a sentence into words, characters, and the subwords that BPE learns from a corpus.

    Raises:
        ValueError: the corpus has no words.

    >>> cut_three_ways("hugs", "hug hugs", merges=1)
    """
    words = split_whitespace.words(sentence)
    known_words, alphabet, learned = _learn(corpus, merges)
    subwords = tuple(chain.from_iterable(encode_in_order(word, learned) for word in words))
    known_subwords = alphabet.union(left + right for left, right in learned)  # type: ignore[operator]
    yield _cut("words", tuple(words), known_words)
    yield _cut("characters", tuple(chain.from_iterable(words)), alphabet)
    yield _cut("subwords", subwords, known_subwords)


def _cut(kind: str, tokens: tuple[Symbol, ...], known: Set[Symbol]) -> Cut:
    return Cut(kind, tokens, frozenset(tokens) - known, len(known))


@lru_cache(maxsize=8)
def _learn(corpus: str, merges: int) -> tuple[frozenset[Symbol], frozenset[Symbol], Merges]:
    counts = count_words(corpus)
    alphabet = Start(counts, vocab_size=10**9).ids
    learned = train_indexed(counts, len(alphabet) + merges)
    return frozenset(map("".join, counts)), frozenset(alphabet), learned  # type: ignore[arg-type]
