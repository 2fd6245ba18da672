"""The errors of the Auto classes: with the library's type, and a message that says what to change."""

from __future__ import annotations

from typing import Any


class UnknownModelTypeError(KeyError):
    """A model type without a class; unlike other KeyErrors, it is displayed as a sentence."""

    def __str__(self) -> str:
        return str(self.args[0])


class CorruptFieldError(ValueError, TypeError, AttributeError):
    """A key of a JSON file that has a value of the wrong type.

    The library crashes with a TypeError or an AttributeError, and this is both.
    """


def refuse_custom_code(auto_map: Any, auto_class: str, where: str, name: Any, trust_remote_code: bool) -> None:
    """Raise a ValueError if `auto_map` has an entry for the Auto class: this package never runs code from a folder.

    Args:
        auto_map: the value of the key, a dictionary from Auto classes to "module.class".
        auto_class: the name of the Auto class.
        where: the file with the key.
        name: the folder or repository.
        trust_remote_code: what the caller gave; the library runs the code if it is True.

    Raises:
        CorruptFieldError: the value is no dictionary.
    """
    try:
        required = auto_class in auto_map
    except TypeError:
        raise CorruptFieldError(f"{where} of {str(name)!r}: auto_map={auto_map!r} should be a dictionary") from None
    if required:
        refuse(f"auto_map in {where} of {str(name)!r} names Python code for {auto_class}", trust_remote_code)


def refuse(what: str, trust_remote_code: bool) -> None:
    """Raise the ValueError for code in a folder.

    >>> refuse("auto_map names Python code", trust_remote_code=True)
    Traceback (most recent call last):
    ...
    ValueError: auto_map names Python code, and tokenlab never runs code from a model's folder; ...
    """
    asked = (
        "trust_remote_code=True does not change this"
        if trust_remote_code
        else "nor does the library without permission"
    )
    raise ValueError(
        f"{what}, and tokenlab never runs code from a model's folder; {asked}. Read the code, import the classes "
        "yourself and add them with AutoConfig.register, AutoTokenizer.register and AutoModel.register, then remove "
        "auto_map from the file"
    )
