"""Each wrong program about sampling and beams is wrong: the smallest input that shows it, and one that does not."""

from __future__ import annotations

import math

from tokenlab.algorithms.decoding.beam_search import Candidate, initial_beam_scores, select_beams, top_candidates
from tokenlab.algorithms.decoding.filters import top_p_filter
from tokenlab.algorithms.decoding.next_token import apply_repetition_penalty
from tokenlab.algorithms.decoding.stopping_rule import (
    CAN_IMPROVE,
    CANNOT_IMPROVE,
    TODAY,
    hypothesis_score,
    stopping_reason,
)
from tokenlab.misconceptions import beam_search
from tokenlab.misconceptions import token_sampling as sampling
from tokenlab.misconceptions.beam_search import (
    eos_keeps_running,
    highest_sum_wins,
    include_prompt_length,
    no_neg_inf_seed,
    no_reorder,
    penalty_sign,
    stop_when_k_finished,
    top_k_only,
)
from tokenlab.misconceptions.token_sampling import (
    divide_all_logits,
    exclude_crossing_token,
    penalize_each_time,
    temperature_first,
    temperature_last,
)


def test_they_have_their_numbers() -> None:
    assert [m.number for m in sampling.MISCONCEPTIONS] == [47, 48, 72]
    assert [m.number for m in beam_search.MISCONCEPTIONS] == [42, 43, 44, 46, 73, 74]
    both = [*sampling.MISCONCEPTIONS, *beam_search.MISCONCEPTIONS]
    shown = {name.removeprefix("test_").removesuffix("_is_wrong") for name in globals() if name.endswith("_is_wrong")}
    assert {program.__name__ for m in both for program in m.programs} == shown


def test_exclude_crossing_token_is_wrong() -> None:
    assert exclude_crossing_token([0.2, 0.5, 0.3], 0.7) == (1,)
    assert top_p_filter([0.2, 0.5, 0.3], 0.7) == (1, 2)
    assert exclude_crossing_token([0.25, 0.5, 0.25], 0.5) == top_p_filter([0.25, 0.5, 0.25], 0.5) == (1,)
    assert exclude_crossing_token([0.9, 0.1], 0.5) == (0,)  # never nothing


def test_temperature_last_is_wrong() -> None:
    scores = [2 * math.log(p) for p in (0.35, 0.25, 0.2, 0.15, 0.05)]  # .49 .25 .16 .09 .01
    assert temperature_last(scores, 2.0, 0.7) == (0, 1)
    assert temperature_first(scores, 2.0, 0.7) == (0, 1, 2)
    assert temperature_last(scores, 0.5, 0.7) == (0, 1) != temperature_first(scores, 0.5, 0.7) == (0,)
    assert temperature_last(scores, 1.0, 0.7) == temperature_first(scores, 1.0, 0.7)


def test_divide_all_logits_is_wrong() -> None:
    assert divide_all_logits([4, -4], [0, 1], 2) == (2, -2)
    assert apply_repetition_penalty([4, -4], [0, 1], 2) == (2, -8)
    assert divide_all_logits([4, 4], [1], 2) == apply_repetition_penalty([4, 4], [1], 2)


def test_penalize_each_time_is_wrong() -> None:
    assert penalize_each_time([4, -4, 4], [0, 0, 1, 1], 2) == (1, -16, 4)
    assert apply_repetition_penalty([4, -4, 4], [0, 0, 1, 1], 2) == (2, -8, 4)
    assert penalize_each_time([4, -4], [1, 0], 2) == apply_repetition_penalty([4, -4], [1, 0], 2)


def test_no_neg_inf_seed_is_wrong() -> None:
    rows = [[-1.0, -2.0, -3.0, -4.0]] * 2
    assert [one[:2] for one in top_candidates(no_neg_inf_seed(2), rows)] == [(0, 0), (1, 0), (0, 1), (1, 1)]
    assert [one[:2] for one in top_candidates(initial_beam_scores(2), rows)] == [(0, 0), (0, 1), (0, 2), (0, 3)]
    assert no_neg_inf_seed(1) == initial_beam_scores(1)


BEAMS = [(0, 5), (0, 6)]
CANDIDATES = [Candidate(1, 1, -1.0), Candidate(1, 7, -2.0), Candidate(0, 1, -3.0), Candidate(1, 8, -4.0)]
RIGHT = ((((0, 6, 7), -2.0), ((0, 6, 8), -4.0)), (((0, 6), -1.0),))


def test_top_k_only_is_wrong() -> None:
    assert select_beams(BEAMS, CANDIDATES, 1) == RIGHT
    assert top_k_only(BEAMS, CANDIDATES, 1) == (RIGHT[0][:1], RIGHT[1])
    assert top_k_only(BEAMS, CANDIDATES, 9) == select_beams(BEAMS, CANDIDATES, 9)


def test_eos_keeps_running_is_wrong() -> None:
    assert eos_keeps_running(BEAMS, CANDIDATES, 1) == ((((0, 6, 1), -1.0), ((0, 6, 7), -2.0)), ())
    assert eos_keeps_running(BEAMS, CANDIDATES, 9) == select_beams(BEAMS, CANDIDATES, 9)


def test_no_reorder_is_wrong() -> None:
    assert no_reorder(BEAMS, CANDIDATES, 1) == ((((0, 5, 7), -2.0), ((0, 6, 8), -4.0)), RIGHT[1])
    in_their_rows = [Candidate(0, 7, -1.0), Candidate(1, 8, -2.0), Candidate(0, 1, -3.0), Candidate(1, 1, -4.0)]
    assert no_reorder(BEAMS, in_their_rows, 1) == select_beams(BEAMS, in_their_rows, 1)


def test_penalty_sign_is_wrong() -> None:
    assert penalty_sign(-6, 3, 1) > penalty_sign(-7, 7, 1)
    assert hypothesis_score(-6, 3, 1) < hypothesis_score(-7, 7, 1)
    assert penalty_sign(-6, 3, 0) == hypothesis_score(-6, 3, 0)


def test_include_prompt_length_is_wrong() -> None:
    short, long = [0] * 8 + [1], [0] * 8 + [5, 1]
    assert -2 / include_prompt_length(short, 8) > -3 / include_prompt_length(long, 8)
    today = [TODAY.length_of(len(ids) - 1, has_eos=True, prompt_length=8) for ids in (short, long)]
    assert -2 / today[0] < -3 / today[1]


def test_stop_when_k_finished_is_wrong() -> None:
    assert stop_when_k_finished([-1, -1.5], 2) and not stop_when_k_finished([-1], 2)
    assert stopping_reason([-1, -1.5], 2, best_attainable_score=-1) == CAN_IMPROVE
    assert stopping_reason([-1, -1.5], 2, best_attainable_score=-1.5) == CANNOT_IMPROVE


def test_highest_sum_wins_is_wrong() -> None:
    assert highest_sum_wins(-6, 3, 1) > highest_sum_wins(-7, 7, 1)
    assert highest_sum_wins(-6, 3, 0) == hypothesis_score(-6, 3, 0)
