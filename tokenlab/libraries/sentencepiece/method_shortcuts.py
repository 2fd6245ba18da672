"""Methods such as `EncodeAsIds`: `Encode`, `NBestEncode` or `ParallelEncode` with a type to return in their names.

Adds: the same methods in snake case, such as `encode_as_ids`.

Source: sentencepiece/__init__.py.
"""

from __future__ import annotations

import re
from typing import Any, TypeVar

from tokenlab.libraries.sentencepiece.return_types import ReturnType

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


_RETURNED: dict[str, tuple[ReturnType, str]] = {
    "Pieces": (str, "pieces"),
    "Ids": (int, "ids"),
    "Numpy": ("numpy", "ids as an array"),
    "Proto": ("proto", "pieces, ids, surfaces and offsets as a message"),
    "OffsetMapping": ("offset_mapping", "ids, pieces and offsets in a dict"),
}


def shortcut(name: str) -> Any:
    """Return a method such as `EncodeAsIds`, which calls `Encode`, `NBestEncode` or `ParallelEncode`."""
    family, _, returned = name.partition("As")
    called, (return_type, described) = family.removeprefix("Sample"), _RETURNED[returned]

    def plain(self: Any, input: Any, **kwargs: Any) -> Any:
        return getattr(self, called)(input=input, return_type=return_type, **kwargs)

    def n_best(self: Any, input: Any, nbest_size: Any = None, **kwargs: Any) -> Any:
        return plain(self, input, nbest_size=nbest_size, **kwargs)

    def sample(self: Any, input: Any, nbest_size: Any = None, alpha: Any = None, **kwargs: Any) -> Any:
        return plain(self, input, nbest_size=nbest_size, alpha=alpha, enable_sampling=True, **kwargs)

    method: Any = sample if name.startswith("Sample") else n_best if name.startswith("NBest") else plain
    method.__name__, method.__qualname__ = name, f"SentencePieceProcessor.{name}"
    sampled = ", with a sampled segmentation" if method is sample else ""
    method.__doc__ = f"Call `{called}`{sampled}, and return {described}."
    return method
