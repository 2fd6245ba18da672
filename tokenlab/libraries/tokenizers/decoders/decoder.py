"""Decoders, which turn the tokens of a sequence back into text: the base class, custom decoders, and all rules.

Leaves out: ids (`tokenlab.libraries.tokenizers.tokenizer`).

Source: tokenizers 0.23.3, bindings/python/src/decoders.rs, tokenizers/src/decoders, and for `ByteLevel`, `Metaspace`
and `Replace` the files of the same names in tokenizers/src/pre_tokenizers and tokenizers/src/normalizers.
"""

from __future__ import annotations

import re
from collections import abc
from copy import deepcopy
from itertools import groupby
from typing import Any

from tokenlab.algorithms.text.byte_symbols import SYMBOL_TO_BYTE
from tokenlab.libraries.tokenizers.components.arguments import (
    Setting,
    check_bool,
    check_character,
    check_encodable,
    check_text,
    check_unsigned,
)
from tokenlab.libraries.tokenizers.components.component import Component, Custom
from tokenlab.libraries.tokenizers.components.sequence import Items
from tokenlab.libraries.tokenizers.pre_tokenizers.symbols import MetaspaceSettings
from tokenlab.libraries.tokenizers.text.pattern import Regex, find_matches, pattern_setting


class Decoder(Component):
    """A decoder: a function from a list of tokens to a list of parts, whose concatenation is the text."""

    _advice = "one of the decoders, such as WordPiece(), or Decoder.custom(object) with your own decode_chain"

    def decode_chain(self, tokens: list[str]) -> list[str]:
        """Return the parts of the text; a `Sequence` passes them to its next decoder."""
        raise NotImplementedError(f"{type(self).__name__} does not define decode_chain(tokens) -> list[str]")

    def decode(self, tokens: abc.Sequence[str]) -> str:
        """Return the text of these tokens.

        Raises:
            TypeError: `tokens` is not a list or another sequence of str; a single str is refused.
            UnicodeEncodeError: a token has a lone surrogate.
        """
        return "".join(self.decode_chain(check_tokens(tokens)))

    @staticmethod
    def custom(decoder: Any) -> Decoder:
        """Return a decoder that calls `decoder.decode_chain(tokens)`. It cannot be saved or pickled."""
        return CustomDecoder(decoder)


class CustomDecoder(Custom, Decoder):
    """A decoder that calls the `decode_chain` of a user's object.

    >>> class Reversed:
    ...     def decode_chain(self, tokens):
    ...         return tokens[::-1]
    >>> Decoder.custom(Reversed()).decode(["a", "b"])
    'ba'
    """

    _kind = "Decoder"

    def decode_chain(self, tokens: list[str]) -> list[str]:
        """Return what the user's object returns; a ValueError says that it cannot, or that it is no list of str."""
        name = type(self._obj).__name__
        if not hasattr(self._obj, "decode_chain"):
            raise ValueError(f"the custom decoder {name} has no method decode_chain(tokens) -> list[str]; define it")
        parts = self._obj.decode_chain(tokens)
        try:
            return check_tokens(parts)
        except TypeError:
            raise ValueError(
                f"decode_chain of the custom decoder {name} returned {parts!r:.60}; it should return a list of str"
            ) from None


def check_tokens(tokens: Any) -> list[str]:
    """Return a sequence of tokens as a list.

    Raises:
        TypeError: it is not a sequence, it is a single str, or an item is not a str.
        UnicodeEncodeError: a token has a lone surrogate.

    >>> check_tokens("hello")
    Traceback (most recent call last):
    TypeError: tokens='hello' should be a list of str, not a single str; give ['hello']
    """
    if isinstance(tokens, str):
        raise TypeError(f"tokens={tokens!r:.60} should be a list of str, not a single str; give [{tokens!r:.60}]")
    if not isinstance(tokens, abc.Sequence):
        raise TypeError(f"tokens={tokens!r:.60} should be a list of str, not {type(tokens).__name__}")
    checked = list(tokens)
    try:
        check_encodable("".join(checked))
    except (TypeError, UnicodeEncodeError):
        for place, token in enumerate(checked):  # name the one that is wrong
            check_text(f"tokens[{place}]", token)
    return checked


class Sequence(Items[Decoder], Decoder):
    """Give the tokens to the first decoder, and the parts that a decoder returns to the next one.

    >>> Sequence([ByteFallback(), Fuse(), Strip(" ", 1, 0)]).decode([" a", "<0xC3>", "<0xA9>"])
    'aé'
    """

    _kind = Decoder
    _field = "decoders"

    def __init__(self, decoders_py: list[Decoder]) -> None:
        """Copy the decoders: a later change of one of them does not change the sequence.

        Raises:
            TypeError: `decoders_py` is not a list of decoders.
            ValueError: one of them is custom.
        """
        decoders = self._checked(decoders_py)
        for decoder in decoders:
            if isinstance(decoder, CustomDecoder):
                raise ValueError(f"{decoder!r:.100} cannot be part of a Sequence; call its decode_chain yourself")
        self._items = deepcopy(decoders)

    def decode_chain(self, tokens: list[str]) -> list[str]:
        """Return the parts that the last decoder returns."""
        for decoder in self._items:
            tokens = decoder.decode_chain(tokens)
        return tokens


