"""`IncrementalDetokenizer`: return the text of a growing sequence of ids as soon as later ids cannot change it.

Adds: a method for any tokenizer with a `decode`. A character of several tokens is pending until it is complete, and so
is text that the next token may move by removing or inserting a space.
Leaves out: tokens that are byte strings (`tokenlab.algorithms.decoding.incremental_utf8`), and speed: all ids are
decoded each time.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable
from typing import Any

REPLACEMENT_CHARACTER = "\N{REPLACEMENT CHARACTER}"  # the text that `decode` returns for an incomplete character
MAX_BYTES = 4  # bytes of one character: after three more tokens it is complete, or never will be
# Ends of a text from which `clean_up_tokenization` may still remove a space, such as the one before "n't".
# subtle: possessive (++, *+) and anchored at the first space of a run, because it runs at every token.
UNSTABLE_CHARACTERS = re.compile(r"((?<! ) ++n?+ *+'?+ *+[rv]?+ *+|')\Z")


class IncrementalDetokenizer:
    r"""Decode ids step by step; the returned parts together are the `decode` of all ids.

    Args:
        tokenizer: an object with a `decode`.
        decode_kwargs: its further arguments, such as skip_special_tokens=True.

    >>> from tokenlab.libraries.tiktoken.registry import load_local_encoding
    >>> from tokenlab import data
    >>> encoding = load_local_encoding(data.FOLDER / "small.tiktoken")
    >>> detokenizer = IncrementalDetokenizer(encoding)
    >>> [detokenizer.put([id]) for id in encoding.encode("é🙂")], detokenizer.end()
    (['', 'é', '', '', '', '🙂'], '')
    """

    def __init__(self, tokenizer: Any, **decode_kwargs: Any) -> None:
        self.tokenizer = tokenizer
        self.decode_kwargs = decode_kwargs
        cleans = decode_kwargs.get("clean_up_tokenization_spaces", True)
        self.cleans = cleans and hasattr(tokenizer, "clean_up_tokenization")
        skips = decode_kwargs.get("skip_special_tokens", False)
        special = getattr(tokenizer, "all_special_ids", ())
        self.skipped: frozenset[int] = frozenset(special if skips else ())
        self.special: list[int] = [] if skips else list(special[:1])
        self._begin()

    def _begin(self) -> None:
        self.ids: list[int] = []
        self.shown = 0  # characters that were returned
        self.lengths: deque[int] = deque(maxlen=MAX_BYTES)  # lengths of the text after each of the last puts

    @property
    def pending_text(self) -> str:
        """The text that later ids may still change, as `end` would return it now."""
        return self._text(self.ids)[self.shown :]

    def put(self, ids: Iterable[int]) -> str:
        """Add ids; return the text that has become certain."""
        ids = [id for id in ids if id not in self.skipped]
        if not ids:
            return ""
        self.ids += ids
        text = self._text(self.ids)
        self.lengths.append(len(text))
        new = text[self.shown : self._stable_length(text)]
        self.shown += len(new)
        return new

    def end(self) -> str:
        """Return the pending text, and start a new text."""
        rest = self.pending_text
        self._begin()
        return rest

    def _text(self, ids: list[int]) -> str:
        return str(self.tokenizer.decode(ids, **self.decode_kwargs)) if ids else ""

    def _stable_length(self, text: str) -> int:
        """Return the number of characters that later ids cannot change."""
        # subtle: an incomplete character looks like a real U+FFFD, but is completed within three more tokens.
        old_length = min(self.lengths) if len(self.lengths) == MAX_BYTES else 0
        stable = max(len(text.rstrip(REPLACEMENT_CHARACTER)), old_length)
        moving = UNSTABLE_CHARACTERS.search(text) if self.cleans else None
        if self.special:
            # subtle: a special token of T5 inserts a space before the text between it and the previous one.
            stable = min(stable, common_prefix_length(text, self._text(self.ids + self.special)))
        return min(stable, moving.start()) if moving else stable


def common_prefix_length(left: str, right: str) -> int:
    """Return the length of the longest common prefix of two texts.

    >>> common_prefix_length("ab c", "abc"), common_prefix_length("ab", "abc")
    (2, 2)
    """
    shorter = min(len(left), len(right))
    return next((index for index in range(shorter) if left[index] != right[index]), shorter)
