"""The settings of trainers: checks of their values, with the exception types of the library.

Source: tokenizers, bindings/python/src/trainers.rs.
"""

from __future__ import annotations

from enum import Enum
from typing import Any

from tokenlab.libraries.tokenizers.added_token import AddedToken
from tokenlab.libraries.tokenizers.components.arguments import (
    UNSIGNED_32,
    Setting,
    check_bool,
    check_list,
    check_number,
    check_sequence,
    check_text,
    check_unsigned,
    refuse_surrogates,
)


class ProgressFormat(Enum):
    """How training reports its progress; the values are those of a pickled trainer."""

    indicatif = "Indicatif"
    json = "JsonLines"
    silent = "Silent"

    def __str__(self) -> str:
        return self.value


def check_size_32(name: str, value: Any) -> int:
    """Return an integer from 0 to 2^32 - 1."""
    return check_unsigned(name, value, UNSIGNED_32)


def check_numbers(name: str, value: Any) -> list[float]:
    """Return a sequence of numbers as a list.

    Raises:
        TypeError: the value is not a sequence, or an item is not a number.
    """
    return [check_number(f"an item of {name}", number) for number in check_sequence(name, value, "of numbers")]


def check_variant(name: str, value: Any) -> str:
    """Return "base" or "window".

    Raises:
        ValueError: another text.
    """
    if check_text("variant", value) not in ("base", "window"):
        raise ValueError(f"Unknown variant {value!r}. Use 'base' or 'window'.")
    return str(value)


def check_special_tokens(name: str, value: Any) -> list[AddedToken]:
    """Return special tokens as `AddedToken`s; a given `AddedToken` becomes special.

    Raises:
        TypeError: the value is not a list, or an item is neither a str nor an `AddedToken`.

    >>> check_special_tokens("special_tokens", ["<s>"])[0].special
    True
    """
    tokens = []
    for token in check_list(name, value):
        if isinstance(token, AddedToken):
            token.special = True
            tokens.append(token.copy())
        elif isinstance(token, str):
            tokens.append(AddedToken(refuse_surrogates(name, token), special=True))
        else:
            raise TypeError(f"{name}: {token!r:.60} should be a str or an AddedToken, not {type(token).__name__}")
    return tokens


def check_alphabet(name: str, value: Any) -> list[str]:
    """Return a sequence of characters without repetitions.

    Raises:
        TypeError: the value is not a sequence of str.
        ValueError: an item is not one character.
    """
    characters = check_texts(name, value)
    for character in characters:
        if len(character) != 1:
            raise ValueError(f"{name}: {character!r:.60} should be a str of length 1")
    return list(dict.fromkeys(characters))


def first_characters(name: str, value: Any) -> list[str]:
    """Return the first character of each text, without repetitions; an empty text has none.

    >>> first_characters("initial_alphabet", ["abc", "", "d"])
    ['a', 'd']
    """
    return list(dict.fromkeys(text[0] for text in check_texts(name, value) if text))


def check_texts(name: str, value: Any) -> list[str]:
    """Return a sequence of texts as a list.

    Raises:
        TypeError: the value is a str, or not a sequence, or an item is not a str.
    """
    return [check_text(f"an item of {name}", text) for text in check_sequence(name, value, "of str")]


def check_progress_format(name: str, value: Any) -> str:
    """Return "indicatif", "json" or "silent"; any other text means "indicatif"."""
    text = check_text(name, value)
    return text if text in ProgressFormat.__members__ else "indicatif"


def copies(tokens: list[AddedToken]) -> list[AddedToken]:
    """Return equal tokens, so that changing them does not change the trainer."""
    return [token.copy() for token in tokens]


VOCAB_SIZE = "The size of the final vocabulary, with special tokens and alphabet."
SHOW_PROGRESS = "Whether to show progress bars while training."


def show_progress() -> Setting[bool]:
    """Return the property `show_progress`."""
    return Setting(check_bool, SHOW_PROGRESS)


def special_tokens() -> Setting[list[AddedToken]]:
    """Return the property `special_tokens`."""
    return Setting(check_special_tokens, "The special tokens, which come first in the vocabulary.", show=copies)


def initial_alphabet() -> Setting[list[str]]:
    """Return the property `initial_alphabet`."""
    return Setting(check_alphabet, "Characters of the alphabet, even if the corpus lacks them.", show=list)
