"""Span corruption: how much is noise, where it is cut, what stands for it, and that nothing is lost."""

from __future__ import annotations

import json
from collections import Counter
from itertools import combinations, groupby
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tests.strategies import texts
from tokenlab.algorithms.training_data.span_corruption import (
    EOS,
    SENTINELS,
    EosAppended,
    NoiseCounted,
    SpanLengthsDrawn,
    SpanReplaced,
    SpansInterleaved,
    corrupt,
    corrupt_spans,
    noise_counts,
    noise_mask,
    random_segmentation,
    reconstruct,
    source_length,
)
from tokenlab.steps.recording import Recording


class Middle(Random):
    """A source of chance that always takes the items from the middle on."""

    def sample(self, population: Any, k: int, **_: Any) -> list[Any]:
        middle = len(population) // 2
        return [*population[middle:], *population[:middle]][:k]


def marks(written: str) -> list[bool]:
    return [mark == "1" for mark in written]


# The reference's own expectations (preprocessors_test.py), and what its formula gives for T5's own lengths.
HELPER = [
    ((512, 0.15, 3.0), (568, 114)),
    ((64, 0.20, 2.0), (70, 22)),
    ((64, 0.20, 1.0), (63, 27)),
    ((114, 0.15, 3.0), (126, 26)),
    ((1024, 0.15, 3.0), (1137, 229)),
    ((4, 0.15, 3.0), (4, 2)),
    ((2, 0.15, 3.0), (1, 1)),
]


@pytest.mark.parametrize(("asked", "lengths"), HELPER)
def test_the_lengths_are_those_of_the_reference(asked: tuple[int, float, float], lengths: tuple[int, int]) -> None:
    assert source_length(*asked) == lengths


@pytest.mark.parametrize("inputs_length", [31, 64, 256, 512])
@pytest.mark.parametrize(("density", "mean"), [(0.15, 3.0), (0.5, 3.0), (0.3, 1.0), (0.25, 8.0)])
def test_a_text_of_the_length_for_an_input_makes_that_input(inputs_length: int, density: float, mean: float) -> None:
    tokens, targets_length = source_length(inputs_length, density, mean)
    inputs, targets = corrupt_spans(range(100, 100 + tokens), Random(1), density, mean, range(-1, -1000, -1))
    if density == 0.5:
        assert (len(inputs), len(targets)) in [(inputs_length, targets_length), (inputs_length - 1, targets_length)]
        assert len(targets) <= len(inputs)
    else:
        assert (len(inputs), len(targets)) == (inputs_length, targets_length)
    longer = corrupt_spans(range(100, 101 + tokens), Random(1), density, mean, range(-1, -1000, -1))[0]
    assert len(longer) >= inputs_length


def test_of_a_text_so_short_that_its_spans_round_to_none_the_lengths_are_one_off() -> None:
    assert source_length(8) == (8, 2)
    inputs, targets = corrupt_spans(range(100, 108), Random(1))
    assert (len(inputs), len(targets)) == (9, 3)


def test_with_half_of_the_text_noise_a_target_is_not_longer_than_its_input() -> None:
    # 15 tokens would be 8 of noise in 3 spans, an input of 11 and a target of 12.
    assert source_length(11, 0.5, 3.0) == (14, 11)
    assert source_length(11, 0.5000001, 3.0) == (15, 12)
    assert source_length(10, 0.5, 3.0) == (14, 10)


def test_rounding_is_that_of_the_reference_whose_numbers_have_32_bits() -> None:
    for density in (0.15, 0.3, 0.5, 0.05):
        for length in range(2, 1500):
            noise = int(np.clip(np.rint(np.float32(length) * np.float32(density)), 1, length - 1))
            spans = max(1, int(np.rint(np.float32(noise) / np.float32(3.0))))
            assert noise_counts(length, density) == (noise, spans)
    assert noise_counts(190)[0] == 29 != round(190 * 0.15)


@pytest.mark.parametrize(
    ("length", "density", "counts"),
    [(2, 0.15, (1, 1)), (3, 0.15, (1, 1)), (2, 0.99, (1, 1)), (10, 0.15, (2, 1)), (30, 0.15, (4, 1)), (0, 0.5, (1, 1))],
)
def test_at_least_one_token_is_noise_and_one_is_kept(length: int, density: float, counts: tuple[int, int]) -> None:
    assert noise_counts(length, density) == counts


def test_half_a_span_is_rounded_to_an_even_number_of_spans() -> None:
    assert noise_counts(100, 0.05, 2.0) == (5, 2)
    assert noise_counts(100, 0.07, 2.0) == (7, 4)


