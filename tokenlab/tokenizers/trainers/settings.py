"""The settings of trainers: properties that check their value, with the exception types of the library.

Source: tokenizers, bindings/python/src/trainers.rs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum
from typing import Any, Generic, TypeVar, overload

from tokenlab.tokenizers.added_token import AddedToken
from tokenlab.tokenizers.arguments import UNSIGNED_32, check_bool, check_text, check_unsigned

T = TypeVar("T")


class Setting(Generic[T]):
    """A property of a trainer: `check` returns the value to store, `read` what reading the property returns."""

    def __init__(self, check: Callable[[str, Any], T], doc: str, read: Callable[[T], T] | None = None) -> None:
        self.check = check
        self.read = read
        self.__doc__ = doc

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, trainer: None, owner: type) -> Setting[T]: ...
    @overload
    def __get__(self, trainer: object, owner: type) -> T: ...
    def __get__(self, trainer: object | None, owner: type) -> T | Setting[T]:
        if trainer is None:
            return self
        value: T = vars(trainer)[self.name]
        return self.read(value) if self.read else value

    def __set__(self, trainer: object, value: Any) -> None:
        vars(trainer)[self.name] = self.check(self.name, value)


class ProgressFormat(Enum):
    """How training reports its progress; the values are those of a pickled trainer."""

    indicatif = "Indicatif"
    json = "JsonLines"
    silent = "Silent"

    def __str__(self) -> str:
        return self.value


def check_size(name: str, value: Any) -> int:
    """Return an integer from 0 to 2^64 - 1."""
    return int(check_unsigned(name, value))


def check_size_32(name: str, value: Any) -> int:
    """Return an integer from 0 to 2^32 - 1."""
    return int(check_unsigned(name, value, UNSIGNED_32))


def optional(check: Callable[[str, Any], T]) -> Callable[[str, Any], T | None]:
    """Return a check that also accepts None."""
    return lambda name, value: None if value is None else check(name, value)


def check_number(name: str, value: Any) -> float:
    """Return a float.

    Raises:
        TypeError: the value is not a number.
    """
    if isinstance(value, str | bytes):
        raise TypeError(f"{name}={value!r:.60} should be a number, not {type(value).__name__}")
    return float(value)


def check_numbers(name: str, value: Any) -> list[float]:
    """Return a sequence of numbers as a list.

    Raises:
        TypeError: the value is not a sequence, or an item is not a number.
    """
    if isinstance(value, str | bytes) or not isinstance(value, Sequence):
        raise TypeError(f"{name}={value!r:.60} should be a list of numbers, not {type(value).__name__}")
    return [check_number(f"an item of {name}", number) for number in value]


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
    if not isinstance(value, list):
        raise TypeError(f"{name}={value!r:.60} should be a list, not {type(value).__name__}")
    tokens = []
    for token in value:
        if isinstance(token, AddedToken):
            token.special = True
            tokens.append(token.copy())
        elif isinstance(token, str) and _encodable(token):
            tokens.append(AddedToken(token, special=True))
        else:
            raise TypeError(f"{name}: {token!r:.60} should be a str that UTF-8 can encode, or an AddedToken")
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
    if isinstance(value, str | bytes) or not isinstance(value, Sequence):
        raise TypeError(f"{name}={value!r:.60} should be a list of str, not {type(value).__name__}")
    return [check_text(f"an item of {name}", text) for text in value]


def check_progress_format(name: str, value: Any) -> str:
    """Return "indicatif", "json" or "silent"; any other text means "indicatif"."""
    text = check_text(name, value)
    return text if text in ProgressFormat.__members__ else "indicatif"


def copies(tokens: list[AddedToken]) -> list[AddedToken]:
    """Return equal tokens, so that changing them does not change the trainer."""
    return [token.copy() for token in tokens]


def text_copies(texts: list[str]) -> list[str]:
    """Return the list copied, so that changing it does not change the trainer."""
    return list(texts)


VOCAB_SIZE = "The size of the final vocabulary, with special tokens and alphabet."
SHOW_PROGRESS = "Whether to show progress bars while training."


def show_progress() -> Setting[bool]:
    """Return the property `show_progress`."""
    return Setting(check_bool, SHOW_PROGRESS)


def special_tokens() -> Setting[list[AddedToken]]:
    """Return the property `special_tokens`."""
    return Setting(check_special_tokens, "The special tokens, which come first in the vocabulary.", copies)


def _encodable(text: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in text)
