"""Explorer of the encoding of a SubwordTextEncoder."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokenlab.show.explorers.controls import TextBox
from tokenlab.show.explorers.explorer import Explorer
from tokenlab.show.explorers.typed_text import check_characters

if TYPE_CHECKING:
    from tokenlab.libraries.tensor2tensor.text_encoder import SubwordTextEncoder


def explore_subword_text(text: str, encoder: SubwordTextEncoder) -> Explorer:
    """Explore how a SubwordTextEncoder encodes a text: tokens, escaped tokens, subtokens and ids."""
    box = TextBox("text", text)
    return Explorer(lambda text: encoder.encode.record(check_characters(text, whole="encode")), opened=-1, text=box)
