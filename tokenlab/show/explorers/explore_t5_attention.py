"""Controls for one attention head of a T5 on a typed sentence, and for the relative position buckets."""

from __future__ import annotations

from itertools import cycle, islice
from typing import Any

import ipywidgets

from tokenlab.algorithms.attention.relative_buckets import buckets_by_distance
from tokenlab.show.explorers.explorer import Explorer, check_characters, text_box
from tokenlab.steps.recording import Recording

MOST_TOKENS = 64  # tokens of a sentence whose matrices are shown
LONGEST = 400  # characters of a text that is tokenized at every key press
ALL, WHOLE = "all of them", "as typed"
PRESETS = (1, 2, 8, 9, 10)  # tokens: lengths at which errors in masks and buckets show


def explore_t5_attention(text: str, model: Any, tokenizer: Any, target: str = "") -> Explorer:
    """Explore the matrices of one attention head; the position bias and the mask can be switched off."""
    from tokenlab.traces.t5.trace_attention_head import (
        attention_names,
        decoder_input_ids,
        ids_to_tokens,
        trace_attention_head,
    )

    sentence = text_box("sentence", text)
    written = text_box("target", target)
    place = ipywidgets.Dropdown(options=attention_names(model), description="attention")
    head = ipywidgets.IntSlider(0, 0, model.config.num_heads - 1, description="head")
    length = ipywidgets.Dropdown(options=[WHOLE, *PRESETS], description="tokens")
    query = ipywidgets.Dropdown(options=[ALL], description="queries")
    bias, mask = (ipywidgets.Checkbox(True, description=f"add the {name}") for name in ("bias", "mask"))

    def both() -> tuple[list[int], list[int]]:
        """Return the ids of the sentence and of the target."""
        ids, others = (
            encode_typed_text(tokenizer, check_characters(box.value, LONGEST, "trace_attention_head", name), name)
            for box, name in ((sentence, "sentence"), (written, "target"))
        )
        is_preset = length.value != WHOLE
        goal = repeat_to_length(others or ids, length.value) if others or is_preset else []
        return repeat_to_length(ids, length.value), goal

    def record(place: str, head: int, query: str | None, bias: bool, mask: bool, **_: Any) -> Recording[Any, Any]:
        without = [name for name, is_on in (("bias", bias), ("mask", mask)) if not is_on]
        source, goal = both()
        check_length("sentence", source)
        check_length("target", goal)
        row = None if query in (None, ALL) else query_options().index(str(query)) - 1
        return trace_attention_head(model, tokenizer, source, place, head, goal, row, without)

    def query_options() -> list[str]:
        try:
            source, goal = both()
        except ValueError:  # too long: the explorer says so
            return [ALL]
        asking = source if place.value.startswith("encoder") else decoder_input_ids(model, goal)
        return [ALL, *(f"{number}: {token}" for number, token in enumerate(ids_to_tokens(tokenizer, asking)))]

    def follow(_: object = None) -> None:
        query.options = query_options()

    follow()
    # subtle: registered before the explorer's callback, so the queries are those of the new sentence.
    for control in (sentence, written, place, length):
        control.observe(follow, "value")
    # The target is shown only if the model has a decoder.
    written.layout.display = "" if hasattr(model, "decoder") else "none"
    controls = {"text": sentence, "target": written, "place": place, "head": head, "length": length, "query": query}
    # It opens at the frame in which the position bias is added.
    return Explorer(record, opened=2, **controls, bias=bias, mask=mask)


def encode_typed_text(tokenizer: Any, text: str, name: str) -> list[int]:
    """Return the ids of a typed text.

    Raises:
        ValueError: the text is invalid, for example half of a surrogate pair.
    """
    from tokenlab.traces.t5.trace_attention_head import encode_or_ids

    try:
        return encode_or_ids(tokenizer, text, name)
    except RuntimeError as error:  # raised by sentencepiece
        raise ValueError(str(error)) from error


def repeat_to_length(ids: list[int], length: int | str) -> list[int]:
    """Repeat ids cyclically up to a length; return them unchanged if the length is not a number.

    >>> repeat_to_length([5, 1], 3), repeat_to_length([5, 1], WHOLE)
    ([5, 1, 5], [5, 1])
    """
    return list(islice(cycle(ids), length)) if isinstance(length, int) else ids


def check_length(name: str, ids: list[int]) -> None:
    """Raise a ValueError if the matrices of a text would be too large."""
    if len(ids) > MOST_TOKENS:
        raise ValueError(f"{name} has {len(ids)} tokens, too many to draw; take at most {MOST_TOKENS} here")


def check_typed_text(tokenizer: Any, **texts: str) -> None:
    """Raise a ValueError for a text that is invalid or too long to process at every key press; it may be empty."""
    for name, given in texts.items():
        check_length(
            name, encode_typed_text(tokenizer, check_characters(given, LONGEST, "record", name), name) if given else []
        )


def explore_t5_buckets(num_buckets: int = 32, max_distance: int = 128) -> Explorer:
    """Explore the bucket of each distance for a number of buckets and a maximum distance."""
    sizes, distances = sorted({4, 8, 16, 32, 64, num_buckets}), sorted({16, 32, 64, 128, 256, max_distance})
    number = ipywidgets.SelectionSlider(options=sizes, value=num_buckets, description="num_buckets")
    far = ipywidgets.SelectionSlider(options=distances, value=max_distance, description="max_distance")
    stack = ipywidgets.Dropdown(options={"encoder": True, "decoder": False}, description="stack")
    return Explorer(buckets_by_distance.record, opened=-1, bidirectional=stack, num_buckets=number, max_distance=far)
