"""The rule for numbers of torch: relative to the largest number, and to themselves if they represent minus infinity."""

from __future__ import annotations

from math import inf, nan

import pytest
import torch

from tests.tolerance import MASKED, MODEL, are_close, largest, near, tolerance

WITHIN, BEYOND = 0.9 * tolerance(MODEL), 1.1 * tolerance(MODEL)


@pytest.mark.parametrize("scale", [1.0, 50.0])
def test_the_tolerance_is_relative_to_the_largest_number(scale: float) -> None:
    for off, is_close in ((WITHIN, True), (BEYOND, False)):
        numbers, others = [scale, 0.0], [scale, off * scale]
        assert (others == near(numbers)) is is_close
        assert are_close(torch.tensor(others), torch.tensor(numbers)) is is_close


def test_small_numbers_are_compared_as_if_the_largest_were_1() -> None:
    assert near([0.001]) == [0.001 + WITHIN] and near([0.001]) != [0.001 + BEYOND]
    assert are_close(torch.tensor([0.001 + WITHIN]), torch.tensor([0.001]))
    assert not are_close(torch.tensor([0.001 + BEYOND]), torch.tensor([0.001]))


def test_masked_numbers_do_not_hide_the_others_and_are_compared_with_themselves() -> None:
    masked = torch.tensor([-1e9, 1.0])
    assert largest(masked) == largest([-MASKED, inf, nan, 0.5]) == 1
    assert not are_close(torch.tensor([-1e9, 1.001]), masked)
    assert are_close(torch.tensor([-1e9 - 64, 1.0]), masked) and not are_close(torch.tensor([-1.1e9, 1.0]), masked)
    assert not are_close(torch.tensor([-inf, 1.0]), masked)
    assert are_close(torch.tensor([-inf, 1.0]), torch.tensor([-inf, 1.0]))


def test_nan_is_near_nan_alone() -> None:
    assert [nan, 1.0] == near([nan, 1.0]) and [nan] != near([1.0])
    assert are_close(torch.tensor([nan]), torch.tensor([nan]))
    assert not are_close(torch.tensor([nan]), torch.tensor([1.0]))


def test_every_number_counts_and_so_does_the_shape() -> None:
    assert not are_close(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 1.0]))
    assert not are_close(torch.ones(2, 1), torch.ones(2))


def test_the_tolerance_grows_with_the_square_root_of_the_length() -> None:
    assert tolerance(400) == 2 * tolerance(100) < 20 * 8 * 2**-24 * 1.01
    assert tolerance(100) == pytest.approx(80 * 2**-24)
