"""The loss of a causal language model: each position predicts the next token, so every token but the first has a loss.

Adds: the shift by one between what is read and what is predicted, and the mean over all positions.
Leaves out: the model, whose probabilities are given; batches, and positions that do not count (`-100`).
Source: Radford et al. 2018, section 3.1; transformers 5.24, loss/loss_utils.py, ForCausalLMLoss.

>>> print(next_token_loss.record([[0.5, 0.25, 0.25], [0.25, 0.25, 0.5], [0.5, 0.5, 0.0]], [0, 0, 2]))
1. position 0 reads 0 and predicts 0 with probability 0.5: loss 0.693
2. position 1 reads 0 and predicts 2 with probability 0.5: loss 0.693
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from itertools import pairwise
from math import fsum, inf, log

from tokenlab.algorithms.vectors import Matrix
from tokenlab.printing.printed_numbers import format_short
from tokenlab.steps.recording import step, stepwise


@step
class NextTokenPredicted:
    """The loss of one position."""

    position: int
    read: int
    label: int
    probability: float
    loss: float

    def __str__(self) -> str:
        predicts = f"predicts {self.label} with probability {format_short(self.probability)}"
        return f"position {self.position} reads {self.read} and {predicts}: loss {format_short(self.loss)}"


@stepwise
def next_token_loss(probabilities: Matrix, ids: Sequence[int]) -> Generator[NextTokenPredicted, None, float]:
    """Return the mean loss, in nats, of predicting each id but the first.

    Args:
        probabilities: a row for each position: the probability of each id as the next one.
        ids: the ids that the model reads, at least two.

    Raises:
        ValueError: there are fewer than two ids, or another number of rows.

    >>> round(next_token_loss([[0.5, 0.5], [0.25, 0.75]], [1, 0]), 3)
    0.693
    """
    if len(ids) < 2:
        raise ValueError(f"ids={list(ids)} has no next token to predict; give at least two ids")
    if len(probabilities) != len(ids):
        raise ValueError(f"probabilities has {len(probabilities)} rows for {len(ids)} ids; give a row for each id")
    losses = []
    for position, (read, label) in enumerate(pairwise(ids)):
        probability = probabilities[position][label]
        # subtle: the last row is not used, because no token follows the last one.
        losses.append(-log(probability) + 0.0 if probability else inf)
        yield NextTokenPredicted(position, read, label, probability, losses[-1])
    return fsum(losses) / len(losses)
