"""Training as in `train.train`, hundreds of times faster: all words are processed together, in numpy.

Adds: the lattices of all words, and of all pieces (to find alternatives), are built once; pieces that leave the
vocabulary are removed from them.
Leaves out: nothing; stages and options are the same as in `train.train`, which runs where numpy is not installed, as in
a browser tab with only the core of Pyodide.

>>> sorted(train_arrays({"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}, vocab_size=9))
['b', 'g', 'h', 'hug', 'n', 'p', 'pun', 's', 'u']
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import Any, Unpack

from tokenlab.algorithms.unigram.train import final_cut, train
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
from tokenlab.steps.recording import stepwise


@stepwise
def train_arrays(
    word_counts: Mapping[Any, int], vocab_size: int, **options: Unpack[Options]
) -> Generator[Stage[Any], None, dict[Any, float]]:
    """Learn the vocabulary that `train.train` learns from the same arguments, in numpy.

    Raises:
        ValueError, TypeError: as `train.train`.
    """
    try:
        from tokenlab.algorithms.unigram.lattice_arrays import ArrayTrainingState  # loads numpy
    except ModuleNotFoundError:
        return (yield from train.steps(word_counts, vocab_size, **options))
    start = TrainingState(word_counts, vocab_size, **options)
    yield SeedBuilt(start.scores)
    state = ArrayTrainingState(start)
    while True:
        for _ in range(start.sub_iterations):
            counts, objective = state.expect()
            yield ExpectationDone(state.named(counts), objective)
            dropped = state.maximize(counts)
            yield MaximizationDone(state.named(state.log_probs), dropped)
        if len(state.pieces) <= start.desired_vocab_size:
            break
        losses, removed = state.prune(start.size_after(state.pieces))
        yield Pruned(losses, removed)
    vocabulary = final_cut(state.named(state.log_probs), vocab_size)
    yield VocabularyFinalized(vocabulary, vocab_size)
    return vocabulary