def test_a_text_without_two_tokens_has_no_noise() -> None:
    assert noise_mask(0, Random(0)) == () and noise_mask(1, Random(0)) == (False,)
    assert corrupt_spans([7], Random(0)) == ((7, EOS), (32_099, EOS))
    assert corrupt_spans([], Random(0)) == ((EOS,), (EOS,))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: noise_counts(20, 0), ["noise_density=0 ", "between 0 and 1", "some tokens are noise"]),
        (lambda: noise_counts(20, 1.0), ["noise_density=1.0", "between 0 and 1"]),
        (lambda: noise_counts(20, float("nan")), ["noise_density=nan"]),
        (lambda: noise_counts(20, 0.15, 0.5), ["mean_span_length=0.5", "from 1"]),
        (lambda: noise_counts(20, 0.15, float("inf")), ["mean_span_length=inf"]),
        (lambda: noise_counts(10, 0.9), ["noise_density=0.9 keeps 1 of 10", "3 noise spans", "mean_span_length=3.0"]),
        (lambda: noise_counts(-1), ["length=-1"]),
        (lambda: source_length(1), ["inputs_length=1"]),
        (lambda: source_length(10, 1), ["noise_density=1"]),
        (lambda: random_segmentation(3, 4, Random(0)), ["segments=4", "items=3"]),
        (lambda: random_segmentation(3, 0, Random(0)), ["segments=0"]),
        (lambda: corrupt([1, 2], [True]), ["1 values", "2 tokens"]),
        (lambda: corrupt([5, 32_099], [False, True]), ["32099", "sentinel"]),
        (lambda: corrupt("abcde", marks("01010"), "XY", "."), ["3 spans", "there are 2"]),
        (lambda: corrupt("abcde", marks("10101"), "XY", "."), ["3 spans", "there are 2"]),
    ],
)
def test_what_cannot_be_done_is_said_in_a_sentence(call: Any, words: list[str]) -> None:
    with pytest.raises(ValueError) as error:
        call()
    assert all(word in str(error.value) for word in words)


def compositions(items: int, segments: int) -> set[tuple[int, ...]]:
    cuts = [(0, *inner, items) for inner in combinations(range(1, items), segments - 1)]
    return {tuple(b - a for a, b in zip(cut, cut[1:], strict=False)) for cut in cuts}


@pytest.mark.parametrize(("items", "segments", "critical"), [(7, 3, 39.3), (6, 2, 20.5), (6, 5, 20.5)])
def test_all_ways_to_cut_are_equally_likely(items: int, segments: int, critical: float) -> None:
    random, draws = Random(42), 6000
    counts = Counter(random_segmentation(items, segments, random) for _ in range(draws))
    ways = compositions(items, segments)
    assert set(counts) == ways
    expected = draws / len(ways)
    # `critical` is exceeded by chance once in a thousand times or less, with one degree less than there are ways.
    assert sum((count - expected) ** 2 / expected for count in counts.values()) < critical


def test_noise_and_kept_are_cut_independently() -> None:
    masks = Counter(noise_mask(8, Random(seed), 0.5, 2.0) for seed in range(3600))
    assert len(masks) == 3 * 3
    assert sum((count - 400) ** 2 / 400 for count in masks.values()) < 26.2  # 8 degrees, one in a thousand


@given(st.integers(2, 400), st.floats(0.01, 0.5), st.floats(1.5, 20), st.integers())
@examples(60)
def test_a_mask_begins_kept_ends_in_noise_and_has_the_counted_spans(
    length: int, density: float, mean: float, seed: int
) -> None:
    noise, spans = noise_counts(length, density, mean)
    mask = noise_mask(length, Random(seed), density, mean)
    assert len(mask) == length and sum(mask) == noise
    assert not mask[0] and mask[-1]
    assert sum(noisy for noisy, _ in groupby(mask)) == spans


def test_chance_is_drawn_for_the_noise_first() -> None:
    random = Random(3)
    noise, kept = random_segmentation(6, 3, random), random_segmentation(14, 3, random)
    recording = noise_mask.record(20, Random(3), 0.3, 2.0)
    assert recording.steps == (
        NoiseCounted(20, 6, 3),
        SpanLengthsDrawn(True, noise),
        SpanLengthsDrawn(False, kept),
        SpansInterleaved(kept, noise),
    )


def naive(tokens: list[Any], mask: list[bool], sentinels: Any, eos: Any) -> tuple[list[Any], list[Any]]:
    """The reference's two functions as one would say them: of each run that goes away only its start is left."""

    def without(away: list[bool]) -> list[Any]:
        side: list[Any] = []
        number = 0
        for place, token in enumerate(tokens):
            if not away[place]:
                side.append(token)
            elif place == 0 or not away[place - 1]:
                side.append(sentinels[number])
                number += 1
        return [*side, eos]

    return without(mask), without([not noisy for noisy in mask])


