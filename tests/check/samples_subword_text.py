"""Lesson 09: right programs in three styles, wrong ones with their rules, answers, and inputs that show the bug."""

from __future__ import annotations

import re
from collections import Counter
from itertools import groupby
from typing import Any

from tokenlab.algorithms.subword_text.build import segment_greedily
from tokenlab.check.exercises import subword_text as lesson
from tokenlab.misconceptions import subword_text as wrong
from tokenlab.misconceptions.catalog import rule_of


def escape_1(token: Any, alphabet: Any) -> Any:
    token = token.replace("\\", "\\\\").replace("_", "\\u")
    return "".join(c if c in alphabet else f"\\{ord(c)};" for c in token) + "_"


def escape_2(token: Any, alphabet: Any) -> Any:
    written = ""
    for character in token:
        if character == "_":
            written += "\\u"
        elif character == "\\":
            written += "\\\\"
        elif character in alphabet:
            written += character
        else:
            written += "\\" + str(ord(character)) + ";"
    return written + "_"


def escape_3(token: Any, alphabet: Any) -> Any:
    table = {ord("_"): "\\u", ord("\\"): "\\\\"}
    table |= {ord(c): f"\\{ord(c)};" for c in token if c not in alphabet}
    return f"{token.translate(table)}_"


def keep_1(counts: Any, min_count: Any, alphabet: Any) -> Any:
    left, kept = dict(counts), set(alphabet)
    for string in sorted(counts, key=len, reverse=True):
        if left[string] >= min_count:
            kept.add(string)
            for end in range(1, len(string)):
                left[string[:end]] -= left[string]
    return kept


def keep_2(counts: Any, min_count: Any, alphabet: Any) -> Any:
    own: dict[str, int] = {}
    for string in sorted(counts, key=lambda string: -len(string)):
        eaten = sum(count for longer, count in own.items() if longer.startswith(string))
        if counts[string] - eaten >= min_count:
            own[string] = counts[string] - eaten
    return {*alphabet, *own}


def keep_3(counts: Any, min_count: Any, alphabet: Any) -> Any:
    def decided(length: int, left: Any) -> Any:
        if not length:
            return set(alphabet)
        now = {s: c for s, c in left.items() if len(s) == length and c >= min_count}
        rest = Counter(left)
        for string, count in now.items():
            rest.subtract({string[:end]: count for end in range(1, length)})
        return set(now) | decided(length - 1, rest)

    return decided(max(map(len, counts)), counts)


def count_1(token_counts: Any, min_count: Any) -> Any:
    counts: Counter[str] = Counter()
    for token, count in token_counts.items():
        token += "_"
        for start in range(len(token)):
            for end in range(start + 1, len(token) + 1):
                counts[token[start:end]] += count
    return {string for string in counts if counts[string] >= min_count}


def count_2(token_counts: Any, min_count: Any) -> Any:
    tokens = {f"{token}_": count for token, count in token_counts.items()}
    strings = {token[a:b] for token in tokens for a in range(len(token)) for b in range(a + 1, len(token) + 1)}

    def often(string: str) -> int:
        overlapping = re.compile(f"(?={re.escape(string)})")
        return sum(count * len(overlapping.findall(token)) for token, count in tokens.items())

    return set(filter(lambda string: often(string) >= min_count, strings))


def count_3(token_counts: Any, min_count: Any) -> Any:
    found: dict[str, int] = {}
    for token, count in token_counts.items():
        rest = token + "_"
        while rest:
            for length in range(len(rest)):
                found[rest[: length + 1]] = found.get(rest[: length + 1], 0) + count
            rest = rest[1:]
    return {string for string, count in found.items() if not count < min_count}


def split_1(text: Any) -> Any:
    runs = ["".join(run) for _, run in groupby(text, str.isalnum)]
    return runs[:1] + [run for run in runs[1:-1] if run != " "] + runs[1:][-1:]


def split_2(text: Any) -> Any:
    tokens, start = [], 0
    for place in range(1, len(text)):
        if text[place].isalnum() != text[place - 1].isalnum():
            if text[start:place] != " " or start == 0:
                tokens.append(text[start:place])
            start = place
    return [*tokens, text[start:]] if text else []


def split_3(text: Any) -> Any:
    runs = re.findall(r"[^\W_]+|[\W_]+", text)
    return tuple(run for place, run in enumerate(runs) if run != " " or place in (0, len(runs) - 1))


def right_1(escaped: Any, subtokens: Any) -> Any:
    cut: list[str] = []
    while escaped:
        longest = max((s for s in subtokens if escaped.endswith(s)), key=len)
        cut.insert(0, longest)
        escaped = escaped[: -len(longest)]
    return cut


def right_2(escaped: Any, subtokens: Any) -> Any:
    cut, end = [], len(escaped)
    while end > 0:
        start = next(start for start in range(end) if escaped[start:end] in subtokens)
        cut.append(escaped[start:end])
        end = start
    return cut[::-1]


def right_3(escaped: Any, subtokens: Any) -> Any:
    for start in range(len(escaped)):
        if escaped[start:] in subtokens:
            return (*right_3(escaped[:start], subtokens), escaped[start:])
    return ()


def search_1(target_size: Any, sizes: Any) -> Any:
    low, high, tried = 1, len(sizes), []
    while True:
        middle = (low + high) // 2
        tried.append(middle)
        if abs(sizes[middle] - target_size) * 100 < target_size or low >= high or middle < 2:
            return tried
        if sizes[middle] > target_size:
            low = middle + 1
        else:
            high = middle - 1


