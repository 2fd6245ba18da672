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
from tokenlab.algorithms.decoding.beam_search import (
    EOS_RANK_TOO_LOW,
    EXAMPLE,
    KEPT,
    NOT_NEEDED,
    Candidate,
    Finalized,
    beam_search,
    initial_beam_scores,
    select_beams,
    top_candidates,
)
from tokenlab.algorithms.decoding.filters import (
    by_probability,
    entropy,
    surprisal,
    top_k_filter,
    top_p_filter,
    typical_filter,
)
from tokenlab.algorithms.decoding.next_token import (
    FilterApplied,
    apply_repetition_penalty,
    renormalized,
    sample_next_token,
    sample_token,
    softmax_with_temperature,
)
from tokenlab.algorithms.decoding.stopping_rule import (
    TODAY,
    TRANSFORMERS_4_26,
    Hypotheses,
    StoppingRule,
    add_hypothesis,
    hypothesis_score,
    sorted_hypotheses,
)
from tokenlab.libraries import transformers
from tokenlab.libraries.transformers import generation
from tokenlab.libraries.transformers.generation.beam_scorer import BeamHypotheses, BeamSearchScorer
from tokenlab.libraries.transformers.generation.beam_steps import BeamsSelected

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
    powers = [p ** (1 / temperature) for p in softmax_with_temperature(scores)]
    assert softmax_with_temperature(scores, temperature) == pytest.approx([power / sum(powers) for power in powers])


@given(SCORES, st.floats(0.01, 1))
def test_top_p_keeps_the_fewest_that_have_the_share(scores: list[float], top_p: float) -> None:
    distribution = softmax_with_temperature(scores)
    kept = top_p_filter(distribution, top_p)
    masses = [distribution[token] for token in kept]
    assert math.fsum(masses) >= top_p - 1e-9
    assert math.fsum(masses) - min(masses) < top_p
    assert min(masses) >= max((p for token, p in enumerate(distribution) if token not in kept), default=0)
    assert kept == tuple(sorted(kept))


def test_a_share_that_is_reached_exactly_is_enough() -> None:
    assert top_p_filter([0.5, 0.25, 0.25], 0.5) == (0,)
    assert top_p_filter([0.125, 0.5, 0.375], 0.875) == (1, 2)
    assert typical_filter([0.75, 0.25], 0.75) == (0,)


def test_of_equally_likely_tokens_the_later_are_kept() -> None:
    assert by_probability([0.25, 0.5, 0.25]) == [1, 2, 0]
    assert top_p_filter([0.25, 0.25, 0.25, 0.25], 0.5) == (2, 3)


@given(SCORES, st.floats(0.01, 0.99))
def test_what_is_typical_is_nearer_than_what_is_not(scores: list[float], mass: float) -> None:
    distribution = softmax_with_temperature(scores)
    kept = typical_filter(distribution, mass)
    far = [abs(surprisal(p) - entropy(distribution)) for p in distribution]
    farthest = max(far[token] for token in kept)
    assert all((far[token] <= farthest) == (token in kept) for token in range(len(distribution)))
    assert sum(distribution[token] for token in kept) >= mass - 1e-9
    assert sum(distribution[token] for token in kept if far[token] < farthest) < mass


@given(st.lists(st.integers(0, 3), min_size=1, max_size=7), st.integers(1, 9))
def test_top_k_keeps_what_is_as_good_as_the_last(scores: list[int], top_k: int) -> None:
    kept = top_k_filter(scores, top_k)
    better = [sum(other > score for other in scores) for score in scores]
    assert kept == tuple(token for token, number in enumerate(better) if number < top_k)


@given(st.lists(st.integers(-4, 4), min_size=3, max_size=3), st.lists(st.integers(0, 2), max_size=5))
def test_a_penalty_lowers_what_is_written_once_and_nothing_else(scores: list[int], written: list[int]) -> None:
    after = apply_repetition_penalty(scores, written, 2)
    for token, (before, now) in enumerate(zip(scores, after, strict=True)):
        assert now == (before if token not in written else before * 2 if before < 0 else before / 2)
        assert now <= before
    assert apply_repetition_penalty(after, written, 0.5) == tuple(scores)


