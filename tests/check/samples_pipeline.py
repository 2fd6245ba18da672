"""Right and wrong programs for the exercises of lesson 11."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from tests.check.known_wrong import known
from tokenlab.check.exercises import pipeline as exercises
from tokenlab.misconceptions import pipeline as wrong
from tokenlab.misconceptions.catalog import rule_of


def span_1(alignments: Any, start: Any, end: Any) -> Any:
    return alignments[start][0], alignments[end - 1][1]


def span_2(alignments: Any, start: Any, end: Any) -> Any:
    chosen = alignments[start:end]
    return [chosen[0][0], chosen[-1][1]]


def span_3(alignments: Any, start: Any, end: Any) -> Any:
    starts, ends = zip(*(alignments[place] for place in range(start, end)), strict=True)
    return min(starts), max(ends)


def labels_1(labels: Any, offsets: Any) -> Any:
    result = []
    for start, end in offsets:
        found = "O"
        for place in range(start, end):
            if found == "O":
                found = labels[place]
        result.append(found)
    return result


def labels_2(labels: Any, offsets: Any) -> Any:
    return [[*(label for label in labels[start:end] if label != "O"), "O"][0] for start, end in offsets]


def labels_3(labels: Any, offsets: Any) -> Any:
    def label_of(span: Any) -> Any:
        start, end = span
        if start >= end:
            return "O"
        return labels[start] if labels[start] != "O" else label_of((start + 1, end))

    return tuple(map(label_of, offsets))


def split_1(text: Any, content: Any) -> Any:
    return [part for part in re.split(rf"(\s*{re.escape(content)})", text) if part]


def split_2(text: Any, content: Any) -> Any:
    parts, rest = [], text
    while content in rest:
        before, _, after = rest.partition(content)
        kept = before.rstrip()
        parts += [kept, before[len(kept) :] + content]
        rest = after
    return list(filter(None, [*parts, rest]))


def split_3(text: Any, content: Any) -> Any:
    parts, done = [], 0
    for match in re.finditer(re.escape(content), text):
        start = match.start()
        while start > done and text[start - 1].isspace():
            start -= 1
        parts += [text[done:start], text[start : match.end()]]
        done = match.end()
    return tuple(part for part in (*parts, text[done:]) if part)


VARIANTS: dict[str, list[Callable[..., Any]]] = {
    "original_span": [span_1, span_2, span_3],
    "token_labels": [labels_1, labels_2, labels_3],
    "split_added": [split_1, split_2, split_3],
}

WRONG: dict[str, list[Any]] = {
    "original_span": [
        (wrong.normalized_positions, rule_of(wrong.normalized_positions), 40),
        (lambda a, start, end: (a[start][0], a[end][1]), "The end of a span is exclusive", 40),
        (lambda a, start, end: (a[start][0], a[start][0] + end - start), "can be longer or shorter", 40),
        (lambda a, start, end: (a[start][0], a[end - 1][0]), "not its start", 40),
    ],
    "token_labels": [
        (lambda labels, offsets: [labels[s] if s < e else "O" for s, e in offsets], "may be a space", 40),
        (lambda labels, offsets: [labels[min(s, len(labels) - 1)] for s, _ in offsets], "has an empty span", 40),
        (
            lambda labels, offsets: [labels[min(n, len(labels) - 1)] for n in range(len(offsets))],
            "have different positions",
            40,
        ),
        (
            lambda labels, offsets: [
                next((label for label in reversed(labels[s:e]) if label != "O"), "O") for s, e in offsets
            ],
            "not the last",
            60,
        ),
        (
            lambda labels, offsets: [
                next((label for label in labels[s : e + 1] if label != "O"), "O") for s, e in offsets
            ],
            "does not belong to it",
            40,
        ),
        (
            lambda labels, offsets: [
                next((label for label in labels[s:e] if label != "O"), "O") for s, e in offsets if s < e
            ],
            "one label for each token",
            40,
        ),
        (lambda labels, offsets: [labels[s:e] for s, e in offsets], "If no label is left", 40),
    ],
    "split_added": [
        (wrong.ignore_lstrip, rule_of(wrong.ignore_lstrip), 30),
        known(exercises.split_added, "not only a single space", 30),
        known(exercises.split_added, "only the whitespace on its left", 30),
        known(exercises.split_added, "in the same part as the token", 30),
        known(exercises.split_added, "is a part of the result as well", 30),
        known(exercises.split_added, "is plain text, not a pattern", 30),
        known(exercises.split_added, "Every occurrence of the token", 30),
        known(exercises.split_added, "Leave out empty parts", 30),
        (lambda text, content: text.split(), "exactly one part", 30),
    ],
}

CAUGHT = {
    "ignore_lstrip": ("split_added", wrong.ignore_lstrip),
    "normalized_positions": ("original_span", wrong.normalized_positions),
}

_SPANS = [(0, 1), (1, 2), (2, 3)]
RIGHT: dict[str, tuple[Any, ...]] = {"shared_spans": (6, _SPANS)}
ANSWERED = {"byte_offsets": ("shared_spans", (6, wrong.byte_offsets("Ã©Ġ⭢")[1:]))}
NOT_RIGHT: list[tuple[str, tuple[Any, ...], str]] = [
    ("shared_spans", (3, _SPANS), "The number of tokens is not 3."),
    ("shared_spans", (6, [(0, 1), (2, 2), (2, 3)]), "The list of offsets is not [(0, 1), (2, 2), (2, 3)]."),
    ("shared_spans", (6, [(1, 2), (2, 3), (3, 4)]), "The list of offsets is not [(1, 2), (2, 3), (3, 4)]."),
]
SHOWS: dict[Any, list[tuple[Any, ...]]] = {wrong.find_offsets: [("cats at",), ("he a the e",), ("bat a b at",)]}
DOES_NOT: dict[Any, list[tuple[Any, ...]]] = {wrong.find_offsets: [("at cats",), ("a b c",), ("to be or not",)]}
