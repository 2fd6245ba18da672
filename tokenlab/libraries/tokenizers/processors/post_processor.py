"""The base of post-processors, and all of them but `TemplateProcessing`.

Source: tokenizers 0.23.3, tokenizers/src/processors/{sequence,bert,roberta}.rs, and for `ByteLevel` process_offsets in
tokenizers/src/pre_tokenizers/byte_level.rs.
"""

from __future__ import annotations

from typing import Any

from tokenlab.algorithms.pipeline.unicode_versions import WHITESPACE
from tokenlab.algorithms.text.alignment import Span
from tokenlab.algorithms.text.byte_symbols import BYTE_TO_SYMBOL
from tokenlab.libraries.tokenizers.components.arguments import (
    UNSIGNED_32,
    Setting,
    check_bool,
    check_text,
    check_unsigned_32,
)
from tokenlab.libraries.tokenizers.components.component import Component
from tokenlab.libraries.tokenizers.components.sequence import ReplaceableItems
from tokenlab.libraries.tokenizers.encoding import Encoding
from tokenlab.libraries.tokenizers.encoding_columns import Details, Lazy


class PostProcessor(Component):
    """A rule that adds special tokens to one encoding or a pair, and may change type ids and offsets.

    Only its subclasses can be made.
    """

    _advice = "one of the post-processors, such as BertProcessing"

    def added_tokens(self, is_pair: bool) -> int:
        """Return the number of special tokens that are added to a sequence, or to a pair."""
        raise NotImplementedError

    def process_encodings(self, encodings: list[Encoding], add_special_tokens: bool) -> list[Encoding]:
        """Return the parts of the result in order: changed encodings and special tokens."""
        raise NotImplementedError

    def num_special_tokens_to_add(self, is_pair: bool) -> int:
        """Return the number of special tokens that are added to a sequence, or to a pair.

        Raises:
            TypeError: `is_pair` is not a bool.
        """
        return self.added_tokens(check_bool("is_pair", is_pair))

    def process(self, encoding: Encoding, pair: Encoding | None = None, add_special_tokens: bool = True) -> Encoding:
        """Return one encoding from an encoding or a pair, with special tokens. The arguments are not changed.

        Args:
            encoding: the first sequence.
            pair: the second sequence, or None.
            add_special_tokens: if False, no special tokens are added; offsets and type ids may still change.

        Raises:
            TypeError: an argument has another type.
            ValueError: the processor needs a second sequence, or a special token that is not known.
        """
        encodings = [_check_encoding("encoding", encoding)]
        if pair is not None:
            encodings.append(_check_encoding("pair", pair))
        parts = [encoding.as_sequence(sequence) for sequence, encoding in enumerate(encodings)]
        return Encoding.joined(self.process_encodings(parts, check_bool("add_special_tokens", add_special_tokens)))


def check_token(name: str, value: Any) -> tuple[str, int]:
    """Return a token and its id.

    Raises:
        TypeError: not a tuple of a text and an integer.
        ValueError: a tuple of another length.
        OverflowError: the id is negative, or does not fit in 32 bits.

    >>> check_token("sep", ("[SEP]", 102))
    ('[SEP]', 102)
    """
    if not isinstance(value, tuple):
        raise TypeError(f'{name}={value!r:.60} should be a tuple of token and id, such as ("[SEP]", 102)')
    if len(value) != 2:
        raise ValueError(f'{name} expected tuple of length 2, such as ("[SEP]", 102), but got {len(value)} items')
    return check_text(f"the token of {name}", value[0]), check_unsigned_32(f"the id of {name}", value[1])


def load_token(name: str, value: Any) -> tuple[str, int]:
    """Return a token and its id from a list in tokenizer.json; otherwise raise a ValueError."""
    match value:
        case [str(token), int(id)] if not isinstance(id, bool) and 0 <= id <= UNSIGNED_32:
            return token, id
    raise ValueError(f'{name}={value!r:.60} should be a list such as ["[SEP]", 102]')


def token_setting(doc: str) -> Setting[tuple[str, int]]:
    """Return an attribute that is a token with its id."""
    return Setting(check_token, doc, load=load_token, save=list)


