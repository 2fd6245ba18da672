"""Lesson 17: right programs in three styles, wrong ones with their rules, answers, and inputs that show the bug."""

from __future__ import annotations

import math
from typing import Any

from tokenlab.misconceptions import token_sampling as wrong
from tokenlab.misconceptions.catalog import rule_of


def top_p_1(probabilities: Any, top_p: Any) -> Any:
    kept, mass = [], 0.0
    for token in sorted(range(len(probabilities)), key=lambda token: -probabilities[token]):
        if mass >= top_p:
            break
        kept.append(token)
        mass += probabilities[token]
    return sorted(kept)


def top_p_2(probabilities: Any, top_p: Any) -> Any:
    """From the tail, as the library does it."""
    order = sorted(range(len(probabilities)), key=probabilities.__getitem__)
    removed = {order[n] for n in range(len(order)) if sum(probabilities[t] for t in order[: n + 1]) <= 1 - top_p}
    return [token for token in range(len(probabilities)) if token not in removed - {order[-1]}]


def top_p_3(probabilities: Any, top_p: Any) -> Any:
    import numpy as np

    order = np.argsort(probabilities)[::-1]
    before = np.cumsum(np.array(probabilities)[order]) - np.array(probabilities)[order]
    return sorted(int(token) for token in order[before < top_p - 1e-9])


def penalty_1(scores: Any, written: Any, penalty: Any) -> Any:
    changed = []
    for token, score in enumerate(scores):
        if token in written:
            score = score / penalty if score > 0 else score * penalty
        changed.append(score)
    return changed


def penalty_2(scores: Any, written: Any, penalty: Any) -> Any:
    scores = list(scores)
    for token in set(written):
        scores[token] *= penalty if scores[token] < 0 else 1 / penalty
    return scores


def penalty_3(scores: Any, written: Any, penalty: Any) -> Any:
    import numpy as np

    scores = np.array(scores, dtype=float)
    lowered = np.where(scores < 0, scores * penalty, scores / penalty)
    return np.where(np.isin(np.arange(len(scores)), written), lowered, scores).tolist()


def typical_1(probabilities: Any, mass: Any) -> Any:
    surprises = [-math.log(p) for p in probabilities]
    expected = sum(p * s for p, s in zip(probabilities, surprises, strict=True))
    kept, together = [], 0.0
    for token in sorted(range(len(probabilities)), key=lambda token: abs(surprises[token] - expected)):
        kept.append(token)
        together += probabilities[token]
        if together >= mass:
            break
    return sorted(kept)


def typical_2(probabilities: Any, mass: Any) -> Any:
    """In bits, and with powers of what is expected."""
    typical_p = math.prod(p**p for p in probabilities)
    nearest = sorted((abs(math.log2(p / typical_p)), token) for token, p in enumerate(probabilities))
    return tuple(
        sorted(
            token
            for place, (_, token) in enumerate(nearest)
            if sum(probabilities[other] for _, other in nearest[:place]) < mass
        )
    )


def typical_3(probabilities: Any, mass: Any) -> Any:
    import numpy as np

    log_p = np.log(probabilities)
    order = np.argsort(np.abs(-log_p - -(log_p * probabilities).sum()))
    last = (np.cumsum(np.array(probabilities)[order]) < mass).sum()
    return sorted(order[: last + 1].tolist())


VARIANTS: dict[str, tuple[Any, ...]] = {
    "keep_top_p": (top_p_1, top_p_2, top_p_3),
    "repetition_penalty": (penalty_1, penalty_2, penalty_3),
    "keep_typical": (typical_1, typical_2, typical_3),
}


def _order(probabilities: Any) -> Any:
    return sorted(range(len(probabilities)), key=lambda token: -probabilities[token])


def _less_than(probabilities: Any, top_p: Any) -> Any:
    kept, mass = [], 0.0
    for token in _order(probabilities):
        mass += probabilities[token]
        if mass >= top_p:
            break
        kept.append(token)
    return sorted(kept)


def _past_the_border(probabilities: Any, top_p: Any) -> Any:
    kept, mass = [], 0.0
    for token in _order(probabilities):
        if mass > top_p:
            break
        kept.append(token)
        mass += probabilities[token]
    return sorted(kept)


