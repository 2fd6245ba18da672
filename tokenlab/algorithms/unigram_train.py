"""Training a Unigram vocabulary: begin with many pieces; estimate, remove what would be missed least, and again.

Adds: the whole training. Each stage is a function that can be read and run alone: `seed_scores`, `expect`, `maximize`,
`judge`, `prune`, `final_cut`.
Still missing: speed, which is `unigram_train_arrays`.
Source: Kudo 2018, "Subword Regularization", section 3.2; sentencepiece's unigram_model_trainer.cc, Trainer::Train.

>>> print(train.record({"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}, vocab_size=9))
1. seed: 7 characters and 5 longer substrings
2. E: 52.2 pieces are expected in all; the objective is 3.3139
3. M: new probabilities for 12 pieces
4. E: 50.3 pieces are expected in all; the objective is 2.7555
5. M: new probabilities for 12 pieces
6. prune: 3 pieces removed, 1 of them useless
7. E: 59.0 pieces are expected in all; the objective is 4.6855
8. M: new probabilities for 9 pieces
9. E: 59.1 pieces are expected in all; the objective is 3.3111
10. M: new probabilities for 9 pieces
11. final cut: 9 pieces
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import Any, Unpack

from tokenlab.algorithms.unigram_em import expect, maximize
from tokenlab.algorithms.unigram_prune import judge, prune
from tokenlab.algorithms.unigram_stages import Counted, Cut, Estimated, Pruned, Seeded, Stage
from tokenlab.algorithms.unigram_start import Options, Start
from tokenlab.algorithms.unigram_vocabulary import log_probabilities
from tokenlab.steps import stepwise


@stepwise
def train(
    word_counts: Mapping[Any, int], vocab_size: int, **options: Unpack[Options]
) -> Generator[Stage, None, dict[str, float]]:
    """Learn a vocabulary of `vocab_size` pieces with their log probabilities, the most probable first.

    It has fewer pieces if there are not enough that occur twice and are of use; its characters are all there.

    Args:
        word_counts: how often each word occurs; a word is a str or a tuple of characters.
        vocab_size: how many pieces are wanted, the alphabet among them; special tokens are not counted.
        options: `longest`, `seed`, `seed_size`, `sub_iterations`, `shrinking_factor`, `estimate`, which
            `unigram_start.Options` explains.

    Raises:
        ValueError: no words, a size that does not hold the alphabet, an option out of range.
        TypeError: an argument of another type.
    """
    start = Start(word_counts, vocab_size, **options)
    words = start.words
    yield Seeded(start.scores)
    vocabulary = log_probabilities(start.scores)
    while True:
        for _ in range(start.sub_iterations):
            expected = expect(words, vocabulary)
            yield Counted(expected.counts, expected.objective)
            vocabulary = maximize(expected.counts, start.estimate)
            yield Estimated(vocabulary, _gone(expected.counts, vocabulary))
        if len(vocabulary) <= start.enough:
            break
        judged = judge(words, vocabulary)
        kept = prune(judged, vocabulary, start.size_after(vocabulary))
        yield Pruned({one.piece: one.loss for one in judged}, _gone(vocabulary, kept))
        vocabulary = kept
    vocabulary = final_cut(vocabulary, vocab_size)
    yield Cut(vocabulary, vocab_size)
    return vocabulary


def _gone(before: Mapping[str, float], after: Mapping[str, float]) -> tuple[str, ...]:
    return tuple(piece for piece in before if piece not in after)


def final_cut(vocabulary: Mapping[str, float], vocab_size: int) -> dict[str, float]:
    """The characters and the most probable of the other pieces, the most probable first.

    >>> final_cut({"a": -5.0, "ab": -1.0, "ba": -2.0, "b": -4.0}, 3)
    {'ab': -1.0, 'b': -4.0, 'a': -5.0}
    """
    characters_first = sorted(vocabulary, key=lambda piece: (len(piece) > 1, -vocabulary[piece]))
    best = sorted(characters_first[:vocab_size], key=lambda piece: (-vocabulary[piece], piece))
    return {piece: vocabulary[piece] for piece in best}
