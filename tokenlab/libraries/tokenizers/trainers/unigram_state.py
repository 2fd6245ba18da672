"""The state of Unigram training by Hugging Face's rules: pieces, scores, and the lattices of the words and pieces.

Adds: the E-step, the M-step and pruning of all words at once. Importing this module loads numpy.
Leaves out: the loop, and the rules for seeds and for the final cut (`train_huggingface`).
"""

from __future__ import annotations

from collections.abc import Mapping
from math import inf

import numpy as np

from tokenlab.algorithms.unigram.expectation_maximization import THRESHOLD
from tokenlab.algorithms.unigram.lattice_arrays import Array, LatticeArrays, digammas, log, removal_losses
from tokenlab.libraries.tokenizers.trainers.train_unigram import BOUNDARY, UNKNOWN

UNKNOWN_PENALTY = 10.0  # below the lowest score; tokenizers, models/unigram/model.rs, K_UNK_PENALTY


class HuggingFaceState:
    """The current pieces and their log probabilities; the first piece is the unknown piece."""

    def __init__(self, words: Mapping[str, int], seeds: Mapping[str, int]) -> None:
        self.pieces = [UNKNOWN, *seeds]
        scores = np.array(list(seeds.values()), float)
        self.log_probs = np.concatenate([[0.0], log(scores) - log(scores.sum())])
        self._update_unknown()
        self.counts = np.array(list(words.values()), float)
        ids = {BOUNDARY: 0} | {piece: number for number, piece in enumerate(seeds, start=1)}
        self.words = LatticeArrays(list(words), ids, max(map(len, ids)))
        # Built at the first pruning, when the M-steps have already dropped many pieces.
        self.piece_lattices: LatticeArrays | None = None
        self.rows = np.arange(0)  # the index of each piece among the texts of `piece_lattices`

    def scores(self) -> dict[str, float]:
        """Return the log probability of each piece except the unknown piece."""
        scores = zip(self.pieces[1:], self.log_probs[1:].tolist(), strict=True)
        return {piece: score for piece, score in scores if piece != UNKNOWN}

    def expect(self) -> Array:
        """E-step: return the expected count of each piece.

        Raises:
            ValueError: a word is too long for floating-point numbers.
        """
        expected, totals = self.words.expect(self.log_probs, self.counts)
        if not np.isfinite(totals).all():
            raise ValueError("the likelihood of a word is not a number; the word may be too long, so split the corpus")
        return expected

    def maximize(self, expected: Array) -> None:
        """M-step: drop pieces with an expected count below 0.5, and update the log probabilities."""
        kept = expected >= THRESHOLD
        kept[0] = True
        self._select(np.flatnonzero(kept))
        counts = expected[kept]
        counts[0] = 1.0  # of the unknown piece, whose score does not depend on it
        self.log_probs = digammas(counts) - digammas(counts[1:].sum(keepdims=True))
        self._update_unknown()

    def prune(self, size: int) -> None:
        """Keep the pieces without an alternative, and those with the greatest loss, `size` in all."""
        _, last_edge = self.words.best(self.log_probs)
        word, piece = self.words.paths(last_edge, np.arange(len(self.counts)))
        used = np.bincount(piece, self.counts[word], len(self.pieces))
        lattices = self._lattices_of_pieces()
        scores, last_edge = lattices.best(self.log_probs)
        single = np.array([len(piece) == 1 for piece in self.pieces])
        single[0] = True
        is_best = self.log_probs >= scores[lattices.last[self.rows]]
        # subtle: a piece that is less probable than its parts, but is used, counts as one without an alternative.
        needed = np.flatnonzero(single | (~is_best & (used > 0)))
        candidates = np.flatnonzero(~single & is_best & (used > 0))
        alternatives = lattices.paths(last_edge, self.rows[candidates])
        # subtle: the library counts the vocabulary here, where sentencepiece counts the pieces of the alternative.
        losses = removal_losses(candidates, used, self.counts.sum(), *alternatives, parts=len(self.pieces))
        best = candidates[np.argsort(-losses, kind="stable")]
        # subtle: as in the library, nothing is removed if the needed pieces alone are more than `size`.
        room = size - len(needed) if len(needed) <= size else len(best)
        self._select(np.concatenate([needed, best[:room]]))

    def _lattices_of_pieces(self) -> LatticeArrays:
        """Return the lattices of the pieces, each without the edge that is the piece itself."""
        if self.piece_lattices is None:
            ids = dict.fromkeys("".join(self.pieces), 0) | {
                piece: number for number, piece in enumerate(self.pieces) if number
            }
            self.piece_lattices = LatticeArrays(self.pieces, ids, max(map(len, ids)), whole=False)
            self.rows = np.arange(len(self.pieces))
        return self.piece_lattices

    def _select(self, numbers: Array) -> None:
        """Keep these pieces, in this order; the edge of a dropped character becomes one of the unknown piece."""
        new_ids = np.array([0 if len(piece) == 1 else -1 for piece in self.pieces])
        new_ids[numbers] = np.arange(len(numbers))
        self.words.renumber(new_ids)
        if self.piece_lattices:
            self.piece_lattices.renumber(new_ids)
            self.rows = self.rows[numbers]
        self.pieces = [self.pieces[number] for number in numbers.tolist()]
        self.log_probs = self.log_probs[numbers]
        self._update_unknown()

    def _update_unknown(self) -> None:
        self.log_probs[0] = min(self.log_probs[1:], default=inf) - UNKNOWN_PENALTY
