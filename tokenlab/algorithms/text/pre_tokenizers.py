r"""Patterns for pre-tokenization: splitting text into pre-tokens before any merge. No token crosses their boundaries.

Adds: splitting at whitespace; the patterns of GPT-2, cl100k and o200k; BERT's splitting at punctuation. Each consists
of named rules, so that `explain` can say which rule matched. It is lossless: the pre-tokens joined are the text.
Leaves out: steps (`pretokenize`); cleaning and lowercasing, which come before; CJK characters, which BERT surrounds
with spaces.

The patterns have the same meaning in Python's `regex` as in tiktoken's engine, Rust's fancy-regex: `\s` matches the
same 25 characters. (`str.isspace` also counts \x1c to \x1f.) But each engine has the letters of one Unicode version:
tiktoken 0.14 and tokenizers 0.23 of Unicode 16, `regex` of a later one. They differ on characters added since, such as
U+088F, and on U+0295 ʕ, which used to be a lowercase letter. Parity tests cover all characters.

>>> split_gpt2.explain("don't go")
[('don', 'letters'), ("'t", 'contractions'), (' go', 'letters')]
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import regex  # imported when a pattern is compiled, since the import takes longer than that of this kit's encoder


class PreTokenizer:
    """Split a text into pre-tokens; at each position, the first rule that matches is used.

    >>> split_whitespace("low  lower")
    ['low', '  ', 'lower']
    >>> split_gpt2("don't  go")
    ['don', "'t", ' ', ' go']
    """

    def __init__(self, name: str, rules: Mapping[str, str], separator: str | None = None) -> None:
        """Take named regular expressions, and the name of the rule whose matches only separate words.

        If there is more than one rule, none may have a capturing group.
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
        """The function that finds all pre-tokens of a text, for frequent calls."""
        return _find_all(self.pattern)

    def __call__(self, text: str) -> list[str]:
        """Return all pre-tokens; joined they are the text."""
        return self.find(text)

    def explain(self, text: str) -> list[tuple[str, str]]:
        """Return all pre-tokens, each with the name of the rule that matched it.

        >>> split_gpt2.explain("I'm 7")
        [('I', 'letters'), ("'m", 'contractions'), (' 7', 'digits')]
        """
        names = tuple(self.rules)
        if len(names) == 1:
            return [(piece, names[0]) for piece in self.find(text)]
        return [(match.group(), names[(match.lastindex or 1) - 1]) for match in self._by_rule.finditer(text)]

    @cached_property
    def _by_rule(self) -> regex.Pattern[str]:
        import regex

        return regex.compile("|".join(f"({rule})" for rule in self.rules.values()))

    def words(self, text: str) -> list[str]:
        """Return the pre-tokens that a tokenizer learns from: all except separators.

        >>> split_whitespace.words("low  lower")
        ['low', 'lower']
        """
        return self._find_words(text)

    @cached_property
    def _find_words(self) -> Callable[[str], list[str]]:
        return _find_all("|".join(rule for name, rule in self.rules.items() if name != self.separator))

    def __repr__(self) -> str:
        return f"<PreTokenizer {self.name}>"

    def __reduce__(self) -> tuple[object, ...]:
        return PreTokenizer, (self.name, self.rules, self.separator)


_WHITESPACE = "\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"  # what \s matches in `regex`
_WITHOUT_REGEX = {r"\S+": f"[^{_WHITESPACE}]+", r"\S+|\s+": f"[^{_WHITESPACE}]+|[{_WHITESPACE}]+"}


def _find_all(pattern: str) -> Callable[[str], list[str]]:
    if pattern in _WITHOUT_REGEX:  # of `split_whitespace`, so that counting words does not need the module
        return re.compile(_WITHOUT_REGEX[pattern]).findall
    import regex

    compiled = regex.compile(pattern)
    if not compiled.groups:
        return compiled.findall
    # subtle: findall returns the groups of a pattern that has groups, instead of the match.
    return lambda text: [match.group() for match in compiled.finditer(text)]


split_whitespace = PreTokenizer("whitespace", {"word": r"\S+", "whitespace": r"\s+"}, separator="whitespace")

