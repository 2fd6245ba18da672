"""Controls over one head of a T5 at work on the learner's own sentence, and over the map of buckets."""

from __future__ import annotations

from typing import Any

import ipywidgets

from tokenlab.algorithms.bucket_map import bucket_map
from tokenlab.show.explore import _WIDE, Explorer, _short
from tokenlab.steps import Recording

MOST_TOKENS = 64  # in a sentence whose matrices are drawn
LONGEST = 400  # characters that are tokenized at every key press
ALL = "all of them"


def explore_t5_attention(text: str, model: Any, tokenizer: Any, target: str = "") -> Explorer:
    """A sentence to type, an attention and a head to choose, and its matrices; bias and mask can be switched off.

    Args:
        text: what the encoder reads at first.
        model: a T5.
        tokenizer: its tokenizer.
        target: what the decoder has to write at first.
    """
    from tokenlab.transformers.record_head import attentions, record_head

    sentence = ipywidgets.Text(text, description="sentence", **_WIDE)
    written = ipywidgets.Text(target, description="target", **_WIDE)
    place = ipywidgets.Dropdown(options=attentions(model), description="attention")
    head = ipywidgets.IntSlider(0, 0, model.config.num_heads - 1, description="head")
    query = ipywidgets.Dropdown(options=[ALL], description="queries")
    bias, mask = (ipywidgets.Checkbox(True, description=f"add the {name}") for name in ("bias", "mask"))

    def record(
        text: str, target: str, place: str, head: int, query: str | None, bias: bool, mask: bool
    ) -> Recording[Any, Any]:
        without = [name for name, is_on in (("bias", bias), ("mask", mask)) if not is_on]
        for name, given in (("sentence", text), ("target", target)):
            check_length(tokenizer, name, _short(given, LONGEST, "record_head"))
        row = None if query in (None, ALL) else options_of(place).index(str(query)) - 1
        return record_head(model, tokenizer, text, place, head, target, row, without)

    def options_of(place: str) -> list[str]:
        reads = sentence.value if place.startswith("encoder") else written.value
        return [ALL, *queries_of(model, tokenizer, reads, place.startswith("decoder"))]

    def follow(_: object = None) -> None:
        query.options = options_of(place.value)

    follow()
    # subtle: before the explorer looks, so that no query is asked for that the new sentence does not have.
    for control in (sentence, written, place):
        control.observe(follow, "value")
    # The decoder's sentence is there where a decoder is.
    written.layout.display = "" if hasattr(model, "decoder") else "none"
    controls = {"text": sentence, "target": written, "place": place, "head": head, "query": query}
    # The frame at which it opens has the bias: position is a number that is added.
    return Explorer(record, opened=2, **controls, bias=bias, mask=mask)


def queries_of(model: Any, tokenizer: Any, text: str, of_decoder: bool) -> list[str]:
    """A line for each position that asks: its number and its token."""
    from tokenlab.transformers.record_head import ids_of, read_by_decoder, tokens_of

    if len(text) > LONGEST:
        return []
    ids = ids_of(tokenizer, text, "target" if of_decoder else "text")
    read = read_by_decoder(model, ids) if of_decoder else ids
    return [f"{number}: {token}" for number, token in enumerate(tokens_of(tokenizer, read))]


def check_length(tokenizer: Any, name: str, text: str) -> None:
    """Raise a ValueError for a text whose matrices would be too large."""
    tokens = len(tokenizer(text)["input_ids"])
    if tokens > MOST_TOKENS:
        raise ValueError(f"{name} has {tokens} tokens, too many for a picture; take {MOST_TOKENS} at the most here")


def explore_t5_buckets(num_buckets: int = 32, max_distance: int = 128) -> Explorer:
    """A number of buckets and a distance to move, and the map of the buckets that follows from them."""
    sizes, distances = sorted({4, 8, 16, 32, 64, num_buckets}), sorted({16, 32, 64, 128, 256, max_distance})
    number = ipywidgets.SelectionSlider(options=sizes, value=num_buckets, description="num_buckets")
    far = ipywidgets.SelectionSlider(options=distances, value=max_distance, description="max_distance")
    stack = ipywidgets.Dropdown(options={"encoder": True, "decoder": False}, description="stack")
    return Explorer(bucket_map.record, opened=-1, bidirectional=stack, num_buckets=number, max_distance=far)
