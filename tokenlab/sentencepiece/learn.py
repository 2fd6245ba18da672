"""The pieces of each type of model, with their scores: what training comes down to.

Adds: from a corpus to pieces, most wanted first. A score is a log probability, or, in a bpe model, minus the place.

Source: google/sentencepiece, src/{unigram,bpe,word,char}_model_trainer.cc.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.util import find_spec
from math import inf, log
from typing import TypeAlias

from tokenlab.algorithms.unigram_seed import seed_scores
from tokenlab.sentencepiece.corpus import Corpus
from tokenlab.sentencepiece.model import BPE, CHAR, UNIGRAM, WORD
from tokenlab.sentencepiece.pieces_allowed import RARE, Allowed
from tokenlab.sentencepiece.train_bpe import train_bpe
from tokenlab.sentencepiece.unigram import Single

Scored: TypeAlias = list[tuple[str, float]]

LESS = 0.0001  # src/unigram_model_trainer.cc: by so much characters that are never used differ


def unigram_pieces(corpus: Corpus, size: int) -> Scored:
    """Pieces with the log probabilities that expectation maximization finds, the most probable first."""
    spec = corpus.spec
    words = corpus.stretches()
    # As in the library, what occurs twice is looked for in whole sentences, and only then are words apart.
    seed = seed_scores(corpus.stretches(whole=True), spec.seed_sentencepiece_size, spec.max_sentencepiece_length)
    allowed = Allowed(spec)
    learned = _train_unigram()(
        words,
        size,
        seed={piece: score for piece, score in seed.items() if allowed(piece)},
        sub_iterations=spec.num_sub_iterations,
        shrinking_factor=spec.shrinking_factor,
    )
    found = dict(learned)
    lowest = min(found.values(), default=0.0)
    for number, character in enumerate(c for c in corpus.characters if c not in learned):
        found[character] = lowest + LESS * number
    in_order = sorted(found.items(), key=lambda entry: (-Single(entry[1]), entry[0]))
    kept = [entry for entry in in_order if entry[0] not in corpus.characters][: size - len(corpus.characters)]
    return [entry for entry in in_order if entry[0] in corpus.characters or entry in kept]


def _train_unigram() -> Callable[..., Mapping[str, float]]:
    """The quick trainer where numpy is installed; both learn the same."""
    if find_spec("numpy"):
        from tokenlab.algorithms.unigram_train_arrays import train_arrays

        return train_arrays
    from tokenlab.algorithms.unigram_train import train

    return train


def bpe_pieces(corpus: Corpus, size: int) -> Scored:
    """The merged pieces in their order, then the characters, the most frequent first; each scores minus its place."""
    merged = train_bpe(corpus.stretches(), size - len(corpus.characters), Allowed(corpus.spec))
    return [(piece, -float(place)) for place, piece in enumerate([*merged, *_frequent_first(corpus.characters)])]


def word_pieces(corpus: Corpus, size: int) -> Scored:
    """The most frequent words."""
    words = corpus.words()
    found = _shares(words, sum(words.values()))
    return _enough([entry for entry in found if RARE not in entry[0]], corpus, size)


def char_pieces(corpus: Corpus, size: int) -> Scored:
    """The most frequent characters."""
    return _enough(_shares(corpus.characters, sum(corpus.characters.values())), corpus, size)


def _enough(found: Scored, corpus: Corpus, size: int) -> Scored:
    return found if corpus.spec.use_all_vocab else found[:size]


def _shares(counts: Mapping[str, int], total: int) -> Scored:
    """The logarithm of each one's share, with numbers of 32 bits."""
    whole = Single(log(Single(total)))
    logs = {piece: log(Single(count)) if count else -inf for piece, count in counts.items()}
    return [(piece, Single(logs[piece]) + -whole) for piece in _frequent_first(counts)]


def _frequent_first(counts: Mapping[str, int]) -> list[str]:
    return sorted(counts, key=lambda one: (-counts[one], one))


LEARN: dict[int, Callable[[Corpus, int], Scored]] = {
    UNIGRAM: unigram_pieces,
    BPE: bpe_pieces,
    WORD: word_pieces,
    CHAR: char_pieces,
}
