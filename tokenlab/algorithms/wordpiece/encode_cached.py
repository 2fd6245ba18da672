"""Encode a whole text with WordPiece, fast: each distinct word is encoded once.

Adds: a bounded cache of words, and windows that are no longer than the longest token with the same first character.
The steps are those of `encode_word`.
Leaves out: cleaning and lowercasing the text; see `tokenlab.bert`.

>>> WordPieceEncoder({"hug": 0, "##s": 1}).encode("hugs hug bug")
['hug', '##s', 'hug', '[UNK]']
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Generator, Mapping
from itertools import chain
from typing import TypeAlias

from tokenlab.algorithms.text.pretokenize import SPLITTERS, PreTokenizer
from tokenlab.algorithms.text.word_cache import WordCache
from tokenlab.algorithms.wordpiece.encode import MAX_INPUT_CHARS_PER_WORD, Step, check, encode_word
from tokenlab.errors import lookup
from tokenlab.traced_method import traced_method

Start: TypeAlias = tuple[int, dict[str, str]]
NO_PIECES: Start = (0, {})


class WordPieceEncoder:
    """A WordPiece encoder for texts: a vocabulary, a pre-tokenizer and a cache."""

    def __init__(
        self,
        vocabulary: Collection[str],
        unknown: str = "[UNK]",
        prefix: str = "##",
        max_input_chars_per_word: int = MAX_INPUT_CHARS_PER_WORD,
        split: str | PreTokenizer = "whitespace",
    ) -> None:
        """Take the arguments of `encode_word`, and the pre-tokenizer that splits a text into words, or its name.

        Raises:
            ValueError, TypeError: as `encode_word`, or the pre-tokenizer is unknown.
        """
        check("", vocabulary, max_input_chars_per_word)
        self.vocabulary = vocabulary
        self.unknown = unknown
        self.prefix = prefix
        self.max_input_chars_per_word = max_input_chars_per_word
        self.splitter = split if isinstance(split, PreTokenizer) else lookup("split", split, SPLITTERS)
        # Keys are the text in the word; values are the tokens, with their prefix.
        self._first = _by_start({token: token for token in vocabulary})
        inside = [token for token in vocabulary if token.startswith(prefix)]
        self._inside = _by_start({token.removeprefix(prefix): token for token in inside})
        self._words = WordCache(self.encode_uncached)

    def _encode_in_steps(self, text: str) -> Generator[Step, None, list[str]]:
        tokens: list[str] = []
        for word in self.splitter.words(text):
            tokens += yield from encode_word.steps(
                word, self.vocabulary, self.unknown, self.prefix, self.max_input_chars_per_word
            )
        return tokens

    @traced_method(_encode_in_steps)
    def encode(self, text: str) -> list[str]:
        """Return the tokens of a text, word by word; `encode.steps` and `encode.record` return the steps.

        >>> WordPieceEncoder({"a", "##b"}, split="bert").encode("ab, a")
        ['a', '##b', '[UNK]', 'a']
        """
        return list(chain.from_iterable(map(self._words.__getitem__, self.splitter.words(text))))

    def word(self, word: str) -> tuple[str, ...]:
        """Return the tokens of one word, as `encode_word` does.

        >>> WordPieceEncoder({"a", "##b"}).word("ab")
        ('a', '##b')
        """
        return self._words[word]

    def encode_uncached(self, word: str) -> tuple[str, ...]:
        """Return the tokens of one word, without looking into the cache."""
        if len(word) > self.max_input_chars_per_word:
            return (self.unknown,)
        tokens: list[str] = []
        start, by_start = 0, self._first
        while start < len(word):
            longest, known = by_start.get(word[start], NO_PIECES)
            for end in range(min(len(word), start + longest), start, -1):
                if (token := known.get(word[start:end])) is not None:
                    break
            else:
                return (self.unknown,)
            tokens.append(token)
            start, by_start = end, self._inside
        return tuple(tokens)


def _by_start(tokens: Mapping[str, str]) -> dict[str, Start]:
    """Map each character to the tokens that begin with it, and the length of the longest."""
    by_start: dict[str, dict[str, str]] = defaultdict(dict)
    for text, token in tokens.items():
        by_start[text[:1]][text] = token
    return {character: (max(map(len, known)), known) for character, known in by_start.items()}
