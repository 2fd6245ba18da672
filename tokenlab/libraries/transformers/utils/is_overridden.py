"""`is_overridden`: ask whether user code replaced a method, so that a faster path of this package does not apply."""

from __future__ import annotations

from typing import Any


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