class ByteLevel(Decoder):
    """Decode the concatenated bytes of all tokens as UTF-8, with U+FFFD for invalid bytes.

    The saved fields are those of the pre-tokenizer; they do not change the decoding.

    >>> ByteLevel().decode(["ĠdÃ", "Ńa"])
    ' día'
    """

    add_prefix_space = Setting(check_bool, "Not used.")
    trim_offsets = Setting(check_bool, "Not used.")
    use_regex = Setting(check_bool, "Not used; older versions did not write it.", default=True)

    def __init__(self, **ignored: Any) -> None:
        """Ignore all keyword arguments, as the library does."""
        self.add_prefix_space = self.trim_offsets = self.use_regex = True

    def decode_chain(self, tokens: list[str]) -> list[str]:
        """Return one part: the text."""
        return [b"".join(map(_bytes, tokens)).decode(errors="replace")]


def _bytes(token: str) -> bytes:
    try:
        return bytes(map(SYMBOL_TO_BYTE.__getitem__, token))
    except KeyError:  # subtle: one character that is no byte symbol, and the whole token is read as text
        return token.encode()


class Metaspace(MetaspaceSettings, Decoder):
    """Replace the replacement character by a space, and remove it from the first token.

    With the scheme "never", no space was added to the beginning of the text, so none is removed.

    >>> Metaspace().decode(["▁Hello", "▁wor", "ld"])
    'Hello world'
    >>> Metaspace(prepend_scheme="never").decode(["▁Hello"])
    ' Hello'
    """

    def decode_chain(self, tokens: list[str]) -> list[str]:
        """Return the tokens with spaces."""
        first = " " if self.prepend_scheme == "never" else ""
        return [token.replace(self.replacement, first) for token in tokens[:1]] + [
            token.replace(self.replacement, " ") for token in tokens[1:]
        ]


# subtle: Rust's from_str_radix reads a sign as well, so <0x+A> is the byte 10 in the library.
BYTE_TOKEN = re.compile("<0x([0-9a-fA-F]{2}|[+][0-9a-fA-F])>")


class ByteFallback(Decoder):
    """Replace each run of byte tokens by the characters that the bytes encode.

    If a run is not valid UTF-8, every one of its bytes becomes U+FFFD, also those of complete characters.

    >>> ByteFallback().decode(["<0xC3>", "<0xA9>", "t", "<0xC3>"])
    'ét�'
    """

    def __init__(self) -> None:
        """Take no arguments."""

    def decode_chain(self, tokens: list[str]) -> list[str]:
        """Return the other tokens unchanged, and one part for each valid run of byte tokens."""
        parts: list[str] = []
        for are_bytes, run in groupby(tokens, lambda token: BYTE_TOKEN.fullmatch(token) is not None):
            same_kind = list(run)
            parts += _characters(bytes(int(token[3:5], 16) for token in same_kind)) if are_bytes else same_kind
        return parts


def _characters(data: bytes) -> list[str]:
    try:
        return [data.decode()]
    except UnicodeDecodeError:
        return ["\ufffd"] * len(data)


class Fuse(Decoder):
    """Concatenate all tokens.

    >>> Fuse().decode_chain(["a", "b"])
    ['ab']
    """

    def __init__(self) -> None:
        """Take no arguments."""

    def decode_chain(self, tokens: list[str]) -> list[str]:
        """Return one part: the text."""
        return ["".join(tokens)]


class Strip(Decoder):
    """Remove at most `start` characters `content` from the left of each token, and at most `stop` from the right.

    >>> Strip("_", left=1).decode_chain(["_a", "__a", "a"])
    ['a', '_a', 'a']
    """

    content = Setting(check_character, "The character that is removed.")
    start = Setting(check_unsigned, "The largest number of characters that are removed from the left.")
    stop = Setting(check_unsigned, "The largest number of characters that are removed from the right.")

    def __init__(self, content: str = " ", left: int = 0, right: int = 0) -> None:
        """Take the settings, which are attributes named `content`, `start` and `stop`."""
        self.content = content
        self.start = left
        self.stop = right

    def decode_chain(self, tokens: list[str]) -> list[str]:
        """Return the shorter tokens; a token that is too short raises a ValueError, where the library panics."""
        return [self._stripped(token) for token in tokens]

    def _stripped(self, token: str) -> str:
        size = len(token)
        start = min(self.start, size - len(token.lstrip(self.content)))
        removed = size - len(token.rstrip(self.content))
        end = size - min(self.stop, removed)
        # subtle: the library looks at a character before the first one if it runs out of characters to remove.
        if start > end or (removed == size and self.stop > size):
            raise ValueError(
                f"the decoder {self!r} cannot remove start={self.start} and stop={self.stop} characters from the token "
                f"{token!r:.60}, which has {size}; choose smaller numbers"
            )
        return token[start:end]