def _check_encoding(name: str, value: Any) -> Encoding:
    if not isinstance(value, Encoding):
        raise TypeError(f"{name} is a {type(value).__name__}, not an instance of Encoding; give what encode returned")
    return value


class Sequence(ReplaceableItems[PostProcessor], PostProcessor):
    """Apply post-processors in order; each gets the parts that the one before returned.

    >>> from tokenlab.libraries.tokenizers.processors import BertProcessing, ByteLevel
    >>> both = Sequence([ByteLevel(), BertProcessing(("[SEP]", 2), ("[CLS]", 1))])
    >>> both[1].sep, both.num_special_tokens_to_add(False)
    (('[SEP]', 2), 2)
    """

    _kind = PostProcessor
    _field = "processors"

    def __init__(self, processors_py: list[PostProcessor]) -> None:
        """Take a list; a Sequence in it is replaced by its post-processors."""
        self._items = self._flattened(processors_py)

    def added_tokens(self, is_pair: bool) -> int:
        """Return the number of special tokens that are added to a sequence, or to a pair."""
        return sum(processor.added_tokens(is_pair) for processor in self._items)

    def process_encodings(self, encodings: list[Encoding], add_special_tokens: bool) -> list[Encoding]:
        """Return the parts that the last processor makes."""
        for processor in self._items:
            encodings = processor.process_encodings(encodings, add_special_tokens)
        return encodings


SPACES = WHITESPACE + BYTE_TO_SYMBOL[ord(" ")]


class ByteLevel(PostProcessor):
    """Trim the offsets of byte-level tokens. No special tokens are added.

    >>> my = Encoding.lazy([7, 8], lambda: (["My", "Ġname"], [(0, 2), (2, 7)], [0, 1]))
    >>> ByteLevel().process(my).offsets
    [(0, 2), (3, 7)]
    """

    add_prefix_space = Setting(check_bool, "Whether the pre-tokenizer inserted a space at the start, which is kept.")
    trim_offsets = Setting(check_bool, "Whether to remove the spaces at both ends of a token from its offsets.")
    use_regex = Setting(check_bool, "Used only by the pre-tokenizer of the same name.", default=True)

    def __init__(
        self,
        add_prefix_space: bool | None = None,
        trim_offsets: bool | None = None,
        use_regex: bool | None = None,
        **_kwargs: Any,
    ) -> None:
        """Take the settings, of which None is True; other names are ignored."""
        self.add_prefix_space = True if add_prefix_space is None else add_prefix_space
        self.trim_offsets = True if trim_offsets is None else trim_offsets
        self.use_regex = True if use_regex is None else use_regex

    def added_tokens(self, is_pair: bool) -> int:
        """Return the number of special tokens that are added to a sequence, or to a pair."""
        return 0

    def process_encodings(self, encodings: list[Encoding], add_special_tokens: bool) -> list[Encoding]:
        """Return the sequences with trimmed offsets."""
        if self.trim_offsets:
            encodings = [with_trimmed_offsets(encoding, self.add_prefix_space) for encoding in encodings]
        return [encoding.with_sequence_id(sequence) for sequence, encoding in enumerate(encodings)]


def with_trimmed_offsets(encoding: Encoding, add_prefix_space: bool) -> Encoding:
    """Return a copy with trimmed offsets, when somebody reads them; encodings that overflow are trimmed also."""

    def trim(details: Details) -> Details:
        tokens, offsets, words = details
        pairs = enumerate(zip(tokens, offsets, strict=True))
        spans = [trim_offsets(token, span, place == 0, add_prefix_space) for place, (token, span) in pairs]
        return tokens, spans, words

    def trimmed(encoding: Encoding) -> Encoding:
        return encoding.replaced(details=Lazy(trim, encoding.rest.details))

    return trimmed(encoding).replaced(overflowing=encoding.mapped(trimmed))


