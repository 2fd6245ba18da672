"""The plain functions of generation answer what the library's tensors do, and keep to their definitions."""

from __future__ import annotations

import math
from itertools import product
from random import Random
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tests.parity import generation_answers, logits_process_answers
from tests.parity.plain_generation_cases import beam_call, compare_beams, compare_sampling, sampling_case
from tokenlab import transformers
from tokenlab.algorithms.beam_candidates import Candidate, best_candidates, first_sums
from tokenlab.algorithms.beam_pool import Pool, is_done, is_done_for_good, ranked, with_room
from tokenlab.algorithms.beam_search import Closed, beam_search
from tokenlab.algorithms.beam_step import LIVES, NO_ROOM, TOO_LOW, sift
from tokenlab.algorithms.draw_token import draw, likeliest, renormalized
from tokenlab.algorithms.hypothesis_score import hypothesis_score, library_length, written_length
from tokenlab.algorithms.next_token import Ruled, draw_next
from tokenlab.algorithms.repetition import penalize_repetition
from tokenlab.algorithms.temperature import probabilities
from tokenlab.algorithms.top_k import keep_top_k
from tokenlab.algorithms.top_p import by_likelihood, keep_top_p
from tokenlab.algorithms.trace_back import trace_back
from tokenlab.algorithms.typical import expected_surprise, keep_typical, surprise
from tokenlab.transformers import generation
from tokenlab.transformers.generation.beam_hypotheses import BeamHypotheses

SCORES = st.lists(st.floats(-9, 9), min_size=1, max_size=9)
TENTHS = st.integers(-90, 0).map(lambda tenths: tenths / 10)
PENALTIES = st.sampled_from((-1.0, 0.0, 0.5, 1.0, 2.0))


@pytest.mark.parametrize("seed", range(60))
def test_the_rules_leave_what_the_library_s_classes_leave(seed: int) -> None:
    case = sampling_case(seed)
    compare_sampling(case, logits_process_answers.answer(generation, case))


@pytest.mark.parametrize("seed", range(25))
def test_plain_beam_search_finds_what_generate_finds(seed: int) -> None:
    call = beam_call(seed)
    compare_beams(call, generation_answers.answer(transformers, call))


# What may be drawn.


@given(SCORES, st.sampled_from((0.3, 1.0, 2.5)))
def test_temperature_is_a_power_of_the_probabilities(scores: list[float], temperature: float) -> None:
    powers = [p ** (1 / temperature) for p in probabilities(scores)]
    assert probabilities(scores, temperature) == pytest.approx([power / sum(powers) for power in powers])


@given(SCORES, st.floats(0.01, 1))
def test_top_p_keeps_the_fewest_that_have_the_share(scores: list[float], top_p: float) -> None:
    distribution = probabilities(scores)
    kept = keep_top_p(distribution, top_p)
    masses = [distribution[token] for token in kept]
    assert math.fsum(masses) >= top_p - 1e-9
    assert math.fsum(masses) - min(masses) < top_p
    assert min(masses) >= max((p for token, p in enumerate(distribution) if token not in kept), default=0)
    assert kept == tuple(sorted(kept))


def test_a_share_that_is_reached_exactly_is_enough() -> None:
    assert keep_top_p([0.5, 0.25, 0.25], 0.5) == (0,)
    assert keep_top_p([0.125, 0.5, 0.375], 0.875) == (1, 2)
    assert keep_typical([0.75, 0.25], 0.75) == (0,)


def test_of_equally_likely_tokens_the_later_are_kept() -> None:
    assert by_likelihood([0.25, 0.5, 0.25]) == [1, 2, 0]
    assert keep_top_p([0.25, 0.25, 0.25, 0.25], 0.5) == (2, 3)


@given(SCORES, st.floats(0.01, 0.99))
def test_what_is_typical_is_nearer_than_what_is_not(scores: list[float], mass: float) -> None:
    distribution = probabilities(scores)
    kept = keep_typical(distribution, mass)
    far = [abs(surprise(p) - expected_surprise(distribution)) for p in distribution]
    farthest = max(far[token] for token in kept)
    assert all((far[token] <= farthest) == (token in kept) for token in range(len(distribution)))
    assert sum(distribution[token] for token in kept) >= mass - 1e-9
    assert sum(distribution[token] for token in kept if far[token] < farthest) < mass


@given(st.lists(st.integers(0, 3), min_size=1, max_size=7), st.integers(1, 9))
def test_top_k_keeps_what_is_as_good_as_the_last(scores: list[int], top_k: int) -> None:
    kept = keep_top_k(scores, top_k)
    better = [sum(other > score for other in scores) for score in scores]
    assert kept == tuple(token for token, number in enumerate(better) if number < top_k)


@given(st.lists(st.integers(-4, 4), min_size=3, max_size=3), st.lists(st.integers(0, 2), max_size=5))
def test_a_penalty_lowers_what_is_written_once_and_nothing_else(scores: list[int], written: list[int]) -> None:
    after = penalize_repetition(scores, written, 2)
    for token, (before, now) in enumerate(zip(scores, after, strict=True)):
        assert now == (before if token not in written else before * 2 if before < 0 else before / 2)
        assert now <= before
    assert penalize_repetition(after, written, 0.5) == tuple(scores)


