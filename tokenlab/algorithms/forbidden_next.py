"""Which tokens may not come next: what would end a forbidden word, or make a run of tokens come again.

Adds: a word of several tokens is forbidden at its last one. Leaves out: the end token, which a word may not be, and
scores (`tokenlab.transformers.generation`, where these tokens get minus infinity).
Source: transformers 4.26.1, generation/logits_process.py; Paulus et al., arXiv:1705.04304, section 2.5.

>>> print(forbidden_next.record([4, 0], [[2], [0, 3], [4, 3]]))
1. 2: nothing need stand before its end; 2 is forbidden
2. 0 3: 0 stands last; 3 is forbidden
3. 4 3: 4 does not stand last
"""

from __future__ import annotations

from collections.abc import Generator, Sequence

from tokenlab.steps import step, stepwise

Ids = Sequence[int]


@step
class Looked:
    """A bad word was compared with what stands last."""

    word: tuple[int, ...]
    stands: bool

    def __str__(self) -> str:
        """Say whether its beginning stands there, and what that forbids."""
        *start, last = self.word
        stands = f"stand{'s' * (len(start) == 1)} last" if self.stands else "does not stand last"
        begun = f"{' '.join(map(str, start))} {stands}" if start else "nothing need stand before its end"
        return f"{' '.join(map(str, self.word))}: {begun}" + (f"; {last} is forbidden" if self.stands else "")


@stepwise
def forbidden_next(written: Ids, bad_words: Sequence[Ids]) -> Generator[Looked, None, tuple[int, ...]]:
    """The ids that would end a bad word, in order.

    Args:
        written: all ids so far.
        bad_words: the ids of each word, at least one.

    >>> forbidden_next([0], [[0, 3]]), forbidden_next([3], [[0, 3]]), forbidden_next([], [[0, 3], [2]])
    ((3,), (), (2,))
    """
    forbidden = set()
    for *start, last in bad_words:
        stands = ends_with(written, start)
        if stands:
            forbidden.add(last)
        yield Looked((*start, last), stands)
    return tuple(sorted(forbidden))


def ends_with(written: Ids, start: Ids) -> bool:
    """Whether these ids stand last; no ids stand last everywhere.

    >>> ends_with([7, 8], [8]), ends_with([7, 8], []), ends_with([8], [7, 8])
    (True, True, False)
    """
    return list(written[max(0, len(written) - len(start)) :]) == list(start)


def repeated_next(written: Ids, size: int) -> tuple[int, ...]:
    """The ids that would make a run of so many tokens that stands in the text already, in order.

    >>> repeated_next([5, 3, 4, 5], 2), repeated_next([5, 3], 1)
    ((3,), (3, 5))
    """
    runs = [written[start : start + size] for start in range(len(written) - size + 1)]
    return tuple(sorted({last for *start, last in runs if ends_with(written, start)}))
