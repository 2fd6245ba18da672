"""The lattice of a text: all of its segmentations as one graph, without listing them.

Adds: nodes are the positions between characters and edges are pieces; a path from left to right is a segmentation.
A text of n characters has up to 2 ** (n - 1) paths, but at most n * (length of the longest piece) edges.
Leaves out: finding the best path (`viterbi`) and summing over all paths (`forward_backward`).
Source: Kudo 2018, "Subword Regularization", section 3.2; sentencepiece's unigram_model.cc, Model::PopulateNodes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import AnyStr, Generic

from tokenlab.algorithms.text.trie import Trie
from tokenlab.algorithms.unigram.vocabulary import Vocabulary, check_vocabulary
from tokenlab.printing.printable import unit
from tokenlab.steps import serialization as plain


@plain.register_step_type
@dataclass(slots=True, unsafe_hash=True)
class Edge(Generic[AnyStr]):
    """A piece of the text from position `start` to position `end`, and its log probability."""

    start: int
    end: int
    piece: AnyStr
    log_prob: float
    known: bool = True  # False for an unknown character (or byte)


@dataclass(frozen=True)
class Lattice(Generic[AnyStr]):
    """The outgoing edges of each position from 0 to len(text), shortest first."""

    text: AnyStr
    edges_from: list[list[Edge[AnyStr]]]

    @property
    def edges(self) -> Iterator[Edge[AnyStr]]:
        """All edges, from left to right."""
        for leaving in self.edges_from:
            yield from leaving

    @cached_property
    def edges_to(self) -> list[list[Edge[AnyStr]]]:
        """The incoming edges of each position, longest first."""
        arriving: list[list[Edge[AnyStr]]] = [[] for _ in self.edges_from]
        for edge in self.edges:
            arriving[edge.end].append(edge)
        return arriving


def build_lattice(
    text: AnyStr, vocabulary: Vocabulary[AnyStr] | Trie[float], unknown: float | None = None
) -> Lattice[AnyStr]:
    """Return the lattice of all segmentations of a text into pieces.

    Args:
        text: the str or bytes to segment; its spaces and case are not changed.
        vocabulary: the log probability of each piece, or a trie of them, which saves building one for every text.
        unknown: the log probability of a single character (or byte) that is not a piece; it gets an edge, as in
            sentencepiece and tokenizers, even where a longer piece covers it. With None there is no such edge.

    Raises:
        TypeError: the text is neither str nor bytes, or not of the pieces' type; or the vocabulary does not map pieces
            to numbers.
        ValueError: no segmentation exists and `unknown` is not given, or the vocabulary is invalid.

    >>> [edge.piece for edge in build_lattice("hug", {"h": -2, "u": -2, "g": -2, "ug": -1}).edges]
    ['h', 'u', 'ug', 'g']
    """
    if not isinstance(text, str | bytes):
        raise TypeError(f"text is {type(text).__name__}; give a str, or bytes")
    trie = build_trie(vocabulary)
    if not trie.accepts(text):
        given, pieces = ("bytes", "str") if isinstance(text, bytes) else ("str", "bytes")
        raise TypeError(f"text is {given}, and the pieces of the vocabulary are {pieces}; give a text of their type")
    edges_from: list[list[Edge[AnyStr]]] = []
    for start in range(len(text)):
        leaving = [Edge(start, end, text[start:end], value) for end, value in trie.prefixes_of(text, start)]
        if unknown is not None and not (leaving and leaving[0].end == start + 1):
            # The libraries append it. Inserted first, the edges stay sorted by length, and the results are the same.
            leaving.insert(0, Edge(start, start + 1, text[start : start + 1], unknown, known=False))
        edges_from.append(leaving)
    edges_from.append([])
    return Lattice(text, edges_from if unknown is not None else _without_dead_ends(text, edges_from))


def build_trie(vocabulary: Vocabulary[AnyStr] | Trie[float]) -> Trie[float]:
    """Check a vocabulary and return its trie; return a trie unchanged.

    Raises:
        TypeError, ValueError: as `check_vocabulary`.
    """
    if isinstance(vocabulary, Trie):
        return vocabulary
    check_vocabulary(vocabulary)
    return Trie(vocabulary)


def _without_dead_ends(text: AnyStr, edges_from: list[list[Edge[AnyStr]]]) -> list[list[Edge[AnyStr]]]:
    """Keep the edges that are on a complete path: reachable from the start, and with a path to the end."""
    reached = [True] + [False] * len(text)
    for start, leaving in enumerate(edges_from):
        for edge in leaving if reached[start] else []:
            reached[edge.end] = True
    if not reached[-1]:
        at = max(position for position, here in enumerate(reached) if here)
        raise ValueError(
            f"no piece of the vocabulary continues with {text[at : at + 1]!r}, {unit(text)} {at + 1} of {text!r:.60}; "
            f"add it to the vocabulary, or give unknown=, the log probability of such a {unit(text)}"
        )
    ends = [False] * len(text) + [True]
    for start in reversed(range(len(text))):
        ends[start] = any(ends[edge.end] for edge in edges_from[start])
    return [[edge for edge in leaving if reached[edge.start] and ends[edge.end]] for leaving in edges_from]


def count_segmentations(lattice: Lattice[AnyStr]) -> int:
    """Return the number of paths from the start to the end.

    >>> count_segmentations(build_lattice("aaaa", {"a": -1, "aa": -1, "aaa": -1, "aaaa": -1}))
    8
    """
    paths_to = [1] + [0] * len(lattice.text)
    for edge in lattice.edges:
        paths_to[edge.end] += paths_to[edge.start]
    return paths_to[-1]


def segmentations(lattice: Lattice[AnyStr], start: int = 0) -> Iterator[tuple[Edge[AnyStr], ...]]:
    """Yield every path from `start` to the end. There may be 2 ** (n - 1), so this is for short words and tests.

    >>> [[edge.piece for edge in path] for path in segmentations(build_lattice("ab", {"a": -1, "b": -1, "ab": -1}))]
    [['a', 'b'], ['ab']]
    """
    if start == len(lattice.text):
        yield ()
    for edge in lattice.edges_from[start]:
        for rest in segmentations(lattice, edge.end):
            yield (edge,) + rest  # noqa: RUF005  # mypy loses the type after *


def path_pieces(path: Iterable[Edge[AnyStr]], fuse_unknown: bool = False) -> tuple[AnyStr, ...]:
    """Return the pieces along a path; with `fuse_unknown`, adjacent unknown characters become one piece.

    Source: `fuse_unk` in tokenizers; sentencepiece fuses them in SentencePieceProcessor::PopulateSentencePieceText.

    >>> path_pieces(build_lattice("a??", {"a": -1.0}, unknown=-11.0).edges, fuse_unknown=True)
    ('a', '??')
    """
    pieces: list[AnyStr] = []
    for known, run in groupby(path, key=lambda edge: edge.known):
        found = [edge.piece for edge in run]
        pieces += found if known or not fuse_unknown else [found[0][:0].join(found)]
    return tuple(pieces)
