"""Why a Unigram model prefers a segmentation: its log probability, compared with those of the next best ones."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from math import isfinite
from typing import Any

from tokenlab.algorithms.unigram.lattice import Edge, Lattice
from tokenlab.algorithms.unigram.n_best import best_paths, n_best
from tokenlab.algorithms.unigram.viterbi import BestPathFound, viterbi
from tokenlab.algorithms.unigram.vocabulary import check_vocabulary
from tokenlab.printing.printable import printable
from tokenlab.steps.recording import Recording

SHOWN = 4  # segmentations
LONGEST = 200  # characters of a word whose next best segmentations are searched for


def segmentation_lines(lattice: Lattice[str], pieces: Sequence[str], vocabulary: Container[str]) -> Iterator[str]:
    """Yield the segmentation that the model chose, with its log probabilities, and the next best ones.

    >>> from tokenlab.algorithms.unigram.lattice import build_lattice
    >>> vocabulary = {"a": -1.0, "b": -1.5, "ab": -2.0}
    >>> [*segmentation_lines(build_lattice("ab", vocabulary), ["ab"], vocabulary)]
    ['best:  -2.00  ab (-2.00)', 'next:  -2.50  a (-1.00) + b (-1.50)']
    """
    if not pieces:
        return
    chosen = [_edge(lattice, start, piece) for start, piece in _places(pieces)]
    score = sum(edge.log_prob for edge in chosen)
    yield f"best: {score:6.2f}  {_sum(chosen, vocabulary)}"
    if len(lattice.text) > LONGEST:
        yield f"these are {len(lattice.text)} characters; the next best is searched for in {LONGEST} or fewer"
        return
    if not all(isfinite(edge.log_prob) for edge in lattice.edges):
        return
    others = [(path, other) for path, other in best_paths(lattice, SHOWN) if [edge.piece for edge in path] != [*pieces]]
    for path, other in others[: SHOWN - 1]:
        tied = "; an equal sum: the longest last piece decides" if f"{other:.6f}" == f"{score:.6f}" else ""
        yield f"next: {other:6.2f}  {_sum(path, vocabulary)}{tied}"
    if not others:
        yield "there is no other segmentation"


def _places(pieces: Sequence[str]) -> Iterator[tuple[int, str]]:
    return zip(accumulate(map(len, pieces), initial=0), pieces, strict=False)


def _edge(lattice: Lattice[str], start: int, piece: str) -> Edge[str]:
    return next(edge for edge in lattice.edges_from[start] if edge.piece == piece)


def _sum(path: Iterable[Edge[str]], vocabulary: Container[str]) -> str:
    terms = (
        f"{printable(edge.piece)} ({'' if edge.piece in vocabulary else 'unknown '}{edge.log_prob:.2f})"
        for edge in path
    )
    return " + ".join(terms)


def log_probs(lattice: Lattice[str], vocabulary: Container[str]) -> dict[str, float]:
    """Return the log probabilities of the pieces of a lattice; none if one is above 0 or not finite."""
    pieces = {edge.piece: float(edge.log_prob) for edge in lattice.edges if edge.piece in vocabulary}
    try:
        check_vocabulary(pieces)
    except ValueError:  # no piece occurs in the word, or a score is no log probability
        return {}
    return pieces


def two_best_paths(word: str, pieces: Mapping[str, float], unknown: float | None) -> Recording[Any, Any]:
    """Return a recording of the search for the best and the second-best path; for a long word, of the best one.

    >>> print(two_best_paths("ab", {"a": -1.0, "b": -1.5, "ab": -2.0}, None).result)
    ((('ab',), -2.0), (('a', 'b'), -2.5))
    """
    if len(word) > LONGEST:
        return viterbi.record(word, pieces, unknown)
    return n_best.record(word, pieces, 2, unknown)


def best_path_steps(recording: Recording[Any, Any], end: int) -> list[int]:
    """Return the index of the step that chose the last piece of the best path to this position."""
    return [n for n, step in enumerate(recording) if isinstance(step, BestPathFound) and step.end == end]
