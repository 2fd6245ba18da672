"""The settings that the pre-tokenizer and the decoder `Metaspace` share."""

from __future__ import annotations

from typing import Any, Self

from tokenlab.libraries.tokenizers.components.arguments import (
    Setting,
    check_bool,
    check_character,
    check_text,
    optional,
    read_field,
)
from tokenlab.libraries.tokenizers.components.component import Choice, Component
from tokenlab.printing.errors import lookup

SCHEMES = {name: Choice(name) for name in ("first", "never", "always")}


def _check_scheme(name: str, value: Any) -> str:
    return lookup(name, check_text(name, value), SCHEMES)


def _load_split(name: str, value: Any) -> bool:
    return value is None or check_bool(name, value)


class MetaspaceSettings(Component):
    """A component that replaces spaces by a visible character, or the other way round."""

    replacement = Setting(check_character, "The character in place of a space.")
    prepend_scheme = Setting(
        _check_scheme, 'Where a replacement is inserted: "first", "never" or "always".', default=SCHEMES["always"]
    )
    split = Setting(check_bool, "Whether the text is split before each replacement.", default=True, load=_load_split)

    def __init__(self, replacement: str = "▁", prepend_scheme: str = "always", split: bool = True) -> None:
        """Take the settings.

        Args:
            replacement: the character in place of a space.
            prepend_scheme: whether a replacement is inserted before a part of the text that does not start with one:
                "always", "never", or "first", only at the start of the original.
            split: whether the pre-tokenizer splits before each replacement; it does not change the decoding.

        Raises:
            TypeError: an argument has a wrong type.
            ValueError: `replacement` is not one character, or there is no such scheme.
        """
        self.replacement = replacement
        self.prepend_scheme = prepend_scheme
        self.split = split

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> Self:
        """Return the component with these fields; older files have `add_prefix_space` instead of `prepend_scheme`."""
        component = super().from_json(fields)
        scheme = component.prepend_scheme
        if read_field(fields, "add_prefix_space", optional(check_bool), None) is False and scheme != "never":
            raise ValueError(
                f'Metaspace: add_prefix_space=false contradicts prepend_scheme="{scheme}"'
                + (", the default" if "prepend_scheme" not in fields else "")
                + '; remove add_prefix_space, and set prepend_scheme="never"'
            )
        read_field(fields, "str_rep", optional(check_text), None)  # not used any more
        return component