def search_2(target_size: Any, sizes: Any) -> Any:
    def search(low: int, high: int) -> list[int]:
        middle = (low + high) // 2
        off = sizes[middle] - target_size
        if 100 * abs(off) < target_size or high <= low or middle == 1:
            return [middle]
        return [middle, *(search(middle + 1, high) if off > 0 else search(low, middle - 1))]

    return search(1, max(sizes))


def search_3(target_size: Any, sizes: Any) -> Any:
    tried: list[int] = []
    interval = (1, len(sizes))
    while interval is not None:
        low, high = interval
        tried += [(low + high) >> 1]
        size = sizes[tried[-1]]
        done = abs(size / target_size - 1) < 0.01 - 1e-12 or low >= high or tried[-1] < 2
        interval = None if done else (tried[-1] + 1, high) if size > target_size else (low, tried[-1] - 1)
    return tuple(tried)


VARIANTS: dict[str, tuple[Any, ...]] = {
    "escape": (escape_1, escape_2, escape_3),
    "choose_subtokens": (keep_1, keep_2, keep_3),
    "frequent_substrings": (count_1, count_2, count_3),
    "split_runs": (split_1, split_2, split_3),
    "segment_from_right": (right_1, right_2, right_3),
    "search_size": (search_1, search_2, search_3),
}


def _not_forced(counts: Any, min_count: Any, alphabet: Any) -> Any:
    return set(wrong.alphabet_not_forced(counts, min_count, set(alphabet)))


def _nothing(counts: Any, min_count: Any, alphabet: Any) -> Any:
    return set(wrong.decrement_nothing(counts, min_count, set(alphabet)))


def _every_part(counts: Any, min_count: Any, alphabet: Any) -> Any:
    return set(wrong.decrement_every_part(counts, min_count, set(alphabet)))


_DROPPED, _NO_END, _ONCE = (program for program, _ in lesson.frequent_substrings.known_wrong)
_WRONG_HALF, _TEN_PERCENT = (program for program, _ in lesson.search_size.known_wrong)

WRONG: dict[str, list[tuple[Any, str, int]]] = {
    "escape": [
        (wrong.no_escape, rule_of(wrong.no_escape), 40),
        (lesson.in_wrong_order, "The backslash is escaped first", 40),
        (
            lambda token, alphabet: escape_1(token, alphabet)[:-1],
            "Every token ends in an underscore, even an empty one.",
            40,
        ),
        (
            lambda token, alphabet: escape_1(token, alphabet + token),
            "A character outside the alphabet becomes a backslash,",
            40,
        ),
    ],
    "choose_subtokens": [
        (_not_forced, rule_of(wrong.alphabet_not_forced), 60),
        (_nothing, rule_of(wrong.decrement_nothing), 60),
        (_every_part, rule_of(wrong.decrement_every_part), 90),
    ],
    "frequent_substrings": [
        (_DROPPED, rule_of(wrong.drop_rare_tokens), 40),
        (_NO_END, rule_of(wrong.count_without_end), 30),
        (_ONCE, "counts twice", 30),
    ],
    "split_runs": [
        (wrong.keep_space_token, "A run that is a single space between two words is", 20),
        (
            lambda text: [run for run in split_1(text) if run != " "],
            "A space at the start or the end of the text is not",
            20,
        ),
        (lambda text: text.split(), "Only single spaces are dropped: punctuation, tabs and", 20),
    ],
    "segment_from_right": [
        (lambda escaped, subtokens: segment_greedily(escaped, subtokens), "not at the left", 60),
        (
            lambda escaped, subtokens: right_1(escaped, subtokens)[::-1],
            "The subtoken that is taken first comes last: reverse",
            60,
        ),
    ],
    "search_size": [(_WRONG_HALF, rule_of(wrong.wrong_half), 60), (_TEN_PERCENT, rule_of(wrong.ten_percent), 60)],
}

CAUGHT = {
    "no_escape": ("escape", wrong.no_escape),
    "keep_space_token": ("split_runs", wrong.keep_space_token),
    "alphabet_not_forced": ("choose_subtokens", _not_forced),
    "decrement_nothing": ("choose_subtokens", _nothing),
    "decrement_every_part": ("choose_subtokens", _every_part),
    "drop_rare_tokens": ("frequent_substrings", _DROPPED),
    "count_without_end": ("frequent_substrings", _NO_END),
    "wrong_half": ("search_size", _WRONG_HALF),
    "ten_percent": ("search_size", _TEN_PERCENT),
}

RIGHT: dict[str, tuple[Any, ...]] = {"subtokens_kept": ({"them": 5, "th": 4},)}
NOT_RIGHT: list[tuple[str, tuple[Any, ...], str]] = [
    (
        "subtokens_kept",
        ({"them": 5, "the": 7, "th": 9},),
        "The dict of kept strings is not {'them': 5, 'the': 7, 'th': 9}.",
    ),
    ("subtokens_kept", (["them", "th"],), "The dict of kept strings is not ['them', 'th']."),
]

SHOWS: dict[Any, list[tuple[Any, ...]]] = {wrong.no_escape: [("a_b",), ("_",), ("\\\\",), ("\\u",), ("日_",)]}
DOES_NOT: dict[Any, list[tuple[Any, ...]]] = {wrong.no_escape: [("ab",), ("日本",), ("\\",), ("a b",)]}
