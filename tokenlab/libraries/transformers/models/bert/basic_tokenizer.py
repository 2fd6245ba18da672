"""`BasicTokenizer` of transformers: google-research/bert's, with three options and a cache of words.

Adds: words that are never split, Chinese characters kept inside words, accents removed or kept independently of the
case; private-use, unassigned and surrogate code points are removed.
Leaves out: the splitting itself, which is inherited from `tokenlab.libraries.bert`.

Source: transformers 4.26.1, models/bert/tokenization_bert.py (`BasicTokenizer`).
"""

from __future__ import annotations

from collections.abc import Collection, Generator, Iterable
from functools import cache, partial

from tokenlab.algorithms.pipeline.unicode_versions import CharacterTable
from tokenlab.algorithms.text.normalize import RuleApplied, normalize
from tokenlab.algorithms.text.normalize_characters import cleaned_others, spaced_cjk
from tokenlab.algorithms.text.word_cache import WordCache
from tokenlab.libraries.bert.tokenization import BasicTokenizer as OriginalBasicTokenizer
from tokenlab.libraries.bert.tokenization import WordsSplit, whitespace_tokenize
from tokenlab.libraries.transformers.utils import is_overridden
from tokenlab.steps.traced_method import traced_method

CLEANED, SPACED_CJK = CharacterTable(cleaned_others), CharacterTable(spaced_cjk)


class BasicTokenizer(OriginalBasicTokenizer):
    """Splits a text into words and punctuation marks. A subclass may override each of its methods.

    >>> BasicTokenizer(never_split=["[X]"]).tokenize("Café [X] [Y]")
    ['cafe', '[X]', '[', 'y', ']']
    """

    def __init__(
        self,
        do_lower_case: bool = True,
        never_split: Iterable[str] | None = None,
        tokenize_chinese_chars: bool = True,
        strip_accents: bool | None = None,
    ) -> None:
        """Take the options.

        Args:
            do_lower_case: lowercase the words.
            never_split: words that are neither changed nor split, if they have whitespace around them.
            tokenize_chinese_chars: split before and after every Chinese character.
            strip_accents: remove accents; None for the value of `do_lower_case`.
        """
        super().__init__(do_lower_case)
        self.never_split = set(never_split or ())
        self.tokenize_chinese_chars = tokenize_chinese_chars
        self.strip_accents = strip_accents

    def _rules(self) -> list[str]:
        """Return the names of the normalization rules, as in `algorithms.text.normalize`."""
        return [
            "clean others",
            *(["space CJK"] if self.tokenize_chinese_chars else []),
            *(["lowercase words"] if self.do_lower_case else []),
            *(["NFD", "strip accents"] if self._strips_accents() else []),
        ]

    def _steps_of_tokenize(
        self, text: str, never_split: Collection[str] | None = None
    ) -> Generator[RuleApplied | WordsSplit, None, list[str]]:
        words = self.tokenize(text, never_split)
        whole = self.never_split.union(never_split or ())
        # The rules describe neither an overridden method nor words that are kept unchanged.
        if not is_overridden(self, *_METHODS) and whole.isdisjoint(words):
            yield from normalize.steps(text, self._rules())
        yield WordsSplit(tuple(words))
        return words

    @traced_method(_steps_of_tokenize)
    def tokenize(  # type: ignore[override]
        self, text: str, never_split: Collection[str] | None = None
    ) -> list[str]:
        """Return the words and punctuation marks of a text; `tokenize.record` records what each rule changed.

        Args:
            text: any text.
            never_split: more words that are neither changed nor split.
        """
        whole = self.never_split.union(never_split) if never_split else self.never_split
        text = self._clean_text(text)
        if self.tokenize_chinese_chars:
            text = self._tokenize_chinese_chars(text)
        known = None if is_overridden(self, *_WORD_METHODS) else word_cache(self.do_lower_case, self._strips_accents())
        words: list[str] = []
        for word in whitespace_tokenize(text):
            if word in whole:
                words.append(word)
                continue
            changed, parts = known[word] if known is not None else self._split_word(word, whole)
            words += [changed] if changed in whole else parts
        return words

    def _strips_accents(self) -> bool:
        return self.strip_accents is not False if self.do_lower_case else bool(self.strip_accents)

    def _split_word(self, word: str, never_split: Collection[str] | None = None) -> tuple[str, list[str]]:
        """Return a word without case and accents, and its parts."""
        changed = word.lower() if self.do_lower_case else word
        if self._strips_accents():
            changed = self._run_strip_accents(changed)
        return changed, whitespace_tokenize(" ".join(self._run_split_on_punc(changed, never_split)))

    def _run_split_on_punc(self, text: str, never_split: Collection[str] | None = None) -> list[str]:
        if never_split is not None and text in never_split:
            return [text]
        return super()._run_split_on_punc(text)

    def _tokenize_chinese_chars(self, text: str) -> str:
        if is_overridden(self, "_is_chinese_char"):
            return super()._tokenize_chinese_chars(text)
        return text.translate(SPACED_CJK)

    def _clean_text(self, text: str) -> str:
        return text.translate(CLEANED)


_WORD_METHODS = ("_run_strip_accents", "_run_split_on_punc", "_split_word", "_strips_accents")
_METHODS = (*_WORD_METHODS, "tokenize", "_tokenize_chinese_chars", "_is_chinese_char", "_clean_text")


@cache
def word_cache(lower: bool, strips_accents: bool) -> WordCache[tuple[str, list[str]]]:
    """Return the cache of changed words and their parts for two options; all tokenizers share it."""
    return WordCache(partial(BasicTokenizer._split_word, BasicTokenizer(lower, strip_accents=strips_accents)))
