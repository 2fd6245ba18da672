"""Controls for a T5: one attention head, relative position buckets, the walk through all blocks, shapes, losses."""

from __future__ import annotations

from itertools import cycle, islice
from typing import TYPE_CHECKING, Any

from tokenlab.algorithms.attention.relative_buckets import buckets_by_distance
from tokenlab.show.explorers.controls import Checkbox, Choice, IntSlider, SelectionSlider, TextBox
from tokenlab.show.explorers.explorer import Explorer
from tokenlab.show.explorers.known_sentence import sentence_box
from tokenlab.show.explorers.typed_text import (
    LONGEST_TYPED,
    check_characters,
    check_length,
    check_typed_text,
    encode_typed_text,
)
from tokenlab.steps.recording import Recording

if TYPE_CHECKING:
    from tokenlab.libraries.transformers import T5Config

ALL, WHOLE = "all of them", "as typed"
PRESETS = (1, 2, 8, 9, 10)  # tokens: lengths at which errors in masks and buckets show
FULL_LENGTH = "as long as it is"
LENGTHS: list[str | int] = [FULL_LENGTH, 1, 2, 8, 9, 10, 12, 16]  # 1 has no other position; 9 and 10 differ in buckets
_ROWS = {"source": "source row", "target": "target row"}
_V1_0 = {"t5-small": (512, 64, 2048, 6, 8), "t5-base": (768, 64, 3072, 12, 12), "t5-11b": (1024, 128, 65536, 24, 128)}
_V1_1 = {"t5-v1_1-small": (512, 64, 1024, 8, 6), "t5-v1_1-xxl": (4096, 64, 10240, 24, 64)}


