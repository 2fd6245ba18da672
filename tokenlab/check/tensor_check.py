"""Check functions of tensors: inputs built from a few numbers, results compared with a tolerance, short messages.

An input of such a check is a tuple of plain values, such as `(2, 3, 7)` for a batch of 2, a length of 3 and the seed 7.
So it can be shrunk, compared and printed. The tensors are built from it just before the function is called. An input
may also be the name of a point of the tiny T5: then the expected result is the value that the model computes there.

>>> from hypothesis import strategies as st
>>> def double(x):
...     return x + x
>>> def tensors(length, seed):
...     return (random_tensors(seed)(length),)
>>> check = tensor_check(double, tensors, lambda: st.tuples(st.integers(1, 3), st.integers(0, 9)), "Add x to itself.")
>>> check(lambda x: x * x)
✗ Not yet.
With x = [1.5]:
<lambda>(x) gives a tensor of shape (1,): [2.25].
Think first. To be told the rule, run the cell again.
>>> check(lambda x: [1.0])
✗ Not yet.
With x = [1.5]:
<lambda>(x) gives a list; the result should be a tensor of shape (1,).
Think first. To be told the rule, run the cell again.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import TYPE_CHECKING, Any, TypeAlias

from tokenlab.check.function_check import Adapter, Function, FunctionCheck, WrongProgram
from tokenlab.check.isolated_run import UnusableResultError, plain_numbers
from tokenlab.check.result_types import described, type_difference, type_mismatch, type_rule
from tokenlab.check.strategies import Strategy
from tokenlab.check.tensor_values import has_tensors, is_tensor
from tokenlab.check.trace_comparison import TracedCall

if TYPE_CHECKING:
    from torch import Tensor

Case: TypeAlias = tuple[Any, ...]
TOLERANCE = 1e-4  # relative, or absolute below 1
WRITTEN = 8  # numbers of a tensor that are written in full
ROWS = 12  # rows of a result that the traces show


@dataclass(frozen=True)
class Part:
    """Selects a row of a result for the traces: the place of a tensor in nested tuples, and an index in the tensor."""

    path: tuple[int, ...]
    index: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Numbers:
    """A tensor in a result, with a short `repr`."""

    tensor: Tensor

    def __repr__(self) -> str:
        return f"a tensor of shape {shape(self.tensor)}: {written(self.tensor)}"


@dataclass(frozen=True)
class Watched:
    """A point of a trained model: the arguments that lead to it, and the value that the model computes there."""

    arguments: Callable[[], tuple[Any, ...]]
    value: Callable[[], Any]


def shape(tensor: Tensor) -> str:
    """Return the shape as text.

    >>> import torch
    >>> shape(torch.zeros(2, 3)), shape(torch.tensor(5))
    ('(2, 3)', '()')
    """
    return str(tuple(tensor.shape))


def written(tensor: Tensor) -> str:
    """Return the numbers of a small tensor, or the first numbers of a larger one.

    >>> import torch
    >>> written(torch.tensor([[0.25, -1]])), written(torch.zeros(3, 5))
    ('[[0.25, -1]]', '0, 0, 0, 0, …')
    """
    if not tensor.numel():
        return "no numbers"
    if tensor.numel() <= WRITTEN:
        return _nested(tensor.tolist())
    return ", ".join([*map(_number, tensor.flatten()[:4].tolist()), "…"])


def _nested(value: Any) -> str:
    return f"[{', '.join(map(_nested, value))}]" if isinstance(value, list) else _number(value)


def _number(value: float) -> str:
    return f"{value + 0.0:.4g}" if isinstance(value, float) else str(value)


def random_tensors(seed: int) -> Callable[..., Tensor]:
    """Return a function from a shape to a tensor of normally distributed numbers with 1 decimal place."""
    import torch

    generator = torch.Generator().manual_seed(seed)
    return lambda *sizes: torch.randn(sizes, generator=generator).round(decimals=1)


def random_ids(seed: int, vocab_size: int, *sizes: int) -> Tensor:
    """Return a tensor of random ids below `vocab_size`."""
    import torch

    return torch.randint(vocab_size, sizes, generator=torch.Generator().manual_seed(seed))


def close(left: Any, right: Any) -> bool:
    """Whether two results agree: numbers may differ by 0.0001, absolute or relative.

    >>> import torch
    >>> close(Numbers(torch.ones(2)), Numbers(torch.ones(2) + 1e-5)), close((1.0,), [1.00001]), close(1, 2)
    (True, True, False)
    """
    if isinstance(left, Numbers) and isinstance(right, Numbers):
        one, other = left.tensor.double(), right.tensor.double()
        return one.shape == other.shape and one.allclose(other, TOLERANCE, TOLERANCE, equal_nan=True)
    if isinstance(left, list | tuple) and isinstance(right, list | tuple):
        return len(left) == len(right) and all(map(close, left, right))
    if isinstance(left, float) and isinstance(right, int | float):
        return math.isclose(left, right, rel_tol=TOLERANCE, abs_tol=TOLERANCE) or (left != left and right != right)
    return not type_difference(left, right) and bool(left == right)


def tensor_check(
    reference: Function,
    tensors: Callable[..., tuple[Any, ...]],
    cases: Callable[[], Strategy],
    rule: str,
    *,
    examples: Sequence[Case] = (),
    watched: Mapping[str, Watched] | None = None,
    wrong: tuple[WrongProgram, ...] = (),
    tried: int = 100,
) -> FunctionCheck:
    """Return a check of a function of tensors.

    Args:
        reference: the right function.
        tensors: builds the arguments from a case.
        cases: returns the strategy for cases, which are tuples of plain values.
        rule: the rule of the task.
        examples: cases that are tried first.
        watched: points of the tiny T5 by name; each is also a case, `(name,)`, and its value is the expected result.
        wrong: known wrong programs, each with the rule that it breaks.
        tried: the number of random cases.
    """
    points = watched or {}
    names = tuple(inspect.signature(reference).parameters)

    def arguments(case: Case) -> tuple[Any, ...]:
        return points[case[0]].arguments() if isinstance(case[0], str) else tensors(*case)

    @cache
    def expected(case: Case) -> Any:
        if isinstance(case[0], str):
            return points[case[0]].value()
        return reference(*arguments(case))

    def prepared_cases() -> Strategy:
        # subtle: imports and models are slow while the lines of a learner's function are counted, so load them before.
        for name in points:
            expected((name,))
        return cases()

    def result(function: Function, *case: Any) -> Any:
        part = case[-1] if isinstance(case[-1], Part) else None
        case = case[:-1] if part else case
        wanted = expected(case)
        if function is reference:
            return _plain(wanted, part)
        given = arguments(case)
        mine = function(*given)
        _refuse_changes(names, arguments(case), given)
        if mine is None:
            return None
        mine = _numbers_where_wanted(mine, wanted)
        if problem := mismatch(mine, wanted):
            raise UnusableResultError(problem, "" if HAVE in problem else type_rule(type_difference(mine, wanted)))
        return _plain(mine, part)

    def use_written(name: str, *case: Any) -> str:
        call = f"{name}({', '.join(names)})"
        if isinstance(case[0], str):
            return f"With the tiny T5's values before {case[0]}:\n{call}"
        return f"With {_listed(names, arguments(case))}:\n{call}"

    def traced_calls(*case: Any) -> Iterator[TracedCall]:
        wanted = expected(case)
        for path, leaf in _leaves(wanted):
            start = "result" + "".join(f"[{place}]" for place in path)
            indices = [*product(*map(range, leaf.shape[:-1]))] if is_tensor(leaf) else [()]
            for index in indices[:ROWS]:
                row = f"[{', '.join(map(str, index))}]" if index else ""
                yield f"{start}{row}", (*case, Part(path, index))

    def of_the_tiny_t5(function: Function) -> Iterator[str]:
        if points:
            yield f"It computes the same values as the tiny T5: {', '.join(points)}."

    return FunctionCheck(
        reference,
        prepared_cases,
        rule,
        examples=[*examples, *((name,) for name in points)],
        wrong=wrong,
        traced_calls=traced_calls,
        use=Adapter(names, result, use_written),
        same=close,
        tried=tried,
        praise=of_the_tiny_t5,
    )


def _plain(value: Any, part: Part | None = None) -> Any:
    """Return a result that can be compared and printed, or the selected part of it."""
    if part is not None:
        for place in part.path:
            value = value[place]
        row = value[part.index] if part.index else value
        return tuple(round(x + 0.0, 4) for x in row.flatten()[:WRITTEN].tolist()) if is_tensor(row) else row
    if isinstance(value, list | tuple):
        return type(value)(map(_plain, value)) if type(value) in (list, tuple) else tuple(map(_plain, value))
    if type(value) is float:
        return round(value, 6)
    return Numbers(value) if is_tensor(value) else value


def _leaves(value: Any, path: tuple[int, ...] = ()) -> Iterator[tuple[tuple[int, ...], Any]]:
    if isinstance(value, list | tuple) and has_tensors(value):
        for place, inside in enumerate(value):
            yield from _leaves(inside, (*path, place))
    else:
        yield path, value


def _numbers_where_wanted(mine: Any, wanted: Any) -> Any:
    """Convert scalars of numpy and torch to Python numbers, except where a tensor is wanted."""
    if is_tensor(wanted):
        return mine
    if not has_tensors(wanted):
        return plain_numbers(mine)
    if type(mine) in (list, tuple) and isinstance(wanted, list | tuple) and len(mine) == len(wanted):
        return type(mine)(map(_numbers_where_wanted, mine, wanted))
    return mine


HAVE = "have the"  # says of a mismatch that it is one of shape or length, not of type


def mismatch(mine: Any, wanted: Any, where: str = "the result") -> str:
    """Return a problem if a result has another type or shape than the expected one, or "".

    >>> import torch
    >>> mismatch([1], torch.zeros(2, 3)), mismatch(torch.zeros(2), torch.zeros(2))
    ('gives a list; the result should be a tensor of shape (2, 3)', '')
    >>> mismatch(torch.zeros(2) == 0, torch.zeros(2))
    'gives a tensor of booleans; the result should be a tensor of floats'
    """
    gives, should = (
        ("gives", "the result should")
        if where == "the result"
        else (f"gives a result in which {where} is", "it should")
    )
    if is_tensor(wanted):
        if not is_tensor(mine):
            return f"{gives} {_kind(mine)}; {should} be a tensor of shape {shape(wanted)}"
        if mine.shape != wanted.shape:
            return f"{gives} {Numbers(mine)}; {should} {HAVE} shape {shape(wanted)}"
        kinds = _numbers(mine), _numbers(wanted)
        return "" if kinds[0] == kinds[1] else f"{gives} a tensor of {kinds[0]}; {should} be a tensor of {kinds[1]}"
    if isinstance(wanted, list | tuple) and has_tensors(wanted):
        if not isinstance(mine, list | tuple):
            return f"{gives} {_kind(mine)}; {should} be {_kind(wanted)} of length {len(wanted)}"
        if len(mine) != len(wanted):
            return f"{gives} {_kind(mine)} of length {len(mine)}; {should} {HAVE} length {len(wanted)}"
        parts = (
            mismatch(one, other, f"{where.removeprefix('the ')}[{n}]")
            for n, (one, other) in enumerate(zip(mine, wanted, strict=True))
        )
        return next(filter(None, parts), "")
    if is_tensor(mine):
        return f"{gives} {Numbers(mine)}; {should} be {_kind(wanted)}, not a tensor"
    if problem := type_mismatch(mine, wanted):
        return f"{gives} {_kind(mine)}; {problem[0].lower()}{problem[1:].rstrip('.')}"
    return ""


def _kind(value: Any) -> str:
    if is_tensor(value):
        return f"a tensor of shape {shape(value)}"
    return described(value)


def _numbers(tensor: Tensor) -> str:
    if tensor.is_floating_point():
        return "floats"
    return "booleans" if str(tensor.dtype) == "torch.bool" else "integers"


def _refuse_changes(names: Sequence[str], before: Sequence[Any], after: Sequence[Any]) -> None:
    for name, old, new in zip(names, before, after, strict=True):
        if not callable(old) and not close(_comparable(old), _comparable(new)):
            copy = f"{name}.clone()" if is_tensor(old) else "the clone() of a tensor"
            raise UnusableResultError(f"changes its argument {name}; work on a copy, such as {copy}")


def _comparable(value: Any) -> Any:
    return _plain([*value.items()] if isinstance(value, Mapping) else value)


def _listed(names: Sequence[str], values: Sequence[Any]) -> str:
    *first, last = [_described(name, value) for name, value in zip(names, values, strict=True)]
    return f"{', '.join(first)} and {last}" if first else last


def _described(name: str, value: Any) -> str:
    if is_tensor(value):
        return f"{name} = {written(value)}" if value.numel() <= WRITTEN else f"{name} of shape {shape(value)}"
    if isinstance(value, Mapping):
        tensors = [f"{key} {shape(one)}" for key, one in value.items() if is_tensor(one)]
        return f"{name} with {', '.join(tensors)}" if 0 < len(tensors) <= WRITTEN else name
    if isinstance(value, tuple) and value and all(map(is_tensor, value)):
        return f"{name} with tensors of shape {' and '.join(dict.fromkeys(shape(one) for one in value))}"
    if callable(value) or has_tensors(value):
        return f"{name} ({describe})" if (describe := getattr(value, "description", "")) else name
    return f"{name} = {value!r}"
