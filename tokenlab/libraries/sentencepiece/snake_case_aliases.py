"""Snake-case aliases of methods: `EncodeAsIds` is also `encode_as_ids`."""

from __future__ import annotations

import re
from typing import TypeVar

C = TypeVar("C")


def add_snake_case_aliases(cls: type[C]) -> type[C]:
    """Add a snake-case alias for each method whose name starts with a capital letter.

    >>> to_snake_case("NBestEncodeAsIds")
    'nbest_encode_as_ids'
    """
    for name, value in list(vars(cls).items()):
        if name[0].isupper():
            setattr(cls, to_snake_case(name), value)
    return cls


def to_snake_case(name: str) -> str:
    """Return the name in snake case; NBest becomes nbest."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower().replace("n_best", "nbest")
