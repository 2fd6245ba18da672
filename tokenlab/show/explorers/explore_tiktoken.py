"""Explorer of tiktoken's encoding."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokenlab.show.explorers.controls import TextBox
from tokenlab.show.explorers.explorer import Explorer
from tokenlab.show.explorers.typed_text import check_characters

if TYPE_CHECKING:
    from tokenlab.libraries.tiktoken import Encoding


def explore_tiktoken(text: str, encoding: Encoding) -> Explorer:
    """Explore how tiktoken encodes a text step by step; the text of a special token is encoded as ordinary text."""
    record = encoding.encode.record
    return Explorer(lambda text: record(check_characters(text), disallowed_special=()), text=TextBox("text", text))
