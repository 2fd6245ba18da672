"""The explorer of lesson 23: a typed text as the tokens of seven families."""

from __future__ import annotations

import ipywidgets

from tokenlab.laboratory.comparison.compare_families import compare_families
from tokenlab.show.explorers.explorer import Explorer, check_characters, text_area

LONGEST = 500  # characters of a text


def explore_families(text: str, corpus: str, vocab_size: int = 1000) -> Explorer:
    """Explore the tokens of a text for each family; the player is opened at the last family.

    Args:
        text: the text, which may be changed in the box.
        corpus: the text from which the families learn; `read_corpus` reads your own file.
        vocab_size: the size of the vocabularies.
    """
    sizes = sorted({vocab_size, 500, 1000, 2000})
    return Explorer(
        lambda text, vocab_size: compare_families.record(
            check_characters(text, LONGEST, "compare_families"), corpus, vocab_size
        ),
        opened=-1,
        text=text_area("text", text),
        vocab_size=ipywidgets.Dropdown(options=sizes, value=vocab_size, description="vocab_size"),
    )