def trim_offsets(token: str, offsets: Span, is_first: bool, add_prefix_space: bool) -> Span:
    """Return the offsets of a token without the spaces at its start and end.

    Args:
        token: the text of the token, in byte symbols.
        offsets: start and end in the original.
        is_first: whether the token is the first one of the encoding.
        add_prefix_space: whether the pre-tokenizer inserted a space at the start, which has no place in the original.

    >>> trim_offsets("Ġhug", (3, 7), False, True), trim_offsets("Ġhug", (0, 3), True, True)
    ((4, 7), (0, 3))
    """
    start, end = offsets
    leading = len(token) - len(token.lstrip(SPACES))
    trailing = len(token) - len(token.rstrip(SPACES))
    # subtle: with given words, the first token of the text also starts at 0 when it is not the first of the encoding;
    # two spaces mean that none was inserted.
    if not ((is_first or start == 0) and add_prefix_space and leading == 1):
        start = min(start + leading, end)
    if end >= trailing:
        end = max(end - trailing, start)
    return start, end


class BertProcessing(PostProcessor):
    """Add the classification token before the first sequence, and a separator after each.

    The second sequence and its separator have type id 1.

    >>> hug = Encoding.lazy([7], lambda: (["hug"], [(0, 3)], [0]))
    >>> pair = BertProcessing(("[SEP]", 2), ("[CLS]", 1)).process(hug, hug)
    >>> pair.tokens, pair.type_ids
    (['[CLS]', 'hug', '[SEP]', 'hug', '[SEP]'], [0, 0, 0, 1, 1])
    """

    sep = token_setting("The separator and its id.")
    cls = token_setting("The classification token and its id.")

    def __init__(self, sep: tuple[str, int], cls_token: tuple[str, int]) -> None:
        """Take the two tokens, each a tuple of a text and an id."""
        self.sep = sep
        self.cls = cls_token

    def added_tokens(self, is_pair: bool) -> int:
        """Return the number of special tokens that are added to a sequence, or to a pair."""
        return 3 if is_pair else 2

    def process_encodings(self, encodings: list[Encoding], add_special_tokens: bool) -> list[Encoding]:
        """Return the sequences with their special tokens."""
        if not add_special_tokens:
            return encodings
        # subtle: a TemplateProcessing before this one in a Sequence may return no part, or several.
        return [
            *(first.surrounded([self.cls], [self.sep], type_id=0, sequence_id=0) for first in encodings[:1]),
            *(other.surrounded([], [self.sep], type_id=1, sequence_id=1) for other in encodings[1:]),
        ]


class RobertaProcessing(PostProcessor):
    """Add <s> before the first sequence, </s> before the second one, and </s> after each.

    >>> hug = Encoding.lazy([7], lambda: (["Ġhug"], [(0, 4)], [0]))
    >>> pair = RobertaProcessing(("</s>", 2), ("<s>", 0), add_prefix_space=False).process(hug, hug)
    >>> pair.tokens, pair.offsets[1]
    (['<s>', 'Ġhug', '</s>', '</s>', 'Ġhug', '</s>'], (1, 4))
    """

    sep = token_setting("The separator and its id.")
    cls = token_setting("The first token and its id.")
    trim_offsets, add_prefix_space = ByteLevel.trim_offsets, ByteLevel.add_prefix_space

    def __init__(
        self, sep: tuple[str, int], cls_token: tuple[str, int], trim_offsets: bool = True, add_prefix_space: bool = True
    ) -> None:
        self.sep = sep
        self.cls = cls_token
        self.trim_offsets = trim_offsets
        self.add_prefix_space = add_prefix_space

    def added_tokens(self, is_pair: bool) -> int:
        """Return the number of special tokens that are added to a sequence, or to a pair."""
        return 4 if is_pair else 2

    def process_encodings(self, encodings: list[Encoding], add_special_tokens: bool) -> list[Encoding]:
        """Return the sequences with their special tokens, type id 0 and trimmed offsets."""
        if self.trim_offsets:
            encodings = [with_trimmed_offsets(encoding, self.add_prefix_space) for encoding in encodings]
        encodings = [encoding.with_type_id(0) for encoding in encodings]
        if not add_special_tokens:
            return encodings  # subtle: encodings that overflow keep their type ids here, as in the library
        zeros = [
            encoding.replaced(overflowing=encoding.mapped(lambda window: window.with_type_id(0)))
            for encoding in encodings
        ]
        return [
            *(first.surrounded([self.cls], [self.sep], type_id=0, sequence_id=0) for first in zeros[:1]),
            *(other.surrounded([self.sep], [self.sep], type_id=0, sequence_id=1) for other in zeros[1:]),
        ]
