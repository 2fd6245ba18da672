r"""tensor2tensor's SubwordTextEncoder on one page: split, escape, segment, build a vocabulary of a target size, decode.

Run it: python -m tokenlab.minimal.subword_text "the rat, too"
Leaves out: speed, files, options. No text is unknown: a character outside the alphabet is written as its code point.
Source: tensor2tensor 1.15.7, data_generators/tokenizer.py and text_encoder.py.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from itertools import groupby, pairwise

RESERVED = ["<pad>_", "<EOS>_"]
ESCAPES = "\\_u;0123456789"  # the characters of escape sequences, which belong to every alphabet
TEXT = "the cat sat on the mat. the rat and the cat saw that the hat is on the mat."


def split(text: str) -> list[str]:
    """Split a text where letters and digits meet other characters; a single space between two tokens is dropped.

    >>> split("so cool, isn't it?")
    ['so', 'cool', ', ', 'isn', "'", 't', 'it', '?']
    """
    runs = ["".join(run) for _, run in groupby(text, str.isalnum)]
    return [run for place, run in enumerate(runs) if run != " " or place in (0, len(runs) - 1)]


def join(tokens: list[str]) -> str:
    """Undo `split`: between two tokens of letters and digits there was a space.

    >>> join(["so", "cool", "!"])
    'so cool!'
    """
    spaces = [" " * (one[:1].isalnum() and two[:1].isalnum()) for one, two in pairwise(tokens)]
    return "".join(token + space for token, space in zip(tokens, [*spaces, ""], strict=False))


def escape(token: str, alphabet: Collection[str]) -> str:
    r"""Write a token in characters of the alphabet, with "_" at its end.

    >>> escape("a_é", {*ESCAPES, "a"})
    'a\\u\\233;_'
    """
    token = token.replace("\\", "\\\\").replace("_", "\\u")
    return "".join(c if c in alphabet and c != "\n" else f"\\{ord(c)};" for c in token) + "_"


def segment(escaped: str, subtokens: Collection[str]) -> list[str]:
    """Cut the longest subtoken from the left, again and again.

    >>> segment("there_", {"t", "h", "e", "r", "_", "the", "re_", "ther"})
    ['ther', 'e', '_']
    """
    pieces = []
    while escaped:
        end = next(end for end in range(len(escaped), 0, -1) if escaped[:end] in subtokens)
        pieces.append(escaped[:end])
        escaped = escaped[end:]
    return pieces


def build(token_counts: Mapping[str, int], min_count: int) -> list[str]:
    """Return the alphabet, and the strings that start where a subtoken starts `min_count` times; 4 rounds of counting.

    >>> [subtoken for subtoken in build({"the": 10, "then": 2, "that": 3}, 3) if len(subtoken) > 1]
    ['<pad>_', '<EOS>_', 'the_', 'that_']
    """
    alphabet = set(ESCAPES).union(*token_counts, *(token[:-1] for token in RESERVED))
    subtokens = sorted(alphabet)
    for _ in range(4):
        counts, known = Counter[str](), {*subtokens}
        for token, count in token_counts.items():
            escaped, start = escape(token, alphabet), 0
            for piece in segment(escaped, known):
                for end in range(start + 1, len(escaped) + 1):
                    counts[escaped[start:end]] += count
                start += len(piece)
        kept = []
        for string in sorted((string for string in counts if counts[string] >= min_count), key=len, reverse=True):
            if counts[string] >= min_count:  # still, because longer strings have taken their counts from it
                kept += [] if string in alphabet else [string]
                for end in range(1, len(string)):
                    counts[string[:end]] -= counts[string]
        subtokens = RESERVED + sorted([*kept, *alphabet], key=lambda one: (counts[one], one), reverse=True)
    return subtokens


def build_to_size(token_counts: Mapping[str, int], size: int) -> list[str]:
    """Return the vocabulary with the best size that a bisection of `min_count` finds; 1 % off is good enough."""
    low, high, best = 1, 1000, list[str]()
    while True:
        subtokens = build(token_counts, min_count := (low + high) // 2)
        best = min(best or subtokens, subtokens, key=lambda found: abs(len(found) - size))
        if abs(len(subtokens) - size) * 100 < size or low >= high or min_count < 2:
            return best
        low, high = (min_count + 1, high) if len(subtokens) > size else (low, min_count - 1)


def encode(text: str, subtokens: Collection[str]) -> list[str]:
    """Return the subtokens of a text."""
    return [piece for token in split(text) for piece in segment(escape(token, subtokens), subtokens)]


def decode(pieces: Iterable[str]) -> str:
    r"""Return the text of subtokens. An underscore in a token is escaped, so each "_" ends a token, which may be empty.

    >>> decode(["a\\u\\23", "3;_"])
    'a_é'
    """
    known, tokens = {"\\u": "_", "\\\\": "\\"}, filter(None, "".join(pieces).split("_"))
    return join([re.sub(r"\\([0-9]+);|\\[u\\]", lambda m: known.get(m[0]) or chr(int(m[1])), one) for one in tokens])


if __name__ == "__main__":
    vocabulary = build_to_size(Counter(split(TEXT)), 60)
    tokens = encode(" ".join(sys.argv[1:]) or "the rat's hat: é_", {*vocabulary})
    print(*vocabulary, "", *tokens, "", decode(tokens))
