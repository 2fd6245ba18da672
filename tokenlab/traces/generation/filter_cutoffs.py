"""Explain the cutoff of a filter: its rule with the numbers of the distribution that it was applied to.

Leaves out: the filters themselves (`logits_warpers`); the kept tokens are taken from their result.
"""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

from tokenlab.libraries.transformers.generation import logits_warpers as filters
from tokenlab.printing.printed_numbers import format_number, format_probability
from tokenlab.traces.generation.sampling_steps import FilterCutoff


def filter_cutoff(processor: Any, before: Tensor, kept: Tensor, shown: int) -> FilterCutoff | None:
    """Return the criterion and the rule of a filter; None for other processors.

    Args:
        processor: a processor or a warper.
        before: the probabilities before it: (vocab_size,).
        kept: whether it keeps each token: (vocab_size,).
        shown: the number of values to return, the most probable token first.

    >>> p = torch.tensor([0.5, 0.3, 0.2])
    >>> cut = filter_cutoff(filters.TopPLogitsWarper(0.7), p, p > 0.25, shown=2)
    >>> print(cut)
    the most probable token has 0.50, the 2 most probable tokens have 0.80: the first sum that is at least 0.7
    >>> cut.criterion, [round(number, 1) for number in cut.values]
    ('together', [0.5, 0.8])
    """
    ordered = before.sort(descending=True).values
    remaining = before[kept]
    count, share = len(remaining), float(remaining.sum())
    criterion, values = "probability", ordered
    match processor:
        case filters.TopKLogitsWarper(top_k=k):
            criterion, values = "rank", torch.arange(1, len(ordered) + 1)
            ties = f", and {count - k} more that {'is' if count == k + 1 else 'are'} as probable as the last of them"
            rule = f"keep the {min(k, count)} most probable tokens{ties if count > k else ''}"
        case filters.TopPLogitsWarper(top_p=top_p):
            criterion, values = "together", ordered.cumsum(dim=-1)
            together = _cumulative_mass_text(count, share)
            fewer = _cumulative_mass_text(count - 1, share - float(remaining.min()))
            enough = f"{fewer}, {together}: the first sum that is at least {top_p}"
            rule = f"{together}, which is at least {top_p}" if count == 1 else enough
        case filters.TypicalLogitsWarper(mass=mass):
            usual = entropy(before)
            criterion, values = "distance", (-ordered.log() - usual).abs()
            farthest = max(abs(-math.log(float(edge)) - usual) for edge in (remaining.min(), remaining.max()))
            alone = f"the nearest token, {format_number(farthest)} from it, alone has at least {mass}"
            several = (
                f"the {count} tokens whose surprisal is at most {format_number(farthest)} from it are the "
                f"fewest that have at least {mass} together"
            )
            rule = f"the entropy, the expected surprisal, is {format_number(usual)}; {alone if count == 1 else several}"
        case filters.EpsilonLogitsWarper(epsilon=epsilon):
            rule = f"keep the tokens with at least {epsilon:g}, and always the most probable token"
        case filters.EtaLogitsWarper(epsilon=epsilon):
            by_entropy = math.sqrt(epsilon) * math.exp(-entropy(before))
            rule = (
                f"keep the tokens with at least {min(epsilon, by_entropy):.2g}, the smaller one of {epsilon:g} and "
                f"{by_entropy:.2g}, which falls with the entropy; and always the most probable token"
            )
        case _:
            return None
    return FilterCutoff(criterion, tuple(values[:shown].tolist()), rule)


def _cumulative_mass_text(count: int, share: float) -> str:
    """Name the cumulative probability of the most probable tokens."""
    if count == 1:
        return f"the most probable token has {format_probability(share)}"
    return f"the {count} most probable tokens have {format_probability(share)}"


def entropy(p: Tensor) -> float:
    """Return the entropy, the expected surprisal, in nats.

    >>> round(entropy(torch.tensor([0.5, 0.5, 0.0])), 3) == round(math.log(2), 3)
    True
    """
    return float(torch.special.entr(p).sum())
