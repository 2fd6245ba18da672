"""Beam search on one page: candidates, beams, the pool of hypotheses, the length penalty, the end of the search.

Run it: python -m tokenlab.minimal.beam_search

It uses any function from the ids so far to the log probability of each next token; a model is not needed.
Leaves out: batches, a cache, groups, constraints. Source: transformers 4.26.1, generation/utils.py, `beam_search`, and
generation/beam_search.py.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import log
from typing import TypeAlias

Ids: TypeAlias = tuple[int, ...]
NextLogProbs: TypeAlias = Callable[[Ids], Sequence[float]]
Beam: TypeAlias = tuple[float, Ids]  # the sum of the log probabilities of the ids, and the ids
Hypothesis: TypeAlias = tuple[float, Ids]  # a score and ids without the end

MASKED = -1e9  # the sum of all beams but the first at the start, where they are equal


def candidates(beams: Sequence[Beam], next_log_probs: NextLogProbs) -> list[tuple[float, Ids, int]]:
    """Return the 2B best continuations of B beams by one token, best first: sum, ids before it, token.

    2B, because at most B of them end: one for each beam.

    >>> candidates([(-1.0, (0,)), (-2.0, (5,))], {(0,): [-1.0, -4.0], (5,): [-9.0, -0.5]}.__getitem__)
    [(-2.0, (0,), 0), (-2.5, (5,), 1), (-5.0, (0,), 1), (-11.0, (5,), 0)]
    """
    found = [
        (total + log_prob, ids, token) for total, ids in beams for token, log_prob in enumerate(next_log_probs(ids))
    ]
    return sorted(found, key=lambda candidate: -candidate[0])[: 2 * len(beams)]


def score(total: float, length: int, length_penalty: float) -> float:
    """Return the score of a hypothesis. Sums are negative, so a higher penalty favours longer texts.

    >>> score(-6.0, 3, 1.0), score(-7.0, 7, 1.0), score(-6.0, 3, 0.0)
    (-2.0, -1.0, -6.0)
    """
    return float(total / length**length_penalty)


def add(pool: list[Hypothesis], hypothesis: Hypothesis, beams: int) -> None:
    """Add a hypothesis to the pool, which keeps the B best ones.

    >>> pool = [(-2.0, (5,)), (-1.0, (6,))]
    >>> add(pool, (-1.5, (7,)), beams=2)
    >>> pool
    [(-1.0, (6,)), (-1.5, (7,))]
    """
    pool.append(hypothesis)
    if len(pool) > beams:
        worst = min(range(len(pool)), key=lambda place: (pool[place][0], place != len(pool) - 1, place))
        del pool[worst]  # subtle: of equal scores, the new one does not enter


def beam_search(
    next_log_probs: NextLogProbs,
    start: Ids,
    beams: int,
    end: int,
    max_length: int,
    length_penalty: float = 1.0,
    early_stopping: bool = False,
) -> list[Hypothesis]:
    """Return the best hypotheses, best first, each with its score and without the end.

    Args:
        next_log_probs: returns the log probability of each next token.
        start: the ids before the first generated one, at least one; they count in the length.
        beams: B, the number of beams and of hypotheses in the pool.
        end: the id that ends a text.
        max_length: the maximum number of ids.
        length_penalty: the exponent of the length that divides a sum.
        early_stopping: whether a full pool ends the search.
    """
    running: list[Beam] = [(0.0, start)] + [(MASKED, start)] * (beams - 1)
    pool: list[Hypothesis] = []
    while len(running[0][1]) < max_length:
        length, found = len(running[0][1]), candidates(running, next_log_probs)
        running = []
        for rank, (total, ids, token) in enumerate(found):
            if len(running) == beams:
                break
            if token != end:
                running.append((total, (*ids, token)))
            elif rank < beams and total > MASKED:  # subtle: an end below the B best candidates is dropped
                add(pool, (score(total, length, length_penalty), ids), beams)
        # 4.26.1 compares with the best candidate at its present length, although a longer text may score higher.
        best = score(found[0][0], length, length_penalty)
        if len(pool) == beams and (early_stopping or min(pool)[0] >= best):
            break
    else:
        for total, ids in running:
            if total > MASKED:
                add(pool, (score(total, len(ids), length_penalty), ids), beams)
    return sorted(pool, key=lambda hypothesis: hypothesis[0])[::-1]


if __name__ == "__main__":
    # After each word, its successors with their probabilities in percent: a language model of four words.
    follows = {"<s>": {"a": 60, "small": 30, "tree": 10}, "a": {"small": 60, "tree": 40}, "small": {"tree": 100}}
    follows |= {"tree": {"</s>": 30, "grows": 70}, "grows": {"</s>": 100}, "</s>": {"</s>": 100}}
    words = list(follows)
    table = [[log(max(follows[word].get(other, 0), 0.001) / 100) for other in words] for word in words]
    for penalty in (0.0, 1.0, 2.0):
        print(f"length_penalty={penalty}")
        for value, ids in beam_search(lambda ids: table[ids[-1]], (0,), 3, words.index("</s>"), 6, penalty):
            print(f"  {value:6.2f}", *(words[id] for id in ids[1:]))
