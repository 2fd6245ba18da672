"""Banks of candidates: those that have come as far with what is demanded compete only with one another.

Adds: the bank of a candidate, and the order in which banks send theirs. Leaves out: where candidates come from.
Source: Post and Vilar 2018, "Fast Lexically Constrained Decoding with Dynamic Beam Allocation"; transformers 4.26.1,
ConstraintListState.get_bank and ConstrainedBeamSearchScorer.step_sentence_constraint.

>>> print(bank_order.record([0, 3, 0, 3], [-1, -5, -2, -4]))
1. round 1: bank 3 sends candidate 3 (-4)
2. round 1: bank 0 sends candidate 0 (-1)
3. round 2: bank 3 sends candidate 1 (-5)
4. round 2: bank 0 sends candidate 2 (-2)
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Generator, Sequence

from tokenlab.steps import step, stepwise


def bank_of(lengths: Sequence[int], done: Sequence[int]) -> int:
    """The bank of a candidate: how far it has come with all that is demanded.

    Args:
        lengths: of each constraint, in tokens.
        done: how many tokens of each are there; at most one constraint is in progress at a time.

    >>> bank_of([3, 2], [0, 0]), bank_of([3, 2], [1, 0]), bank_of([3, 2], [0, 1]), bank_of([3, 2], [0, 2])
    (0, 1, 2, 3)
    """
    longest = max(lengths, default=0)
    complete = sum(there == length for there, length in zip(done, lengths, strict=True))
    # subtle: what is begun counts by what is left of it, so that a short one is further at once.
    begun = sum(longest - (length - there) for there, length in zip(done, lengths, strict=True) if 0 < there < length)
    return complete * longest + begun


@step
class Sent:
    """A candidate that its bank sends."""

    round: int
    bank: int
    candidate: int
    score: float

    def __str__(self) -> str:
        """Name the bank and its candidate."""
        return f"round {self.round}: bank {self.bank} sends candidate {self.candidate} ({self.score:g})"


@stepwise
def bank_order(banks: Sequence[int], scores: Sequence[float]) -> Generator[Sent, None, tuple[int, ...]]:
    """The order of candidates: in each round every bank sends its best that is left, the fullest bank first.

    Args:
        banks: the bank of each candidate.
        scores: the score of each; of equal ones the first comes first.

    >>> bank_order([0, 3, 0, 3], [-1, -5, -2, -4])
    (3, 0, 1, 2)
    """
    waiting: dict[int, list[int]] = defaultdict(list)
    for candidate in sorted(range(len(banks)), key=lambda candidate: -scores[candidate]):
        waiting[banks[candidate]].append(candidate)
    order: list[int] = []
    rounds = 0
    while len(order) < len(banks):
        rounds += 1
        for bank in sorted(waiting, reverse=True):
            if waiting[bank]:
                order.append(waiting[bank].pop(0))
                yield Sent(rounds, bank, order[-1], scores[order[-1]])
    return tuple(order)
