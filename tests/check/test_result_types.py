"""Types are compared before values, by one rule in every check: what is accepted, what is refused, and what is said."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from functools import wraps
from typing import Any

import numpy as np
import pytest
import torch

from tokenlab import check
from tokenlab.algorithms.bpe.encode import encode_by_rank
from tokenlab.algorithms.text.pretokenize import split_gpt2
from tokenlab.check import FunctionCheck
from tokenlab.check.feedback import Problem
from tokenlab.check.result_types import type_mismatch
from tokenlab.check.tensor_values import has_tensors

Change = Callable[[Any], Any]
CHECKS = {
    name: one
    for name in check.exercise_names()
    if isinstance(one := check.exercise_of(name), FunctionCheck) and not one.wants_class
}


def everywhere(change: Change, keys: bool = True) -> Change:
    """Change all parts of a value that are no collections; without `keys`, not those of dictionaries."""

    def changed(value: Any) -> Any:
        if isinstance(value, dict):
            return {changed(key) if keys else key: changed(part) for key, part in value.items()}
        if type(value) in (list, tuple):
            return type(value)(map(changed, value))
        return change(value)

    return changed


def numpy_scalar(value: Any) -> Any:
    return {int: np.int64, float: np.float64, bool: np.bool_}.get(type(value), lambda value: value)(value)


def torch_scalar(value: Any) -> Any:
    return torch.tensor(value, dtype=torch.double if type(value) is float else None) if type(value) in (
        int, float, bool) else value  # fmt: skip


def list_or_tuple(value: Any) -> Any:
    return {list: tuple, tuple: list}.get(type(value), lambda value: value)(value)


ACCEPTED: dict[str, Change] = {
    "a list for a tuple": list_or_tuple,
    "scalars of numpy": everywhere(numpy_scalar),
    "scalars of torch": everywhere(torch_scalar, keys=False),  # two tensors are never the same key
    "a float for an int": everywhere(lambda value: float(value) if type(value) is int else value),
}
REFUSED: dict[str, Change] = {
    "bytes for str": everywhere(lambda value: value.encode() if isinstance(value, str) else value),
    "str for bytes": everywhere(lambda value: value.decode("latin-1") if isinstance(value, bytes) else value),
    "str for a number": everywhere(lambda value: str(value) if type(value) in (int, float) else value),
    "True for 1": everywhere(lambda value: bool(value) if type(value) is int and value in (0, 1) else value),
    "1 for True": everywhere(lambda value: int(value) if type(value) is bool else value),
    "a set": lambda value: {*map(repr, value)} if isinstance(value, list | tuple) else value,
    "a list for a set or a dict": lambda value: [*value] if isinstance(value, dict | set | frozenset) else value,
    "a string for a list": lambda value: " ".join(map(str, value)) if isinstance(value, list | tuple) else value,
    "None": lambda value: None,
}
# The check itself computes with what these return.
INDIRECT = {"tie_break", "forbidden_next", "masks_drawn", "train_step", "lm_train"}
OWN_RULES = {"phrase_progress", "first_loss"}  # a known wrong program of these returns True instead of a number
QUICK = ("merge", "load_ranks", "ready", "estimate", "t5_select")  # the others are slow tests
EACH_DIRECT = [
    pytest.param(name, marks=() if name in QUICK else pytest.mark.slow) for name in CHECKS if name not in INDIRECT
]


def changed(one: FunctionCheck, change: Change) -> list[tuple[Any, Any, Problem]]:
    """The right and the changed result, and what is said, for each example whose result is changed."""
    unchanged = everywhere(lambda value: value)  # and a Counter becomes a dict
    return [
        (right, wrong, one.finding(wraps(one.reference)(lambda *_, wrong=wrong: deepcopy(wrong)), arguments))
        for arguments in [*one.examples, *one.edges]
        if repr(unchanged(wrong := change(right := result_of(one, arguments)))) != repr(unchanged(right))
    ]


def result_of(one: FunctionCheck, arguments: tuple[Any, ...]) -> Any:
    """What the right function returns, where the check uses it."""
    results: list[Any] = []

    @wraps(one.reference)
    def kept(*given: Any) -> Any:
        results.append(one.reference(*given))
        return results[-1]

    one.use.result(kept, *arguments) if one.use else kept(*deepcopy(arguments))
    return results[-1]


@pytest.mark.parametrize("kind", ACCEPTED)
@pytest.mark.parametrize("name", EACH_DIRECT)
def test_numbers_and_lists_of_another_type_are_accepted(kind: str, name: str) -> None:
    for right, wrong, finding in changed(CHECKS[name], ACCEPTED[kind]):
        assert not finding.rule or has_tensors(right), (wrong, finding.seen)  # dtypes of tensors are compared


@pytest.mark.parametrize("kind", REFUSED)
@pytest.mark.parametrize("name", EACH_DIRECT)
def test_another_type_is_refused_before_any_value_with_a_rule_on_types(kind: str, name: str) -> None:
    for _, wrong, finding in changed(CHECKS[name], REFUSED[kind]):
        if kind == "None":
            assert "gives None; a return is missing" in finding.seen
        else:
            assert " should be " in finding.seen, (wrong, finding.seen)
            by_type = finding.rule.startswith("The type of a result comes before its value. ")
            assert by_type or (name in OWN_RULES and kind == "True for 1"), finding.rule


def test_a_string_that_is_looked_up_among_bytes_is_told_apart() -> None:
    def my_encode(text: Any, ranks: Any) -> Any:
        tokens = [token for piece in split_gpt2(text) for token in encode_by_rank(piece, ranks)]
        return [ranks[token] for token in tokens]

    one: FunctionCheck = check.encode_ordinary
    one.ladder.unwritten()
    first, second, third = (one(my_encode) for _ in range(3))
    assert "the keys of the dictionary are bytes objects, and this key is a string." in first.said[0]
    assert second.said[1].startswith("The rule: A key is found only if it has the right type. A string consists of")
    assert "encode" in second.said[1] and third.player is not None
    one.ladder.unwritten()


def test_a_message_on_types_asks_for_a_list_where_the_text_does() -> None:
    one: FunctionCheck = check.rms_norm
    finding = one.finding(lambda vector, weights: {*vector}, ([3, 4], [1, 1]))
    assert finding.seen.endswith("The result should be a list, not a set.")
    check.toy_tokens.ladder.unwritten()
    said = "The segmentation is not 'abcb'. It should be a list or a tuple, not a string."
    assert check.toy_tokens("abcb").said == (said,)
    check.toy_tokens.ladder.unwritten()


def test_a_key_that_is_missing_for_another_reason_is_not_told_a_type() -> None:
    one: FunctionCheck = check.encode_ordinary
    finding = one.finding(lambda text, ranks: [ranks[text.encode()]], ("ab", {b"a": 0, b"b": 1}))
    assert "KeyError" in finding.seen and "the keys of" not in finding.seen and finding.rule == one.rule


@pytest.mark.parametrize(
    ("mine", "wanted", "sentence"),
    [
        ("a", b"a", "The result should be bytes, not a string."),
        ([["a"]], [[b"a"]], "The result should be a list of lists of bytes objects, not a list of lists of strings."),
        (True, 1, "The result should be an integer, not True or False."),
        (["a", 1], ["a", "b"], "A part of the result should be a string, not a number."),
        ([1, None], [None, 1], ""),
        (((1, "2"),), ((1, 2),), "A part of the result should be a number, not a string."),
        ([1, 2.5], (1, 2), ""),
        (frozenset("a"), {"a"}, ""),
        (bytearray(b"a"), b"a", ""),
        (np.array([1]), [1], "The result should be a list, not an ndarray."),
        ({1: "a"}, {"b": "a"}, "The result should be a dictionary from strings to strings, "
         "not a dictionary from integers to strings."),
        (int, 1, "The result should be an integer, not a class."),
        (len, "a", "The result should be a string, not a builtin_function_or_method."),
    ],
)  # fmt: skip
def test_the_types_are_named_in_words(mine: Any, wanted: Any, sentence: str) -> None:
    assert type_mismatch(mine, wanted) == sentence
