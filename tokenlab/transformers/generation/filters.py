"""Which tokens a draw may choose at all: each filter cuts off the tail of the distribution by another rule.

Adds: temperature, which cuts nothing and makes the distribution flatter or steeper, and five filters.
Source: transformers 4.26.1, generation/logits_process.py.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from tokenlab.transformers.generation.arguments import above_zero, share, whole
from tokenlab.transformers.generation.processors import LogitsWarper


class TemperatureLogitsWarper(LogitsWarper):
    """Divides all scores: below 1 the likely tokens become likelier, above 1 all become more alike.

    Raises:
        ValueError: the temperature is no float above 0.

    >>> TemperatureLogitsWarper(0.5)(torch.tensor([[0]]), torch.tensor([[1.0, 2.0]]))
    tensor([[2., 4.]])
    """

    def __init__(self, temperature: float) -> None:
        way_out = "1.0 changes nothing, and towards 0 the likeliest token wins always, which do_sample=False gives"
        self.temperature = above_zero("temperature", temperature, way_out)

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        """Scores by temperature: (rows, vocab_size)."""
        return scores / self.temperature


class TopKLogitsWarper(LogitsWarper):
    """Keeps the `top_k` likeliest tokens, and those that are as likely as the last of them.

    Source: Fan et al., Hierarchical Neural Story Generation, arXiv:1805.04833, section 5.4.

    Args:
        filter_value: the score of what is cut off.
        min_tokens_to_keep: so many are kept in any case; beams need two.

    Raises:
        ValueError: fewer than one token to keep.

    >>> TopKLogitsWarper(2)(torch.tensor([[0]]), torch.tensor([[1.0, 3.0, 2.0, 2.0]]))
    tensor([[-inf, 3., 2., 2.]])
    """

    def __init__(self, top_k: int, filter_value: float = -math.inf, min_tokens_to_keep: int = 1) -> None:
        kept = whole("min_tokens_to_keep", min_tokens_to_keep, at_least=1)
        self.top_k = max(whole("top_k", top_k, at_least=1), kept)
        self.filter_value = filter_value

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        """The scores without those below the k-th: (rows, vocab_size)."""
        return scores.masked_fill(scores < kth_highest(scores, self.top_k), self.filter_value)


def kth_highest(scores: Tensor, k: int) -> Tensor:
    """The k-th highest score of each row, or the lowest where there are fewer: (rows, 1)."""
    return scores.topk(min(k, scores.shape[-1])).values[..., -1:]


class TopPLogitsWarper(LogitsWarper):
    """Keeps the fewest likeliest tokens that have at least the share `top_p` of the probability together.

    Source: Holtzman et al., The Curious Case of Neural Text Degeneration, arXiv:1904.09751, section 3.1.

    Args:
        filter_value: the score of what is cut off.
        min_tokens_to_keep: so many are kept in any case; beams need two.

    Raises:
        ValueError: the share is not in (0, 1], or fewer than one token to keep.

    >>> TopPLogitsWarper(0.7)(torch.tensor([[0]]), torch.tensor([[0.5, 0.3, 0.2]]).log()).exp()
    tensor([[0.5000, 0.3000, 0.0000]])
    """

    def __init__(self, top_p: float, filter_value: float = -math.inf, min_tokens_to_keep: int = 1) -> None:
        self.top_p = share("top_p", top_p, "1.0 keeps every token", all_of_it=True)
        self.filter_value = filter_value
        self.min_tokens_to_keep = whole("min_tokens_to_keep", min_tokens_to_keep, at_least=1)

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        """The scores without the tail: (rows, vocab_size)."""
        ascending, order = scores.sort(dim=-1)
        up_to_here = ascending.softmax(dim=-1).cumsum(dim=-1)  # of the unlikeliest tokens together
        removed = up_to_here <= 1 - self.top_p
        removed[..., -self.min_tokens_to_keep :] = False  # subtle: rounding may have put the likeliest below, too
        return scores.masked_fill(removed.scatter(1, order, removed), self.filter_value)


class TypicalLogitsWarper(LogitsWarper):
    """Keeps the tokens whose surprise is nearest to what is expected, until they have the share `mass` together.

    The likeliest token may be cut off: it can be less surprising than a text of this kind usually is.

    Source: Meister et al., Locally Typical Sampling, arXiv:2202.00666, section 4.

    Args:
        filter_value: the score of what is cut off.
        min_tokens_to_keep: so many are kept in any case; beams need two.

    Raises:
        ValueError: the share is not in (0, 1), or fewer than one token to keep.

    >>> likely = torch.tensor([[0.5, 0.3, 0.1, 0.1]])
    >>> TypicalLogitsWarper(0.2)(torch.tensor([[0]]), likely.log()).exp()
    tensor([[0.0000, 0.3000, 0.0000, 0.0000]])
    """

    def __init__(self, mass: float = 0.9, filter_value: float = -math.inf, min_tokens_to_keep: int = 1) -> None:
        self.mass = share("mass (typical_p)", mass, "close to 1 it keeps nearly every token")
        self.filter_value = filter_value
        self.min_tokens_to_keep = whole("min_tokens_to_keep", min_tokens_to_keep, at_least=1)

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        """The scores without what is untypical: (rows, vocab_size)."""
        log_p = scores.log_softmax(dim=-1)
        entropy = -(log_p * log_p.exp()).nansum(dim=-1, keepdim=True)  # the surprise to expect, in nats: (rows, 1)
        distance, order = (-log_p - entropy).abs().sort(dim=-1)
        up_to_here = scores.gather(-1, order).softmax(dim=-1).cumsum(dim=-1)
        last = (up_to_here < self.mass).sum(dim=-1, keepdim=True)  # the first with which the mass is reached
        last = last.clamp(max=scores.shape[-1] - 1)  # subtle: rounding may keep all of them below the mass
        removed = distance > distance.gather(-1, last)
        removed[..., : self.min_tokens_to_keep] = False
        return scores.masked_fill(removed.scatter(1, order, removed), self.filter_value)


class EpsilonLogitsWarper(LogitsWarper):
    """Keeps the tokens whose probability is at least `epsilon`, and the likeliest in any case.

    Source: Hewitt et al., Truncation Sampling as Language Model Desmoothing, arXiv:2210.15191, section 3.

    Args:
        filter_value: the score of what is cut off.
        min_tokens_to_keep: so many are kept in any case; beams need two.

    Raises:
        ValueError: epsilon is not in (0, 1), or fewer than one token to keep.

    >>> EpsilonLogitsWarper(0.25)(torch.tensor([[0]]), torch.tensor([[0.5, 0.3, 0.2]]).log()).exp()
    tensor([[0.5000, 0.3000, 0.0000]])
    """

    def __init__(self, epsilon: float, filter_value: float = -math.inf, min_tokens_to_keep: int = 1) -> None:
        self.epsilon = share("epsilon (epsilon_cutoff)", epsilon, "0.0003 to 0.001 is usual")
        self.filter_value = filter_value
        self.min_tokens_to_keep = whole("min_tokens_to_keep", min_tokens_to_keep, at_least=1)

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        """The scores without what is unlikely: (rows, vocab_size)."""
        removed = (scores.softmax(dim=-1) < self.epsilon) & (scores < kth_highest(scores, self.min_tokens_to_keep))
        return scores.masked_fill(removed, self.filter_value)


class EtaLogitsWarper(LogitsWarper):
    """Keeps the tokens above a cutoff that sinks where the model is unsure: min(epsilon, sqrt(epsilon) / e^entropy).

    Source: Hewitt et al., Truncation Sampling as Language Model Desmoothing, arXiv:2210.15191, section 3.

    Args:
        filter_value: the score of what is cut off.
        min_tokens_to_keep: so many are kept in any case; beams need two.

    Raises:
        ValueError: epsilon is not in (0, 1), or fewer than one token to keep.

    >>> EtaLogitsWarper(0.25)(torch.tensor([[0]]), torch.tensor([[0.5, 0.3, 0.2]]).log()).exp()
    tensor([[0.5000, 0.3000, 0.2000]])
    """

    def __init__(self, epsilon: float, filter_value: float = -math.inf, min_tokens_to_keep: int = 1) -> None:
        self.epsilon = share("epsilon (eta_cutoff)", epsilon, "0.0003 to 0.002 is usual")
        self.filter_value = filter_value
        self.min_tokens_to_keep = whole("min_tokens_to_keep", min_tokens_to_keep, at_least=1)

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        """The scores without what is unlikely, for how sure the model is: (rows, vocab_size)."""
        p = scores.softmax(dim=-1)
        entropy = torch.special.entr(p).sum(dim=-1, keepdim=True)
        eta = (math.sqrt(self.epsilon) * (-entropy).exp()).clamp(max=self.epsilon)  # (rows, 1)
        removed = (p < eta) & (scores < kth_highest(scores, self.min_tokens_to_keep))
        return scores.masked_fill(removed, self.filter_value)


def top_k_top_p_filtering(
    logits: Tensor,
    top_k: int = 0,
    top_p: float = 1.0,
    filter_value: float = -math.inf,
    min_tokens_to_keep: int = 1,
) -> Tensor:
    """The scores after both filters, top-k first: (rows, vocab_size).

    Args:
        logits: (rows, vocab_size).
        top_k: so many of the likeliest are kept; 0 keeps all.
        top_p: the share of the probability that is kept; 1.0 keeps all of it.
        filter_value: the score of what is cut off.
        min_tokens_to_keep: so many are kept in any case.

    >>> top_k_top_p_filtering(torch.tensor([[0.5, 0.3, 0.2]]).log(), top_k=2, top_p=0.6).exp()
    tensor([[0.5000, 0.0000, 0.0000]])
    """
    nothing = torch.empty(len(logits), 0, dtype=torch.long)  # no filter looks at what was written
    if top_k:
        logits = TopKLogitsWarper(top_k, filter_value, min_tokens_to_keep)(nothing, logits)
    return TopPLogitsWarper(top_p, filter_value, min_tokens_to_keep)(nothing, logits)
