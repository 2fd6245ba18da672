"""Checks of the third capstone: the probabilities after temperature, top-k, top-p and min-p, and generation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from tokenlab.check.strategies import Strategy, st
from tokenlab.check.tensor_check import tensor_check
from tokenlab.minimal.decoder import filtered

# The probabilities.


def probabilities(logits: Tensor, temperature: float, top_k: int, top_p: float, min_p: float) -> Tensor:
    """Return the probabilities of the page after the temperature and the filters."""
    return filtered(logits / temperature, top_k, top_p, min_p)


def _logits_of(shares: tuple[int, ...], *settings: Any) -> tuple[Any, ...]:
    """Return logits for shares of different sizes, which need not be sorted."""
    return torch.tensor(shares).float().log(), *settings


# Shares whose sums are far from all limits below, so that no rounding decides.
SHARES = ((50, 30, 20), (20, 50, 30), (7, 41, 29, 23), (60, 40), (100,), (13, 46, 9, 32))
TOP_P = (1.0, 0.65, 0.45, 0.1)
MIN_P = (0.0, 0.25, 0.53, 0.7)


def _probability_cases() -> Strategy:
    settings = (st.sampled_from(one) for one in ((1.0, 0.5, 2.0), (0, 1, 2, 3), TOP_P, MIN_P))
    return st.tuples(st.sampled_from(SHARES), *settings).filter(_is_clear)


def _is_clear(case: tuple[Any, ...]) -> bool:
    """Whether no sum of probabilities is near top-p, and no quotient near min-p."""
    shares, temperature, top_k, top_p, min_p = case
    logits = torch.tensor(shares).float().log() / temperature
    sums = filtered(logits, top_k).sort(descending=True).values.cumsum(0)
    kept = filtered(logits, top_k, top_p)
    if top_p < 1 and (sums - top_p).abs().min() < 1e-3:
        return False
    return min_p == 0 or bool((kept / kept.max() - min_p).abs().min() > 1e-3)


def _changed(logits: Tensor, temperature: float, top_k: int, top_p: float, min_p: float, **rules: Any) -> Tensor:
    """Return the probabilities with one changed rule."""
    p, order = (logits / temperature).softmax(-1).sort(descending=True)
    p[top_k or len(p) :] = 0
    p = p if rules.get("one_sum") else p / p.sum()
    mass = p.cumsum(-1) if rules.get("excludes") else p.cumsum(-1) - p
    hidden = mass >= top_p
    hidden[0] = False
    p[hidden] = 0
    p[p < min_p * (1 if rules.get("absolute") else p[0])] = 0
    total = torch.ones(()) if rules.get("unnormalized") else p.sum().clamp(min=1e-9)
    return torch.zeros_like(p).scatter(0, order, p / total)


def _temperature_last(logits: Tensor, temperature: float, *filters: Any) -> Tensor:
    return filtered(filtered(logits, *filters).clamp(min=1e-30).log() / temperature)


lm_probabilities = tensor_check(
    probabilities,
    _logits_of,
    _probability_cases,
    "Divide the logits by the temperature and apply the softmax. Keep the top_k best ids (0 keeps all), then "
    "the best ids that together have the mass top_p, then those with at least min_p times the best probability. Divide "
    "by the sum after top-k and in the end.",
    examples=[
        ((20, 50, 30), 1.0, 0, 1.0, 0.0),
        ((20, 50, 30), 0.5, 0, 1.0, 0.0),
        ((20, 50, 30), 1.0, 2, 1.0, 0.0),
        ((20, 50, 30), 1.0, 0, 0.65, 0.0),
        ((20, 50, 30), 1.0, 0, 1.0, 0.53),
        ((7, 41, 29, 23), 1.0, 2, 0.45, 0.0),
        ((7, 41, 29, 23), 2.0, 3, 0.65, 0.7),
        ((50, 30, 20), 1.0, 2, 0.65, 0.0),
        ((46, 32, 13, 9), 1.0, 3, 0.45, 0.0),
    ],
    wrong=(
        (
            lambda logits, temperature, *filters: filtered(logits * temperature, *filters),
            "Divide the logits by the temperature: below 1, the best id becomes more probable.",
        ),
        (_temperature_last, "The temperature comes first. The filters see the probabilities that it has changed."),
        (
            lambda *given: _changed(*given, excludes=True),
            "Top-p keeps the id with which the sum reaches top_p. An id is dropped if those before it have top_p.",
        ),
        (
            lambda *given: _changed(*given, absolute=True),
            "min_p is a share of the best probability, not a probability.",
        ),
        (lambda *given: _changed(*given, unnormalized=True), "The probabilities that remain have the sum 1."),
        (
            lambda *given: _changed(*given, one_sum=True),
            "Divide by the sum after top-k, before top-p looks at the mass.",
        ),
        (
            lambda logits, temperature, top_k, top_p, min_p: filtered(logits / temperature, 0, top_p, min_p),
            "top_k keeps that number of ids. Only 0 keeps all.",
        ),
        (
            lambda *given: probabilities(*given).sort(descending=True).values,
            "The result is in the order of the ids, not in that of the probabilities.",
        ),
    ),
)


# Generation.


class ToyModel:
    """Logits that depend on all ids read so far; its cache is the tuple of these ids."""

    description = "a small model"

    def __init__(self, vocab_size: int, seed: int) -> None:
        self.vocab_size, self.seed = vocab_size, seed

    def __call__(self, ids: Tensor, cache: tuple[int, ...]) -> tuple[Tensor, tuple[int, ...]]:
        """Return the logits after each of the new ids (1, length), and the new cache."""
        read, rows = cache, []
        for id in ids[0].tolist():
            read = (*read, id)
            number = sum(one * 7**at for at, one in enumerate(read, 1)) + 1000 * len(read)
            generator = torch.Generator().manual_seed(number % 100_003 + 100_003 * self.seed)
            rows.append(torch.randn(self.vocab_size, generator=generator).round(decimals=2))
        return torch.stack(rows)[None], read


def best(logits: Tensor) -> int:
    """Return the id with the highest logit."""
    return int(logits.argmax())


def generate(
    next_logits: Callable[..., Any],
    cache: Any,
    prompt: Sequence[int],
    end: int,
    max_new: int,
    choose: Callable[..., int],
) -> list[int]:
    """Return the ids that continue a prompt, up to the end."""
    found, newest = list[int](), torch.tensor([prompt])
    while len(found) < max_new and end not in found:
        logits, cache = next_logits(newest, cache)
        found.append(choose(logits[0, -1]))
        newest = torch.tensor([found[-1:]])
    return found


def _generation(prompt: tuple[int, ...], max_new: int, seed: int) -> tuple[Any, ...]:
    return ToyModel(4, seed), (), [*prompt], 3, max_new, best


def _generation_cases() -> Strategy:
    prompt = st.lists(st.integers(0, 2), min_size=1, max_size=3).map(tuple)
    return st.tuples(prompt, st.integers(1, 6), st.sampled_from(range(20)))


def _generated(**rules: Any) -> Any:
    """Return the generation with one changed rule."""

    def changed(next_logits: Any, cache: Any, prompt: Any, end: int, max_new: int, choose: Any) -> list[int]:
        found, newest = list[int](), torch.tensor([prompt[-1:] if rules.get("last_only") else prompt])
        limit = max_new - len(prompt) if rules.get("whole_limit") else max_new
        while len(found) < limit and (rules.get("endless") or end not in found):
            logits, new = next_logits(newest, cache)
            cache = cache if rules.get("old_cache") else new
            found.append(choose(logits[0, 0 if rules.get("first_row") else -1]))
            newest = torch.tensor([[*prompt, *found] if rules.get("again") else found[-1:]])
        return found[:-1] if rules.get("drops_end") and found[-1:] == [end] else found

    return changed


lm_generate = tensor_check(
    generate,
    _generation,
    _generation_cases,
    "Read the whole prompt first. Choose an id from the logits after the last one, and append it. Then read only this "
    "id, with the new cache. Stop after the end, or when there are max_new ids.",
    examples=[((0,), 3, 0), ((0, 1), 4, 1), ((2, 0, 1), 6, 2), ((1, 1), 6, 3)],
    wrong=(
        (_generated(again=True), "The cache knows the earlier ids. Give the model only the id that was chosen."),
        (_generated(last_only=True), "The model must read the whole prompt before the first id is chosen."),
        (_generated(old_cache=True), "Continue with the new cache, which contains the ids that were just read."),
        (_generated(first_row=True), "The next id follows the last one of the prompt: use the logits in the last row."),
        (_generated(endless=True), "Stop after the id of the end."),
        (_generated(drops_end=True), "The result contains the id of the end, if it was chosen."),
        (_generated(whole_limit=True), "max_new counts the new ids only, not those of the prompt."),
        (
            lambda next_logits, cache, prompt, *given: [*prompt, *generate(next_logits, cache, prompt, *given)],
            "Return only the new ids, without the prompt.",
        ),
    ),
)
