"""Encoding with WordPiece: the longest piece that the rest of the word starts with, again and again.

Adds: encoding with a vocabulary alone; no merges are remembered. A piece inside a word bears a prefix, `##`.
Still missing: speed on a text, which is `wordpiece_encode_text`.

>>> print(encode_word.record("hugs", {"hug", "##s"}))
1. hugs is not in the vocabulary
2. hug is in the vocabulary: it is the piece at 0
3. ##s is in the vocabulary: it is the piece at 3
"""

from __future__ import annotations

from collections.abc import Collection, Generator
from typing import TypeAlias

from tokenlab.errors import whole_number
from tokenlab.steps import step, stepwise
from tokenlab.visible import visible

# huggingface/tokenizers, models/wordpiece/mod.rs, max_input_chars_per_word; google-research/bert has 200.
LONGEST = 100


@step
class Missed:
    """The window from `start` to `end` is no piece; the next one ends a character earlier."""

    start: int
    end: int
    piece: str

    def __str__(self) -> str:
        """Say what was looked up."""
        return f"{visible(self.piece)} is not in the vocabulary"


@step
class Found:
    """The window is a piece, the longest that stands there; the next window starts where it ends."""

    start: int
    end: int
    piece: str

    def __str__(self) -> str:
        """Say which piece, and where."""
        return f"{visible(self.piece)} is in the vocabulary: it is the piece at {self.start}"


@step
class Lost:
    """No piece starts at `start`, so the whole word is unknown, and the pieces before are thrown away."""

    start: int
    pieces: tuple[str, ...]
    unknown: str

    def __str__(self) -> str:
        """Say where, and what is thrown away."""
        gone = f", and {' '.join(map(visible, self.pieces))} thrown away" if self.pieces else ""
        return f"no piece starts at {self.start}: the whole word is {visible(self.unknown)}{gone}"


@step
class TooLong:
    """The word has more characters than are looked at."""

    length: int
    longest: int
    unknown: str

    def __str__(self) -> str:
        """Say how long it is, and how long it may be."""
        return f"{self.length} characters are more than {self.longest}: the whole word is {visible(self.unknown)}"


Step: TypeAlias = Missed | Found | Lost | TooLong


@stepwise
def encode_word(
    word: str, vocabulary: Collection[str], unknown: str = "[UNK]", prefix: str = "##", longest: int = LONGEST
) -> Generator[Step, None, tuple[str, ...]]:
    """The pieces of a word: a window over all that is left shrinks from the right until it is in the vocabulary.

    Args:
        word: what is encoded; it has been cut out of a text before.
        vocabulary: the pieces; those that stand inside a word begin with the prefix.
        unknown: what stands for a word that cannot be cut into pieces as a whole.
        prefix: the mark of a piece that does not begin a word.
        longest: a word with more characters is unknown.

    Raises:
        TypeError: the word is no string, or the vocabulary a string.

    Source: google-research/bert, tokenization.py, WordpieceTokenizer.tokenize.

    >>> encode_word("hugs", {"hug", "##s"}), encode_word("hugx", {"hug", "##s"})
    (('hug', '##s'), ('[UNK]',))
    """
    check(word, vocabulary, longest)
    if len(word) > longest:
        yield TooLong(len(word), longest, unknown)
        return (unknown,)
    pieces: list[str] = []
    start = 0
    while start < len(word):
        for end in range(len(word), start, -1):
            piece = prefix + word[start:end] if start else word[:end]
            if piece in vocabulary:
                break
            yield Missed(start, end, piece)
        else:
            # subtle: not the rest of the word alone; what was found before is lost, too.
            yield Lost(start, tuple(pieces), unknown)
            return (unknown,)
        yield Found(start, end, piece)
        pieces.append(piece)
        start = end
    return tuple(pieces)


def check(word: object, vocabulary: object, longest: object) -> None:
    """Refuse what would only give odd answers: a vocabulary that is one string has every part of it."""
    if not isinstance(word, str):
        raise TypeError(f"word={word!r:.60} is a {type(word).__name__}; give a string, such as 'hugs'")
    if isinstance(vocabulary, str) or not isinstance(vocabulary, Collection):
        raise TypeError(
            f"vocabulary={vocabulary!r:.60} is a {type(vocabulary).__name__}; give a set or dict of pieces, "
            "such as {'hug', '##s'}"
        )
    whole_number("longest", longest, at_least=0)
