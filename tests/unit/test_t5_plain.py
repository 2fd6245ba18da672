"""The plain functions of a T5 answer what the modules of `tokenlab.libraries.transformers` do."""

from __future__ import annotations

import math
from itertools import product

import pytest
import torch

from tests.parity.t5_plain_answers import answers
from tests.parity.t5_plain_cases import compare, random_case
from tokenlab.algorithms.attention.attention_weights import attention_weights, softmax
from tokenlab.algorithms.attention.decoder import (
    MIN_VALUE,
    cached_attention,
    decoder_mask,
    projections_computed,
    shift_right,
)
from tokenlab.algorithms.attention.relative_buckets import bias_tables, buckets, relative_bucket
from tokenlab.algorithms.attention.sublayers import rms_norm
from tokenlab.check.exercises.t5_attention import rounding_decides
from tokenlab.libraries import transformers
from tokenlab.libraries.transformers.models.t5.layers import relative_position_bucket
from tokenlab.minimal.t5 import mean_loss


@pytest.mark.parametrize("seed", range(8))
def test_all_plain_functions_answer_what_the_modules_do(seed: int) -> None:
    case = random_case(seed)
    compare(case, answers(transformers, case))


@pytest.mark.parametrize(
    ("sizes", "bidirectional"),
    [*product([(32, 128), (8, 20), (16, 50), (10, 30), (12, 40), (64, 200), (6, 9)], [True, False])],
)
def test_buckets_are_those_of_the_module_wherever_rounding_cannot_decide(
    sizes: tuple[int, int], bidirectional: bool
) -> None:
    positions = [one for one in range(-300, 301) if not rounding_decides(one, bidirectional, *sizes)]
    theirs = relative_position_bucket(torch.tensor(positions), bidirectional, *sizes).tolist()
    assert list(buckets(positions, bidirectional, *sizes)) == theirs
    assert len(positions) > 590


def test_rounding_decides_where_the_logarithm_is_a_whole_number() -> None:
    # log(32 / 8) / log(128 / 8) is one half, of eight buckets that share.
    assert [one for one in range(-128, 129) if rounding_decides(one, True, 32, 128)] == [-64, -32, -16, 16, 32, 64]
    assert not any(rounding_decides(one, False, 32, 128) for one in (*range(33), -16, -128, -129))


def test_the_first_difference_of_the_two_sides_is_nine_back() -> None:
    different = [one for one in range(-40, 1) if relative_bucket(one, True) != relative_bucket(one, False)]
    assert max(different) == -9


def test_a_bucket_is_shared_where_a_neighbour_has_it_too() -> None:
    shared = {step.relative_position: step.shared for step in buckets.record(range(-9, 3), bidirectional=False)}
    assert shared == {**dict.fromkeys(range(-9, 0), False), 0: True, 1: True, 2: True}
    assert [step.shared for step in buckets.record([-7, -8, -11, -12])] == [False, True, True, True]


def test_a_forbidden_key_weighs_nothing_and_a_row_without_keys_is_even() -> None:
    weights = attention_weights([[9], [9]], [[1], [9]], mask=decoder_mask([1, 1]))
    assert weights[0] == (1.0, 0.0) and weights[1][1] > 0.9
    assert attention_weights([[2]], [[1], [1]], mask=[[MIN_VALUE, MIN_VALUE]]) == ((0.5, 0.5),)
    assert torch.finfo(torch.float32).min == MIN_VALUE
    assert decoder_mask([0, 1]) == ((MIN_VALUE, MIN_VALUE), (MIN_VALUE, 0))


def test_scores_are_not_divided() -> None:
    [[first, _]] = attention_weights([[1, 1, 1, 1]], [[1, 1, 1, 1], [0, 0, 0, 0]])
    assert first == pytest.approx(1 / (1 + math.exp(-4)))


def test_large_scores_do_not_overflow() -> None:
    assert softmax([1e6, 0]) == (1.0, 0.0)
    assert mean_loss(torch.tensor([[[1e6, 0]]]), torch.tensor([[1]])).item() == 1e6


def test_a_loss_over_nothing_is_no_number() -> None:
    assert mean_loss(torch.tensor([[[1.0, 2.0]]]), torch.tensor([[-100]])).isnan()


def test_a_cached_step_leaves_the_old_cache_as_it_is() -> None:
    cache = ([[1.0]], [[2.0]])
    output, (keys, values) = cached_attention([1], [0], [4], cache, [0, 0])
    assert cache == ([[1.0]], [[2.0]]) and (len(keys), len(values)) == (2, 2)
    assert output[0] == pytest.approx((2 * math.e + 4) / (math.e + 1))


def test_sentences_of_the_steps() -> None:
    assert str(shift_right.record([8, -100], start=5)) == (
        "1. place 0 reads 5, the start, to predict 8\n2. place 1 reads 8 to predict -100, which does not count"
    )
    assert str(bias_tables.record(2, 0)[1]) == (
        "encoder.block.1.self_attention adds the bias of the table of encoder.block.0.self_attention"
    )
    assert str(bias_tables.record(0, 1)[1]) == "decoder.block.0.cross_attention adds no bias"
    assert str(projections_computed.record(3, 2)[1]).endswith("looks at 2, cross attention computes 0 and looks at 3")


def test_what_keeps_zeros_from_being_divided_is_added_under_the_root() -> None:
    assert rms_norm([0.0, 0.0], [1, 1]) == (0, 0)
    assert rms_norm([1e-3], [1]) == pytest.approx([0.5**0.5])


def test_the_norm_needs_a_weight_for_each_number() -> None:
    with pytest.raises(ValueError, match="zip"):
        rms_norm([1, 2], [1])
