"""Types of results: every check compares them before the values, by one rule.

A list counts as a tuple, a frozenset as a set, a bytearray as bytes, and numbers are of one type, but not True and
False. Scalars of numpy and torch are numbers (`isolated_run` converts them). Any other type is wrong, even if Python
calls the two values equal, as it does with True and 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass
from functools import reduce
from numbers import Number
from typing import Any

MAX_DEPTH = 6  # levels of nesting that are compared

SINGULAR = {
    "bool": "True or False",
    "number": "a number",
    "int": "an integer",
    "float": "a float",
    "str": "a string",
    "bytes": "bytes",
    "list": "a list",
    "tuple": "a tuple",
    "set": "a set",
    "dict": "a dictionary",
    "NoneType": "None",
    "type": "a class",
    "function": "a function",
}
PLURAL = {
    "bool": "booleans",
    "number": "numbers",
    "int": "integers",
    "float": "floats",
    "str": "strings",
    "bytes": "bytes objects",
    "list": "lists",
    "tuple": "tuples",
    "set": "sets",
    "dict": "dictionaries",
}
PLAIN = (bool, int, float, str, bytes)  # without parts; the first one is an int as well
KNOWN = (*PLAIN, list, tuple, set, frozenset, bytearray)
# Types whose values may be equal, by the name of one of them.
ALIKE = {"float": "int", "number": "int", "tuple": "list", "frozenset": "set", "bytearray": "bytes"}
# How to make the second type from the first.
CONVERSIONS = {
    ("str", "bytes"): "A string consists of characters, and bytes are numbers from 0 to 255: use the method encode.",
    ("bytes", "str"): "Bytes are numbers from 0 to 255, and a string consists of characters: use the method decode.",
    ("str", "int"): 'The string "12" is not the number 12.',
    ("int", "str"): 'The number 12 is not the string "12".',
    ("str", "list"): "A string is not a list or a tuple, even if both have the same characters.",
    ("list", "str"): "A list or a tuple is not a string; the method join makes one of strings.",
    ("set", "list"): "A set has no order and drops repetitions; the task asks for a list or a tuple.",
    ("list", "set"): "The result has no order and no repetitions: make a set.",
    ("dict", "list"): "A dictionary is not the list of its keys or of its values.",
    ("list", "dict"): "The result maps keys to values: make a dictionary.",
    ("int", "bool"): "The result is True or False, as of a comparison, and not 1 or 0.",
    ("bool", "int"): "True and False are no numbers here: say 1 or 0, or count.",
}


def type_rule(pair: tuple[str, str] | None) -> str:
    """Return the rule for a pair of different types, as `type_difference` finds it.

    >>> type_rule(("str", "int"))
    'The type of a result comes before its value. The string "12" is not the number 12.'
    """
    hint = CONVERSIONS.get(pair, "") if pair else ""
    return f"The type of a result comes before its value. {hint or 'The task names the type that it needs.'}"


@dataclass(frozen=True)
class Kind:
    """The type of a value, and the common kinds of its parts: None is unknown, such as the parts of an empty list."""

    name: str  # "mixed" if several values differ
    parts: tuple[Kind | None, ...] = ()

    @property
    def alike(self) -> str:
        """One name for all types whose values may be equal."""
        return ALIKE.get(self.name, self.name)


def kind_of(value: Any, deep: int = MAX_DEPTH) -> Kind:
    """Return the kind of a value.

    >>> kind_of([("a", "b")]) == kind_of([("c", "d"), ()])
    True
    """
    name = type_name(value)
    if not deep:
        return Kind("mixed")
    if isinstance(value, Mapping):
        return Kind(name, (_common(value.keys(), deep - 1), _common(value.values(), deep - 1)))
    return Kind(
        name, (_common(value, deep - 1),) if type(value) not in PLAIN and isinstance(value, list | tuple | Set) else ()
    )


def type_name(value: Any) -> str:
    """Return the name of a value's type; that of a subclass is that of its base, such as "dict" for a Counter."""
    if type(value) in KNOWN:
        return type(value).__name__
    if isinstance(value, Mapping):
        return "dict"
    return next((one.__name__.lower() for one in (*KNOWN, Number) if isinstance(value, one)), type(value).__name__)


def _common(values: Iterable[Any], deep: int) -> Kind | None:
    start: Kind | None = None
    values = list(values)
    if {*map(type, values)} <= {*PLAIN}:  # one value of each type is enough: they have no parts
        values = list({type(value): value for value in values}.values())
    return reduce(_merged, (kind_of(value, deep) for value in values), start)


def _merged(left: Kind | None, right: Kind | None) -> Kind | None:
    if left is None or right is None:
        return left or right
    if left.alike != right.alike:
        return Kind("mixed")
    return Kind(left.name, tuple(map(_merged, left.parts, right.parts)))


