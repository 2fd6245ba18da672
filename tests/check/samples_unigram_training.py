"""For the exercises of lesson 07: three right programs in different styles, and wrong ones with their rules."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable
from typing import Any

from tokenlab.misconceptions import unigram_training as wrong
from tokenlab.misconceptions.catalog import rule_of

Function = Callable[..., Any]


def shares_1(words: Any, ways: Any) -> Any:
    counts: dict[str, float] = {}
    for word, count in words.items():
        total = sum(p for _, p in ways[word])
        for pieces, p in ways[word]:
            for piece in pieces:
                counts[piece] = counts.get(piece, 0) + count * p / total
    return counts


def shares_2(words: Any, ways: Any) -> Any:
    counts: defaultdict[str, float] = defaultdict(float)
    for word in words:
        unit = words[word] / sum([way[1] for way in ways[word]])
        for way in ways[word]:
            for piece, times in Counter(way[0]).items():
                counts[piece] += unit * way[1] * times
    return counts


def shares_3(words: Any, ways: Any) -> Any:
    handed_out = [
        (piece, words[word] * p / sum(q for _, q in ways[word]))
        for word in words
        for pieces, p in ways[word]
        for piece in pieces
    ]
    return {piece: sum(part for other, part in handed_out if other == piece) for piece, _ in handed_out}


def estimate_1(counts: Any) -> Any:
    kept = {}
    for piece, count in counts.items():
        if len(piece) == 1:
            kept[piece] = max(count, 0.5)
        elif count >= 0.5:
            kept[piece] = count
    total = sum(kept.values())
    return {piece: count / total for piece, count in kept.items()}


def estimate_2(counts: Any) -> Any:
    kept = {piece: max(count, 0.5) for piece, count in counts.items() if count >= 0.5 or len(piece) < 2}
    return {piece: kept[piece] / sum(kept.values()) for piece in kept}


def estimate_3(counts: Any) -> Any:
    kept = dict(counts)
    for piece in list(kept):
        if kept[piece] < 0.5:
            if len(piece) > 1:
                del kept[piece]
            else:
                kept[piece] = 0.5
    whole = sum(kept.values())
    return dict(zip(kept, (count / whole for count in kept.values()), strict=True))


def keep_1(pieces: Any, size: Any) -> Any:
    kept = [piece for piece in pieces if len(piece) == 1]
    for piece in sorted(pieces, key=lambda piece: (-pieces[piece][1] / len(piece), piece)):
        if len(piece) > 1 and pieces[piece][1] > 0 and len(kept) < size:
            kept.append(piece)
    return sorted(kept)


def keep_2(pieces: Any, size: Any) -> Any:
    characters = {piece for piece in pieces if len(piece) == 1}
    longer = [(loss / len(piece), piece) for piece, (_, loss) in pieces.items() if piece not in characters and loss]
    longer.sort(key=lambda both: both[1])
    longer.sort(key=lambda both: both[0], reverse=True)
    room = max(size - len(characters), 0)
    return tuple(sorted(characters | {piece for _, piece in longer[:room]}))


def keep_3(pieces: Any, size: Any) -> Any:
    left = {piece: loss / len(piece) for piece, (_, loss) in pieces.items() if loss or len(piece) == 1}
    while len(left) > size and any(len(piece) > 1 for piece in left):
        cheapest = min(left[piece] for piece in left if len(piece) > 1)
        del left[max(piece for piece in left if len(piece) > 1 and left[piece] == cheapest)]
    return sorted(left)


def occurs_1(words: Any) -> Any:
    counts: dict[str, int] = {}
    for word, count in words.items():
        for start in range(len(word)):
            for end in range(start + 1, len(word) + 1):
                counts[word[start:end]] = counts.get(word[start:end], 0) + count
    return counts


def occurs_2(words: Any) -> Any:
    counts: Counter[str] = Counter()
    for word in words:
        for length in range(1, len(word) + 1):
            for start in range(len(word) - length + 1):
                counts[word[start : start + length]] += words[word]
    return counts


def occurs_3(words: Any) -> Any:
    pieces = {word[start:end] for word in words for end in range(len(word) + 1) for start in range(end)}
    return {
        piece: sum(count for word, count in words.items() for at in range(len(word)) if word.startswith(piece, at))
        for piece in pieces
    }


VARIANTS: dict[str, tuple[Function, Function, Function]] = {
    "count_expected": (shares_1, shares_2, shares_3),
    "estimate": (estimate_1, estimate_2, estimate_3),
    "keep_pieces": (keep_1, keep_2, keep_3),
    "count_occurrences": (occurs_1, occurs_2, occurs_3),
}


def _best_only(words: Any, ways: Any) -> Any:
    best = {word: [(max(ways[word], key=lambda way: way[1])[0], 1)] for word in words}
    return shares_1(words, best)


def _not_divided(words: Any, ways: Any) -> Any:
    counts: dict[str, float] = {}
    for word in words:
        for pieces, p in ways[word]:
            for piece in pieces:
                counts[piece] = counts.get(piece, 0) + words[word] * p
    return counts


def _once_each(words: Any, ways: Any) -> Any:
    return shares_1(words, {word: [(tuple(set(pieces)), p) for pieces, p in ways[word]] for word in ways})


def _without_rare_characters(counts: Any) -> Any:
    kept = {piece: count for piece, count in counts.items() if count >= 0.5}
    return {piece: count / sum(kept.values()) for piece, count in kept.items()}


def _all_of_them(counts: Any) -> Any:
    kept = {piece: max(count, 0.5) if len(piece) == 1 else count for piece, count in counts.items()}
    return {piece: count / sum(kept.values()) for piece, count in kept.items()}


def _longer_by(pieces: Any, size: Any, key: Any, useless: bool) -> Any:
    characters = [piece for piece in pieces if len(piece) == 1]
    longer = [piece for piece in pieces if len(piece) > 1 and (useless or pieces[piece][1])]
    return sorted(characters + sorted(longer, key=lambda p: (key(p), p))[: max(0, size - len(characters))])


def _by_probability(pieces: Any, size: Any) -> Any:
    return _longer_by(pieces, size, lambda p: -pieces[p][0], useless=True)


def _characters_like_others(pieces: Any, size: Any) -> Any:
    return sorted(sorted(pieces, key=lambda p: (-pieces[p][1] / len(p), p))[:size])


def _of_the_first_word(words: Any) -> Any:
    return wrong.word_count_not_occurrences(words, True)


WRONG: dict[str, list[tuple[Function, str, int]]] = {
    "count_expected": [
        (_best_only, "the counts are fractions", 90),
        (_not_divided, "divide each by their sum", 90),
        (lambda words, ways: shares_1(dict.fromkeys(words, 1), ways), "contributes 5", 90),
        (_once_each, "Each occurrence of a piece in a segmentation", 120),
    ],
    "estimate": [
        (_without_rare_characters, "A character is never dropped", 40),
        (_all_of_them, "below 0.5 is dropped", 40),
        (
            lambda counts: {p: c / sum(counts.values()) for p, c in counts.items() if len(p) == 1 or c >= 0.5},
            "Divide by the sum of the new counts",
            40,
        ),
        (
            lambda counts: {p: c for p, c in counts.items() if len(p) == 1 or c >= 0.5},
            "then divide by the sum",
            40,
        ),
    ],
    "keep_pieces": [
        (_by_probability, rule_of(wrong.prune_by_prob), 60),
        (_characters_like_others, "A character is never removed", 40),
        (lambda p, size: _longer_by(p, size, lambda q: -p[q][1], False), "divided by the length", 70),
        (lambda p, size: _longer_by(p, size, lambda q: -p[q][1] / len(q), True), "removed, even if it would fit", 40),
        (lambda pieces, size: keep_1(pieces, size + 1), "Fill the remaining places", 60),
    ],
    "count_occurrences": [
        (_of_the_first_word, rule_of(wrong.word_count_not_occurrences), 30),
        (
            lambda words: {p: sum(c for w, c in words.items() if p in w) for p in occurs_1(words)},
            "several positions",
            30,
        ),
        (
            lambda words: {p: sum(c * w.count(p) for w, c in words.items()) for p in occurs_1(words)},
            "Overlapping occurrences count as well: aa occurs twice",
            30,
        ),
        (lambda words: occurs_1(dict.fromkeys(words, 1)), "Every substring counts at every position", 30),
    ],
}

CAUGHT = {
    "word_count_not_occurrences": ("count_occurrences", _of_the_first_word),
    "hard_em": ("count_expected", _best_only),
    "prune_by_prob": ("keep_pieces", _by_probability),
    "prune_characters": ("keep_pieces", _characters_like_others),
}

RIGHT: dict[str, tuple[Any, ...]] = {"expected_by_hand": (6, 5)}
NOT_RIGHT: list[tuple[str, tuple[Any, ...], str]] = [
    ("expected_by_hand", (8, 3), "The expected count of ab is not 8."),
    ("expected_by_hand", (6, 2), "The expected count of a is not 2."),
    ("expected_by_hand", (2.4, 5), "The expected count of ab is not 2.4."),
]

SHOWS: dict[Callable[..., Any], list[tuple[Any, ...]]] = {
    wrong.prune_by_prob: [
        ({"ab": 3}, {"a": 0.1, "b": 0.1, "x": 0.1, "ax": 0.4, "ab": 0.3}),
        ({"ab": 1, "abc": 9}, {"a": 0.1, "b": 0.1, "c": 0.1, "ab": 0.3, "abc": 0.2}),
    ]
}
DOES_NOT: dict[Callable[..., Any], list[tuple[Any, ...]]] = {
    wrong.prune_by_prob: [
        ({"ab": 3}, {"a": 0.1, "b": 0.1, "x": 0.1, "ax": 0.3, "ab": 0.4}),
        ({"this": 9}, {"t": 0.1, "h": 0.1, "i": 0.1, "s": 0.1, "his": 0.2, "this": 0.3}),
    ]
}
