"""What takes the place of a library's function that a program must not use."""

from __future__ import annotations

from typing import Any

SILENT = ("tokenlab.check.submission.hand_in",)  # students call it in their notebook


def stand_in(module: str, name: str) -> Any:
    """Return what has the name of a function, and raises an exception if it is called.

    >>> stand_in("torch.nn.functional", "silu")(1.0)
    Traceback (most recent call last):
    ...
    RuntimeError: torch.nn.functional.silu is not available here
    """

    def missing(*_: Any, **__: Any) -> None:
        if f"{module}.{name}" not in SILENT:
            raise RuntimeError(f"{module}.{name} is not available here")

    return type(name, (), {"__module__": module, "__qualname__": name, "__new__": missing})
