"""`Detokenizer`: ids come one by one, and their text comes out as soon as nothing that follows can change it.

Adds: what holds for any tokenizer with a `decode`: a character of several tokens is held until it is whole, and so is
what the next token may move, by a blank that it takes away or brings.
Leaves out: bytes, where tokens have them (`tokenlab.algorithms.held_bytes`), and speed: all ids are decoded each time.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable
from typing import Any

TORN = "\N{REPLACEMENT CHARACTER}"  # what `decode` writes for bytes that are no whole character
LONGEST = 4  # bytes of one character: a torn one is whole, or will never be, when three more tokens have come
# How a text ends from which `clean_up_tokenization` may yet take a blank, such as that before "n't".
# subtle: possessive (++, *+), and from the first blank of a run: at every token it is tried, and not with all splits.
MAY_MOVE = re.compile(r"((?<! ) ++n?+ *+'?+ *+[rv]?+ *+|')\Z")


class Detokenizer:
    r"""Ids go in, and text comes out; all that came out is the `decode` of all ids.

    Args:
        tokenizer: one with a `decode`.
        decode_kwargs: its further arguments, as skip_special_tokens=True.

    >>> from tokenlab.tiktoken.own_files import encoding_of
    >>> from tokenlab import data
    >>> encoding = encoding_of(data.FOLDER / "small.tiktoken")
    >>> detokenizer = Detokenizer(encoding)
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
        self.unseen: frozenset[int] = frozenset(special if skips else ())
        self.special: list[int] = [] if skips else list(special[:1])
        self._begin()

    def _begin(self) -> None:
        self.ids: list[int] = []
        self.shown = 0  # characters that came out
        self.lengths: deque[int] = deque(maxlen=LONGEST)  # of the text, after each of the last puts

    @property
    def held(self) -> str:
        """What is not certain yet, as it would be shown if nothing more came."""
        return self._text(self.ids)[self.shown :]

    def put(self, ids: Iterable[int]) -> str:
        """What is certain now, and was not before."""
        ids = [id for id in ids if id not in self.unseen]
        if not ids:
            return ""
        self.ids += ids
        text = self._text(self.ids)
        self.lengths.append(len(text))
        fresh = text[self.shown : self._certain(text)]
        self.shown += len(fresh)
        return fresh

    def end(self) -> str:
        """The rest, whatever it is; the next text may begin."""
        rest = self.held
        self._begin()
        return rest

    def _text(self, ids: list[int]) -> str:
        return str(self.tokenizer.decode(ids, **self.decode_kwargs)) if ids else ""

    def _certain(self, text: str) -> int:
        """How many characters will stay as they are."""
        # subtle: a torn character looks like one that the text really holds; but no tear outlives three more tokens.
        long_there = min(self.lengths) if len(self.lengths) == LONGEST else 0
        whole = max(len(text.rstrip(TORN)), long_there)
        moving = MAY_MOVE.search(text) if self.cleans else None
        if self.special:
            # subtle: a T5's special token puts a blank before all that stands between it and the one before.
            whole = min(whole, common(text, self._text(self.ids + self.special)))
        return min(whole, moving.start()) if moving else whole


def common(left: str, right: str) -> int:
    """How many characters two texts have in common at their beginnings.

    >>> common("ab c", "abc"), common("ab", "abc")
    (2, 2)
    """
    shorter = min(len(left), len(right))
    return next((place for place in range(shorter) if left[place] != right[place]), shorter)