# Stored from the reference's behaviour: a mask that ends in noise, one that begins with it.
def test_the_sides_are_those_of_the_reference() -> None:
    tokens = list(range(10, 20))
    mask = [place in (3, 4, 6, 9) for place in range(10)]
    assert corrupt(tokens, mask)[1] == (32_099, 13, 14, 32_098, 16, 32_097, 19, EOS)
    assert corrupt(tokens, mask)[0] == (10, 11, 12, 32_099, 15, 32_098, 17, 18, 32_097, EOS)
    mask = [place in (0, 1, 6, 7, 8) for place in range(10)]
    assert corrupt(tokens, mask)[1] == (10, 11, 32_099, 16, 17, 18, 32_098, EOS)


def test_sentinels_count_down_from_the_top_id() -> None:
    assert SENTINELS[0] == 32_099 and SENTINELS[-1] == 32_000 and len(SENTINELS) == 100
    assert all(above - below == 1 for above, below in zip(SENTINELS, SENTINELS[1:], strict=False))


marked = st.lists(st.tuples(st.integers(2, 31_999), st.booleans()), max_size=60)


@given(marked)
@examples(120)
def test_input_and_target_are_the_naive_ones_and_give_the_text_back(text: list[tuple[int, bool]]) -> None:
    tokens, mask = [token for token, _ in text], [noisy for _, noisy in text]
    inputs, targets = corrupt(tokens, mask)
    assert (list(inputs), list(targets)) == naive(tokens, mask, SENTINELS, EOS)
    assert reconstruct(inputs, targets) == tuple(tokens)


@given(texts(), st.integers())
@examples(60)
def test_characters_of_any_text_come_back(text: str, seed: int) -> None:
    sentinels, eos = [f"<extra_id_{number}>" for number in range(len(text) + 1)], "</s>"
    inputs, targets = corrupt_spans(list(text), Random(seed), 0.3, 2.0, sentinels, eos)
    assert "".join(map(str, reconstruct(inputs, targets, sentinels, eos))) == text
    assert inputs[-1] == targets[-1] == eos


def test_an_end_inside_the_text_is_a_token_like_others() -> None:
    tokens, mask = [5, EOS, 6, EOS], [False, True, False, True]
    assert reconstruct(*corrupt(tokens, mask)) == tuple(tokens)


@pytest.mark.parametrize(
    ("inputs", "targets", "words"),
    [
        ("aXb", "Xc.", "inputs should end in '.'"),
        ("aXb.", "Xc", "targets should end in '.'"),
        ("", "Xc.", "inputs should end"),
        ("aX.", "Yc.", "do not match"),  # another sentinel
        ("aYb.", "XcY.", "do not match"),
        ("aXb.", "XcYd.", "do not match"),  # a span too many
        ("aXbY.", "Xc.", "do not match"),  # a span too few
        ("aXYb.", "XcY.", "do not match"),  # two sentinels side by side
        ("aX.", "c.", "do not match"),
    ],
)
def test_sides_that_do_not_fit_are_refused(inputs: str, targets: str, words: str) -> None:
    assert reconstruct("aXbY.", "XcYd.", "XYZ", ".") == ("a", "c", "b", "d")
    with pytest.raises(ValueError, match=words):
        reconstruct(inputs, targets, "XYZ", ".")


def test_as_many_spans_as_sentinels_are_possible() -> None:
    assert corrupt("abcd", [False, True, False, True], "XY", ".") == (tuple("aXcY."), tuple("XbYd."))


def test_the_steps_tell_each_run_and_the_end() -> None:
    recording = corrupt.record("abcd", [False, True, True, False], "XY", ".")
    assert recording.steps == (
        SpanReplaced(0, 1, False, "X"),
        SpanReplaced(1, 3, True, "X"),
        SpanReplaced(3, 4, False, "Y"),
        EosAppended("."),
    )
    assert str(recording).splitlines() == [
        "1. 1 kept token from position 0 on stays in the input; the target has X for it",
        "2. 2 noise tokens from position 1 on go to the target; the input has X for them",
        "3. 1 kept token from position 3 on stays in the input; the target has Y for it",
        "4. . ends the input and the target",
    ]


def test_a_recording_is_kept_as_json() -> None:
    recording = corrupt_spans.record(list(range(10, 40)), Random(0))
    again: Recording[Any, Any] = Recording.from_json(json.dumps(json.loads(recording.to_json())))
    assert again.steps == recording.steps and again.result == recording.result


def test_chance_comes_from_the_given_source_alone() -> None:
    assert noise_mask(30, Random(1)) == noise_mask(30, Random(1))
    assert random_segmentation(5, 2, Middle()) == (3, 2)
