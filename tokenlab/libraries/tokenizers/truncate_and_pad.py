"""Truncation and padding: the settings of a tokenizer, and what they do to an encoding, a pair, or a batch.

Source: tokenizers, src/utils/truncation.rs and src/utils/padding.rs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from tokenlab.algorithms.pipeline.pad import padded_length
from tokenlab.algorithms.pipeline.truncate import Direction, Strategy, kept_lengths
from tokenlab.libraries.tokenizers.components.arguments import (
    check_direction,
    check_names,
    check_text,
    check_unsigned,
    check_unsigned_32,
    load_variant,
    optional,
    read_field,
)
from tokenlab.libraries.tokenizers.encoding import Encoding

STRATEGIES: dict[str, Strategy] = {
    "LongestFirst": "longest_first",
    "OnlyFirst": "only_first",
    "OnlySecond": "only_second",
}
DIRECTIONS: dict[str, Direction] = {"Left": "left", "Right": "right"}


@dataclass(frozen=True, slots=True)
class TruncationParams:
    """How later encodings are truncated: the dictionary that `Tokenizer.truncation` returns has these names.

    >>> params = TruncationParams.from_options(5, stride=2)
    >>> params
    TruncationParams(max_length=5, stride=2, strategy='longest_first', direction='right')
    >>> params.to_json()
    {'direction': 'Right', 'max_length': 5, 'strategy': 'LongestFirst', 'stride': 2}
    """

    max_length: int
    stride: int = 0
    strategy: Strategy = "longest_first"
    direction: Direction = "right"

    @classmethod
    def from_options(cls, max_length: int, **options: Any) -> TruncationParams:
        """Return the settings with the names of `enable_truncation`; unknown names are reported on stdout.

        Raises:
            TypeError, OverflowError: a number is not an integer, or is negative.
            ValueError: the strategy or the direction is not known.
        """
        max_length = check_unsigned("max_length", max_length)
        known = check_names("enable_truncation", options, ("stride", "strategy", "direction"))
        strategy = check_text("strategy", known.get("strategy", "longest_first"))
        if strategy not in STRATEGIES.values():
            raise ValueError(
                f"Unknown `strategy`: `{strategy}`. Use one of `longest_first`, `only_first`, or `only_second`"
            )
        direction = check_direction(known.get("direction", "right"))
        stride = check_unsigned("stride", known.get("stride", 0))
        return cls(max_length, stride, strategy, direction)  # type: ignore[arg-type]

    def check_stride(self, added_tokens: int) -> None:
        """Check the stride of a tokenizer that adds this number of special tokens to a single sequence.

        Raises:
            ValueError: the stride is greater than the number of tokens of a window without its special tokens.
        """
        # subtle: the library accepts a stride of the same length here, and fails at the first long text.
        left = self.max_length - added_tokens
        if 0 <= left < self.stride:
            raise ValueError(
                f"tokenizer stride set to {self.stride}, which is greater than or equal to its effective max length of "
                f"{left} (= {self.max_length} original max length - {added_tokens} added special tokens), "
                "choose a smaller stride or a larger max_length"
            )

    def less(self, added_tokens: int) -> TruncationParams:
        """Return the settings for the tokens of the text, when special tokens take a part of `max_length`.

        Raises:
            ValueError: there are more special tokens than `max_length`.

        >>> TruncationParams(1).less(2)
        Traceback (most recent call last):
        ...
        ValueError: max_length=1 is less than the 2 special tokens that the post-processor adds; use at least 2
        """
        if not added_tokens:
            return self
        if added_tokens > self.max_length:
            raise ValueError(
                f"max_length={self.max_length} is less than the {added_tokens} special tokens that the post-processor "
                f"adds; use at least {added_tokens}"
            )
        return replace(self, max_length=self.max_length - added_tokens)

    def to_json(self) -> dict[str, Any]:
        """Return the fields of tokenizer.json."""
        direction = next(name for name, value in DIRECTIONS.items() if value == self.direction)
        strategy = next(name for name, value in STRATEGIES.items() if value == self.strategy)
        return {"direction": direction, "max_length": self.max_length, "strategy": strategy, "stride": self.stride}

    @classmethod
    def from_json(cls, fields: Any) -> TruncationParams:
        """Return the settings with these fields of tokenizer.json; older files have no direction."""
        owner = "truncation"
        return cls(
            read_field(fields, "max_length", check_unsigned, owner=owner),
            read_field(fields, "stride", check_unsigned, owner=owner),
            read_field(fields, "strategy", load_variant(STRATEGIES), owner=owner),
            read_field(fields, "direction", load_variant(DIRECTIONS), "right", owner),
        )


def truncate_encodings(encodings: list[Encoding], params: TruncationParams) -> list[Encoding]:
    """Return an encoding, or both of a pair, with at most `max_length` tokens together; the rest overflows.

    Raises:
        ValueError: the strategy cannot shorten them enough, or the stride is not less than a window.

    >>> (first,) = truncate_encodings([Encoding.special([7, 8, 9], "hug", 0)], TruncationParams(2))
    >>> first.tokens, first.overflowing[0].tokens
    (['h', 'u'], ['g'])
    """
    first, second = len(encodings[0]), len(encodings[1]) if len(encodings) > 1 else None
    if first + (second or 0) <= params.max_length:
        return encodings
    kept = kept_lengths(first, second, params.max_length, params.strategy)
    return [
        encoding.truncated(length, params.stride, params.direction)
        for encoding, length in zip(encodings, kept, strict=False)
        if length is not None
    ]


OPTIONS = ("direction", "pad_id", "pad_type_id", "pad_token", "max_length", "length", "pad_to_multiple_of")


@dataclass(frozen=True, slots=True)
class PaddingParams:
    """How later encodings are padded: the dictionary that `Tokenizer.padding` returns has these names.

    >>> PaddingParams.from_options(length=8).length
    8
    >>> PaddingParams(pad_to_multiple_of=8).to_json()["strategy"]
    'BatchLongest'
    """

    length: int | None = None  # None: the longest of the batch
    pad_to_multiple_of: int | None = None
    pad_id: int = 0
    pad_token: str = "[PAD]"
    pad_type_id: int = 0
    direction: Direction = "right"

    @classmethod
    def from_options(cls, **options: Any) -> PaddingParams:
        """Return the settings with the names of `enable_padding`; unknown names are reported on stdout.

        Raises:
            TypeError, OverflowError: a number is not an integer, is negative, or does not fit in 32 bits.
            ValueError: the direction is not known.
        """
        given = check_names("enable_padding", options, OPTIONS)
        direction = check_direction(given.get("direction", "right"))
        length = None
        for name, value in given.items():
            if name == "max_length":
                print("enable_padding(max_length=X) is deprecated, use enable_padding(length=X) instead")
            if name in ("length", "max_length"):  # the last one counts, also if it is None
                length = optional(check_unsigned)(name, value)
        return cls(
            length,
            optional(check_unsigned)("pad_to_multiple_of", given.get("pad_to_multiple_of")),
            check_unsigned_32("pad_id", given.get("pad_id", 0)),
            check_text("pad_token", given.get("pad_token", "[PAD]")),
            check_unsigned_32("pad_type_id", given.get("pad_type_id", 0)),
            direction,
        )

    def to_json(self) -> dict[str, Any]:
        """Return the fields of tokenizer.json."""
        return {
            "strategy": "BatchLongest" if self.length is None else {"Fixed": self.length},
            "direction": next(name for name, value in DIRECTIONS.items() if value == self.direction),
            "pad_to_multiple_of": self.pad_to_multiple_of,
            "pad_id": self.pad_id,
            "pad_type_id": self.pad_type_id,
            "pad_token": self.pad_token,
        }

    @classmethod
    def from_json(cls, fields: Any) -> PaddingParams:
        """Return the settings with these fields of tokenizer.json; a missing or wrong one raises a ValueError."""
        read = partial(read_field, fields, owner="padding")
        return cls(
            read("strategy", _load_length),
            read("pad_to_multiple_of", optional(check_unsigned), None),
            read("pad_id", check_unsigned_32),
            read("pad_token", check_text),
            read("pad_type_id", check_unsigned_32),
            read("direction", load_variant(DIRECTIONS)),
        )


def _load_length(name: str, strategy: Any) -> int | None:
    """Return the fixed length, or None for the longest of the batch."""
    if isinstance(strategy, dict) and list(strategy) == ["Fixed"]:
        return read_field(strategy, "Fixed", check_unsigned, owner="the strategy of padding")
    if strategy == "Fixed":
        raise ValueError('the strategy "Fixed" of padding has no length; write {"Fixed": 8} for 8 tokens')
    return load_variant({"BatchLongest": None, "Fixed": None})(name, strategy)


def pad_encodings(encodings: Sequence[Encoding], params: PaddingParams) -> list[Encoding]:
    """Return all encodings of a batch, padded to one length.

    >>> batch = [Encoding.special([7], ["a"], 0), Encoding.special([7, 8], ["a", "b"], 0)]
    >>> pad_encodings(batch, PaddingParams(direction="left"))[0].tokens
    ['[PAD]', 'a']
    """
    length = padded_length(map(len, encodings), params.length, params.pad_to_multiple_of)
    settings = (params.direction, params.pad_id, params.pad_type_id, params.pad_token)
    return [encoding.padded(length, *settings) for encoding in encodings]
