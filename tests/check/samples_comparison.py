"""Right and wrong programs for the exercises of lesson 23."""

from __future__ import annotations

from collections.abc import Callable
from itertools import accumulate
from typing import Any

from tokenlab.check.exercises.comparison import _no_suffix, _overlapping
from tokenlab.misconceptions import comparison as wrong
from tokenlab.misconceptions.catalog import rule_of


def loss_1(text: Any, decoded: Any) -> Any:
    for index in range(max(len(text), len(decoded))):
        if text[index : index + 1] != decoded[index : index + 1]:
            return index
    return -1


def loss_2(text: Any, decoded: Any) -> Any:
    if text == decoded:
        return -1
    index = 0
    while text[: index + 1] == decoded[: index + 1]:
        index += 1
    return index


def loss_3(text: Any, decoded: Any) -> Any:
    short = min(len(text), len(decoded))
    found = [index for index in range(short) if text[index] != decoded[index]]
    return found[0] if found else short if len(text) != len(decoded) else -1


def fertility_1(text: Any, tokens: Any) -> Any:
    words = text.split()
    return len(tokens) / len(words) if words else 0


def fertility_2(text: Any, tokens: Any) -> Any:
    try:
        return len(tokens) / len(text.split())
    except ZeroDivisionError:
        return 0.0


def fertility_3(text: Any, tokens: Any) -> Any:
    count = sum(1 for _ in text.split())
    return sum(1 for _ in tokens) / max(count, 1) * (count > 0)


def ends(parts: Any) -> set[int]:
    place, found = 0, set()
    for part in parts[:-1]:
        place += len(part)
        found.add(place)
    return found


def scores_1(tokens: Any, morphemes: Any) -> Any:
    found, wanted = ends(tokens), ends(morphemes)
    both = found & wanted
    return (len(both) / len(found) if found else 1, len(both) / len(wanted) if wanted else 1)


def scores_2(tokens: Any, morphemes: Any) -> Any:
    mine, theirs = ([*accumulate(map(len, parts))][:-1] for parts in (tokens, morphemes))
    precision = sum(index in theirs for index in mine) / len(mine) if mine else 1.0
    recall = sum(index in mine for index in theirs) / len(theirs) if theirs else 1.0
    return [precision, recall]


def scores_3(tokens: Any, morphemes: Any) -> Any:
    def share(parts: set[int], others: set[int]) -> float:
        return 1.0 if not parts else len(parts & others) / len(parts)

    return share(ends(tokens), ends(morphemes)), share(ends(morphemes), ends(tokens))


def share_1(before: Any, after: Any) -> Any:
    if not before:
        return 1.0 if after else 0.0
    old, new = list(before), list(after)
    while old and new and old[0] == new[0]:
        del old[0], new[0]
    while old and new and old[-1] == new[-1]:
        del old[-1], new[-1]
    return len(old) / len(before)


def share_2(before: Any, after: Any) -> Any:
    start = 0
    while start < min(len(before), len(after)) and before[start] == after[start]:
        start += 1
    end = 0
    while end < min(len(before), len(after)) - start and before[-1 - end] == after[-1 - end]:
        end += 1
    return (len(before) - start - end) / len(before) if before else float(len(after) > 0)


def share_3(before: Any, after: Any) -> Any:
    if not len(before):
        return int(bool(after))
    size = min(len(before), len(after))
    start = next((n for n in range(size) if before[n] != after[n]), size)
    end = next((n for n in range(size - start) if before[~n] != after[~n]), size - start)
    return 1 - (start + end) / len(before)


VARIANTS: dict[str, list[Callable[..., Any]]] = {
    "first_loss": [loss_1, loss_2, loss_3],
    "tokens_per_word": [fertility_1, fertility_2, fertility_3],
    "boundary_scores": [scores_1, scores_2, scores_3],
    "changed_share": [share_1, share_2, share_3],
}

WRONG: dict[str, list[Any]] = {
    "first_loss": [
        (wrong.zip_stops_early, rule_of(wrong.zip_stops_early), 20),
        (lambda text, decoded: loss_1(text.strip(), decoded.strip()), "Spaces at the start", 30),
        (lambda text, decoded: loss_1(text, decoded) or -1, "If the first characters differ", 20),
        (lambda text, decoded: text != decoded, "not only True", 30),
    ],
    "tokens_per_word": [
        (
            lambda text, tokens: len(text.split()) / len(tokens) if tokens else 0.0,
            "divides the words by the tokens",
            40,
        ),
        (lambda text, tokens: len(tokens) / len(text.split(" ")) if text.split() else 0.0, "Several spaces", 40),
        (lambda text, tokens: len(tokens) / len(text) if text.split() else 0.0, "not its characters", 40),
        (lambda text, tokens: len(tokens) / len(text.split()), "may have no word", 30),
    ],
    "boundary_scores": [
        (wrong.end_is_a_boundary, rule_of(wrong.end_is_a_boundary), 80),
        (wrong.swapped_scores, rule_of(wrong.swapped_scores), 80),
        (
            lambda tokens, morphemes: (
                len({*tokens} & {*morphemes}) / len({*tokens}),
                len({*tokens} & {*morphemes}) / len({*morphemes}),
            ),
            "not the texts of the parts",
            80,
        ),
    ],
    "changed_share": [
        (wrong.positions_compared, rule_of(wrong.positions_compared), 60),
        (_no_suffix, "at the end have not changed either", 60),
        (_overlapping, "Do not remove a token twice", 60),
        (lambda before, after: share_1(after, before), "not those of `after`", 60),
    ],
}

CAUGHT = {
    "zip_stops_early": ("first_loss", wrong.zip_stops_early),
    "end_is_a_boundary": ("boundary_scores", wrong.end_is_a_boundary),
    "swapped_scores": ("boundary_scores", wrong.swapped_scores),
    "positions_compared": ("changed_share", wrong.positions_compared),
}

RIGHT: dict[str, tuple[Any, ...]] = {"precision_and_recall": (1 / 3, 1 / 2)}
NOT_RIGHT: list[tuple[str, tuple[Any, ...], str]] = [
    ("precision_and_recall", (0.25, 1 / 2), "The precision is not 0.25."),
    ("precision_and_recall", (1 / 3, 0.67), "The recall is not 0.67."),
]

SHOWS: dict[Any, list[tuple[Any, ...]]] = {wrong.zip_stops_early: [("ab", "a"), ("a", "ab"), ("hugs ", "hugs")]}
DOES_NOT: dict[Any, list[tuple[Any, ...]]] = {wrong.zip_stops_early: [("ab", "ab"), ("ab", "ac"), ("ab", "b")]}