def explore_t5_attention(text: str, model: Any, tokenizer: Any, target: str = "") -> Explorer:
    """Explore the matrices of one attention head; the position bias and the mask can be switched off."""
    from tokenlab.traces.t5.trace_attention_head import (
        attention_names,
        decoder_input_ids,
        ids_to_tokens,
        trace_attention_head,
    )

    sentence = sentence_box("sentence", text, tokenizer)
    written = TextBox("target", target)
    place = Choice("attention", attention_names(model))
    head = IntSlider("head", 0, 0, model.config.num_heads - 1)
    length = Choice("tokens", [WHOLE, *PRESETS])
    query = Choice("queries", [ALL])
    bias, mask = (Checkbox(f"add the {name}") for name in ("bias", "mask"))

    def both() -> tuple[list[int], list[int]]:
        """Return the ids of the sentence and of the target."""
        ids, others = (
            encode_typed_text(tokenizer, check_characters(box.value, LONGEST_TYPED, "trace_attention_head", name), name)
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

    def follow(*_: object) -> None:
        query.options = query_options()

    follow()
    # subtle: registered before the explorer's callback, so the queries are those of the new sentence.
    for control in (sentence, written, place, length):
        control.observe(follow)
    # The target is shown only if the model has a decoder.
    written.shown = hasattr(model, "decoder")
    controls: dict[str, Any] = {"text": sentence, "target": written, "place": place, "head": head}
    controls |= {"length": length, "query": query}
    # It opens at the frame in which the position bias is added.
    return Explorer(record, opened=2, **controls, bias=bias, mask=mask)


def repeat_to_length(ids: list[int], length: int | str) -> list[int]:
    """Repeat ids cyclically up to a length; return them unchanged if the length is not a number.

    >>> repeat_to_length([5, 1], 3), repeat_to_length([5, 1], WHOLE)
    ([5, 1, 5], [5, 1])
    """
    return list(islice(cycle(ids), length)) if isinstance(length, int) else ids


def explore_t5_buckets(num_buckets: int = 32, max_distance: int = 128) -> Explorer:
    """Explore the bucket of each distance for a number of buckets and a maximum distance."""
    sizes, distances = sorted({4, 8, 16, 32, 64, num_buckets}), sorted({16, 32, 64, 128, 256, max_distance})
    number = SelectionSlider("num_buckets", sizes, num_buckets)
    far = SelectionSlider("max_distance", distances, max_distance)
    stack = Choice("stack", {"encoder": True, "decoder": False})
    return Explorer(buckets_by_distance.record, opened=-1, bidirectional=stack, num_buckets=number, max_distance=far)


def explore_t5_map(
    source: str,
    target: str,
    model: Any,
    tokenizer: Any,
    source_position: int = 0,
    target_position: int = 0,
    block: str = "",
) -> Explorer:
    """Explore all blocks of a T5 on a typed source and target text.

    Args:
        source: the text that the encoder reads.
        target: the text that the decoder should predict.
        source_position: the encoder's row that is explained at first.
        target_position: the decoder's row that is explained at first.
        block: the block that is shown first, such as "output.logits"; "" for the whole model.
    """
    from tokenlab.traces.t5.trace_attention_head import decoder_input_ids, ids_to_tokens
    from tokenlab.traces.t5.trace_model_map import trace_model_map

    boxes = {"source": sentence_box("source", source, tokenizer), "target": TextBox("target", target)}
    layer = IntSlider("layer", 0, 0, max(len(model.encoder.block), len(model.decoder.block)) - 1)
    head = IntSlider("head", 0, 0, model.config.num_heads - 1)
    rows = {name: Choice(label, ()) for name, label in _ROWS.items()}

    def options(name: str) -> list[tuple[str, int]]:
        """Return the tokens of a text with their positions."""
        try:
            check_typed_text(tokenizer, **{name: boxes[name].value})
        except ValueError:  # the explorer reports the error
            return []
        ids = list(tokenizer(boxes[name].value)["input_ids"])
        read = ids if name == "source" else decoder_input_ids(model, ids)
        return [(f"{place}: {token}", place) for place, token in enumerate(ids_to_tokens(tokenizer, read))]

    def follow(name: str, chosen: int | None = None) -> None:
        found, row = options(name), rows[name]
        place = row.value if chosen is None else chosen
        if found and found != list(row.options):
            row.options = found
            row.value = min(place or 0, len(found) - 1)

    follow("source", source_position)
    follow("target", target_position)
    for name, box in boxes.items():
        # subtle: registered before the explorer's callback, so the rows are those of the new text.
        box.observe(lambda *_, name=name: follow(name))

    def record(
        source: str, target: str, layer: int, head: int, source_row: int, target_row: int
    ) -> Recording[Any, Any]:
        check_typed_text(tokenizer, source=source, target=target)
        return trace_model_map.record(model, tokenizer, source, target, layer, head, source_row or 0, target_row or 0)

    def opened(recording: Recording[Any, Any]) -> int:
        return next((number for number, step in enumerate(recording, 1) if step.block == block), 0)

    controls: dict[str, Any] = {**boxes, "layer": layer, "head": head}
    controls |= {"source_row": rows["source"], "target_row": rows["target"]}
    return Explorer(record, opened=opened, **controls)


def published_t5_configs() -> dict[str, T5Config]:
    """Return the configurations of some published T5 models, by name.

    Source: the config.json files of these models on the Hugging Face Hub.
    """
    from tokenlab.libraries.transformers import T5Config

    configs = {}
    for name, (d_model, d_kv, d_ff, layers, heads) in {**_V1_0, **_V1_1}.items():
        first = name in _V1_0
        configs[name] = T5Config(
            d_model=d_model,
            d_kv=d_kv,
            d_ff=d_ff,
            num_layers=layers,
            num_heads=heads,
            feed_forward_proj="relu" if first else "gated-gelu",
            tie_word_embeddings=first,
        )
    return configs


def explore_t5_shapes(config: T5Config | None = None, source_length: int = 8, target_length: int = 9) -> Explorer:
    """Explore the tensor shapes of one forward pass.

    Args:
        config: an additional model, which is shown first.
    """
    from tokenlab.traces.t5.trace_shapes import trace_shapes

    configs = ({} if config is None else {"this model": config}) | published_t5_configs()
    model = Choice("model", list(configs))
    lengths: dict[str, Any] = {
        name: IntSlider(name.partition("_")[0], length, 1, max(64, length))
        for name, length in (("source_length", source_length), ("target_length", target_length))
    }

    def record(model: str, source_length: int, target_length: int) -> Recording[Any, Any]:
        return trace_shapes.record(configs[model], source_length, target_length)

    return Explorer(record, model=model, **lengths)


def explore_token_losses(source: str, target: str, model: Any, tokenizer: Any) -> Explorer:
    """Explore the loss of each target token; the causal mask and the position bias can be switched off."""
    from tokenlab.traces.t5.trace_decoding import trace_token_losses

    def record(source: str, target: str, length: str | int, causal: bool, bias: bool) -> Recording[Any, Any]:
        check_typed_text(tokenizer, source=source, target=target)
        places = None if length == FULL_LENGTH else int(length)
        return trace_token_losses.record(model, tokenizer, source, target, places, causal, bias)

    return Explorer(
        record,
        source=sentence_box("source", source, tokenizer),
        target=TextBox("target", target),
        length=Choice("length", LENGTHS),
        causal=Checkbox("causal mask"),
        bias=Checkbox("bias"),
    )


def explore_kv_cache(source: str, model: Any, tokenizer: Any) -> Explorer:
    """Explore greedy search with a key-value cache, one token per step."""
    from tokenlab.traces.t5.trace_decoding import trace_kv_cache

    def record(source: str, length: str | int, layer: int) -> Recording[Any, Any]:
        check_typed_text(tokenizer, source=source)
        steps = 40 if length == FULL_LENGTH else int(length)
        return trace_kv_cache.record(model, tokenizer, source, length=steps, layer=layer)

    return Explorer(
        record,
        source=sentence_box("source", source, tokenizer),
        length=Choice("length", LENGTHS),
        layer=IntSlider("layer", 0, 0, model.config.num_decoder_layers - 1),
    )
