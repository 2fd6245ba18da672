"""Checks of the second capstone: greedy search, the candidates and beams of a round, and beam search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from tokenlab.check.capstones import t5_beams
from tokenlab.check.capstones.t5_parts import SEEDS, sizes
from tokenlab.check.isolated_run import UnusableResultError
from tokenlab.check.strategies import Strategy, st
from tokenlab.check.tensor_check import random_tensors, tensor_check
from tokenlab.minimal import t5

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


def _greedy(next_logits: Any, cache: Any, max_length: int, **changed: Any) -> list[int]:
    """Return the ids of greedy search with one changed rule."""
    ids = [0]
    while len(ids) < max_length + changed.get("more", 0):
        logits, new = next_logits(torch.tensor([ids if changed.get("everything") else ids[-1:]]), cache)
        cache = cache if changed.get("forgets") else new
        ids.append(int(logits.argmin() if changed.get("lowest") else logits.argmax()))
        if ids[-1] == 1 and not changed.get("endless"):
            break
    return ids[changed.get("start", 0) : changed.get("end")]


def _without_end(next_logits: Any, cache: Any, max_length: int) -> list[int]:
    ids = t5.greedy_search(next_logits, cache, max_length)
    return ids[:-1] if ids[-1] == 1 else ids


t5_greedy = tensor_check(
    t5.greedy_search,
    _greedy_arguments,
    _greedy_cases,
    "Start with the id 0. Give `next_logits` the newest id and the cache, append the id with the highest logit, and "
    "use the new cache in the next round. Stop after the id 1, or at `max_length` ids.",
    examples=[(3, 4, 0), (5, 7, 1)],
    wrong=(
        (
            lambda *given: _greedy(*given, everything=True),
            "Give `next_logits` only the newest id. The earlier ones are in the cache.",
        ),
        (lambda *given: _greedy(*given, forgets=True), "Each round uses the cache that the round before returned."),
        (lambda *given: _greedy(*given, endless=True), "Stop after the id 1."),
        (lambda *given: _greedy(*given, start=1), "The result contains the start id 0."),
        (_without_end, "The result contains the end id 1."),
        (lambda *given: _greedy(*given, more=1), "The result has at most `max_length` ids, with the start id."),
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
    t5_beams.best_candidates,
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
            lambda sums, logits: tuple(t5_beams.best_candidates(sums, logits)[n] for n in (0, 2, 1)),
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
    return beams, *t5_beams.best_candidates(-tensor(number).abs() * length, logits)


def _selected(beams: Any, sums: Tensor, parents: Tensor, tokens: Tensor, **changed: Any) -> Any:
    """Return the beams that continue and the hypotheses that end, with one changed rule."""
    number, length = len(beams), len(beams[0]) + changed.get("longer", 0)
    found = [*zip(sums.tolist(), parents.tolist(), tokens.tolist(), strict=True)]
    first = found if changed.get("any_rank") else found[:number]
    ends = [
        (total if changed.get("unscored") else total / length, [*beams[parent], *([] if changed.get("cut") else [1])])
        for total, parent, token in first
        if token == 1
    ]
    rows = found[:number] if changed.get("few") else found
    going = [(total, parent, [*beams[parent], token]) for total, parent, token in rows if token != 1]
    return going[:number], ends


t5_select = tensor_check(
    t5_beams.select_beams,
    _beams_and_candidates,
    lambda: sizes(3, 4, 3),
    "A candidate with the token 1 ends if it is among the best B. The first B candidates without the token 1 continue.",
    examples=[(1, 1, 1, 0), (2, 3, 2, 1), (2, 2, 2, 2)],
    wrong=(
        (
            lambda *given: _selected(*given, any_rank=True),
            "A candidate that ends is a hypothesis only if it is among the best B candidates.",
        ),
        (
            lambda *given: _selected(*given, few=True),
            "B beams continue. A candidate after the first B candidates replaces one that ends.",
        ),
        (lambda *given: _selected(*given, unscored=True), "The score is the sum divided by the length of the beam."),
        (
            lambda *given: _selected(*given, longer=1),
            "The length is that of the beam, with the start id and without the end id.",
        ),
        (lambda *given: _selected(*given, cut=True), "The ids of a hypothesis end with the id 1."),
        (lambda *given: _selected(*given)[::-1], "Return the beams first, and then the hypotheses."),
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
        sums, parents, tokens = t5_beams.best_candidates(torch.tensor(totals), logits)
        going, ends = t5_beams.select_beams(beams, sums, parents, tokens)
        length = len(beams[0])
        pool = sorted(pool + [(score * length, ids) if changed.get("sums") else (score, ids) for score, ids in ends])
        pool = pool if changed.get("keeps_all") else pool[-num_beams:]
        highest = going[0][0] if changed.get("continuing") else sums[0].item()
        attainable = highest / (1 if changed.get("sums") else length + changed.get("longer", 0))
        if len(pool) >= num_beams and (changed.get("early") or pool[0][0] >= attainable):
            return pool[-1][1]
        order = [parent for _, parent, _ in going]
        cache = cache if changed.get("unordered") else t5_beams.reorder_cache(cache, order)
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
    t5_beams.beam_search,
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
            lambda *given: _searched(*given, unordered=True),
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
