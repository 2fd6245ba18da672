"""What parity tests with tiktoken share: the texts on which both can agree, and outcomes that can be compared."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import regex
import tiktoken

from tests.strategies import texts

BYTES = {bytes([byte]): byte for byte in range(256)}


def matches(pattern: str, text: str) -> str:
    """What fancy-regex matches in a text: tiktoken leaves out the rest."""
    encoding = tiktoken.Encoding("bytes", pat_str=pattern, mergeable_ranks=BYTES, special_tokens={})
    return encoding.decode(encoding.encode_ordinary(text))


# All code points, but for most of planes 4 to 13, which are empty, and of 15 and 16, which are private.
CHARACTERS = "".join(
    map(chr, [*range(0xD800), *range(0xE000, 0x40000), *range(0x40000, 0x110000, 61), *range(0xE0000, 0xE1000)])
)


@functools.cache
def moved() -> frozenset[str]:
    """The characters of which `regex` and fancy-regex know different things: new in Unicode, and one that changed."""
    unknown_there = set(matches(r"\p{Cn}", CHARACTERS))
    return frozenset(unknown_there - set(regex.findall(r"\p{Cn}", CHARACTERS)) | {"\u0295"})


def settled(text: str) -> str:
    return text if text.isascii() else "".join(character for character in text if character not in moved())


hostile = texts().map(settled)


def outcome(call: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """What comes of a call: the result, or the type of the exception; a panic counts as a ValueError."""
    try:
        return call(*args, **kwargs)
    except Exception as error:
        return type(error)
    except BaseException as error:
        assert type(error).__name__ == "PanicException", error
        return ValueError
