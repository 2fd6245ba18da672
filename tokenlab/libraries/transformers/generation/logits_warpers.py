"""Base classes of logits processors and warpers, their list, and the warpers: temperature and filters of the tail.

Processors and warpers change the logits one after another before a token is selected: `LogitsProcessor` in every
strategy, `LogitsWarper` only in sampling. Temperature removes no token but makes the distribution flatter or steeper.
A filter sets the scores of removed tokens to `filter_value`, and always keeps `min_tokens_to_keep` tokens; beams need
two.
Leaves out: the processors (`logits_process`, `repetition_penalties`); the selection and order of processors for a call
of `generate` (`components`).

Source: transformers 4.26.1, generation/logits_process.py.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from inspect import Parameter, signature
from types import FunctionType, MethodType
from typing import Any

import torch
from torch import Tensor, nn

from tokenlab.libraries.transformers.generation.argument_checks import (
    check_integer,
    check_positive_float,
    check_probability,
)


class _LogitsTransform:
    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        """Return the changed scores, (rows, vocab_size), without changing the given ones; each beam is a row."""
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


class TemperatureLogitsWarper(LogitsWarper):
    """Divide all logits by the temperature: below 1 the distribution gets steeper, above 1 flatter.

    Raises:
        ValueError: the temperature is not a float above 0.

    >>> TemperatureLogitsWarper(0.5)(torch.tensor([[0]]), torch.tensor([[1.0, 2.0]]))
    tensor([[2., 4.]])
    """

    def __init__(self, temperature: float) -> None:
        way_out = "1.0 changes nothing; for the limit 0, always the most probable token, use do_sample=False"
        self.temperature = check_positive_float("temperature", temperature, way_out)

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        """Return the scores divided by the temperature: (rows, vocab_size)."""
        return scores / self.temperature


class _Filter(LogitsWarper):
    def __init__(self, filter_value: float, min_tokens_to_keep: int) -> None:
        self.filter_value = filter_value
        self.min_tokens_to_keep = check_integer("min_tokens_to_keep", min_tokens_to_keep, at_least=1)

    def _remove_below(self, cutoff: Any, p: Tensor, scores: Tensor) -> Tensor:
        """Remove the tokens with a probability below the cutoff."""
        removed = (p < cutoff) & (scores < kth_largest_logit(scores, self.min_tokens_to_keep))
        return scores.masked_fill(removed, self.filter_value)


class TopKLogitsWarper(LogitsWarper):
    """Keep the `top_k` most probable tokens, and tokens that are as probable as the last of them.

    Source: Fan et al., Hierarchical Neural Story Generation, arXiv:1805.04833, section 5.4.

    Raises:
        ValueError: top_k or min_tokens_to_keep is below 1.

    >>> TopKLogitsWarper(2)(torch.tensor([[0]]), torch.tensor([[1.0, 3.0, 2.0, 2.0]]))
    tensor([[-inf, 3., 2., 2.]])
    """

    def __init__(self, top_k: int, filter_value: float = -math.inf, min_tokens_to_keep: int = 1) -> None:
        kept = check_integer("min_tokens_to_keep", min_tokens_to_keep, at_least=1)
        self.top_k = max(check_integer("top_k", top_k, at_least=1), kept)
        self.filter_value = filter_value

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        """Return the scores without those below the k-th: (rows, vocab_size)."""
        return scores.masked_fill(scores < kth_largest_logit(scores, self.top_k), self.filter_value)


def kth_largest_logit(scores: Tensor, k: int) -> Tensor:
    """Return the k-th highest score of each row, or the lowest if the row has fewer than k: (rows, 1)."""
    return scores.topk(min(k, scores.shape[-1])).values[..., -1:]


class TopPLogitsWarper(_Filter):
    """Keep the nucleus: the smallest set of most probable tokens whose cumulative probability is at least `top_p`.

    Source: Holtzman et al., The Curious Case of Neural Text Degeneration, arXiv:1904.09751, section 3.1.

    Raises:
        ValueError: top_p is not in (0, 1], or min_tokens_to_keep is below 1.

    >>> TopPLogitsWarper(0.7)(torch.tensor([[0]]), torch.tensor([[0.5, 0.3, 0.2]]).log()).exp()
    tensor([[0.5000, 0.3000, 0.0000]])
    """

    def __init__(self, top_p: float, filter_value: float = -math.inf, min_tokens_to_keep: int = 1) -> None:
        self.top_p = check_probability("top_p", top_p, "1.0 keeps every token", allow_one=True)
        super().__init__(filter_value, min_tokens_to_keep)

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        """Return the scores of the nucleus: (rows, vocab_size)."""
        ascending, order = scores.sort(dim=-1)
        cumulative = ascending.softmax(dim=-1).cumsum(dim=-1)  # from the least probable token
        removed = cumulative <= 1 - self.top_p
        removed[..., -self.min_tokens_to_keep :] = False  # subtle: rounding may mark even the most probable token
        return scores.masked_fill(removed.scatter(1, order, removed), self.filter_value)


class TypicalLogitsWarper(_Filter):
    """Keep the tokens whose surprisal is closest to the entropy, until their cumulative probability reaches `mass`.

    The most probable token may be removed, because its surprisal can be far below the entropy.

    Source: Meister et al., Locally Typical Sampling, arXiv:2202.00666, section 4.

    Raises:
        ValueError: mass is not in (0, 1), or min_tokens_to_keep is below 1.

    >>> likely = torch.tensor([[0.5, 0.3, 0.1, 0.1]])
    >>> TypicalLogitsWarper(0.2)(torch.tensor([[0]]), likely.log()).exp()
    tensor([[0.0000, 0.3000, 0.0000, 0.0000]])
    """

    def __init__(self, mass: float = 0.9, filter_value: float = -math.inf, min_tokens_to_keep: int = 1) -> None:
        self.mass = check_probability("mass (typical_p)", mass, "close to 1 it keeps nearly every token")
        super().__init__(filter_value, min_tokens_to_keep)

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        """Return the scores without atypical tokens: (rows, vocab_size)."""
        log_p = scores.log_softmax(dim=-1)
        entropy = -(log_p * log_p.exp()).nansum(dim=-1, keepdim=True)  # the expected surprisal, in nats: (rows, 1)
        distance, order = (-log_p - entropy).abs().sort(dim=-1)
        cumulative = scores.gather(-1, order).softmax(dim=-1).cumsum(dim=-1)
        last = (cumulative < self.mass).sum(dim=-1, keepdim=True)  # the first token that reaches the mass
        last = last.clamp(max=scores.shape[-1] - 1)  # subtle: rounding may keep all of them below the mass
        removed = distance > distance.gather(-1, last)
        removed[..., : self.min_tokens_to_keep] = False
        return scores.masked_fill(removed.scatter(1, order, removed), self.filter_value)


class EpsilonLogitsWarper(_Filter):
    """Keep the tokens whose probability is at least `epsilon`, and always the most probable one.

    Source: Hewitt et al., Truncation Sampling as Language Model Desmoothing, arXiv:2210.15191, section 3.

    Raises:
        ValueError: epsilon is not in (0, 1), or min_tokens_to_keep is below 1.

    >>> EpsilonLogitsWarper(0.25)(torch.tensor([[0]]), torch.tensor([[0.5, 0.3, 0.2]]).log()).exp()
    tensor([[0.5000, 0.3000, 0.0000]])
    """

    def __init__(self, epsilon: float, filter_value: float = -math.inf, min_tokens_to_keep: int = 1) -> None:
        self.epsilon = check_probability("epsilon (epsilon_cutoff)", epsilon, "0.0003 to 0.001 is usual")
        super().__init__(filter_value, min_tokens_to_keep)

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        """Return the scores without improbable tokens: (rows, vocab_size)."""
        return self._remove_below(self.epsilon, scores.softmax(dim=-1), scores)


class EtaLogitsWarper(_Filter):
    """Keep the tokens above a cutoff that falls with the entropy: min(epsilon, sqrt(epsilon) / e^entropy).

    Source: Hewitt et al., Truncation Sampling as Language Model Desmoothing, arXiv:2210.15191, section 3.

    Raises:
        ValueError: epsilon is not in (0, 1), or min_tokens_to_keep is below 1.

    >>> EtaLogitsWarper(0.25)(torch.tensor([[0]]), torch.tensor([[0.5, 0.3, 0.2]]).log()).exp()
    tensor([[0.5000, 0.3000, 0.2000]])
    """

    def __init__(self, epsilon: float, filter_value: float = -math.inf, min_tokens_to_keep: int = 1) -> None:
        self.epsilon = check_probability("epsilon (eta_cutoff)", epsilon, "0.0003 to 0.002 is usual")
        super().__init__(filter_value, min_tokens_to_keep)

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        """Return the scores without tokens below the cutoff: (rows, vocab_size)."""
        p = scores.softmax(dim=-1)
        entropy = torch.special.entr(p).sum(dim=-1, keepdim=True)
        eta = (math.sqrt(self.epsilon) * (-entropy).exp()).clamp(max=self.epsilon)  # (rows, 1)
        return self._remove_below(eta, p, scores)


class LogitNormalization(LogitsProcessor, LogitsWarper):
    """Normalize scores to log-probabilities, as cumulative log-probabilities need them.

    >>> LogitNormalization()(torch.tensor([[0]]), torch.tensor([[5.0, 5.0, -float("inf")]])).exp()
    tensor([[0.5000, 0.5000, 0.0000]])
    """

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        """Return log-probabilities: (rows, vocab_size)."""
        return scores.log_softmax(dim=-1)


def top_k_top_p_filtering(
    logits: Tensor, top_k: int = 0, top_p: float = 1.0, filter_value: float = -math.inf, min_tokens_to_keep: int = 1
) -> Tensor:
    """Return the logits after both filters, top-k first: (rows, vocab_size).

    Args:
        logits: (rows, vocab_size).
        top_k: the number of tokens that are kept; 0 keeps all.
        top_p: the cumulative probability that is kept; 1.0 keeps all.
        filter_value: the score of removed tokens.
        min_tokens_to_keep: the number of tokens that are always kept.

    >>> top_k_top_p_filtering(torch.tensor([[0.5, 0.3, 0.2]]).log(), top_k=2, top_p=0.6).exp()
    tensor([[0.5000, 0.0000, 0.0000]])
    """
    no_ids = torch.empty(len(logits), 0, dtype=torch.long)  # filters do not use the ids so far
    if top_k:
        logits = TopKLogitsWarper(top_k, filter_value, min_tokens_to_keep)(no_ids, logits)
    return TopPLogitsWarper(top_p, filter_value, min_tokens_to_keep)(no_ids, logits)