@given(SCORES, st.data())
def test_each_token_is_drawn_by_a_stretch_as_long_as_it_is_likely(scores: list[float], data: st.DataObject) -> None:
    distribution = softmax_with_temperature(scores)
    number = data.draw(st.floats(0, 1, exclude_max=True))
    token = sample_token(distribution, number)
    assert sum(distribution[:token]) <= number + 1e-9
    assert number <= sum(distribution[: token + 1]) + 1e-9


def test_the_ends_of_stretches() -> None:
    assert [sample_token([0.25, 0, 0.5, 0.25], number) for number in (0, 0.24, 0.25, 0.74, 0.75, 0.99)] == [
        0,
        0,
        2,
        2,
        3,
        3,
    ]
    recording = sample_token.record([0.5, 0.4999999, 0], 0.99999999)
    assert recording.result == 1 and recording[-1].drawn  # what rounding has lost belongs to the last that is possible


def test_what_is_cut_off_is_never_drawn() -> None:
    left = renormalized([0.5, 0.25, 0.25], [0, 2])
    assert left == pytest.approx((2 / 3, 0, 1 / 3))
    assert {sample_token(left, number / 100) for number in range(100)} == {0, 2}


def test_rules_come_in_the_library_s_order() -> None:
    scores = [2 * math.log(p) for p in (0.35, 0.25, 0.2, 0.15, 0.05)]
    settings: dict[str, Any] = {
        "typical_p": 0.9,
        "top_p": 0.9,
        "top_k": 4,
        "temperature": 2.0,
        "repetition_penalty": 1.5,
    }
    ruled = [
        step for step in sample_next_token.record(scores, 0.99, [0], **settings) if isinstance(step, FilterApplied)
    ]
    assert [step.rule for step in ruled] == list(reversed(settings))
    assert [step.num_possible for step in ruled] == [5, 5, 4, 4, 4]
    assert sample_next_token(scores, 0.5, temperature=2.0, top_p=0.7) == 1
    assert sample_next_token(scores, 0.5, top_p=0.7) == 0


