"""Lessons 17 and 18: unusable inputs of the bug hunts are told what they lack; and what the checks draw."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from tokenlab import check
from tokenlab.algorithms.decoding.filters import entropy, surprisal
from tokenlab.check.exercises.token_sampling import EIGHTHS, TENTHS
from tokenlab.check.function_check import sample_inputs
from tokenlab.misconceptions.beam_search import top_k_only
from tokenlab.misconceptions.token_sampling import exclude_crossing_token, temperature_last


@pytest.mark.parametrize(
    ("program", "given", "said"),
    [
        (exclude_crossing_token, ([],), "Write the probabilities as a list of numbers"),
        (exclude_crossing_token, ([1.5, -0.5],), "Write the probabilities as a list of numbers"),
        (exclude_crossing_token, ([0.5, 0.25],), "Your probabilities sum to 0.75"),
        (temperature_last, ([],), "Write the logits as a list of numbers"),
        (temperature_last, ([1, True],), "Write the logits as a list of numbers"),
        (temperature_last, ([0, float("-inf")],), "Write the logits as a list of numbers"),
        (top_k_only, ([[-1, -2]],), "Write a list of two rows, one for each beam"),
        (top_k_only, ([[-1], [-1]],), "at least two numbers"),
        (top_k_only, ([[-1, -2], [-1, -2, -3]],), "Write rows of the same length"),
        (top_k_only, ([[-1, 2], [-1, -2]],), "A log-probability is never above 0"),
    ],
)
def test_what_an_input_lacks_is_told(program: Any, given: tuple[Any, ...], said: str) -> None:
    assert said in check.bug(program, *given).said[0]


def test_no_rounding_decides_what_is_kept() -> None:
    for distribution in (*TENTHS, *EIGHTHS):
        assert sum(distribution) == pytest.approx(1) and min(distribution) > 0
        assert all(left > right for left, right in pairwise(distribution))
        expected = entropy(distribution)
        distances = sorted(abs(surprisal(p) - expected) for p in distribution)
        assert all(right - left > 0.01 for left, right in pairwise(distances))
    for probabilities, top_p in sample_inputs(check.keep_top_p.inputs(), 200):
        sums = [sum(sorted(probabilities, reverse=True)[: n + 1]) for n in range(len(probabilities))]
        in_eighths = all(p * 8 == int(p * 8) for p in probabilities)
        assert in_eighths or all(abs(mass - top_p) > 0.01 for mass in sums)


def test_no_two_candidates_tie_and_none_is_likelier_than_certain() -> None:
    for sums, rows in sample_inputs(check.beam_candidates.inputs(), 100):
        totals = [before + number for before, row in zip(sums, rows, strict=True) for number in row]
        assert len(set(totals)) == len(totals) >= 2 * len(sums)
        assert all(number <= 0 for row in rows for number in row)


def test_candidates_of_a_step_are_as_many_as_a_step_has() -> None:
    seen = set()
    for beams, candidates, eos in sample_inputs(check.beam_step.inputs(), 200):
        assert len(candidates) == 2 * len(beams) == 2 * len({tuple(ids) for ids in beams})
        ends = [rank for rank, (_, token, _) in enumerate(candidates) if token == eos]
        assert len(ends) <= len(beams) == len(candidates) // 2
        seen |= {rank < len(beams) for rank in ends}
    assert seen == {True, False}  # endings among the best, and below
