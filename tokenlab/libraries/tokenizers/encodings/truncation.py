"""The settings of `Tokenizer.enable_truncation`, and the truncation of one encoding or a pair.

Difference from the library: a `max_length` smaller than the number of special tokens raises a ValueError when a text
is encoded. There, the subtraction wraps around, and nothing is truncated.

Source: tokenizers, src/utils/truncation.rs.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from tokenlab.algorithms.pipeline.truncate import Direction, Strategy, kept_lengths
from tokenlab.libraries.tokenizers.components.arguments import (
    check_direction,
    check_names,
    check_text,
    check_unsigned,
    load_variant,
    read_field,
)
from tokenlab.libraries.tokenizers.encodings.encoding import Encoding

STRATEGIES: dict[str, Strategy] = {
    "LongestFirst": "longest_first",
    "OnlyFirst": "only_first",
    "OnlySecond": "only_second",
}
DIRECTIONS: dict[str, Direction] = {"Left": "left", "Right": "right"}


@dataclass(frozen=True, slots=True)
class TruncationParams:
    """How later encodings are truncated.

    >>> params = TruncationParams.from_options(5, stride=2)
    >>> params.as_options()
    {'max_length': 5, 'stride': 2, 'strategy': 'longest_first', 'direction': 'right'}
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
        names = dict.fromkeys(("stride", "strategy", "direction"))
        known = check_names("enable_truncation", options, names)
        strategy = check_text("strategy", known.get("strategy", "longest_first"))
        if strategy not in STRATEGIES.values():
            raise ValueError(
                f"Unknown `strategy`: `{strategy}`. Use one of `longest_first`, `only_first`, or `only_second`"
            )
        direction = check_direction(known.get("direction", "right"))
        stride = check_unsigned("stride", known.get("stride", 0))
        return cls(max_length, stride, strategy, direction)  # type: ignore[arg-type]

    def as_options(self) -> dict[str, Any]:
        """Return the settings as `Tokenizer.truncation` shows them."""
        return {name: getattr(self, name) for name in ("max_length", "stride", "strategy", "direction")}

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
        """Return the settings with these fields of tokenizer.json; older files have no direction.

        Raises:
            ValueError: a field is missing or wrong.
        """
        owner = "truncation"
        return cls(
            read_field(fields, "max_length", check_unsigned, owner=owner),
            read_field(fields, "stride", check_unsigned, owner=owner),
            read_field(fields, "strategy", load_variant(STRATEGIES), owner=owner),
            read_field(fields, "direction", load_variant(DIRECTIONS), "right", owner),
        )


def truncate_encodings(
    encoding: Encoding, pair: Encoding | None, params: TruncationParams
) -> tuple[Encoding, Encoding | None]:
    """Return an encoding, or both of a pair, with at most `max_length` tokens together; the rest overflows.

    Raises:
        ValueError: the strategy cannot shorten them enough, or the stride is not less than a window.

    >>> first, _ = truncate_encodings(Encoding.special([7, 8, 9], "hug", 0), None, TruncationParams(2))
    >>> first.tokens, first.overflowing[0].tokens
    (['h', 'u'], ['g'])
    """
    lengths = (len(encoding), None if pair is None else len(pair))
    if sum(filter(None, lengths)) <= params.max_length:
        return encoding, pair
    first, second = kept_lengths(*lengths, params.max_length, params.strategy)
    shortened = encoding.truncated(first, params.stride, params.direction)
    if pair is None or second is None:
        return shortened, None
    return shortened, pair.truncated(second, params.stride, params.direction)
