"""A misconception about words, before any tokenizer.

>>> spaces_plus_one("to be"), spaces_plus_one("to  be ")
(2, 4)
"""

from __future__ import annotations

from tokenlab.misconceptions.misconception import Misconception


def spaces_plus_one(text: str) -> int:
    """Count the words of a text as its spaces plus 1."""
    return text.count(" ") + 1


MISCONCEPTIONS = [
    Misconception(
        0,
        "words are separated by exactly one space",
        "Several spaces, a tab or a line break can also separate two words. A text can begin or end with whitespace.",
        (spaces_plus_one,),
    )
]
