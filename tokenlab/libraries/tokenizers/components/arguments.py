"""Checks of arguments, of settings, and of the fields of saved objects; a wrong value is named in the message.

The library converts arguments to Rust types, which refuses lone surrogates, numbers that do not fit, and 1 for True.
Adds: the checks, which raise the library's exception types; `Setting`, the only statement of an attribute's name, type,
default and saved form; `read_field`, which reads any field of a saved object.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from operator import index
from typing import Any, Generic, NoReturn, Self, TypeAlias, TypeVar, overload

from tokenlab.algorithms.pipeline.truncate import DIRECTIONS, Direction
from tokenlab.printing.errors import lookup

T = TypeVar("T")
UNSIGNED_32, UNSIGNED_64 = 2**32 - 1, 2**64 - 1
Input: TypeAlias = str | list[str]  # of `Tokenizer.encode`: a text, or the words of a pre-tokenized text


def check_text(name: str, value: Any) -> str:
    """Return a str that UTF-8 can encode.

    Raises:
        TypeError: the value is not a str.
        UnicodeEncodeError: it has a lone surrogate.

    >>> check_text("content", "a")
    'a'
    """
    if not isinstance(value, str):
        raise TypeError(f"{name}={value!r:.60} should be a str, not {type(value).__name__}")
    return check_encodable(value)


def check_encodable(text: str) -> str:
    """Return a text without lone surrogates; otherwise raise a UnicodeEncodeError that says how to remove them."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        error.reason = (
            f"surrogates not allowed: U+{ord(error.object[error.start]):04X} is half of a pair and no character; "
            'replace it with text.encode(errors="replace").decode()'
        )
        raise
    return text


def refuse_surrogates(name: str, text: str, refusal: type[Exception] = TypeError) -> str:
    """Return a text without lone surrogates; otherwise raise an exception of a type with the name of the argument.

    The library raises a TypeError where it tries several types of arguments, and a str that it cannot convert is none.

    >>> refuse_surrogates("pattern", "a")
    'a'
    """
    try:
        return check_encodable(text)
    except UnicodeEncodeError as error:
        raise refusal(f"{name}={text!r:.60} has a lone surrogate: {error.reason}") from None


def check_character(name: str, value: Any) -> str:
    """Return a text of one character.

    Raises:
        TypeError: it is not a str.
        ValueError: it has more or fewer characters than one.
        UnicodeEncodeError: it is a lone surrogate.
    """
    if len(check_text(name, value)) != 1:
        raise ValueError(f"{name}={value!r:.60} has {len(value)} characters; expected a string of length 1")
    return value  # type: ignore[no-any-return]


def check_direction(value: Any, refusal: str = "Unknown `direction`: `{}`. Use one of `left` or `right`") -> Direction:
    """Return "left" or "right".

    Raises:
        TypeError: the value is not a str.
        ValueError: it is another str; `refusal` is the message.
    """
    if check_text("direction", value) not in DIRECTIONS:
        raise ValueError(refusal.format(value))
    return DIRECTIONS[value]


def check_bool(name: str, value: Any) -> bool:
    """Return a bool (or NumPy's bool) as a bool; a value of another type raises a TypeError."""
    if isinstance(value, bool):
        return value
    if type(value).__module__ == "numpy" and type(value).__name__ in ("bool", "bool_"):
        return bool(value)
    raise TypeError(f"{name}={value!r:.60} should be True or False, not {type(value).__name__}")


def check_unsigned(name: str, value: Any, largest: int = UNSIGNED_64) -> int:
    """Return an integer from 0 to `largest`.

    Raises:
        TypeError: the value is not an integer.
        OverflowError: it is negative or too large.
    """
    try:
        number = int(index(value))
    except TypeError:
        raise TypeError(f"{name}={value!r:.60} should be an integer, not {type(value).__name__}") from None
    if not 0 <= number <= largest:
        raise OverflowError(f"{name}={number} should be from 0 to {largest}")
    return number


def check_unsigned_32(name: str, value: Any) -> int:
    """Return an integer from 0 to 2**32 - 1; the exceptions are those of `check_unsigned`."""
    return check_unsigned(name, value, UNSIGNED_32)


def check_number(name: str, value: Any) -> float:
    """Return a number as a float; any other value raises a TypeError."""
    if isinstance(value, str | bytes | bytearray) or not (hasattr(value, "__float__") or hasattr(value, "__index__")):
        raise TypeError(f"{name}={value!r:.60} should be a number, not {type(value).__name__}")
    return float(value)


