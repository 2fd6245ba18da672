"""The cross-entropy of a text: the mean negative log-likelihood of its labels.

Adds: labels of -100 are ignored, in the sum and in the number that it is divided by. Leaves out: batches, gradients.
Source: transformers 4.26.1, T5ForConditionalGeneration.forward, with torch's cross_entropy.

>>> print(cross_entropy.record([[0, 0], [0, 9]], [1, -100]))
1. place 0: label 1 costs 0.693
2. place 1: label -100 does not count
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from math import exp, inf, log, nan

from tokenlab.algorithms.attention.decoder_inputs import IGNORE_INDEX
from tokenlab.algorithms.vectors import Matrix, Vector
from tokenlab.printing.errors import check_not_empty
from tokenlab.printing.printed_numbers import format_short
from tokenlab.steps.recording import step, stepwise


@step
class TokenLoss:
    """The negative log-likelihood of one label; None for a label that is ignored."""

    place: int
    label: int
    cost: float | None

    def __str__(self) -> str:
        said = "does not count" if self.cost is None else f"costs {format_short(self.cost)}"
        return f"place {self.place}: label {self.label} {said}"


@stepwise
def cross_entropy(scores: Matrix, labels: Sequence[int]) -> Generator[TokenLoss, None, float]:
    """Return the mean negative log-likelihood; nan if all labels are ignored, as in the library.

    Args:
        scores: (positions, vocab_size) the logits.
        labels: the correct id of each position, or -100.

    Raises:
        IndexError, ValueError: as `negative_log_likelihood`.

    >>> round(cross_entropy([[5.0, 5.0], [0.0, 9.0]], [0, -100]), 6)
    0.693147
    """
    costs = []
    for place, (row, label) in enumerate(zip(scores, labels, strict=True)):
        cost = None if label == IGNORE_INDEX else negative_log_likelihood(row, label)
        yield TokenLoss(place, label, cost)
        costs += [cost] if cost is not None else []
    return sum(costs) / len(costs) if costs else nan


def negative_log_likelihood(scores: Vector, label: int) -> float:
    """Return -ln p(label), where p is the softmax of the logits; infinite for a label with the logit -inf.

    Raises:
        IndexError: the label is not an id of the vocabulary, as in the library.
        ValueError: there is no logit, or all are -inf.

    >>> negative_log_likelihood([1000.0, 0.0], 0)
    0.0
    """
    check_not_empty("scores", scores, "a logit for each id of the vocabulary")
    if not 0 <= label < len(scores):
        raise IndexError(
            f"label={label} is no id, since scores has {len(scores)} logits; give 0 to {len(scores) - 1}, or "
            f"{IGNORE_INDEX} in labels to leave the position out"
        )
    most = max(scores)
    if most == -inf:
        raise ValueError(f"scores has only -inf ({len(scores)} times), so no id has a probability; allow at least one")
    return log(sum(exp(score - most) for score in scores)) + most - scores[label]
