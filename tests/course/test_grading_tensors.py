"""Graded functions of tensors: what is passed, compared and allowed, and what the message says."""

from __future__ import annotations

import sys
from typing import Any

import pytest
import torch
from hypothesis import strategies as st
from torch import nn
from torch.nn import functional
from torch.nn.functional import scaled_dot_product_attention, softmax

from course.grading import close_values, grade, grade_class, kind_expected
from course.sandbox.gradable import library_use
from tokenlab.check.isolated_run import display, run
from tokenlab.check.submission_state import is_unwritten, signature_problem
from tokenlab.check.tensor_values import has_tensors, identical, tensor_text

ROWS = torch.tensor([[1.0, 2.0, 3.0], [0.5, 0.0, -4.0]])
INPUTS = st.just((ROWS,))
RULE = "Each number is doubled."


def said(function: Any, reference: Any = lambda rows: rows * 2, **options: Any) -> str:
    try:
        grade(function, reference, INPUTS, RULE, tensors=1e-4, **options)
    except AssertionError as error:
        return str(error)
    return ""


# --- results --------------------------------------------------------------------------------------


@pytest.mark.parametrize("step", [0.0, 9e-5, -9e-5])
def test_numbers_may_differ_by_the_tolerance(step: float) -> None:
    assert said(lambda rows: rows * 2 + step) == ""


def test_a_larger_difference_is_wrong_and_the_message_has_the_shape_and_some_numbers() -> None:
    message = said(lambda rows: rows * 2 + 0.01)
    assert message == (
        "<lambda>(tensor([[1.0, 2.0, 3.0], [0.5, 0.0, -4.0]])) gives a float32 tensor of shape (2, 3): "
        "[[2.01, 4.01, 6.01], [1.01, 0.01, -7.99]]. The rule: Each number is doubled."
    )


@pytest.mark.parametrize(
    ("function", "wanted"),
    [
        (lambda rows: (rows * 2).T, "a float32 tensor of shape (3, 2): [[2.0, 1.0], [4.0, 0.0], [6.0, -8.0]]"),
        (lambda rows: rows.double() * 2, "a float64 tensor of shape (2, 3): [[2.0, 4.0, 6.0], [1.0, 0.0, -8.0]]"),
        (lambda rows: (rows * 2).tolist(), "[[2.0, 4.0, 6.0], [1.0, 0.0, -8.0]]"),
        (lambda rows: 3, "3"),
        (lambda rows: (rows * 2).numpy().tolist()[0], "[2.0, 4.0, 6.0]"),
    ],
)
def test_a_wrong_type_or_shape_is_named_before_the_numbers(function: Any, wanted: str) -> None:
    assert f" gives {wanted}; it should be a float32 tensor of shape (2, 3). The rule: " in said(function)


def test_a_long_tensor_is_shown_by_its_first_numbers() -> None:
    assert tensor_text(torch.ones(5, 5), described=True) == "a float32 tensor of shape (5, 5): 1.0, 1.0, 1.0, 1.0, …"
    assert display({"a": torch.ones(5, 5)}) == "{'a': <a float32 tensor of shape (5, 5): 1.0, 1.0, 1.0, 1.0, …>}"
    assert display(torch.zeros(2, 0, 3)) == "<a float32 tensor of shape (2, 0, 3)>"
    assert display((torch.tensor([1]),)) == "(tensor([1]),)"


def test_a_plain_result_contains_no_tensor() -> None:
    message = said(lambda rows: [torch.tensor(4)], lambda rows: [4])
    assert " gives [tensor(4)]; it should be plain numbers, without tensors. The rule: " in message
    assert said(lambda rows: [4], lambda rows: [4]) == ""
    assert said(lambda rows: (4,), lambda rows: [4]) == ""
    assert said(lambda rows: [5], lambda rows: [4])


@pytest.mark.parametrize(("given", "fits"), [(2.00001, True), (torch.tensor(2.0), True), (2.1, False), (True, False)])
def test_a_number_takes_the_place_of_a_tensor_without_dimensions(given: Any, fits: bool) -> None:
    assert close_values(given, torch.tensor(2.0)) is fits


def test_integers_are_compared_exactly_and_infinities_are_equal() -> None:
    big = torch.tensor([100_000_000])
    assert close_values(big, big.clone()) and not close_values(big + 1, big)
    endless = torch.tensor([-torch.inf, 1.0])
    assert close_values(endless, endless.clone()) and not close_values(torch.tensor([-1e9, 1.0]), endless)
    assert not close_values(torch.tensor([0.0, 1.0]) / 0, torch.tensor([1.0, 1.0]))


def test_a_tuple_of_tensors_is_compared_part_by_part() -> None:
    right = (torch.ones(2), torch.tensor([3]))
    assert close_values([torch.ones(2), torch.tensor([3])], right)
    assert kind_expected((torch.ones(2), torch.tensor([3.0])), right) == "an int64 tensor of shape (1,) at index 1"
    assert kind_expected(torch.ones(2), right) == "a tuple of 2 values" == kind_expected((), right)


def test_a_result_that_contains_itself_is_wrong() -> None:
    endless: list[Any] = []
    endless.append(endless)
    assert said(lambda rows: endless) and not has_tensors(endless)


# --- arguments ------------------------------------------------------------------------------------


def doubles_in_place(rows: Any) -> Any:
    rows *= 2
    return rows


