"""Plain values as JSON, so that a grader never gets an object of the student's own class.

>>> decode(encode({("h", "u"): [1, 2.5, b"\\xff", {3}]}))
{('h', 'u'): [1, 2.5, b'\\xff', {3}]}
>>> class AlwaysEqual:
...     def __eq__(self, other):
...         return True
>>> encode([AlwaysEqual()])
Traceback (most recent call last):
...
course.sandbox.values.NotPlainError: contains an object of the type AlwaysEqual
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from tokenlab.check.tensor_values import is_tensor

MAX_DEPTH = 50  # levels of nesting
MAX_DIMENSIONS, MAX_SIZE = 8, 1_000_000  # of a tensor: torch follows each dimension, even of one without numbers
MAX_DIGITS = 5_000  # of an integer: converting more takes long
MAX_HASHED = 10_000  # items of a set, or keys of a dictionary: equal hashes would take long
TENSOR_TYPES = ("float32", "float64", "int64", "bool")


class NotPlainError(ValueError):
    """A value cannot be sent: it contains an object of another type, or itself."""


def encode(value: Any, depth: int = MAX_DEPTH) -> Any:
    """Return a plain value as JSON: lists as lists, other containers as objects with the name of their type.

    Subclasses of plain types, such as a Counter, become the plain type.

    Raises:
        NotPlainError: the value is not plain.
    """
    if value is None or type(value) in (bool, float):
        return value
    if depth == 0:
        raise NotPlainError("is nested too deeply, or contains itself")
    for kind, written in ENCODERS:
        if isinstance(value, kind):
            return written(value, depth - 1)
    if is_tensor(value):
        return _tensor(value)
    if type(value).__module__ == "numpy" and getattr(value, "ndim", None) == 0:
        return encode(value.item(), depth - 1)
    raise NotPlainError(f"contains an object of the type {type(value).__name__}")


def decode(sent: Any) -> Any:
    """Return the value that was sent.

    Raises:
        NotPlainError: this was not made by `encode`.
    """
    if sent is None or type(sent) in (bool, int, float, str):
        return sent
    if type(sent) is list:
        return list(map(decode, sent))
    try:
        ((kind, content),) = sent.items()
        if kind in ("tuple", "dict", "set", "frozenset", "codes", "fraction", "tensor") and type(content) is not list:
            raise TypeError
        if kind in ("dict", "set", "frozenset") and len(content) > MAX_HASHED:
            raise ValueError
        return DECODERS[kind](content)
    except (AttributeError, KeyError, TypeError, ValueError, ArithmeticError, RuntimeError) as error:
        raise NotPlainError(f"is not a value that can be sent: {type(error).__name__}") from None


def _items(kind: str) -> Callable[[Any, int], Any]:
    return lambda value, depth: {kind: [encode(item, depth) for item in value]}


def _list(value: list[Any], depth: int) -> Any:
    return [encode(item, depth) for item in list.__iter__(value)]


def _dict(value: dict[Any, Any], depth: int) -> Any:
    return {"dict": [[encode(key, depth), encode(item, depth)] for key, item in dict.items(value)]}


def _text(value: str, _: int) -> Any:
    """Two surrogates of a pair would become one character in JSON, so such texts are sent as numbers."""
    plain = str.__getitem__(value, slice(None))
    return {"codes": list(map(ord, plain))} if any("\ud800" <= sign <= "\udfff" for sign in plain) else plain


def _integer(value: int, _: int) -> Any:
    plain = int.__index__(value)
    return plain if -(2**63) < plain < 2**63 else {"hex": hex(plain)}


def _tensor(value: Any) -> Any:
    kind = str(value.dtype).removeprefix("torch.")
    if kind not in TENSOR_TYPES:
        raise NotPlainError(f"contains a tensor of the type {kind}; there are {', '.join(TENSOR_TYPES)}")
    return {"tensor": [kind, list(value.shape), value.detach().reshape(-1).tolist()]}


def _number(digits: str) -> int:
    if len(digits) > MAX_DIGITS:
        raise ValueError
    return int(digits, 16)


def _decoded_tensor(content: Any) -> Any:
    import torch

    kind, shape, numbers = content
    if kind not in TENSOR_TYPES:
        raise NotPlainError(f"is a tensor of the type {kind}")
    if len(shape) > MAX_DIMENSIONS or max(shape, default=0) > MAX_SIZE:
        raise NotPlainError(f"is a tensor with more than {MAX_DIMENSIONS} dimensions, or one of more than {MAX_SIZE:,}")
    return torch.tensor(numbers, dtype=getattr(torch, kind)).reshape(shape)


ENCODERS: tuple[tuple[type, Callable[[Any, int], Any]], ...] = (
    (str, _text),
    (int, _integer),
    (float, lambda value, _: float.__float__(value)),
    (list, _list),
    (tuple, _items("tuple")),
    (dict, _dict),
    (set, _items("set")),
    (frozenset, _items("frozenset")),
    (bytes, lambda value, _: {"bytes": base64.b64encode(bytes(value)).decode()}),
    (bytearray, lambda value, _: {"bytearray": base64.b64encode(bytes(value)).decode()}),
    (Fraction, lambda value, _: {"fraction": [hex(value.numerator), hex(value.denominator)]}),
    (type(...), lambda value, _: {"dots": 3}),
    (Mapping, lambda value, depth: _dict(dict(value), depth)),
)
DECODERS: dict[str, Callable[[Any], Any]] = {
    "tuple": lambda items: tuple(map(decode, items)),
    "dict": lambda pairs: {decode(key): decode(item) for key, item in pairs},
    "set": lambda items: set(map(decode, items)),
    "frozenset": lambda items: frozenset(map(decode, items)),
    "codes": lambda codes: "".join(map(chr, codes)),
    "hex": lambda digits: _number(digits),
    "bytes": lambda text: base64.b64decode(text, validate=True),
    "bytearray": lambda text: bytearray(base64.b64decode(text, validate=True)),
    "fraction": lambda parts: Fraction(*map(_number, parts)),
    "dots": lambda _: ...,
    "tensor": _decoded_tensor,
}
