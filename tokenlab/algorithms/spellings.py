"""All ways in which a vocabulary can write a word: a word is a text, and a forbidden token is one way to write it.

Adds: the blank in front, and all cuts. Leaves out: upper case, other characters that look alike, and the tokens that
reach beyond the word.

>>> print(spellings.record("tea", ["tea", "te", "a", "▁tea"]))
1. the word alone: tea
2. the word alone: te + a
3. behind a blank: ▁tea
"""

from __future__ import annotations

from collections.abc import Collection, Generator, Iterator

from tokenlab.algorithms.unigram_encode import BLANK
from tokenlab.steps import step, stepwise

Cut = tuple[str, ...]


@step
class Spelled:
    """One list of pieces makes the word."""

    pieces: Cut
    behind_a_blank: bool

    def __str__(self) -> str:
        """Say where it stands, and the pieces."""
        return f"{'behind a blank' if self.behind_a_blank else 'the word alone'}: {' + '.join(self.pieces)}"


@stepwise
def spellings(word: str, pieces: Collection[str]) -> Generator[Spelled, None, tuple[Cut, ...]]:
    """Each list of pieces that makes the word: first alone, then with a blank in front, the shortest first.

    >>> spellings("London", ["London", "Lon", "don", "▁London", "▁"])
    (('London',), ('Lon', 'don'), ('▁London',), ('▁', 'London'), ('▁', 'Lon', 'don'))
    """
    found = []
    for text in (word, BLANK + word):
        for cut in sorted({*cuts(text, pieces)}, key=lambda cut: (len(cut), cut)):
            found.append(cut)
            yield Spelled(cut, text != word)
    return tuple(found)


def cuts(text: str, pieces: Collection[str]) -> Iterator[Cut]:
    """All lists of pieces that make a text.

    >>> sorted(cuts("aab", ["a", "aa", "b"]))
    [('a', 'a', 'b'), ('aa', 'b')]
    """
    if not text:
        yield ()
    for piece in pieces:
        if piece and text.startswith(piece):
            yield from ((piece, *rest) for rest in cuts(text[len(piece) :], pieces))
