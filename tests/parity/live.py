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


PLANES = range(0x40000, 0x110000, 0x10000)  # 4 to 13 are empty, 14 is small, 15 and 16 are private
ENDS = {start + place for start in PLANES for place in (*range(0x400), *range(0xFC00, 0x10000))}
# All code points of planes 0 to 3; of the others the first and the last 1,024 each, and some between them.
CHARACTERS = "".join(
    map(chr, [*range(0xD800), *range(0xE000, 0x40000), *sorted(ENDS | {*range(0x40000, 0x110000, 61)})])
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
