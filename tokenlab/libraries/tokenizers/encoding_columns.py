"""The columns of an encoding: ids at once, everything else when it is first read.

Adds: `EncodingColumns`, whose methods return a new encoding (`truncated`, `padded`, `joined`, ...). No method changes
one, so encodings share columns, and a column of a truncated text is computed only if somebody reads it (`Lazy`).
Leaves out: the public methods, which change an encoding (`encoding`).

Source: tokenizers, src/tokenizer/encoding.rs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import reduce
from typing import Any, Generic, NamedTuple, Protocol, Self, TypeAlias, TypeVar

from tokenlab.algorithms.pipeline.pad import pad
from tokenlab.algorithms.pipeline.truncate import Direction, overflow_windows
from tokenlab.algorithms.text.alignment import Span

T = TypeVar("T")


class Lazy(Generic[T]):
    """A function and its lazy arguments, or its result once it has been read.

    Arguments are evaluated by a loop, so a chain of any length can be read; an exception is raised again at each read.
    """

    __slots__ = ("_plan", "_value")
    _value: T

    def __init__(self, function: Callable[..., T], *arguments: Lazy[Any]) -> None:
        self._plan: tuple[Callable[..., T], tuple[Lazy[Any], ...]] | None = (function, arguments)

    @classmethod
    def known(cls, value: T) -> Lazy[T]:
        """Return a value that needs no computation.

        >>> Lazy.known(3).read()
        3
        """
        made = cls.__new__(cls)
        made._value, made._plan = value, None
        return made

    def read(self) -> T:
        """Return the value; compute it, and those that it depends on, the first time."""
        waiting: list[Lazy[Any]] = [self] if self._plan else []
        while waiting:
            node = waiting[-1]
            plan = node._plan
            if plan is None:
                waiting.pop()
                continue
            function, arguments = plan
            missing = [argument for argument in arguments if argument._plan]
            if missing:
                waiting += missing
            else:
                node._value = function(*[argument._value for argument in arguments])
                node._plan = None  # subtle: after the value is set, as another thread may read at the same time
        return self._value


Masks: TypeAlias = tuple[list[int], list[int], list[int]]  # type ids, special-tokens mask, attention mask
Details: TypeAlias = tuple[list[str], list[Span], list[int | None]]  # per token its text, its offsets, its word
Ranges: TypeAlias = Mapping[int, Span]  # per sequence the first token, and the token after the last one

Specials: TypeAlias = Sequence[tuple[str, int]]  # special tokens with their ids

NO_RANGES: Ranges = {}
MOST_TOKENS = 1 << 28  # the lists of a longer encoding take more than 15 GB


class Rest(NamedTuple):
    """Everything but the ids: lazy columns of the same length, encodings that overflow, the tokens of each sequence."""

    masks: Lazy[Masks]
    details: Lazy[Details]
    overflowing: Lazy[list[Any]] | None = None
    ranges: Ranges = NO_RANGES


class Pending(Protocol):
    """The rest of an encoding before it is first needed."""

    def rest(self) -> Rest:
        """Return the rest."""


def _column(part: str, place: int, doc: str) -> Any:
    """Return a property that is a new list of the values of a column."""
    return property(lambda encoding: getattr(encoding.rest, part).read()[place][:], doc=doc)


class EncodingColumns:
    """The ids, and the rest when it is first needed: one small object for each encoding of a large batch."""

    __slots__ = ("__dict__", "__weakref__", "_ids", "_pending")
    _ids: list[int]
    _pending: Rest | Pending

    @property
    def rest(self) -> Rest:
        """Everything but the ids."""
        if not isinstance(self._pending, Rest):
            self._pending = self._pending.rest()
        return self._pending

    @classmethod
    def pending(cls, ids: list[int], rest: Rest | Pending) -> Self:
        """Return the encoding with these ids; everything else is computed when it is first needed."""
        made = cls.__new__(cls)
        made._ids, made._pending = ids, rest
        return made

    @property
    def ids(self) -> list[int]:
        """Indices of the tokens in the vocabulary."""
        return self._ids[:]

    type_ids: list[int] = _column("masks", 0, "Type ids (segments), which a model of two sequences embeds.")
    special_tokens_mask: list[int] = _column("masks", 1, "1 for a special token or padding, 0 for a token of the text.")
    attention_mask: list[int] = _column("masks", 2, "0 for padding, 1 for all other tokens.")
    tokens: list[str] = _column("details", 0, "Texts of the tokens in the vocabulary.")
    offsets: list[Span] = _column(
        "details", 1, "Start and end of each token in its original sequence, in characters; (0, 0) for special tokens."
    )
    word_ids: list[int | None] = _column(
        "details", 2, "Index of the word of each token, from the pre-tokenizer or the given words, or None."
    )

    def _become(self, other: Self) -> None:
        self._ids, self._pending = other._ids, other._pending

    @classmethod
    def lazy(cls, ids: list[int], details: Callable[[], Details], type_id: int = 0) -> Self:
        """Return the encoding of ordinary tokens; `details` computes tokens, offsets and words when they are read.

        >>> EncodingColumns.lazy([7, 8], lambda: (["a", "b"], [(0, 1), (1, 2)], [0, 0]), type_id=1).type_ids
        [1, 1]
        """
        count = len(ids)
        return cls.pending(ids, Rest(Lazy(lambda: ([type_id] * count, [0] * count, [1] * count)), Lazy(details)))

    @classmethod
    def of_ids(cls, ids: Iterable[int]) -> Self:
        """Return the encoding of ordinary tokens without texts, places and words.

        >>> EncodingColumns.of_ids([7, 8]).tokens
        ['', '']
        """
        own = list(ids)
        return cls.lazy(own, lambda: ([""] * len(own), [(0, 0)] * len(own), [None] * len(own)))

    @classmethod
    def of(
        cls,
        ids: Sequence[int],
        type_ids: Sequence[int],
        tokens: Sequence[str],
        words: Sequence[int | None],
        offsets: Sequence[Span],
        special_tokens_mask: Sequence[int],
        attention_mask: Sequence[int],
        overflowing: Iterable[Self] = (),
        sequence_ranges: Ranges | None = None,
    ) -> Self:
        """Return the encoding with these columns, all of the same length."""
        others = list(overflowing)
        rest = Rest(
            Lazy.known((list(type_ids), list(special_tokens_mask), list(attention_mask))),
            Lazy.known((list(tokens), list(offsets), list(words))),
            Lazy.known(others) if others else None,
            dict(sequence_ranges or {}),
        )
        return cls.pending(list(ids), rest)

    @classmethod
    def special(cls, ids: Sequence[int], tokens: Sequence[str], type_id: int) -> Self:
        """Return the encoding of special tokens, which come from no part of the text."""
        count = len(ids)
        nowhere: list[Span] = [(0, 0)] * count
        return cls.of(ids, [type_id] * count, tokens, [None] * count, nowhere, [1] * count, [1] * count)

    # --- parts ------------------------------------------------------------------------------------

    def replaced(self, **columns: Any) -> Self:
        """Return a copy with other columns: new values for some fields of `Rest`."""
        return self.pending(self._ids, self.rest._replace(**columns))

    def mapped(self, change: Callable[[Self], Self]) -> Lazy[list[Self]] | None:
        """Return the encodings that overflow, each of them changed."""
        if self.rest.overflowing is None:
            return None
        return Lazy(lambda encodings: [change(encoding) for encoding in encodings], self.rest.overflowing)

    def copy(self) -> Self:
        """Return a copy, which shares the columns."""
        return self.pending(self._ids, self._pending)

    def as_sequence(self, sequence_id: int) -> Self:
        """Return a copy whose tokens are those of the first (0) or second (1) sequence, and have this type id.

        Encodings that overflow belong to the sequence also, and keep their type ids.
        """
        overflowing = self.mapped(lambda encoding: encoding.with_sequence_id(sequence_id))
        return self.as_piece(sequence_id, sequence_id).replaced(overflowing=overflowing)

    def as_piece(self, sequence_id: int, type_id: int) -> Self:
        """Return a copy whose tokens are those of a sequence, and have a type id; what overflows is not changed."""
        return self.replaced(masks=self._typed(type_id), ranges=self._with_range(sequence_id))

    def _typed(self, type_id: int) -> Lazy[Masks]:
        count = len(self._ids)
        return Lazy(lambda masks: ([type_id] * count, masks[1], masks[2]), self.rest.masks)

    def _with_range(self, sequence_id: int) -> Ranges:
        whole = (0, len(self._ids))
        return {**self.rest.ranges, sequence_id: whole} if self.rest.ranges else {sequence_id: whole}

    def with_type_id(self, type_id: int) -> Self:
        """Return a copy in which all tokens have this type id; encodings that overflow keep theirs."""
        return self.replaced(masks=self._typed(type_id))

    def with_sequence_id(self, sequence_id: int) -> Self:
        """Return a copy in which all tokens belong to a sequence."""
        return self.replaced(ranges=self._with_range(sequence_id))

    def sliced(self, start: int, stop: int) -> Self:
        """Return the tokens from `start` to `stop`; which sequence they belong to is lost, as in the library.

        >>> EncodingColumns.special([7, 8, 9], "abc", 0).sliced(1, 3).ids
        [8, 9]
        """

        def cut(columns: tuple[Any, ...]) -> Any:
            return tuple(column[start:stop] for column in columns)

        return self.pending(self._ids[start:stop], Rest(Lazy(cut, self.rest.masks), Lazy(cut, self.rest.details)))

    def truncated(self, max_length: int, stride: int = 0, direction: Direction = "right") -> Self:
        """Return the first window, in which the others overflow; a ValueError if `stride` is as long as it."""
        length = len(self._ids)
        if max_length >= length:
            return self
        if max_length == 0:
            return self.of([], [], [], [], [], [], [], overflowing=[self.copy()])
        first, *others = overflow_windows(length, max_length, stride, direction)
        whole = self.copy()
        return self.sliced(*first).replaced(overflowing=Lazy(lambda: [whole.sliced(*window) for window in others]))

    # --- composition ------------------------------------------------------------------------------

    @classmethod
    def joined(cls, encodings: Sequence[Self], growing_offsets: bool = False) -> Self:
        """Return the encodings one after another in a new one; what overflows is combined with each of the others.

        >>> special = EncodingColumns.special
        >>> both = EncodingColumns.joined([special([7], ["a"], 0), special([8], ["b"], 1)])
        >>> both.ids, both.type_ids
        ([7, 8], [0, 1])
        """
        if len(encodings) == 1:
            return encodings[0].copy()
        if any(encoding.rest.overflowing for encoding in encodings):
            return reduce(lambda left, right: left._followed_by(right, growing_offsets), encodings)
        return cls._chain(encodings, growing_offsets)

    @classmethod
    def _chain(cls, encodings: Sequence[Self], growing_offsets: bool) -> Self:
        ids: list[int] = []
        ranges: dict[int, tuple[int, int]] = {}
        for encoding in encodings:
            for sequence, (start, end) in encoding.rest.ranges.items():
                ranges[sequence] = (len(ids) + start, len(ids) + end)
            ids += encoding._ids
        masks = Lazy(concatenated, *[encoding.rest.masks for encoding in encodings])
        combine = _concatenated_growing if growing_offsets else concatenated
        details = Lazy(combine, *[encoding.rest.details for encoding in encodings])
        return cls.pending(ids, Rest(masks, details, None, ranges))

    def _followed_by(self, other: Self, growing_offsets: bool) -> Self:
        both = self._chain([self, other], growing_offsets)
        if not (self.rest.overflowing or other.rest.overflowing):
            return both
        left, right = self.copy(), other.copy()

        def combinations(own: list[Self], others: list[Self]) -> list[Self]:
            pairs = [(one, second) for one in own for second in (right, *others)]
            pairs += [(left, second) for second in others]
            return [one._followed_by(second, growing_offsets) for one, second in pairs]

        windows = [encoding.rest.overflowing or Lazy.known([]) for encoding in (self, other)]
        return both.replaced(overflowing=Lazy(combinations, *windows))

    def padded(self, length: int, direction: Direction, pad_id: int, pad_type_id: int, pad_token: str) -> Self:
        """Return a copy with at least `length` tokens, also of what overflows; a huge length raises a ValueError."""
        if length > MOST_TOKENS:
            raise ValueError(f"length={length}: an encoding should not be padded to more than {MOST_TOKENS} tokens")

        def pad_overflowing(encoding: Self) -> Self:
            return encoding.padded(length, direction, pad_id, pad_type_id, pad_token)

        count = length - len(self._ids)
        if count <= 0:
            return self.replaced(overflowing=self.mapped(pad_overflowing)) if self.rest.overflowing else self

        def extend(columns: Any, values: tuple[Any, ...]) -> Any:
            return tuple(pad(column, length, value, direction) for column, value in zip(columns, values, strict=True))

        masks = Lazy(lambda columns: extend(columns, (pad_type_id, 1, 0)), self.rest.masks)
        details = Lazy(lambda columns: extend(columns, (pad_token, (0, 0), None)), self.rest.details)
        ranges = self.rest.ranges
        if direction == "left":
            ranges = {sequence: (start + count, end + count) for sequence, (start, end) in ranges.items()}
        rest = Rest(masks, details, self.mapped(pad_overflowing), ranges)
        return self.pending(pad(self._ids, length, pad_id, direction), rest)

    def surrounded(self, before: Specials, after: Specials, type_id: int, sequence_id: int) -> Self:
        """Return the tokens between special tokens, which have this type id.

        All tokens between them count as tokens of this sequence, and none as special; encodings that overflow are
        treated in the same way.

        >>> encoding = EncodingColumns.lazy([7], lambda: (["a"], [(0, 1)], [0]))
        >>> encoding.surrounded([("<s>", 1)], [("</s>", 2)], 0, 0).tokens
        ['<s>', 'a', '</s>']
        """
        length, left, right = len(self._ids), len(before), len(after)

        def masks(own: Masks) -> Masks:
            special = [*[1] * left, *[0] * length, *[1] * right]
            return [*[type_id] * left, *own[0], *[type_id] * right], special, [1] * (left + length + right)

        def details(own: Details) -> Details:
            tokens = [*[token for token, _ in before], *own[0], *[token for token, _ in after]]
            return tokens, [*[(0, 0)] * left, *own[1], *[(0, 0)] * right], [*[None] * left, *own[2], *[None] * right]

        def surround(encoding: Self) -> Self:
            return encoding.replaced(overflowing=None).surrounded(before, after, type_id, sequence_id)

        ids = [*[id for _, id in before], *self._ids, *[id for _, id in after]]
        rest = Rest(
            Lazy(masks, self.rest.masks),
            Lazy(details, self.rest.details),
            self.mapped(surround),
            {sequence_id: (left, left + length)},
        )
        return self.pending(ids, rest)


def concatenated(*parts: tuple[list[Any], ...]) -> Any:
    """Return the columns of several parts, each column of all parts one after the other."""
    joined = tuple([value for column in columns for value in column] for columns in zip(*parts, strict=True))
    return joined or ([], [], [])


def _concatenated_growing(*parts: Details) -> Details:
    """Concatenate; offsets continue where those of the part before end, as if the texts were one."""
    moved: list[Details] = []
    end = 0
    for tokens, offsets, words in parts:
        shifted = [(start + end, stop + end) for start, stop in offsets]
        moved.append((tokens, shifted, words))
        end = shifted[-1][1] if shifted else end
    return concatenated(*moved)  # type: ignore[no-any-return]