@given(SCORES, st.data())
def test_each_token_is_drawn_by_a_stretch_as_long_as_it_is_likely(scores: list[float], data: st.DataObject) -> None:
    distribution = probabilities(scores)
    number = data.draw(st.floats(0, 1, exclude_max=True))
    token = draw(distribution, number)
    assert sum(distribution[:token]) <= number + 1e-9
    assert number <= sum(distribution[: token + 1]) + 1e-9


def test_the_ends_of_stretches() -> None:
    assert [draw([0.25, 0, 0.5, 0.25], number) for number in (0, 0.24, 0.25, 0.74, 0.75, 0.99)] == [0, 0, 2, 2, 3, 3]
    recording = draw.record([0.5, 0.4999999, 0], 0.99999999)
    assert recording.result == 1 and recording[-1].drawn  # what rounding has lost belongs to the last that is possible


def test_what_is_cut_off_is_never_drawn() -> None:
    left = renormalized([0.5, 0.25, 0.25], [0, 2])
    assert left == pytest.approx((2 / 3, 0, 1 / 3))
    assert {draw(left, number / 100) for number in range(100)} == {0, 2}


def test_greedy_takes_the_first_of_the_best() -> None:
    assert (likeliest([-2, 5, 5]), likeliest([7])) == (1, 0)


def test_rules_come_in_the_library_s_order() -> None:
    scores = [2 * math.log(p) for p in (0.35, 0.25, 0.2, 0.15, 0.05)]
    settings: dict[str, Any] = {
        "typical_p": 0.9,
        "top_p": 0.9,
        "top_k": 4,
        "temperature": 2.0,
        "repetition_penalty": 1.5,
    }
    ruled = [step for step in draw_next.record(scores, 0.99, [0], **settings) if isinstance(step, Ruled)]
    assert [step.rule for step in ruled] == list(reversed(settings))
    assert [step.left for step in ruled] == [5, 5, 4, 4, 4]
    assert draw_next(scores, 0.5, temperature=2.0, top_p=0.7) == 1
    assert draw_next(scores, 0.5, top_p=0.7) == 0


