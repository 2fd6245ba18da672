"""The same training as `unigram_train.train`, hundreds of times sooner: all words take a step together, in numpy.

Adds: the lattices of all words, and of all pieces (for what could stand instead of each), made once; what is removed
from the vocabulary is removed from them.
Leaves out: nothing; stages and options are those of `unigram_train.train`.

>>> sorted(train_arrays({"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}, vocab_size=9))
['b', 'g', 'h', 'hug', 'n', 'p', 'pun', 's', 'u']
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import Any, Unpack

from tokenlab.algorithms.unigram_arrays import Array, Lattices
from tokenlab.algorithms.unigram_em import THRESHOLD, digamma
from tokenlab.algorithms.unigram_stages import Counted, Cut, Estimated, Pruned, Seeded, Stage
from tokenlab.algorithms.unigram_start import Options, Start
from tokenlab.algorithms.unigram_train import final_cut
from tokenlab.steps import stepwise


@stepwise
def train_arrays(
    word_counts: Mapping[Any, int], vocab_size: int, **options: Unpack[Options]
) -> Generator[Stage, None, dict[str, float]]:
    """Learn the vocabulary that `unigram_train.train` learns from the same arguments, in numpy.

    Raises:
        ValueError, TypeError: as `unigram_train.train`.
    """
    start = Start(word_counts, vocab_size, **options)
    yield Seeded(start.scores)
    state = State(start)
    while True:
        for _ in range(start.sub_iterations):
            counts, objective = state.expect()
            yield Counted(state.named(counts), objective)
            dropped = state.maximize(counts)
            yield Estimated(state.named(state.log_probs), dropped)
        if len(state.pieces) <= start.enough:
            break
        losses, removed = state.prune(start.size_after(state.pieces))
        yield Pruned(losses, removed)
    vocabulary = final_cut(state.named(state.log_probs), vocab_size)
    yield Cut(vocabulary, vocab_size)
    return vocabulary


class State:
    """The pieces that are left and their log probabilities, the words' lattices, and the pieces' own."""

    def __init__(self, start: Start) -> None:
        """Build the lattices from the seed."""
        import numpy as np

        self.pieces = np.array(list(start.scores), dtype=object)
        scores = np.array(list(start.scores.values()), float)
        self.log_probs = np.log(scores) - np.log(scores.sum())
        self.is_character = np.array([len(piece) == 1 for piece in start.scores])
        self.log = start.estimate is not digamma
        ids = {piece: number for number, piece in enumerate(start.scores)}
        longest = max(map(len, ids))
        self.counts = np.array(list(start.words.values()), float)
        self.words = Lattices(list(start.words), ids, longest)
        self.instead: Lattices | None = None  # made at the first pruning: by then half of the pieces are gone
        self.rows = np.arange(len(ids))  # which text of `instead` each piece is

    def named(self, values: Array) -> dict[str, float]:
        """Numbers of the pieces by the pieces' names."""
        return dict(zip(self.pieces.tolist(), values.tolist(), strict=True))

    def expect(self) -> tuple[Array, float]:
        """The E-step, as `unigram_em.expect`."""
        counts, totals = self.words.expect(self.log_probs, self.counts)
        return counts, float(-(self.counts @ totals) / self.counts.sum())

    def maximize(self, counts: Array) -> tuple[str, ...]:
        """The M-step, as `unigram_em.maximize`; the pieces that it drops."""
        import numpy as np

        kept = self.is_character | (counts >= THRESHOLD)
        dropped = self._keep(kept)
        counts = np.maximum(counts[kept], THRESHOLD)
        estimate = np.log if self.log else digammas
        self.log_probs = estimate(counts) - estimate(counts.sum(keepdims=True))
        return dropped

    def prune(self, size: int) -> tuple[dict[str, float], tuple[str, ...]]:
        """Remove pieces until `size` are left, as `unigram_prune`; the loss of each, and the pieces that went."""
        import numpy as np

        used = self._used()
        instead = self._instead()
        scores, last_edge = instead.best(self.log_probs)
        own_best = self.log_probs >= scores[instead.last[self.rows]]
        candidates = np.flatnonzero(own_best & (used > 0) & ~self.is_character)
        losses = np.zeros(len(used))
        losses[candidates] = self._losses(candidates, used, *instead.paths(last_edge, self.rows[candidates]))
        best = candidates[np.argsort(-losses[candidates], kind="stable")]
        kept = self.is_character.copy()
        kept[best[: max(0, size - kept.sum())]] = True
        judged = dict(zip(self.pieces[~self.is_character], losses[~self.is_character].tolist(), strict=True))
        return judged, self._keep(kept)

    def _used(self) -> Array:
        """How often the best segmentations of the words use each piece."""
        import numpy as np

        _, last_edge = self.words.best(self.log_probs)
        word, piece = self.words.paths(last_edge, np.arange(len(self.counts)))
        return np.bincount(piece, self.counts[word], len(self.pieces))

    def _instead(self) -> Lattices:
        """The lattices of the pieces, each without the edge that is the piece itself."""
        import numpy as np

        if self.instead is None:
            pieces = self.pieces.tolist()
            ids = {piece: number for number, piece in enumerate(pieces)}
            self.instead = Lattices(pieces, ids, max(map(len, pieces)), whole=False)
            self.rows = np.arange(len(pieces))
        return self.instead

    def _losses(self, candidates: Array, used: Array, number: Array, other: Array) -> Array:
        """As `unigram_prune.loss_of`, for many pieces; `other` stands instead of the candidate with that number."""
        import numpy as np

        frequency, total = used[candidates], used.sum()
        others = np.bincount(number, minlength=len(candidates))
        after = np.bincount(number, np.log(used[other] + frequency[number]), len(candidates))
        total_after = np.log(total + frequency * (others - 1))
        before = np.log(frequency) - np.log(total)
        losses: Array = frequency / self.counts.sum() * (before - after + others * total_after)
        return losses

    def _keep(self, kept: Array) -> tuple[str, ...]:
        """Keep some of the pieces; those that go."""
        gone = tuple(self.pieces[~kept])
        if gone:
            self.words.keep(kept)
            if self.instead:
                self.instead.keep(kept)
            self.pieces, self.rows = self.pieces[kept], self.rows[kept]
            self.log_probs, self.is_character = self.log_probs[kept], self.is_character[kept]
        return gone


def digammas(x: Array) -> Array:
    """`unigram_em.digamma` of many numbers."""
    import numpy as np

    values, distinct = np.unique(x, return_inverse=True)
    result: Array = np.array([digamma(value) for value in values.tolist()])[distinct]
    return result
