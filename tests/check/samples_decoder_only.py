"""Lesson 24: right programs in three styles, wrong ones with their rules, answers, and inputs that show the bug."""

from __future__ import annotations

import cmath
import math
from typing import Any

from tokenlab.misconceptions import decoder_only as wrong
from tokenlab.misconceptions.catalog import rule_of


def rotate_1(vector: Any, position: Any, theta: Any) -> Any:
    half, rotated = len(vector) // 2, list(vector)
    for i in range(half):
        angle = position * theta ** (-2 * i / len(vector))
        x, y = vector[i], vector[i + half]
        rotated[i] = x * math.cos(angle) - y * math.sin(angle)
        rotated[i + half] = y * math.cos(angle) + x * math.sin(angle)
    return rotated


def rotate_2(vector: Any, position: Any, theta: Any) -> Any:
    """Multiply complex numbers."""
    half = len(vector) // 2
    numbers = [
        complex(x, y) * cmath.exp(1j * position / theta ** (i / half))
        for i, (x, y) in enumerate(zip(vector[:half], vector[half:], strict=True))
    ]
    return tuple(n.real for n in numbers) + tuple(n.imag for n in numbers)


def rotate_3(vector: Any, position: Any, theta: Any) -> Any:
    import numpy as np

    x, y = np.split(np.array(vector, float), 2)
    angles = position * float(theta) ** (-np.arange(len(x)) / len(x))
    return np.concatenate([x * np.cos(angles) - y * np.sin(angles), y * np.cos(angles) + x * np.sin(angles)]).tolist()


def keys_1(attention_mask: Any) -> Any:
    result = []
    for place in range(len(attention_mask)):
        keys = []
        for key in range(place + 1):
            if attention_mask[place] and attention_mask[key]:
                keys.append(key)
        result.append(keys)
    return result


def keys_2(attention_mask: Any) -> Any:
    first = attention_mask.index(1) if 1 in attention_mask else len(attention_mask)
    return tuple(tuple(range(first, place + 1)) for place in range(len(attention_mask)))


def keys_3(attention_mask: Any) -> Any:
    padding = attention_mask.count(0)
    return [[]] * padding + [[*range(padding, padding + n + 1)] for n in range(sum(attention_mask))]


def min_p_1(probabilities: Any, min_p: Any) -> Any:
    return [token for token in range(len(probabilities)) if probabilities[token] >= min_p * max(probabilities)]


def min_p_2(probabilities: Any, min_p: Any) -> Any:
    kept, best = [], sorted(probabilities)[-1]
    for token, p in enumerate(probabilities):
        if not p < best * min_p:
            kept.append(token)
    return tuple(kept)


def min_p_3(probabilities: Any, min_p: Any) -> Any:
    import numpy as np

    return np.flatnonzero(np.array(probabilities) / np.max(probabilities) >= min_p).tolist()


def loss_1(probabilities: Any, ids: Any) -> Any:
    losses = [-math.log(probabilities[i][ids[i + 1]]) for i in range(len(ids) - 1)]
    return sum(losses) / len(losses)


def loss_2(probabilities: Any, ids: Any) -> Any:
    return -math.log(math.prod(row[id] for row, id in zip(probabilities, ids[1:], strict=False))) / (len(ids) - 1)


def loss_3(probabilities: Any, ids: Any) -> Any:
    import torch

    logits = torch.tensor(probabilities, dtype=torch.float64).log()
    return torch.nn.functional.cross_entropy(logits[:-1], torch.tensor(ids[1:])).item()


VARIANTS: dict[str, tuple[Any, ...]] = {
    "rotate_pairs": (rotate_1, rotate_2, rotate_3),
    "keys_of_each_place": (keys_1, keys_2, keys_3),
    "keep_min_p": (min_p_1, min_p_2, min_p_3),
    "shifted_loss": (loss_1, loss_2, loss_3),
}