def _ascending(probabilities: Any, top_p: Any) -> Any:
    kept, mass = [], 0.0
    for token in sorted(range(len(probabilities)), key=probabilities.__getitem__):
        if mass >= top_p:
            break
        kept.append(token)
        mass += probabilities[token]
    return sorted(kept)


def _by_id(probabilities: Any, top_p: Any) -> Any:
    return [token for token in range(len(probabilities)) if sum(probabilities[:token]) < top_p]


def _each_time(scores: Any, written: Any, penalty: Any) -> Any:
    scores = list(scores)
    for token in written:
        scores[token] = scores[token] / penalty if scores[token] > 0 else scores[token] * penalty
    return scores


def _nearest_first(probabilities: Any, mass: Any, distance: Any) -> Any:
    kept, together = [], 0.0
    for token in sorted(range(len(probabilities)), key=lambda token: distance(-math.log(probabilities[token]))):
        if together < mass:
            kept.append(token)
            together += probabilities[token]
    return kept


def _entropy(probabilities: Any) -> Any:
    return -sum(p * math.log(p) for p in probabilities)


def _typical_by(probabilities: Any, mass: Any, expected: Any) -> Any:
    return sorted(_nearest_first(probabilities, mass, lambda surprise: abs(surprise - expected)))


def _without_the_size(probabilities: Any, mass: Any) -> Any:
    return sorted(_nearest_first(probabilities, mass, lambda surprise: surprise - _entropy(probabilities)))


def _mean_of_all(probabilities: Any, mass: Any) -> Any:
    return _typical_by(probabilities, mass, -sum(map(math.log, probabilities)) / len(probabilities))


def _farthest_first(probabilities: Any, mass: Any) -> Any:
    return sorted(_nearest_first(probabilities, mass, lambda surprise: -abs(surprise - _entropy(probabilities))))


def _below_the_mass(probabilities: Any, mass: Any) -> Any:
    order = _nearest_first(probabilities, mass, lambda surprise: abs(surprise - _entropy(probabilities)))
    return sorted(order[:-1] or order)


def _by_probability(probabilities: Any, mass: Any) -> Any:
    mean = sum(p * p for p in probabilities)
    return sorted(_nearest_first(probabilities, mass, lambda surprise: abs(math.exp(-surprise) - mean)))


def _by_inverse(probabilities: Any, mass: Any) -> Any:
    """The mean of 1 / p is the number of tokens."""
    count = len(probabilities)
    return sorted(_nearest_first(probabilities, mass, lambda surprise: abs(math.exp(surprise) - count)))


def _by_difference(probabilities: Any, mass: Any) -> Any:
    """Reads `minus the logarithm` as a subtraction."""
    mean = sum(p * (p - math.log(p)) for p in probabilities)
    return sorted(_nearest_first(probabilities, mass, lambda surprise: abs(math.exp(-surprise) + surprise - mean)))


