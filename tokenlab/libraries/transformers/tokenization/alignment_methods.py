"""Positions of a fast tokenizer's tokens, words and characters: the methods of `BatchEncoding` that need encodings.

Adds: the choice of the text by its position in the batch, negative positions, and the error for slow tokenizers.
Leaves out: the positions themselves, which each `tokenlab.libraries.tokenizers.Encoding` knows.

Source: transformers 4.26.1, tokenization_utils_base.py (`BatchEncoding`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from tokenlab.printing.errors import warn


class CharSpan(NamedTuple):
    """The characters of a text from `start` up to, without, `end`."""

    start: int
    end: int


class TokenSpan(NamedTuple):
    """The tokens of an encoding from `start` up to, without, `end`."""

    start: int
    end: int


class AlignmentMethods:
    """The methods of a batch that look into its encodings.

    Each takes the position of the text in the batch first; with one position less, it means the first text.
    """

    _encodings: Any

    @property
    def encodings(self) -> Sequence[Any] | None:
        """The encodings of a fast tokenizer; None from a slow one."""
        return self._encodings  # type: ignore[no-any-return]

    def tokens(self, batch_index: int = 0) -> list[str]:
        """Return the tokens of a text.

        Raises:
            ValueError: the encoding comes from a slow tokenizer; so in all methods of this class.
        """
        return self._encodings_for("tokens")[batch_index].tokens  # type: ignore[no-any-return]

    def sequence_ids(self, batch_index: int = 0) -> list[int | None]:
        """Return for each token the number of its text, 0 or 1; None for special tokens."""
        return self._encodings_for("sequence_ids")[batch_index].sequence_ids  # type: ignore[no-any-return]

    def word_ids(self, batch_index: int = 0) -> list[int | None]:
        """Return for each token the number of its word; None for special tokens."""
        return self._encodings_for("word_ids")[batch_index].word_ids  # type: ignore[no-any-return]

    def words(self, batch_index: int = 0) -> list[int | None]:
        """Return `word_ids`, with a warning that this name is deprecated."""
        self._encodings_for("words")
        warn("BatchEncoding.words() is deprecated; use BatchEncoding.word_ids(), which returns the same", FutureWarning)
        return self.word_ids(batch_index)

    def token_to_sequence(self, batch_or_token_index: int, token_index: int | None = None) -> int | None:
        """Return the number of a token's text, 0 or 1; None for a special token."""
        encoding, index = self._encoding_and_index(
            "token_to_sequence", batch_or_token_index, token_index, counts_back=True
        )
        return encoding.token_to_sequence(index)  # type: ignore[no-any-return]

    def token_to_word(self, batch_or_token_index: int, token_index: int | None = None) -> int | None:
        """Return the number of a token's word; None for a special token."""
        encoding, index = self._encoding_and_index("token_to_word", batch_or_token_index, token_index, counts_back=True)
        return encoding.token_to_word(index)  # type: ignore[no-any-return]

    def word_to_tokens(
        self, batch_or_word_index: int, word_index: int | None = None, sequence_index: int = 0
    ) -> TokenSpan | None:
        """Return the span of a word's tokens; None if it has none."""
        encoding, index = self._encoding_and_index("word_to_tokens", batch_or_word_index, word_index, counts_back=True)
        span = encoding.word_to_tokens(index, sequence_index)
        return None if span is None else TokenSpan(*span)

    def token_to_chars(self, batch_or_token_index: int, token_index: int | None = None) -> CharSpan | None:
        """Return the span of a token's characters; None for a special token."""
        encoding, index = self._encoding_and_index("token_to_chars", batch_or_token_index, token_index)
        span = encoding.token_to_chars(index)
        return None if span is None else CharSpan(*span)

    def char_to_token(
        self, batch_or_char_index: int, char_index: int | None = None, sequence_index: int = 0
    ) -> int | None:
        """Return the index of a character's token; None if it has none, as most spaces."""
        encoding, index = self._encoding_and_index("char_to_token", batch_or_char_index, char_index)
        return encoding.char_to_token(index, sequence_index)  # type: ignore[no-any-return]

    def word_to_chars(
        self, batch_or_word_index: int, word_index: int | None = None, sequence_index: int = 0
    ) -> CharSpan:
        """Return the span of a word's characters.

        Raises:
            TypeError: there is no such word.
        """
        encoding, index = self._encoding_and_index("word_to_chars", batch_or_word_index, word_index)
        span = encoding.word_to_chars(index, sequence_index)
        if span is None:
            raise TypeError(f"word_index={index} is no word of text {sequence_index}; see word_ids()")
        return CharSpan(*span)

    def char_to_word(
        self, batch_or_char_index: int, char_index: int | None = None, sequence_index: int = 0
    ) -> int | None:
        """Return the number of a character's word; None if it is in none."""
        encoding, index = self._encoding_and_index("char_to_word", batch_or_char_index, char_index)
        return encoding.char_to_word(index, sequence_index)  # type: ignore[no-any-return]

    def _encodings_for(self, method: str) -> Sequence[Any]:
        if not self._encodings:
            raise ValueError(f"{method}() needs the encodings of a fast tokenizer; a slow one knows no positions")
        return self._encodings  # type: ignore[no-any-return]

    def _encoding_and_index(
        self, method: str, first: int, second: int | None, counts_back: bool = False
    ) -> tuple[Any, int]:
        """Return the encoding of a text, and the position in it.

        Args:
            method: its name, for errors.
            first: the position of the text, or in the first text.
            second: the position in the text, if `first` is that of the text.
            counts_back: the library should count negative positions from the end, but its attributes for this are
                missing.
        """
        encodings = self._encodings_for(method)
        text, index = (0, first) if second is None else (first, second)
        if counts_back and (text < 0 or index < 0):
            raise AttributeError(f"{method}({first}, {second}): negative positions are not supported; count from 0")
        return encodings[text], index
