"""Five beliefs about tensor2tensor's subtokens that are wrong, each as programs that somebody has written or told.

Each has the signature of the right function in `algorithms`, so that it can stand in its place.

>>> keep_space_token("so cool"), no_escape("so_cool", set("socl_"))
(['so', ' ', 'cool'], 'so_cool_')
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from itertools import groupby

from tokenlab.algorithms.subword_text import choose, strings_at_cuts
from tokenlab.algorithms.subword_text_escape import END
from tokenlab.misconceptions.bpe import Misconception

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
]
