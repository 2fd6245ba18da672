"""Three misconceptions about training Unigram, each as a program.

Each has the signature of the correct program: `count_substrings`, the counts of `expectation_step`, and `prune`.

>>> word_count_not_occurrences({"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5})["p"]
5
>>> hard_em({"ab": 10}, {"a": -1.0, "b": -1.0, "ab": -2.0})
{'a': 0.0, 'b': 0.0, 'ab': 10.0}
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from math import inf
from typing import AnyStr

from tokenlab.algorithms.unigram.lattice import build_trie
from tokenlab.algorithms.unigram.prune import piece_losses
from tokenlab.algorithms.unigram.train_by_counting import count_substrings
from tokenlab.algorithms.unigram.viterbi import viterbi
from tokenlab.algorithms.unigram.vocabulary import Vocabulary
from tokenlab.misconceptions.misconception import Misconception


def word_count_not_occurrences(words: Mapping[AnyStr, int], whole_words: bool = False) -> dict[AnyStr, int]:
    """Return, for each piece, the count of the first word that contains it, instead of the sum of all occurrences.

    The Hugging Face course prints 5/210 for `p`, the count of `pug`; its own table has 17.
    """
    counts: dict[AnyStr, int] = {}
    for piece in count_substrings(words, whole_words):
        counts[piece] = next(count for word, count in words.items() if piece in word)
    return counts


def hard_em(words: Mapping[AnyStr, int], vocabulary: Vocabulary[AnyStr]) -> dict[AnyStr, float]:
    """Count the pieces of each word's best segmentation, as if it were the only one."""
    trie = build_trie(vocabulary)
    counts = dict.fromkeys(vocabulary, 0.0)
    for word, count in words.items():
        for piece in viterbi(word, trie):
            counts[piece] += count
    return counts


def prune_by_prob(words: Mapping[AnyStr, int], vocabulary: Vocabulary[AnyStr], size: int) -> dict[AnyStr, float]:
    """Keep the characters and the most probable pieces, regardless of their losses."""
    best = sorted(vocabulary, key=lambda piece: (len(piece) > 1, -vocabulary[piece]))
    kept = set(best[: max(size, sum(len(piece) == 1 for piece in vocabulary))])
    return {piece: value for piece, value in vocabulary.items() if piece in kept}


def prune_characters(words: Mapping[AnyStr, int], vocabulary: Vocabulary[AnyStr], size: int) -> dict[AnyStr, float]:
    """Keep the pieces with the greatest losses; remove characters that no best segmentation uses, like other pieces.

    sentencepiece also removes such a character during training, and adds it again at the end.
    """
    losses = {one.piece: 0.0 if one.is_redundant else one.loss for one in piece_losses(words, vocabulary)}
    used: Counter[AnyStr] = Counter()
    for word in words:
        used.update(viterbi(word, vocabulary))
    losses |= {piece: inf if used[piece] else 0.0 for piece in vocabulary if len(piece) == 1}
    kept = {piece for piece in sorted(losses, key=lambda piece: -losses[piece])[:size] if losses[piece]}
    return {piece: value for piece, value in vocabulary.items() if piece in kept}


MISCONCEPTIONS = [
    Misconception(
        20,
        "a piece has the count of a word that contains it",
        "A piece counts at every position where it occurs, in every word, times the word's count.",
        (word_count_not_occurrences,),
    ),
    Misconception(
        22,
        "the expected counts are those of the best segmentation",
        "Every segmentation counts with its posterior probability; the counts are fractions.",
        (hard_em,),
    ),
    Misconception(
        24,
        "the least frequent pieces are pruned, characters like others",
        "The pieces with the smallest losses are removed, however frequent they are; a character is never removed.",
        (prune_by_prob, prune_characters),
    ),
]
