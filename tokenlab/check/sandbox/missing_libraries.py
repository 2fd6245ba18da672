"""Stand-ins for the libraries that a student's function may not use: they can be imported, but do nothing.

So the other functions of a cell still exist, and the one that uses a library is refused with its name.

>>> hide_libraries(["a_tokenizer"])
>>> from a_tokenizer.models import BPE
>>> BPE.__module__, BPE.__qualname__
('a_tokenizer.models', 'BPE')
>>> BPE({})
Traceback (most recent call last):
...
RuntimeError: a_tokenizer.models.BPE is not available here
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Sequence
from importlib.abc import Loader
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

OWN = "tokenlab"  # some of its modules are the runner's, and are found before the last finder
SILENT = ("tokenlab.check.submission.hand_in",)  # students call it in their notebook


def hide_libraries(names: Collection[str]) -> None:
    """From now on, an import of these libraries gives stand-ins, except for the modules of the runner."""
    sys.meta_path.insert(0, _Finder(frozenset(names) - {OWN}))
    sys.meta_path.append(_Finder(frozenset(names) & {OWN}))


class _Finder(Loader):
    def __init__(self, names: frozenset[str]) -> None:
        self._names = names

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: Any = None) -> ModuleSpec | None:
        return ModuleSpec(name, self, is_package=True) if name.partition(".")[0] in self._names else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return _Missing(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """There is nothing to run."""


class _Missing(ModuleType):
    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _stand_in(self.__name__, name)


def _stand_in(module: str, name: str) -> Any:
    def missing(*_: Any, **__: Any) -> None:
        if f"{module}.{name}" not in SILENT:
            raise RuntimeError(f"{module}.{name} is not available here")

    return type(name, (), {"__module__": module, "__qualname__": name, "__new__": missing})
