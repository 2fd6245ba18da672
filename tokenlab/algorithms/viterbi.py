"""Viterbi: the most probable segmentation, found position by position.

Adds: for each position the best way to reach it, made of the best ways to reach the positions before it; then the way
back from the end.
Leaves out: every segmentation but one (`n_best`, `sampling`), and speed on a whole text (`unigram_encode`).
Source: Viterbi 1967; sentencepiece's unigram_model.cc, Model::EncodeOptimized; tokenizers' unigram/model.rs.

>>> print(viterbi.record("hug", {"h": -2.0, "u": -2.0, "g": -2.0, "hu": -3.0, "ug": -2.5}))
1. position 1: h alone ends here, -2.00 in all
2. position 2: hu is the best of 2 pieces that end here, -3.00 in all
3. position 3: ug is the best of 2 pieces that end here, -4.50 in all
4. back from 3 to 1: ug
5. back from 1 to 0: h
"""

from __future__ import annotations

from collections.abc import Generator
from math import inf
from typing import Literal, TypeAlias, get_args

from tokenlab.algorithms.lattice import Edge, Lattice, build_lattice, pieces_of
from tokenlab.algorithms.trie import Trie
from tokenlab.algorithms.unigram_vocabulary import Vocabulary
from tokenlab.steps import step, stepwise
from tokenlab.visible import visible

TieRule: TypeAlias = Literal["longest_last", "shortest_last"]


@step
class Reached:
    """The best way to a position: its last piece, and the log probability of the whole way.

    Of `arriving` pieces that end here, `ties`, this one among them, were as good.
    """

    end: int
    piece: str
    score: float
    arriving: int
    ties: int

    def __str__(self) -> str:
        """Say which piece won, of how many, and what the way weighs."""
        ending = f"of {self.arriving} pieces that end here"
        if self.ties > 1:
            ending = f"{ending} ({self.ties} are equally good)"
        best = "alone ends here" if self.arriving == 1 else f"is the best {ending}"
        return f"position {self.end}: {visible(self.piece)} {best}, {self.score:.2f} in all"


@step
class FollowedBack:
    """From the end, a pointer was followed back over the best last piece."""

    start: int
    end: int
    piece: str

    def __str__(self) -> str:
        """Say from where to where, and over which piece."""
        return f"back from {self.end} to {self.start}: {visible(self.piece)}"


@stepwise
def viterbi(
    text: str,
    vocabulary: Vocabulary | Trie[float],
    unknown: float | None = None,
    ties: TieRule = "longest_last",
    join_unknown: bool = False,
) -> Generator[Reached | FollowedBack, None, tuple[str, ...]]:
    """The pieces of the most probable segmentation.

    Args:
        text: what is cut.
        vocabulary: the log probability of each piece.
        unknown: the log probability of a character that is no piece (`unknown_log_probability` gives the libraries').
        ties: of equally probable ways to a position, the one whose last piece is the longest (as sentencepiece and
            tokenizers have it) or the shortest.
        join_unknown: whether neighbours that no piece covers become one.

    Raises:
        TypeError, ValueError: as `build_lattice`; a rule for ties that is not known.

    >>> viterbi("hug", {"h": -2.0, "u": -2.0, "g": -2.0, "hu": -3.0, "ug": -2.5})
    ('h', 'ug')
    """
    path = yield from best_path.steps(build_lattice(text, vocabulary, unknown), ties)
    return pieces_of(path, join_unknown)


@stepwise
def best_path(
    lattice: Lattice, ties: TieRule = "longest_last"
) -> Generator[Reached | FollowedBack, None, tuple[Edge, ...]]:
    """The edges of the most probable path through a lattice.

    >>> best_path(build_lattice("ab", {"a": -1.0, "b": -1.0, "ab": -2.0}), ties="shortest_last")[0].piece
    'a'
    """
    _, last = yield from reach(lattice, ties)
    path: list[Edge] = []
    while pointer := last[path[-1].start if path else -1]:
        path.append(pointer)
        yield FollowedBack(pointer.start, pointer.end, pointer.piece)
    return tuple(reversed(path))


def reach(
    lattice: Lattice, ties: TieRule = "longest_last"
) -> Generator[Reached, None, tuple[list[float], list[Edge | None]]]:
    """The log probability of the best way to each position, and the last edge on it: the table that Viterbi fills."""
    if ties not in get_args(TieRule):
        raise ValueError(f"ties={ties!r} is no rule for ties; there are: {', '.join(get_args(TieRule))}")
    scores = [0.0] + [-inf] * len(lattice.text)
    last: list[Edge | None] = [None] * len(scores)
    for end, arriving in enumerate(lattice.edges_to):
        if arriving:
            totals = [scores[edge.start] + edge.log_prob for edge in arriving]
            best = scores[end] = max(totals)
            # subtle: the longest piece arrives first, so that the first of equals is the longest.
            tied = [edge for edge, total in zip(arriving, totals, strict=True) if total == best]
            last[end] = edge = tied[0] if ties == "longest_last" else tied[-1]
            yield Reached(end, edge.piece, best, len(arriving), len(tied))
    return scores, last
