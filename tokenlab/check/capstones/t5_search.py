"""Checks of the second capstone: greedy search, the candidates and beams of a round, and beam search with a cache.

Adds: what `tokenlab.minimal.t5` leaves out of generation, the reference of steps 17a to 18. Leaves out: batches of
sources. Source: transformers 4.26.1, generation/utils.py and generation/beam_search.py.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import torch
from torch import Tensor

from tokenlab.algorithms.decoding.beam_search import FINISHED, KEPT, candidate_status
from tokenlab.check.capstones.t5_values import SEEDS, sizes, with_rules
from tokenlab.check.isolated_run import UnusableResultError
from tokenlab.check.strategies import Strategy, st
from tokenlab.check.tensor_check import random_tensors, tensor_check
from tokenlab.minimal import t5

# Beam search with a cache.


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


# Greedy search.


MAX_CALLS = 50  # no search of these checks needs as many rounds


@dataclass
class ToyModel:
    """A random function for searches: the logits depend on all ids that a row has read, which are its cache."""

    vocab_size: int
    seed: int
    calls: int = 0

    def __call__(self, ids: Tensor, cache: Any) -> tuple[Tensor, Any]:
        """Return random logits for each row, and the cache with the newest ids."""
        self.calls += 1
        if self.calls > MAX_CALLS:
            raise UnusableResultError(
                f"does not end: it has called `next_logits` {MAX_CALLS} times; stop at `max_length` ids"
            )
        ((keys, values),) = cache
        keys = torch.cat([keys, ids[:, None, :, None].float()], dim=2)
        rows = [self.logits([int(read) for read in row]) for row in keys.flatten(1).tolist()]
        return torch.stack(rows), [(keys, torch.cat([values, ids[:, None, :, None].float()], dim=2))]

    def logits(self, ids: Sequence[int]) -> Tensor:
        """Return the logits after some ids."""
        number = self.seed
        for id in ids:
            number = (number * 31 + id + 7) % 1_000_003
        return torch.randn(self.vocab_size, generator=torch.Generator().manual_seed(number))

    @property
    def description(self) -> str:
        """Describe the model in a message."""
        return f"random logits for {self.vocab_size} ids"


def empty_cache(rows: int) -> list[tuple[Tensor, Tensor]]:
    """Return the cache of a toy model that has read nothing."""
    return [(torch.zeros(rows, 1, 0, 1), torch.zeros(rows, 1, 0, 1))]


def _greedy_arguments(vocab_size: int, max_length: int, seed: int) -> tuple[Any, ...]:
    return ToyModel(vocab_size, seed), empty_cache(1), max_length


def _greedy_cases() -> Strategy:
    return st.tuples(st.integers(2, 5), st.integers(2, 7), st.sampled_from(SEEDS))


def _reading_all(next_logits: Any, cache: Any, max_length: int) -> list[int]:
    read: list[Tensor] = []

    def all_logits(newest: Tensor, cache: Any) -> Any:
        read.append(newest)
        return next_logits(torch.cat(read, 1), cache)

    return t5.greedy_search(all_logits, cache, max_length)


t5_greedy = tensor_check(
    t5.greedy_search,
    _greedy_arguments,
    _greedy_cases,
    "Start with the id 0. Give `next_logits` the newest id and the cache, append the id with the highest logit, and "
    "use the new cache in the next round. Stop after the id 1, or at `max_length` ids.",
    examples=[(3, 4, 0), (5, 7, 1)],
    wrong=(
        (_reading_all, "Give `next_logits` only the newest id. The earlier ones are in the cache."),
        (
            lambda next_logits, cache, most: t5.greedy_search(lambda ids, _: next_logits(ids, cache), cache, most),
            "Each round uses the cache that the round before returned.",
        ),
        (with_rules(t5.greedy_search, END=None), "Stop after the id 1."),
        (lambda *given: t5.greedy_search(*given)[1:], "The result contains the start id 0."),
        (lambda *given: [id for id in t5.greedy_search(*given) if id != 1], "The result contains the end id 1."),
        (
            lambda next_logits, cache, most: t5.greedy_search(next_logits, cache, most + 1),
            "The result has at most `max_length` ids, with the start id.",
        ),
    ),
)


# The candidates of a beam search.


def _sums_and_logits(beams: int, more: int, seed: int) -> tuple[Tensor, Tensor]:
    tensor = random_tensors(seed)
    return -tensor(beams).abs(), tensor(beams, more + 1)


def _best(totals: Tensor, number: int, columns: int) -> tuple[Tensor, Tensor, Tensor]:
    best, places = totals.flatten().topk(number)
    return best, places // columns, places % columns


def _unequal(one: tuple[Tensor, Tensor]) -> bool:
    totals = (one[0][:, None] + one[1].log_softmax(-1)).flatten().sort().values
    return bool((totals[1:] - totals[:-1] > 1e-3).all())


def _candidate_cases() -> Strategy:
    return sizes(3, 4).filter(lambda case: _unequal(_sums_and_logits(*case)))


t5_candidates = tensor_check(
    best_candidates,
    _sums_and_logits,
    _candidate_cases,
    "Add the sum of each beam to the log-probabilities of its next tokens. Of all these totals, take the 2B highest, "
    "best first.",
    examples=[(1, 2, 0), (2, 3, 1)],
    wrong=(
        (
            lambda sums, logits: _best(sums[:, None] + logits.log_softmax(-1), len(sums), logits.shape[1]),
            "Take 2B candidates for B beams: B of them may end.",
        ),
        (
            lambda sums, logits: _best(sums[:, None] + logits, 2 * len(sums), logits.shape[1]),
            "Log-probabilities are added, not logits: apply log_softmax.",
        ),
        (
            lambda sums, logits: _best(sums[:, None] + logits.softmax(-1), 2 * len(sums), logits.shape[1]),
            "Log-probabilities are added, not probabilities.",
        ),
        (
            lambda sums, logits: _best(logits.log_softmax(-1), 2 * len(sums), logits.shape[1]),
            "A candidate's total includes the sum of its beam.",
        ),
        (
            lambda *given: tuple(best_candidates(*given)[n] for n in (0, 2, 1)),
            "The order is: sums, parents, tokens. The parent of the candidate at an index is `index // vocab_size`.",
        ),
    ),
)


# The beams of the next round.


def _beams_and_candidates(number: int, length: int, more: int, seed: int) -> tuple[Any, ...]:
    tensor = random_tensors(seed)
    beams = [[0, *[n + 2] * (length - 1)] for n in range(number)]
    logits = tensor(number, more + 2)
    logits[:, 1] += seed % 3
    return beams, *best_candidates(-tensor(number).abs() * length, logits)


def _with_ends(change: Callable[[float, list[int], int], tuple[float, list[int]]]) -> Any:
    """Return the selection of beams with other hypotheses, given the score, the ids and the length of the beams."""

    def select(beams: Any, *candidates: Tensor) -> Any:
        going, ends = select_beams(beams, *candidates)
        return going, [change(score, ids, len(beams[0])) for score, ids in ends]

    return select


def _few_beams(beams: Any, sums: Tensor, parents: Tensor, tokens: Tensor) -> Any:
    return select_beams(beams, *(one[: len(beams)] for one in (sums, parents, tokens)))


t5_select = tensor_check(
    select_beams,
    _beams_and_candidates,
    lambda: sizes(3, 4, 3),
    "A candidate with the token 1 ends if it is among the best B. The first B candidates without the token 1 continue.",
    examples=[(1, 1, 1, 0), (2, 3, 2, 1), (2, 2, 2, 2)],
    wrong=(
        (
            with_rules(
                select_beams,
                candidate_status=lambda rank, ends, *more: FINISHED if ends else candidate_status(rank, ends, *more),
            ),
            "A candidate that ends is a hypothesis only if it is among the best B candidates.",
        ),
        (_few_beams, "B beams continue. A candidate after the first B candidates replaces one that ends."),
        (
            _with_ends(lambda score, ids, length: (score * length, ids)),
            "The score is the sum divided by the length of the beam.",
        ),
        (
            _with_ends(lambda score, ids, length: (score * length / (length + 1), ids)),
            "The length is that of the beam, with the start id and without the end id.",
        ),
        (_with_ends(lambda score, ids, length: (score, ids[:-1])), "The ids of a hypothesis end with the id 1."),
        (lambda *given: select_beams(*given)[::-1], "Return the beams first, and then the hypotheses."),
    ),
)


# Beam search.


def _search_arguments(num_beams: int, vocab_size: int, max_length: int, seed: int) -> tuple[Any, ...]:
    return ToyModel(vocab_size, seed), empty_cache(num_beams), num_beams, max_length


def _search_cases() -> Strategy:
    return st.tuples(st.integers(1, 3), st.integers(2, 5), st.integers(2, 7), st.sampled_from(range(200)))


def _searched(next_logits: Any, cache: Any, num_beams: int, max_length: int, **changed: Any) -> list[int]:
    """Return the ids of beam search with one changed rule."""
    beams, totals = [[0]] * num_beams, [0.0] + [0.0 if changed.get("equal") else -1e9] * (num_beams - 1)
    pool: list[tuple[float, list[int]]] = []
    while len(beams[0]) < max_length:
        logits, cache = next_logits(torch.tensor([ids[-1:] for ids in beams]), cache)
        sums, parents, tokens = best_candidates(torch.tensor(totals), logits)
        going, ends = select_beams(beams, sums, parents, tokens)
        length = len(beams[0])
        pool = sorted(pool + [(score * length, ids) if changed.get("sums") else (score, ids) for score, ids in ends])
        pool = pool if changed.get("keeps_all") else pool[-num_beams:]
        highest = going[0][0] if changed.get("continuing") else sums[0].item()
        attainable = highest / (1 if changed.get("sums") else length + changed.get("longer", 0))
        if len(pool) >= num_beams and (changed.get("early") or pool[0][0] >= attainable):
            return pool[-1][1]
        cache = reorder_cache(cache, [parent for _, parent, _ in going])
        beams, totals = [ids for _, _, ids in going], [total for total, _, _ in going]
    if changed.get("drops") and pool:
        return pool[-1][1]
    divisor = 1 if changed.get("sums") else max_length
    return max(pool + [(total / divisor, ids) for total, ids in zip(totals, beams, strict=True)])[1]


# Only 1 to 5 of 100 random inputs tell apart rules that stop at different rounds, so these inputs are always tried.
STOPS = (
    (2, 2, 3, 54), (2, 3, 3, 151), (2, 4, 4, 197),  # the best candidate ends
    (2, 3, 4, 151), (2, 4, 4, 150),  # the length of the beams before the round
    (2, 4, 4, 37), (3, 3, 7, 32),  # more than B hypotheses
)  # fmt: skip

t5_beam_search = tensor_check(
    beam_search,
    _search_arguments,
    _search_cases,
    "In each round, extend the beams and put new hypotheses into the pool of the B best. Stop when the pool is full "
    "and its worst score is at least the highest sum of the candidates, divided by the length of the beams before the "
    "round.",
    examples=[(1, 3, 4, 0), (2, 4, 6, 1), (3, 5, 7, 2), *STOPS],
    wrong=(
        (
            lambda *given: _searched(*given, sums=True),
            "Hypotheses are compared by their scores: the sum divided by the length.",
        ),
        (
            lambda *given: _searched(*given, equal=True),
            "At the start, all beams are equal. Give all beams but one the sum -1e9.",
        ),
        (
            with_rules(beam_search, reorder_cache=lambda cache, parents: cache),
            "Reorder the cache: row i must be the row of the beam that beam i extends.",
        ),
        (
            lambda *given: _searched(*given, continuing=True),
            "The best attainable score uses the highest sum of all candidates, also of those that end with 1.",
        ),
        (
            lambda *given: _searched(*given, early=True),
            "A full pool is not enough to stop. Compare its worst score with the best attainable score.",
        ),
        (
            lambda *given: _searched(*given, longer=1),
            "Divide the highest sum by the length of the beams before this round, without the new tokens.",
        ),
        (
            lambda *given: _searched(*given, keeps_all=True),
            "The pool keeps only the `num_beams` best hypotheses. Its worst score is the lowest of these.",
        ),
        (
            lambda *given: _searched(*given, drops=True),
            "At `max_length`, the unfinished beams also compete, each with its sum divided by `max_length`.",
        ),
    ),
)
