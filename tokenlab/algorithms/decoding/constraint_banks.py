"""Constraint banks: a bank is the set of candidates with the same progress on the constraints.

Adds: the bank of a candidate, and the order in which banks fill the beams: round-robin, so that candidates compete only
within their bank. Leaves out: the candidates themselves.
Source: Post and Vilar 2018, "Fast Lexically Constrained Decoding with Dynamic Beam Allocation"; transformers 4.26.1,
ConstraintListState.get_bank and ConstrainedBeamSearchScorer.step_sentence_constraint.

>>> print(order_by_banks.record([0, 3, 0, 3], [-1, -5, -2, -4]))
1. round 1: bank 3 selects candidate 3 (-4)
2. round 1: bank 0 selects candidate 0 (-1)
3. round 2: bank 3 selects candidate 1 (-5)
4. round 2: bank 0 selects candidate 2 (-2)
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Generator, Sequence

from tokenlab.steps.recording import step, stepwise


def constraint_bank(lengths: Sequence[int], done: Sequence[int]) -> int:
    """Return the bank of a candidate, which measures its progress on the constraints.

    A completed constraint scores the length of the longest constraint; an in-progress one scores that length minus its
    missing tokens.

    Args:
        lengths: number of tokens of each constraint.
        done: number of matched tokens of each constraint; at most one constraint is in progress at a time.

    >>> constraint_bank([3, 2], [0, 0]), constraint_bank([3, 2], [1, 0])
    (0, 1)
    >>> constraint_bank([3, 2], [0, 1]), constraint_bank([3, 2], [0, 2])
    (2, 3)
    """
    longest = max(lengths, default=0)
    complete = sum(matched == length for matched, length in zip(done, lengths, strict=True))
    # subtle: the missing tokens count, not the matched ones, so a short constraint starts high.
    pairs = zip(done, lengths, strict=True)
    return complete * longest + sum(longest - (length - matched) for matched, length in pairs if 0 < matched < length)


@step
class CandidateSelected:
    """A candidate selected from its bank."""

    round: int
    bank: int
    candidate: int
    score: float

    def __str__(self) -> str:
        return f"round {self.round}: bank {self.bank} selects candidate {self.candidate} ({self.score:g})"


@stepwise
def order_by_banks(
    banks: Sequence[int], scores: Sequence[float]
) -> Generator[CandidateSelected, None, tuple[int, ...]]:
    """Return the order of candidates: in each round every bank selects its best remaining one, the highest bank first.

    Args:
        banks: the bank of each candidate.
        scores: the score of each candidate; ties keep their order.

    >>> order_by_banks([0, 3, 0, 3], [-1, -5, -2, -4])
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
                yield CandidateSelected(rounds, bank, order[-1], scores[order[-1]])
    return tuple(order)
