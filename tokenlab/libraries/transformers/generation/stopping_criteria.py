"""Stopping criteria: end generation by length, by time or by a user's condition, before an eos token is generated.

What differs from transformers 4.26.1, and why:

- A list's `max_length` is the smallest of its lengths, at which it stops; there the first.
- A list passes kwargs on to its criteria; there they are dropped.
- `validate_stopping_criteria` returns a new list of the same criteria, so that a user's criterion can be inspected
  afterwards; there the criteria are copied.
- Lengths below 1 and a time below 0 are refused.

Source: transformers 4.26.1, generation/stopping_criteria.py.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from torch import Tensor

from tokenlab.libraries.transformers.generation.argument_checks import check_integer, check_number
from tokenlab.printing.errors import warn


class StoppingCriteria:
    """Base class of stopping criteria; `__call__` of a subclass returns True to stop.

    >>> import torch
    >>> class EnoughSevens(StoppingCriteria):
    ...     def __call__(self, input_ids, scores, **kwargs):
    ...         return bool((input_ids == 7).sum() >= 2)
    >>> EnoughSevens()(torch.tensor([[7, 5, 7]]), torch.zeros(1, 8))
    True
    """

    def __call__(self, input_ids: Tensor, scores: Tensor, **kwargs: Any) -> bool:
        """Return True to stop.

        Args:
            input_ids: the prompt and the generated ids: (rows, length).
            scores: the scores of all steps so far as the loop keeps them; None without output_scores.
        """
        raise NotImplementedError(
            f"{type(self).__name__} should define __call__(input_ids, scores), which returns True to stop"
        )


class MaxLengthCriteria(StoppingCriteria):
    """Stop at `max_length` tokens, including the prompt.

    Raises:
        ValueError: the length is not a number.

    >>> import torch
    >>> MaxLengthCriteria(2)(torch.tensor([[0, 5]]), torch.zeros(1, 8))
    True
    """

    def __init__(self, max_length: float) -> None:
        self.max_length = check_number("max_length", max_length, "the largest number of ids of an output")

    def __call__(self, input_ids: Tensor, scores: Tensor, **kwargs: Any) -> bool:
        """Return True if no further token fits."""
        return input_ids.shape[-1] >= self.max_length


class MaxNewTokensCriteria(StoppingCriteria):
    """Stop at `max_new_tokens` tokens after the first `start_length`; deprecated, use MaxLengthCriteria.

    Raises:
        ValueError: `start_length` is below 0, or `max_new_tokens` below 1.

    >>> import torch
    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     two_more = MaxNewTokensCriteria(start_length=1, max_new_tokens=2)
    >>> two_more(torch.tensor([[0, 5]]), torch.zeros(1, 8)), two_more.max_length
    (False, 3)
    """

    def __init__(self, start_length: int, max_new_tokens: int) -> None:
        self.start_length = check_integer("start_length", start_length, at_least=0)
        self.max_new_tokens = check_integer("max_new_tokens", max_new_tokens, at_least=1)
        self.max_length = self.start_length + self.max_new_tokens
        warn(f"MaxNewTokensCriteria is deprecated; MaxLengthCriteria({self.max_length}) does the same", FutureWarning)

    def __call__(self, input_ids: Tensor, scores: Tensor, **kwargs: Any) -> bool:
        """Return True if no further token fits."""
        return input_ids.shape[-1] >= self.max_length


class MaxTimeCriteria(StoppingCriteria):
    """Stop when more than `max_time` seconds have passed.

    Args:
        initial_timestamp: the start as a value of `time.time()`; None means now.

    Raises:
        ValueError: the time is not a number.

    >>> import torch
    >>> MaxTimeCriteria(60.0)(torch.tensor([[0]]), torch.zeros(1, 8))
    False
    """

    def __init__(self, max_time: float, initial_timestamp: float | None = None) -> None:
        self.max_time = check_number("max_time", max_time, "seconds")
        self.initial_timestamp = time.time() if initial_timestamp is None else initial_timestamp

    def __call__(self, input_ids: Tensor, scores: Tensor, **kwargs: Any) -> bool:
        """Return True if the time is over."""
        return time.time() - self.initial_timestamp > self.max_time


class StoppingCriteriaList(list[Callable[..., bool]]):
    """Stop if any criterion of the list returns True.

    >>> import torch
    >>> stop = StoppingCriteriaList([MaxLengthCriteria(5), lambda input_ids, scores: bool(input_ids[0, -1] == 7)])
    >>> stop(torch.tensor([[0, 5]]), torch.zeros(1, 8)), stop(torch.tensor([[0, 7]]), torch.zeros(1, 8))
    (False, True)
    >>> stop.max_length
    5
    """

    def __call__(self, input_ids: Tensor, scores: Tensor, **kwargs: Any) -> bool:
        """Return True if any criterion does."""
        return any(criterion(input_ids, scores, **kwargs) for criterion in self)

    @property
    def max_length(self) -> int | None:
        """The smallest length at which a criterion stops, or None if no criterion has a length."""
        lengths = [each.max_length for each in self if isinstance(each, (MaxLengthCriteria, MaxNewTokensCriteria))]
        return min(lengths, default=None)  # type: ignore[return-value]  # a criterion also accepts a float


def validate_stopping_criteria(stopping_criteria: StoppingCriteriaList, max_length: int) -> StoppingCriteriaList:
    """Return the criteria in a new list that limits the length; warn if the criteria and `max_length` differ.

    Raises:
        ValueError: the length is not an integer of at least 1.

    >>> validate_stopping_criteria(StoppingCriteriaList(), 9).max_length
    9
    """
    criteria = StoppingCriteriaList(stopping_criteria)
    if criteria.max_length is None:
        criteria.append(MaxLengthCriteria(max_length))
    elif criteria.max_length != max_length:
        warn(
            f"max_length={max_length} is given, and the stopping criteria stop at {criteria.max_length}, "
            "which takes precedence; give one of them",
            UserWarning,
        )
    return criteria