def check_list(name: str, value: Any) -> list[Any]:
    """Return a list; a value of another type raises a TypeError."""
    if not isinstance(value, list):
        raise TypeError(f"{name}={value!r:.60} should be a list, not {type(value).__name__}")
    return value


def check_dict(name: str, value: Any) -> dict[Any, Any]:
    """Return a dict; a value of another type raises a TypeError."""
    if not isinstance(value, dict):
        raise TypeError(f"{name}={value!r:.60} should be a dict, not {type(value).__name__}")
    return value


def check_sequence(name: str, value: Any, items: str) -> list[Any]:
    """Return a sequence that is no str as a list; any other value raises a TypeError that names the items."""
    if isinstance(value, str | bytes) or not isinstance(value, Sequence):
        raise TypeError(f"{name}={value!r:.60} should be a list {items}, not {type(value).__name__}")
    return list(value)


def optional(check: Callable[[str, Any], T]) -> Callable[[str, Any], T | None]:
    """Return a check that also accepts None.

    >>> optional(check_text)("unk_token", None)
    """
    return lambda name, value: None if value is None else check(name, value)


def check_names(function: str, given: Mapping[str, Any], known: Collection[str]) -> dict[str, Any]:
    """Return the known keyword arguments, and print the unknown ones as ignored, which the library does not refuse."""
    for name in (name for name in given if name not in known):
        print(f"Ignored unknown kwarg option {name}; {function} knows: {', '.join(known)}")
    return {name: value for name, value in given.items() if name in known}


# --- the inputs of Tokenizer.encode and encode_batch -----------------------------------------------


def check_input(name: str, value: Any, is_pretokenized: bool) -> Input:
    """Return a text, or the words of a pre-tokenized one; a TypeError for other values and for lone surrogates.

    >>> check_input("sequence", ("a", "b"), is_pretokenized=True)
    ['a', 'b']
    """
    if not is_pretokenized:
        if not isinstance(value, str):
            raise TypeError(
                f"TextInputSequence must be str: {name}={value!r:.60} is of type {type(value).__name__}; "
                "encode a list of words with is_pretokenized=True, and several texts with encode_batch"
            )
        return value if value.isascii() else refuse_surrogates(name, value)
    words = _words(value)
    if words is None:
        raise TypeError(
            f"PreTokenizedInputSequence must be Union[List[str], Tuple[str]], because is_pretokenized=True, "
            f"not {name}={value!r:.60}; encode a text with is_pretokenized=False"
        )
    return [word if word.isascii() else refuse_surrogates(name, word) for word in words]


def check_batch(value: Any, is_pretokenized: bool) -> list[tuple[Input, Input | None]]:
    """Return each input of a batch as a sequence and its pair, or None.

    Raises:
        TypeError: the batch is not a sequence, or an input is neither a sequence nor a pair.

    >>> check_batch(["a", ("b", "c")], is_pretokenized=False)
    [('a', None), ('b', 'c')]
    """
    items = as_items(value)
    if items is None:
        raise TypeError(f"input={value!r:.60} should be a list of inputs, not {type(value).__name__}")
    return [_check_item(f"input[{place}]", item, is_pretokenized) for place, item in enumerate(items)]


def _check_item(name: str, item: Any, is_pretokenized: bool) -> tuple[Input, Input | None]:
    if isinstance(item, str) if not is_pretokenized else _words(item) is not None:
        return check_input(name, item, is_pretokenized), None
    pair = as_items(item)
    if pair is None or len(pair) != 2:
        kind = "a list of words" if is_pretokenized else "a str"
        raise TypeError(f"{name}={item!r:.60} should be {kind}, or a pair of two (is_pretokenized={is_pretokenized})")
    first, second = (check_input(f"{name}[{place}]", one, is_pretokenized) for place, one in enumerate(pair))
    return first, second


def as_items(value: Any) -> list[Any] | None:
    """Return the items of a list, tuple, other sequence or array; None for a str and anything else."""
    if isinstance(value, Sequence) and not isinstance(value, str | bytes | bytearray):
        return list(value)
    return list(value) if _is_array(value) else None


def _words(value: Any) -> list[str] | None:
    """Return the words of a list, tuple or array of str, or None."""
    if not isinstance(value, list | tuple) and not _is_array(value):
        return None
    words = list(value)
    return words if all(isinstance(word, str) for word in words) else None


def _is_array(value: Any) -> bool:
    # By name, so that NumPy is not imported.
    return type(value).__module__ == "numpy" and type(value).__name__ == "ndarray" and value.ndim >= 1


# --- settings and saved fields -----------------------------------------------------------------------

