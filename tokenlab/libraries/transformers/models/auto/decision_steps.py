"""The decisions of the Auto classes, what was read and which class follows from it; and their errors.

The steps hold names of classes, not the classes, so that a recording can be written to a file. The errors have the
library's type, and a message that says what to change.
"""

from __future__ import annotations

from typing import Any

from tokenlab.printing.printable import Parts, SymbolPart, symbol_parts
from tokenlab.steps.recording import step


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


@step
class UsedArgument:
    """An argument of the call decides instead of a file."""

    name: str
    value: str
    rule: str  # what follows from the value

    def sentence(self) -> Parts:
        """Name the argument, and say what follows from it."""
        return [f"the argument {self.name}={self.value}: {self.rule}"]


@step
class ReadFile:
    """A file was looked up, and the keys that can decide were read."""

    file: str
    found: bool
    values: dict[str, Any]  # of these keys; None for a key that is not in the file

    def sentence(self) -> Parts:
        """Name the keys and their values."""
        if not self.found:
            return [f"there is no {self.file}"]
        keys = (f"no {key}" if value is None else f"{key} = {short(value)}" for key, value in self.values.items())
        return [f"{self.file} has {', '.join(keys)}"]


@step
class ChoseConfig:
    """A model type selected the class of the configuration."""

    model_type: str
    class_name: str
    found_in: str  # "config.json", or "the name" if the model type is part of the path or repository name

    def sentence(self) -> Parts:
        """Name the model type and the class."""
        chosen = f"the model type {self.model_type!r}, from {self.found_in}, selects "
        return [chosen, SymbolPart(self.class_name, "new"), " in CONFIG_MAPPING"]


@step
class TriedName:
    """A class was looked up by its name."""

    class_name: str
    found: bool
    rule: str  # why this name was looked up

    def sentence(self) -> Parts:
        """Say why the name was looked up, and whether there is a class of this name."""
        return [f"{self.rule}: there is {'a' if self.found else 'no'} class ", SymbolPart(self.class_name)]


@step
class LookedUp:
    """The class of the configuration was looked up in a mapping."""

    mapping: str  # its name, or the Auto class that it belongs to
    class_name: str
    values: tuple[str | None, ...]  # the names of the classes found: slow and fast tokenizer, or the models

    def sentence(self) -> Parts:
        """Name the classes found."""
        found = symbol_parts(map(str, self.values), between=" and ")
        return [f"the mapping of {self.mapping} has ", *found, " for ", SymbolPart(self.class_name)]


@step
class ChoseClass:
    """The class whose `from_pretrained` is called now, or that is built."""

    class_name: str
    module: str  # that defines it, and that was imported for it
    rule: str  # what decided

    def sentence(self) -> Parts:
        """Say what decided, and name the class."""
        return [f"{self.rule}: ", SymbolPart(self.class_name, "new"), f", defined in {self.module}"]


Decision = UsedArgument | ReadFile | ChoseConfig | TriedName | LookedUp | ChoseClass


def short(value: Any) -> str:
    """Return the `repr` of a value, shortened in the middle.

    >>> short("t5"), len(short("x" * 1000))
    ("'t5'", 83)
    """
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:40]}...{text[-40:]}"


def json_value(value: Any) -> Any:
    """Return a value of a JSON file as a step stores it: containers as text."""
    return value if value is None or isinstance(value, (str, int, float)) else short(value)