@pytest.mark.parametrize(
    ("refused", "said"),
    [
        (lambda: softmax_with_temperature([1.0], 0), "temperature=0 should be above 0"),
        (lambda: top_p_filter([1.0], 0), "top_p=0 should be above 0"),
        (lambda: top_p_filter([1.0], 1.01), "top_p=1.01 should be above 0 and at most 1"),
        (lambda: typical_filter([1.0], 1), "mass=1 should be above 0 and below 1"),
        (lambda: top_k_filter([1.0], 0), "top_k=0 should be at least 1"),
        (lambda: apply_repetition_penalty([1.0], [0], 0), "penalty=0 should be above 0"),
        (lambda: sample_token([1.0], 1), "number=1 should be at least 0 and below 1"),
        (lambda: sample_token([0.0, 0.0], 0.5), "no token has a probability above 0"),
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
    assert [(-c.total, c.beam, c.token) for c in top_candidates(sums, rows)] == every[: 2 * beams]


def test_all_first_candidates_come_from_the_one_beam_that_is_on() -> None:
    row = [-0.1, -0.2, -0.3, -0.4, -0.5, -0.6, -0.7]
    assert {candidate.beam for candidate in top_candidates(initial_beam_scores(3), [row] * 3)} == {0}
    assert {candidate.token for candidate in top_candidates((0, 0, 0), [row] * 3)} == {0, 1}


@given(st.integers(1, 4), st.integers(0, 3), st.randoms(use_true_random=False))
def test_of_candidates_as_many_live_on_as_there_are_beams(beams: int, eos: int, random: Random) -> None:
    texts = [(0, 10 + beam) for beam in range(beams)]
    pairs = random.sample([(b, t) for b in range(beams) for t in range(4)], 2 * beams)
    candidates = [Candidate(*pair, -float(rank)) for rank, pair in enumerate(pairs)]
    recording = select_beams.record(texts, candidates, eos)
    living, ended = recording.result
    assert len(living) == beams
    assert living == tuple(((*texts[b], t), s) for b, t, s in candidates if t != eos)[:beams]
    assert ended == tuple((texts[b], s) for b, t, s in candidates[:beams] if t == eos)
    fates = [step.status for step in recording]
    assert fates.count(KEPT) == beams
    assert NOT_NEEDED not in fates[: len(fates) - fates[::-1].index(KEPT)]
    assert all(
        candidates[rank].token == eos and rank >= beams
        for rank, status in enumerate(fates)
        if status == EOS_RANK_TOO_LOW
    )


@given(
    st.lists(st.tuples(st.integers(1, 6), TENTHS), max_size=9),
    st.integers(1, 3),
    st.sampled_from((-1.0, 0.0, 1.0, 2.0)),
)
def test_the_pool_is_the_library_s(hypotheses: list[tuple[int, float]], room: int, length_penalty: float) -> None:
    theirs = BeamHypotheses(room, length_penalty, early_stopping=False)
    ours: Hypotheses = ()
    for length, total in hypotheses:
        ids = tuple(range(length))
        ours = add_hypothesis(ours, (ids, hypothesis_score(total, length, length_penalty)), room)
        theirs.add(torch.tensor(ids), total)
        assert [(len(ids), score) for ids, score in ours] == [(len(h.ids), h.score) for h in theirs.beams]
        scores = [score for _, score in ours]
        for best, now in product((-0.5, -2.0, total), (1, 4)):
            attainable = best / now**length_penalty
            assert theirs.is_done(best, now) == (len(scores) == room and min(scores) >= attainable)
    best_first = [score for _, score in sorted_hypotheses(ours)]
    assert best_first == sorted(best_first, reverse=True)


@given(
    st.lists(TENTHS, max_size=3), TENTHS, st.integers(1, 5), st.integers(0, 4), st.sampled_from((-1.0, 0.0, 0.5, 2.0))
)
def test_done_for_good_means_that_no_length_would_help(
    scores: list[float], best: float, length: int, more: int, length_penalty: float
) -> None:
    never = StoppingRule(3, length_penalty, "never", TODAY, max_length=length + more + 1)
    now = StoppingRule(3, length_penalty, False, TODAY)
    lengths = range(length, length + more + 1)
    done = never.check(scores, best, length).done
    assert done == all(now.check(scores, best, later).done for later in lengths)


@given(st.lists(st.tuples(st.integers(1, 5), TENTHS), max_size=4), st.integers(1, 3), PENALTIES)
def test_today_s_rules_are_those_of_the_library_s_pool(
    hypotheses: list[tuple[int, float]], prompt: int, length_penalty: float
) -> None:
    most = prompt + 7
    theirs = BeamHypotheses(2, length_penalty, "never", length_counts="eos", prompt_length=prompt, max_length=most)
    ours: Hypotheses = ()
    for written, total in hypotheses:
        ids = (*[0] * prompt, *[5] * (written - 1), 1)
        theirs.add(torch.tensor(ids[:-1]), total, eos=1)
        ours = add_hypothesis(
            ours, (ids, hypothesis_score(total, TODAY.length_of(len(ids) - 1, True, prompt), length_penalty)), 2
        )
        scores = [score for _, score in ours]
        assert scores == [hypothesis.score for hypothesis in theirs.beams]
        for best in (-0.5, -2.0, -9.0, total):
            length = most - prompt if length_penalty > 0 else written
            done = len(scores) == 2 and min(scores) >= best / length**length_penalty
            assert done == theirs.is_done(best, prompt + written - 1)


def test_early_stopping_is_content_with_a_full_pool() -> None:
    early, late = StoppingRule(2, early_stopping=True), StoppingRule(2)
    assert not early.check([-9.0], -1.0, 3).done
    assert early.check([-9.0, -8.0], -1.0, 3).done
    assert not late.check([-9.0, -8.0], -1.0, 3).done
    assert late.check([-1.0, -2.0], -6.0, 3).done  # a tie


def test_lengths() -> None:
    # The ids 0 5 6 and an eos, then without it, after a prompt of 1; and a prompt of 3 with one more id.
    assert [TRANSFORMERS_4_26.length_of(3, has_eos) for has_eos in (True, False)] == [3, 3]
    assert [TODAY.length_of(3, has_eos) for has_eos in (True, False)] == [3, 2]
    assert TODAY.length_of(4, False, prompt_length=3) == 1


def test_open_beams_ask_for_room_only_if_the_search_is_not_over() -> None:
    def row(ids: tuple[int, ...]) -> list[float]:
        return [-9.0, -0.1, -3.0, -4.0]

    stopped = beam_search.record(row, (0,), beams=2, eos=1, max_length=9, early_stopping=True)
    assert not any(isinstance(step, Finalized) for step in stopped)
    cut = beam_search.record(row, (0,), beams=2, eos=1, max_length=2)
    assert isinstance(cut[-1], Finalized) and len(cut.result) == 2


# Degenerate inputs.


def test_a_start_of_max_length_is_returned_once() -> None:
    assert beam_search(EXAMPLE.__getitem__, (0,), beams=2, eos=1, max_length=1) == (((0,), 0.0),)
    assert beam_search(EXAMPLE.__getitem__, (0,), beams=3, eos=1, max_length=0) == (((0,), 0.0),)


def test_a_masked_beam_is_no_hypothesis_even_if_fewer_texts_are_possible_than_beams() -> None:
    found = beam_search(lambda ids: [-1.0, -2.0], (0,), beams=4, eos=1, max_length=2)
    assert found == (((0, 0), -0.5), ((0,), -2.0))


def test_forbidden_tokens_make_no_hypothesis() -> None:
    assert beam_search(lambda ids: [-math.inf, -1.0, -math.inf], (0,), 2, 1, 3) == (((0,), -1.0),)
    assert beam_search(lambda ids: [-math.inf] * 3, (0,), 2, 1, 3) == ()


def test_beam_search_needs_two_next_tokens_and_a_beam() -> None:
    with pytest.raises(ValueError, match="rows gives 2 beams 1 log-probabilities each; give at least one beam and 2"):
        beam_search(lambda ids: [-1.0], (0,), 2, 0, 5)
    with pytest.raises(ValueError, match="beams=0 is too small; give 1 or more"):
        beam_search(EXAMPLE.__getitem__, (0,), 0, 1, 5)
    with pytest.raises(ValueError, match="rows gives 0 beams"):
        top_candidates([], [])


@pytest.mark.parametrize("rank", range(4))
@pytest.mark.parametrize("running", range(3))
@pytest.mark.parametrize("ends", (True, False))
def test_the_scorer_and_the_plain_function_have_one_selection_rule(rank: int, running: int, ends: bool) -> None:
    """Candidate `rank` of 4, after `running` ones that continue and others that end."""
    if running > rank:
        return
    tokens = [7 if place < running else 1 for place in range(rank)] + [1 if ends else 7, 7, 7]
    scores = [-0.1 * place for place in range(len(tokens))]
    candidates = [Candidate(0, token, score) for token, score in zip(tokens, scores, strict=True)]
    plain = [step.status for step in select_beams.record([[0, 5], [0, 6]], candidates, eos=1)]
    scorer = BeamSearchScorer(1, 2, "cpu")
    rows = (torch.tensor([row]) for row in (scores, tokens, [0] * len(tokens)))
    steps = [
        step
        for step in scorer.process.steps(torch.tensor([[0, 5], [0, 6]]), *rows, 0, 1)
        if isinstance(step, BeamsSelected)
    ]
    assert [candidate.status for candidate in steps[0].candidates] == plain
