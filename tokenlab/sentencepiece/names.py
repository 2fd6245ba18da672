"""The second names of methods: `EncodeAsIds` is `encode_as_ids` as well."""

from __future__ import annotations

import re
from typing import TypeVar

from tokenlab.watchable import Watchable

C = TypeVar("C")


def with_snake_case(cls: type[C]) -> type[C]:
    """Give each method that starts with a capital a name in small letters.

    >>> snake_case("NBestEncodeAsIds")
    'nbest_encode_as_ids'
    """
    for name, value in list(vars(cls).items()):
        if name[0].isupper():
            alias = snake_case(name)
            if isinstance(value, Watchable):
                # subtle: a bound one is kept in the instance under its own name, so each name needs its own.
                value = Watchable(value.plain, value.function)
                value.__name__ = alias
            setattr(cls, alias, value)
    return cls


def snake_case(name: str) -> str:
    """The name in small letters, with a line before each that was a capital; NBest stays together."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower().replace("n_best", "nbest")
