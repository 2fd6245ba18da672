"""Unigram training on arrays: many lattices at once, and the pieces with their log probabilities.

Adds: forward, backward and Viterbi, vectorized over texts; the E-step, the M-step and pruning of all words at once. The
positions of all texts are numbered consecutively, and edges are sorted by where they end in their own text, so that one
step of the recursion is a slice. In a lattice, a piece is an id. Importing this module loads numpy.
Leaves out: the loop (`train_arrays`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, AnyStr, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tokenlab.algorithms.unigram.expectation_maximization import THRESHOLD, digamma
from tokenlab.algorithms.unigram.training_state import TrainingState

Array: TypeAlias = NDArray[Any]


class LatticeArrays:
    """The lattices of texts: `start`, `end` and `piece` of each edge, and the `first` and `last` node of each text."""

    def __init__(self, texts: Sequence[AnyStr], ids: Mapping[AnyStr, int], longest: int, whole: bool = True) -> None:
        """Find every piece in every text.

        Args:
            texts: non-empty strings.
            ids: the id of each piece, from 0.
            longest: the length of the longest piece, in characters.
            whole: False leaves out the edge that spans a whole text, unless the text is one character.
        """
        lengths = np.array([len(text) for text in texts])
        self.first = np.concatenate([[0], np.cumsum(lengths + 1)[:-1]])
        self.last = self.first + lengths
        found = [
            _edges(texts, self.first, np.flatnonzero(lengths == length), ids, longest, whole)
            for length in np.unique(lengths)
        ]
        start, end, piece, position = (np.concatenate(column) for column in zip(*found, strict=True))
        order = np.lexsort((start, end, position))  # by position, then text, then longest first
        self.start, self.end, self.piece, self.position = (column[order] for column in (start, end, piece, position))
        self._backward_order = np.lexsort((self.start, -(self.position - self.end + self.start)))

    def keep(self, kept: Array) -> None:
        """Remove the edges of pieces for which `kept` is False, and renumber the remaining pieces."""
        self.renumber(np.where(kept, np.cumsum(kept) - 1, -1))

    def renumber(self, new_ids: Array) -> None:
        """Give each piece a new id; remove the edges of pieces whose new id is negative."""
        stays = new_ids[self.piece] >= 0
        number = np.cumsum(stays) - 1
        self._backward_order = number[self._backward_order[stays[self._backward_order]]]
        self.piece = new_ids[self.piece[stays]]
        self.start, self.end, self.position = self.start[stays], self.end[stays], self.position[stays]

    def expect(self, log_probs: Array, counts: Array) -> tuple[Array, Array]:
        """Return the expected count of each piece and the log-likelihood of each text, as `forward_backward` does."""
        weights = log_probs[self.piece]
        forward, backward = self._forward(weights), self._backward(weights)
        totals = forward[self.last]
        text = np.repeat(np.arange(len(counts)), self.last - self.first + 1)[self.start]  # of each edge
        expected = counts[text] * exp(forward[self.start] + weights + backward[self.end] - totals[text])
        return np.bincount(self.piece, expected, len(log_probs)), totals

    def _forward(self, weights: Array) -> Array:
        log_sums = np.full(self.last[-1] + 1, -np.inf)
        log_sums[self.first] = 0.0
        for slice_, ends, groups in _steps(self.position, self.end):
            log_sums[ends] = log_sums_exp(log_sums[self.start[slice_]] + weights[slice_], groups)
        return log_sums

    def _backward(self, weights: Array) -> Array:
        order = self._backward_order
        log_sums = np.full(self.last[-1] + 1, -np.inf)
        log_sums[self.last] = 0.0
        distance = (self.position - self.end + self.start)[order]
        start, end, weights = self.start[order], self.end[order], weights[order]
        for slice_, starts, groups in _steps(distance, start):
            log_sums[starts] = log_sums_exp(log_sums[end[slice_]] + weights[slice_], groups)
        return log_sums

    def best(self, log_probs: Array) -> tuple[Array, Array]:
        """Return the score of the best path to each position, and that path's last edge; ties go to the longest."""
        weights = log_probs[self.piece]
        scores = np.full(self.last[-1] + 1, -np.inf)
        scores[self.first] = 0.0
        last_edge = np.full(len(scores), -1)
        for slice_, ends, groups in _steps(self.position, self.end):
            incoming = scores[self.start[slice_]] + weights[slice_]
            scores[ends] = np.maximum.reduceat(incoming, groups)
            # subtle: the order is reversed, so the longest edge, which comes first, is written last.
            winners = np.flatnonzero(incoming == scores[self.end[slice_]])[::-1] + slice_.start
            last_edge[self.end[winners]] = winners
        return scores, last_edge

    def paths(self, last_edge: Array, rows: Array) -> tuple[Array, Array]:
        """Return the pieces on the best paths of the texts in `rows`: for each, the index into `rows` and the piece."""
        number, position = np.arange(len(rows)), self.last[rows]
        numbers, pieces = [number[:0]], [number[:0]]
        while len(number):
            edge = last_edge[position]
            numbers.append(number)
            pieces.append(self.piece[edge])
            unfinished = self.start[edge] > self.first[rows[number]]
            number, position = number[unfinished], self.start[edge][unfinished]
        return np.concatenate(numbers), np.concatenate(pieces)


