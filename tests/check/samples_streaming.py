"""Lesson 20: right programs in three styles, wrong ones with their rules, answers, and inputs that show the bug."""

from __future__ import annotations

import codecs
import math
from typing import Any

from tokenlab.misconceptions import streaming as wrong
from tokenlab.misconceptions.catalog import rule_of


def likeness_1(left: Any, right: Any) -> Any:
    product = sum(x * y for x, y in zip(left, right, strict=True))
    lengths = [math.sqrt(sum(x * x for x in vector)) for vector in (left, right)]
    return product / (lengths[0] * lengths[1])


def likeness_2(left: Any, right: Any) -> Any:
    one, other = ([x / math.hypot(*vector) for x in vector] for vector in (left, right))
    return math.fsum(x * y for x, y in zip(one, other, strict=True))


def likeness_3(left: Any, right: Any) -> Any:
    import numpy as np

    return float(np.dot(left, right) / np.linalg.norm(left) / np.linalg.norm(right))


def choice_1(probabilities: Any, states: Any, past: Any, alpha: Any) -> Any:
    best, place = -math.inf, None
    for number in range(len(states)):
        penalty = max(likeness_1(states[number], one) for one in past)
        score = (1 - alpha) * probabilities[number] - alpha * penalty
        if score > best:
            best, place = score, number
    return place


def choice_2(probabilities: Any, states: Any, past: Any, alpha: Any) -> Any:
    def score(place: int) -> Any:
        unlike = min(-likeness_2(states[place], one) for one in past)
        return (1 - alpha) * probabilities[place] + alpha * unlike

    return max(range(len(states)), key=score)


def choice_3(probabilities: Any, states: Any, past: Any, alpha: Any) -> Any:
    import numpy as np

    unit = [np.array(rows) / np.linalg.norm(rows, axis=1, keepdims=True) for rows in (states, past)]
    return int(np.argmax((1 - alpha) * np.array(probabilities) - alpha * (unit[0] @ unit[1].T).max(axis=1)))


def ready_1(held: Any) -> Any:
    for missing in range(4):
        end = len(held) - missing
        try:
            return held[:end].decode(), held[end:]
        except UnicodeDecodeError:
            pass


def ready_2(held: Any) -> Any:
    decoder = codecs.getincrementaldecoder("utf-8")()
    text = decoder.decode(held)
    return [text, decoder.getstate()[0]]


def ready_3(held: Any) -> Any:
    place = 0
    while place < len(held):
        lead = held[place]
        width = 1 if lead < 0x80 else 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4
        if place + width > len(held):
            break
        place += width
    return str(held[:place], "utf-8"), held[place:]


def start_1(ids: Any, start: Any) -> Any:
    if ids and ids[0] == start:
        return ids
    return [start, *ids]


def start_2(ids: Any, start: Any) -> Any:
    return [start][: list(ids[:1]) != [start]] + list(ids)


def start_3(ids: Any, start: Any) -> Any:
    first, *rest = ids or [start]
    return (start, *rest) if first == start else (start, first, *rest)


VARIANTS: dict[str, tuple[Any, ...]] = {
    "cosine_similarity": (likeness_1, likeness_2, likeness_3),
    "contrastive_choice": (choice_1, choice_2, choice_3),
    "ready": (ready_1, ready_2, ready_3),
    "start_once": (start_1, start_2, start_3),
}


def product(left: Any, right: Any) -> Any:
    return sum(x * y for x, y in zip(left, right, strict=True))


def _shares(probabilities: Any, states: Any, past: Any, confidence: Any, penalty: Any) -> Any:
    scores = [
        confidence * p - penalty * max(likeness_1(state, one) for one in past)
        for p, state in zip(probabilities, states, strict=True)
    ]
    return scores.index(max(scores))


def _all_or_nothing(held: Any) -> Any:
    text, rest = ready_1(held)
    return ("", held) if rest else (text, b"")


