"""What stands between a model's scores and the choice of a token: changes of the scores, one after another.

Adds: `LogitsProcessor`, which every mode applies, `LogitsWarper`, which is for sampling, and their list.
Leaves out: which of them a call of `generate` needs, and in which order.
Source: transformers 4.26.1, generation/logits_process.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from inspect import Parameter, signature
from types import FunctionType, MethodType
from typing import Any

from torch import Tensor, nn


class _Change:
    """A change of scores that can say what it was told."""

    def __repr__(self) -> str:
        told = ", ".join(f"{name}={value!r}" for name, value in vars(self).items() if not name.startswith("_"))
        return f"{type(self).__name__}({told})"


class LogitsProcessor(_Change):
    """Changes the scores of the next token; a subclass says how in `__call__`, and leaves what it is given as it is.

    >>> import torch
    >>> class NeverTwice(LogitsProcessor):
    ...     def __call__(self, input_ids, scores):
    ...         return scores.scatter(1, input_ids[:, -1:], -float("inf"))
    >>> NeverTwice()(torch.tensor([[0, 2]]), torch.zeros(1, 3))
    tensor([[0., 0., -inf]])
    """

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        """The changed scores.

        Args:
            input_ids: what stands there: (rows, length); with beams each is a row.
            scores: of each token to come next, logits or log-probabilities: (rows, vocab_size).
        """
        raise NotImplementedError(f"{type(self).__name__} should say in __call__(input_ids, scores) what it changes")


class LogitsWarper(_Change):
    """Changes the distribution that a token is drawn from; like `LogitsProcessor`, but only sampling applies it."""

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        """The changed scores: (rows, vocab_size)."""
        raise NotImplementedError(f"{type(self).__name__} should say in __call__(input_ids, scores) what it changes")


class LogitsProcessorList(list[Callable[..., Tensor]]):
    """Changes that are made in this order, each to what the one before has left.

    >>> import torch
    >>> from tokenlab.transformers.generation import TemperatureLogitsWarper, TopKLogitsWarper
    >>> changes = LogitsProcessorList([TemperatureLogitsWarper(0.5), TopKLogitsWarper(2)])
    >>> changes(torch.tensor([[5]]), torch.tensor([[1.0, 2.0, 3.0]]))
    tensor([[-inf, 4., 6.]])
    """

    def __call__(self, input_ids: Tensor, scores: Tensor, **kwargs: Any) -> Tensor:
        """The scores after the last change.

        Args:
            input_ids: (rows, length).
            scores: (rows, vocab_size).
            kwargs: what some changes ask for by name, such as `beam_group_idx`.

        Raises:
            ValueError: a change asks for something that is not there.
        """
        for change in self:
            scores = change(input_ids, scores, **_asked_for(change, kwargs))
        return scores

    def one_by_one(
        self, input_ids: Tensor, scores: Tensor, **kwargs: Any
    ) -> Iterator[tuple[Callable[..., Tensor], Tensor]]:
        """Each change with the scores that it leaves."""
        for change in self:
            scores = change(input_ids, scores, **_asked_for(change, kwargs))
            yield change, scores


def _asked_for(change: Callable[..., Tensor], given: dict[str, Any]) -> dict[str, Any]:
    """What of the given a change asks for, besides ids and scores: by name, or by **kwargs all of it."""
    further = _further_parameters(change)
    asked = [each for each in further if each.kind not in (Parameter.VAR_KEYWORD, Parameter.VAR_POSITIONAL)]
    missing = [each.name for each in asked if each.default is Parameter.empty and each.name not in given]
    if missing:
        raise ValueError(
            f"{change!r} asks for {', '.join(missing)}, and this search has "
            f"{', '.join(given) or 'nothing but input_ids and scores'}"
        )
    if any(each.kind is Parameter.VAR_KEYWORD for each in further):
        return given
    return {each.name: given[each.name] for each in asked if each.name in given}


def _further_parameters(change: Callable[..., Any]) -> tuple[Parameter, ...]:
    """The parameters after `input_ids` and `scores`."""
    call = change.forward if isinstance(change, nn.Module) else change
    if isinstance(call, FunctionType | MethodType | partial):
        return _after_two(call, 0)
    return _after_two(type(call).__call__, 1)  # kept for all objects of the kind, whatever they call themselves


@lru_cache(maxsize=256)  # a signature takes as long as three changes do
def _after_two(call: Callable[..., Any], own: int) -> tuple[Parameter, ...]:
    parameters = list(signature(call).parameters.values())[own:]
    by_place = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
    ids_and_scores = [each for each in parameters if each.kind in by_place][:2]
    return tuple(each for each in parameters if each not in ids_and_scores)
