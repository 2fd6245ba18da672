"""The settings of `Tokenizer.enable_padding`, and the padding of a batch.

Source: tokenizers, src/utils/padding.rs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from tokenlab.algorithms.pipeline.pad import padded_length
from tokenlab.algorithms.pipeline.truncate import Direction
from tokenlab.libraries.tokenizers.components.arguments import (
    UNSIGNED_32,
    check_direction,
    check_names,
    check_text,
    check_unsigned,
    load_variant,
    optional,
    read_field,
)
from tokenlab.libraries.tokenizers.encodings.encoding import Encoding

DIRECTIONS: dict[str, Direction] = {"Left": "left", "Right": "right"}
OPTIONS = ("direction", "pad_id", "pad_type_id", "pad_token", "max_length", "length", "pad_to_multiple_of")


@dataclass(frozen=True, slots=True)
class PaddingParams:
    """How later encodings are padded.

    >>> PaddingParams.from_options(length=8).as_options()["length"]
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
        given = check_names("enable_padding", options, dict.fromkeys(OPTIONS))
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
            check_unsigned("pad_id", given.get("pad_id", 0), UNSIGNED_32),
            check_text("pad_token", given.get("pad_token", "[PAD]")),
            check_unsigned("pad_type_id", given.get("pad_type_id", 0), UNSIGNED_32),
            direction,
        )

    def as_options(self) -> dict[str, Any]:
        """Return the settings as `Tokenizer.padding` shows them."""
        names = ("length", "pad_to_multiple_of", "pad_id", "pad_token", "pad_type_id", "direction")
        return {name: getattr(self, name) for name in names}

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
        """Return the settings with these fields of tokenizer.json.

        Raises:
            ValueError: a field is missing or wrong.
        """
        read = partial(read_field, fields, owner="padding")
        return cls(
            read("strategy", _load_length),
            read("pad_to_multiple_of", optional(check_unsigned), None),
            read("pad_id", partial(check_unsigned, largest=UNSIGNED_32)),
            read("pad_token", check_text),
            read("pad_type_id", partial(check_unsigned, largest=UNSIGNED_32)),
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
