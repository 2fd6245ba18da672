"""The state of Unigram training on arrays: the pieces, their log probabilities, and the lattices of words and pieces.

Adds: the E-step, the M-step and pruning of all words at once. Importing this module loads numpy.
Leaves out: the loop (`train_arrays`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tokenlab.algorithms.unigram.expectation_maximization import THRESHOLD, digamma
from tokenlab.algorithms.unigram.lattice_arrays import Array, LatticeArrays, log
from tokenlab.algorithms.unigram.training_state import TrainingState


class ArrayTrainingState:
    """The current pieces and their log probabilities, the lattices of the words, and the lattices of the pieces."""

    def __init__(self, start: TrainingState) -> None:
        self.pieces = np.array(list(start.scores), dtype=object)
        scores = np.array(list(start.scores.values()), float)
        self.log_probs = log(scores) - log(scores.sum())
        self.is_character = np.array([len(piece) == 1 for piece in start.scores])
        self.log = start.estimate is not digamma
        ids = {piece: number for number, piece in enumerate(start.scores)}
        longest = max(map(len, ids))
        self.counts = np.array(list(start.words.values()), float)
        self.words = LatticeArrays(list(start.words), ids, longest)
        # Built at the first pruning, when the M-steps have already dropped half of the pieces.
        self.piece_lattices: LatticeArrays | None = None
        self.rows = np.arange(len(ids))  # the index of each piece among the texts of `piece_lattices`

    def named(self, values: Array) -> dict[Any, float]:
        """Return a value for each piece as a dict from pieces."""
        return dict(zip(self.pieces.tolist(), values.tolist(), strict=True))

    def expect(self) -> tuple[Array, float]:
        """E-step, as `expectation_step`: return the expected counts and the objective."""
        counts, totals = self.words.expect(self.log_probs, self.counts)
        return counts, float(-(self.counts * totals).sum() / self.counts.sum())

    def maximize(self, counts: Array) -> tuple[Any, ...]:
        """M-step, as `maximization_step`: update the log probabilities and return the dropped pieces."""
        kept = self.is_character | (counts >= THRESHOLD)
        dropped = self._keep(kept)
        counts = np.maximum(counts[kept], THRESHOLD)
        estimate = log if self.log else digammas
        self.log_probs = estimate(counts) - estimate(counts.sum(keepdims=True))
        return dropped

    def prune(self, size: int) -> tuple[dict[Any, float], tuple[Any, ...]]:
        """Prune to `size` pieces, as `prune.prune`: return the loss of each piece, and the removed pieces."""
        used = self._used()
        lattices = self._lattices_of_pieces()
        scores, last_edge = lattices.best(self.log_probs)
        is_best = self.log_probs >= scores[lattices.last[self.rows]]
        candidates = np.flatnonzero(is_best & (used > 0) & ~self.is_character)
        losses = np.zeros(len(used))
        alternatives = lattices.paths(last_edge, self.rows[candidates])
        losses[candidates] = removal_losses(candidates, used, self.counts.sum(), *alternatives)
        best = candidates[np.argsort(-losses[candidates], kind="stable")]
        kept = self.is_character.copy()
        kept[best[: max(0, size - kept.sum())]] = True
        by_piece = dict(zip(self.pieces[~self.is_character], losses[~self.is_character].tolist(), strict=True))
        return by_piece, self._keep(kept)

    def _used(self) -> Array:
        """Return how often the best segmentations of the words use each piece."""
        _, last_edge = self.words.best(self.log_probs)
        word, piece = self.words.paths(last_edge, np.arange(len(self.counts)))
        return np.bincount(piece, self.counts[word], len(self.pieces))

    def _lattices_of_pieces(self) -> LatticeArrays:
        """Return the lattices of the pieces, each without the edge that is the piece itself."""
        if self.piece_lattices is None:
            pieces = self.pieces.tolist()
            ids = {piece: number for number, piece in enumerate(pieces)}
            self.piece_lattices = LatticeArrays(pieces, ids, max(map(len, pieces)), whole=False)
            self.rows = np.arange(len(pieces))
        return self.piece_lattices

    def _keep(self, kept: Array) -> tuple[Any, ...]:
        """Remove the pieces for which `kept` is False, and return them."""
        removed = tuple(self.pieces[~kept])
        if removed:
            self.words.keep(kept)
            if self.piece_lattices:
                self.piece_lattices.keep(kept)
            self.pieces, self.rows = self.pieces[kept], self.rows[kept]
            self.log_probs, self.is_character = self.log_probs[kept], self.is_character[kept]
        return removed


def removal_losses(
    candidates: Array, used: Array, words: float, number: Array, other: Array, parts: int | None = None
) -> Array:
    """Return `removal_loss` for many pieces; `other` are the alternatives' pieces, `number` their candidates.

    `used` is how often each piece is used, in `words` words. `parts` is the number of pieces that are assumed to
    replace a piece in the total, by default that of its alternative.
    """
    frequency, total = used[candidates], used.sum()
    others = np.bincount(number, minlength=len(candidates))
    after = np.bincount(number, log(used[other] + frequency[number]), len(candidates))
    total_after = log(total + frequency * ((others if parts is None else parts) - 1))
    before = log(frequency) - log(total)
    losses: Array = frequency / words * (before - after + others * total_after)
    return losses


def digammas(x: Array) -> Array:
    """Return the `digamma` of each number."""
    values, distinct = np.unique(x, return_inverse=True)
    result: Array = np.array([digamma(value) for value in values.tolist()])[distinct]
    return result
