"""Forbidden next tokens: tokens that would complete a bad word.

Adds: a word of several tokens is forbidden at its last one. Leaves out: the end token, which cannot be a bad word, and
logits (`tokenlab.libraries.transformers.generation`, where these tokens get minus infinity).
Source: transformers 4.26.1, generation/logits_process.py, NoBadWordsLogitsProcessor.

>>> print(banned_tokens.record([4, 0], [[2], [0, 3], [4, 3]]))
1. 2: a single token; 2 is forbidden
2. 0 3: the text ends with 0; 3 is forbidden
3. 4 3: the text does not end with 4
"""

from __future__ import annotations

from collections.abc import Generator, Sequence

from tokenlab.printing.errors import check_not_empty
from tokenlab.steps.recording import step, stepwise

Ids = Sequence[int]


@step
class BadWordCompared:
    """The beginning of a bad word was compared with the end of the text."""

    word: tuple[int, ...]
    matches: bool

    def __str__(self) -> str:
        *start, last = self.word
        ends = "ends" if self.matches else "does not end"
        match = f"the text {ends} with {' '.join(map(str, start))}" if start else "a single token"
        return f"{' '.join(map(str, self.word))}: {match}" + (f"; {last} is forbidden" if self.matches else "")


@stepwise
def banned_tokens(written: Ids, bad_words: Sequence[Ids]) -> Generator[BadWordCompared, None, tuple[int, ...]]:
    """Return the ids that would complete a bad word, in ascending order.

    Args:
        written: the ids so far.
        bad_words: the ids of each word, which has at least one.

    Raises:
        ValueError: a bad word is empty.

    >>> banned_tokens([0], [[0, 3]]), banned_tokens([3], [[0, 3]]), banned_tokens([], [[0, 3], [2]])
    ((3,), (), (2,))
    """
    forbidden = set()
    for place, word in enumerate(bad_words):
        check_not_empty(f"bad_words[{place}]", word, "one id or more, or leave it out")
        *start, last = word
        matches = ends_with(written, start)
        if matches:
            forbidden.add(last)
        yield BadWordCompared((*start, last), matches)
    return tuple(sorted(forbidden))


def ends_with(written: Ids, start: Ids) -> bool:
    """Return True if the text ends with these ids; every text ends with no ids.

    >>> ends_with([7, 8], [8]), ends_with([7, 8], []), ends_with([8], [7, 8])
    (True, True, False)
    """
    return list(written[max(0, len(written) - len(start)) :]) == list(start)
