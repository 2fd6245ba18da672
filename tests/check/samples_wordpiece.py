"""Lesson 05: right programs in three styles, wrong ones with their rules, answers, and inputs that show the bug."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

from tokenlab.misconceptions import wordpiece as wrong
from tokenlab.misconceptions.catalog import rule_of


def join_1(left: Any, right: Any) -> Any:
    return left + right[2:]


def join_2(left: Any, right: Any) -> Any:
    if right.startswith("##"):
        right = right.removeprefix("##")
    return f"{left}{right}"


def join_3(left: Any, right: Any) -> Any:
    return "".join([left, re.sub("^##", "", right)])


def encode_1(word: Any, vocabulary: Any) -> Any:
    pieces, start = [], 0
    while start < len(word):
        end = len(word)
        while end > start:
            piece = word[start:end]
            if start > 0:
                piece = "##" + piece
            if piece in vocabulary:
                break
            end -= 1
        if end == start:
            return ["[UNK]"]
        pieces.append(piece)
        start = end
    return pieces


def encode_2(word: Any, vocabulary: Any) -> Any:
    def rest(text: str, mark: str) -> list[str] | None:
        if not text:
            return []
        for end in reversed(range(1, len(text) + 1)):
            if mark + text[:end] in vocabulary:
                more = rest(text[end:], "##")
                return None if more is None else [mark + text[:end], *more]
        return None

    found = rest(word, "")
    return ("[UNK]",) if found is None else tuple(found)


def encode_3(word: Any, vocabulary: Any) -> Any:
    # Not as the lesson says it, but the same: of all pieces that fit here the longest.
    left, pieces = word, ()
    while left:
        mark = "##" if pieces else ""
        fit = [p for p in vocabulary if p.startswith(mark) and len(p) > len(mark) and left.startswith(p[len(mark) :])]
        if not fit:
            return ("[UNK]",)
        pieces += (max(fit, key=len),)
        left = left[len(pieces[-1]) - len(mark) :]
    return pieces


def best_1(pair_counts: Any, symbol_counts: Any, min_frequency: Any) -> Any:
    scores = {
        pair: count / (symbol_counts[pair[0]] * symbol_counts[pair[1]])
        for pair, count in pair_counts.items()
        if count >= min_frequency
    }
    return max(scores, key=scores.get) if scores else ()


def best_2(pair_counts: Any, symbol_counts: Any, min_frequency: Any) -> Any:
    best = ()
    highest = Fraction(0)
    for (left, right), count in pair_counts.items():
        score = Fraction(count, symbol_counts[left] * symbol_counts[right])
        if count >= min_frequency and score > highest:
            best, highest = (left, right), score
    return best


def best_3(pair_counts: Any, symbol_counts: Any, min_frequency: Any) -> Any:
    frequent = [pair for pair in pair_counts if not pair_counts[pair] < min_frequency]
    ordered = sorted(frequent, key=lambda pair: -pair_counts[pair] / symbol_counts[pair[0]] / symbol_counts[pair[1]])
    exact = [Fraction(pair_counts[pair], symbol_counts[pair[0]] * symbol_counts[pair[1]]) for pair in ordered]
    return next((pair for pair in frequent if pair in ordered[: exact.count(max(exact))]), ()) if ordered else ()


def _join(word: Any, vocabulary: Any) -> Any:
    return encode_1(word, [piece.replace("##", "") for piece in vocabulary])


def _shortest(word: Any, vocabulary: Any) -> Any:
    pieces, start = [], 0
    while start < len(word):
        mark = "##" if start else ""
        ends = [end for end in range(start + 1, len(word) + 1) if mark + word[start:end] in vocabulary]
        if not ends:
            return ("[UNK]",)
        pieces.append(mark + word[start : ends[0]])
        start = ends[0]
    return tuple(pieces)


def _from_right(word: Any, vocabulary: Any) -> Any:
    pieces, end = [], len(word)
    while end:
        for start in range(end):
            piece = ("##" if start else "") + word[start:end]
            if piece in vocabulary:
                pieces.insert(0, piece)
                end = start
                break
        else:
            return ("[UNK]",)
    return tuple(pieces)


def _scored(score: Any) -> Any:
    def best(pair_counts: Any, symbol_counts: Any, min_frequency: Any) -> Any:
        scores = {
            pair: score(count, symbol_counts[pair[0]], symbol_counts[pair[1]])
            for pair, count in pair_counts.items()
            if count >= min_frequency
        }
        return max(scores, key=scores.get) if scores else ()

    return best


_frequent = _scored(lambda count, left, right: count)

VARIANTS: dict[str, tuple[Any, Any, Any]] = {
    "join_symbols": (join_1, join_2, join_3),
    "encode_wordpiece": (encode_1, encode_2, encode_3),
    "best_pair": (best_1, best_2, best_3),
}

WRONG: dict[str, list[tuple[Any, str, int]]] = {
    "join_symbols": [
        (lambda left, right: wrong.double_hash((left, right)), rule_of(wrong.double_hash), 20),
        (lambda left, right: (left + right).replace("##", ""), "The left symbol keeps its prefix", 20),
        (lambda left, right: left + right.strip("#"), "belongs to the text", 20),
        (lambda left, right: left.removeprefix("##") + right[2:], "keeps its prefix if it has one.", 20),
    ],
    "encode_wordpiece": [
        (wrong.piecewise_unk, rule_of(wrong.piecewise_unk), 20),
        (wrong.rest_unk, rule_of(wrong.rest_unk), 30),
        (wrong.no_hash, rule_of(wrong.no_hash), 30),
        (_join, "A lookup inside the word starts with ##", 30),
        (_shortest, "remove its last character", 40),
        (_from_right, "remove its last character", 60),
    ],
    "best_pair": [
        (_frequent, rule_of(wrong.frequency_score), 150),
        (lambda pairs, pieces, min_frequency: best_1(pairs, pieces, 1), "even if its score is the highest", 120),
        (lambda pairs, pieces, min_frequency: best_1(pairs, pieces, min_frequency + 1), "exactly `min_frequency`", 120),
        (_scored(lambda count, left, right: count / (left + right)), "A rare pair can have", 150),
        (_scored(lambda count, left, right: count / left), "Divide the count of each other pair", 150),
        (
            lambda pairs, pieces, min_frequency: max(
                [p for p in pairs if pairs[p] >= min_frequency], key=lambda p: pairs[p]
            ),
            "If no pair is left",
            120,
        ),
    ],
}

CAUGHT = {
    "piecewise_unk": ("encode_wordpiece", wrong.piecewise_unk),
    "rest_unk": ("encode_wordpiece", wrong.rest_unk),
    "no_hash": ("encode_wordpiece", wrong.no_hash),
    "double_hash": ("join_symbols", lambda left, right: wrong.double_hash((left, right))),
    "frequency_score": ("best_pair", _frequent),
}

RIGHT: dict[str, tuple[Any, ...]] = {"first_score": (("n", "##e"), 1 / 3)}
NOT_RIGHT: list[tuple[str, tuple[Any, ...], str]] = [
    ("first_score", (("l", "##o"), 1 / 8), "The first pair is not ('l', '##o')."),
    ("first_score", (("n", "e"), 1 / 3), "The first pair is not ('n', 'e')."),
    ("first_score", (("n", "##e"), 3), "The score of the first pair is not 3."),
    ("first_score", (("n", "##e"), 0.3), "The score of the first pair is not 0.3."),
]

SHOWS: dict[Any, list[tuple[Any, ...]]] = {
    wrong.frequency_score: [({"ab": 2, "ad": 1, "cd": 1},), ({"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5},)]
}
DOES_NOT: dict[Any, list[tuple[Any, ...]]] = {wrong.frequency_score: [({"ab": 2},), ({"ab": 2, "ac": 1},)]}
