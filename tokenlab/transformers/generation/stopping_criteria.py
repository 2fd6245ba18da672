"""When a search stops although the text has not ended: too long, too late, or for a reason of one's own.

What differs from transformers 4.26.1, and why:

- A list's `max_length` is the smallest of its lengths, at which it does stop; there the first.
- A list hands kwargs on to its criteria; there they are dropped.
- `validate_stopping_criteria` answers a list of its own with the same criteria in it, so that one's own can be asked
  afterwards what it has seen; there they are copied.
- Lengths below 1 and a time below 0 are refused.

Source: transformers 4.26.1, generation/stopping_criteria.py.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from typing import Any

from torch import Tensor

from tokenlab.transformers.generation.arguments import seconds, whole


class StoppingCriteria:
    """A reason to stop; a subclass says in `__call__` whether it is there.

    >>> import torch
    >>> class EnoughSevens(StoppingCriteria):
    ...     def __call__(self, input_ids, scores, **kwargs):
    ...         return bool((input_ids == 7).sum() >= 2)
    >>> EnoughSevens()(torch.tensor([[7, 5, 7]]), torch.zeros(1, 8))
    True
    """

    def __call__(self, input_ids: Tensor, scores: Tensor, **kwargs: Any) -> bool:
        """Whether to stop.

        Args:
            input_ids: what was written, with its beginning: (rows, length).
            scores: those of the last step, or of all steps as a mode keeps them; None where nobody asked for them.
        """
        raise NotImplementedError(f"{type(self).__name__} should say in __call__(input_ids, scores) whether to stop")


class MaxLengthCriteria(StoppingCriteria):
    """Stops at `max_length` tokens, those at the beginning included.

    Raises:
        ValueError: the length is no whole number from 1 on.

    >>> import torch
    >>> MaxLengthCriteria(2)(torch.tensor([[0, 5]]), torch.zeros(1, 8))
    True
    """

    def __init__(self, max_length: int) -> None:
        self.max_length = whole("max_length", max_length, at_least=1)

    def __call__(self, input_ids: Tensor, scores: Tensor, **kwargs: Any) -> bool:
        """Whether no further token fits."""
        return input_ids.shape[-1] >= self.max_length


class MaxNewTokensCriteria(StoppingCriteria):
    """Stops when `max_new_tokens` stand after the first `start_length`; the library wants MaxLengthCriteria instead.

    Raises:
        ValueError: a start below 0, or fewer than one new token.

    >>> import torch
    >>> with warnings.catch_warnings(action="ignore"):
    ...     two_more = MaxNewTokensCriteria(start_length=1, max_new_tokens=2)
    >>> two_more(torch.tensor([[0, 5]]), torch.zeros(1, 8)), two_more.max_length
    (False, 3)
    """

    def __init__(self, start_length: int, max_new_tokens: int) -> None:
        self.start_length = whole("start_length", start_length, at_least=0)
        self.max_new_tokens = whole("max_new_tokens", max_new_tokens, at_least=1)
        self.max_length = self.start_length + self.max_new_tokens
        warnings.warn(
            f"MaxNewTokensCriteria is on its way out; MaxLengthCriteria({self.max_length}) says the same",
            FutureWarning,
            stacklevel=2,
        )

    def __call__(self, input_ids: Tensor, scores: Tensor, **kwargs: Any) -> bool:
        """Whether no further token fits."""
        return input_ids.shape[-1] >= self.max_length


class MaxTimeCriteria(StoppingCriteria):
    """Stops when more than `max_time` seconds have passed.

    Args:
        initial_timestamp: since when, as `time.time()` says it; otherwise from now.

    Raises:
        ValueError: the time is no number from 0 on.

    >>> import torch
    >>> MaxTimeCriteria(60.0)(torch.tensor([[0]]), torch.zeros(1, 8))
    False
    """

    def __init__(self, max_time: float, initial_timestamp: float | None = None) -> None:
        self.max_time = seconds("max_time", max_time)
        self.initial_timestamp = time.time() if initial_timestamp is None else initial_timestamp

    def __call__(self, input_ids: Tensor, scores: Tensor, **kwargs: Any) -> bool:
        """Whether the time is over."""
        return time.time() - self.initial_timestamp > self.max_time


class StoppingCriteriaList(list[Callable[..., bool]]):
    """Stops for the first reason that is there.

    >>> import torch
    >>> stop = StoppingCriteriaList([MaxLengthCriteria(5), lambda input_ids, scores: bool(input_ids[0, -1] == 7)])
    >>> stop(torch.tensor([[0, 5]]), torch.zeros(1, 8)), stop(torch.tensor([[0, 7]]), torch.zeros(1, 8))
    (False, True)
    >>> stop.max_length
    5
    """

    def __call__(self, input_ids: Tensor, scores: Tensor, **kwargs: Any) -> bool:
        """Whether any of them wants to stop."""
        return any(criterion(input_ids, scores, **kwargs) for criterion in self)

    @property
    def max_length(self) -> int | None:
        """The length at which it stops at the latest, or None where no criterion sets one."""
        lengths = [each.max_length for each in self if isinstance(each, (MaxLengthCriteria, MaxNewTokensCriteria))]
        return min(lengths, default=None)


def validate_stopping_criteria(stopping_criteria: StoppingCriteriaList, max_length: int) -> StoppingCriteriaList:
    """The criteria in a new list, with one for `max_length` if none is for a length; a warning where they differ.

    Raises:
        ValueError: the length is no whole number from 1 on.

    >>> validate_stopping_criteria(StoppingCriteriaList(), 9).max_length
    9
    """
    criteria = StoppingCriteriaList(stopping_criteria)
    if criteria.max_length is None:
        criteria.append(MaxLengthCriteria(max_length))
    elif criteria.max_length != max_length:
        warnings.warn(
            f"max_length={max_length} was asked for, and the stopping criteria stop at {criteria.max_length}, "
            "which counts; give one of them",
            UserWarning,
            stacklevel=2,
        )
    return criteria
