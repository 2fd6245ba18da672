"""Three beliefs about training Unigram that are wrong, each as a program that somebody has written.

Each has the signature of the right one: `count_substrings`, the counts of `expect`, and pruning to a size.

>>> word_count_not_occurrences({"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5})["p"]
5
>>> hard_em({"ab": 10}, {"a": -1.0, "b": -1.0, "ab": -2.0})
{'a': 0.0, 'b': 0.0, 'ab': 10.0}
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from math import inf

from tokenlab.algorithms.lattice import trie_of
from tokenlab.algorithms.unigram_count import count_substrings
from tokenlab.algorithms.unigram_prune import judge
from tokenlab.algorithms.unigram_vocabulary import Vocabulary
from tokenlab.algorithms.viterbi import viterbi
from tokenlab.misconceptions.bpe import Misconception

# 20. A piece is as frequent as a word that has it.


def word_count_not_occurrences(words: Mapping[str, int], whole_words: bool = False) -> dict[str, int]:
    """Give each piece the count of the first word that has it, instead of adding up all of its occurrences.

    Hugging Face's course prints 5/210 for `p`, the count of `pug`; its own table has 17.
    """
    counts: dict[str, int] = {}
    for piece in count_substrings(words, whole_words):
        counts[piece] = next(count for word, count in words.items() if piece in word)
    return counts


# 22. Expected counts are the counts of the best segmentation.


def hard_em(words: Mapping[str, int], vocabulary: Vocabulary) -> dict[str, float]:
    """Count the pieces of each word's best segmentation, as if it were the only one."""
    trie = trie_of(vocabulary)
    counts = dict.fromkeys(vocabulary, 0.0)
    for word, count in words.items():
        for piece in viterbi(word, trie):
            counts[piece] += count
    return counts


# 24. What is rare, or improbable, is pruned; characters are pieces like others.


def prune_by_prob(words: Mapping[str, int], vocabulary: Vocabulary, size: int) -> dict[str, float]:
    """Keep the characters and the most probable pieces, whether or not any word would miss them."""
    best = sorted(vocabulary, key=lambda piece: (len(piece) > 1, -vocabulary[piece]))
    kept = set(best[: max(size, sum(len(piece) == 1 for piece in vocabulary))])
    return {piece: value for piece, value in vocabulary.items() if piece in kept}


def prune_characters(words: Mapping[str, int], vocabulary: Vocabulary, size: int) -> dict[str, float]:
    """Keep the pieces with the greatest losses; a character that no best segmentation uses goes, like other pieces.

    sentencepiece lets such a character go as well, while it trains, and puts it back at the end.
    """
    losses = {one.piece: 0.0 if one.useless else one.loss for one in judge(words, vocabulary)}
    used: Counter[str] = Counter()
    for word in words:
        used.update(viterbi(word, vocabulary))
    losses |= {piece: inf if used[piece] else 0.0 for piece in vocabulary if len(piece) == 1}
    kept = {piece for piece in sorted(losses, key=lambda piece: -losses[piece])[:size] if losses[piece]}
    return {piece: value for piece, value in vocabulary.items() if piece in kept}


MISCONCEPTIONS = [
    Misconception(
        20,
        "a piece is as frequent as a word that has it",
        "A piece counts at every place where it stands, in every word, times the word's count.",
        (word_count_not_occurrences,),
    ),
    Misconception(
        22,
        "the expected counts are those of the best segmentation",
        "Every segmentation counts, each by its share of the word's probability; the counts are fractions.",
        (hard_em,),
    ),
    Misconception(
        24,
        "the least frequent pieces are pruned, characters like others",
        "What goes is what the words would miss least, however frequent it is; a character never goes.",
        (prune_by_prob, prune_characters),
    ),
]
