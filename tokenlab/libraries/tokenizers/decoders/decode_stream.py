"""Decode ids one by one, and return text as soon as later ids cannot change it.

Adds: `DecodeStream`. Leaves out: bytes (`tokenlab.algorithms.decoding.incremental_utf8`): the decoder of a tokenizer
may do anything, so the stream decodes the last few ids again at every step, and compares texts.

Source: tokenizers 0.23.3, tokenizers/src/tokenizer/mod.rs (step_decode_stream).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from tokenlab.libraries.tokenizers.components.arguments import check_bool, check_unsigned_32

INCOMPLETE = "\ufffd"  # at the end of a text: perhaps the beginning of a character


class CanDecode(Protocol):
    """An object that returns the text of ids, such as `Tokenizer`."""

    def decode(self, ids: list[int], skip_special_tokens: bool = ...) -> str:
        """Return the text of some ids."""
        ...


class DecodeStream:
    """The state of incremental decoding.

    The stream keeps the ids of the last text that it returned. A step decodes them together with the new ids, and
    returns what follows the last text: a word may decode differently at the beginning of a sequence.

    >>> class Letters:
    ...     def decode(self, ids, skip_special_tokens=True):
    ...         return bytes(ids).decode(errors="replace")
    >>> stream = DecodeStream()
    >>> [stream.step(Letters(), id) for id in "né!".encode()]
    ['n', None, 'é', '!']
    """

    __slots__ = ("_ids", "_prefix", "_prefix_ids", "_skip")

    def __init__(self, ids: Sequence[int] | None = None, skip_special_tokens: bool | None = False) -> None:
        """Start a stream.

        Args:
            ids: the ids of text that is already shown, such as a prompt; no step returns it.
            skip_special_tokens: leave special tokens out of the text.
        """
        self._ids = [] if ids is None else _check_ids(ids)
        self._skip = skip_special_tokens is not None and check_bool("skip_special_tokens", skip_special_tokens)
        self._prefix = ""  # the text of the first ids, which was returned before
        self._prefix_ids = 0  # their number

    def step(self, tokenizer: CanDecode, id: int | Sequence[int]) -> str | None:
        """Add an id, or several; return the new text, or None if it may still be incomplete.

        Args:
            tokenizer: any object with `decode(ids, skip_special_tokens=...)`.
            id: the next id, or a list of ids.

        Raises:
            TypeError: `tokenizer` cannot decode, or `id` is neither an id nor a list of ids.
            ValueError: with the new ids, the earlier ids decode to another text, so the stream cannot continue.
        """
        if not hasattr(tokenizer, "decode") or isinstance(tokenizer, (str, bytes)):
            raise TypeError(f"tokenizer={tokenizer!r:.60} should be a Tokenizer, not {type(tokenizer).__name__}")
        new_ids = _check_step(id)
        if not self._prefix and self._ids:
            text = self._decode(tokenizer)
            if not text.endswith(INCOMPLETE):
                self._prefix, self._prefix_ids = text, len(self._ids)
        self._ids += new_ids
        text = self._decode(tokenizer)
        # subtle: the lengths are of the UTF-8 bytes, as in Rust.
        if text.endswith(INCOMPLETE) or len(text.encode()) <= len(self._prefix.encode()):
            return None
        if not text.startswith(self._prefix):
            raise ValueError(
                f"Invalid prefix encountered while decoding stream: the text returned before was {self._prefix!r}, and "
                f"with the id {self._ids[-1]} it became {text!r}; the decoder changes earlier text, so decode all ids "
                "at once"
            )
        returned = len(self._ids) - self._prefix_ids
        new_text = text[len(self._prefix) :]
        del self._ids[: self._prefix_ids]
        self._prefix = self._decode(tokenizer)
        self._prefix_ids = returned
        return new_text

    def _decode(self, tokenizer: Any) -> str:
        return str(tokenizer.decode(self._ids, skip_special_tokens=self._skip))

    def __copy__(self) -> DecodeStream:
        copied = DecodeStream(self._ids, self._skip)
        copied._prefix, copied._prefix_ids = self._prefix, self._prefix_ids
        return copied

    def __deepcopy__(self, memo: dict[int, Any]) -> DecodeStream:
        return self.__copy__()


def _check_ids(ids: Any) -> list[int]:
    if isinstance(ids, str) or not isinstance(ids, Sequence):
        raise TypeError(f"ids={ids!r:.60} should be a list of integers, not {type(ids).__name__}")
    return [check_unsigned_32("an id", number) for number in ids]


def _check_step(id: Any) -> list[int]:
    try:
        return _check_ids(id if isinstance(id, (str, Sequence)) else [id])
    except (TypeError, OverflowError):
        raise TypeError(
            f"id={id!r:.60} should be either an integer or a list of integers from 0 to 2**32 - 1"
        ) from None
