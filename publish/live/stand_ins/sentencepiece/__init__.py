"""In place of the library, whose compiled part is missing: only its tables of normalization lie beside this file."""

from __future__ import annotations

from typing import NoReturn


def __getattr__(name: str) -> NoReturn:
    """Say that the library is missing, as if this file were not here."""
    if name.startswith("__"):
        raise AttributeError(name)
    raise ModuleNotFoundError("No module named 'sentencepiece'", name="sentencepiece")
