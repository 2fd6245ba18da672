"""Each wrong program about span corruption is wrong: the smallest input that shows it."""

from __future__ import annotations

from collections import Counter
from itertools import groupby
from random import Random

from tokenlab.algorithms.training_data.span_corruption import (
    EOS,
    SENTINELS,
    corrupt,
    noise_counts,
    noise_mask,
    random_segmentation,
    reconstruct,
)
from tokenlab.misconceptions import span_corruption as wrong
from tokenlab.misconceptions.catalog import rule_of

ENDS_IN_NOISE = ("abcde", [False, True, True, False, True])
ENDS_KEPT = ("abcd", [False, True, True, False])


def test_the_misconceptions_are_registered_each_with_its_rule() -> None:
    assert [m.number for m in wrong.MISCONCEPTIONS] == list(range(64, 72))
    assert all(m.claim and rule_of(program) == m.rule for m in wrong.MISCONCEPTIONS for program in m.programs)


def test_every_wrong_program_is_shown_wrong_here() -> None:
    shown = {name.removeprefix("test_").removesuffix("_is_wrong") for name in globals() if name.endswith("_is_wrong")}
    assert {program.__name__ for m in wrong.MISCONCEPTIONS for program in m.programs} == shown


def test_mask_each_token_is_wrong() -> None:
    masks = [wrong.mask_each_token(200, Random(seed)) for seed in range(20)]
    assert len({sum(mask) for mask in masks}) > 5
    spans = [sum(noisy for noisy, _ in groupby(mask)) for mask in masks]
    assert min(spans) > noise_counts(200)[1] and {sum(noise_mask(200, Random(seed))) for seed in range(20)} == {30}


def test_draw_lengths_from_left_is_wrong() -> None:
    random = Random(0)
    ways = Counter(wrong.draw_lengths_from_left(4, 3, random) for _ in range(3000))
    right = Counter(random_segmentation(4, 3, random) for _ in range(3000))
    assert set(ways) == set(right) == {(1, 1, 2), (1, 2, 1), (2, 1, 1)}
    assert 1350 < ways[2, 1, 1] < 1650 and 850 < right[2, 1, 1] < 1150


def test_one_sentinel_for_all_is_wrong() -> None:
    assert wrong.one_sentinel_for_all(*ENDS_IN_NOISE, "XYZ", ".") == (tuple("aXdX."), tuple("XbcXe."))
    assert corrupt(*ENDS_IN_NOISE, "XYZ", ".") == (tuple("aXdY."), tuple("XbcYe."))
    one = ("ab", [False, True], "XYZ", ".")
    assert wrong.one_sentinel_for_all(*one) == corrupt(*one)


def test_sentinels_count_up_is_wrong() -> None:
    tokens, mask = [10, 11], [False, True]
    assert wrong.sentinels_count_up(tokens, mask) == ((10, 32_000, EOS), (32_000, 11, EOS))
    assert corrupt(tokens, mask) == ((10, SENTINELS[0], EOS), (SENTINELS[0], 11, EOS))


def test_sentinel_per_token_is_wrong() -> None:
    assert wrong.sentinel_per_token(*ENDS_IN_NOISE, "XYZ", ".") == (tuple("aXYdZ."), tuple("XbYcZe."))
    single = ("abcd", [False, True, False, True], "XYZ", ".")
    assert wrong.sentinel_per_token(*single) == corrupt(*single)


def test_always_final_sentinel_is_wrong() -> None:
    assert wrong.always_final_sentinel(*ENDS_IN_NOISE, "XYZ", ".")[1] == tuple("XbcYeZ.")
    assert corrupt(*ENDS_IN_NOISE, "XYZ", ".")[1] == tuple("XbcYe.")
    assert wrong.always_final_sentinel(*ENDS_KEPT, "XYZ", ".") == corrupt(*ENDS_KEPT, "XYZ", ".")


def test_never_final_sentinel_is_wrong() -> None:
    assert wrong.never_final_sentinel(*ENDS_KEPT, "XYZ", ".")[1] == tuple("Xbc.")
    assert corrupt(*ENDS_KEPT, "XYZ", ".")[1] == tuple("XbcY.")
    assert wrong.never_final_sentinel(*ENDS_IN_NOISE, "XYZ", ".") == corrupt(*ENDS_IN_NOISE, "XYZ", ".")


def test_no_eos_in_target_is_wrong() -> None:
    inputs, targets = wrong.no_eos_in_target(*ENDS_IN_NOISE, "XYZ", ".")
    assert (inputs, (*targets, ".")) == corrupt(*ENDS_IN_NOISE, "XYZ", ".")


def test_whole_text_as_target_is_wrong() -> None:
    inputs, targets = wrong.whole_text_as_target(*ENDS_IN_NOISE, "XYZ", ".")
    right = corrupt(*ENDS_IN_NOISE, "XYZ", ".")
    assert targets == tuple("abcde.") != right[1] and inputs == right[0]
    assert reconstruct(*right, "XYZ", ".") == targets[:-1]
