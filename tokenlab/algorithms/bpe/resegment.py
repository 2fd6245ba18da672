"""Split unused pieces again into the pieces that they were merged from.

Adds: the last step of sentencepiece's BPE. A vocabulary can mark pieces as unused, such as those of another language or
rare ones. Merging still builds them on the way to longer pieces, but the result must not contain them.
Leaves out: the merging; see `bpe.encode_priority_queue`.

>>> print(resegment.record(["hug", "s"], {"hug": ("hu", "g"), "hu": ("h", "u")}, {"hug", "hu"}))
1. hug is unused: split into hu + g
2. hu is unused: split into h + u
"""

from __future__ import annotations

from collections.abc import Collection, Generator, Iterable, Mapping

from tokenlab.printing.printable import Parts, SymbolPart, symbol_parts
from tokenlab.steps.recording import step, stepwise


@step
class PieceSplit:
    """An unused piece was replaced by its two parts; `at` is its index in the segmentation."""

    at: int
    piece: str
    parts: tuple[str, str]

    def sentence(self) -> Parts:
        """Name the piece and its parts."""
        return [SymbolPart(self.piece), " is unused: split into ", *symbol_parts(self.parts, "new", between=" + ")]


@stepwise
def resegment(
    pieces: Iterable[str], parts: Mapping[str, tuple[str, str]], unused: Collection[str]
) -> Generator[PieceSplit, None, tuple[str, ...]]:
    """Recursively split each unused piece into the two pieces that were merged to make it.

    Args:
        pieces: the segmentation after merging.
        parts: for each piece that a merge made, its left and right piece.
        unused: the pieces that the result must not contain.

    Raises:
        ValueError: the parts of a piece, joined, are not the piece, or one of them is empty.

    Source: sentencepiece, src/bpe_model.cc, Model::SampleEncode, resegment.

    >>> resegment(["ab", "ab"], {"ab": ("a", "b")}, {"ab"})
    ('a', 'b', 'a', 'b')
    """
    found = list(pieces)
    place = 0
    while place < len(found):
        piece = found[place]
        if piece in unused and piece in parts:
            left, right = parts[piece]
            if not left or not right or left + right != piece:
                raise ValueError(f"parts[{piece!r}]={parts[piece]!r}: give two shorter pieces that make {piece!r}")
            # subtle: the index stays, because the left part may be unused as well.
            found[place : place + 1] = left, right
            yield PieceSplit(place, piece, (left, right))
        else:
            place += 1
    return tuple(found)
