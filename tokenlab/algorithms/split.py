r"""Splitting text into pieces before any merge: no token ever crosses a cut that is made here.

Adds: splitting at white space; the patterns of GPT-2, cl100k and o200k; BERT's splitting at punctuation. Each is a few
rules with names, so that `explain` can say which rule made a piece. Nothing is lost: the pieces joined are the text.
Leaves out: cleaning and lower-casing, which come before; CJK characters, which BERT puts blanks around.

The patterns mean the same here, in Python's `regex`, as in the engine of tiktoken, Rust's fancy-regex: `\s` are the
same 25 characters. (`str.isspace` also counts \x1c to \x1f.) But each engine knows the letters of one Unicode
version: tiktoken 0.14 and tokenizers 0.23 those of Unicode 16, `regex` those of a later one. They differ on characters
that came since, such as U+088F, and on U+0295 ʕ, which once was a small letter. Parity tests go through all characters.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property

import regex


class Splitter:
    """Cuts a text into pieces, each by the first of its rules that matches there.

    >>> split_whitespace("low  lower")
    ['low', '  ', 'lower']
    >>> split_gpt2("don't  go")
    ['don', "'t", ' ', ' go']
    """

    def __init__(self, name: str, rules: Mapping[str, str], separator: str | None = None) -> None:
        """Take rules as regular expressions by name, and the name of the rule whose pieces only separate words.

        Where there is more than one rule, none has a capturing group.
        """
        self.name = name
        self.rules = dict(rules)
        self.separator = separator

    @property
    def pattern(self) -> str:
        r"""All rules as one regular expression.

        >>> split_whitespace.pattern
        '\\S+|\\s+'
        """
        return "|".join(self.rules.values())

    @cached_property
    def find(self) -> Callable[[str], list[str]]:
        """The function that finds all pieces of a text, for those who call it often."""
        return _find_all(self.pattern)

    def __call__(self, text: str) -> list[str]:
        """All pieces; joined they are the text."""
        return self.find(text)

    def explain(self, text: str) -> list[tuple[str, str]]:
        """All pieces, each with the name of the rule that made it.

        >>> split_gpt2.explain("I'm 7")
        [('I', 'letters'), ("'m", 'contraction'), (' 7', 'digits')]
        """
        names = tuple(self.rules)
        if len(names) == 1:
            return [(piece, names[0]) for piece in self.find(text)]
        return [(match.group(), names[(match.lastindex or 1) - 1]) for match in self._by_rule.finditer(text)]

    @cached_property
    def _by_rule(self) -> regex.Pattern[str]:
        return regex.compile("|".join(f"({rule})" for rule in self.rules.values()))

    def words(self, text: str) -> list[str]:
        """The pieces that a tokenizer learns from: all but those that only separate.

        >>> split_whitespace.words("low  lower")
        ['low', 'lower']
        """
        return self._find_words(text)

    @cached_property
    def _find_words(self) -> Callable[[str], list[str]]:
        return _find_all("|".join(rule for name, rule in self.rules.items() if name != self.separator))

    def __repr__(self) -> str:
        """Say what it is."""
        return f"<Splitter {self.name}>"

    def __reduce__(self) -> tuple[object, ...]:
        """Pickled as what it was made of."""
        return Splitter, (self.name, self.rules, self.separator)


def _find_all(pattern: str) -> Callable[[str], list[str]]:
    compiled = regex.compile(pattern)
    if not compiled.groups:
        return compiled.findall
    # subtle: of a pattern with groups, findall gives the groups and not what matched.
    return lambda text: [match.group() for match in compiled.finditer(text)]


split_whitespace = Splitter("whitespace", {"word": r"\S+", "white space": r"\s+"}, separator="white space")

# openai/gpt-2, src/encoder.py, Encoder.__init__.
split_gpt2 = Splitter(
    "gpt2",
    {
        "contraction": r"'s|'t|'re|'ve|'m|'ll|'d",
        "letters": r" ?\p{L}+",
        "digits": r" ?\p{N}+",
        "other signs": r" ?[^\s\p{L}\p{N}]+",
        "white space, except the last one": r"\s+(?!\S)",
        "white space": r"\s+",
    },
)

# tiktoken 0.14, tiktoken_ext/openai_public.py, r50k_pat_str: the same cuts as GPT-2's, made to be fast in Rust.
split_r50k = Splitter(
    "r50k",
    {
        "contraction": r"'(?:[sdmt]|ll|ve|re)",
        "letters": r" ?\p{L}++",
        "digits": r" ?\p{N}++",
        "other signs": r" ?[^\s\p{L}\p{N}]++",
        "white space at the end": r"\s++$",
        "white space, except the last one": r"\s+(?!\S)",
        "one white space": r"\s",
    },
)

# tiktoken 0.14, tiktoken_ext/openai_public.py, cl100k_base; the same since 0.8, October 2024.
split_cl100k = Splitter(
    "cl100k",
    {
        "contraction": r"'(?i:[sdmt]|ll|ve|re)",
        "letters, a sign before them": r"[^\r\n\p{L}\p{N}]?+\p{L}++",
        "up to three digits": r"\p{N}{1,3}+",
        "other signs, line ends after them": r" ?[^\s\p{L}\p{N}]++[\r\n]*+",
        "white space at the end": r"\s++$",
        "white space up to a line end": r"\s*[\r\n]",
        "white space, except the last one": r"\s+(?!\S)",
        "one white space": r"\s",
    },
)

# tiktoken 0.6 and 0.7, which the source notes quote: white space at the end is cut where there is a line end in it.
split_cl100k_2024 = Splitter(
    "cl100k_2024",
    {
        "contraction": r"'(?i:[sdmt]|ll|ve|re)",
        "letters, a sign before them": r"[^\r\n\p{L}\p{N}]?+\p{L}+",
        "up to three digits": r"\p{N}{1,3}",
        "other signs, line ends after them": r" ?[^\s\p{L}\p{N}]++[\r\n]*",
        "white space up to a line end": r"\s*[\r\n]",
        "white space, except the last one": r"\s+(?!\S)",
        "white space": r"\s+",
    },
)

_SIGN = r"[^\r\n\p{L}\p{N}]?"
_CAPITAL = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]"  # or a letter or accent that is neither capital nor small
_SMALL = r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
_CONTRACTION = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"

# tiktoken 0.14, tiktoken_ext/openai_public.py, o200k_base. An accent goes with its letter, and CamelCase is cut.
split_o200k = Splitter(
    "o200k",
    {
        "capitals, small letters": f"{_SIGN}{_CAPITAL}*{_SMALL}+{_CONTRACTION}",
        "capitals": f"{_SIGN}{_CAPITAL}+{_SMALL}*{_CONTRACTION}",
        "up to three digits": r"\p{N}{1,3}",
        "other signs, line ends and slashes after them": r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
        "white space up to line ends": r"\s*[\r\n]+",
        "white space, except the last one": r"\s+(?!\S)",
        "white space": r"\s+",
    },
)

_PUNCTUATION = r"\p{P}$+<=>^`|~"  # the ASCII signs after \p{P} are symbols to Unicode and punctuation to BERT
_SPACE = r"\s\x1c-\x1f"  # where str.split cuts

# google-research/bert, tokenization.py: _is_punctuation, whitespace_tokenize and BasicTokenizer._run_split_on_punc.
split_bert = Splitter(
    "bert",
    {"punctuation": f"[{_PUNCTUATION}]", "word": f"[^{_SPACE}{_PUNCTUATION}]+", "white space": f"[{_SPACE}]+"},
    separator="white space",
)

SPLITTERS = {
    splitter.name: splitter
    for splitter in (
        split_whitespace,
        split_gpt2,
        split_r50k,
        split_cl100k,
        split_cl100k_2024,
        split_o200k,
        split_bert,
    )
}
