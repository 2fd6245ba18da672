"""Settings of components: attributes that are checked when they are set, and fields of tokenizer.json.

Adds: `Setting`, the only statement of an attribute's name, type, default and saved form; `read_field`, which reads any
field of a saved object with errors that name it.
Leaves out: the checks themselves (`arguments`), and the fields of a whole component (`component`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Generic, NoReturn, Self, TypeVar, overload

from tokenlab.printing.errors import lookup

T = TypeVar("T")
REQUIRED: Any = object()


class Setting(Generic[T]):
    """An attribute of a component and a field of tokenizer.json. The value of the attribute `name` is kept in `_name`.

    >>> from tokenlab.libraries.tokenizers.components.arguments import check_bool
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

    >>> from tokenlab.libraries.tokenizers.components.arguments import check_unsigned
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
