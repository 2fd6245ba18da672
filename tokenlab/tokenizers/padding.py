"""The settings of `Tokenizer.enable_padding`, and the padding of a batch.

Source: tokenizers, src/utils/padding.rs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tokenlab.algorithms.pipeline.pad import padded_length
from tokenlab.algorithms.pipeline.truncate import Direction
from tokenlab.tokenizers.arguments import UNSIGNED_32, check_names, check_text, check_unsigned
from tokenlab.tokenizers.encoding import Encoding
from tokenlab.tokenizers.json_settings import from_variant, read_text, read_unsigned, require_fields

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
        direction = check_text("direction", given.get("direction", "right"))
        if direction not in DIRECTIONS.values():
            raise ValueError(f"Unknown `direction`: `{direction}`. Use one of `left` or `right`")
        length = None
        for name, value in given.items():
            if name == "max_length":
                print("enable_padding(max_length=X) is deprecated, use enable_padding(length=X) instead")
            if name in ("length", "max_length"):  # the last one counts, also if it is None
                length = None if value is None else check_unsigned(name, value)
        multiple = given.get("pad_to_multiple_of")
        return cls(
            length,
            None if multiple is None else check_unsigned("pad_to_multiple_of", multiple),
            check_unsigned("pad_id", given.get("pad_id", 0), UNSIGNED_32),
            check_text("pad_token", given.get("pad_token", "[PAD]")),
            check_unsigned("pad_type_id", given.get("pad_type_id", 0), UNSIGNED_32),
            "left" if direction == "left" else "right",
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
        require_fields("padding", fields, ("strategy", "direction", "pad_id", "pad_type_id", "pad_token"))
        strategy = fields["strategy"]
        length = None
        if isinstance(strategy, dict) and list(strategy) == ["Fixed"]:
            length = read_unsigned("the strategy of padding", strategy, "Fixed")
        elif strategy == "Fixed":
            raise ValueError('the strategy "Fixed" of padding has no length; write {"Fixed": 8} for 8 tokens')
        else:
            from_variant("strategy of padding", strategy, {"BatchLongest": None, "Fixed": None})
        multiple = fields.get("pad_to_multiple_of")
        return cls(
            length,
            None if multiple is None else read_unsigned("padding", fields, "pad_to_multiple_of"),
            read_unsigned("padding", fields, "pad_id", UNSIGNED_32),
            read_text("padding", fields, "pad_token"),
            read_unsigned("padding", fields, "pad_type_id", UNSIGNED_32),
            from_variant("direction of padding", fields["direction"], DIRECTIONS),
        )


def pad_encodings(encodings: Sequence[Encoding], params: PaddingParams) -> None:
    """Pad all encodings of a batch, in place, to one length.

    >>> batch = [Encoding.special([7], ["a"], 0), Encoding.special([7, 8], ["a", "b"], 0)]
    >>> pad_encodings(batch, PaddingParams(direction="left"))
    >>> batch[0].tokens
    ['[PAD]', 'a']
    """
    length = padded_length(map(len, encodings), params.length, params.pad_to_multiple_of)
    for encoding in encodings:
        encoding.pad(
            length,
            direction=params.direction,
            pad_id=params.pad_id,
            pad_type_id=params.pad_type_id,
            pad_token=params.pad_token,
        )
