"""Many lattices at once: the edges of all texts as a few numpy arrays, walked position by position.

Adds: forward, backward and Viterbi that take one step for all texts together. The positions of all texts are numbered
one after another; edges are sorted by how far from the beginning of their text they end, so that a step is a slice.
Leaves out: names; a piece is a number here. numpy is imported when a lattice is made, not with this module.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from numpy.typing import NDArray

Array: TypeAlias = "NDArray[Any]"


class Lattices:
    """The lattices of texts: `start`, `end`, `piece` of each edge, and the `first` and `last` position of each text."""

    def __init__(self, texts: Sequence[str], ids: Mapping[str, int], longest: int, whole: bool = True) -> None:
        """Find every piece in every text.

        Args:
            texts: none of them empty.
            ids: the number of each piece, from 0.
            longest: how long the longest piece is.
            whole: False leaves out the edge that is the whole of a text, unless that is a character.
        """
        import numpy as np

        lengths = np.array([len(text) for text in texts])
        self.first = np.concatenate([[0], np.cumsum(lengths + 1)[:-1]])
        self.last = self.first + lengths
        found = [
            _edges(texts, self.first, np.flatnonzero(lengths == length), ids, longest, whole)
            for length in np.unique(lengths)
        ]
        start, end, piece, position = (np.concatenate(column) for column in zip(*found, strict=True))
        order = np.lexsort((start, end, position))  # by position, then text, then the longest first
        self.start, self.end, self.piece, self.position = (column[order] for column in (start, end, piece, position))
        self._backward_order = np.lexsort((self.start, -(self.position - self.end + self.start)))

    def keep(self, kept: Array) -> None:
        """Leave out the edges of pieces for which `kept` is False; the others are numbered anew."""
        import numpy as np

        stays = kept[self.piece]
        number = np.cumsum(stays) - 1
        self._backward_order = number[self._backward_order[stays[self._backward_order]]]
        self.piece = (np.cumsum(kept) - 1)[self.piece[stays]]
        self.start, self.end, self.position = self.start[stays], self.end[stays], self.position[stays]

    def expect(self, log_probs: Array, counts: Array) -> tuple[Array, Array]:
        """How often each piece is expected, and the log probability of each text, as `forward_backward` for each."""
        import numpy as np

        weights = log_probs[self.piece]
        forward, backward = self._forward(weights), self._backward(weights)
        totals = forward[self.last]
        # What is added at each position of a text: the text's count, divided by all that its segmentations weigh.
        share = np.repeat(np.log(counts) - totals, self.last - self.first + 1)
        through = forward[self.start] + weights + backward[self.end] + share[self.start]
        return np.bincount(self.piece, np.exp(through), len(log_probs)), totals

    def _forward(self, weights: Array) -> Array:
        import numpy as np

        masses = np.full(self.last[-1] + 1, -np.inf)
        masses[self.first] = 0.0
        for slice_, ends, groups in _steps(self.position, self.end):
            arriving = masses[self.start[slice_]] + weights[slice_]
            masses[ends] = np.logaddexp.reduceat(arriving, groups)
        return masses

    def _backward(self, weights: Array) -> Array:
        import numpy as np

        order = self._backward_order
        masses = np.full(self.last[-1] + 1, -np.inf)
        masses[self.last] = 0.0
        distance = (self.position - self.end + self.start)[order]
        start, end, weights = self.start[order], self.end[order], weights[order]
        for slice_, starts, groups in _steps(distance, start):
            masses[starts] = np.logaddexp.reduceat(masses[end[slice_]] + weights[slice_], groups)
        return masses

    def best(self, log_probs: Array) -> tuple[Array, Array]:
        """The score of the best way to each position, and the last edge of that way; of equals the longest."""
        import numpy as np

        weights = log_probs[self.piece]
        scores = np.full(self.last[-1] + 1, -np.inf)
        scores[self.first] = 0.0
        last_edge = np.full(len(scores), -1)
        for slice_, ends, groups in _steps(self.position, self.end):
            arriving = scores[self.start[slice_]] + weights[slice_]
            scores[ends] = np.maximum.reduceat(arriving, groups)
            # subtle: the longest stands first, so it is written last.
            winners = np.flatnonzero(arriving == scores[self.end[slice_]])[::-1] + slice_.start
            last_edge[self.end[winners]] = winners
        return scores, last_edge

    def paths(self, last_edge: Array, rows: Array) -> tuple[Array, Array]:
        """The pieces on the best ways through some texts: the index of each among `rows`, and the piece."""
        import numpy as np

        number, position = np.arange(len(rows)), self.last[rows]
        numbers, pieces = [number[:0]], [number[:0]]
        while len(number):
            edge = last_edge[position]
            numbers.append(number)
            pieces.append(self.piece[edge])
            going_on = self.start[edge] > self.first[rows[number]]
            number, position = number[going_on], self.start[edge][going_on]
        return np.concatenate(numbers), np.concatenate(pieces)


def _edges(
    texts: Sequence[str], first: Array, rows: Array, ids: Mapping[str, int], longest: int, whole: bool
) -> tuple[Array, Array, Array, Array]:
    """The start, end, piece and end within the text of all edges of some texts that have the same length."""
    import numpy as np

    length = len(texts[rows[0]])
    cuts = [slice(s, e) for e in range(1, length + 1) for s in range(max(0, e - longest), e)]
    if not whole and length > 1:
        cuts = [cut for cut in cuts if cut.stop - cut.start < length]
    # subtle: no loop in Python for each substring; a substring that is no piece gives None, which becomes NaN.
    found = [number for row in rows for number in map(ids.get, map(texts[row].__getitem__, cuts))]
    piece = np.array(found, float).reshape(len(rows), len(cuts))
    row, cut = np.nonzero(~np.isnan(piece))
    starts, ends = (np.array([getattr(cut, side) for cut in cuts]) for side in ("start", "stop"))
    return first[rows][row] + starts[cut], first[rows][row] + ends[cut], piece[row, cut].astype(int), ends[cut]


def _steps(sorted_by: Array, node: Array) -> Iterator[tuple[slice, Array, Array]]:
    """For each run of equals in `sorted_by`: its slice, the nodes in it, and where the edges of each begin there."""
    import numpy as np

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
