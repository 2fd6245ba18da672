"""Beam search with a cache, for the second capstone: what `tokenlab.minimal.t5` leaves out of generation.

Adds: the reference of steps 17a to 18. Leaves out: the model (`tokenlab.minimal.t5`), batches of sources.
Source: transformers 4.26.1, generation/utils.py and generation/beam_search.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import torch
from torch import Tensor

from tokenlab.algorithms.decoding.beam_search import FINISHED, KEPT, candidate_status
from tokenlab.minimal import t5


def best_candidates(sums: Tensor, logits: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return the sums, beams and tokens of the 2B extended texts with the highest sums, best first."""
    totals = sums[:, None] + logits.log_softmax(-1)  # (beams, vocab_size)
    best, places = totals.flatten().topk(2 * len(sums))
    return best, places // logits.shape[1], places % logits.shape[1]


def reorder_cache(cache: t5.Cache, parents: Sequence[int]) -> list[tuple[Tensor, Tensor]]:
    """Return the cache whose row i is the old row parents[i]."""
    return [(keys[parents], values[parents]) for keys, values in cache]


Beam: TypeAlias = tuple[float, int, list[int]]  # sum, the beam that it extends, ids


def select_beams(
    beams: Sequence[list[int]], sums: Tensor, parents: Tensor, tokens: Tensor
) -> tuple[list[Beam], list[tuple[float, list[int]]]]:
    """Return the beams that continue, and the hypotheses that end, each with its score."""
    going: list[Beam] = []
    ends: list[tuple[float, list[int]]] = []
    candidates = zip(sums.tolist(), parents.tolist(), tokens.tolist(), strict=True)
    for rank, (total, parent, token) in enumerate(candidates):
        status = candidate_status(rank, token == 1, len(going), len(beams))
        if status == KEPT:
            going.append((total, parent, [*beams[parent], token]))
        if status == FINISHED:
            ends.append((total / len(beams[0]), [*beams[parent], 1]))
    return going, ends


def beam_search(next_logits: t5.NextLogits, cache: Any, num_beams: int, max_length: int) -> list[int]:
    """Return the ids of the hypothesis with the best score: the sum of its log-probabilities over its length."""
    beams, totals = [[0]] * num_beams, [0.0] + [-1e9] * (num_beams - 1)
    pool: list[tuple[float, list[int]]] = []
    while len(beams[0]) < max_length:
        logits, cache = next_logits(torch.tensor([ids[-1:] for ids in beams]), cache)
        sums, parents, tokens = best_candidates(torch.tensor(totals), logits)
        going, ends = select_beams(beams, sums, parents, tokens)
        pool = sorted(pool + ends)[-num_beams:]
        if len(pool) == num_beams and pool[0][0] >= sums[0].item() / len(beams[0]):
            return pool[-1][1]
        cache = reorder_cache(cache, [parent for _, parent, _ in going])
        beams, totals = [ids for _, _, ids in going], [total for total, _, _ in going]
    return max(pool + [(total / max_length, ids) for total, ids in zip(totals, beams, strict=True)])[1]


class BeamT5:
    """A T5 for generation from a dictionary of weights."""

    def __init__(self, weights: t5.Weights, config: t5.Config) -> None:
        self.weights, self.config = weights, config

    def translate(self, ids: list[int], num_beams: int) -> list[int]:
        """Return the generated ids for the ids of one source, by greedy search or, with several beams, beam search."""
        source, config = torch.tensor([ids]), self.config
        attention_mask = torch.ones_like(source)
        encoded = t5.encoder(source, attention_mask, self.weights, config)
        cache = t5.empty_cache(num_beams, config)

        def next_logits(newest: Tensor, cache: Any) -> tuple[Tensor, Any]:
            return t5.cached_logits(newest, cache, encoded, attention_mask, self.weights, config)

        if num_beams == 1:
            return t5.greedy_search(next_logits, cache, 40)
        return beam_search(next_logits, cache, num_beams, 40)
