"""Base classes of logits processors, which change the logits one after another before a token is selected.

Adds: `LogitsProcessor`, which every strategy applies, `LogitsWarper`, which is for sampling, and their list.
Leaves out: the selection and order of processors for a call of `generate` (`components`).
Source: transformers 4.26.1, generation/logits_process.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from inspect import Parameter, signature
from types import FunctionType, MethodType
from typing import Any

from torch import Tensor, nn


class _LogitsTransform:
    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        """Return the changed scores, without changing the given ones.

        Args:
            input_ids: the ids so far: (rows, length); each beam is a row.
            scores: the logits or log-probabilities of the next token: (rows, vocab_size).
        """
        raise NotImplementedError(
            f"{type(self).__name__} should define __call__(input_ids, scores), which returns the changed scores"
        )

    def __repr__(self) -> str:
        settings = ", ".join(f"{name}={value!r}" for name, value in vars(self).items() if not name.startswith("_"))
        return f"{type(self).__name__}({settings})"


class LogitsProcessor(_LogitsTransform):
    """Base class of changes of the next token's logits; `__call__` of a subclass returns new scores.

    >>> import torch
    >>> class NeverTwice(LogitsProcessor):
    ...     def __call__(self, input_ids, scores):
    ...         return scores.scatter(1, input_ids[:, -1:], -float("inf"))
    >>> NeverTwice()(torch.tensor([[0, 2]]), torch.zeros(1, 3))
    tensor([[0., 0., -inf]])
    """


class LogitsWarper(_LogitsTransform):
    """Base class of changes of the sampling distribution; like `LogitsProcessor`, but only sampling applies it."""


class LogitsProcessorList(list[Callable[..., Tensor]]):
    """Processors that are applied in order, each to the result of the previous one.

    >>> import torch
    >>> from tokenlab.libraries.transformers.generation import TemperatureLogitsWarper, TopKLogitsWarper
    >>> changes = LogitsProcessorList([TemperatureLogitsWarper(0.5), TopKLogitsWarper(2)])
    >>> changes(torch.tensor([[5]]), torch.tensor([[1.0, 2.0, 3.0]]))
    tensor([[-inf, 4., 6.]])
    """

    def __call__(self, input_ids: Tensor, scores: Tensor, **kwargs: Any) -> Tensor:
        """Return the scores after the last processor.

        Args:
            input_ids: (rows, length).
            scores: (rows, vocab_size).
            kwargs: further arguments of some processors, such as `beam_group_idx`.

        Raises:
            ValueError: a processor has a required argument that is not given.
        """
        for _, changed in self.one_by_one(input_ids, scores, **kwargs):
            scores = changed
        return scores

    def one_by_one(
        self, input_ids: Tensor, scores: Tensor, **kwargs: Any
    ) -> Iterator[tuple[Callable[..., Tensor], Tensor]]:
        """Yield each processor with the scores that it returns."""
        for processor in self:
            scores = processor(input_ids, scores, **_select_keyword_arguments(processor, kwargs))
            yield processor, scores


def _select_keyword_arguments(processor: Callable[..., Tensor], given: dict[str, Any]) -> dict[str, Any]:
    """Return the given arguments that a processor has: those with its parameters' names, or all for **kwargs."""
    further = _further_parameters(processor)
    named = [each for each in further if each.kind not in (Parameter.VAR_KEYWORD, Parameter.VAR_POSITIONAL)]
    missing = [each.name for each in named if each.default is Parameter.empty and each.name not in given]
    if missing:
        raise ValueError(
            f"{processor!r} needs {', '.join(missing)}, and this strategy passes "
            f"{', '.join(given) or 'only input_ids and scores'}"
        )
    if any(each.kind is Parameter.VAR_KEYWORD for each in further):
        return given
    return {each.name: given[each.name] for each in named if each.name in given}


def _further_parameters(processor: Callable[..., Any]) -> tuple[Parameter, ...]:
    """Return the parameters after `input_ids` and `scores`."""
    call = processor.forward if isinstance(processor, nn.Module) else processor
    if isinstance(call, FunctionType | MethodType | partial):
        return _after_two(call, 0)
    return _after_two(type(call).__call__, 1)  # cached for all objects of the class


@lru_cache(maxsize=256)  # computing a signature takes as long as three processors
def _after_two(call: Callable[..., Any], own: int) -> tuple[Parameter, ...]:
    parameters = list(signature(call).parameters.values())[own:]
    by_place = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
    ids_and_scores = [each for each in parameters if each.kind in by_place][:2]
    return tuple(each for each in parameters if each not in ids_and_scores)
