"""Encoding a whole text with WordPiece, fast: each different word is cut once.

Adds: a bounded cache of words; and where a window starts, it is no longer than the longest piece that begins with the
character there. The steps are those of `encode_word`.
Leaves out: cleaning and lower-casing the text, which is `tokenlab.bert`.

>>> WordPiece({"hug": 0, "##s": 1}).encode("hugs hug bug")
['hug', '##s', 'hug', '[UNK]']
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Generator, Mapping
from itertools import chain
from typing import TypeAlias

from tokenlab.algorithms.split import SPLITTERS, Splitter
from tokenlab.algorithms.wordpiece_encode import LONGEST, Step, check, encode_word
from tokenlab.errors import by_name
from tokenlab.watchable import watchable

Start: TypeAlias = tuple[int, dict[str, str]]
NOTHING: Start = (0, {})


class WordPiece:
    """A vocabulary with what is needed to encode texts with it."""

    def __init__(
        self,
        vocabulary: Collection[str],
        unknown: str = "[UNK]",
        prefix: str = "##",
        longest: int = LONGEST,
        split: str | Splitter = "whitespace",
    ) -> None:
        """Take the arguments of `encode_word`, and what cuts a text into words: a name or a splitter.

        Raises:
            ValueError, TypeError: as `encode_word`; a splitter that is not known.
        """
        check("", vocabulary, longest)
        self.vocabulary = vocabulary
        self.unknown = unknown
        self.prefix = prefix
        self.longest = longest
        self.splitter = split if isinstance(split, Splitter) else by_name("split", split, SPLITTERS)
        self._words = _Words(vocabulary, unknown, prefix, longest)

    def _encode_in_steps(self, text: str) -> Generator[Step, None, list[str]]:
        pieces: list[str] = []
        for word in self.splitter.words(text):
            pieces += yield from encode_word.steps(word, self.vocabulary, self.unknown, self.prefix, self.longest)
        return pieces

    @watchable(_encode_in_steps)
    def encode(self, text: str) -> list[str]:
        """The pieces of a text, word by word; `encode.steps` and `encode.record` show the way.

        >>> WordPiece({"a", "##b"}, split="bert").encode("ab, a")
        ['a', '##b', '[UNK]', 'a']
        """
        return list(chain.from_iterable(map(self._words.__getitem__, self.splitter.words(text))))

    def word(self, word: str) -> tuple[str, ...]:
        """The pieces of one word, as `encode_word` gives them.

        >>> WordPiece({"a", "##b"}).word("ab")
        ('a', '##b')
        """
        return self._words[word]


class _Words(dict[str, tuple[str, ...]]):
    """The pieces of each word that was met; bounded, and without the long ones, which hardly come again."""

    MOST = 100_000  # words

    def __init__(self, vocabulary: Collection[str], unknown: str, prefix: str, longest: int) -> None:
        super().__init__()
        self.unknown = (unknown,)
        self.longest = longest
        # A window is looked up as it stands in the word; what is found there is the piece with its prefix.
        inside = [piece for piece in vocabulary if piece.startswith(prefix)]
        self.first = _by_start({piece: piece for piece in vocabulary})
        self.inside = _by_start({piece.removeprefix(prefix): piece for piece in inside})

    def __missing__(self, word: str) -> tuple[str, ...]:
        if len(word) > self.longest:
            return self.unknown
        pieces = self._cut(word)
        if len(self) >= self.MOST:
            self.clear()
        self[word] = pieces
        return pieces

    def _cut(self, word: str) -> tuple[str, ...]:
        pieces: list[str] = []
        start, by_start = 0, self.first
        while start < len(word):
            longest, known = by_start.get(word[start], NOTHING)
            for end in range(min(len(word), start + longest), start, -1):
                if (piece := known.get(word[start:end])) is not None:
                    break
            else:
                return self.unknown
            pieces.append(piece)
            start, by_start = end, self.inside
        return tuple(pieces)


def _by_start(pieces: Mapping[str, str]) -> dict[str, Start]:
    """For each character the pieces that begin with it, and how long the longest of them is."""
    by_start: dict[str, dict[str, str]] = defaultdict(dict)
    for spelled, piece in pieces.items():
        by_start[spelled[:1]][spelled] = piece
    return {character: (max(map(len, known)), known) for character, known in by_start.items()}
