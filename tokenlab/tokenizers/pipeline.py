"""The components of a tokenizer at one moment, and how a text goes through them: exactly, or fast for ids only.

Adds: `Pipeline`, which is never changed, so an `Encoding` can compute its tokens and offsets later from it, although
the tokenizer was changed in between; `run`, the exact way with alignments; `ids`, the fast way without.
Leaves out: post-processing, truncation and padding.
"""

from __future__ import annotations

from typing import Any, TypeAlias, TypeVar

from tokenlab.tokenizers.added_vocabulary import Patterns
from tokenlab.tokenizers.components.snapshot import is_custom, is_unchanged, snapshot
from tokenlab.tokenizers.encode_inputs import Input
from tokenlab.tokenizers.encodings.direct_columns import Columns, DirectColumns
from tokenlab.tokenizers.encodings.encoding import Encoding
from tokenlab.tokenizers.models.model import Model
from tokenlab.tokenizers.normalizers.normalizer import Normalizer
from tokenlab.tokenizers.pre_tokenizers.pre_tokenizer import PreTokenizer
from tokenlab.tokenizers.text.pre_tokenized_string import BytePlaces, PreTokenizedString, Split, token_columns

C = TypeVar("C")
Runs: TypeAlias = list[tuple[int | None, PreTokenizedString]]  # the index of each word, if there are words


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

    def encode(self, sequence: Input, type_id: int, in_bytes: bool = False) -> Encoding:
        """Return the encoding of a text or of the words of a pre-tokenized text; offsets in bytes, if requested."""
        if self.is_fast:
            return Encoding.lazy(self._ids(sequence), lambda: self._details(sequence, in_bytes), type_id)
        return encoding_of(self._runs(sequence), type_id, in_bytes)

    def encode_to_ids(self, sequence: Input, type_id: int) -> Encoding:
        """Return an encoding without texts, offsets and words of the tokens."""
        ids = self._ids(sequence) if self.is_fast else self.encode(sequence, type_id).ids
        count = len(ids)
        # subtle: as in the library, the type ids of both sequences of a pair are 0.
        return Encoding.lazy(ids, lambda: ([""] * count, [(0, 0)] * count, [None] * count), 0)

    def word_texts(self, text: str) -> list[str]:
        """Return the texts of the pre-tokens, and of the added tokens between them, for training."""
        if self.is_fast:
            return [word for _, texts in self.split_texts(text) for word in texts]
        return [split.normalized.normalized for split in self.words(text).splits]

    def _runs(self, sequence: Input) -> Runs:
        if isinstance(sequence, str):
            return [(None, self.run(sequence))]
        return [(number, self.run(word)) for number, word in enumerate(sequence)]

    def _details(self, sequence: Input, in_bytes: bool) -> Columns:
        """Return tokens, offsets and words, which an encoding computes when they are first requested."""
        direct = self.direct.columns(sequence) if isinstance(sequence, str) and not in_bytes else None
        return _columns(self._runs(sequence), in_bytes) if direct is None else direct

    # --- fast -------------------------------------------------------------------------------------

    def _ids(self, sequence: Input) -> list[int]:
        if isinstance(sequence, str):
            return self.ids(sequence)
        return [id for word in sequence for id in self.ids(word)]

    def ids(self, text: str) -> list[int]:
        """Return the ids of a text, without alignments."""
        words = self.model._id_cache
        ids: list[int] = []
        for added, texts in self.split_texts(text):
            if added is not None:
                ids.append(added)
            else:
                for word in texts:
                    ids += words[word]
        return ids

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


def _added_id(split: Split) -> int | None:
    return split.tokens[0].id if split.tokens else None


def _itself(component: C) -> C:
    return component


def encoding_of(runs: Runs, type_id: int, in_bytes: bool = False) -> Encoding:
    """Return the encoding of the words of a text, or of the text as a whole, after they were tokenized."""
    ids = [token.id for _, run in runs for split in run.splits for token in split.tokens or ()]
    tokens, offsets, words = _columns(runs, in_bytes)
    count = len(ids)
    return Encoding.of(ids, [type_id] * count, tokens, words, offsets, [0] * count, [1] * count)


def _columns(runs: Runs, in_bytes: bool) -> Columns:
    """Join the tokens, offsets and words of the runs; offsets count from the start of each word."""
    tokens: list[str] = []
    offsets: list[tuple[int, int]] = []
    words: list[int | None] = []
    for word, run in runs:
        texts, spans, numbers = token_columns(run.splits, word, run.original)
        if in_bytes:
            places = BytePlaces(run.original)
            spans = [places.in_bytes(span) for span in spans]
        tokens += texts
        offsets += spans
        words += numbers
    return tokens, offsets, words


def _needs_alignment(normalizer: Normalizer | None, pre_tokenizer: PreTokenizer | None) -> bool:
    """Whether the texts of the pre-tokens depend on alignments.

    subtle: whether a part is at the start of the original cannot be said without them, if the normalizer removed
    characters.
    """
    if pre_tokenizer is None:
        return False
    return pre_tokenizer.needs_alignment or (normalizer is not None and pre_tokenizer._depends_on_start)
