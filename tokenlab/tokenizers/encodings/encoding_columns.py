"""The columns of an encoding: ids at once, everything else when it is first read.

Adds: `EncodingColumns`, whose methods return a new encoding (`truncated`, `padded`, `joined`, ...). No method changes
one, so encodings share columns, and a column of a truncated text is computed only if somebody reads it.
Leaves out: the public methods, which change an encoding (`encoding`).

Source: tokenizers, src/tokenizer/encoding.rs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import reduce
from typing import Any, Self, TypeAlias

from tokenlab.algorithms.pipeline.pad import pad
from tokenlab.algorithms.pipeline.truncate import Direction, overflow_windows
from tokenlab.tokenizers.encodings.lazy import Lazy

Offsets: TypeAlias = tuple[int, int]  # characters of the original sequence; the end is exclusive
Details: TypeAlias = tuple[list[str], list[Offsets], list[int | None]]  # tokens, offsets, words
Masks: TypeAlias = tuple[list[int], list[int], list[int]]  # type ids, special-tokens mask, attention mask
Ranges: TypeAlias = Mapping[int, tuple[int, int]]  # per sequence the first token, and the token after the last one

Specials: TypeAlias = Sequence[tuple[str, int]]  # special tokens with their ids

NO_RANGES: Ranges = {}


class EncodingColumns:
    """Ids, lazy columns of the same length, encodings that overflow, and the tokens of each sequence."""

    __slots__ = ("__dict__", "__weakref__", "_details", "_ids", "_masks", "_overflowing", "_ranges")
    _ids: list[int]
    _masks: Lazy[Masks]
    _details: Lazy[Details]
    _overflowing: Lazy[list[Self]] | None
    _ranges: Ranges

    @classmethod
    def _made(
        cls,
        ids: list[int],
        masks: Lazy[Masks],
        details: Lazy[Details],
        overflowing: Lazy[list[Self]] | None = None,
        ranges: Ranges = NO_RANGES,
    ) -> Self:
        made = cls.__new__(cls)
        made._ids, made._masks, made._details = ids, masks, details
        made._overflowing, made._ranges = overflowing, ranges
        return made

    def _become(self, other: Self) -> None:
        self._ids, self._masks, self._details = other._ids, other._masks, other._details
        self._overflowing, self._ranges = other._overflowing, other._ranges

    @classmethod
    def lazy(cls, ids: list[int], details: Callable[[], Details], type_id: int = 0) -> Self:
        """Return the encoding of ordinary tokens; `details` computes tokens, offsets and words when they are read.

        >>> from tokenlab.tokenizers.encodings.encoding import Encoding
        >>> Encoding.lazy([7, 8], lambda: (["a", "b"], [(0, 1), (1, 2)], [0, 0]), type_id=1).type_ids
        [1, 1]
        """
        count = len(ids)
        return cls._made(ids, Lazy(lambda: ([type_id] * count, [0] * count, [1] * count)), Lazy(details))

    @classmethod
    def of(
        cls,
        ids: Sequence[int],
        type_ids: Sequence[int],
        tokens: Sequence[str],
        words: Sequence[int | None],
        offsets: Sequence[Offsets],
        special_tokens_mask: Sequence[int],
        attention_mask: Sequence[int],
        overflowing: Iterable[Self] = (),
        sequence_ranges: Ranges | None = None,
    ) -> Self:
        """Return the encoding with these columns, all of the same length."""
        rest = list(overflowing)
        return cls._made(
            list(ids),
            Lazy.known((list(type_ids), list(special_tokens_mask), list(attention_mask))),
            Lazy.known((list(tokens), list(offsets), list(words))),
            Lazy.known(rest) if rest else None,
            dict(sequence_ranges or {}),
        )

    @classmethod
    def special(cls, ids: Sequence[int], tokens: Sequence[str], type_id: int) -> Self:
        """Return the encoding of special tokens, which come from no part of the text."""
        count = len(ids)
        nowhere: list[Offsets] = [(0, 0)] * count
        return cls.of(ids, [type_id] * count, tokens, [None] * count, nowhere, [1] * count, [1] * count)

    # --- parts ------------------------------------------------------------------------------------

    def replaced(
        self,
        masks: Lazy[Masks] | None = None,
        details: Lazy[Details] | None = None,
        overflowing: Callable[[Self], Self] | None = None,
        ranges: Ranges | None = None,
    ) -> Self:
        """Return a copy with other columns; the function `overflowing` changes each encoding that overflows."""
        rest = self._overflowing
        if rest and overflowing:
            change = overflowing
            rest = Lazy(lambda encodings: [change(encoding) for encoding in encodings], rest)
        return self._made(
            self._ids, masks or self._masks, details or self._details, rest, self._ranges if ranges is None else ranges
        )

    def copy(self) -> Self:
        """Return a copy, which shares the columns."""
        return self._made(self._ids, self._masks, self._details, self._overflowing, self._ranges)

    def as_sequence(self, sequence_id: int) -> Self:
        """Return a copy whose tokens are those of the first (0) or second (1) sequence, and have this type id.

        Encodings that overflow belong to the sequence also, and keep their type ids.
        """
        rest = self._overflowing and Lazy(
            lambda encodings: [encoding.with_sequence_id(sequence_id) for encoding in encodings], self._overflowing
        )
        return self._made(self._ids, self._typed(sequence_id), self._details, rest, self._with_range(sequence_id))

    def as_piece(self, sequence_id: int, type_id: int) -> Self:
        """Return a copy whose tokens are those of a sequence, and have a type id; what overflows is not changed."""
        masks, ranges = self._typed(type_id), self._with_range(sequence_id)
        return self._made(self._ids, masks, self._details, self._overflowing, ranges)

    def _typed(self, type_id: int) -> Lazy[Masks]:
        count = len(self._ids)
        return Lazy(lambda masks: ([type_id] * count, masks[1], masks[2]), self._masks)

    def _with_range(self, sequence_id: int) -> Ranges:
        whole = (0, len(self._ids))
        return {**self._ranges, sequence_id: whole} if self._ranges else {sequence_id: whole}

    def with_type_id(self, type_id: int) -> Self:
        """Return a copy in which all tokens have this type id; encodings that overflow keep theirs."""
        return self._made(self._ids, self._typed(type_id), self._details, self._overflowing, self._ranges)

    def with_sequence_id(self, sequence_id: int) -> Self:
        """Return a copy in which all tokens belong to a sequence."""
        return self._made(self._ids, self._masks, self._details, self._overflowing, self._with_range(sequence_id))

    def sliced(self, start: int, stop: int) -> Self:
        """Return the tokens from `start` to `stop`; which sequence they belong to is lost, as in the library.

        >>> from tokenlab.tokenizers.encodings.encoding import Encoding
        >>> Encoding.special([7, 8, 9], "abc", 0).sliced(1, 3).ids
        [8, 9]
        """

        def cut(columns: tuple[Any, ...]) -> Any:
            return tuple(column[start:stop] for column in columns)

        return self._made(self._ids[start:stop], Lazy(cut, self._masks), Lazy(cut, self._details))

    def truncated(self, max_length: int, stride: int = 0, direction: Direction = "right") -> Self:
        """Return the first window, in which the other windows overflow.

        Raises:
            ValueError: `stride` is not less than `max_length`.
        """
        length = len(self._ids)
        if max_length >= length:
            return self
        if max_length == 0:
            nothing = self.of([], [], [], [], [], [], [])
            return nothing._made([], nothing._masks, nothing._details, Lazy.known([self.copy()]))
        first, *others = overflow_windows(length, max_length, stride, direction)
        whole = self.copy()
        kept = self.sliced(*first)
        kept._overflowing = Lazy(lambda: [whole.sliced(*window) for window in others])
        return kept

    # --- composition ------------------------------------------------------------------------------

    @classmethod
    def joined(cls, encodings: Sequence[Self], growing_offsets: bool = False) -> Self:
        """Return the encodings one after another in a new one; what overflows is combined with each of the others.

        >>> from tokenlab.tokenizers.encodings.encoding import Encoding
        >>> both = Encoding.joined([Encoding.special([7], ["a"], 0), Encoding.special([8], ["b"], 1)])
        >>> both.ids, both.type_ids
        ([7, 8], [0, 1])
        """
        if len(encodings) == 1:
            return encodings[0].copy()
        if any(encoding._overflowing for encoding in encodings):
            return reduce(lambda left, right: left._followed_by(right, growing_offsets), encodings)
        return cls._chain(encodings, growing_offsets)

    @classmethod
    def _chain(cls, encodings: Sequence[Self], growing_offsets: bool) -> Self:
        ids: list[int] = []
        ranges: dict[int, tuple[int, int]] = {}
        for encoding in encodings:
            for sequence, (start, end) in encoding._ranges.items():
                ranges[sequence] = (len(ids) + start, len(ids) + end)
            ids += encoding._ids
        masks = Lazy(_concatenated, *[encoding._masks for encoding in encodings])
        combine = _concatenated_growing if growing_offsets else _concatenated
        details = Lazy(combine, *[encoding._details for encoding in encodings])
        return cls._made(ids, masks, details, None, ranges)

    def _followed_by(self, other: Self, growing_offsets: bool) -> Self:
        both = self._chain([self, other], growing_offsets)
        if self._overflowing or other._overflowing:
            left, right = self.copy(), other.copy()

            def combinations(own: list[Self], others: list[Self]) -> list[Self]:
                pairs = [(one, second) for one in own for second in (right, *others)]
                pairs += [(left, second) for second in others]
                return [one._followed_by(second, growing_offsets) for one, second in pairs]

            both._overflowing = Lazy(combinations, self._overflow_list(), other._overflow_list())
        return both

    def _overflow_list(self) -> Lazy[list[Self]]:
        return self._overflowing or Lazy.known([])

    def padded(self, length: int, direction: Direction, pad_id: int, pad_type_id: int, pad_token: str) -> Self:
        """Return a copy with at least `length` tokens; encodings that overflow are padded also."""

        def pad_overflowing(encoding: Self) -> Self:
            return encoding.padded(length, direction, pad_id, pad_type_id, pad_token)

        count = length - len(self._ids)
        if count <= 0:
            return self.replaced(overflowing=pad_overflowing) if self._overflowing else self
        rest = self.replaced(overflowing=pad_overflowing)._overflowing

        def extend(columns: Any, values: tuple[Any, ...]) -> Any:
            return tuple(pad(column, length, value, direction) for column, value in zip(columns, values, strict=True))

        masks = Lazy(lambda columns: extend(columns, (pad_type_id, 1, 0)), self._masks)
        details = Lazy(lambda columns: extend(columns, (pad_token, (0, 0), None)), self._details)
        ranges = self._ranges
        if direction == "left":
            ranges = {sequence: (start + count, end + count) for sequence, (start, end) in ranges.items()}
        return self._made(pad(self._ids, length, pad_id, direction), masks, details, rest, ranges)

    def surrounded(self, before: Specials, after: Specials, type_id: int, sequence_id: int) -> Self:
        """Return the tokens between special tokens, which have this type id.

        All tokens between them count as tokens of this sequence, and none as special; encodings that overflow are
        treated in the same way.

        >>> from tokenlab.tokenizers.encodings.encoding import Encoding
        >>> Encoding.lazy([7], lambda: (["a"], [(0, 1)], [0])).surrounded([("<s>", 1)], [("</s>", 2)], 0, 0).tokens
        ['<s>', 'a', '</s>']
        """
        length, left, right = len(self._ids), len(before), len(after)

        def masks(own: Masks) -> Masks:
            special = [*[1] * left, *[0] * length, *[1] * right]
            return [*[type_id] * left, *own[0], *[type_id] * right], special, [1] * (left + length + right)

        def details(own: Details) -> Details:
            tokens = [*[token for token, _ in before], *own[0], *[token for token, _ in after]]
            return tokens, [*[(0, 0)] * left, *own[1], *[(0, 0)] * right], [*[None] * left, *own[2], *[None] * right]

        rest = self._overflowing and Lazy(
            lambda encodings: [
                encoding._without_overflow().surrounded(before, after, type_id, sequence_id) for encoding in encodings
            ],
            self._overflowing,
        )
        return self._made(
            [*[id for _, id in before], *self._ids, *[id for _, id in after]],
            Lazy(masks, self._masks),
            Lazy(details, self._details),
            rest,
            {sequence_id: (left, left + length)},
        )

    def _without_overflow(self) -> Self:
        return self._made(self._ids, self._masks, self._details, None, self._ranges)


def _concatenated(*parts: tuple[list[Any], ...]) -> Any:
    return tuple([value for column in columns for value in column] for columns in zip(*parts, strict=True)) or (
        [],
        [],
        [],
    )


def _concatenated_growing(*parts: Details) -> Details:
    """Concatenate; offsets continue where those of the part before end, as if the texts were one."""
    moved: list[Details] = []
    end = 0
    for tokens, offsets, words in parts:
        shifted = [(start + end, stop + end) for start, stop in offsets]
        moved.append((tokens, shifted, words))
        end = shifted[-1][1] if shifted else end
    return _concatenated(*moved)  # type: ignore[no-any-return]
