"""Seven beliefs about tensor2tensor's subtokens that are wrong, each as programs that somebody has written or told.

Each has the signature of the right function in `algorithms`, so that it can stand in its place.

>>> keep_space_token("so cool"), no_escape("so_cool", set("socl_"))
(['so', ' ', 'cool'], 'so_cool_')
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import groupby
from typing import TypeAlias

from tokenlab.algorithms.subword_text import choose, strings_at_cuts
from tokenlab.algorithms.subword_text_escape import END
from tokenlab.misconceptions.bpe import Misconception

Building: TypeAlias = Callable[[float], list[str]]
Tries: TypeAlias = list[tuple[float, int]]

# 31. An underscore marks where a piece ends, whatever the text has.


def no_escape(token: str, alphabet: Collection[str]) -> str:
    """Put an underscore at the end, but leave those that the token has: then nobody can tell them from ends."""
    return "".join(c if c in alphabet and c != "\n" else f"\\{ord(c)};" for c in token) + END


def keep_space_token(text: str) -> list[str]:
    """Make a token of every blank, also of the one between two words that needs none."""
    return ["".join(run) for _, run in groupby(text, str.isalnum)]


# 32. Every size can be reached.


def alphabet_not_forced(counts: Mapping[str, int], min_count: float, alphabet: Collection[str]) -> list[str]:
    """Keep a character only if it is frequent: the list can be as short as one likes, and some texts have no ids.

    >>> alphabet_not_forced({"t": 6, "th": 6, "the": 5}, 3, {"t", "h"})
    ['the']
    """
    steps = choose.record(counts, min_count, alphabet).steps
    frequent = {step.text for step in steps if hasattr(step, "count")}
    return [subtoken for subtoken in choose(counts, min_count, alphabet) if subtoken in frequent]


# 59. What a kept string takes away it takes from all of its parts, or from none.


def decrement_nothing(counts: Mapping[str, int], min_count: float, alphabet: Collection[str]) -> list[str]:
    """Keep whatever was counted often enough, so that every beginning of a frequent string is kept with it.

    >>> decrement_nothing({"t": 6, "th": 6, "the": 5}, 3, {"t", "h"})
    ['th', 't', 'the', 'h']
    """
    kept = [(count, string) for string, count in counts.items() if count >= max(min_count, 1)]
    kept += [(counts.get(c, 0), c) for c in alphabet if counts.get(c, 0) < max(min_count, 1)]
    return [string for _, string in sorted(kept, reverse=True)]


def decrement_every_part(counts: Mapping[str, int], min_count: float, alphabet: Collection[str]) -> list[str]:
    """Take the count of a kept string away from every shorter string in it, also from those inside.

    >>> decrement_every_part({"th": 6, "he": 5, "the": 5}, 3, {"t", "h"})
    ['the', 't', 'h']
    """
    left, kept = Counter(counts), []
    for string in sorted(counts, key=lambda string: (-len(string), string)):
        if (count := left[string]) >= max(min_count, 1):
            kept += [(count, string)] if string not in alphabet else []
            places = range(len(string))
            parts = {string[a : b + 1] for a in places for b in places[a:]} - {string}
            left.subtract(dict.fromkeys(parts, count))
    kept += [(left.get(character, 0), character) for character in alphabet]
    return [string for _, string in sorted(kept, reverse=True)]


# 60. min_count leaves out rare tokens.


def drop_rare_tokens(token_counts: Mapping[str, int], min_count: float) -> dict[str, int]:
    """Leave rare tokens out before anything is counted, though what they share may be frequent.

    >>> drop_rare_tokens({"the": 10, "then": 2}, 3)
    {'the': 10}
    """
    return {token: count for token, count in token_counts.items() if count >= min_count}


# 61. The underscore at the end is no part of the cut.


def count_without_end(cut: Sequence[str], max_length: int | None = None) -> list[str]:
    """Forget that the underscore is cut off as well, and that a string begins there, too.

    >>> count_without_end(["1", "9", "_"])
    ['1', '19', '19_', '9', '9_']
    """
    strings = list(strings_at_cuts(cut, max_length))
    return [string for string in strings if string != END]


# 62. A higher min_count keeps more.


def wrong_half(target_size: int, build_with: Building, low: float = 1, high: float = 1000) -> Tries:
    """Search the half that makes it worse, and give the tries: each `min_count` with its size.

    >>> wrong_half(50, lambda min_count: ["x"] * int(300 // min_count), 1, 100)[:2]
    [(50, 6), (75, 4)]
    """
    return _tries(target_size, build_with, low, high, 100, worse=True)


# 63. A size one in ten off is near enough.


def ten_percent(target_size: int, build_with: Building, low: float = 1, high: float = 1000) -> Tries:
    """End the search at the first size that is less than one in ten off, and give the tries.

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
        "an underscore marks the end, and blanks are tokens",
        "An underscore ends a token: one in the text is written \\u, and a blank between two words is no token.",
        (no_escape, keep_space_token),
    ),
    Misconception(
        32,
        "every target size can be reached",
        "Every character stays a subtoken however rare it is, so no vocabulary is smaller than its alphabet.",
        (alphabet_not_forced,),
    ),
    Misconception(
        59,
        "a kept string takes its count from all of its parts, or from none",
        "A string that is kept takes its count away from the strings that it begins with, and from no others.",
        (decrement_nothing, decrement_every_part),
    ),
    Misconception(
        60,
        "min_count leaves out rare tokens",
        "Rare tokens are counted like all others; min_count is asked of the strings that begin at their cuts.",
        (drop_rare_tokens,),
    ),
    Misconception(
        61,
        "the underscore at the end is no subtoken",
        "The underscore at the end is a character like the others: it is cut off, and what begins there is counted.",
        (count_without_end,),
    ),
    Misconception(
        62,
        "a higher min_count gives a larger vocabulary",
        "A higher min_count keeps fewer strings, so too large a vocabulary asks for a higher one.",
        (wrong_half,),
    ),
    Misconception(
        63,
        "a size that is one in ten off is good enough",
        "The search ends early only where the size is less than one in a hundred off.",
        (ten_percent,),
    ),
]
