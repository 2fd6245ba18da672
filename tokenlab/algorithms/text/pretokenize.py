"""Pre-tokenization in steps: each step is a pre-token and the rule that matched it.

Adds: the stepwise function `pretokenize`. The pre-tokenizers and their patterns are in `pre_tokenizers`; this module
has their names as well.

>>> print(pretokenize.record("don't go", "gpt2"))
1. don was matched by the rule for letters
2. 't was matched by the rule for contractions
3. ␣go was matched by the rule for letters
"""

from __future__ import annotations

from collections.abc import Generator

from tokenlab.algorithms.text.pre_tokenizers import (
    SPLITTERS,
    PreTokenizer,
    split_bert,
    split_cl100k,
    split_cl100k_0_7,
    split_gpt2,
    split_o200k,
    split_r50k,
    split_whitespace,
)
from tokenlab.printing.errors import lookup
from tokenlab.printing.printable import Parts, SymbolPart
from tokenlab.steps.recording import step, stepwise

__all__ = [
    "SPLITTERS",
    "PreToken",
    "PreTokenizer",
    "pretokenize",
    "split_bert",
    "split_cl100k",
    "split_cl100k_0_7",
    "split_gpt2",
    "split_o200k",
    "split_r50k",
    "split_whitespace",
]


@step
class PreToken:
    """The next pre-token, and the name of the rule that matched it."""

    text: str
    rule: str

    def sentence(self) -> Parts:
        """Name the pre-token and the rule that matched it."""
        return [SymbolPart(self.text, "new"), f" was matched by the rule for {self.rule}"]


@stepwise
def pretokenize(text: str, pattern: str = "gpt2") -> Generator[PreToken, None, list[str]]:
    """Return the pre-tokens of a text, split by the pattern with this name.

    Raises:
        ValueError: no pattern has this name.

    >>> pretokenize("I'm here", "whitespace")
    ["I'm", ' ', 'here']
    """
    pre_tokens = []
    for pre_token, rule in lookup("pattern", pattern, SPLITTERS).explain(text):
        pre_tokens.append(pre_token)
        yield PreToken(pre_token, rule)
    return pre_tokens
