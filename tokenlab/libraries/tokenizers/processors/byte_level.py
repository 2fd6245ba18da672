"""`ByteLevel`: removes the spaces at the ends of byte-level tokens from their offsets.

Adds: `trim_offsets`, the rule for one token; `ByteLevel`, which applies it to all.

Source: tokenizers, src/pre_tokenizers/byte_level.rs (`process_offsets`).
"""

from __future__ import annotations

from typing import Any

from tokenlab.algorithms.pipeline.unicode_versions import WHITESPACE
from tokenlab.algorithms.text.byte_symbols import BYTE_TO_SYMBOL
from tokenlab.libraries.tokenizers.components.arguments import Setting, check_bool
from tokenlab.libraries.tokenizers.encodings.encoding import Encoding
from tokenlab.libraries.tokenizers.encodings.encoding_columns import Lazy
from tokenlab.libraries.tokenizers.processors.post_processor import PostProcessor
from tokenlab.libraries.tokenizers.spans import Details, Span

SPACES = WHITESPACE + BYTE_TO_SYMBOL[ord(" ")]


class ByteLevel(PostProcessor):
    """Trim the offsets of byte-level tokens. No special tokens are added.

    >>> my = Encoding.lazy([7, 8], lambda: (["My", "Ġname"], [(0, 2), (2, 7)], [0, 1]))
    >>> ByteLevel().process(my).offsets
    [(0, 2), (3, 7)]
    """

    add_prefix_space = Setting(check_bool, "Whether the pre-tokenizer inserted a space at the start.")
    trim_offsets = Setting(check_bool, "Whether to remove spaces from the offsets.")
    use_regex = Setting(check_bool, "Used only by the pre-tokenizer of the same name.", default=True)

    def __init__(
        self,
        add_prefix_space: bool | None = None,
        trim_offsets: bool | None = None,
        use_regex: bool | None = None,
        **_kwargs: Any,
    ) -> None:
        """Keep the settings; None is True, and other names are ignored.

        Args:
            add_prefix_space: keep one space of the first token, which the pre-tokenizer inserted.
            trim_offsets: remove spaces at both ends of a token from its offsets.
            use_regex: no effect; the field exists because the pre-tokenizer of the same name is saved alike.

        Raises:
            TypeError: a setting is not a bool.
        """
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
        return (
            tokens,
            [trim_offsets(token, span, place == 0, add_prefix_space) for place, (token, span) in pairs],
            words,
        )

    def trimmed(encoding: Encoding) -> Encoding:
        return encoding.replaced(details=Lazy(trim, encoding._details))

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
