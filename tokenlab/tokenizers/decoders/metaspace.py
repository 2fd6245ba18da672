"""The decoder of SentencePiece's pieces, in which a visible character replaces the space.

Source: tokenizers 0.23.3, tokenizers/src/pre_tokenizers/metaspace.rs.
"""

from __future__ import annotations

from typing import Any, ClassVar

from tokenlab.errors import lookup
from tokenlab.tokenizers.arguments import check_bool, check_text
from tokenlab.tokenizers.component import Choice
from tokenlab.tokenizers.decoders.decoder import Decoder

SCHEMES = {name: Choice(name) for name in ("first", "never", "always")}


def check_character(name: str, value: Any) -> str:
    """Return a str of one character.

    Raises:
        TypeError: it is not a str.
        ValueError: it has another length.
    """
    if len(check_text(name, value)) != 1:
        raise ValueError(f"{name}={value!r:.60} has {len(value)} characters; expected a string of length 1")
    return str(value)


def check_scheme(name: str, value: Any) -> Choice:
    """Return one of the prepend schemes: "first", "never", "always"; raise a ValueError that suggests the nearest."""
    return lookup(name, check_text(name, value), SCHEMES)


class Metaspace(Decoder):
    """Replace the replacement character by a space, and remove it from the first token.

    With the scheme "never", no space was added to the beginning of the text, so none is removed.

    >>> Metaspace().decode(["▁Hello", "▁wor", "ld"])
    'Hello world'
    >>> Metaspace(prepend_scheme="never").decode(["▁Hello"])
    ' Hello'
    """

    fields: ClassVar[Any] = {"replacement": check_character, "prepend_scheme": check_scheme, "split": check_bool}
    replacement: str
    prepend_scheme: str
    split: bool

    def __init__(self, replacement: str = "▁", prepend_scheme: str = "always", split: bool = True) -> None:
        """Set the options.

        Args:
            replacement: the character in place of a space.
            prepend_scheme: where the pre-tokenizer adds a space: "always", "first" (of the text only) or "never".
            split: an option of the pre-tokenizer; it does not change the decoding.
        """
        self.replacement = replacement
        self.prepend_scheme = prepend_scheme
        self.split = split

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> Metaspace:
        """Return the decoder with these fields; older versions wrote `add_prefix_space` and no `prepend_scheme`."""
        split = fields.get("split")
        fields = {"prepend_scheme": "always"} | fields | {"split": True if split is None else split}
        added = fields.get("add_prefix_space")
        if not isinstance(added, bool | None):
            raise ValueError(f"add_prefix_space={added!r:.60} in the decoder Metaspace should be true or false")
        if added is False and fields["prepend_scheme"] != "never":
            raise ValueError(
                f"add_prefix_space=false contradicts prepend_scheme={fields['prepend_scheme']!r} in the decoder "
                'Metaspace; write prepend_scheme="never"'
            )
        return super().from_json(fields)

    def decode_chain(self, tokens: list[str]) -> list[str]:
        """Return the tokens with spaces."""
        first = " " if self.prepend_scheme == "never" else ""
        return [token.replace(self.replacement, first) for token in tokens[:1]] + [
            token.replace(self.replacement, " ") for token in tokens[1:]
        ]
