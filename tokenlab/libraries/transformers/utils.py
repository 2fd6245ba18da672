"""Enumerations of argument values, tensors as lists, and packages whose names are imported on first access.

Adds: `ExplicitEnum`, whose error lists the known values; `PaddingStrategy`, `TensorType`; `to_py_obj`;
    `is_overridden`, whether a user's class has a method of its own; the arguments of an `__init__`; a pause of Python's
    garbage collector; and `_LazyModule`, for the package `transformers` and for each of its models, so that reading a
    configuration or loading a tokenizer does not import PyTorch.
Leaves out: `ModelOutput`, which is in `modeling_outputs`; tensors of TensorFlow and JAX; placeholder objects for
    libraries that are not installed: their names raise an ImportError on access.

The library puts a new module into `sys.modules`. Here, the class of the module changes: there is only one object.

Source: transformers 4.26.1, utils/generic.py, utils/import_utils.py (`_LazyModule`).
"""

from __future__ import annotations

import gc
import re
import sys
from collections import UserDict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from enum import Enum
from importlib import import_module
from types import ModuleType
from typing import Any

OTHER_HEADS = re.compile("(?:TF|Flax)?Auto|MODEL_")  # of images, sound and questions, which no model here has


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


def call_settings(local: dict[str, Any], *without: str) -> dict[str, Any]:
    """Return the arguments of an `__init__`, given its `locals()`, except for some; its `kwargs` come last.

    >>> call_settings({"self": None, "d_model": 8, "file": "a", "kwargs": {"prefix": "x"}, "__class__": None}, "file")
    {'d_model': 8, 'prefix': 'x'}
    """
    named = {name: value for name, value in local.items() if name not in ("self", "kwargs", "__class__", *without)}
    return {**named, **local["kwargs"]}


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


class _LazyModule(ModuleType):
    """A module that knows which of its submodules defines a name, and imports that submodule on first access."""

    _import_structure: dict[str, list[str]]  # the public names of each submodule
    _class_to_module: dict[str, str]  # the submodule of each public name
    __all__: list[str]

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self.__all__, *self._import_structure})

    def __getattr__(self, name: str) -> Any:
        """Import the module of a name, or the submodule that has this name; later accesses find it at once.

        Raises:
            AttributeError: the package has no such name.
            ImportError: the name needs PyTorch, which is not installed.
        """
        if name.startswith("__"):  # asked by import, copy and inspect, for modules of any kind
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        if name in self._import_structure:
            value: Any = self._get_module(name, name)
        elif name in self._class_to_module:
            value = getattr(self._get_module(self._class_to_module[name], name), name)
        else:
            left_out = " (of the Auto classes, only those of text models)" if OTHER_HEADS.match(name) else ""
            raise AttributeError(
                f"module {self.__name__!r} has no attribute {name!r}{left_out}; it has {', '.join(self.__all__)}"
            )
        setattr(self, name, value)
        return value

    def _get_module(self, module_name: str, name: str) -> ModuleType:
        try:
            return import_module(f"{self.__name__}.{module_name}")
        except ModuleNotFoundError as error:
            if error.name != "torch":
                raise
            raise ImportError(
                f"{name} needs PyTorch, which is not installed: `make lab` installs it, `make lab-small` does not; "
                "in your own environment use `pip install torch safetensors huggingface_hub`"
            ) from None

    def __reduce__(self) -> tuple[Any, ...]:
        return import_module, (self.__name__,)


def make_lazy(package: str, import_structure: Mapping[str, Iterable[str]] | None = None) -> None:
    """Make a package a `_LazyModule`; the last statement of its `__init__.py`.

    Args:
        package: its `__name__`.
        import_structure: the public names of each submodule; by default, those of
            `tokenlab.libraries.transformers` that are in this package.

    >>> sys.modules["my_package"] = ModuleType("my_package")
    >>> make_lazy("my_package", {"no_such_file": ["First", "Second"]})
    >>> [name for name in dir(sys.modules.pop("my_package")) if not name.startswith("_")]
    ['First', 'Second', 'no_such_file']
    """
    module: Any = sys.modules[package]
    module.__class__ = _LazyModule
    structure = _part_of_transformers(package) if import_structure is None else import_structure
    module._import_structure = {key: list(names) for key, names in structure.items()}
    module._class_to_module = {name: key for key, names in module._import_structure.items() for name in names}
    module.__all__ = sorted(module._class_to_module)


def _part_of_transformers(package: str) -> dict[str, list[str]]:
    root = "tokenlab.libraries.transformers"
    names, inner = sys.modules[root].NAMES, package.removeprefix(f"{root}.") + "."
    return {key.removeprefix(inner): names[key].split() for key in names if key.startswith(inner)}
