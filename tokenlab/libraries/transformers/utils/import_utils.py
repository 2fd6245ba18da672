"""`_LazyModule`: a package whose names are imported on first access.

Adds: one class for the package `transformers` and for each of its models, so that reading a configuration or loading a
    tokenizer does not import PyTorch.
Leaves out: placeholder objects for libraries that are not installed; their names raise an ImportError on access.

The library puts a new module into `sys.modules`. Here, the class of the module changes: there is only one object.

Source: transformers 4.26.1, utils/import_utils.py (`_LazyModule`).
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Mapping
from importlib import import_module
from types import ModuleType
from typing import Any

OTHER_HEADS = re.compile("(?:TF|Flax)?Auto|MODEL_")  # of images, sound and questions, which no model here has


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
