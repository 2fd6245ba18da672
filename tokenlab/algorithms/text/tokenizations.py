"""All tokenizations of a word: to ban a word in generation, every one of its token sequences has to be banned.

Adds: all segmentations, without and with a leading space. Leaves out: upper case, similar-looking characters, and
tokens that extend beyond the word.

>>> print(tokenizations.record("tea", ["tea", "te", "a", "▁tea"]))
1. the word alone: tea
2. the word alone: te + a
3. with a leading space: ▁tea
"""

from __future__ import annotations

from collections.abc import Collection, Generator, Iterator

from tokenlab.algorithms.unigram.encode import SPACE
from tokenlab.printing.printable import Parts, symbol_parts
from tokenlab.steps.recording import step, stepwise

Pieces = tuple[str, ...]


@step
class TokenizationFound:
    """One list of pieces spells the word."""

    pieces: Pieces
    leading_space: bool

    def sentence(self) -> Parts:
        """Name the pieces."""
        where = "with a leading space" if self.leading_space else "the word alone"
        return [f"{where}: ", *symbol_parts(self.pieces, between=" + ")]


@stepwise
def tokenizations(word: str, pieces: Collection[str]) -> Generator[TokenizationFound, None, tuple[Pieces, ...]]:
    """Return each list of pieces that spells the word, first alone, then with a leading space; shortest lists first.

    >>> tokenizations("London", ["London", "Lon", "don", "▁London", "▁"])
    (('London',), ('Lon', 'don'), ('▁London',), ('▁', 'London'), ('▁', 'Lon', 'don'))
    """
    found = []
    for text in (word, SPACE + word):
        for segmentation in sorted({*segmentations(text, pieces)}, key=lambda one: (len(one), one)):
            found.append(segmentation)
            yield TokenizationFound(segmentation, text != word)
    return tuple(found)


def segmentations(text: str, pieces: Collection[str]) -> Iterator[Pieces]:
    """Yield all lists of pieces that spell a text.

    >>> sorted(segmentations("aab", ["a", "aa", "b"]))
    [('a', 'a', 'b'), ('aa', 'b')]
    """
    if not text:
        yield ()
    for piece in pieces:
        if piece and text.startswith(piece):
            yield from ((piece, *rest) for rest in segmentations(text[len(piece) :], pieces))
