"""Encode a whole text with WordPiece, fast: each distinct word is encoded once.

Adds: a bounded cache of words, and a longest match in linear time (`wordpiece.longest_match_trie`). The steps are those
of `encode_word`.
Leaves out: cleaning and lowercasing the text; see `tokenlab.libraries.bert`.

>>> WordPieceEncoder({"hug": 0, "##s": 1}).encode("hugs hug bug")
['hug', '##s', 'hug', '[UNK]']
"""

from __future__ import annotations

from collections.abc import Collection, Generator
from itertools import chain

from tokenlab.algorithms.text.pretokenize import SPLITTERS, PreTokenizer
from tokenlab.algorithms.text.word_cache import WordCache
from tokenlab.algorithms.wordpiece.encode import MAX_INPUT_CHARS_PER_WORD, Step, check, encode_word
from tokenlab.algorithms.wordpiece.longest_match_trie import LongestMatchTrie
from tokenlab.printing.errors import lookup
from tokenlab.steps.traced_method import traced_method


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
        self._trie = LongestMatchTrie(vocabulary, prefix)
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
        tokens = self._trie.tokens(word)
        return (self.unknown,) if tokens is None else tokens
