"""Compare three policies for text that is spelled like a special token: an error, plain text, or the special id.

>>> from tokenlab.libraries.tiktoken import Encoding
>>> ranks = {bytes([byte]): byte for byte in range(256)}
>>> encoding = Encoding("bytes", pat_str=".+", mergeable_ranks=ranks, special_tokens={"<|x|>": 256})
>>> print(compare_special_token_policies.record("a<|x|>", encoding))
1. by default: an error, since the text has <|x|>
2. with disallowed_special=(): 6 tokens, a < | x | >
3. with allowed_special="all": 2 tokens, a <|x|>
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import regex

from tokenlab.libraries.tiktoken.core import Encoding
from tokenlab.printing.printable import NAMED, Parts, SymbolPart, count_noun, symbol_parts
from tokenlab.steps.recording import step, stepwise


@step
class PolicyOutcome:
    """Result of encoding with the given arguments: tokens and ids, or the special token that was disallowed."""

    arguments: str
    tokens: tuple[bytes, ...]
    ids: tuple[int, ...]
    disallowed_token: str

    def sentence(self) -> Parts:
        """Name the tokens, or the disallowed special token."""
        arguments = "by default" if self.arguments == "default" else f"with {self.arguments}"
        if self.disallowed_token:
            return [f"{arguments}: an error, since the text has ", SymbolPart(self.disallowed_token, "unknown")]
        return [f"{arguments}: {count_noun(len(self.ids), 'token')}, ", *symbol_parts(self.tokens, most=NAMED)]


@stepwise
def compare_special_token_policies(text: str, encoding: Encoding) -> Generator[PolicyOutcome, None, list[str]]:
    """Encode a text with the default policy, with nothing disallowed, and with all special tokens allowed.

    Returns:
        The special tokens of the encoding, in their order.
    """
    policies: dict[str, dict[str, Any]] = {
        "default": {},
        "disallowed_special=()": {"disallowed_special": ()},
        'allowed_special="all"': {"allowed_special": "all"},
    }
    for arguments, options in policies.items():
        try:
            ids = encoding.encode(text, **options)
        except ValueError:
            yield PolicyOutcome(arguments, (), (), _first_special(text, encoding))
        else:
            yield PolicyOutcome(arguments, tuple(encoding.decode_tokens_bytes(ids)), tuple(ids), "")
    return list(encoding._special_tokens)


def _first_special(text: str, encoding: Encoding) -> str:
    longest_first = sorted(encoding.special_tokens_set, key=len, reverse=True)
    found = regex.search("|".join(map(regex.escape, longest_first)), text)
    return found.group() if found else ""