REQUIRED: Any = object()


class Setting(Generic[T]):
    """An attribute of a component and a field of tokenizer.json. The value of the attribute `name` is kept in `_name`.

    >>> class Digits:
    ...     individual_digits = Setting(check_bool, "Whether each digit is a pre-token.")
    >>> Digits().individual_digits = 1
    Traceback (most recent call last):
    ...
    TypeError: individual_digits=1 should be True or False, not int
    """

    def __init__(
        self,
        check: Callable[[str, Any], T],
        doc: str,
        *,
        field: str | None = None,
        default: Any = REQUIRED,
        load: Callable[[str, Any], T] | None = None,
        save: Callable[[T], Any] | None = None,
        show: Callable[[T], T] | None = None,
    ) -> None:
        """Describe the attribute.

        Args:
            check: returns the value to keep, given the attribute's name and the value that was set.
            doc: a sentence on the attribute.
            field: its name in tokenizer.json, if that is different.
            default: the value if tokenizer.json lacks the field.
            load: the same as `check`, for a value in tokenizer.json, if that is different.
            save: returns the value in tokenizer.json, if that is not the kept value.
            show: returns the value of the attribute, if that is not the kept value.
        """
        self.check, self.default, self.load, self.save, self.show = check, default, load or check, save, show
        self.field = field or ""
        self.__doc__ = doc

    def __set_name__(self, owner: type, name: str) -> None:
        self.name, self.key, self.field = name, f"_{name}", self.field or name

    @overload
    def __get__(self, component: None, owner: type | None = None) -> Self: ...
    @overload
    def __get__(self, component: object, owner: type | None = None) -> T: ...
    def __get__(self, component: Any, owner: type | None = None) -> Any:
        if component is None:
            return self
        value = vars(component)[self.key]
        return self.show(value) if self.show else value

    def __set__(self, component: Any, value: Any) -> None:
        vars(component)[self.key] = self.check(self.name, value)

    def __delete__(self, component: Any) -> NoReturn:
        raise AttributeError(f"{self.name} cannot be deleted; assign another value")

    def saved(self, component: Any) -> Any:
        """Return the value in tokenizer.json."""
        value = vars(component)[self.key]
        return self.save(value) if self.save else value

    def loaded(self, fields: Any) -> T:
        """Return the value to keep, from the fields of tokenizer.json; a wrong one raises a ValueError."""
        return read_field(fields, self.field, self.load, self.default)


def read_field(
    fields: Any, name: str, check: Callable[[str, Any], T], default: Any = REQUIRED, owner: str | None = None
) -> T:
    """Return a field of a saved object after a check, or the default if the field is missing.

    Args:
        fields: the object, which should be a dict.
        name: the name of the field.
        check: returns the value, or raises an exception; given the name and the value in the file.
        default: the value of a field that is missing.
        owner: what the message calls the object; its "type", if it has one.

    Raises:
        ValueError: the object is no JSON object, or the field is missing, or has a wrong type or value.

    >>> read_field({"type": "FixedLength", "length": True}, "length", check_unsigned)
    Traceback (most recent call last):
    ...
    ValueError: FixedLength: length=True should be an integer, not true or false
    """
    owner = owner or (str(fields.get("type", "this object")) if isinstance(fields, Mapping) else "this")
    if not isinstance(fields, Mapping):
        raise ValueError(f"{owner} is {fields!r:.60}; it should be a JSON object with the field `{name}`")
    if name not in fields:
        if default is REQUIRED:
            raise ValueError(f"missing field `{name}` in {owner}, which has: {', '.join(fields) or 'nothing'}")
        return default  # type: ignore[no-any-return]
    given = fields[name]
    try:
        value = check(name, given)
    except (TypeError, OverflowError, ValueError) as error:
        raise ValueError(f"{owner}: {error}") from None
    if isinstance(given, bool) and isinstance(value, int | float) and not isinstance(value, bool):
        kind = "an integer" if isinstance(value, int) else "a number"
        raise ValueError(f"{owner}: {name}={given} should be {kind}, not true or false")
    return value


def load_variant(variants: Mapping[str, T]) -> Callable[[str, Any], T]:
    """Return a function that reads one of these names, or an object with this name and null.

    >>> load_variant({"Left": "left", "Right": "right"})("direction", "Left")
    'left'
    """

    def load(name: str, value: Any) -> T:
        if isinstance(value, dict) and list(value.values()) == [None]:
            (value,) = value
        return lookup(name, value if isinstance(value, str) else repr(value), variants)

    return load
