"""Each wrong program about decoder-only models is wrong: the smallest input that shows it, and one that does not."""

from __future__ import annotations

import math

import pytest

from tokenlab.algorithms.attention.grouped_queries import group_heads, kv_cache_bytes
from tokenlab.algorithms.attention.left_padding import padded_keys
from tokenlab.algorithms.attention.rotary_positions import rotate
from tokenlab.algorithms.decoding.filters import min_p_filter
from tokenlab.algorithms.training_data.next_token_loss import next_token_loss
from tokenlab.misconceptions import decoder_only as wrong
from tokenlab.misconceptions.catalog import MISCONCEPTIONS, rule_of

ROWS = [[0.5, 0.25, 0.25], [0.25, 0.25, 0.5], [0.5, 0.25, 0.25]]


def test_they_have_their_numbers() -> None:
    assert [m.number for m in wrong.MISCONCEPTIONS] == list(range(160, 168))
    assert all(m.claim and rule_of(program) == m.rule for m in wrong.MISCONCEPTIONS for program in m.programs)
    others = {m.number for m in MISCONCEPTIONS if m not in wrong.MISCONCEPTIONS}
    assert not others & set(range(160, 168))


def test_every_wrong_program_is_shown_here() -> None:
    shown = {name.removeprefix("test_").removesuffix("_is_wrong") for name in globals() if name.endswith("_is_wrong")}
    assert {program.__name__ for m in wrong.MISCONCEPTIONS for program in m.programs} == shown


def test_position_added_is_wrong() -> None:
    assert wrong.position_added([0.0, 0.0], 0) == (1.0, 0.0) != rotate([0.0, 0.0], 0)


def test_interleaved_groups_is_wrong() -> None:
    assert wrong.interleaved_groups(4, 2) == (0, 1, 0, 1) != group_heads(4, 2)
    assert wrong.interleaved_groups(4, 4) == group_heads(4, 4) and wrong.interleaved_groups(4, 1) == group_heads(4, 1)


def test_queries_per_group_is_wrong() -> None:
    assert wrong.queries_per_group(4, 2) == 2 != len(group_heads(4, 2))
    assert wrong.queries_per_group(4, 4) == len(group_heads(4, 4))


def test_queries_in_cache_is_wrong() -> None:
    assert wrong.queries_in_cache(4, 4, 2, 32, 9) == 2 * kv_cache_bytes(4, 2, 32, 9)
    assert wrong.queries_in_cache(4, 4, 4, 32, 9) == 1.5 * kv_cache_bytes(4, 4, 32, 9)


def test_no_mask_in_prefill_is_wrong() -> None:
    assert wrong.no_mask_in_prefill([1, 1]) == ((0, 1), (0, 1)) != padded_keys([1, 1])
    assert wrong.no_mask_in_prefill([0, 1]) == padded_keys([0, 1])  # one token has no later one


def test_last_token_loss_is_wrong() -> None:
    assert wrong.last_token_loss(ROWS, [0, 1, 2]) == pytest.approx(math.log(2))
    assert next_token_loss(ROWS, [0, 1, 2]) == pytest.approx(1.5 * math.log(2))
    assert wrong.last_token_loss(ROWS[:2], [0, 1]) == next_token_loss(ROWS[:2], [0, 1])


def test_unshifted_loss_is_wrong() -> None:
    assert wrong.unshifted_loss(ROWS[:2], [0, 2]) == pytest.approx(math.log(2))
    assert next_token_loss(ROWS[:2], [0, 2]) == pytest.approx(2 * math.log(2))


def test_absolute_min_p_is_wrong() -> None:
    assert wrong.absolute_min_p([0.25, 0.25, 0.25, 0.25], 0.5) == ()
    assert min_p_filter([0.25, 0.25, 0.25, 0.25], 0.5) == (0, 1, 2, 3)
    assert wrong.absolute_min_p([1.0, 0.0], 0.5) == min_p_filter([1.0, 0.0], 0.5) == (0,)
