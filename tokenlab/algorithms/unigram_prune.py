"""Pruning a Unigram vocabulary: which pieces would be missed least, and removing those.

Adds: the loss of removing a piece, as sentencepiece estimates it; what is frequent may still be useless.
Leaves out: the exact loss, for which the whole training would be repeated without each piece.
Source: Kudo 2018, section 3.2; sentencepiece's unigram_model_trainer.cc, PruneSentencePieces.

>>> vocabulary = {"a": -2.0, "b": -2.0, "c": -2.5, "ab": -1.0, "bc": -5.0, "abc": -2.5}
>>> print(judge.record({"ab": 9, "abc": 3}, vocabulary))
1. ab is used 9 times; a b instead would cost 1.0552 a word
2. bc is useless: its own best segmentation is b c
3. abc is used 3 times; ab c instead would cost 0.1116 a word
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterable, Mapping
from math import inf, log

from tokenlab.algorithms.lattice import Lattice, build_lattice, trie_of
from tokenlab.algorithms.trie import Trie
from tokenlab.algorithms.unigram_vocabulary import Vocabulary, log_probability
from tokenlab.algorithms.viterbi import best_path, viterbi
from tokenlab.steps import step, stepwise
from tokenlab.visible import visible


@step
class Judged:
    """A piece of two characters or more: how often best segmentations use it, and what removing it would cost.

    `instead` is the best segmentation of the piece without itself (empty: there is none); `own_best` says whether the
    piece itself is better. The loss is that of a word's log probability, on average; it is 0 for a useless piece.
    """

    piece: str
    frequency: int
    instead: tuple[str, ...]
    own_best: bool
    loss: float

    @property
    def useless(self) -> bool:
        """Whether no best segmentation needs the piece."""
        return not (self.own_best and self.frequency)

    def __str__(self) -> str:
        """Say what removing the piece would cost."""
        piece, instead = visible(self.piece), " ".join(map(visible, self.instead))
        if self.useless:
            why = f"its own best segmentation is {instead}" if not self.own_best else "no best segmentation has it"
            return f"{piece} is useless: {why}"
        times = f"{self.frequency} time{'s' if self.frequency > 1 else ''}"
        costs = f"cost {self.loss:.4f}" if self.loss >= 0 else f"save {-self.loss:.4f}"  # the loss is an estimate
        cost = f"{instead} instead would {costs} a word" if instead else "nothing could stand instead"
        return f"{piece} is used {times}; {cost}"


@stepwise
def judge(words: Mapping[str, int], vocabulary: Vocabulary) -> Generator[Judged, None, list[Judged]]:
    """What removing each piece would cost; characters are not judged, for they are never removed.

    Raises:
        TypeError, ValueError: as `build_lattice`: no vocabulary, or one that does not cover a word.
    """
    trie = trie_of(vocabulary)
    used = Counter[str]()
    for word, count in words.items():
        for piece in viterbi(word, trie):
            used[piece] += count
    judged = []
    for piece in filter(_is_longer_than_a_character, vocabulary):
        instead = without_itself(piece, trie)
        own_best = not instead or vocabulary[piece] >= log_probability(instead, vocabulary)
        loss = loss_of(piece, instead, used, sum(words.values())) if own_best and used[piece] else 0.0
        judged.append(Judged(piece, used[piece], instead, own_best, loss))
        yield judged[-1]
    return judged


def _is_longer_than_a_character(piece: str) -> bool:
    return len(piece) > 1


def without_itself(piece: str, trie: Trie[float]) -> tuple[str, ...]:
    """The best segmentation of a piece into others; empty if there is none.

    >>> without_itself("abc", Trie({"a": -1.0, "b": -1.0, "c": -1.0, "ab": -1.5, "abc": -1.0}))
    ('ab', 'c')
    """
    leaving = [[edge for edge in edges if edge.piece != piece] for edges in build_lattice(piece, trie, -inf).edges_from]
    path = best_path(Lattice(piece, leaving))
    return tuple(edge.piece for edge in path) if all(edge.known for edge in path) else ()


def loss_of(piece: str, instead: Iterable[str], used: Mapping[str, int], words: int) -> float:
    """By how much the log probability of a word falls, on average, if a piece gives its place to others.

    Those are used more often then, and all pieces together as well; so their probabilities change, too.

    >>> loss_of("ab", ("a", "b"), Counter({"ab": 9, "a": 1, "b": 1}), words=9)
    1.1856236656577388
    """
    others = list(instead)
    if not others:
        return inf
    frequency, total = used[piece], sum(used.values())
    before = log(frequency) - log(total)
    total_after = total + frequency * (len(others) - 1)
    after = sum(log(used[other] + frequency) - log(total_after) for other in others)
    return frequency / words * (before - after)


def prune(judged: Iterable[Judged], vocabulary: Vocabulary, size: int) -> dict[str, float]:
    """The vocabulary with its characters and, of the other pieces, those of the greatest loss, `size` in all.

    Useless pieces go in any case; pieces that nothing could replace stay, as characters do.
    """
    useful = [one for one in judged if not one.useless]
    needed = {piece for piece in vocabulary if len(piece) == 1} | {one.piece for one in useful if not one.instead}
    # subtle: sorting keeps the order of equals, so that of two with the same loss the one that comes first stays.
    best = sorted((one for one in useful if one.instead), key=lambda one: -one.loss)
    kept = needed | {one.piece for one in best[: max(0, size - len(needed))]}
    return {piece: value for piece, value in vocabulary.items() if piece in kept}
