"""Right and wrong programs for the exercises of lesson 08."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import reduce
from typing import Any

from tests.check.known_wrong import known
from tokenlab.check.exercises import sentencepiece as exercises
from tokenlab.misconceptions import sentencepiece as wrong
from tokenlab.misconceptions.catalog import rule_of


def normalize_1(text: Any, replacements: Any) -> Any:
    new, place = "", 0
    while place < len(text):
        keys = [key for key in replacements if text.startswith(key, place)]
        key = max(keys, key=len, default=text[place])
        new += replacements.get(key, key)
        place += len(key)
    words = [word for word in new.split(" ") if word]
    return "".join("▁" + word for word in words)


def normalize_2(text: Any, replacements: Any) -> Any:
    if replacements:
        pattern = "|".join(re.escape(key) for key in sorted(replacements, key=len, reverse=True))
        text = re.sub(pattern, lambda match: replacements[match.group()], text)
    text = re.sub(" +", " ", text).strip(" ")
    return ("▁" + text.replace(" ", "▁")) if text else ""


def normalize_3(text: Any, replacements: Any) -> Any:
    def first(rest: Any) -> Any:
        for length in range(len(rest), 0, -1):
            if rest[:length] in replacements:
                return replacements[rest[:length]], rest[length:]
        return rest[0], rest[1:]

    pieces: list[str] = []
    while text:
        piece, text = first(text)
        pieces.append(piece)
    blank = [part for part in "".join(pieces).split(" ") if part != ""]
    return "▁" + "▁".join(blank) if blank else ""


def model_id_1(model: Any, number: Any) -> Any:
    if model == "XLM-R":
        return {0: 3, 1: 0, 2: 2}.get(number, number + 1)
    return 32_099 - number


def model_id_2(model: Any, number: Any) -> Any:
    if model == "T5":
        return list(range(32_000, 32_100))[::-1][number]
    return [3, 0, 2][number] if number < 3 else number + 1


def model_id_3(model: Any, number: Any) -> Any:
    names = ["<s>", "<pad>", "</s>", "<unk>", *range(3, 200)]
    file = ["<unk>", "<s>", "</s>", *range(3, 200)]
    return names.index(file[number]) if model == "XLM-R" else 32_000 + 100 - 1 - number


def resegment_1(pieces: Any, parts: Any, unused: Any) -> Any:
    result: list[str] = []
    for piece in pieces:
        if piece in unused:
            result += resegment_1(parts[piece], parts, unused)
        else:
            result.append(piece)
    return result


def resegment_2(pieces: Any, parts: Any, unused: Any) -> Any:
    stack, result = list(reversed(pieces)), []
    while stack:
        piece = stack.pop()
        if piece in unused:
            stack.extend(reversed(parts[piece]))
        else:
            result.append(piece)
    return tuple(result)


def resegment_3(pieces: Any, parts: Any, unused: Any) -> Any:
    pieces = tuple(pieces)
    while any(piece in unused for piece in pieces):
        split = (parts[piece] if piece in unused else (piece,) for piece in pieces)
        pieces = reduce(lambda done, more: done + more, split, ())
    return pieces


def spans_1(text: Any, replacements: Any) -> Any:
    found, place = [], 0
    while place < len(text):
        key = max((key for key in replacements if text.startswith(key, place)), key=len, default=text[place])
        found += [(place, place + len(key))] * len(replacements.get(key, key))
        place += len(key)
    return found


def spans_2(text: Any, replacements: Any) -> Any:
    pattern = "|".join([*(re.escape(key) for key in sorted(replacements, key=len, reverse=True)), "(?s:.)"])
    matches = list(re.finditer(pattern, text))
    return tuple(m.span() for m in matches for _ in replacements.get(m.group(), m.group()))


def spans_3(text: Any, replacements: Any, start: Any = 0) -> Any:
    if start == len(text):
        return []
    ends = [end for end in range(start + 1, len(text) + 1) if text[start:end] in replacements]
    end = max(ends, default=start + 1)
    new = replacements[text[start:end]] if ends else text[start]
    return [(start, end) for _ in new] + spans_3(text, replacements, end)


def of_kit(program: Callable[..., Any], called: Callable[..., Any] | None = None, most: int | None = None) -> Any:
    """A wrong program of the kit, called as the task calls; with its rule, and how long a counterexample may be."""
    return called or program, rule_of(program), most


VARIANTS: dict[str, list[Callable[..., Any]]] = {
    "normalize_text": [normalize_1, normalize_2, normalize_3],
    "model_id": [model_id_1, model_id_2, model_id_3],
    "resegment_pieces": [resegment_1, resegment_2, resegment_3],
    "spans": [spans_1, spans_2, spans_3],
}

WRONG: dict[str, list[Any]] = {
    "normalize_text": [
        of_kit(wrong.no_nfkc, most=40),
        of_kit(wrong.keep_spaces, most=30),
        (exercises._shortest_first, "the longest is replaced", 40),
        (exercises._key_by_key, "are not replaced again", 40),
        (exercises._spaces_first, "extra spaces are removed after the replacements", 40),
        (lambda text, replacements: normalize_1(text, replacements) or "▁", "An empty text gets no space", 20),
        (lambda text, replacements: normalize_1(text, replacements)[1:], "then a space added in front", 30),
    ],
    "model_id": [
        of_kit(
            wrong.no_offset, lambda model, number: wrong.no_offset(number) if model == "XLM-R" else 32_099 - number, 20
        ),
        of_kit(
            wrong.sentinel_ascending,
            lambda model, number: wrong.sentinel_ascending(number) if model == "T5" else model_id_1(model, number),
            20,
        ),
        (lambda model, number: number + 1 if model == "XLM-R" else 32_099 - number, "do not move up by 1", 20),
        (lambda model, number: model_id_1(model, number) + (model == "T5"), "counted from 0", 20),
    ],
    "resegment_pieces": [
        of_kit(wrong.no_resegment, most=60),
        (exercises._one_level, "split the parts again", 90),
        (
            lambda pieces, parts, unused: [
                part for piece in pieces for part in (piece if piece in unused else [piece])
            ],
            "A piece is split into its two parts, not directly into",
            90,
        ),
        (lambda pieces, parts, unused: [piece for piece in pieces if piece not in unused], "Nothing is lost", 60),
    ],
    "spans": [
        of_kit(wrong.normalized_offsets, most=30),
        known(exercises.spans, "has a span of the same length", 40),
        known(exercises.spans, "even if two are equal", 40),
        (
            lambda text, replacements: [end for _, end in spans_1(text, replacements)],
            "other characters have their own position",
            30,
        ),
    ],
}

CAUGHT = {
    "no_nfkc": ("normalize_text", wrong.no_nfkc),
    "keep_spaces": ("normalize_text", wrong.keep_spaces),
    "no_resegment": ("resegment_pieces", wrong.no_resegment),
    "sentinel_ascending": ("model_id", WRONG["model_id"][1][0]),
    "no_offset": ("model_id", WRONG["model_id"][0][0]),
    "normalized_offsets": ("spans", wrong.normalized_offsets),
}

RIGHT: dict[str, tuple[Any, ...]] = {"normalized": ("▁1▁fish...",)}
NOT_RIGHT: list[tuple[str, tuple[Any, ...], str]] = [
    ("normalized", ("1 fish...",), "The normalized text is not '1 fish...'."),
    ("normalized", ("▁1▁▁fish...",), "The normalized text is not '▁1▁▁fish...'."),
    ("normalized", ("▁①▁ﬁsh…",), "The normalized text is not '▁①▁ﬁsh…'."),
]
SHOWS: dict[Any, list[tuple[Any, ...]]] = {
    wrong.normalized_offsets: [("ﬁe\u0301x",), ("e\u0301 ﬁ",), ("…e\u0301e\u0301日",)]
}
DOES_NOT: dict[Any, list[tuple[Any, ...]]] = {wrong.normalized_offsets: [("abcd",), ("①①①①①",), ("日本\u3000語ab",)]}
