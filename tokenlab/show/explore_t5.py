"""Controls over one head of a T5 at work on the learner's own sentence, and over the map of buckets."""

from __future__ import annotations

from itertools import cycle, islice
from typing import Any

import ipywidgets

from tokenlab.algorithms.bucket_map import bucket_map
from tokenlab.show.explore import _WIDE, Explorer, _short
from tokenlab.steps import Recording

MOST_TOKENS = 64  # in a sentence whose matrices are drawn
LONGEST = 400  # characters that are tokenized at every key press
ALL, WHOLE = "all of them", "as typed"
PRESETS = (1, 2, 8, 9, 10)  # tokens: where faults of masks and buckets begin to show


def explore_t5_attention(text: str, model: Any, tokenizer: Any, target: str = "") -> Explorer:
    """A sentence to type, an attention and a head to choose, and its matrices; bias and mask can be switched off.

    Args:
        text: what the encoder reads at first.
        model: a T5.
        tokenizer: its tokenizer.
        target: what the decoder has to write at first.
    """
    from tokenlab.transformers.record_head import attentions, read_by_decoder, record_head, tokens_of

    sentence = ipywidgets.Text(text, description="sentence", **_WIDE)
    written = ipywidgets.Text(target, description="target", **_WIDE)
    place = ipywidgets.Dropdown(options=attentions(model), description="attention")
    head = ipywidgets.IntSlider(0, 0, model.config.num_heads - 1, description="head")
    length = ipywidgets.Dropdown(options=[WHOLE, *PRESETS], description="tokens")
    query = ipywidgets.Dropdown(options=[ALL], description="queries")
    bias, mask = (ipywidgets.Checkbox(True, description=f"add the {name}") for name in ("bias", "mask"))

    def both() -> tuple[list[int], list[int]]:
        """The ids of sentence and target."""
        ids, others = (
            typed(tokenizer, _short(box.value, LONGEST, "record_head"), name)
            for box, name in ((sentence, "sentence"), (written, "target"))
        )
        return of_length(ids, length.value), of_length(others or ids, length.value) if others or is_preset() else []

    def is_preset() -> bool:
        return bool(length.value != WHOLE)

    def record(place: str, head: int, query: str | None, bias: bool, mask: bool, **_: Any) -> Recording[Any, Any]:
        without = [name for name, is_on in (("bias", bias), ("mask", mask)) if not is_on]
        source, goal = both()
        check_length("sentence", source)
        check_length("target", goal)
        row = None if query in (None, ALL) else query_options().index(str(query)) - 1
        return record_head(model, tokenizer, source, place, head, goal, row, without)

    def query_options() -> list[str]:
        try:
            source, goal = both()
        except ValueError:  # too long: the explorer says so
            return [ALL]
        asking = source if place.value.startswith("encoder") else read_by_decoder(model, goal)
        return [ALL, *(f"{number}: {token}" for number, token in enumerate(tokens_of(tokenizer, asking)))]

    def follow(_: object = None) -> None:
        query.options = query_options()

    follow()
    # subtle: before the explorer looks, so that no query is asked for that the new sentence does not have.
    for control in (sentence, written, place, length):
        control.observe(follow, "value")
    # The decoder's sentence is there where a decoder is.
    written.layout.display = "" if hasattr(model, "decoder") else "none"
    controls = {"text": sentence, "target": written, "place": place, "head": head, "length": length, "query": query}
    # The frame at which it opens has the bias: position is a number that is added.
    return Explorer(record, opened=2, **controls, bias=bias, mask=mask)


def typed(tokenizer: Any, text: str, name: str) -> list[int]:
    """The ids of what was typed.

    Raises:
        ValueError: it is no text, half of a character for example.
    """
    from tokenlab.transformers.record_head import ids_of

    try:
        return ids_of(tokenizer, text, name)
    except RuntimeError as error:  # as sentencepiece says it
        raise ValueError(str(error)) from error


def of_length(ids: list[int], length: int | str) -> list[int]:
    """So many of these ids, from the first on and round again; all of them as they are where no number is given.

    >>> of_length([5, 1], 3), of_length([5, 1], WHOLE)
    ([5, 1, 5], [5, 1])
    """
    return list(islice(cycle(ids), length)) if isinstance(length, int) else ids


def check_length(name: str, ids: list[int]) -> None:
    """Raise a ValueError for a text whose matrices would be too large."""
    if len(ids) > MOST_TOKENS:
        raise ValueError(f"{name} has {len(ids)} tokens, too many for a picture; take {MOST_TOKENS} at the most here")


def check_typed(tokenizer: Any, **texts: str) -> None:
    """Raise a ValueError for what is no text, or too long to follow every key press; an empty one is welcome."""
    for name, given in texts.items():
        check_length(name, typed(tokenizer, _short(given, LONGEST, "record"), name) if given else [])


def explore_t5_buckets(num_buckets: int = 32, max_distance: int = 128) -> Explorer:
    """A number of buckets and a distance to move, and the map of the buckets that follows from them."""
    sizes, distances = sorted({4, 8, 16, 32, 64, num_buckets}), sorted({16, 32, 64, 128, 256, max_distance})
    number = ipywidgets.SelectionSlider(options=sizes, value=num_buckets, description="num_buckets")
    far = ipywidgets.SelectionSlider(options=distances, value=max_distance, description="max_distance")
    stack = ipywidgets.Dropdown(options={"encoder": True, "decoder": False}, description="stack")
    return Explorer(bucket_map.record, opened=-1, bidirectional=stack, num_buckets=number, max_distance=far)