WRONG: dict[str, list[tuple[Any, str, int]]] = {
    "cosine_similarity": [
        (wrong.dot_product_as_similarity, rule_of(wrong.dot_product_as_similarity), 10),
        (wrong.divide_by_one_norm, "the norms of both", 10),
        (lambda left, right: wrong.divide_by_one_norm(right, left), "the norms of both", 10),
        (
            lambda left, right: product(left, right) / product(left, left) / product(right, right),
            "is the square root",
            12,
        ),
        (lambda left, right: abs(likeness_1(left, right)), "opposite directions", 12),
        (lambda left, right: product(left, right) / (math.hypot(*left) + math.hypot(*right)), "not by their sum", 10),
        (lambda left, right: 1 - likeness_1(left, right), rule_of(wrong.dot_product_as_similarity), 10),
    ],
    "contrastive_choice": [
        (wrong.mean_similarity, rule_of(wrong.mean_similarity), 60),
        (wrong.last_token_similarity, rule_of(wrong.last_token_similarity), 60),
        (wrong.similarity_rewarded, rule_of(wrong.similarity_rewarded), 50),
        (
            lambda probabilities, states, past, alpha: wrong.contrastive_select_with(
                [max(product(state, one) for one in past) for state in states], probabilities, alpha
            ),
            rule_of(wrong.dot_product_as_similarity),
            60,
        ),
        (lambda p, s, past, alpha: _shares(p, s, past, alpha, 1 - alpha), "is the weight of the penalty", 50),
        (lambda p, s, past, alpha: _shares(p, s, past, 1, alpha), "The probability has a weight as well", 60),
        (lambda p, s, past, alpha: p.index(max(p)), "applies to the most probable candidate as well", 50),
        (lambda p, s, past, alpha: choice_1(p, s, [*past, *s], alpha), "not with itself or another candidate", 60),
        (
            lambda p, s, past, alpha: max(
                (1 - alpha) * x - alpha * max(likeness_1(state, one) for one in past)
                for x, state in zip(p, s, strict=True)
            ),
            "Return the index of the candidate, counted from 0, not",
            50,
        ),
    ],
    "ready": [
        (wrong.pending_by_replacement_character, "it is shown", 20),
        (lambda held: (held.decode(errors="replace"), b""), "Do not show them as", 10),
        (lambda held: (held.decode(errors="ignore"), b""), "Otherwise, the character is lost", 10),
        (lambda held: (ready_1(held)[0], held), "Otherwise, they are shown twice", 10),
        (_all_or_nothing, "Show complete characters immediately", 15),
        (lambda held: ready_1(held)[0], "Return a pair", 10),
        (lambda held: ready_1(held)[::-1], "Return a pair", 10),
        (lambda held: (ready_1(held)[0].replace("�", ""), ready_1(held)[1]), "it is shown", 20),
        (lambda held: (held.decode(), b""), "Show complete characters. Only", 10),
    ],
    "start_once": [
        (wrong.double_bos, rule_of(wrong.double_bos), 10),
        (wrong.no_bos, "Add the start token if the ids do not", 10),
        (lambda ids, start: [start, *(id for id in ids if id != start)], "do not change", 10),
        (lambda ids, start: ids if start in ids else [start, *ids], "is an ordinary token", 10),
        (lambda ids, start: [start, *ids[1:]], "No token is lost", 10),
        (lambda ids, start: ids if ids[0] == start else [start, *ids], rule_of(wrong.double_bos), 10),
    ],
}

CAUGHT = {
    "wait_while_replacement_character": ("ready", wrong.pending_by_replacement_character),
    "double_bos": ("start_once", wrong.double_bos),
    "no_bos": ("start_once", wrong.no_bos),
    "dot_product_as_similarity": ("cosine_similarity", wrong.dot_product_as_similarity),
    "divide_by_one_norm": ("cosine_similarity", wrong.divide_by_one_norm),
    **{
        name: ("contrastive_choice", getattr(wrong, name))
        for name in ("mean_similarity", "last_token_similarity", "similarity_rewarded")
    },
}
_SMILE = "🙂".encode()
ANSWERED = {"decode_each_token": ("texts_by_hand", (wrong.decode_each_token([_SMILE[:2], _SMILE[2:], b"!"]),))}

RIGHT: dict[str, tuple[Any, ...]] = {"choice_by_hand": (0.8, 1), "texts_by_hand": (["", "🙂", "!"],)}
NOT_RIGHT: list[tuple[str, tuple[Any, ...], str]] = [
    ("choice_by_hand", (0.7, 1), "The first candidate's penalty is not 0.7."),
    ("choice_by_hand", (0.6, 1), "The first candidate's penalty is not 0.6."),
    ("choice_by_hand", (0.8, 0), "The selected candidate is not 0."),
    ("choice_by_hand", (0.8, None), "The selected candidate is not None."),
    ("texts_by_hand", (["�", "�", "!"],), "The shown text is not ['�', '�', '!']."),
    ("texts_by_hand", (None,), "The shown text is not None."),
]

SHOWS: dict[Any, list[tuple[Any, ...]]] = {
    wrong.decode_each_token: [([b"\xf0\x9f", b"\x99\x82"],), ((b"a", b"\xc3", b"\xa9"),)],
    wrong.mean_similarity: [([[1, 0], [-1, 0]],), (((2, 0), (0, -1), (-3, 0), (-1, 0)),)],
}
DOES_NOT: dict[Any, list[tuple[Any, ...]]] = {
    wrong.decode_each_token: [([b"a", b"b"],), (["é".encode()],), (["�".encode(), b"a"],)],
    wrong.mean_similarity: [([[1, 0]],), ([[1, 0], [0, 1]],), ([[1, 0], [1, 1]],)],
}
