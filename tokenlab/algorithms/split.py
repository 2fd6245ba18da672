"""Splitting text into pieces before any merge: no token ever crosses a cut that is made here.

Adds: splitting at white space, and by GPT-2's pattern. Nothing is lost: the pieces joined are the text.
Still missing: the patterns of later tokenizers.
"""

from __future__ import annotations

from collections.abc import Mapping

import regex


class Splitter:
    """Cuts a text into pieces, each by the first of its rules that matches there.

    >>> split_whitespace("low  lower")
    ['low', '  ', 'lower']
    >>> split_gpt2("don't  go")
    ['don', "'t", ' ', ' go']
    """

    def __init__(self, name: str, rules: Mapping[str, str], separator: str | None = None) -> None:
        """Take rules as regular expressions by name, and the name of the rule whose pieces only separate words."""
        self.name = name
        self.rules = dict(rules)
        self.separator = separator
        self._pieces = regex.compile("|".join(rules.values()))
        self._words = regex.compile("|".join(rule for name, rule in rules.items() if name != separator))

    def __call__(self, text: str) -> list[str]:
        """All pieces; joined they are the text."""
        return self._pieces.findall(text)

    def words(self, text: str) -> list[str]:
        """The pieces that a tokenizer learns from: all but those that only separate.

        >>> split_whitespace.words("low  lower")
        ['low', 'lower']
        """
        return self._words.findall(text)

    def __repr__(self) -> str:
        """Say what it is."""
        return f"<Splitter {self.name}>"

    def __reduce__(self) -> tuple[object, ...]:
        """Pickled as what it was made of."""
        return Splitter, (self.name, self.rules, self.separator)


split_whitespace = Splitter("whitespace", {"word": r"\S+", "white space": r"\s+"}, separator="white space")

# openai/gpt-2, src/encoder.py, Encoder.__init__.
split_gpt2 = Splitter(
    "gpt2",
    {
        "contraction": r"'s|'t|'re|'ve|'m|'ll|'d",
        "letters": r" ?\p{L}+",
        "digits": r" ?\p{N}+",
        "other signs": r" ?[^\s\p{L}\p{N}]+",
        "white space, less the last": r"\s+(?!\S)",
        "white space": r"\s+",
    },
)

SPLITTERS = {splitter.name: splitter for splitter in (split_whitespace, split_gpt2)}
