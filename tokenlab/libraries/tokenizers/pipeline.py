"""The components of a tokenizer at one moment, and how a text goes through them: exactly, or fast for ids only.

Adds: `Pipeline`, which is never changed, so an `Encoding` can compute its tokens and offsets later from it, although
the tokenizer was changed in between; `run`, the exact way with alignments; `ids`, the fast way without.
Leaves out: post-processing, truncation and padding.
"""

from __future__ import annotations

from itertools import chain
from typing import Any, Literal, TypeAlias, TypeVar

from tokenlab.libraries.tokenizers.added_vocabulary import Patterns
from tokenlab.libraries.tokenizers.components.snapshot import is_custom, is_unchanged, snapshot
from tokenlab.libraries.tokenizers.encode_inputs import Input
from tokenlab.libraries.tokenizers.encodings.direct_columns import DirectColumns
from tokenlab.libraries.tokenizers.encodings.encoding import Encoding
from tokenlab.libraries.tokenizers.encodings.encoding_columns import concatenated
from tokenlab.libraries.tokenizers.models.model import Model
from tokenlab.libraries.tokenizers.normalizers.normalizer import Normalizer
from tokenlab.libraries.tokenizers.pre_tokenizers.pre_tokenizer import PreTokenizer
from tokenlab.libraries.tokenizers.spans import Details
from tokenlab.libraries.tokenizers.text.pre_tokenized_string import BytePlaces, PreTokenizedString, Split, token_columns

C = TypeVar("C")
Runs: TypeAlias = list[tuple[int | None, PreTokenizedString]]  # the index of each word, if there are words
OffsetUnit: TypeAlias = Literal["character", "byte"] | None  # None: no texts, offsets and words of the tokens


class Pipeline:
    """Normalizer, pre-tokenizer, model and added tokens, from a text to its tokens."""

    def __init__(
        self,
        normalizer: Normalizer | None,
        pre_tokenizer: PreTokenizer | None,
        model: Model,
        patterns: Patterns,
    ) -> None:
        self.parts = (normalizer, pre_tokenizer, model)
        self.patterns = patterns
        # subtle: a component written by the user may have effects or draw random numbers, and so may a model; these
        # run exactly once for each encoding.
        self.is_repeatable = not model._is_random and not any(map(is_custom, self.parts))
        # A component of this package is copied, so that later changes do not reach it.
        copied = snapshot if self.is_repeatable else _itself
        self.normalizer = copied(normalizer)
        self.pre_tokenizer = copied(pre_tokenizer)
        self.model = copied(model)
        self.is_fast = self.is_repeatable and not _needs_alignment(self.normalizer, self.pre_tokenizer)
        self.direct = DirectColumns(self.normalizer, self.pre_tokenizer, self.model, patterns)

    def is_current(self, normalizer: Any, pre_tokenizer: Any, model: Any, patterns: Patterns) -> bool:
        """Whether these are the components, unchanged since this was made."""
        if patterns is not self.patterns:
            return False
        copies = (self.normalizer, self.pre_tokenizer, self.model)
        return all(
            part is original and (part is copy or is_unchanged(part, copy))
            for part, original, copy in zip((normalizer, pre_tokenizer, model), self.parts, copies, strict=True)
        )

    # --- exactly ----------------------------------------------------------------------------------

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

    # --- fast -------------------------------------------------------------------------------------

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
            details = self.direct.columns(text, word) if unit == "character" else None
            parts.append(details or _details_of(self.run(text), word, unit))
        return parts[0] if len(parts) == 1 else concatenated(*parts)

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
        parts: list[tuple[int | None, list[str]]] = []
        for start, end, id in self.patterns.split(text, normalized_pass=False):
            if id is not None:
                if start < end:  # the library drops an empty match: whitespace that the token before it took
                    parts.append((id, [text[start:end]]))
                continue
            part = text[start:end]
            normalized = part if self.normalizer is None else self.normalizer.fast(part)
            if normalized is None:  # the pre-tokens may depend on the alignments
                return [(_added_id(split), [split.normalized.normalized]) for split in self.words(text).splits]
            for begin, stop, added in self.patterns.split(normalized, normalized_pass=True):
                if added is not None:
                    if begin < stop:
                        parts.append((added, [normalized[begin:stop]]))
                elif begin < stop:
                    piece = normalized[begin:stop]
                    if self.pre_tokenizer is None:
                        parts.append((None, [piece]))
                    else:
                        parts.append((None, self.pre_tokenizer.split_text(piece, at_start=start == begin == 0)))
        return parts


def _texts(sequence: Input) -> list[tuple[int | None, str]]:
    """Return a text, or each word of a pre-tokenized text with its index."""
    return [(None, sequence)] if isinstance(sequence, str) else list(enumerate(sequence))


def _added_id(split: Split) -> int | None:
    return split.tokens[0].id if split.tokens else None


def _itself(component: C) -> C:
    return component


def encoding_of(runs: Runs, type_id: int, unit: OffsetUnit = "character") -> Encoding:
    """Return the encoding of the words of a text, or of the text as a whole, after they were tokenized."""
    ids = [token.id for _, run in runs for split in run.splits for token in split.tokens or ()]
    tokens, offsets, words = concatenated(*[_details_of(run, word, unit) for word, run in runs])
    count = len(ids)
    return Encoding.of(ids, [type_id] * count, tokens, words, offsets, [0] * count, [1] * count)


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
