"""Split text into words before WordPiece encoding: clean, lowercase, and separate punctuation.

Adds: the normalization rules that `normalize` applies, and the split at whitespace and punctuation marks.
Leaves out: pieces; see `algorithms.wordpiece.encode`.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Generator
from functools import lru_cache
from itertools import groupby

from tokenlab.algorithms.text.alignment import apply_replacements
from tokenlab.algorithms.text.normalize import BERT_CASED, BERT_UNCASED, RULES, RuleApplied, normalize
from tokenlab.algorithms.text.normalize_characters import is_cjk
from tokenlab.printing.printable import printable
from tokenlab.steps.recording import step
from tokenlab.steps.traced_method import traced_method

ASCII_PUNCTUATION = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")


def convert_to_unicode(text: str | bytes) -> str:
    """Return a str unchanged; decode bytes as UTF-8, ignoring invalid bytes.

    Raises:
        ValueError: text is neither str nor bytes.

    >>> convert_to_unicode(b"caf\\xc3\\xa9 \\xff")
    'café '
    """
    if isinstance(text, str):
        return text
    if isinstance(text, bytes):
        return text.decode("utf-8", "ignore")
    raise ValueError(f"text={text!r:.60} is a {type(text).__name__}; give a str, or bytes in UTF-8")


def printable_text(text: str | bytes) -> str:
    """Return printable text: in Python 3 the same as `convert_to_unicode`.

    >>> printable_text(b"caf\\xc3\\xa9")
    'café'
    """
    return convert_to_unicode(text)


def whitespace_tokenize(text: str) -> list[str]:
    """Split a text at whitespace.

    >>> whitespace_tokenize(" to  be\\n")
    ['to', 'be']
    """
    return text.split()


@step
class WordsSplit:
    """The normalized text was split into words."""

    words: tuple[str, ...]

    def __str__(self) -> str:
        return f"split at whitespace and punctuation: {' '.join(map(printable, self.words)) or 'no word'}"


class BasicTokenizer:
    """Splits a text into words and punctuation marks. A subclass may override each of the methods it consists of.

    >>> BasicTokenizer(do_lower_case=False).tokenize("U.S. Äpfel")
    ['U', '.', 'S', '.', 'Äpfel']
    """

    def __init__(self, do_lower_case: bool = True) -> None:
        """Take the case option: do_lower_case also removes accents."""
        self.do_lower_case = do_lower_case

    def _tokenize_in_steps(self, text: str | bytes) -> Generator[RuleApplied | WordsSplit, None, list[str]]:
        words = BasicTokenizer.tokenize(self, text)
        # An overridden method has no steps, and the rules do not describe it.
        if all(getattr(getattr(self, name), "__func__", None) is method for name, method in _METHODS.items()):
            rules = BERT_UNCASED if self.do_lower_case else BERT_CASED
            yield from normalize.steps(convert_to_unicode(text), rules)
        yield WordsSplit(tuple(words))
        return words

    @traced_method(_tokenize_in_steps)
    def tokenize(self, text: str | bytes) -> list[str]:
        """Return the words and punctuation marks of a text; `tokenize.record` records what each rule changed."""
        text = self._tokenize_chinese_chars(self._clean_text(convert_to_unicode(text)))
        parts: list[str] = []
        for token in whitespace_tokenize(text):
            parts += self._run_split_on_punc(self._run_strip_accents(token.lower()) if self.do_lower_case else token)
        return whitespace_tokenize(" ".join(parts))

    def _run_strip_accents(self, text: str) -> str:
        return text if text.isascii() else _apply("strip accents", _apply("NFD", text))

    def _run_split_on_punc(self, text: str) -> list[str]:
        if text.isalnum():
            return [text]
        parts: list[str] = []
        for are_marks, run in groupby(text, is_punctuation):
            characters = list(run)
            parts += characters if are_marks else ["".join(characters)]
        return parts

    def _tokenize_chinese_chars(self, text: str) -> str:
        return text.translate({ord(c): f" {c} " for c in set(text) if self._is_chinese_char(ord(c))})

    def _is_chinese_char(self, cp: int) -> bool:
        return is_cjk(chr(cp))

    def _clean_text(self, text: str) -> str:
        return _apply("clean", text)


_PARTS = ("_run_strip_accents", "_run_split_on_punc", "_tokenize_chinese_chars", "_is_chinese_char", "_clean_text")
_METHODS = {name: vars(BasicTokenizer)[name] for name in _PARTS}


def _apply(rule: str, text: str) -> str:
    return apply_replacements(text, RULES[rule](text))


@lru_cache(maxsize=4096)
def is_punctuation(character: str) -> bool:
    """Whether BERT treats a character as punctuation: Unicode category P*, or an ASCII symbol.

    Source: google-research/bert, tokenization.py, _is_punctuation.

    >>> is_punctuation("$"), is_punctuation("€"), is_punctuation("。")
    (True, False, True)
    """
    return character in ASCII_PUNCTUATION or unicodedata.category(character).startswith("P")
