"""Explorer of the tokens of published tokenizers: choose one of 120 texts, and predict which tokenizer needs fewest."""

from __future__ import annotations

from collections.abc import Sequence

from tokenlab.laboratory.real_tokenizers import compare_real_tokenizers, texts
from tokenlab.printing.printable import printable
from tokenlab.show.explorers.controls import Choice
from tokenlab.show.explorers.explorer import Explorer

LONGEST = 40  # characters of a text in the list


def explore_real_tokenizers(name: str = "English", tokenizers: Sequence[str] | None = None) -> Explorer:
    """Explore a text as the tokens of published tokenizers; the list has 120 texts."""
    options = [
        (f"{group} · {one}: {printable(text).replace('␣', ' ')[:LONGEST]}", one)
        for group, named in texts().items()
        for one, text in named.items()
    ]
    chosen = Choice("text", options, name)
    chosen.wide = True
    return Explorer(lambda name: compare_real_tokenizers.record(name, tokenizers and tuple(tokenizers)), name=chosen)
