"""Difficulty, discrimination and misconceptions of quiz questions and assignment tasks.

Difficulty is the mean score as a share of the possible score. Discrimination is the corrected point-biserial
correlation: the correlation of the score with the rest score, which is the student's score in all other questions or
tasks. For a question with the scores 0 and 1 it is (M1 - M0) / s * sqrt(p * q). M1 and M0 are the mean rest scores of
the students with a right and a wrong answer, s is the standard deviation of the rest scores, p is the difficulty, and
q = 1 - p. Source: S. Henrysson, Correction of item-total correlations in item analysis, Psychometrika 28 (1963).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import TypeVar

from course.item_bank import Answer, Item

FEWEST = 10  # answers; with fewer, difficulty and discrimination say little
Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True)
class ItemStatistics:
    """Statistics of a question or task; the discrimination is None if all scores or all rest scores are equal."""

    answers: int
    difficulty: float
    discrimination: float | None

    @property
    def is_judged(self) -> bool:
        """Whether there are enough answers."""
        return self.answers >= FEWEST


def correlation(left: Sequence[float], right: Sequence[float]) -> float | None:
    """Return Pearson's correlation; None if one side is constant.

    >>> correlation([0, 0, 1, 1], [1, 1, 3, 3])
    1.0
    """
    mean_left, mean_right = sum(left) / len(left), sum(right) / len(right)
    together = sum((a - mean_left) * (b - mean_right) for a, b in zip(left, right, strict=True))
    squares = sum((a - mean_left) ** 2 for a in left) * sum((b - mean_right) ** 2 for b in right)
    return together / sqrt(squares) if squares > 1e-18 else None


def statistics_of(scores: Mapping[Key, Mapping[int, float]]) -> dict[Key, ItemStatistics]:
    """Return the statistics of each question from the scores (0 to 1) of its students."""
    totals: Counter[int] = Counter()
    for of_item in scores.values():
        for student, score in of_item.items():
            totals[student] += score  # type: ignore[assignment]  # a Counter of floats
    found = {}
    for item, of_item in scores.items():
        if of_item:
            own = [*of_item.values()]
            rest = [totals[student] - score for student, score in of_item.items()]
            found[item] = ItemStatistics(len(own), sum(own) / len(own), correlation(own, rest))
    return found


@dataclass(frozen=True)
class Believed:
    """A misconception: the students who were offered its options, who chose them mostly, and its share of choices."""

    number: int
    offered: int
    students: int
    share: float


def misconceptions_of(chosen: Mapping[Item, Mapping[int, Answer]]) -> list[Believed]:
    """Rank the misconceptions by the number of students who chose their options at least every second time."""
    times: dict[int, Counter[int]] = defaultdict(Counter)
    taken: dict[int, Counter[int]] = defaultdict(Counter)
    for item, answers in chosen.items():
        for number in {option.misconception for option in item.options} - {0}:
            for student, answer in answers.items():
                times[number][student] += 1
                taken[number][student] += answer.misconception == number
    found = []
    for number, offers in times.items():
        mostly = sum(2 * taken[number][student] >= count for student, count in offers.items())
        share = taken[number].total() / offers.total()
        if share:
            found.append(Believed(number, len(offers), mostly, share))
    return sorted(found, key=lambda one: (-one.students, -one.share, one.number))
