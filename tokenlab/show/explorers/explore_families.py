"""Explorer of a text as the tokens of seven families, which learn from the same corpus."""

from __future__ import annotations

from typing import Any

from tokenlab.laboratory.comparison.compare_families import compare_families
from tokenlab.show.explorers.controls import Choice, TextArea
from tokenlab.show.explorers.explorer import Explorer
from tokenlab.show.explorers.typed_text import check_characters
from tokenlab.steps.recording import Recording

LONGEST_COMPARED = 500  # characters of a text


def explore_families(text: str, corpus: str, vocab_size: int = 1000) -> Explorer:
    """Explore the tokens of a text for each family; the player is opened at the last family.

    Args:
        text: the text, which may be changed in the box.
        corpus: the text from which the families learn; `read_corpus` reads your own file.
        vocab_size: the size of the vocabularies.
    """

    def record(text: str, vocab_size: int) -> Recording[Any, Any]:
        checked = check_characters(text, LONGEST_COMPARED, "compare_families")
        return compare_families.record(checked, corpus, vocab_size)

    sizes = sorted({vocab_size, 500, 1000, 2000})
    return Explorer(
        record, opened=-1, text=TextArea("text", text), vocab_size=Choice("vocab_size", sizes, value=vocab_size)
    )
