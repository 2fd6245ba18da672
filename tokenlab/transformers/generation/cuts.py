"""Where the cut of a filter falls, in words: its rule, with the numbers of the distribution that it met.

Leaves out: the cutting itself, which `filters` do; what stays is read off what they leave.
"""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

from tokenlab.transformers.generation import filters
from tokenlab.transformers.generation.sampling_steps import Cut, said

FILTERS = (
    filters.TopKLogitsWarper,
    filters.TopPLogitsWarper,
    filters.TypicalLogitsWarper,
    filters.EpsilonLogitsWarper,
    filters.EtaLogitsWarper,
)


def cut_of(change: Any, before: Tensor, kept: Tensor, shown: int) -> Cut | None:
    """What a filter looked at; None for what is no filter.

    Args:
        change: a processor or a warper.
        before: the probabilities that it met: (vocab_size,).
        kept: which tokens it left: (vocab_size,).
        shown: how many tokens are looked at here, the likeliest first.

    >>> p = torch.tensor([0.5, 0.3, 0.2])
    >>> cut = cut_of(filters.TopPLogitsWarper(0.7), p, p > 0.25, shown=2)
    >>> print(cut)
    the likeliest has 0.500 by itself, the likeliest 2 have 0.800 together: the first sum that is at least 0.7
    >>> cut.what, [round(number, 1) for number in cut.looked]
    ('together', [0.5, 0.8])
    """
    if not isinstance(change, FILTERS):
        return None
    what, looked = _looked(change, before.sort(descending=True).values)
    return Cut(what, tuple(looked[:shown].tolist()), _why(change, before, before[kept]))


def _looked(change: Any, p: Tensor) -> tuple[str, Tensor]:
    """What a filter compares, for each token, the likeliest first: (vocab_size,)."""
    match change:
        case filters.TopKLogitsWarper():
            return "rank", torch.arange(1, len(p) + 1)
        case filters.TopPLogitsWarper():
            return "together", p.cumsum(dim=-1)
        case filters.TypicalLogitsWarper():
            return "distance", (-p.log() - entropy_of(p)).abs()
    return "probability", p


def _why(change: Any, p: Tensor, kept: Tensor) -> str:
    """The rule, with numbers."""
    count, lowest = len(kept), float(kept.min())
    match change:
        case filters.TopKLogitsWarper(top_k=k):
            ties = f", and {count - k} more that {'is' if count == k + 1 else 'are'} as likely as the last of them"
            return f"the {min(k, count)} likeliest stay{ties if count > k else ''}"
        case filters.TopPLogitsWarper(top_p=share):
            together = _together(count, float(kept.sum()))
            if count == 1:
                return f"{together}, and that is at least {share}"
            fewer = _together(count - 1, float(kept.sum()) - lowest)
            return f"{fewer}, {together}: the first sum that is at least {share}"
        case filters.TypicalLogitsWarper(mass=mass):
            usual = entropy_of(p)
            farthest = max(abs(-math.log(float(edge)) - usual) for edge in (kept.min(), kept.max()))
            expected = f"a surprise of {usual:.2f} is to be expected here"
            if count == 1:
                return f"{expected}; the nearest token, {farthest:.2f} from it, has at least {mass} by itself"
            return (
                f"{expected}; the {count} tokens whose own surprise is at most {farthest:.2f} from it are the "
                f"fewest that have at least {mass} together"
            )
        case filters.EpsilonLogitsWarper(epsilon=epsilon):
            return f"what has at least {epsilon:g} stays, and the likeliest in any case"
        case filters.EtaLogitsWarper(epsilon=epsilon):
            unsure = math.sqrt(epsilon) * math.exp(-entropy_of(p))
            return (
                f"what has at least {min(epsilon, unsure):.2g} stays, the smaller one of {epsilon:g} and {unsure:.2g}, "
                "which sinks where the model is unsure; and the likeliest in any case"
            )
    raise AssertionError(change)


def _together(count: int, share: float) -> str:
    """What the likeliest tokens have."""
    if count == 1:
        return f"the likeliest has {said(share)} by itself"
    return f"the likeliest {count} have {said(share)} together"


def entropy_of(p: Tensor) -> float:
    """The surprise to expect, in nats.

    >>> round(entropy_of(torch.tensor([0.5, 0.5, 0.0])), 3) == round(math.log(2), 3)
    True
    """
    return float(torch.special.entr(p).sum())
