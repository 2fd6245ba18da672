"""The base class of all pre-tokenizers, the pre-tokenizer that a user writes, and several one after the other.

Adds: `PreTokenizer` with `custom`; `Sequence`.
Leaves out: where to split (`splitters`, `symbols`).

Source: tokenizers 0.23.3, bindings/python/src/pre_tokenizers.rs and tokenizers/src/pre_tokenizers/sequence.rs.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

from tokenlab.algorithms.text.alignment import Span
from tokenlab.libraries.tokenizers.components.arguments import check_text
from tokenlab.libraries.tokenizers.components.component import Component, Custom
from tokenlab.libraries.tokenizers.components.sequence import ReplaceableItems
from tokenlab.libraries.tokenizers.text.normalized_string import NormalizedString
from tokenlab.libraries.tokenizers.text.pre_tokenized_string import PreTokenizedString, call_function


class PreTokenizer(Component):
    """Splits a text into pre-tokens; no token of a model crosses the end of a pre-token.

    A subclass that only splits defines `_spans`; one that also changes the text defines `_parts` and `_texts`.
    """

    # Whether each pre-token is a slice of the text, wherever the text is in the original.
    _only_splits: ClassVar[bool] = True
    _advice = "one of the pre-tokenizers, such as Whitespace(), or PreTokenizer.custom(object)"

    @staticmethod
    def custom(pretok: Any) -> PreTokenizer:
        """Return a pre-tokenizer that calls the method `pre_tokenize(pre_tokenized_string)` of an object.

        >>> class Halves:
        ...     def pre_tokenize(self, text):
        ...         text.split(lambda number, part: [part[:2], part[2:]])
        >>> PreTokenizer.custom(Halves()).pre_tokenize_str("half")
        [('ha', (0, 2)), ('lf', (2, 4))]
        """
        return CustomPreTokenizer(pretok)

    def pre_tokenize(self, pretok: PreTokenizedString) -> None:
        """Split the splits of a text that have no tokens yet.

        Raises:
            TypeError: `pretok` is not a PreTokenizedString.
            ValueError: a pre-tokenizer that a user wrote raises an exception.
        """
        if not isinstance(pretok, PreTokenizedString):
            raise TypeError(f"pretok={pretok!r:.60} should be a PreTokenizedString, not {type(pretok).__name__}")
        self._pre_tokenize(pretok)

    def pre_tokenize_str(self, s: str) -> list[tuple[str, Span]]:
        """Return the pre-tokens of a text and their offsets in the original.

        Raises:
            TypeError: `s` is not a str.
            UnicodeEncodeError: it has a lone surrogate.
        """
        text = PreTokenizedString(check_text("s", s))
        self._pre_tokenize(text)
        return [(part, offsets) for part, offsets, _ in text.get_splits()]

    def split_text(self, text: str, at_start: bool) -> list[str]:
        """Return the pre-tokens of a text without their alignment: fast, and the same texts as of `pre_tokenize`.

        Args:
            text: a part of the original.
            at_start: whether it starts at position 0 of the original.
        """
        return self._texts(text, at_start) if text else []

    def split_aligned(self, text: str, at_start: bool) -> list[str]:
        """Return the same as `split_text`, computed with alignments."""
        split = PreTokenizedString(NormalizedString.unchecked(text, text, None, 0 if at_start else 1))
        self._pre_tokenize(split)
        return [one.normalized.normalized for one in split.splits]

    @property
    def needs_alignment(self) -> bool:
        """Whether `split_text` may lack something: a user's pre-tokenizer may add tokens itself."""
        return False

    def _pre_tokenize(self, pretok: PreTokenizedString) -> None:
        pretok.divide(lambda number, part: self._parts(part))

    def _parts(self, part: NormalizedString) -> list[NormalizedString]:
        """Return the parts of one split, aligned with the original."""
        spans = self._spans(part.normalized)
        if not part.is_identity:
            slices = (part.slice_normalized(start, end) for start, end in spans)
            return [one for one in slices if one is not None]
        original, text, shift, new = part.original, part.normalized, part.original_shift, NormalizedString.unchecked
        return [new(original[start:end], text[start:end], None, shift + start) for start, end in spans]

    def _texts(self, text: str, at_start: bool) -> list[str]:
        """Return the pre-tokens of a text that is not empty."""
        return [text[start:end] for start, end in self._spans(text) if start < end]

    def _texts_of_parts(self, parts: list[str], at_start: bool) -> list[str]:
        """Return the pre-tokens of several texts, none of which is empty."""
        return [new for part in parts for new in self._texts(part, at_start)]

    def _spans(self, text: str) -> Iterable[Span]:
        """Return the spans of a text that become pre-tokens."""
        raise NotImplementedError(f"{type(self).__name__} defines no spans")

    @property
    def _depends_on_start(self) -> bool:
        """Whether the pre-tokens depend on where the text is in the original."""
        return False


class CustomPreTokenizer(Custom, PreTokenizer):
    """A pre-tokenizer that calls the method `pre_tokenize` of a user's object."""

    _kind = "PreTokenizer"
    _only_splits = False

    def _pre_tokenize(self, pretok: PreTokenizedString) -> None:
        call_function(lambda: self._obj.pre_tokenize(pretok))

    def _texts(self, text: str, at_start: bool) -> list[str]:
        return self.split_aligned(text, at_start)

    @property
    def needs_alignment(self) -> bool:
        """True: the object may add tokens itself."""
        return True

    @property
    def _depends_on_start(self) -> bool:
        return True


class Sequence(ReplaceableItems[PreTokenizer], PreTokenizer):
    """Each pre-tokenizer splits the pre-tokens of the one before it.

    The sequence and the given objects are connected: a change of an attribute is a change of both.

    >>> from tokenlab.libraries.tokenizers.pre_tokenizers import Digits, Whitespace
    >>> pre_tokenizer = Sequence([Whitespace(), Digits(individual_digits=True)])
    >>> [part for part, _ in pre_tokenizer.pre_tokenize_str("call 12b!")]
    ['call', '1', '2', 'b', '!']
    """

    _kind = PreTokenizer
    _field = "pretokenizers"
    _only_splits = False

    def __init__(self, pre_tokenizers: list[PreTokenizer]) -> None:
        """Take a list; a Sequence in it is replaced by its pre-tokenizers."""
        self._items = self._flattened(pre_tokenizers)

    def _pre_tokenize(self, pretok: PreTokenizedString) -> None:
        for item in self._items:
            item.pre_tokenize(pretok)

    def _texts(self, text: str, at_start: bool) -> list[str]:
        if any(item._depends_on_start for item in self._items[1:]):
            return self.split_aligned(text, at_start)
        parts = [text]
        for item in self._items:
            parts = item._texts_of_parts(parts, at_start)
        return parts

    @property
    def needs_alignment(self) -> bool:
        """Whether one of the items may add tokens itself."""
        return any(item.needs_alignment for item in self._items)

    @property
    def _depends_on_start(self) -> bool:
        return any(item._depends_on_start for item in self._items)
