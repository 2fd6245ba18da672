"""Controls for the walk through a T5: both texts, the layer, the head, and the rows that are explained."""

from __future__ import annotations

from typing import Any

import ipywidgets

from tokenlab.show.explorers.explore_t5_attention import check_typed_text
from tokenlab.show.explorers.explorer import Explorer, int_slider, text_box
from tokenlab.steps.recording import Recording


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

    boxes = {"source": text_box("source", source), "target": text_box("target", target)}
    layer = int_slider("layer", 0, 0, max(len(model.encoder.block), len(model.decoder.block)) - 1)
    head = int_slider("head", 0, 0, model.config.num_heads - 1)
    rows = {name: ipywidgets.Dropdown(description=label) for name, label in _ROWS.items()}

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
        box.observe(lambda _, name=name: follow(name), "value")

    def record(
        source: str, target: str, layer: int, head: int, source_row: int, target_row: int
    ) -> Recording[Any, Any]:
        check_typed_text(tokenizer, source=source, target=target)
        return trace_model_map.record(model, tokenizer, source, target, layer, head, source_row or 0, target_row or 0)

    def opened(recording: Recording[Any, Any]) -> int:
        return next((number for number, step in enumerate(recording, 1) if step.block == block), 0)

    controls = {**boxes, "layer": layer, "head": head, "source_row": rows["source"], "target_row": rows["target"]}
    return Explorer(record, opened=opened, **controls)


_ROWS = {"source": "source row", "target": "target row"}