def type_difference(mine: Any, wanted: Any, deep: int = MAX_DEPTH) -> tuple[str, str] | None:
    """Return the names of the outermost two types that differ, or None.

    The parts of a list of several types are not compared, because their types say which values are right.

    >>> type_difference(["12", "7"], [12, 7]), type_difference((12, 7), [12, 7]), type_difference([], [12])
    (('str', 'int'), None, None)
    >>> type_difference((b"a", b"b"), ("a", b"b")), type_difference([3, None], [3, "a"])
    (('bytes', 'str'), None)
    """
    if type(mine) is type(wanted) and type(mine) in PLAIN:
        return None
    if found := _difference(kind_of(mine), kind_of(wanted)):
        return found
    if deep and isinstance(wanted, Mapping) and isinstance(mine, Mapping):
        both = ((mine[key], wanted[key]) for key in wanted if key in mine)
        return next(filter(None, (type_difference(one, other, deep - 1) for one, other in both)), None)
    if not deep or not isinstance(wanted, list | tuple) or not isinstance(mine, list | tuple):
        return None
    parts = _common(wanted, 2)
    if parts and parts.name == "mixed" and (isinstance(wanted, list) or len(mine) != len(wanted)):
        return None
    pairs = zip(mine, wanted, strict=False)
    return next(filter(None, (type_difference(one, other, deep - 1) for one, other in pairs)), None)


def _difference(mine: Kind | None, wanted: Kind | None) -> tuple[str, str] | None:
    if mine is None or wanted is None or "mixed" in (mine.name, wanted.name):
        return None
    if mine.alike != wanted.alike:
        return mine.alike, wanted.alike
    return next(filter(None, map(_difference, mine.parts, wanted.parts)), None)


def type_mismatch(mine: Any, wanted: Any) -> str:
    """Return a sentence on the types of two values if values of these types cannot be equal, or "".

    >>> type_mismatch(["12", "7"], [12, 7])
    'The result should be a list of integers, not a list of strings.'
    >>> type_mismatch({"a"}, ("a",)), type_mismatch(2, 2.5)
    ('The result should be a tuple, not a set.', '')
    >>> type_mismatch({"a": 1}, {2: 1})
    'The result should be a dictionary from integers to integers, not a dictionary from strings to integers.'
    >>> type_mismatch(("", ""), ("", b""))
    'A part of the result should be bytes, not a string.'
    """
    one, other = kind_of(mine), kind_of(wanted)
    if _difference(one, other):
        outer = one.alike != other.alike
        return f"The result should be {_described(other, outer)}, not {_described(one, outer)}."
    pair = type_difference(mine, wanted)
    return f"A part of the result should be {_any_of(pair[1])}, not {_any_of(pair[0])}." if pair else ""


def _any_of(alike: str) -> str:
    """A name of types whose values may be equal, in words."""
    return {"int": "a number", "list": "a list or a tuple"}.get(alike) or _described(Kind(alike), outer=True)


def _described(kind: Kind, outer: bool) -> str:
    article = "an" if kind.name[0] in "aeiouAEIOU" or kind.name == "ndarray" else "a"
    return SINGULAR.get(kind.name, f"{article} {kind.name}") + ("" if outer else _of_parts(kind))


def _of_parts(kind: Kind) -> str:
    """The types of the parts in words, such as " of tuples of strings"."""
    words = [PLURAL.get(part.name, part.name) + _of_parts(part) for part in kind.parts if part and part.name != "mixed"]
    if len(words) == 2:
        return f" from {words[0]} to {words[1]}"
    return f" of {words[0]}" if words else ""


def described(value: Any) -> str:
    """Return the type of a value in words.

    >>> described("a"), described(["a"])
    ('a string', 'a list')
    """
    return _described(kind_of(value, 1), outer=True)


def wrong_key(key: Any, arguments: Iterable[Any]) -> tuple[str, str]:
    """Return a clause on a key whose type no key of a dictionary among the arguments has, and the rule; or "" and "".

    >>> wrong_key("a", [3, {b"a": 1}])[0], wrong_key("a", [3, {"b": 1}])
    ('the keys of the dictionary are bytes objects, and this key is a string', ('', ''))
    """
    mine = kind_of(key, 1)
    for argument in arguments:
        wanted = kind_of(argument, 2).parts[0] if isinstance(argument, Mapping) else None
        if wanted and wanted.name != "mixed" and wanted.alike != mine.alike:
            kinds = PLURAL.get(wanted.name, wanted.name)
            clause = f"the keys of the dictionary are {kinds}, and this key is {described(key)}"
            hint = CONVERSIONS.get((mine.alike, wanted.alike), "")
            return clause, f"A key is found only if it has the right type. {hint}".rstrip()
    return "", ""
