"""Tokens and offsets without alignments, where the place of every character is known anyway.

Adds: `DirectColumns`, for texts whose characters the normalizer replaces one by one (or for pipelines without one), and
for pre-tokenizers that only split; `ByteLevel` may be the last. Each distinct pre-token is tokenized once.
Leaves out: all other pipelines and texts, for which `columns` returns None (`Pipeline.run` has alignments).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

from tokenlab.algorithms.text.word_cache import WordCache
from tokenlab.tokenizers.added_vocabulary import Patterns
from tokenlab.tokenizers.components.sequence import members
from tokenlab.tokenizers.models.model import Model
from tokenlab.tokenizers.normalizers import (
    NFC,
    NFD,
    NFKC,
    NFKD,
    BertNormalizer,
    Lowercase,
    Nmt,
    Normalizer,
    StripAccents,
)
from tokenlab.tokenizers.pre_tokenizers import ByteLevel, PreTokenizer
from tokenlab.tokenizers.pre_tokenizers.byte_level import to_symbols
from tokenlab.tokenizers.text.pre_tokenized_string import characters_of_bytes

Span: TypeAlias = tuple[int, int]
Columns: TypeAlias = tuple[list[str], list[Span], list[int | None]]  # tokens, offsets, words

# The place in the original of each character of the normalized text; None if each is in its old place.
Origins: TypeAlias = list[int] | None

# Each of these replaces an ASCII character by one ASCII character or by none, and aligns what replaces a character with
# that character.
ONE_BY_ONE = (NFC, NFD, NFKC, NFKD, Lowercase, StripAccents, Nmt, BertNormalizer)


class NotDirectError(Exception):
    """The offsets of a token cannot be computed without alignments."""


class Word(NamedTuple):
    """The tokens of a pre-token, and their spans in it, in characters."""

    tokens: list[str]
    spans: list[Span]


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
        self.is_possible = _is_one_by_one(normalizer) and all(
            _only_splits(splitter) or (splitter is self.splitters[-1] and _is_plain_byte_level(splitter))
            for splitter in self.splitters
        )

    def columns(self, text: str, word: int | None = None) -> Columns | None:
        """Return tokens, offsets and words of a text; None if that needs alignments."""
        if not self.is_possible:
            return None
        tokens: list[str] = []
        offsets: list[Span] = []
        words: list[int | None] = []
        try:
            for number, (start, content, origins) in enumerate(self._parts(text)):
                count = len(tokens)
                if isinstance(content, str):
                    tokens.append(content)
                    spans = [(0, len(content))]
                else:
                    tokens += content.tokens
                    spans = content.spans
                if origins is None:
                    offsets += [(start + first, start + last) for first, last in spans]
                else:
                    offsets += [(origins[start + first], origins[start + last - 1] + 1) for first, last in spans]
                words += [number if word is None else word] * (len(tokens) - count)
        except NotDirectError:
            return None
        return tokens, offsets, words

    def _parts(self, text: str) -> Iterator[tuple[int, str | Word, Origins]]:
        """Yield each pre-token: its start, its tokens (or the text of an added token), and the origins."""
        words = self.words
        for start, end, id in self.patterns.split(text, normalized_pass=False):
            part = text[start:end]
            if id is not None:
                if part:
                    yield start, part, None
                continue
            normalized, origins = self._normalized(part, start)
            shift = start if origins is None else 0
            for begin, stop, added in self.patterns.split(normalized, normalized_pass=True):
                piece = normalized[begin:stop]
                if added is not None and piece:
                    yield shift + begin, piece, origins
                elif piece:
                    for first, last in self._split(piece):
                        yield shift + begin + first, words[piece[first:last]], origins

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
        """Return what one character becomes, whatever is beside it; not known if it composes with the one before it.

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
        _, tokens, offsets = self.model.columns(symbols)
        places = characters_of_bytes(symbols)
        if self.byte_level:
            characters = characters_of_bytes(word)  # each symbol is a byte of the word
            places = tuple(characters[symbol] for symbol in places)
        spans = []
        for start, end in offsets:
            if not start < end <= len(places):
                raise NotDirectError
            spans.append((places[start], places[end - 1] + 1))
        return Word(tokens, spans)


def _only_splits(pre_tokenizer: PreTokenizer) -> bool:
    kind = type(pre_tokenizer)
    inherited = kind._parts is PreTokenizer._parts and kind._pre_tokenize is PreTokenizer._pre_tokenize
    return inherited and not pre_tokenizer._depends_on_start


def _is_plain_byte_level(pre_tokenizer: PreTokenizer) -> bool:
    return type(pre_tokenizer) is ByteLevel and not pre_tokenizer.add_prefix_space


def _is_one_by_one(normalizer: Normalizer | None) -> bool:
    return all(type(member) in ONE_BY_ONE for member in members(normalizer))
