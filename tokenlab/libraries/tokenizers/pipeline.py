"""The components of a tokenizer at one moment, and the two ways of a text through them.

Adds: `Pipeline`, which is never changed, so an `Encoding` can compute its tokens and offsets later from it, although
the tokenizer was changed in between.
Leaves out: post-processing, truncation and padding (`encoder`).

The ways have the same results:
- *Aligned*: `run` follows every character from the original to its token. It is possible for all pipelines.
- *Direct*: plain strings. `ids` needs no places; tokens, offsets and words are computed when they are first read, if
  the place of each character is known anyway: the normalizer replaces characters one by one, or there is none, and the
  pre-tokenizers only split; `ByteLevel` may be the last. Otherwise, and for a text that `NotDirectError` stops, they
  come from `run`.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from itertools import chain
from typing import Any, Literal, NamedTuple, TypeAlias

from tokenlab.algorithms.text.alignment import Span
from tokenlab.algorithms.text.word_cache import WordCache
from tokenlab.libraries.tokenizers.added_vocabulary import Patterns
from tokenlab.libraries.tokenizers.components.arguments import Input
from tokenlab.libraries.tokenizers.components.component import is_custom, is_unchanged, snapshot
from tokenlab.libraries.tokenizers.components.sequence import members
from tokenlab.libraries.tokenizers.encoding import Encoding
from tokenlab.libraries.tokenizers.encoding_columns import Details, concatenated
from tokenlab.libraries.tokenizers.models.model import Model
from tokenlab.libraries.tokenizers.normalizers.normalizer import Normalizer
from tokenlab.libraries.tokenizers.pre_tokenizers import ByteLevel, PreTokenizer
from tokenlab.libraries.tokenizers.pre_tokenizers.symbols import to_symbols
from tokenlab.libraries.tokenizers.text.pre_tokenized_string import (
    BytePlaces,
    PreTokenizedString,
    characters_of_bytes,
    token_columns,
)

Runs: TypeAlias = list[tuple[int | None, PreTokenizedString]]  # the index of each word, if there are words
OffsetUnit: TypeAlias = Literal["character", "byte"] | None  # None: no texts, offsets and words of the tokens

# The place in the original of each character of the normalized text; None if each is in its old place.
Origins: TypeAlias = list[int] | None
# An added token with its id, or the normalized text between two: (text, start, origins, id). `start` is its place in
# the original, unless `origins` has those of its characters. A plain tuple, which is faster to make, one for each text.
Part: TypeAlias = tuple[str, int, Origins, int | None]


class NotDirectError(Exception):
    """This text needs alignments."""


class Word(NamedTuple):
    """The tokens of a pre-token, and their spans in it, in characters."""

    tokens: list[str]
    spans: list[Span]
    is_whole: bool  # one token covers all of the pre-token


class Pipeline:
    """Normalizer, pre-tokenizer, model and added tokens, from a text to its tokens."""

    def __init__(
        self, normalizer: Normalizer | None, pre_tokenizer: PreTokenizer | None, model: Model, patterns: Patterns
    ) -> None:
        self.parts = (normalizer, pre_tokenizer, model)
        self.patterns = patterns
        # subtle: a component written by the user may have effects or draw random numbers, and so may a model; these
        # run exactly once for each encoding.
        self.is_repeatable = not model._is_random and not any(map(is_custom, self.parts))
        self.normalizer, self.pre_tokenizer, self.model = normalizer, pre_tokenizer, model
        if self.is_repeatable:  # components of this package are copied, so that later changes do not reach them
            self.normalizer, self.pre_tokenizer = snapshot(normalizer), snapshot(pre_tokenizer)
            self.model = snapshot(model)
        self._words = WordCache(self._tokenized_word)  # a method, because a process that counts is sent the pipeline
        self._replacements = WordCache(self._replacement)
        self.is_fast = self.is_repeatable and not _needs_alignment(self.normalizer, self.pre_tokenizer)
        self._splitters = list(members(self.pre_tokenizer))
        self._ends_in_symbols = bool(self._splitters) and type(self._splitters[-1]) is ByteLevel
        self._has_direct_places = all(one._is_one_by_one for one in members(self.normalizer)) and all(
            one._only_splits or (one is self._splitters[-1] and type(one) is ByteLevel and not one._add_prefix_space)
            for one in self._splitters
        )

    def is_current(self, normalizer: Any, pre_tokenizer: Any, model: Any, patterns: Patterns) -> bool:
        """Whether these are the components, unchanged since this was made."""
        if patterns is not self.patterns:
            return False
        copies = (self.normalizer, self.pre_tokenizer, self.model)
        return all(
            part is original and (part is copy or is_unchanged(part, copy))
            for part, original, copy in zip((normalizer, pre_tokenizer, model), self.parts, copies, strict=True)
        )

    # --- aligned ----------------------------------------------------------------------------------

    def words(self, text: str) -> PreTokenizedString:
        """Return the pre-tokens of a text; added tokens have their token already."""
        parts = self.patterns.extract_and_normalize(text, self.normalizer)
        if self.pre_tokenizer is not None:
            self.pre_tokenizer.pre_tokenize(parts)
        return parts

    def run(self, text: str) -> PreTokenizedString:
        """Return the pre-tokens of a text with their tokens."""
        parts = self.words(text)
        self.tokenize(parts)
        return parts

    def tokenize(self, parts: PreTokenizedString) -> None:
        """Tokenize the parts that have no tokens."""
        for split in parts.splits:
            if split.tokens is None:
                split.tokens = self.model.tokenize(split.normalized.normalized)

    def encode(self, sequence: Input, type_id: int, unit: OffsetUnit = "character") -> Encoding:
        """Return the encoding of a text or of the words of a pre-tokenized text, computed as a whole."""
        runs = [(word, self.run(text)) for word, text in _texts(sequence)]
        if unit is None:
            ids = [token.id for _, run in runs for split in run.splits for token in split.tokens or ()]
            return self.lazy_encoding(sequence, ids, type_id, None)
        return encoding_of(runs, type_id, unit)

    # --- direct: ids ------------------------------------------------------------------------------

    def ids(self, sequence: Input) -> list[int]:
        """Return the ids of a text or of the words of a pre-tokenized text, without alignments."""
        if not isinstance(sequence, str):
            return [id for word in sequence for id in self.ids(word)]
        words = self.model._id_cache
        ids: list[int] = []
        for added, texts in self.split_texts(sequence):
            if added is None:
                ids += chain.from_iterable(map(words.__getitem__, texts))
            else:
                ids.append(added)
        return ids

    def word_texts(self, text: str) -> list[str]:
        """Return the texts of the pre-tokens, and of the added tokens between them, for training."""
        if self.is_fast:
            return list(chain.from_iterable([texts for _, texts in self.split_texts(text)]))
        return [split.normalized.normalized for split in self.words(text).splits]

    def split_texts(self, text: str) -> list[tuple[int | None, list[str]]]:
        """Return each added token, with its id and its text, and the texts of the pre-tokens between them."""
        try:
            parts = self._parts(text, self._without_places)
        except NotDirectError:  # the pre-tokens may depend on the alignments
            splits = self.words(text).splits
            return [(one.tokens[0].id if one.tokens else None, [one.normalized.normalized]) for one in splits]
        split = self.pre_tokenizer
        return [
            (added, [part])
            if split is None or added is not None
            else (None, split.split_text(part, at_start=start == 0))
            for part, start, _, added in parts
        ]

    def _parts(self, text: str, normalized: Callable[[Normalizer, str, int], tuple[str, Origins]]) -> list[Part]:
        """Return the added tokens of both passes, and the normalized texts between them; none is empty.

        Args:
            text: the original.
            normalized: returns what a normalizer makes of a text from a place in the original, and the new places.
        """
        parts: list[Part] = []
        for start, end, id in self.patterns.split(text, normalized_pass=False):
            part, origins = text[start:end], None
            if id is not None:
                if part:  # the library drops an empty match: whitespace that the token before it took
                    parts.append((part, start, None, id))
                continue
            if self.normalizer is not None:
                part, origins = normalized(self.normalizer, part, start)
            for begin, stop, added in self.patterns.split(part, normalized_pass=True):
                if begin < stop:
                    own = None if origins is None else origins[begin:stop]
                    parts.append((part[begin:stop], start + begin, own, added))
        return parts

    def _without_places(self, normalizer: Normalizer, part: str, start: int) -> tuple[str, Origins]:
        text = normalizer.fast(part)
        if text is None:
            raise NotDirectError
        return text, None

    # --- direct: tokens, offsets and words ----------------------------------------------------------

    def lazy_encoding(self, sequence: Input, ids: list[int], type_id: int, unit: OffsetUnit) -> Encoding:
        """Return the encoding with these ids, which computes everything else when it is first read."""
        if unit is None:
            # subtle: as in the library, the type ids of both sequences of a pair are 0.
            return Encoding.of_ids(ids)
        return Encoding.lazy(ids, lambda: self._details(sequence, unit), type_id)

    def _details(self, sequence: Input, unit: OffsetUnit) -> Details:
        """Return tokens, offsets and words; offsets count from the start of each word of a pre-tokenized text."""
        parts = []
        for word, text in _texts(sequence):
            details = self._direct_details(text, word) if unit == "character" and self._has_direct_places else None
            parts.append(details or _details_of(self.run(text), word, unit))
        return parts[0] if len(parts) == 1 else concatenated(*parts)

    def _direct_details(self, text: str, word: int | None) -> Details | None:
        """Return tokens, offsets and words of a text; None if that needs alignments.

        Args:
            text: the text.
            word: the word of every token; None for the number of its pre-token.
        """
        tokens: list[str] = []
        offsets: list[Span] = []
        counts: list[int] = []  # tokens of each pre-token
        try:
            for part in self._parts(text, self._with_places):
                spans, words = self._pre_tokens(part)
                tokens += chain.from_iterable([word.tokens for word in words])
                offsets += _places(part, spans, words)
                counts += [len(word.tokens) for word in words]
        except NotDirectError:
            return None
        if word is None:
            return tokens, offsets, [number for number, count in enumerate(counts) for _ in range(count)]
        return tokens, offsets, [word] * len(tokens)

    def _with_places(self, normalizer: Normalizer, part: str, start: int) -> tuple[str, Origins]:
        """Return the normalized text, and the place in the original of each character, or None if none has moved."""
        normalized = normalizer.normalize_str(part)
        # subtle: an ASCII character is removed or stays one character.
        if part.isascii() and len(normalized) == len(part):
            return normalized, None
        replacements = [self._replacements[character] for character in part]
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

    def _pre_tokens(self, part: Part) -> tuple[list[Span], list[Word]]:
        """Return the spans of the pre-tokens in a part, and their tokens."""
        text, _, _, added = part
        spans = [(0, len(text))]
        if added is not None:
            return spans, [Word([text], spans, is_whole=True)]
        for splitter in self._splitters:
            spans = [
                (start + first, start + last)
                for start, end in spans
                for first, last in splitter._spans(text[start:end])
                if first < last
            ]
        return spans, self._words.many([text[start:end] for start, end in spans], self._tokenized)

    def _tokenized_word(self, text: str) -> Word:
        return self._tokenized([text])[0]

    def _tokenized(self, texts: list[str]) -> list[Word]:
        """Return the tokens of several pre-tokens."""
        symbols = list(map(to_symbols, texts)) if self._ends_in_symbols else texts
        columns = list(map(self.model._columns, symbols))
        places = list(map(characters_of_bytes, symbols))
        if self._ends_in_symbols:  # each symbol is a byte of the text
            places = [
                tuple(map(characters.__getitem__, of_symbols))
                for characters, of_symbols in zip(map(characters_of_bytes, texts), places, strict=True)
            ]
        return [
            _word(text, tokens, offsets, of_bytes)
            for text, (_, tokens, offsets), of_bytes in zip(texts, columns, places, strict=True)
        ]


def _word(text: str, tokens: list[str], offsets: list[Span], characters: tuple[int, ...]) -> Word:
    """Return a pre-token with these tokens, given the character that each byte of their offsets belongs to."""
    spans = []
    for start, end in offsets:
        if not start < end <= len(characters):
            raise NotDirectError
        spans.append((characters[start], characters[end - 1] + 1))
    return Word(tokens, spans, spans == [(0, len(text))])


def _places(part: Part, spans: list[Span], words: list[Word]) -> list[Span]:
    """Return the offsets of all tokens in the original."""
    places: list[Span] = []
    for span, word in zip(spans, words, strict=True):
        if word.is_whole:
            places.append(span)
        else:
            start = span[0]
            places += [(start + first, start + last) for first, last in word.spans]
    _, shift, origins, _ = part
    if origins is not None:
        return [(origins[first], origins[last - 1] + 1) for first, last in places]
    return [(shift + first, shift + last) for first, last in places] if shift else places


def _texts(sequence: Input) -> list[tuple[int | None, str]]:
    """Return a text, or each word of a pre-tokenized text with its index."""
    return [(None, sequence)] if isinstance(sequence, str) else list(enumerate(sequence))


def encoding_of(runs: Runs, type_id: int, unit: OffsetUnit = "character") -> Encoding:
    """Return the encoding of the words of a text, or of the text as a whole, after they were tokenized."""
    ids = [token.id for _, run in runs for split in run.splits for token in split.tokens or ()]
    details = concatenated(*[_details_of(run, word, unit) for word, run in runs])
    return Encoding.lazy(ids, lambda: details, type_id)


def _details_of(run: PreTokenizedString, word: int | None, unit: OffsetUnit) -> Details:
    """Return the tokens, offsets and words of a text that was tokenized."""
    tokens, offsets, words = token_columns(run.splits, word, run.original)
    if unit == "byte":
        places = BytePlaces(run.original)
        offsets = [places.in_bytes(span) for span in offsets]
    return tokens, offsets, words


def _needs_alignment(normalizer: Normalizer | None, pre_tokenizer: PreTokenizer | None) -> bool:
    """Whether the texts of the pre-tokens depend on alignments.

    subtle: whether a part is at the start of the original cannot be said without them, if the normalizer removed
    characters.
    """
    if pre_tokenizer is None:
        return False
    return pre_tokenizer.needs_alignment or (normalizer is not None and pre_tokenizer._depends_on_start)