@pytest.mark.parametrize(
    ("refused", "said"),
    [
        (lambda: probabilities([1.0], 0), "temperature=0 should be above 0"),
        (lambda: keep_top_p([1.0], 0), "top_p=0 should be above 0"),
        (lambda: keep_top_p([1.0], 1.01), "top_p=1.01 should be above 0 and at most 1"),
        (lambda: keep_typical([1.0], 1), "mass=1 should be above 0 and below 1"),
        (lambda: keep_top_k([1.0], 0), "top_k=0 should be at least 1"),
        (lambda: penalize_repetition([1.0], [0], 0), "penalty=0 should be above 0"),
        (lambda: draw([1.0], 1), "number=1 should be at least 0 and below 1"),
        (lambda: draw([0.0, 0.0], 0.5), "no token has a probability above 0"),
    ],
)
def test_impossible_settings_are_refused(refused: object, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        refused()  # type: ignore[operator]


# Beams.


@given(st.integers(1, 4), st.integers(2, 5), st.data())
def test_candidates_are_the_best_of_all_beams_with_all_tokens(beams: int, tokens: int, data: st.DataObject) -> None:
    sums = data.draw(st.lists(TENTHS, min_size=beams, max_size=beams))
    rows = data.draw(st.lists(st.lists(TENTHS, min_size=tokens, max_size=tokens), min_size=beams, max_size=beams))
    every = sorted(((-(sums[b] + rows[b][t]), b, t) for b, t in product(range(beams), range(tokens))))
    assert [(-c.total, c.beam, c.token) for c in best_candidates(sums, rows)] == every[: 2 * beams]


def test_all_first_candidates_come_from_the_one_beam_that_is_on() -> None:
    row = [-0.1, -0.2, -0.3, -0.4, -0.5, -0.6, -0.7]
    assert {candidate.beam for candidate in best_candidates(first_sums(3), [row] * 3)} == {0}
    assert {candidate.token for candidate in best_candidates((0, 0, 0), [row] * 3)} == {0, 1}


@given(st.integers(1, 4), st.integers(0, 3), st.randoms(use_true_random=False))
def test_of_candidates_as_many_live_on_as_there_are_beams(beams: int, eos: int, random: Random) -> None:
    texts = [(0, 10 + beam) for beam in range(beams)]
    pairs = random.sample([(b, t) for b in range(beams) for t in range(4)], 2 * beams)
    candidates = [Candidate(*pair, -float(rank)) for rank, pair in enumerate(pairs)]
    recording = sift.record(texts, candidates, eos)
    living, ended = recording.result
    assert len(living) == beams
    assert living == tuple(((*texts[b], t), s) for b, t, s in candidates if t != eos)[:beams]
    assert ended == tuple((texts[b], s) for b, t, s in candidates[:beams] if t == eos)
    fates = [step.fate for step in recording]
    assert fates.count(LIVES) == beams
    assert NO_ROOM not in fates[: len(fates) - fates[::-1].index(LIVES)]
    assert all(candidates[rank].token == eos and rank >= beams for rank, fate in enumerate(fates) if fate == TOO_LOW)


@given(
    st.lists(st.tuples(st.integers(1, 6), TENTHS), max_size=9),
    st.integers(1, 3),
    st.sampled_from((-1.0, 0.0, 1.0, 2.0)),
)
def test_the_pool_is_the_library_s(hypotheses: list[tuple[int, float]], room: int, length_penalty: float) -> None:
    theirs = BeamHypotheses(room, length_penalty, early_stopping=False)
    ours: Pool = ()
    for length, total in hypotheses:
        ids = tuple(range(length))
        ours = with_room(ours, (ids, hypothesis_score(total, length, length_penalty)), room)
        theirs.add(torch.tensor(ids), total)
        assert [(len(ids), score) for ids, score in ours] == [(len(h.ids), h.score) for h in theirs.beams]
        scores = [score for _, score in ours]
        for best, now in product((-0.5, -2.0, total), (1, 4)):
            assert is_done(scores, room, best, now, length_penalty) == theirs.is_done(best, now)
    best_first = [score for _, score in ranked(ours)]
    assert best_first == sorted(best_first, reverse=True)


@given(
    st.lists(TENTHS, max_size=3), TENTHS, st.integers(1, 5), st.integers(0, 4), st.sampled_from((-1.0, 0.0, 0.5, 2.0))
)
def test_done_for_good_means_that_no_length_would_help(
    scores: list[float], best: float, length: int, more: int, length_penalty: float
) -> None:
    done = is_done_for_good(scores, 3, best, length, length + more, length_penalty)
    lengths = range(length, length + more + 1)
    assert done == all(is_done(scores, 3, best, later, length_penalty) for later in lengths)


@given(st.lists(st.tuples(st.integers(1, 5), TENTHS), max_size=4), st.integers(1, 3), PENALTIES)
def test_today_s_rules_are_those_of_the_library_s_pool(
    hypotheses: list[tuple[int, float]], prompt: int, length_penalty: float
) -> None:
    most = prompt + 7
    theirs = BeamHypotheses(2, length_penalty, "never", length_counts="eos", prompt_length=prompt, max_length=most)
    ours: Pool = ()
    for written, total in hypotheses:
        ids = (*[0] * prompt, *[5] * (written - 1), 1)
        theirs.add(torch.tensor(ids[:-1]), total, eos=1)
        ours = with_room(ours, (ids, hypothesis_score(total, written_length(ids, prompt), length_penalty)), 2)
        scores = [score for _, score in ours]
        assert scores == [hypothesis.score for hypothesis in theirs.beams]
        for best in (-0.5, -2.0, -9.0, total):
            done = is_done_for_good(scores, 2, best, written, most - prompt, length_penalty)
            assert done == theirs.is_done(best, prompt + written - 1)


def test_early_stopping_is_content_with_a_full_pool() -> None:
    assert not is_done([-9.0], 2, -1.0, 3, early_stopping=True)
    assert is_done([-9.0, -8.0], 2, -1.0, 3, early_stopping=True)
    assert not is_done([-9.0, -8.0], 2, -1.0, 3)
    assert is_done([-1.0, -2.0], 2, -6.0, 3)  # a tie


def test_lengths() -> None:
    assert (library_length([0, 5, 6, 1], 1), library_length([0, 5, 6], 1)) == (3, 2 + 1)
    assert (written_length([0, 5, 6, 1], 1), written_length([0, 0, 0, 5], 3)) == (3, 1)


def test_open_beams_ask_for_room_only_if_the_search_is_not_over() -> None:
    def row(ids: tuple[int, ...]) -> list[float]:
        return [-9.0, -0.1, -3.0, -4.0]

    stopped = beam_search.record(row, (0,), beams=2, eos=1, longest=9, early_stopping=True)
    assert not any(isinstance(step, Closed) for step in stopped)
    cut = beam_search.record(row, (0,), beams=2, eos=1, longest=2)
    assert isinstance(cut[-1], Closed) and len(cut.result) == 2


@given(st.integers(1, 4), st.lists(st.randoms(use_true_random=False), max_size=5))
def test_tracing_back_finds_what_copying_would_have_written(beams: int, steps: list[Random]) -> None:
    texts: list[tuple[int, ...]] = [()] * beams
    tokens, parents = [], []
    for random in steps:
        tokens.append([random.randrange(9) for _ in range(beams)])
        parents.append([random.randrange(beams) for _ in range(beams)])
        texts = [(*texts[parent], token) for token, parent in zip(tokens[-1], parents[-1], strict=True)]
    assert [trace_back(tokens, parents, beam) for beam in range(beams)] == texts