# openai/gpt-2, src/encoder.py, Encoder.__init__.
split_gpt2 = PreTokenizer(
    "gpt2",
    {
        "contractions": r"'s|'t|'re|'ve|'m|'ll|'d",
        "letters": r" ?\p{L}+",
        "digits": r" ?\p{N}+",
        "other symbols": r" ?[^\s\p{L}\p{N}]+",
        "whitespace, except the last one": r"\s+(?!\S)",
        "whitespace": r"\s+",
    },
)

# tiktoken 0.14, tiktoken_ext/openai_public.py, r50k_pat_str: the same pre-tokens as GPT-2's, faster in Rust.
split_r50k = PreTokenizer(
    "r50k",
    {
        "contractions": r"'(?:[sdmt]|ll|ve|re)",
        "letters": r" ?\p{L}++",
        "digits": r" ?\p{N}++",
        "other symbols": r" ?[^\s\p{L}\p{N}]++",
        "whitespace at the end": r"\s++$",
        "whitespace, except the last one": r"\s+(?!\S)",
        "one whitespace": r"\s",
    },
)

# tiktoken 0.14, tiktoken_ext/openai_public.py, cl100k_base; the same since 0.8, October 2024.
split_cl100k = PreTokenizer(
    "cl100k",
    {
        "contractions": r"'(?i:[sdmt]|ll|ve|re)",
        "letters, a symbol before them": r"[^\r\n\p{L}\p{N}]?+\p{L}++",
        "up to three digits": r"\p{N}{1,3}+",
        "other symbols, line ends after them": r" ?[^\s\p{L}\p{N}]++[\r\n]*+",
        "whitespace at the end": r"\s++$",
        "whitespace up to a line end": r"\s*[\r\n]",
        "whitespace, except the last one": r"\s+(?!\S)",
        "one whitespace": r"\s",
    },
)

# The older pattern, of tiktoken 0.6 and 0.7: whitespace at the end is split at line ends.
split_cl100k_0_7 = PreTokenizer(
    "cl100k_0_7",
    {
        "contractions": r"'(?i:[sdmt]|ll|ve|re)",
        "letters, a symbol before them": r"[^\r\n\p{L}\p{N}]?+\p{L}+",
        "up to three digits": r"\p{N}{1,3}",
        "other symbols, line ends after them": r" ?[^\s\p{L}\p{N}]++[\r\n]*",
        "whitespace up to a line end": r"\s*[\r\n]",
        "whitespace, except the last one": r"\s+(?!\S)",
        "whitespace": r"\s+",
    },
)

_SYMBOL = r"[^\r\n\p{L}\p{N}]?"
_UPPERCASE = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]"  # or a letter without case, or a mark
_LOWERCASE = r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
_CONTRACTION = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"

# tiktoken 0.14, tiktoken_ext/openai_public.py, o200k_base. A mark stays with its letter, and CamelCase is split.
split_o200k = PreTokenizer(
    "o200k",
    {
        "capitals, small letters": f"{_SYMBOL}{_UPPERCASE}*{_LOWERCASE}+{_CONTRACTION}",
        "capitals": f"{_SYMBOL}{_UPPERCASE}+{_LOWERCASE}*{_CONTRACTION}",
        "up to three digits": r"\p{N}{1,3}",
        "other symbols, line ends and slashes after them": r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
        "whitespace up to line ends": r"\s*[\r\n]+",
        "whitespace, except the last one": r"\s+(?!\S)",
        "whitespace": r"\s+",
    },
)

_PUNCTUATION = r"\p{P}$+<=>^`|~"  # the ASCII characters after \p{P} are symbols in Unicode, but punctuation for BERT
_SPACE = r"\s\x1c-\x1f"  # the characters at which str.split splits

# google-research/bert, tokenization.py: _is_punctuation, whitespace_tokenize and BasicTokenizer._run_split_on_punc.
split_bert = PreTokenizer(
    "bert",
    {"punctuation": f"[{_PUNCTUATION}]", "word": f"[^{_SPACE}{_PUNCTUATION}]+", "whitespace": f"[{_SPACE}]+"},
    separator="whitespace",
)

SPLITTERS = {
    splitter.name: splitter
    for splitter in (split_whitespace, split_gpt2, split_r50k, split_cl100k, split_cl100k_0_7, split_o200k, split_bert)
}
