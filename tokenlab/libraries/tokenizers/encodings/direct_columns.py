"""Tokens and offsets without alignments, where the place of every character is known anyway.

Adds: `DirectColumns`, for texts whose characters the normalizer replaces one by one (or for pipelines without one), and
for pre-tokenizers that only split; `ByteLevel` may be the last. Each distinct pre-token is tokenized once.
Leaves out: all other pipelines and texts, for which `columns` returns None (`Pipeline.run` has alignments).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from itertools import chain
from typing import NamedTuple, TypeAlias

from tokenlab.algorithms.text.word_cache import WordCache
from tokenlab.libraries.tokenizers.added_vocabulary import Patterns
from tokenlab.libraries.tokenizers.components.sequence import members
from tokenlab.libraries.tokenizers.models.model import Model
from tokenlab.libraries.tokenizers.normalizers.normalizer import Normalizer
from tokenlab.libraries.tokenizers.pre_tokenizers import ByteLevel, PreTokenizer
from tokenlab.libraries.tokenizers.pre_tokenizers.byte_level import to_symbols
from tokenlab.libraries.tokenizers.spans import Details, Span
from tokenlab.libraries.tokenizers.text.pre_tokenized_string import characters_of_bytes

# The place in the original of each character of the normalized text; None if each is in its old place.
Origins: TypeAlias = list[int] | None


class NotDirectError(Exception):
    """The offsets of a token cannot be computed without alignments."""


class Part(NamedTuple):
    """An added token, or the normalized text between two, and its place."""

    text: str
    start: int  # of its characters, unless `origins` has them
    origins: Origins
    is_added: bool


class Word(NamedTuple):
    """The tokens of a pre-token, and their spans in it, in characters."""

    tokens: list[str]
    spans: list[Span]
    is_whole: bool  # one token covers all of the pre-token


class DirectColumns:
    """The columns of texts in one pipeline."""

    def __init__(
        self, normalizer: Normalizer | None, pre_tokenizer: PreTokenizer | None, model: Model, patterns: Patterns
    ) -> None:
        self.normalizer = normalizer
        self.splitters = list(members(pre_tokenizer))
        self.model = model
        self.patterns = patterns
        self.byte_level = bool(self.splitters) and type(self.splitters[-1]) is ByteLevel
        self.words = WordCache(self._word)
        self.replacements = WordCache(self._replacement)
        self.is_possible = all(one._is_one_by_one for one in members(normalizer)) and all(
            splitter._only_splits or (splitter is self.splitters[-1] and _is_plain_byte_level(splitter))
            for splitter in self.splitters
        )

    def columns(self, text: str, word: int | None = None) -> Details | None:
        """Return tokens, offsets and words of a text; None if that needs alignments.

        Args:
            text: the text.
            word: the word of every token; by default, the number of its pre-token.
        """
        if not self.is_possible:
            return None
        tokens: list[str] = []
        offsets: list[Span] = []
        counts: list[int] = []  # tokens of each pre-token
        try:
            for part in self._parts(text):
                spans, words = self._pre_tokens(part)
                tokens += chain.from_iterable([word.tokens for word in words])
                offsets += _places(part, spans, words)
                counts += [len(word.tokens) for word in words]
        except NotDirectError:
            return None
        if word is None:
            return tokens, offsets, [number for number, count in enumerate(counts) for _ in range(count)]
        return tokens, offsets, [word] * len(tokens)

    def _parts(self, text: str) -> Iterator[Part]:
        """Yield the added tokens of both passes, and the normalized texts between them."""
        for start, end, id in self.patterns.split(text, normalized_pass=False):
            part = text[start:end]
            if id is not None:
                yield Part(part, start, None, is_added=True)
                continue
            normalized, origins = self._normalized(part, start)
            for begin, stop, added in self.patterns.split(normalized, normalized_pass=True):
                own = None if origins is None else origins[begin:stop]
                yield Part(normalized[begin:stop], start + begin, own, added is not None)

    def _pre_tokens(self, part: Part) -> tuple[list[Span], list[Word]]:
        """Return the spans of the pre-tokens in a part, and their tokens."""
        text, words = part.text, self.words
        if not text:
            return [], []
        if part.is_added:
            return [(0, len(text))], [Word([text], [(0, len(text))], is_whole=True)]
        spans = self._split(text)
        return spans, [words[text[start:end]] for start, end in spans]

    def _normalized(self, part: str, start: int) -> tuple[str, Origins]:
        """Return the normalized text, and the place in the original of each character, or None if none has moved."""
        if self.normalizer is None:
            return part, None
        normalized = self.normalizer.normalize_str(part)
        # subtle: an ASCII character is removed or stays one character.
        if part.isascii() and len(normalized) == len(part):
            return normalized, None
        replacements = [self.replacements[character] for character in part]
        if "".join(replacements) != normalized:
            raise NotDirectError
        return normalized, [place for place, new in enumerate(replacements, start) for _ in new]

    def _replacement(self, character: str) -> str:
        """Return what one character becomes regardless of its neighbours; not known if it composes with the one before.

        subtle: NFC may compose it, and a later NFD decompose the result; its place is then that of the composition.
        """
        assert self.normalizer is not None
        first = unicodedata.normalize("NFKD", character)[0]
        is_korean = "\u1161" <= first <= "\u11ff"  # a vowel or a final consonant
        if is_korean or unicodedata.category(first).startswith("M"):
            raise NotDirectError
        return self.normalizer.normalize_str(character)

    def _split(self, piece: str) -> list[Span]:
        spans = [(0, len(piece))]
        for splitter in self.splitters:
            spans = [
                (start + first, start + last)
                for start, end in spans
                for first, last in splitter._spans(piece[start:end])
                if first < last
            ]
        return spans

    def _word(self, word: str) -> Word:
        """Return the tokens of a pre-token."""
        symbols = to_symbols(word) if self.byte_level else word
        _, tokens, offsets = self.model._columns(symbols)
        places = characters_of_bytes(symbols)
        if self.byte_level:
            characters = characters_of_bytes(word)  # each symbol is a byte of the word
            places = tuple(characters[symbol] for symbol in places)
        spans = []
        for start, end in offsets:
            if not start < end <= len(places):
                raise NotDirectError
            spans.append((places[start], places[end - 1] + 1))
        return Word(tokens, spans, spans == [(0, len(word))])


def _places(part: Part, spans: list[Span], words: list[Word]) -> list[Span]:
    """Return the offsets of all tokens in the original."""
    places: list[Span] = []
    for span, word in zip(spans, words, strict=True):
        if word.is_whole:
            places.append(span)
        else:
            start = span[0]
            places += [(start + first, start + last) for first, last in word.spans]
    origins, shift = part.origins, part.start
    if origins is not None:
        return [(origins[first], origins[last - 1] + 1) for first, last in places]
    return [(shift + first, shift + last) for first, last in places] if shift else places


def _is_plain_byte_level(pre_tokenizer: PreTokenizer) -> bool:
    return type(pre_tokenizer) is ByteLevel and not pre_tokenizer.add_prefix_space
