"""Temperature: one number makes a distribution flatter or steeper, and leaves the order of its tokens as it is.

Adds: probabilities of the next token from a model's scores. Leaves out: which may be drawn (`top_p`, `typical`).
Source: transformers 4.26.1, generation/logits_process.py, TemperatureLogitsWarper.
"""

from __future__ import annotations

from tokenlab.algorithms.attention_head import Row, Vector, softmax


def probabilities(scores: Vector, temperature: float = 1.0) -> Row:
    """How likely each token is next.

    Args:
        scores: a number for each token, by its id; minus infinity for one that is forbidden.
        temperature: what all scores are divided by: below 1 the likely become likelier, above 1 all become more alike.

    Raises:
        ValueError: the temperature is not above 0.

    >>> probabilities([0.0, 0.0]), [round(p, 2) for p in probabilities([2.0, 0.0], temperature=2)]
    ((0.5, 0.5), [0.73, 0.27])
    """
    if not temperature > 0:
        raise ValueError(f"temperature={temperature!r} should be above 0; towards 0 the likeliest token wins always")
    return softmax(score / temperature for score in scores)
