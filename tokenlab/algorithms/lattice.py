"""The lattice of a text: all of its segmentations as one graph, without listing them.

Adds: positions between the characters as nodes, pieces as edges; a path from the left to the right is a segmentation.
There may be 2 ** (n - 1) paths; there are at most n times the longest piece edges, and each is made once.
Leaves out: which path is best (`viterbi`), what all of them weigh together (`forward_backward`).
Source: Kudo 2018, "Subword Regularization", section 3.2; sentencepiece's unigram_model.cc, Model::PopulateNodes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby

from tokenlab import plain
from tokenlab.algorithms.trie import Trie
from tokenlab.algorithms.unigram_vocabulary import Vocabulary, check_vocabulary


@plain.register
@dataclass(slots=True, unsafe_hash=True)
class Edge:
    """A piece of the text from position `start` to position `end`, and its log probability."""

    start: int
    end: int
    piece: str
    log_prob: float
    known: bool = True  # False for a character that no piece covers


@dataclass(frozen=True)
class Lattice:
    """The positions 0 to len(text), and the edges that leave each, shortest first."""

    text: str
    edges_from: list[list[Edge]]

    @property
    def edges(self) -> Iterator[Edge]:
        """All edges, from left to right."""
        for leaving in self.edges_from:
            yield from leaving

    @cached_property
    def edges_to(self) -> list[list[Edge]]:
        """The edges that arrive at each position, the longest first."""
        arriving: list[list[Edge]] = [[] for _ in self.edges_from]
        for edge in self.edges:
            arriving[edge.end].append(edge)
        return arriving


def build_lattice(text: str, vocabulary: Vocabulary | Trie[float], unknown: float | None = None) -> Lattice:
    """All segmentations of the text into pieces.

    Args:
        text: what is cut; nothing is done to its spaces or case.
        vocabulary: the log probability of each piece, or a trie of them, which saves making one for every text.
        unknown: the log probability of a single character that is no piece; such a character gets an edge of its own,
            as in sentencepiece and tokenizers, even where a longer piece covers it. With None there is no such edge.

    Raises:
        TypeError: the text is not a str, or the vocabulary not one of pieces and numbers.
        ValueError: no segmentation exists, and `unknown` is not given; or the vocabulary is none.

    >>> [edge.piece for edge in build_lattice("hug", {"h": -2, "u": -2, "g": -2, "ug": -1}).edges]
    ['h', 'u', 'ug', 'g']
    """
    if not isinstance(text, str):
        raise TypeError(f"text is {type(text).__name__}; give a str")
    trie = trie_of(vocabulary)
    edges_from: list[list[Edge]] = []
    for start in range(len(text)):
        leaving = [Edge(start, end, text[start:end], value) for end, value in trie.prefixes_of(text, start)]
        if unknown is not None and not (leaving and leaving[0].end == start + 1):
            # First, where the libraries have it last: what ends where is the same, and shortest first stays true.
            leaving.insert(0, Edge(start, start + 1, text[start], unknown, known=False))
        edges_from.append(leaving)
    edges_from.append([])
    return Lattice(text, edges_from if unknown is not None else _without_dead_ends(text, edges_from))


def trie_of(vocabulary: Vocabulary | Trie[float]) -> Trie[float]:
    """The trie of a vocabulary, which is checked on the way; a trie stays what it is."""
    if isinstance(vocabulary, Trie):
        return vocabulary
    check_vocabulary(vocabulary)
    return Trie(vocabulary)


def _without_dead_ends(text: str, edges_from: list[list[Edge]]) -> list[list[Edge]]:
    """The edges that lie on a whole segmentation: what they start from can be reached, and so can the end."""
    reached = [True] + [False] * len(text)
    for start, leaving in enumerate(edges_from):
        for edge in leaving if reached[start] else []:
            reached[edge.end] = True
    if not reached[-1]:
        at = max(position for position, here in enumerate(reached) if here)
        raise ValueError(
            f"no piece of the vocabulary goes on with {text[at]!r}, character {at + 1} of {text!r:.60}; "
            "add it to the vocabulary, or give unknown=, the log probability of such a character"
        )
    ends = [False] * len(text) + [True]
    for start in reversed(range(len(text))):
        ends[start] = any(ends[edge.end] for edge in edges_from[start])
    return [[edge for edge in leaving if reached[edge.start] and ends[edge.end]] for leaving in edges_from]


def count_segmentations(lattice: Lattice) -> int:
    """How many paths lead from the left to the right.

    >>> count_segmentations(build_lattice("aaaa", {"a": -1, "aa": -1, "aaa": -1, "aaaa": -1}))
    8
    """
    ways = [1] + [0] * len(lattice.text)
    for edge in lattice.edges:
        ways[edge.end] += ways[edge.start]
    return ways[-1]


def segmentations(lattice: Lattice, start: int = 0) -> Iterator[tuple[Edge, ...]]:
    """Every path, one by one: the slow way, for short words and for tests.

    >>> [[edge.piece for edge in path] for path in segmentations(build_lattice("ab", {"a": -1, "b": -1, "ab": -1}))]
    [['a', 'b'], ['ab']]
    """
    if start == len(lattice.text):
        yield ()
    for edge in lattice.edges_from[start]:
        for rest in segmentations(lattice, edge.end):
            yield (edge, *rest)


def pieces_of(path: Iterable[Edge], join_unknown: bool = False) -> tuple[str, ...]:
    """The pieces along a path; with `join_unknown` neighbours that no piece covers become one.

    Source: `fuse_unk` in tokenizers; sentencepiece joins them in SentencePieceProcessor::PopulateSentencePieceText.

    >>> pieces_of(build_lattice("a??", {"a": -1.0}, unknown=-11.0).edges, join_unknown=True)
    ('a', '??')
    """
    pieces: list[str] = []
    for known, run in groupby(path, key=lambda edge: edge.known):
        found = [edge.piece for edge in run]
        pieces += found if known or not join_unknown else ["".join(found)]
    return tuple(pieces)
