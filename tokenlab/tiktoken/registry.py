"""The encodings by name, each made once."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from tokenlab.errors import by_name
from tokenlab.tiktoken import encodings
from tokenlab.tiktoken.core import Encoding

_lock = threading.RLock()
ENCODINGS: dict[str, Encoding] = {}
ENCODING_CONSTRUCTORS: dict[str, Callable[[], dict[str, Any]]] = dict(encodings.ENCODING_CONSTRUCTORS)


def get_encoding(encoding_name: str) -> Encoding:
    """The encoding of that name; its file is read, or downloaded, when it is asked for the first time.

    Raises:
        ValueError: no encoding has that name (the nearest is named), or its file is damaged.
        ConnectionError: its file is nowhere on disk and cannot be downloaded; the sentence says what to put where.

    Source: tiktoken/registry.py.

    >>> get_encoding("gpt-2")
    Traceback (most recent call last):
    ...
    ValueError: encoding_name='gpt-2' is not known; did you mean 'gpt2'? There are: 'gpt2', 'r50k_base', ...
    """
    if not isinstance(encoding_name, str):
        raise ValueError(f"encoding_name={encoding_name!r} should be a string, such as 'cl100k_base'")
    with _lock:
        if encoding_name not in ENCODINGS:
            constructor = by_name("encoding_name", encoding_name, ENCODING_CONSTRUCTORS)
            ENCODINGS[encoding_name] = Encoding(**constructor())
        return ENCODINGS[encoding_name]


def list_encoding_names() -> list[str]:
    """The names of all encodings.

    >>> list_encoding_names()[0]
    'gpt2'
    """
    with _lock:
        return list(ENCODING_CONSTRUCTORS)
