"""Unigram on one page: the best segmentation (Viterbi), training by expectation maximization, pruning.

Run it: python -m tokenlab.minimal.unigram "hugs and puns"
Leaves out: n-best lists, sampling, byte fallback, speed, and the seed of maximal repeats: all repeats are the seed.
Sources: Kudo 2018, section 3.2; sentencepiece, unigram_model_trainer.cc and unigram_model.cc.
"""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from math import exp, inf, log, log1p

LONGEST, UNKNOWN = 16, 10.0  # characters of a piece; how far an unknown character is below the rarest piece
TEXT = "the hugs of the pug and the pun: a hug is fun, and a bun for the pug is fun too. the puns and the hugs are fun."


def edges(word: str, scores: Mapping[str, float]) -> Iterator[tuple[int, int, float]]:
    """Yield the start, end and log probability of each piece in a word, by its end; longer pieces come first."""
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
        if best[start] + score > best[end]:  # subtle: of equally good paths, that with the longest last piece
            best[end], start_of[end] = best[start] + score, start
    pieces, end = [], len(word)
    while end:
        pieces.append(word[start_of[end] : end])
        end = start_of[end]
    return pieces[::-1]


def log_add(a: float, b: float) -> float:
    """Return log(e^a + e^b), also where e^a and e^b are too small for a float."""
    return max(a, b) if -inf in (a, b) else max(a, b) + log1p(exp(-abs(a - b)))


def expected_counts(word: str, scores: Mapping[str, float]) -> dict[str, float]:
    """Return how often each piece is expected in a word: over all segmentations, weighted by their probabilities.

    >>> {piece: round(count, 6) for piece, count in expected_counts("ab", {"a": -1.0, "b": -1.0, "ab": -2.0}).items()}
    {'a': 0.5, 'ab': 0.5, 'b': 0.5}
    """
    found, counts = list(edges(word, scores)), defaultdict[str, float](float)
    # The forward-backward algorithm: the log of the summed probabilities of all paths to, and from, each position.
    forward, backward = [0.0] + [-inf] * len(word), [-inf] * len(word) + [0.0]
    for start, end, score in found:
        forward[end] = log_add(forward[end], forward[start] + score)
    for start, end, score in sorted(found, reverse=True):
        backward[start] = log_add(backward[start], score + backward[end])
    for start, end, score in found:
        counts[word[start:end]] += exp(forward[start] + score + backward[end] - forward[-1])
    return counts


def digamma(x: float) -> float:
    """Return the derivative of log gamma: near log(x - 1/2) for large counts, and far below log(x) for small ones."""
    series = log(x) - 1 / (2 * x) - 1 / (12 * x**2) + 1 / (120 * x**4) - 1 / (252 * x**6)
    return series if x > 9 else digamma(x + 1) - 1 / x


def em_step(words: Mapping[str, int], scores: Mapping[str, float]) -> dict[str, float]:
    """Return new log probabilities from the expected counts; pieces with less than 0.5 go, but no characters."""
    counts = dict.fromkeys(scores, 0.0)
    for word, count in words.items():
        for piece, number in expected_counts(word, scores).items():
            counts[piece] += count * number
    kept = {piece: max(number, 0.5) for piece, number in counts.items() if number >= 0.5 or len(piece) == 1}
    return {piece: digamma(number) - digamma(sum(kept.values())) for piece, number in kept.items()}


def prune(words: Mapping[str, int], scores: Mapping[str, float], size: int) -> dict[str, float]:
    """Return the characters, and the used pieces whose removal would lower the likelihood most: about `size`."""
    used = Counter(piece for word, count in words.items() for piece in viterbi(word, scores) * count)
    total, losses = sum(used.values()), dict[str, float]()
    for piece in (piece for piece in used if len(piece) > 1):
        others = viterbi(piece, {other: score for other, score in scores.items() if other != piece})
        new_total = log(total + used[piece] * (len(others) - 1))
        replaced = sum(log(used[other] + used[piece]) - new_total for other in others)
        losses[piece] = used[piece] * (log(used[piece]) - log(total) - replaced)
    kept = [piece for piece in scores if len(piece) == 1]
    kept += sorted(losses, key=lambda piece: -losses[piece])[: max(0, size - len(kept))]
    return {piece: scores[piece] for piece in kept}


def train(words: Mapping[str, int], vocab_size: int) -> dict[str, float]:
    """Return pieces with their log probabilities: begin with many substrings, and keep the most useful ones."""
    if vocab_size < len(set("".join(words))):
        raise ValueError(f"vocab_size={vocab_size} is smaller than the alphabet: {sorted(set(''.join(words)))}")
    substrings = Counter[str]()
    for word, count in words.items():
        for start in range(len(word)):
            for end in range(start + 1, min(len(word), start + LONGEST) + 1):
                substrings[word[start:end]] += count
    kept = {piece: count * len(piece) for piece, count in substrings.items() if count > 1 or len(piece) == 1}
    scores = {piece: log(number / sum(kept.values())) for piece, number in kept.items()}
    while len(scores := em_step(words, em_step(words, scores))) > vocab_size * 1.1:  # two EM steps, then prune
        scores = prune(words, scores, max(int(vocab_size * 1.1), int(len(scores) * 0.75)))
    ranked = sorted(scores, key=lambda piece: (len(piece) > 1, -scores[piece]))  # all characters stay
    return {piece: scores[piece] for piece in ranked[:vocab_size]}


if __name__ == "__main__":
    learned = train(Counter(f"▁{word}" for word in TEXT.split()), 40)  # "▁" is the space before a word
    print(learned)
    print(*(piece for word in " ".join(sys.argv[1:] or ["the pugs"]).split() for piece in viterbi(f"▁{word}", learned)))
