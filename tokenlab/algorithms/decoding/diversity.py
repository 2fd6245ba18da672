"""Diversity of beam groups: the penalty that makes them differ, and distinct-n, which measures the difference.

Groups choose one after another, and tokens of earlier groups are penalized in later groups.
Adds: the penalty of diverse beam search at one step. Leaves out: several steps, and their sums.
Source: Vijayakumar et al. 2016, "Diverse Beam Search", section 4 (Hamming diversity); Li et al. 2016, "A
Diversity-Promoting Objective Function for Neural Conversation Models" (distinct-1 and -2); transformers 4.26.1,
HammingDiversityLogitsProcessor.

>>> print(select_per_group.record([-1, -2, -4], groups=3, penalty=2))
1. group 1: no penalty; 0 is the best (-1)
2. group 2: penalty of 0: 2; 1 is the best (-2)
3. group 3: penalty of 0: 2, of 1: 2; 0 is the best (-3)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Hashable, Sequence

from tokenlab.printing.errors import check_integer, check_not_empty
from tokenlab.steps.recording import step, stepwise


def apply_diversity_penalty(scores: Sequence[float], chosen: Sequence[int], penalty: float) -> tuple[float, ...]:
    """Return the scores of a later group: subtract the penalty once for every beam of an earlier group with that id.

    Args:
        scores: the scores of the ids 0, 1, ...
        chosen: the ids that the beams of earlier groups have chosen at this step.
        penalty: the penalty for each of these beams.

    >>> apply_diversity_penalty([-1, -2, -4], [0, 0, 2], penalty=0.5)
    (-2.0, -2.0, -4.5)
    """
    times = Counter(chosen)
    return tuple(score - penalty * times[id] for id, score in enumerate(scores))


@step
class GroupSelected:
    """The choice of one group."""

    group: int  # from 1
    penalties: tuple[float, ...]  # penalty of each id
    scores: tuple[float, ...]  # after the penalties
    id: int

    def __str__(self) -> str:
        costs = [(id, cost) for id, cost in enumerate(self.penalties) if cost]
        penalties = ", ".join(f"of {id}: {cost:g}" for id, cost in costs)
        return (
            f"group {self.group}: {f'penalty {penalties}' if penalties else 'no penalty'}; {self.id} is the best "
            f"({self.scores[self.id]:g})"
        )


@stepwise
def select_per_group(
    scores: Sequence[float], groups: int, penalty: float
) -> Generator[GroupSelected, None, tuple[int, ...]]:
    """Return the choice of each group of one beam, if all have the same scores.

    Raises:
        ValueError: there are no scores.

    >>> select_per_group([-1, -2, -4], groups=3, penalty=0)
    (0, 0, 0)
    """
    check_not_empty("scores", scores, "the score of at least one id")
    chosen: list[int] = []
    for group in range(1, groups + 1):
        left = apply_diversity_penalty(scores, chosen, penalty)
        best = max(range(len(left)), key=left.__getitem__)
        penalties = tuple(before - after for before, after in zip(scores, left, strict=True))
        yield GroupSelected(group, penalties, left, best)
        chosen.append(best)
    return tuple(chosen)


def distinct_n(rows: Sequence[Sequence[Hashable]], size: int = 2) -> float:
    """Return the number of distinct n-grams in all rows divided by the number of n-grams; 1 if none is repeated.

    Args:
        rows: the tokens of each output.
        size: the length n of an n-gram.

    Raises:
        ValueError: size is below 1.

    >>> distinct_n(["abc", "abc"]), distinct_n(["abc", "abd"]), distinct_n(["abc", "cba"])
    (0.5, 0.75, 1.0)
    """
    check_integer("size", size, at_least=1)
    ngrams = [tuple(row[start : start + size]) for row in rows for start in range(len(row) - size + 1)]
    return len({*ngrams}) / len(ngrams) if ngrams else 1.0
