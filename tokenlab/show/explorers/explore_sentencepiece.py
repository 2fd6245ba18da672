"""Explorers of SentencePiece: the encoding of a text, and what decoding gives back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tokenlab.show.explorers.controls import TextBox
from tokenlab.show.explorers.explorer import Explorer
from tokenlab.show.explorers.typed_text import LONGEST_WORD, check_characters

if TYPE_CHECKING:
    from tokenlab.libraries.sentencepiece import SentencePieceProcessor


def explore_round_trip(text: str, processor: Any) -> Explorer:
    """Explore encoding and decoding with a SentencePiece processor of this kit or the library."""
    from tokenlab.libraries.sentencepiece.encode_steps import round_trip

    box = TextBox("text", text)
    return Explorer(lambda text: round_trip.record(check_characters(text), processor), opened=-1, text=box)


def explore_sentencepiece(text: str, processor: SentencePieceProcessor) -> Explorer:
    """Explore how a SentencePiece model encodes a text, step by step."""
    box = TextBox("text", text)
    return Explorer(lambda text: processor.encode.record(check_characters(text, LONGEST_WORD, "encode")), text=box)
