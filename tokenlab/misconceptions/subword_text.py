"""Seven common misconceptions about tensor2tensor's subtokens, each with one or more programs that implement it.

Each program has the signature of the correct function in `algorithms`, which it can replace.

>>> keep_space_token("so cool"), no_escape("so_cool", set("socl_"))
(['so', ' ', 'cool'], 'so_cool_')
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import groupby
from typing import TypeAlias

from tokenlab.algorithms.subword_text.build import select_subtokens, substrings_at_boundaries
from tokenlab.algorithms.subword_text.escape import END_MARKER
from tokenlab.misconceptions.misconception import Misconception

Building: TypeAlias = Callable[[float], list[str]]
Tries: TypeAlias = list[tuple[float, int]]


def no_escape(token: str, alphabet: Collection[str]) -> str:
    """Append an underscore without escaping the underscores in the token, so that the end of a token is ambiguous."""
    return "".join(c if c in alphabet and c != "\n" else f"\\{ord(c)};" for c in token) + END_MARKER


def keep_space_token(text: str) -> list[str]:
    """Make every run a token, including the single spaces between two words."""
    return ["".join(run) for _, run in groupby(text, str.isalnum)]


def alphabet_not_forced(counts: Mapping[str, int], min_count: float, alphabet: Collection[str]) -> list[str]:
    """Keep a character only if it is frequent: any size can be reached, but some texts cannot be encoded.

    >>> alphabet_not_forced({"t": 6, "th": 6, "the": 5}, 3, {"t", "h"})
    ['the']
    """
    steps = select_subtokens.record(counts, min_count, alphabet).steps
    frequent = {step.text for step in steps if hasattr(step, "count")}
    return [subtoken for subtoken in select_subtokens(counts, min_count, alphabet) if subtoken in frequent]


def decrement_nothing(counts: Mapping[str, int], min_count: float, alphabet: Collection[str]) -> list[str]:
    """Keep every string that was counted often enough, and so every prefix of a frequent string.

    >>> decrement_nothing({"t": 6, "th": 6, "the": 5}, 3, {"t", "h"})
    ['th', 't', 'the', 'h']
    """
    kept = [(count, string) for string, count in counts.items() if count >= max(min_count, 1)]
    kept += [(counts.get(c, 0), c) for c in alphabet if counts.get(c, 0) < max(min_count, 1)]
    return [string for _, string in sorted(kept, reverse=True)]


def decrement_every_part(counts: Mapping[str, int], min_count: float, alphabet: Collection[str]) -> list[str]:
    """Subtract the count of a kept string from all of its proper substrings, not only from its prefixes.

    >>> decrement_every_part({"th": 6, "he": 5, "the": 5}, 3, {"t", "h"})
    ['the', 't', 'h']
    """
    left, kept = Counter(counts), []
    for string in sorted(counts, key=lambda string: (-len(string), string)):
        if (count := left[string]) >= max(min_count, 1):
            kept += [(count, string)] if string not in alphabet else []
            indices = range(len(string))
            parts = {string[a : b + 1] for a in indices for b in indices[a:]} - {string}
            left.subtract(dict.fromkeys(parts, count))
    kept += [(left.get(character, 0), character) for character in alphabet]
    return [string for _, string in sorted(kept, reverse=True)]


def drop_rare_tokens(token_counts: Mapping[str, int], min_count: float) -> dict[str, int]:
    """Remove rare tokens before counting, although their common substrings may be frequent.

    >>> drop_rare_tokens({"the": 10, "then": 2}, 3)
    {'the': 10}
    """
    return {token: count for token, count in token_counts.items() if count >= min_count}


def count_without_end(segmentation: Sequence[str], max_length: int | None = None) -> list[str]:
    """Do not count the string that begins at the underscore, although the underscore is a subtoken.

    >>> count_without_end(["1", "9", "_"])
    ['1', '19', '19_', '9', '9_']
    """
    strings = list(substrings_at_boundaries(segmentation, max_length))
    return [string for string in strings if string != END_MARKER]


def wrong_half(target_size: int, build_with: Building, low: float = 1, high: float = 1000) -> Tries:
    """Search the wrong half of the interval; return the tries: each `min_count` with its size.

    >>> wrong_half(50, lambda min_count: ["x"] * int(300 // min_count), 1, 100)[:2]
    [(50, 6), (75, 4)]
    """
    return _tries(target_size, build_with, low, high, 100, worse=True)


def ten_percent(target_size: int, build_with: Building, low: float = 1, high: float = 1000) -> Tries:
    """Stop at the first size that is less than 10 % off; return the tries.

    >>> ten_percent(55, lambda min_count: ["x"] * int(300 // min_count), 1, 11)
    [(6, 50)]
    """
    return _tries(target_size, build_with, low, high, 10, worse=False)


def _tries(target_size: int, build_with: Building, low: float, high: float, parts: int, worse: bool) -> Tries:
    tries: Tries = []
    while True:
        min_count = (low + high) // 2
        size = len(build_with(min_count))
        tries.append((min_count, size))
        if abs(size - target_size) * parts < target_size or low >= high or min_count < 2:
            return tries
        low, high = (min_count + 1, high) if (size > target_size) != worse else (low, min_count - 1)


MISCONCEPTIONS = [
    Misconception(
        31,
        "an underscore needs no escaping, and every space is a token",
        "An underscore marks the end of a token, so an underscore in the text becomes \\u. A single space between two "
        "words is not a token.",
        (no_escape, keep_space_token),
    ),
    Misconception(
        32,
        "every target size can be reached",
        "Every character stays a subtoken, even a rare one. So no vocabulary is smaller than its alphabet.",
        (alphabet_not_forced,),
    ),
    Misconception(
        59,
        "the count of a kept string is subtracted from all of its substrings, or from none",
        "The count of a kept string is subtracted from the counts of its prefixes. No other counts change.",
        (decrement_nothing, decrement_every_part),
    ),
    Misconception(
        60,
        "min_count removes rare tokens",
        "Rare tokens are counted like all others. min_count is compared with the counts of strings, not of tokens.",
        (drop_rare_tokens,),
    ),
    Misconception(
        61,
        "the underscore at the end is no subtoken",
        "The underscore at the end of a token is a character like the others. The string that starts there is counted.",
        (count_without_end,),
    ),
    Misconception(
        62,
        "a higher min_count gives a larger vocabulary",
        "A higher min_count keeps fewer strings. So a vocabulary that is too large needs a higher min_count.",
        (wrong_half,),
    ),
    Misconception(
        63,
        "a size less than 10 % off is good enough",
        "The search ends early only if the size is less than 1 % off.",
        (ten_percent,),
    ),
]
