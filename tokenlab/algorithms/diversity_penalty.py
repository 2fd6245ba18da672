"""Groups that choose one after another: what an earlier group has chosen costs the later ones.

Adds: the penalty of diverse beam search, at one step. Leaves out: beams that live on, and the sums of earlier steps.
Source: Vijayakumar et al. 2016, "Diverse Beam Search", section 4 (Hamming diversity); transformers 4.26.1,
HammingDiversityLogitsProcessor.

>>> print(in_turn.record([-1, -2, -4], groups=3, penalty=2))
1. group 1: nothing is lowered; 0 is the best (-1)
2. group 2: 0 is lowered by 2; 1 is the best (-2)
3. group 3: 0 is lowered by 2, 1 by 2; 0 is the best (-3)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Sequence

from tokenlab.steps import step, stepwise


def lowered(scores: Sequence[float], chosen: Sequence[int], penalty: float) -> tuple[float, ...]:
    """The scores of a later group: each id is lowered once for every beam of an earlier group that chose it.

    Args:
        scores: of the ids 0, 1, ...
        chosen: what the beams of earlier groups have chosen at this step.
        penalty: what one of them costs.

    >>> lowered([-1, -2, -4], [0, 0, 2], penalty=0.5)
    (-2.0, -2.0, -4.5)
    """
    times = Counter(chosen)
    return tuple(score - penalty * times[id] for id, score in enumerate(scores))


@step
class Picked:
    """One group's turn."""

    group: int  # from 1
    penalties: tuple[float, ...]  # of each id
    scores: tuple[float, ...]  # after them
    id: int

    def __str__(self) -> str:
        """Say what was lowered, and what is the best now."""
        costs = [(id, cost) for id, cost in enumerate(self.penalties) if cost]
        said = ", ".join(f"{id}{' is lowered' * (not place)} by {cost:g}" for place, (id, cost) in enumerate(costs))
        return f"group {self.group}: {said or 'nothing is lowered'}; {self.id} is the best ({self.scores[self.id]:g})"


@stepwise
def in_turn(scores: Sequence[float], groups: int, penalty: float) -> Generator[Picked, None, tuple[int, ...]]:
    """What each of so many groups of one beam chooses, if all see the same scores.

    >>> in_turn([-1, -2, -4], groups=3, penalty=0)
    (0, 0, 0)
    """
    chosen: list[int] = []
    for group in range(1, groups + 1):
        left = lowered(scores, chosen, penalty)
        best = max(range(len(left)), key=left.__getitem__)
        penalties = tuple(before - after for before, after in zip(scores, left, strict=True))
        yield Picked(group, penalties, left, best)
        chosen.append(best)
    return tuple(chosen)
