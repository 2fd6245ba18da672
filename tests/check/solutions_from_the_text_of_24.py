"""Solutions of lesson 24, each written from the text, the formula, the example and the hints of its task alone."""

from __future__ import annotations

from math import cos, log, sin


def rotate_pairs(vector, position, theta):  # type: ignore[no-untyped-def]
    half, rotated = len(vector) // 2, list(vector)
    for i in range(half):
        angle = position * theta ** (-2 * i / len(vector))
        x, y = vector[i], vector[i + half]
        rotated[i], rotated[i + half] = x * cos(angle) - y * sin(angle), y * cos(angle) + x * sin(angle)
    return rotated


def keys_of_each_place(attention_mask):  # type: ignore[no-untyped-def]
    places = range(len(attention_mask))
    return [
        [key for key in places if key <= place and attention_mask[key]] if attention_mask[place] else []
        for place in places
    ]


def keep_min_p(probabilities, min_p):  # type: ignore[no-untyped-def]
    limit = min_p * max(probabilities)
    return [token for token, p in enumerate(probabilities) if p >= limit]


def shifted_loss(probabilities, ids):  # type: ignore[no-untyped-def]
    losses = [-log(probabilities[place][ids[place + 1]]) for place in range(len(ids) - 1)]
    return sum(losses) / len(losses)
