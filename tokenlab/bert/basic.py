"""Cutting text into words, before any piece is looked for: cleaned, in small letters, signs apart.

Adds: the chain of rules that `normalize` runs, and the cut at white space and at every sign.
Leaves out: pieces, which are `algorithms.wordpiece_encode`.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Generator, Sequence
from functools import lru_cache
from itertools import groupby

from tokenlab.algorithms.align import rewrite
from tokenlab.algorithms.normalize import BERT_CASED, BERT_UNCASED, RULES, Normalized, normalize
from tokenlab.bert.text import convert_to_unicode, whitespace_tokenize
from tokenlab.steps import step
from tokenlab.visible import visible
from tokenlab.watchable import watchable

ASCII_SIGNS = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")


@step
class Cut:
    """The normalized text was cut into words."""

    words: tuple[str, ...]

    def __str__(self) -> str:
        """Say which words."""
        return f"cut at white space and signs: {' '.join(map(visible, self.words)) or 'no word'}"


class BasicTokenizer:
    """Cuts a text into words and signs.

    >>> BasicTokenizer(do_lower_case=False).tokenize("U.S. Äpfel")
    ['U', '.', 'S', '.', 'Äpfel']
    """

    def __init__(self, do_lower_case: bool = True) -> None:
        """Take whether letters are made small and lose their accents."""
        self.do_lower_case = do_lower_case

    @property
    def _rules(self) -> Sequence[str]:
        return BERT_UNCASED if self.do_lower_case else BERT_CASED

    def _tokenize_in_steps(self, text: str | bytes) -> Generator[Normalized | Cut, None, list[str]]:
        aligned = yield from normalize.steps(convert_to_unicode(text), self._rules)
        words = cut_into_words(aligned.text)
        yield Cut(tuple(words))
        return words

    @watchable(_tokenize_in_steps)
    def tokenize(self, text: str | bytes) -> list[str]:
        """The words and signs of a text; `tokenize.record` shows what each rule changed."""
        text = convert_to_unicode(text)
        for rule in self._rules:
            text = rewrite(text, RULES[rule](text))
        return cut_into_words(text)


def cut_into_words(text: str) -> list[str]:
    """The parts between white space, with every sign a word of its own.

    >>> cut_into_words("so-called  ...")
    ['so', '-', 'called', '.', '.', '.']
    """
    return [part for word in whitespace_tokenize(text) for part in _cut_at_signs(word)]


def _cut_at_signs(word: str) -> list[str]:
    parts: list[str] = []
    for are_signs, run in groupby(word, is_sign):
        characters = list(run)
        parts += characters if are_signs else ["".join(characters)]
    return parts


@lru_cache(maxsize=4096)
def is_sign(character: str) -> bool:
    """Whether BERT takes a character for punctuation: Unicode does, or it is a sign of ASCII.

    Source: google-research/bert, tokenization.py, _is_punctuation.

    >>> is_sign("$"), is_sign("€"), is_sign("。")
    (True, False, True)
    """
    return character in ASCII_SIGNS or unicodedata.category(character).startswith("P")