def exp(numbers: Array) -> Array:
    """Return e to the power of each number, with the same digits on every processor.

    numpy rounds `exp` and `log` of 64-bit floats differently on processors with AVX-512, and then pieces that are
    equally probable change places. It computes extended precision without vector instructions.

    >>> exp(np.array([0.0, 1.0])).tolist()
    [1.0, 2.718281828459045]
    """
    result: Array = np.exp(numbers.astype(np.longdouble)).astype(float)
    return result


def log(numbers: Array) -> Array:
    """Return the natural logarithm of each positive number, with the same digits on every processor, as `exp`."""
    result: Array = np.log(numbers.astype(np.longdouble)).astype(float)
    return result


def log_sums_exp(logarithms: Array, groups: Array) -> Array:
    """Return the logarithm of the sum of each group, whose first index is in `groups`.

    The terms are added one by one, as in the libraries: another order or formula (`np.logaddexp`) rounds differently,
    and then other segmentations win where two are equally good.

    >>> log_sums_exp(np.log([1.0, 2.0, 3.0, 4.0]), np.array([0, 1])).round(9).tolist() == [0.0, 2.197224577]
    True
    """
    sizes = np.diff(np.append(groups, len(logarithms)))
    sums: Array = logarithms[groups]
    for number in range(1, sizes.max(initial=0)):
        longer = np.flatnonzero(sizes > number)
        old, new = sums[longer], logarithms[groups[longer] + number]
        larger, smaller = np.maximum(old, new), np.minimum(old, new)
        # subtle: -inf minus -inf would be NaN, although the sum of two zeros is zero.
        difference = np.subtract(smaller, larger, out=np.full_like(smaller, -np.inf), where=smaller > -np.inf)
        sums[longer] = larger + log(exp(difference) + 1)
    return sums


def _edges(
    texts: Sequence[AnyStr], first: Array, rows: Array, ids: Mapping[AnyStr, int], longest: int, whole: bool
) -> tuple[Array, Array, Array, Array]:
    """Return start, end, piece and end within the text of all edges of texts of one length."""
    length = len(texts[rows[0]])
    cuts = [slice(s, e) for e in range(1, length + 1) for s in range(max(0, e - longest), e)]
    if not whole and length > 1:
        cuts = [cut for cut in cuts if cut.stop - cut.start < length]
    # subtle: map avoids a Python loop over substrings; a substring that is not a piece gives None, which becomes NaN.
    found = [number for row in rows for number in map(ids.get, map(texts[row].__getitem__, cuts))]
    piece = np.array(found, float).reshape(len(rows), len(cuts))
    row, cut = np.nonzero(~np.isnan(piece))
    starts, ends = (np.array([getattr(cut, side) for cut in cuts]) for side in ("start", "stop"))
    return first[rows][row] + starts[cut], first[rows][row] + ends[cut], piece[row, cut].astype(int), ends[cut]


def _steps(sorted_by: Array, node: Array) -> Iterator[tuple[slice, Array, Array]]:
    """Yield, for each run of equal values in `sorted_by`, its slice, its nodes, and where each node's edges begin."""
    if not len(node):
        return
    begins = np.flatnonzero(np.append(True, node[1:] != node[:-1]))
    levels = sorted_by[begins]
    cuts = np.flatnonzero(np.append(True, levels[1:] != levels[:-1])).tolist()
    for low, high in zip(cuts, [*cuts[1:], len(begins)], strict=True):
        start = int(begins[low])
        stop = int(begins[high]) if high < len(begins) else len(node)
        groups = begins[low:high]
        yield slice(start, stop), node[groups], groups - start


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