def _by_neighbours(vector: Any, position: Any, theta: Any) -> Any:
    rotated = list(vector)
    for i in range(len(vector) // 2):
        angle = position * theta ** (-2 * i / len(vector))
        x, y = vector[2 * i : 2 * i + 2]
        rotated[2 * i] = x * math.cos(angle) - y * math.sin(angle)
        rotated[2 * i + 1] = y * math.cos(angle) + x * math.sin(angle)
    return rotated


def _with_angle(vector: Any, angle_of: Any) -> Any:
    half, rotated = len(vector) // 2, list(vector)
    for i in range(half):
        angle = angle_of(i)
        x, y = vector[i], vector[i + half]
        rotated[i] = x * math.cos(angle) - y * math.sin(angle)
        rotated[i + half] = y * math.cos(angle) + x * math.sin(angle)
    return rotated


def _new_x(vector: Any, position: Any, theta: Any) -> Any:
    half, rotated = len(vector) // 2, list(vector)
    for i in range(half):
        angle = position * theta ** (-2 * i / len(vector))
        rotated[i] = rotated[i] * math.cos(angle) - rotated[i + half] * math.sin(angle)
        rotated[i + half] = rotated[i + half] * math.cos(angle) + rotated[i] * math.sin(angle)
    return rotated


def _all_up_to(attention_mask: Any) -> Any:
    return [list(range(place + 1)) for place, _ in enumerate(attention_mask)]


def _nucleus(probabilities: Any, min_p: Any) -> Any:
    from tokenlab.algorithms.decoding.filters import top_p_filter

    return top_p_filter(probabilities, min_p or 1e-9)


WRONG: dict[str, list[tuple[Any, str, int]]] = {
    "rotate_pairs": [
        (wrong.position_added, rule_of(wrong.position_added), 14),
        (_by_neighbours, "not with its neighbour", 24),
        (
            lambda vector, position, theta: _with_angle(vector, lambda i: position * theta ** (-i / len(vector))),
            "The exponent is -2 i / K",
            24,
        ),
        (
            lambda vector, position, theta: _with_angle(vector, lambda i: position),
            "becomes smaller from pair to pair",
            24,
        ),
        (
            lambda vector, position, theta: rotate_1(vector, -position, theta),
            "The rotation is counterclockwise",
            16,
        ),
        (_new_x, "needs the old x", 16),
        (
            lambda vector, position, theta: rotate_1(vector, position + 1, theta),
            "Positions are counted from 0",
            14,
        ),
        (lambda vector, position, theta: vector, "Rotate each pair (i, i + K / 2) by the angle", 16),
    ],
    "keys_of_each_place": [
        (wrong.no_mask_in_prefill, rule_of(wrong.no_mask_in_prefill), 12),
        (_all_up_to, "Padding is never attended to", 12),
        (
            lambda attention_mask: [keys or [place] for place, keys in enumerate(keys_1(attention_mask))],
            "The list of a place with padding is empty",
            12,
        ),
        (lambda attention_mask: [keys[:-1] for keys in keys_1(attention_mask)], "also attends to itself", 8),
        (
            lambda attention_mask: [list(range(len(keys))) for keys in keys_1(attention_mask)],
            "and not positions",
            12,
        ),
        (
            lambda attention_mask: [
                [key for key in range(place, len(attention_mask)) if is_token]
                for place, is_token in enumerate(attention_mask)
            ],
            "not to later ones",
            12,
        ),
        (lambda attention_mask: [[] for _ in attention_mask], "itself and to all earlier tokens", 8),
    ],
    "keep_min_p": [
        (wrong.absolute_min_p, rule_of(wrong.absolute_min_p), 28),
        (
            lambda probabilities, min_p: [i for i, p in enumerate(probabilities) if p > min_p * max(probabilities)],
            "with exactly min_p times",
            28,
        ),
        (_nucleus, "This is top-p", 30),
        (
            lambda probabilities, min_p: min_p_1(probabilities, 1 - min_p),
            "not 1 - min_p times",
            28,
        ),
        (
            lambda probabilities, min_p: sorted(min_p_1(probabilities, min_p), key=lambda i: -probabilities[i]),
            "in ascending order",
            28,
        ),
        (
            lambda probabilities, min_p: [p for p in probabilities if p >= min_p * max(probabilities)],
            "not their probabilities",
            16,
        ),
        (lambda probabilities, min_p: list(range(len(probabilities))), "Keep each token whose probability is", 28),
    ],
    "shifted_loss": [
        (wrong.unshifted_loss, rule_of(wrong.unshifted_loss), 60),
        (wrong.last_token_loss, rule_of(wrong.last_token_loss), 100),
        (lambda probabilities, ids: loss_1(probabilities, ids) * (len(ids) - 1), "one less than there are ids", 100),
        (
            lambda probabilities, ids: loss_1(probabilities, ids) * (len(ids) - 1) / len(ids),
            "one less than there are ids",
            60,
        ),
        (lambda probabilities, ids: loss_1(probabilities, ids) / math.log(2), "the natural logarithm", 60),
        (lambda probabilities, ids: -loss_1(probabilities, ids), "never below 0", 60),
        (
            lambda probabilities, ids: (
                -sum(math.log(probabilities[i][ids[i - 1]]) for i in range(1, len(ids))) / (len(ids) - 1)
            ),
            "and not the one before",
            60,
        ),
        (lambda probabilities, ids: 0.0, "The last row predicts nothing", 60),
    ],
}

CAUGHT = {
    "position_added": ("rotate_pairs", wrong.position_added),
    "no_mask_in_prefill": ("keys_of_each_place", wrong.no_mask_in_prefill),
    "absolute_min_p": ("keep_min_p", wrong.absolute_min_p),
    "unshifted_loss": ("shifted_loss", wrong.unshifted_loss),
    "last_token_loss": ("shifted_loss", wrong.last_token_loss),
}
ANSWERED = {
    "interleaved_groups": ("heads_and_cache", (wrong.interleaved_groups(6, 3)[1], 6, 9, 17_280)),
    "queries_per_group": ("heads_and_cache", (0, wrong.queries_per_group(6, 3), 9, 17_280)),
    "queries_in_cache": ("heads_and_cache", (0, 6, 9, wrong.queries_in_cache(5, 6, 3, 32, 9))),
}

RIGHT: dict[str, tuple[Any, ...]] = {"heads_and_cache": (0, 6, 9, 17_280)}
NOT_RIGHT: list[tuple[str, tuple[Any, ...], str]] = [
    ("heads_and_cache", (1, 6, 9, 17_280), "The key-value head is not 1."),
    ("heads_and_cache", (0, 3, 9, 17_280), "The number of queries is not 3."),
    ("heads_and_cache", (0, 6, 10, 19_200), "The number of rows of keys is not 10."),
    ("heads_and_cache", (0, 6, 9, 8_640), "The number of bytes is not 8640."),
]

SHOWS: dict[Any, list[tuple[Any, ...]]] = {wrong.interleaved_groups: [(4, 2), (8, 4)]}
DOES_NOT: dict[Any, list[tuple[Any, ...]]] = {wrong.interleaved_groups: [(4, 4), (4, 1), (1, 1)]}
