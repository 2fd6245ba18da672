"""Enumerations of argument values, and conversion of tensors to lists.

Adds: `ExplicitEnum`, whose error lists the known values; `PaddingStrategy`, `TensorType`; `to_py_obj`;
    `is_overridden`, whether a user's class has a method of its own; and a pause of Python's garbage collector.
Leaves out: `ModelOutput`, which is in `modeling_outputs`, and tensors of TensorFlow and JAX.

Source: transformers 4.26.1, utils/generic.py.
"""

from __future__ import annotations

import gc
import sys
from collections import UserDict
from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum
from typing import Any


class ExplicitEnum(str, Enum):  # noqa: UP042  (prints as the library's, not as a plain string)
    """An enumeration of strings whose error for an unknown value lists the known ones.

    >>> PaddingStrategy("most")
    Traceback (most recent call last):
    ...
    ValueError: 'most' is no PaddingStrategy; use one of 'longest', 'max_length', 'do_not_pad'
    """

    @classmethod
    def _missing_(cls, value: object) -> Any:
        known = ", ".join(repr(member.value) for member in cls)
        raise ValueError(f"{value!r} is no {cls.__name__}; use one of {known}")


class PaddingStrategy(ExplicitEnum):
    """The values that an argument `padding` may have."""

    LONGEST = "longest"
    MAX_LENGTH = "max_length"
    DO_NOT_PAD = "do_not_pad"


class TensorType(ExplicitEnum):
    """The values that an argument `return_tensors` may have."""

    PYTORCH = "pt"
    TENSORFLOW = "tf"
    NUMPY = "np"
    JAX = "jax"


def is_torch_tensor(value: Any) -> bool:
    """Return True for a PyTorch tensor; PyTorch is not imported."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.Tensor)


def is_numpy_array(value: Any) -> bool:
    """Return True for a NumPy array; NumPy is not imported."""
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(value, numpy.ndarray)


def is_numpy_number(value: Any) -> bool:
    """Return True for a NumPy number; NumPy is not imported."""
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(value, numpy.number)


def to_py_obj(obj: Any) -> Any:
    """Return lists and numbers for tensors and arrays, also inside dictionaries, lists and tuples.

    >>> to_py_obj({"input_ids": (1, 2)})
    {'input_ids': [1, 2]}
    """
    if type(obj) is int:
        return obj
    if isinstance(obj, (dict, UserDict)):
        return {name: to_py_obj(value) for name, value in obj.items()}
    if isinstance(obj, (list, tuple)):
        return [to_py_obj(value) for value in obj]
    if is_torch_tensor(obj):
        return obj.detach().cpu().tolist()
    if is_numpy_array(obj) or is_numpy_number(obj):
        return obj.tolist()
    return obj


def is_overridden(instance: Any, *names: str) -> bool:
    """Return True if a subclass outside this package, or the object itself, has its own method of one of the names.

    >>> from tokenlab.libraries.transformers import BasicTokenizer
    >>> tokenizer = BasicTokenizer()
    >>> is_overridden(tokenizer, "tokenize", "_clean_text")
    False
    >>> tokenizer._clean_text = str.strip
    >>> is_overridden(tokenizer, "tokenize", "_clean_text")
    True
    """
    return any(
        name in vars(instance) or not str(getattr(type(instance), name).__module__).startswith("tokenlab.")
        for name in names
    )


@contextmanager
def paused_garbage_collection() -> Iterator[None]:
    """Turn the collector off, and on again at the end if it was on, for code that creates many objects and no cycles.

    A batch of 10,000 encodings has about 100,000 containers. The collector looks at them again and again while they are
    created, which takes half the time of a call.

    >>> with paused_garbage_collection():
    ...     gc.isenabled()
    False
    >>> gc.isenabled()
    True
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