def test_a_changed_argument_is_told() -> None:
    assert "changes its argument rows: tensor([[1.0, 2.0, 3.0]," in said(doubles_in_place)
    assert "such as rows.clone()" in said(doubles_in_place)
    assert torch.equal(ROWS, torch.tensor([[1.0, 2.0, 3.0], [0.5, 0.0, -4.0]]))

    def inside(table: Any) -> int:
        table["a"][0].zero_()
        return 1

    problem = run(inside, ({"a": (torch.ones(2),)},), tensors=True).problem
    assert problem.endswith("work on copies, also of what is inside it, such as table['a'][0].clone()")


def test_equal_tensors_are_identical_also_with_nan() -> None:
    nan = torch.tensor([float("nan"), 1.0])
    assert identical((nan, {"a": 1}), (nan.clone(), {"a": 1}))
    assert not identical(torch.ones(2), torch.ones(2, dtype=torch.int64))
    assert not identical(torch.ones(2), torch.ones(1, 2)) and not identical([torch.ones(2)], (torch.ones(2),))


# --- allowed and not ------------------------------------------------------------------------------


def imports_nn(rows: Any) -> Any:
    from torch import exp, nn

    return nn.ReLU()(exp(rows))


def imports_functional(rows: Any) -> Any:
    import torch.nn.functional as F

    return F.relu(rows)


def through_a_helper(rows: Any) -> Any:
    return imports_nn(rows)


def with_transformers(rows: Any) -> Any:
    import transformers

    return transformers


@pytest.mark.parametrize(
    ("function", "name"),
    [
        (lambda rows: torch.nn.functional.relu(rows), "torch.nn"),
        (lambda rows: nn.ReLU()(rows), "torch.nn"),
        (lambda rows: functional.relu(rows), "torch.nn.functional"),
        (lambda rows: softmax(rows, -1), "torch.nn.functional.softmax"),
        (
            lambda rows: scaled_dot_product_attention(rows, rows, rows),
            "torch._C._nn.scaled_dot_product_attention",
        ),
        (imports_nn, "torch.nn"),
        (imports_functional, "torch.nn.functional"),
        (through_a_helper, "torch.nn"),
        (with_transformers, "transformers"),
        (lambda rows: signature_problem(rows, ()), "tokenlab.check.submission_state.signature_problem"),
    ],
)
def test_layers_and_other_libraries_get_no_points(function: Any, name: str) -> None:
    assert library_use(function, tensors=True) == name
    assert f"uses {name}; this task is to write it yourself" in said(function)


def with_torch_inside(rows: Any) -> Any:
    import torch as t

    return t.stack([rows, rows]).sum(0)


class Nothing:
    nn = 2


@pytest.mark.parametrize(
    "function",
    [
        lambda rows: torch.exp(torch.log(rows.abs() + 1)) * 0 + rows * 2,
        lambda rows: torch.Tensor.mul(rows, 2),
        lambda rows: rows * Nothing.nn,
        lambda rows: rows + ROWS,
        with_torch_inside,
    ],
)
def test_torch_without_its_layers_is_allowed(function: Any) -> None:
    assert said(function) == ""


def test_torch_is_no_plain_python() -> None:
    with pytest.raises(AssertionError, match="uses torch;"):
        grade(lambda number: torch.tensor(number).item(), lambda number: number, st.just((1,)), RULE)


def returns_dots(rows: Any) -> Any:
    return ...


def assigns_dots(rows: Any) -> Any:
    new = ...
    return new


def test_dots_in_an_index_are_no_placeholder() -> None:
    assert said(lambda rows, column=2: torch.cat([rows[..., :column], rows[..., column:]], -1) * 2) == ""
    assert is_unwritten(returns_dots, tensors=True) and is_unwritten(assigns_dots, tensors=True)
    assert said(returns_dots) == "returns_dots is not written yet."


def test_six_arguments_are_counted_in_the_message() -> None:
    problem = signature_problem(lambda one: one, ("a", "b", "c", "d", "e", "f"))
    assert problem == "<lambda> takes (one), but it is called with six arguments: a, b, c, d, e, f"


# --- classes, and parts of earlier tasks ----------------------------------------------------------


class Right:
    def __init__(self, width: int) -> None:
        self.rows = torch.zeros(0, width)

    def add(self, row: Any) -> Any:
        self.rows = torch.cat([self.rows, row[None]])
        return self.rows


class Front(Right):
    def add(self, row: Any) -> Any:
        self.rows = torch.cat([row[None], self.rows])
        return self.rows


class Layer(Right):
    def add(self, row: Any) -> Any:
        return nn.Identity()(row)


@pytest.mark.parametrize(
    ("cls", "said"),
    [(Front, "Front(2) gives a float32 tensor of shape (2, 2): [[2.0, 2.0], [1.0, 1.0]]. "), (Layer, "uses torch.nn;")],
)
def test_a_class_of_tensors_is_graded(cls: Any, said: str) -> None:
    def use(made: Any, width: int) -> Any:
        rows = made(width)
        rows.add(torch.ones(width))
        return rows.add(torch.ones(width) * 2)

    def written(name: str, width: int) -> str:
        return f"{name}({width})"

    grade_class(Right, Right, use, written, st.just((2,)), RULE, tensors=1e-4)
    with pytest.raises(AssertionError) as error:
        grade_class(cls, Right, use, written, st.just((2,)), RULE, tensors=1e-4)
    assert said in str(error.value)


def test_the_check_imports_no_torch() -> None:
    code = "import sys, course.grading; assert 'torch' not in sys.modules"
    import subprocess

    subprocess.run([sys.executable, "-c", code], check=True)
