"""The loss of a text: minus the logarithm of each label's probability, in the mean over the labels that count.

Adds: positions with -100 do not count, neither above nor below the line. Leaves out: batches, and gradients.
Source: transformers 4.26.1, T5ForConditionalGeneration.forward, with torch's cross_entropy.

>>> print(label_loss.record([[0, 0], [0, 9]], [1, -100]))
1. place 0: label 1 costs 0.693147
2. place 1: label -100 does not count
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from math import exp, log, nan

from tokenlab.algorithms.attention_head import Matrix, Vector
from tokenlab.algorithms.shift_right import IGNORED
from tokenlab.steps import step, stepwise


@step
class Cost:
    """What one label costs; None for one that does not count."""

    place: int
    label: int
    cost: float | None

    def __str__(self) -> str:
        """Say the label, and its cost."""
        said = "does not count" if self.cost is None else f"costs {self.cost:.6g}"
        return f"place {self.place}: label {self.label} {said}"


@stepwise
def label_loss(scores: Matrix, labels: Sequence[int]) -> Generator[Cost, None, float]:
    """The mean cost; nan if no label counts, as in the library.

    Args:
        scores: for each position a score for each id.
        labels: for each position the right id, or -100.

    >>> round(label_loss([[5.0, 5.0], [0.0, 9.0]], [0, -100]), 6)
    0.693147
    """
    costs = []
    for place, (row, label) in enumerate(zip(scores, labels, strict=True)):
        cost = None if label == IGNORED else minus_log_probability(row, label)
        yield Cost(place, label, cost)
        costs += [cost] if cost is not None else []
    return sum(costs) / len(costs) if costs else nan


def minus_log_probability(scores: Vector, label: int) -> float:
    """How surprised a softmax over the scores is at a label.

    >>> minus_log_probability([1000.0, 0.0], 0)
    0.0
    """
    most = max(scores)
    return log(sum(exp(score - most) for score in scores)) + most - scores[label]