class Replace(Decoder):
    """Replace every match of a pattern in each token.

    >>> Replace("▁", " ").decode(["▁Hello", "▁world"])
    ' Hello world'
    """

    _pattern = pattern_setting()
    _content = Setting(check_text, "The text in place of each match.", field="content")

    def __init__(self, pattern: str | Regex, content: str) -> None:
        """Take the pattern, and the text in place of each match."""
        self._pattern = pattern
        self._content = check_text("content", content)

    def decode_chain(self, tokens: list[str]) -> list[str]:
        """Return the tokens with the replacements."""
        # subtle: the library compiles a str pattern as well, so an empty one matches between all characters.
        pattern, content = self._pattern or Regex(""), self._content
        if isinstance(pattern, str):
            return [token.replace(pattern, content) for token in tokens]
        found = [(token, find_matches(pattern, token)) for token in tokens]
        return [
            "".join(content if is_match else token[start:end] for (start, end), is_match in parts)
            for token, parts in found
        ]


class BPEDecoder(Decoder):
    """Replace the suffix that ends a word by a space; in the last token, remove it.

    >>> BPEDecoder().decode(["un", "like</w>", "me</w>"])
    'unlike me'
    """

    suffix = Setting(check_text, "The suffix that ends a word.")

    def __init__(self, suffix: str = "</w>") -> None:
        self.suffix = suffix

    def decode_chain(self, tokens: list[str]) -> list[str]:
        """Return the tokens with spaces in place of the suffixes."""
        return [token.replace(self.suffix, " ") for token in tokens[:-1]] + [
            token.replace(self.suffix, "") for token in tokens[-1:]
        ]


# Applied one after another. subtle: " do not" becomes " don't", so not every text survives encoding and decoding;
# transformers' clean_up_tokenization has the same rules without this one.
CLEAN_UP_RULES = (
    *((" .", "."), (" ?", "?"), (" !", "!"), (" ,", ","), (" ' ", "'"), (" n't", "n't"), (" 'm", "'m")),
    *((" do not", " don't"), (" 's", "'s"), (" 've", "'ve"), (" 're", "'re")),
)


def clean_up(text: str) -> str:
    """Remove spaces before English punctuation and contractions.

    >>> clean_up("I do not know , it 's late .")
    "I don't know, it's late."
    """
    for spaced, close in CLEAN_UP_RULES:
        text = text.replace(spaced, close)
    return text


class WordPiece(Decoder):
    """Remove the prefix of tokens inside a word, and write a space before the other tokens.

    >>> WordPiece().decode(["un", "##aff", "##able", "!"])
    'unaffable!'
    """

    prefix = Setting(check_text, "The prefix of a token inside a word.")
    cleanup = Setting(check_bool, "Whether spaces before English punctuation and contractions are removed.")

    def __init__(self, prefix: str = "##", cleanup: bool = True) -> None:
        """Take the settings; the clean-up is within each part."""
        self.prefix = prefix
        self.cleanup = cleanup

    def decode_chain(self, tokens: list[str]) -> list[str]:
        """Return one part for each token; the first one keeps its prefix."""
        parts = tokens[:1] + [self._continued(token) for token in tokens[1:]]
        return [clean_up(part) for part in parts] if self.cleanup else parts

    def _continued(self, token: str) -> str:
        return token[len(self.prefix) :] if token.startswith(self.prefix) else f" {token}"


class CTC(Decoder):
    """Merge repeated tokens, remove the padding token, and write a space for the word delimiter.

    A doubled letter therefore needs a padding token between its two time steps.

    >>> CTC().decode(["h", "i", "i", "|", "a", "<pad>", "a"])
    'hi aa'
    """

    pad_token = Setting(check_text, "The text that is removed from each token.")
    word_delimiter_token = Setting(check_text, "The text that becomes a space; only with `cleanup`.")
    cleanup = Setting(check_bool, "Whether spaces before English punctuation and contractions are removed.")

    def __init__(self, pad_token: str = "<pad>", word_delimiter_token: str = "|", cleanup: bool = True) -> None:
        self.pad_token = pad_token
        self.word_delimiter_token = word_delimiter_token
        self.cleanup = cleanup

    def decode_chain(self, tokens: list[str]) -> list[str]:
        """Return the distinct tokens as text, without empty parts."""
        parts = (token.replace(self.pad_token, "") for token, _ in groupby(tokens))
        if self.cleanup:
            parts = (clean_up(part).replace(self.word_delimiter_token, " ") for part in parts)
        return [part for part in parts if part]
