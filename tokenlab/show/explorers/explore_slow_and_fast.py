"""The explorer of lesson 12: one call of a slow and of a fast tokenizer, with a text and options of your own."""

from __future__ import annotations

from functools import cache
from typing import Any

import ipywidgets

from tokenlab.show.explorers.explorer import Explorer, check_characters, int_slider, text_box
from tokenlab.show.explorers.slow_and_fast_pairs import SMALL_TOKENIZERS, small_tokenizers
from tokenlab.steps.recording import Recording
from tokenlab.traces.tokenization.trace_tokenizer_call import trace_tokenizer_call

LONGEST = 300  # characters of a text
TRUNCATION = {"no": False, "longest_first": True, "only_first": "only_first", "only_second": "only_second"}
PADDING = {"no": False, "longest": True, "max_length": "max_length"}
SPECIAL = {"BERT": "[MASK]", "GPT-2": "<|endoftext|>", "RoBERTa": "<mask>", "T5": "<extra_id_0>"}
pair_of = cache(small_tokenizers)  # a pair for each family, which a call does not change


def explore_slow_and_fast(
    text: str,
    pair: str = "",
    family: str = "BERT",
    truncation: str = "longest_first",
    padding: str = "max_length",
    max_length: int = 12,
) -> Explorer:
    """Explore one call of a slow and a fast tokenizer; the player is opened at the first stage where they differ.

    Args:
        text: the text. If the family changes, its mask or sentinel is replaced by that of the other family.
        pair: a second text; empty for none.
        family: BERT, GPT-2, RoBERTa or T5.
        truncation: no, longest_first, only_first or only_second.
        padding: no, longest or max_length.
        max_length: the largest number of tokens, for truncation and padding.
    """
    box, families = (
        text_box("text", text),
        ipywidgets.Dropdown(options=list(SMALL_TOKENIZERS), value=family, description="family"),
    )

    def follow(change: Any) -> None:
        box.value = box.value.replace(SPECIAL[change["old"]], SPECIAL[change["new"]])

    families.observe(follow, "value")  # before the explorer's callback, so the text fits the family first
    return Explorer(
        _record,
        opened=first_difference,
        family=families,
        text=box,
        pair=text_box("pair", pair),
        truncation=ipywidgets.Dropdown(options=list(TRUNCATION), value=truncation, description="truncation"),
        padding=ipywidgets.Dropdown(options=list(PADDING), value=padding, description="padding"),
        max_length=int_slider("max_length", max_length, 1, 40),
    )


def first_difference(recording: Recording[Any, Any]) -> int:
    """Return the frame of the first stage where slow and fast differ, or else of the last stage."""
    differing = (number for number, stage in enumerate(recording, start=1) if stage.agree is False)
    return next(differing, len(recording))


def _record(family: str, text: str, pair: str, truncation: str, padding: str, max_length: int) -> Recording[Any, Any]:
    for name, given in (("text", text), ("pair", pair)):
        check_characters(given, LONGEST, "the tokenizer", name)
    options: dict[str, Any] = {"truncation": TRUNCATION[truncation], "padding": PADDING[padding]}
    if truncation != "no" or padding == "max_length":
        options["max_length"] = max_length
    return trace_tokenizer_call.record(*pair_of(family), text, pair or None, options)
