"""The result of `Tokenizer.encode`: ids, tokens, masks, and where in the text each token comes from.

Adds: `Encoding` with the library's attributes and alignment methods. An attribute returns a new list at each request,
as in the library. Tokens and offsets are computed when they are first read (`encoding_columns`).

Difference from the library: where sequences overlap, as after `set_sequence_id` for a merged encoding,
`token_to_sequence` returns the smallest one (there, any).

Source: tokenizers, bindings/python/src/encoding.rs and tokenizers/src/tokenizer/encoding.rs.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from tokenlab.algorithms.text.alignment import Span
from tokenlab.libraries.tokenizers.components.arguments import (
    check_bool,
    check_direction,
    check_names,
    check_text,
    check_unsigned,
    check_unsigned_32,
)
from tokenlab.libraries.tokenizers.encoding_columns import EncodingColumns
from tokenlab.printing.errors import lookup, warn

SHOWN = "ids, type_ids, tokens, offsets, attention_mask, special_tokens_mask, overflowing"
COLUMNS = ("ids", "type_ids", "tokens", "words", "offsets", "special_tokens_mask", "attention_mask")


class Encoding(EncodingColumns):
    """The tokens of one sequence or of a pair of sequences.

    >>> hug = Encoding.lazy([7, 8, 9], lambda: (["h", "u", "gs"], [(0, 1), (1, 2), (2, 4)], [0, 0, 0]))
    >>> hug.tokens, hug.offsets, hug.char_to_token(3)
    (['h', 'u', 'gs'], [(0, 1), (1, 2), (2, 4)], 2)
    >>> hug.truncate(2, stride=1)
    >>> hug.ids, [window.ids for window in hug.overflowing]
    ([7, 8], [[8, 9]])
    """

    __slots__ = ()

    def __init__(self) -> None:
        self._become(self.of([], [], [], [], [], [], []))

    # --- more columns ----------------------------------------------------------------------------

    @property
    def words(self) -> list[int | None]:
        """Deprecated name of `word_ids`."""
        message = "Deprecated in 0.9.4: Encoding.words is deprecated, please use Encoding.word_ids instead."
        warn(message, DeprecationWarning)
        return self.word_ids

    @property
    def sequence_ids(self) -> list[int | None]:
        """Index of the sequence of each token (0 or 1); None for special tokens."""
        sequences: list[int | None] = [None] * len(self._ids)
        for sequence in range(self.n_sequences):
            start, end = self._range(sequence)
            sequences[start:end] = [sequence] * (end - start)
        return sequences

    @property
    def n_sequences(self) -> int:
        """Number of sequences."""
        return len(self.rest.ranges) or 1

    @property
    def overflowing(self) -> list[Encoding]:
        """The other windows of a truncated text; for two texts, all combinations of their windows."""
        return [encoding.copy() for encoding in self.rest.overflowing.read()] if self.rest.overflowing else []

    def __len__(self) -> int:
        return len(self._ids)

    def __repr__(self) -> str:
        return f"Encoding(num_tokens={len(self._ids)}, attributes=[{SHOWN}])"

    # --- alignment --------------------------------------------------------------------------------

    def _range(self, sequence: int) -> tuple[int, int]:
        return self.rest.ranges.get(sequence, (0, len(self._ids)))

    def token_to_sequence(self, token_index: int) -> int | None:
        """Return the sequence (0 or 1) of a token, or None for a special token."""
        token = check_unsigned("token_index", token_index)
        if token > len(self._ids):
            return None
        if not self.rest.ranges:
            return 0
        return min(
            (sequence for sequence, (start, end) in self.rest.ranges.items() if start <= token < end), default=None
        )

    def token_to_chars(self, token_index: int) -> Span | None:
        """Return the offsets of a token in its sequence, or None for a special token."""
        inside = self.token_to_sequence(token_index) is not None and token_index < len(self._ids)
        return self.rest.details.read()[1][token_index] if inside else None

    def token_to_word(self, token_index: int) -> int | None:
        """Return the word of a token in its sequence, or None for a special token."""
        inside = self.token_to_sequence(token_index) is not None and token_index < len(self._ids)
        return self.rest.details.read()[2][token_index] if inside else None

    def char_to_token(self, char_pos: int, sequence_index: int = 0) -> int | None:
        """Return the first token that covers a character of a sequence, or None."""
        char = check_unsigned("char_pos", char_pos)
        first, last = self._range(check_unsigned("sequence_index", sequence_index))
        offsets = self.rest.details.read()[1]
        return next((token for token in range(first, last) if offsets[token][0] <= char < offsets[token][1]), None)

    def char_to_word(self, char_pos: int, sequence_index: int = 0) -> int | None:
        """Return the word that contains a character of a sequence, or None."""
        token = self.char_to_token(char_pos, sequence_index)
        return None if token is None else self.token_to_word(token)

    def word_to_tokens(self, word_index: int, sequence_index: int = 0) -> tuple[int, int] | None:
        """Return the first token of a word of a sequence, and the token after its last one, or None."""
        word = check_unsigned_32("word_index", word_index)
        first, last = self._range(check_unsigned("sequence_index", sequence_index))
        words = self.rest.details.read()[2]
        tokens: list[int] = []
        for token in range(first, last):
            other = words[token]
            if other is not None and other > word:
                break  # words are in order within a sequence
            if other == word:
                tokens.append(token)
        return (tokens[0], tokens[-1] + 1) if tokens else None

    def word_to_chars(self, word_index: int, sequence_index: int = 0) -> Span | None:
        """Return the start and end of a word in its sequence, in characters, or None."""
        tokens = self.word_to_tokens(word_index, sequence_index)
        if tokens is None:
            return None
        offsets = self.rest.details.read()[1]
        return offsets[tokens[0]][0], offsets[tokens[1] - 1][1]

    # --- changes ----------------------------------------------------------------------------------

    @staticmethod
    def merge(encodings: Sequence[Encoding], growing_offsets: bool = True) -> Encoding:
        """Return the encodings one after another.

        Args:
            encodings: a list or tuple of encodings.
            growing_offsets: add to the offsets of each the end of the one before, as if the texts were joined.

        >>> Encoding.merge([Encoding.special([7], ["a"], 0)] * 2).ids
        [7, 7]
        """
        if not isinstance(encodings, Sequence) or isinstance(encodings, str):  # type: ignore[unreachable]
            raise TypeError(f"encodings is a {type(encodings).__name__}, not a Sequence; give a list of Encoding")
        for encoding in encodings:
            if not isinstance(encoding, Encoding):
                raise TypeError(f"encodings has a {type(encoding).__name__}, not an Encoding; give a list of Encoding")
        return Encoding.joined(encodings, check_bool("growing_offsets", growing_offsets))

    def pad(
        self,
        length: int,
        *,
        direction: str = "right",
        pad_id: int = 0,
        pad_type_id: int = 0,
        pad_token: str = "[PAD]",
        **ignored: Any,
    ) -> None:
        """Add padding until there are `length` tokens, also to the encodings that overflow.

        Args:
            length: number of tokens afterwards; a longer encoding stays as it is.
            direction: "right" adds padding at the end, "left" at the start.
            pad_id: id of a padding token.
            pad_type_id: type id of a padding token.
            pad_token: text of a padding token.
            ignored: other names are reported on stdout, as in the library.

        Raises:
            ValueError: the direction is not known, or the length is so large that the library runs out of memory.

        >>> word = Encoding.special([7], ["a"], 0)
        >>> word.pad(3, direction="left")
        >>> word.tokens, word.attention_mask
        (['[PAD]', '[PAD]', 'a'], [0, 0, 1])
        """
        check_names("Encoding.pad", ignored, ("direction", "pad_id", "pad_type_id", "pad_token"))
        self._become(
            self.padded(
                check_unsigned("length", length),
                check_direction(direction),
                check_unsigned_32("pad_id", pad_id),
                check_unsigned_32("pad_type_id", pad_type_id),
                check_text("pad_token", pad_token),
            )
        )

    def truncate(self, max_length: int, stride: int = 0, direction: str = "right") -> None:
        """Keep the first window of `max_length` tokens; the other windows overflow.

        The encoding forgets which sequence its tokens belong to.

        Args:
            max_length: number of tokens of a window; a shorter encoding stays as it is.
            stride: number of tokens that consecutive windows share.
            direction: "right" removes tokens at the end, "left" at the start.

        Raises:
            ValueError: the direction is not known, or `stride` is not less than `max_length`.
        """
        max_length, stride = check_unsigned("max_length", max_length), check_unsigned("stride", stride)
        way = check_direction(direction, "Invalid truncation direction value : {}")
        self._become(self.truncated(max_length, stride, way))

    def set_sequence_id(self, sequence_id: int) -> None:
        """Assign all tokens to a sequence."""
        self._become(self.with_sequence_id(check_unsigned("sequence_id", sequence_id)))

    # --- pickle -----------------------------------------------------------------------------------

    def to_json(self) -> dict[str, Any]:
        """Return all columns as the library saves them."""
        type_ids, special_tokens_mask, attention_mask = self.rest.masks.read()
        tokens, offsets, words = self.rest.details.read()
        return {
            "ids": self.ids,
            "type_ids": type_ids[:],
            "tokens": tokens[:],
            "words": words[:],
            "offsets": offsets[:],
            "special_tokens_mask": special_tokens_mask[:],
            "attention_mask": attention_mask[:],
            "overflowing": [
                encoding.to_json() for encoding in (self.rest.overflowing.read() if self.rest.overflowing else [])
            ],
            "sequence_ranges": {str(id): {"start": start, "end": end} for id, (start, end) in self.rest.ranges.items()},
        }

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> Encoding:
        """Return the encoding with these columns; a missing or wrong one raises a ValueError."""
        columns = {name: lookup("column", name, fields) for name in (*COLUMNS, "overflowing", "sequence_ranges")}
        columns["offsets"] = [(start, end) for start, end in columns["offsets"]]
        columns["overflowing"] = map(cls.from_json, columns["overflowing"])
        ranges = columns["sequence_ranges"].items()
        columns["sequence_ranges"] = {int(id): (span["start"], span["end"]) for id, span in ranges}
        return cls.of(**columns)

    def __getstate__(self) -> bytes:
        return json.dumps(self.to_json(), ensure_ascii=False, separators=(",", ":")).encode()

    def __setstate__(self, state: bytes) -> None:
        if not isinstance(state, bytes):
            raise TypeError(f"state is a {type(state).__name__}, not an instance of bytes")
        self._become(self.from_json(json.loads(state)))
