"""The base of post-processors, and checks of their settings."""

from __future__ import annotations

from typing import Any

from tokenlab.libraries.tokenizers.components.arguments import (
    UNSIGNED_32,
    Setting,
    check_bool,
    check_text,
    check_unsigned,
)
from tokenlab.libraries.tokenizers.components.component import Component
from tokenlab.libraries.tokenizers.encodings.encoding import Encoding


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
    return check_text(f"the token of {name}", value[0]), check_unsigned(f"the id of {name}", value[1], UNSIGNED_32)


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
