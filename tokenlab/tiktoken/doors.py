"""Text that is spelled like a special token, through three doors: an error, plain text, or the one id.

>>> from tokenlab.tiktoken import Encoding
>>> ranks = {bytes([byte]): byte for byte in range(256)}
>>> encoding = Encoding("bytes", pat_str=".+", mergeable_ranks=ranks, special_tokens={"<|x|>": 256})
>>> print(three_doors.record("a<|x|>", encoding))
1. as it comes: an error, since the text has <|x|>
2. disallowed_special=(): 6 tokens, a < | x | >
3. allowed_special="all": 2 tokens, a <|x|>
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import regex

from tokenlab.steps import step, stepwise
from tokenlab.tiktoken.core import Encoding
from tokenlab.visible import visible


@step
class Door:
    """What becomes of the text with these arguments: tokens and ids, or the special text that was refused."""

    arguments: str
    tokens: tuple[bytes, ...]
    ids: tuple[int, ...]
    refused: str

    def __str__(self) -> str:
        """Say what comes of it."""
        if self.refused:
            return f"{self.arguments}: an error, since the text has {visible(self.refused)}"
        number = f"{len(self.ids)} token{'s' if len(self.ids) != 1 else ''}"
        return f"{self.arguments}: {number}, {' '.join(map(visible, self.tokens))}"


@stepwise
def three_doors(text: str, encoding: Encoding) -> Generator[Door, None, list[str]]:
    """Encode a text as it comes, with nothing disallowed, and with all special tokens allowed.

    The result lists the special tokens, in their order.
    """
    doors: dict[str, dict[str, Any]] = {
        "as it comes": {},
        "disallowed_special=()": {"disallowed_special": ()},
        'allowed_special="all"': {"allowed_special": "all"},
    }
    for arguments, options in doors.items():
        try:
            ids = encoding.encode(text, **options)
        except ValueError:
            yield Door(arguments, (), (), _first_special(text, encoding))
        else:
            yield Door(arguments, tuple(encoding.decode_tokens_bytes(ids)), tuple(ids), "")
    return list(encoding._special_tokens)


def _first_special(text: str, encoding: Encoding) -> str:
    longest_first = sorted(encoding.special_tokens_set, key=len, reverse=True)
    found = regex.search("|".join(map(regex.escape, longest_first)), text)
    return found.group() if found else ""
