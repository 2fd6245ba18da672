"""A registry of encodings by name; each is built once."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from tokenlab.libraries.tiktoken import openai_public
from tokenlab.libraries.tiktoken.core import Encoding
from tokenlab.printing.errors import lookup

_lock = threading.RLock()
ENCODINGS: dict[str, Encoding] = {}
ENCODING_CONSTRUCTORS: dict[str, Callable[[], dict[str, Any]]] = dict(openai_public.ENCODING_CONSTRUCTORS)


def get_encoding(encoding_name: str) -> Encoding:
    """Return the encoding with the given name; its file is read or downloaded at the first request.

    Raises:
        ValueError: the name is unknown (the message names the nearest), or the file is damaged.
        ConnectionError: the file is not on disk and cannot be downloaded; the message says where to put it.

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
            constructor = lookup("encoding_name", encoding_name, ENCODING_CONSTRUCTORS)
            ENCODINGS[encoding_name] = Encoding(**constructor())
        return ENCODINGS[encoding_name]


def list_encoding_names() -> list[str]:
    """Return the names of all encodings.

    >>> list_encoding_names()[0]
    'gpt2'
    """
    with _lock:
        return list(ENCODING_CONSTRUCTORS)
