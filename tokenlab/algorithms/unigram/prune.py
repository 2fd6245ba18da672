"""Pruning a Unigram vocabulary: removing the pieces whose removal lowers the likelihood least.

Adds: the loss of removing a piece, as sentencepiece estimates it; a frequent piece may still be useless.
Leaves out: the exact loss, which would need a complete training run without each piece.
Source: Kudo 2018, section 3.2; sentencepiece's unigram_model_trainer.cc, PruneSentencePieces.

>>> vocabulary = {"a": -2.0, "b": -2.0, "c": -2.5, "ab": -1.0, "bc": -5.0, "abc": -2.5}
>>> print(piece_losses.record({"ab": 9, "abc": 3}, vocabulary))
1. ab is used 9 times; its best replacement, a b, would cost 1.0552 per word
2. bc is useless: b c is more probable, so no best segmentation uses it
3. abc is used 3 times; its best replacement, ab c, would cost 0.1116 per word
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterable, Mapping
from math import inf, log
from typing import AnyStr, Generic

from tokenlab.algorithms.text.trie import Trie
from tokenlab.algorithms.unigram.lattice import Lattice, build_lattice, build_trie
from tokenlab.algorithms.unigram.viterbi import best_path, viterbi
from tokenlab.algorithms.unigram.vocabulary import Vocabulary, log_probability
from tokenlab.printing.printable import Parts, SymbolPart, symbol_parts, times
from tokenlab.steps.recording import step, stepwise


@step
class PieceLoss(Generic[AnyStr]):
    """A piece of two or more characters: how often best segmentations use it, and the loss of removing it.

    `alternative` is the best segmentation of the piece into other pieces (empty if none spell it); `is_best` says
    whether the piece itself is at least as probable. The loss is the mean decrease of a word's log probability; it is 0
    for a useless piece.
    """

    piece: AnyStr
    frequency: int
    alternative: tuple[AnyStr, ...]
    is_best: bool
    loss: float

    @property
    def is_redundant(self) -> bool:
        """Whether no best segmentation uses the piece."""
        return not (self.is_best and self.frequency)

    def sentence(self) -> Parts:
        """Say why the piece is useless, or how often it is used and what its best replacement would cost."""
        if self.is_redundant:
            better: Parts = [] if self.is_best else [*symbol_parts(self.alternative), " is more probable, so "]
            return [SymbolPart(self.piece, "unknown"), " is useless: ", *better, "no best segmentation uses it"]
        used: Parts = [SymbolPart(self.piece, "new"), f" is used {times(self.frequency)}; "]
        if not self.alternative:
            return [*used, "no other pieces can replace it"]
        costs = f"cost {self.loss:.4f}" if self.loss >= 0 else f"save {-self.loss:.4f}"  # the loss is an estimate
        return [*used, "its best replacement, ", *symbol_parts(self.alternative), f", would {costs} per word"]


@stepwise
def piece_losses(
    words: Mapping[AnyStr, int], vocabulary: Vocabulary[AnyStr]
) -> Generator[PieceLoss[AnyStr], None, list[PieceLoss[AnyStr]]]:
    """Return the loss of removing each piece, except characters, which are never removed.

    Raises:
        TypeError, ValueError: as `build_lattice`: an invalid vocabulary, or one that does not cover a word.
    """
    trie = build_trie(vocabulary)
    used = Counter[AnyStr]()
    for word, count in words.items():
        for piece in viterbi(word, trie):
            used[piece] += count
    losses = []
    for piece in (piece for piece in vocabulary if len(piece) > 1):
        alternative = best_alternative(piece, trie)
        is_best = not alternative or vocabulary[piece] >= log_probability(alternative, vocabulary)
        loss = removal_loss(piece, alternative, used, sum(words.values())) if is_best and used[piece] else 0.0
        losses.append(PieceLoss(piece, used[piece], alternative, is_best, loss))
        yield losses[-1]
    return losses


def best_alternative(piece: AnyStr, trie: Trie[float]) -> tuple[AnyStr, ...]:
    """Return the best segmentation of a piece into other pieces; empty if none spell it.

    >>> best_alternative("abc", Trie({"a": -1.0, "b": -1.0, "c": -1.0, "ab": -1.5, "abc": -1.0}))
    ('ab', 'c')
    """
    lattice = build_lattice(piece, trie, -inf)
    path = best_path(Lattice(piece, [[edge for edge in edges if edge.piece != piece] for edges in lattice.edges_from]))
    return tuple(edge.piece for edge in path) if all(edge.known for edge in path) else ()


def removal_loss(piece: AnyStr, alternative: Iterable[AnyStr], used: Mapping[AnyStr, int], words: int) -> float:
    """Return the mean decrease of a word's log probability if a piece is replaced by its alternative.

    The pieces of the alternative are then used more often, and so is the total, so their probabilities change as well.
    The loss is infinite without an alternative, and 0 for a piece that is never used.

    Raises:
        ValueError: the piece is used, although there are no words.

    >>> removal_loss("ab", ("a", "b"), Counter({"ab": 9, "a": 1, "b": 1}), words=9)
    1.1856236656577388
    """
    others = list(alternative)
    if not others:
        return inf
    frequency, total = used.get(piece, 0), sum(used.values())
    if not frequency:
        return 0.0
    if words < 1:
        raise ValueError(f"words={words} should be at least 1, because the piece is used {frequency} times in them")
    before = log(frequency) - log(total)
    total_after = total + frequency * (len(others) - 1)
    after = sum(log(used.get(other, 0) + frequency) - log(total_after) for other in others)
    return frequency / words * (before - after)


def prune(losses: Iterable[PieceLoss[AnyStr]], vocabulary: Vocabulary[AnyStr], size: int) -> dict[AnyStr, float]:
    """Return the vocabulary reduced to its characters and the other pieces with the greatest loss, `size` in all.

    Useless pieces are always removed; characters and pieces without an alternative are always kept.
    """
    useful = [one for one in losses if not one.is_redundant]
    needed = {piece for piece in vocabulary if len(piece) == 1} | {one.piece for one in useful if not one.alternative}
    # subtle: sorting is stable, so of two pieces with the same loss the first one in the vocabulary is kept.
    best = sorted((one for one in useful if one.alternative), key=lambda one: -one.loss)
    kept = needed | {one.piece for one in best[: max(0, size - len(needed))]}
    return {piece: value for piece, value in vocabulary.items() if piece in kept}
