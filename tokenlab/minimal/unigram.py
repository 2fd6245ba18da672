"""Unigram on one page: the best segmentation (Viterbi), training by expectation maximization, pruning.

Run it: python -m tokenlab.minimal.unigram "hugs and puns"
Leaves out: n-best lists, sampling, byte fallback, speed, and the seed of maximal repeats: all repeats are the seed.
Sources: Kudo 2018, section 3.2; sentencepiece, unigram_model_trainer.cc and unigram_model.cc.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from math import exp, inf, log

LONGEST = 16  # characters of a piece
UNKNOWN = 10.0  # the log probability of an unknown character is that of the rarest piece, minus this
TEXT = "the hugs of the pug and the pun: a hug is fun, and a bun for the pug is fun too. the puns and the hugs are fun."


def edges(word: str, scores: Mapping[str, float]) -> Iterator[tuple[int, int, float]]:
    """Yield the start, end and log probability of each piece in a word, by its end; longer pieces come first.

    >>> list(edges("ab", {"a": -1.0, "ab": -2.0}))
    [(0, 1, -1.0), (0, 2, -2.0), (1, 2, -12.0)]
    """
    unknown = min(scores.values()) - UNKNOWN
    for end in range(1, len(word) + 1):
        for start in range(max(0, end - LONGEST), end):
            if word[start:end] in scores or end - start == 1:
                yield start, end, scores.get(word[start:end], unknown)


def viterbi(word: str, scores: Mapping[str, float]) -> list[str]:
    """Return the segmentation with the highest sum of log probabilities.

    >>> viterbi("hugs", {"h": -3.0, "u": -3.0, "g": -3.0, "s": -2.5, "hug": -4.0, "gs": -3.5})
    ['hug', 's']
    """
    best, start_of = [0.0] + [-inf] * len(word), [0] * (len(word) + 1)
    for start, end, score in edges(word, scores):
        if best[start] + score > best[end]:  # subtle: of equally good pieces, the longest stays
            best[end], start_of[end] = best[start] + score, start
    pieces, end = [], len(word)
    while end:
        pieces.append(word[start_of[end] : end])
        end = start_of[end]
    return pieces[::-1]


def expected_counts(word: str, scores: Mapping[str, float]) -> Mapping[str, float]:
    """Return how often each piece is expected in a word: over all segmentations, weighted by their probabilities.

    >>> {piece: round(count, 6) for piece, count in expected_counts("ab", {"a": -1.0, "b": -1.0, "ab": -2.0}).items()}
    {'a': 0.5, 'ab': 0.5, 'b': 0.5}
    """
    found = list(edges(word, scores))
    before, after = [1.0] + [0.0] * len(word), [0.0] * len(word) + [1.0]  # sums of the probabilities of paths
    for start, end, score in found:
        before[end] += before[start] * exp(score)
    for start, end, score in sorted(found, reverse=True):
        after[start] += exp(score) * after[end]
    counts: dict[str, float] = {}
    for start, end, score in found:
        share = before[start] * exp(score) * after[end] / before[-1]
        counts[word[start:end]] = counts.get(word[start:end], 0.0) + share
    return counts


def digamma(x: float) -> float:
    """Return the derivative of log gamma, near log(x - 1/2): as in sentencepiece, it lowers rare pieces.

    >>> round(digamma(1.0), 6), round(digamma(100.0) - log(99.5), 6)
    (-0.577216, 4e-06)
    """
    series = log(x) - 1 / (2 * x) - 1 / (12 * x**2) + 1 / (120 * x**4) - 1 / (252 * x**6)
    return series if x > 9 else digamma(x + 1) - 1 / x


def em_step(words: Mapping[str, int], scores: Mapping[str, float]) -> dict[str, float]:
    """Return new log probabilities from the expected counts, without the pieces that are expected too rarely."""
    counts = dict.fromkeys(scores, 0.0)
    for word, count in words.items():
        for piece, number in expected_counts(word, scores).items():
            counts[piece] += count * number
    kept = {piece: max(number, 0.5) for piece, number in counts.items() if number >= 0.5 or len(piece) == 1}
    return {piece: digamma(number) - digamma(sum(kept.values())) for piece, number in kept.items()}


def prune(words: Mapping[str, int], scores: Mapping[str, float], size: int) -> dict[str, float]:
    """Return the characters and the pieces whose removal would lower the likelihood most, `size` in all."""
    used = Counter(piece for word, count in words.items() for piece in viterbi(word, scores) * count)
    total, losses = sum(used.values()), dict[str, float]()
    for piece in (piece for piece in used if len(piece) > 1):
        others = viterbi(piece, {other: score for other, score in scores.items() if other != piece})
        after = log(total + used[piece] * (len(others) - 1))
        change = sum(log(used[other] + used[piece]) - after for other in others)
        losses[piece] = used[piece] * (log(used[piece]) - log(total) - change)
    kept = [piece for piece in scores if len(piece) == 1]
    kept += sorted(losses, key=lambda piece: -losses[piece])[: max(0, size - len(kept))]
    return {piece: scores[piece] for piece in kept}


def train(words: Mapping[str, int], vocab_size: int) -> dict[str, float]:
    """Return pieces with their log probabilities: begin with many substrings, and keep the most useful ones."""
    substrings = Counter[str]()
    for word, count in words.items():
        for start in range(len(word)):
            for end in range(start + 1, min(len(word), start + LONGEST) + 1):
                substrings[word[start:end]] += count
    kept = {piece: count * len(piece) for piece, count in substrings.items() if count > 1 or len(piece) == 1}
    scores = {piece: log(number / sum(kept.values())) for piece, number in kept.items()}
    while len(scores := em_step(words, em_step(words, scores))) > vocab_size * 1.1:
        scores = prune(words, scores, max(int(vocab_size * 1.1), int(len(scores) * 0.75)))
    ranked = sorted(scores, key=lambda piece: (len(piece) > 1, -scores[piece]))  # all characters stay
    return {piece: scores[piece] for piece in ranked[:vocab_size]}


if __name__ == "__main__":
    learned = train(Counter(f"▁{word}" for word in TEXT.split()), 40)  # "▁" is the space before a word
    print(learned, *(piece for word in sys.argv[1:] or ["the", "pugs"] for piece in viterbi(f"▁{word}", learned)))
