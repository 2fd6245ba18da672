"""Learning the pieces of each model type, with their scores.

Adds: scored pieces from a corpus, best first. A score is a log probability or, in a bpe model, the negative rank. To
`algorithms.bpe.train_indexed`, two rules: a pair is merged only if the result is a valid piece; if no pair is left,
earlier candidates fill the vocabulary.

Source: google/sentencepiece, src/{unigram,bpe,word,char}_model_trainer.cc.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.util import find_spec
from math import inf, log
from typing import TypeAlias

from tokenlab.algorithms.bpe.tie_break import Pair, sentencepiece
from tokenlab.algorithms.bpe.train import TrainingState, merged_symbol
from tokenlab.algorithms.bpe.train_indexed import PairIndex
from tokenlab.algorithms.unigram.seed import seed_scores
from tokenlab.libraries.sentencepiece.model_proto import BPE, CHAR, UNIGRAM, WORD
from tokenlab.libraries.sentencepiece.segmentation.unigram_model import Float32
from tokenlab.libraries.sentencepiece.training.trainer_interface import UNKNOWN_CHARACTER, Corpus, PieceValidator

ScoredPieces: TypeAlias = list[tuple[str, float]]

UNUSED_SCORE_STEP = 0.0001  # between the scores of characters that are never used; src/unigram_model_trainer.cc


def train_unigram_pieces(corpus: Corpus, size: int) -> ScoredPieces:
    """Learn pieces and log probabilities by expectation maximization; return the most probable first."""
    spec = corpus.spec
    words = corpus.segments()
    # As in the library, repeats are searched in whole sentences, but training uses words.
    seed = seed_scores(corpus.segments(whole=True), spec.seed_sentencepiece_size, spec.max_sentencepiece_length)
    is_valid_piece = PieceValidator(spec)
    learned = _train_unigram()(
        words,
        size,
        seed={piece: score for piece, score in seed.items() if is_valid_piece(piece)},
        sub_iterations=spec.num_sub_iterations,
        shrinking_factor=spec.shrinking_factor,
    )
    found = dict(learned)
    lowest = min(found.values(), default=0.0)
    for number, character in enumerate(c for c in corpus.characters if c not in learned):
        found[character] = lowest + UNUSED_SCORE_STEP * number
    in_order = sorted(found.items(), key=lambda entry: (-Float32(entry[1]), entry[0]))
    kept = [entry for entry in in_order if entry[0] not in corpus.characters][: size - len(corpus.characters)]
    return [entry for entry in in_order if entry[0] in corpus.characters or entry in kept]


def _train_unigram() -> Callable[..., Mapping[str, float]]:
    """Return the fast trainer if numpy is installed; both learn the same vocabulary."""
    if find_spec("numpy"):
        from tokenlab.algorithms.unigram.train_arrays import train_arrays

        return train_arrays
    from tokenlab.algorithms.unigram.train import train

    return train


def train_bpe_pieces(corpus: Corpus, size: int) -> ScoredPieces:
    """Return the merged pieces in order, then the characters by frequency; each score is the negative rank."""
    merged = train_bpe(corpus.segments(), size - len(corpus.characters), PieceValidator(corpus.spec))
    return [(piece, -float(place)) for place, piece in enumerate([*merged, *_by_frequency(corpus.characters)])]


def train_bpe(segments: Mapping[str, int], size: int, is_valid_piece: Callable[[str], bool]) -> list[str]:
    """Learn at most `size` merged pieces from segments and their counts, the most frequent pair first.

    >>> train_bpe({"hug": 10, "pun": 12}, 2, lambda piece: True)
    ['pu', 'pun']
    """
    if not segments or size <= 0:
        return []
    start = _TrainingState(segments, is_valid_piece)
    index = _Pairs(start, segments, sentencepiece)
    pieces: dict[str, None] = {}
    while len(pieces) < size:
        pair, count, _ = index.best()
        if not count:
            break
        pieces[str(merged_symbol(index.merge(pair)))] = None
    left = sorted(start.possible - pieces.keys(), key=lambda piece: (len(piece), piece))
    return [*pieces, *left][:size]


class _TrainingState(TrainingState):
    """The training state, in which a merge is allowed if the result is a valid piece."""

    def __init__(self, segments: Mapping[str, int], is_valid_piece: Callable[[str], bool]) -> None:
        super().__init__(segments, vocab_size=len(set("".join(segments))), max_token_length=1)
        self._may_be = is_valid_piece
        self.possible: set[str] = set()
        self._known: dict[str, bool] = {}

    def short_enough(self, pair: Pair) -> bool:
        """Whether merging this pair gives a valid piece."""
        piece = str(merged_symbol(pair))
        known = self._known.get(piece)
        if known is None:
            known = self._known[piece] = self._may_be(piece)
            if known:
                self.possible.add(piece)
        return known


class _Pairs(PairIndex):
    """The index of pairs, which also records pairs that were candidates only for a moment."""

    def _replace(self, lost: str, gained: str, numbers: list[int]) -> None:
        super()._replace(lost, gained, numbers)
        if gained[0] == gained[1]:
            # If a pair occurs twice in a row, the library merges the first and considers its new neighbours.
            self.short_enough((self.symbols[ord(gained[0])], self.symbols[ord(lost[1])]))


def train_word_pieces(corpus: Corpus, size: int) -> ScoredPieces:
    """Return the most frequent words with their log frequencies."""
    words = corpus.words()
    found = _log_frequencies(words, sum(words.values()))
    return _truncate([entry for entry in found if UNKNOWN_CHARACTER not in entry[0]], corpus, size)


def train_char_pieces(corpus: Corpus, size: int) -> ScoredPieces:
    """Return the most frequent characters with their log frequencies."""
    return _truncate(_log_frequencies(corpus.characters, sum(corpus.characters.values())), corpus, size)


def _truncate(found: ScoredPieces, corpus: Corpus, size: int) -> ScoredPieces:
    return found if corpus.spec.use_all_vocab else found[:size]


def _log_frequencies(counts: Mapping[str, int], total: int) -> ScoredPieces:
    """Return the logarithm of each relative frequency, with 32-bit floats."""
    whole = Float32(log(Float32(total)))
    logs = {piece: log(Float32(count)) if count else -inf for piece, count in counts.items()}
    return [(piece, Float32(logs[piece]) + -whole) for piece in _by_frequency(counts)]


def _by_frequency(counts: Mapping[str, int]) -> list[str]:
    return sorted(counts, key=lambda one: (-counts[one], one))


TRAINERS: dict[int, Callable[[Corpus, int], ScoredPieces]] = {
    UNIGRAM: train_unigram_pieces,
    BPE: train_bpe_pieces,
    WORD: train_word_pieces,
    CHAR: train_char_pieces,
}
