"""What becomes of a piece that may be built but not used: it is taken apart again into what it was merged from.

Adds: the last step of sentencepiece's BPE. A vocabulary marks pieces as unused where a text in another language, or a
rare piece, should not get them; merging still goes through them, to what lies beyond.
Leaves out: the merging, which is `bpe_encode_agenda`.

>>> print(resegment.record(["hug", "s"], {"hug": ("hu", "g"), "hu": ("h", "u")}, {"hug", "hu"}))
1. hug is not used: hu + g stand in its place
2. hu is not used: h + u stand in its place
"""

from __future__ import annotations

from collections.abc import Collection, Generator, Iterable, Mapping

from tokenlab.steps import step, stepwise
from tokenlab.visible import visible


@step
class TakenApart:
    """An unused piece was replaced by its two parts; `at` is its place among the pieces."""

    at: int
    piece: str
    parts: tuple[str, str]

    def __str__(self) -> str:
        """Say which piece, and its parts."""
        return f"{visible(self.piece)} is not used: {' + '.join(map(visible, self.parts))} stand in its place"


@stepwise
def resegment(
    pieces: Iterable[str], parts: Mapping[str, tuple[str, str]], unused: Collection[str]
) -> Generator[TakenApart, None, tuple[str, ...]]:
    """The pieces with every unused one taken apart, and its parts again, as long as a merge made them.

    Args:
        pieces: what merging gave.
        parts: for a piece that a merge made, the two pieces that it was made of.
        unused: the pieces that may not stand in a result.

    Source: sentencepiece, src/bpe_model.cc, Model::SampleEncode, resegment.

    >>> resegment(["ab", "ab"], {"ab": ("a", "b")}, {"ab"})
    ('a', 'b', 'a', 'b')
    """
    found = list(pieces)
    place = 0
    while place < len(found):
        piece = found[place]
        if piece in unused and piece in parts:
            # subtle: the place does not move on, for the left part may be unused too.
            found[place : place + 1] = parts[piece]
            yield TakenApart(place, piece, parts[piece])
        else:
            place += 1
    return tuple(found)
