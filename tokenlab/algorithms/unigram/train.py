"""Training a Unigram vocabulary: start with many pieces, then alternate EM and pruning.

Adds: the complete training. Each stage is a function that can be read and run alone: `seed_scores`, `expectation_step`,
`maximization_step`, `piece_losses`, `prune`, `final_cut`.
Still missing: speed (`train_arrays`).
Source: Kudo 2018, "Subword Regularization", section 3.2; sentencepiece's unigram_model_trainer.cc, Trainer::Train.

>>> print(train.record({"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}, vocab_size=9))
1. the seed has 12 pieces: 7 characters and 5 longer substrings
2. E-step: the expected counts of all pieces sum to 52.2; the objective is 3.314
3. M-step: the expected counts give 12 pieces new probabilities
4. E-step: the expected counts of all pieces sum to 50.3; the objective is 2.755
5. M-step: the expected counts give 12 pieces new probabilities
6. pruning removes 1 piece that no best segmentation uses, and 2 pieces with the smallest loss
7. E-step: the expected counts of all pieces sum to 59.0; the objective is 4.685
8. M-step: the expected counts give 9 pieces new probabilities
9. E-step: the expected counts of all pieces sum to 59.1; the objective is 3.311
10. M-step: the expected counts give 9 pieces new probabilities
11. the vocabulary is final: 9 pieces, including all characters
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import Any, AnyStr, Unpack

from tokenlab.algorithms.unigram.expectation_maximization import expectation_step, maximization_step
from tokenlab.algorithms.unigram.prune import piece_losses, prune
from tokenlab.algorithms.unigram.training_state import (
    ExpectationDone,
    MaximizationDone,
    Options,
    Pruned,
    SeedBuilt,
    Stage,
    TrainingState,
    VocabularyFinalized,
)
from tokenlab.algorithms.unigram.vocabulary import log_probabilities
from tokenlab.steps.recording import stepwise


@stepwise
def train(
    word_counts: Mapping[Any, int], vocab_size: int, **options: Unpack[Options]
) -> Generator[Stage[Any], None, dict[Any, float]]:
    """Learn a vocabulary of `vocab_size` pieces with their log probabilities, the most probable first.

    It has fewer pieces if too few substrings occur twice and are useful; it always has all characters.

    Args:
        word_counts: the count of each word; a word is a str or a tuple of characters; or all words are bytes, or
            tuples of single bytes, and then so are the pieces.
        vocab_size: the number of pieces, including the alphabet; special tokens are not counted.
        options: those of `training_state.Options`.

    Raises:
        ValueError: there are no words, the alphabet does not fit into vocab_size, or an option is out of range.
        TypeError: an argument has the wrong type.
    """
    start = TrainingState(word_counts, vocab_size, **options)
    words = start.words
    yield SeedBuilt(start.scores)
    vocabulary = log_probabilities(start.scores)
    while True:
        for _ in range(start.sub_iterations):
            expected = expectation_step(words, vocabulary)
            yield ExpectationDone(expected.counts, expected.objective)
            vocabulary = maximization_step(expected.counts, start.estimate)
            yield MaximizationDone(vocabulary, _removed(expected.counts, vocabulary))
        if len(vocabulary) <= start.desired_vocab_size:
            break
        losses = piece_losses(words, vocabulary)
        kept = prune(losses, vocabulary, start.size_after(vocabulary))
        yield Pruned({one.piece: one.loss for one in losses}, _removed(vocabulary, kept))
        vocabulary = kept
    vocabulary = final_cut(vocabulary, vocab_size)
    yield VocabularyFinalized(vocabulary, vocab_size)
    return vocabulary


def _removed(before: Mapping[AnyStr, float], after: Mapping[AnyStr, float]) -> tuple[AnyStr, ...]:
    return tuple(piece for piece in before if piece not in after)


def final_cut(vocabulary: Mapping[AnyStr, float], vocab_size: int) -> dict[AnyStr, float]:
    """Return the characters and the most probable other pieces, `vocab_size` in all, the most probable first.

    >>> final_cut({"a": -5.0, "ab": -1.0, "ba": -2.0, "b": -4.0}, 3)
    {'ab': -1.0, 'b': -4.0, 'a': -5.0}
    """
    characters_first = sorted(vocabulary, key=lambda piece: (len(piece) > 1, -vocabulary[piece]))
    best = sorted(characters_first[:vocab_size], key=lambda piece: (-vocabulary[piece], piece))
    return {piece: vocabulary[piece] for piece in best}
