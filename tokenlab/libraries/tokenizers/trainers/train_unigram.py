"""Train Unigram as Hugging Face's UnigramTrainer does; it differs from sentencepiece in several rules.

Adds: seed substrings are counted in distinct words, however frequent the words are; a character may leave the
vocabulary like any other piece, and is then unknown (10 below the lowest score) until the end; the loss of a piece
assumes that as many pieces replace it as the vocabulary has, which favours frequent pieces; the final cut keeps the
pieces in the order of the last pruning, not of their scores; characters that are missing at the end return with scores
just above the lowest.
Leaves out: a reproducible library. It adds up words and characters in the order of a hash map, which changes with
every run, so scores differ by rounding, and pieces of equal score change places; here the order is that of the words,
and of the code points. Also left out: 32-bit overflow, and ties between alternatives of a piece, which the library
decides by the layout of a heap; here the longest last piece wins.
Importing this module loads numpy.
Source: huggingface/tokenizers, models/unigram/trainer.rs and models/unigram/lattice.rs.

>>> pieces = train_huggingface({"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}, vocab_size=7)
>>> [piece for piece, _ in pieces]
['u', 'g', 'p', 'n', 's', 'b', 'h']
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from math import inf
from typing import TypeAlias

import numpy as np

from tokenlab.algorithms.unigram.expectation_maximization import THRESHOLD
from tokenlab.algorithms.unigram.lattice_arrays import Array, LatticeArrays, digammas, log, removal_losses
from tokenlab.algorithms.unigram.seed import repeats
from tokenlab.algorithms.unigram.vocabulary import UNKNOWN_PENALTY

ScoredPieces: TypeAlias = list[tuple[str, float]]
UNKNOWN = "<UNK>"  # the piece with id 0 during training
BOUNDARY = "\0"  # no piece contains it
UNCHANGED_ROUNDS = 100  # after this many rounds without change, pruning will never reach the desired size


def train_huggingface(
    word_counts: Mapping[str, int],
    vocab_size: int,
    initial_alphabet: Iterable[str] = (),
    shrinking_factor: float = 0.75,
    max_piece_length: int = 16,
    sub_iterations: int = 2,
    seed_size: int = 1_000_000,
    limit: int | None = None,
    on_update: Callable[[], None] = lambda: None,
) -> ScoredPieces:
    """Return the pieces with their log probabilities, the most probable first.

    Args:
        word_counts: the count of each word; a word with the count 0 does not occur.
        vocab_size: the requested number of pieces; the characters are never truncated.
        initial_alphabet: characters that are pieces even if no word contains them.
        shrinking_factor: the share of the pieces that a pruning keeps.
        max_piece_length: the maximum length of a piece, in characters.
        sub_iterations: the number of EM iterations before each pruning.
        seed_size: the maximum number of seed pieces; the characters and one substring are always among them.
        limit: the number of pieces in the end, by default `vocab_size`; special tokens may need the rest.
        on_update: called after each EM iteration.

    Raises:
        ValueError: the vocabulary is smaller than the alphabet, a word contains "<UNK>" in a place where the library
            stops with a panic, or pruning never ends.
    """
    words = {word: count for word, count in word_counts.items() if word and count}
    seeds = seed_scores(words, max_piece_length, seed_size)
    alphabet = sorted({*"".join(words), *initial_alphabet})
    if len(alphabet) > vocab_size:
        raise ValueError(
            f"vocab_size={vocab_size} is not large enough to contain all chars: there are {len(alphabet)}; "
            f"ask for at least {len(alphabet)}"
        )
    if UNKNOWN not in seeds and any(UNKNOWN in word for word in words):
        raise ValueError(
            f"a word contains {UNKNOWN!r}, which Unigram training uses itself; remove it from the corpus, "
            "or split words there"
        )
    limit = vocab_size if limit is None else limit
    if not seeds:
        return _finalized({}, alphabet, limit)
    state = HuggingFaceState(words, seeds)
    _shrink(state, vocab_size * 11 // 10, shrinking_factor, sub_iterations, on_update)
    return _finalized(state.scores(), alphabet, limit)


def seed_scores(words: Iterable[str] | Mapping[str, int], longest: int = 16, size: int = 1_000_000) -> dict[str, int]:
    """Return the characters with their counts, and the substrings that repeat, with count times length.

    A substring repeats if it occurs in several places with different continuations; a substring is counted in
    distinct words, a character in all words.

    >>> seed_scores({"hugs": 10, "hug": 5, "pug": 1})
    {'u': 16, 'g': 16, 'h': 15, 's': 10, 'p': 1, 'ug': 6, 'hug': 6}
    """
    counts: Counter[str] = Counter()
    for word, count in Counter(words).items():
        for character in word:
            counts[character] += count
    del counts[BOUNDARY]
    scores = {character: counts[character] for character in sorted(counts, key=lambda c: (counts[c], c), reverse=True)}
    if not any(words) or longest < 2:
        return scores
    found = repeats({word + BOUNDARY: 1 for word in words if word}, longest)
    substrings = {
        piece: count * len(piece)
        for piece, count in found
        if 2 <= len(piece) <= longest and count > 1 and BOUNDARY not in piece
    }
    best = sorted(substrings, key=lambda piece: (substrings[piece], piece), reverse=True)
    return scores | {piece: substrings[piece] for piece in best[: max(1, size - len(scores))]}


def _shrink(
    state: HuggingFaceState, desired: int, factor: float, sub_iterations: int, on_update: Callable[[], None]
) -> None:
    """Alternate EM and pruning until there are at most `desired` pieces."""
    before: list[str] = []
    unchanged = 0
    while True:
        for _ in range(sub_iterations):
            state.maximize(state.expect())
            on_update()
        if len(state.pieces) <= desired:
            return
        unchanged = unchanged + 1 if state.pieces == before else 0
        if unchanged == UNCHANGED_ROUNDS:
            raise ValueError(
                f"pruning stops at {len(state.pieces)} pieces, but should reach {desired}; the library never ends; "
                "use a smaller shrinking_factor, or a larger vocab_size"
            )
        before = state.pieces
        kept = len(state.pieces) * factor
        state.prune(max(desired, int(kept) if 0 < kept < inf else 0))


def _finalized(scores: Mapping[str, float], alphabet: Iterable[str], limit: int) -> ScoredPieces:
    """Return the alphabet and the first other pieces, `limit` in all, sorted by score."""
    lowest = min(scores.values(), default=inf)
    pieces: dict[str, float] = {}
    missing = 0
    for character in alphabet:
        if character not in scores:
            missing += 1
        pieces[character] = scores.get(character, lowest + (missing - 1) * 0.0001)
    for piece, score in scores.items():
        # subtle: exactly at the limit; if the alphabet alone is larger, the library adds all pieces.
        if piece not in pieces:
            pieces[piece] = score
            if len(pieces) == limit:
                break
    return sorted(pieces.items(), key=lambda item: -item[1])


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
        """E-step: return the expected count of each piece; a ValueError if a word is too long for floats."""
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
