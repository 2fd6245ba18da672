"""A token of a model: its id, its text, and where it is in the tokenized text.

Source: tokenizers 0.23.3, bindings/python/src/token.rs.

>>> Token(7, "é", (0, 2)).as_tuple()
(7, 'é', (0, 2))
"""

from __future__ import annotations

from tokenlab.libraries.tokenizers.components.arguments import UNSIGNED_32, check_text, check_unsigned
from tokenlab.libraries.tokenizers.spans import Span


class Token:
    """An id, a value, and offsets in UTF-8 bytes of the tokenized text; the three cannot be assigned."""

    __slots__ = ("_id", "_offsets", "_value")

    def __init__(self, id: int, value: str, offsets: Span) -> None:
        """Check and keep the three fields.

        Raises:
            TypeError: `id` is not an integer, `value` not a str, or `offsets` not a tuple.
            ValueError: `offsets` has not two items.
            OverflowError: a number is negative, or an id is not less than 2**32.
        """
        self._id = check_unsigned("id", id, UNSIGNED_32)
        self._value = check_text("value", value)
        if not isinstance(offsets, tuple):
            raise TypeError(f"offsets={offsets!r:.60} should be a tuple (start, end), not {type(offsets).__name__}")
        if len(offsets) != 2:
            raise ValueError(f"offsets={offsets!r:.60} has {len(offsets)} items; give a start and an end")
        self._offsets = (check_unsigned("the start", offsets[0]), check_unsigned("the end", offsets[1]))

    @classmethod
    def unchecked(cls, id: int, value: str, offsets: Span) -> Token:
        """Return a token without checks, for the models of this package."""
        token = cls.__new__(cls)
        token._id, token._value, token._offsets = id, value, offsets
        return token

    @property
    def id(self) -> int:
        """The id in the vocabulary."""
        return self._id

    @property
    def value(self) -> str:
        """The text of the token in the vocabulary."""
        return self._value

    @property
    def offsets(self) -> Span:
        """Start and end, in bytes of the tokenized text."""
        return self._offsets

    def as_tuple(self) -> tuple[int, str, Span]:
        """Return the id, the value and the offsets."""
        return self._id, self._value, self._offsets

    def __repr__(self) -> str:
        return f"Token(id={self._id}, value={self._value!r}, offsets={self._offsets})"
