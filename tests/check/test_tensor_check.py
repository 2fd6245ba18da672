"""Checks of functions of tensors: wrong types and shapes first, short messages, tolerance, the tiny T5's values."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from hypothesis import strategies as st

from tokenlab import check
from tokenlab.check.capstones import decoder_training
from tokenlab.check.tensor_check import Numbers, Watched, random_tensors, tensor_check


def doubled(x: Any) -> Any:
    return 2 * x


def tensors(rows: int, columns: int, seed: int) -> tuple[torch.Tensor]:
    return (random_tensors(seed)(rows, columns),)


def cases() -> Any:
    return st.tuples(st.integers(1, 3), st.integers(1, 20), st.integers(0, 5))


def made(**more: Any) -> Any:
    return tensor_check(doubled, tensors, cases, "Double it.", examples=[(1, 2, 0)], tried=20, **more)


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (lambda x: x.tolist(), "gives a list; the result should be a tensor of shape (1, 1)."),
        (lambda x: (2 * x).T, "; the result should have the shape ("),
        (lambda x: (2 * x).flatten(), "gives a tensor of shape (1,): [3]; the result should have the shape (1, 1)."),
        (lambda x: x > 0, "gives a tensor of booleans; the result should be a tensor of floats."),
        (lambda x: (2 * x).long(), "gives a tensor of integers; the result should be a tensor of floats."),
        (lambda x: x.mul_(2), "changes its argument x; work on a copy, such as x.clone()."),
        (lambda x: x[0, 5], "raises IndexError: index 5 is out of bounds for dimension 1 with size 1"),
        (lambda x: None, "gives None"),
        (lambda x: 3 * x, "gives a tensor of shape (1, 1): [[4.5]]."),
    ],
)
def test_a_wrong_result_is_described_with_its_type_and_shape_first(function: Any, said: str) -> None:
    verdict = made()(function)
    assert not verdict and said in verdict.said[0] and "With x = " in verdict.said[0]
    assert len(verdict.said[0]) < 220


def test_numbers_may_differ_a_little() -> None:
    assert made()(lambda x: 2 * x + 5e-5)
    assert not made()(lambda x: 2 * x + 1e-3)


def test_hidden_values_are_compared_with_what_was_recorded_and_not_with_the_reference() -> None:
    recorded = {"a point": Watched(lambda: (torch.ones(2, 2),), lambda: torch.full((2, 2), 7.0))}
    verdict = made(watched=recorded)(doubled_otherwise)
    assert not verdict and verdict.said[0].startswith("With the tiny T5's values before a point:\ndoubled_otherwise(x)")
    right = {"a point": Watched(lambda: (torch.ones(2, 2),), lambda: torch.full((2, 2), 2.0))}
    verdict = made(watched=right)(doubled_otherwise)
    assert verdict and verdict.said[1] == "It computes the same values as the tiny T5: a point."


def doubled_otherwise(x: Any) -> Any:
    return x + x


def test_the_traces_show_rows_and_open_at_the_first_that_differs() -> None:
    def last_row_alone(x: Any) -> Any:
        return torch.cat([2 * x[:-1], x[-1:]]) if len(x) > 1 else 2 * x

    first, second, third = (made_once(last_row_alone) for _ in range(3))
    assert "The rule: Double it." in second.said[1] and first.player is None
    assert third.player is not None and third.player.opened == 2
    assert "result[1]: " in str(third)


made_once = made()


def test_a_large_tensor_is_written_as_its_shape_and_first_numbers() -> None:
    assert repr(Numbers(torch.zeros(30, 40))) == "a tensor of shape (30, 40): 0, 0, 0, 0, …"
    assert repr(Numbers(torch.zeros(1, 0))) == "a tensor of shape (1, 0): no numbers"


@pytest.mark.parametrize("number", [5, 6])
def test_a_function_with_too_few_arguments_is_told_even_for_many(number: int) -> None:
    one = check.t5_cached_sublayer if number == 5 else check.t5_cached_logits
    word = {5: "five", 6: "six"}[number]
    assert f"but it is called with {word} arguments: " in one(lambda x: x).said[0]


def test_a_search_that_does_not_end_is_stopped_after_a_few_rounds() -> None:
    def endless(next_logits: Any, cache: Any, max_length: Any) -> Any:
        while True:
            _, cache = next_logits(torch.tensor([[0]]), cache)

    verdict = check.t5_greedy(endless)
    assert "does not end: it has called `next_logits` 50 times" in verdict.said[0]


def test_a_result_of_several_parts_says_which_part_is_wrong() -> None:
    verdict = check.t5_candidates(lambda sums, logits: (sums, sums, sums))
    assert "gives a result in which result[0] is a tensor of shape (1,)" in verdict.said[0]
    assert "; it should have the shape (2,)." in verdict.said[0]
    verdict = check.t5_greedy(lambda next_logits, cache, max_length: torch.tensor([0, 1]))
    assert "the result should be a list, not a tensor." in verdict.said[0]


def test_a_cache_in_an_example_is_shown_with_its_shape() -> None:
    verdict = check.lm_layer(lambda x, w, config, cache: (x, cache))
    assert "cache with tensors of shape (" in verdict.said[0]


def test_trained_weights_that_still_need_a_gradient_are_refused() -> None:
    def kept(weights: Any, config: Any, batches: Any, parts: Any, peak: Any) -> Any:
        trained, losses = decoder_training.train(weights, config, batches, parts, peak)
        return {name: weight.requires_grad_() for name, weight in trained.items()}, losses

    verdict = check.lm_train(kept)
    assert not verdict and "gives weights that still need a gradient" in verdict.said[0]
    assert check.lm_train(lambda *given: decoder_training.train(*given))
