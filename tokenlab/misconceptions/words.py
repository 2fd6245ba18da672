"""A belief about words that is wrong before any tokenizer is met.

>>> blanks_plus_one("to be"), blanks_plus_one("to  be ")
(2, 4)
"""

from __future__ import annotations

from tokenlab.misconceptions.bpe import Misconception

# 0. Between two words stands one blank.


def blanks_plus_one(text: str) -> int:
    """Count the words of a text by counting its blanks."""
    return text.count(" ") + 1


MISCONCEPTIONS = [
    Misconception(
        0,
        "between two words stands one blank",
        "A run of white space of any length, and of any kind, separates two words, and it may stand at an end, too.",
        (blanks_plus_one,),
    ),
]