WRONG: dict[str, list[tuple[Any, str, int]]] = {
    "keep_top_p": [
        (wrong.exclude_crossing_token, rule_of(wrong.exclude_crossing_token), 30),
        (_less_than, rule_of(wrong.exclude_crossing_token), 12),
        (_past_the_border, "exactly top_p together, this is enough", 30),
        (_ascending, "The most probable tokens come first", 30),
        (_by_id, "not in the order of their ids", 30),
        (
            lambda probabilities, top_p: [t for t, p in enumerate(probabilities) if p >= top_p],
            "top_p applies to all kept tokens together, not to each.",
            30,
        ),
        (
            lambda probabilities, top_p: _order(probabilities)[: len(top_p_1(probabilities, top_p))],
            "The kept tokens are given in",
            30,
        ),
        (lambda probabilities, top_p: [probabilities[t] for t in top_p_1(probabilities, top_p)], "ids of the", 12),
        (lambda probabilities, top_p: _order(probabilities)[:1], rule_of(wrong.exclude_crossing_token), 30),
    ],
    "repetition_penalty": [
        (wrong.divide_all_logits, "Dividing a negative logit would raise it", 15),
        (wrong.penalize_each_time, "The number of its occurrences does not matter", 15),
        (_each_time, "The number of its occurrences does not matter", 15),
        (lambda s, written, by: [x * by if t in written else x for t, x in enumerate(s)], "Multiplying a positive", 15),
        (lambda s, written, by: [x - by if t in written else x for t, x in enumerate(s)], "is not subtracted", 15),
        (lambda scores, written, penalty: penalty_1(scores, written, 1 / penalty), "A penalty above 1 makes", 15),
        (lambda scores, written, penalty: penalty_1(scores, written[-1:], penalty), "not only the last one", 20),
        (lambda s, written, by: penalty_1(s, {*range(len(s))} - {*written}, by), "The other tokens keep their", 15),
        (lambda scores, written, penalty: penalty_1(scores, range(len(scores)), penalty), "keep their logits", 15),
        (lambda s, written, by: [penalty_1(s, written, by)[t] for t in written], "Return a logit for every token", 15),
        (lambda scores, written, penalty: scores, rule_of(wrong.divide_all_logits), 15),
    ],
    "keep_typical": [
        (top_p_1, "The most probable token has no advantage here", 30),
        (_without_the_size, "The absolute difference from the entropy counts", 30),
        (_mean_of_all, "is weighted by its probability", 30),
        (lambda ps, mass: _typical_by(ps, mass, -_entropy(ps)), "The absolute difference from the entropy counts", 30),
        (_farthest_first, "closest to the entropy come first", 30),
        (_by_probability, "Compare the surprisal", 35),
        (_by_inverse, "Compare the surprisal", 35),
        (_by_difference, "Compare the surprisal", 35),
        (_below_the_mass, rule_of(wrong.exclude_crossing_token), 30),
        (
            lambda ps, mass: _nearest_first(ps, mass, lambda surprise: abs(surprise - _entropy(ps))),
            "order of their ids",
            30,
        ),
        (lambda ps, mass: [*range(len(ps))], "the other tokens are removed", 30),
    ],
}

CAUGHT = {
    "exclude_crossing_token": ("keep_top_p", wrong.exclude_crossing_token),
    "divide_all_logits": ("repetition_penalty", wrong.divide_all_logits),
    "penalize_each_time": ("repetition_penalty", wrong.penalize_each_time),
}
_ROOTS = (0.35, 0.25, 0.2, 0.15, 0.05)
_HALF = [0.5, 0.5]
_SCORES = [2 * math.log(root) for root in _ROOTS]
ANSWERED = {
    "temperature_last": ("drawn_by_hand", (_ROOTS, wrong.temperature_last(_SCORES, 2, 0.7), 2)),
    "exclude_crossing_token": ("drawn_by_hand", (_ROOTS, wrong.exclude_crossing_token(_ROOTS, 0.7), 2)),
}

RIGHT: dict[str, tuple[Any, ...]] = {"drawn_by_hand": (_ROOTS, (0, 1, 2), 2)}
NOT_RIGHT: list[tuple[str, tuple[Any, ...], str]] = [
    ("drawn_by_hand", (_HALF, (0, 1, 2), 2), "The list of probabilities after temperature is not [0.5, 0.5]."),
    ("drawn_by_hand", (_ROOTS, (0, 1), 2), "The tuple of tokens that top-p keeps is not (0, 1)."),
    ("drawn_by_hand", (_ROOTS, (0, 1, 2, 3), 2), "The tuple of tokens that top-p keeps is not (0, 1, 2, 3)."),
    ("drawn_by_hand", (_ROOTS, (0, 1, 2), 0), "The token that is drawn is not 0."),
    ("drawn_by_hand", (_ROOTS, (0, 1, 2), 1), "The token that is drawn is not 1."),
    ("drawn_by_hand", (_ROOTS, (0, 1, 2), 3), "The token that is drawn is not 3."),
    ("drawn_by_hand", (_ROOTS, (0, 1, 2), 0.5), "The token that is drawn is not 0.5."),
]

SHOWS: dict[Any, list[tuple[Any, ...]]] = {
    wrong.temperature_last: [([3, 0],), ((0, 2.5, 0, 0),), ([0, -2, -4],)],
    wrong.exclude_crossing_token: [([0.5, 0.4, 0.1],), ((0.1, 0.2, 0.7),)],
}
DOES_NOT: dict[Any, list[tuple[Any, ...]]] = {
    wrong.temperature_last: [([5],), ([0, 0, 0],), ([0, 9],), ([2, 1],)],
    wrong.exclude_crossing_token: [([1.0],), ([0.05, 0.9, 0.05],), ([0.4, 0.4, 0.2],)],
}
