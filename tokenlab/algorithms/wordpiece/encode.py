"""Encode with WordPiece: repeatedly take the longest token at the start of the rest of the word (longest match first).

Adds: encoding with a vocabulary alone; no merges are stored. A token inside a word has the prefix `##`.
Still missing: speed on a text; see `wordpiece.encode_cached`.

>>> print(encode_word.record("hugs", {"hug", "##s"}))
1. hugs is not in the vocabulary
2. hug is in the vocabulary: a token starts at 0
3. ##s is in the vocabulary: a token starts at 3
"""

from __future__ import annotations

from collections.abc import Collection, Generator
from typing import TypeAlias

from tokenlab.printing.errors import check_integer
from tokenlab.printing.printable import Parts, SymbolPart, symbol_parts
from tokenlab.steps.recording import step, stepwise

# huggingface/tokenizers, models/wordpiece/mod.rs, max_input_chars_per_word; google-research/bert has 200.
MAX_INPUT_CHARS_PER_WORD = 100


@step
class NotInVocabulary:
    """The window from `start` to `end` is not a token; the next window ends one character earlier."""

    start: int
    end: int
    token: str

    def sentence(self) -> Parts:
        """Say that the window was looked up in vain."""
        return [SymbolPart(self.token, "unknown"), " is not in the vocabulary"]


@step
class LongestMatch:
    """The window is the longest token at `start`; the next window starts at `end`."""

    start: int
    end: int
    token: str

    def sentence(self) -> Parts:
        """Name the token and its place."""
        return [SymbolPart(self.token, "new"), " is in the vocabulary: a token starts at ", self.start]


@step
class UnknownWord:
    """No token starts at `start`, so the whole word is unknown and the earlier tokens are discarded."""

    start: int
    tokens: tuple[str, ...]
    unknown: str

    def sentence(self) -> Parts:
        """Say why the word is unknown, and which tokens are lost."""
        discarded = [" instead of ", *symbol_parts(self.tokens)] if self.tokens else []
        whole = SymbolPart(self.unknown, "unknown")
        return ["no token starts at ", self.start, ", so the whole word is ", whole, *discarded]


@step
class WordTooLong:
    """The word has more characters than the limit."""

    length: int
    max_length: int
    unknown: str

    def sentence(self) -> Parts:
        """Say why the word is unknown."""
        whole = SymbolPart(self.unknown, "unknown")
        return [self.length, " characters are more than ", self.max_length, ", so the whole word is ", whole]


Step: TypeAlias = NotInVocabulary | LongestMatch | UnknownWord | WordTooLong


@stepwise
def encode_word(
    word: str,
    vocabulary: Collection[str],
    unknown: str = "[UNK]",
    prefix: str = "##",
    max_input_chars_per_word: int = MAX_INPUT_CHARS_PER_WORD,
) -> Generator[Step, None, tuple[str, ...]]:
    """Pieces of a word: a window over the rest of the word shrinks from the right until it is in the vocabulary.

    Args:
        word: the pre-token to encode.
        vocabulary: the tokens; tokens inside a word begin with the prefix.
        unknown: the token for a word that cannot be segmented completely.
        prefix: the prefix of a token that does not begin a word.
        max_input_chars_per_word: a longer word is unknown.

    Raises:
        TypeError: the word is not a string, or the vocabulary is a string.

    Source: google-research/bert, tokenization.py, WordpieceTokenizer.tokenize.

    >>> encode_word("hugs", {"hug", "##s"}), encode_word("hugx", {"hug", "##s"})
    (('hug', '##s'), ('[UNK]',))
    """
    check(word, vocabulary, max_input_chars_per_word)
    if len(word) > max_input_chars_per_word:
        yield WordTooLong(len(word), max_input_chars_per_word, unknown)
        return (unknown,)
    tokens: list[str] = []
    start = 0
    while start < len(word):
        for end in range(len(word), start, -1):
            token = prefix + word[start:end] if start else word[:end]
            if token in vocabulary:
                break
            yield NotInVocabulary(start, end, token)
        else:
            # subtle: the whole word becomes unknown, not only its rest; the tokens already found are lost.
            yield UnknownWord(start, tuple(tokens), unknown)
            return (unknown,)
        yield LongestMatch(start, end, token)
        tokens.append(token)
        start = end
    return tuple(tokens)


def check(word: object, vocabulary: object, max_input_chars_per_word: object) -> None:
    """Reject arguments that fail silently: a vocabulary that is one string contains all of its substrings."""
    if not isinstance(word, str):
        raise TypeError(f"word={word!r:.60} is a {type(word).__name__}; give a string, such as 'hugs'")
    if isinstance(vocabulary, str) or not isinstance(vocabulary, Collection):
        raise TypeError(
            f"vocabulary={vocabulary!r:.60} is a {type(vocabulary).__name__}; give a set or dict of tokens, "
            "such as {'hug', '##s'}"
        )
    check_integer("max_input_chars_per_word", max_input_chars_per_word, at_least=0)
