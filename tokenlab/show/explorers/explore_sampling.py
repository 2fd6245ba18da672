"""Controls for token sampling: the next-token distribution, a sampled text, and the decoder's cross-attention."""

from __future__ import annotations

from typing import Any

import ipywidgets

from tokenlab.show.explorers.explore_t5_attention import check_typed_text
from tokenlab.show.explorers.explorer import Explorer, int_slider, text_box
from tokenlab.steps.recording import Recording

MAX_NEW_TOKENS = 30  # tokens that are generated at every key press
MEAN = "the mean of all"


def explore_next_token(text: str, model: Any, tokenizer: Any, written: str = "", **settings: Any) -> Explorer:
    """Explore the distribution of the next token after each logits processor and warper.

    Args:
        written: the initial target prefix of the decoder.
        settings: initial values of the sliders: temperature, top_k, top_p, typical_p, repetition_penalty.
    """
    from tokenlab.traces.generation.trace_next_token import ORDERS, trace_next_token

    def record(text: str, written: str, order: str, **settings: Any) -> Recording[Any, Any]:
        check_typed_text(tokenizer, text=text, written=written)
        return trace_next_token.record(model, tokenizer, text, written, order, **_rounded(settings))

    return Explorer(
        record,
        opened=-1,
        text=text_box("text", text),
        written=text_box("written", written),
        **_sliders(settings),
        order=ipywidgets.Dropdown(options=ORDERS, description="order"),
    )


def explore_sampling(text: str, model: Any, tokenizer: Any, seed: int = 0, **settings: Any) -> Explorer:
    """Explore a text that is sampled token by token.

    Args:
        settings: initial values of the sliders: temperature, top_k, top_p, typical_p, repetition_penalty.
    """
    from tokenlab.traces.generation.trace_sampling import trace_sampling

    def record(text: str, draw: bool, seed: int, **settings: Any) -> Recording[Any, Any]:
        check_typed_text(tokenizer, text=text)
        used = {name: value for name, value in _rounded(settings).items() if draw or name == "repetition_penalty"}
        return trace_sampling.record(
            model, tokenizer, text, seed, do_sample=draw, max_new_tokens=MAX_NEW_TOKENS, **used
        )

    return Explorer(
        record,
        opened=-1,
        text=text_box("text", text),
        draw=ipywidgets.Checkbox(True, description="draw (or take the most probable)"),
        seed=int_slider("seed", seed, 0, max(99, seed)),
        **_sliders(settings),
    )


def explore_cross_attention(
    text: str, model: Any, tokenizer: Any, head: int | None = None, num_beams: int = 1
) -> Explorer:
    """Explore the cross-attention weights of a layer and head for each generated token."""
    from tokenlab.traces.generation.trace_sampling import LAST_LAYER, trace_cross_attention

    layers = model.config.num_decoder_layers
    heads = [MEAN, *map(str, range(model.config.num_heads))]

    def record(text: str, layer: int, head: str, num_beams: int) -> Recording[Any, Any]:
        check_typed_text(tokenizer, text=text)
        place, number = LAST_LAYER.format(layer), None if head == MEAN else int(head)
        options = {"num_beams": num_beams, "max_new_tokens": MAX_NEW_TOKENS}
        return trace_cross_attention.record(model, tokenizer, text, place, number, **options)

    return Explorer(
        record,
        opened=-1,
        text=text_box("text", text),
        layer=int_slider("layer", layers - 1, 0, layers - 1),
        head=ipywidgets.Dropdown(options=heads, value=heads[0 if head is None else head + 1], description="head"),
        num_beams=int_slider("num_beams", num_beams, 1, max(6, num_beams)),
    )


def _sliders(settings: dict[str, Any]) -> dict[str, Any]:
    """Return a slider for each setting; its initial value has no effect unless `settings` overrides it.

    Raises:
        ValueError: a setting that has no slider.
    """
    ends = {  # value without effect, minimum, maximum, step
        "temperature": (1.0, 0.1, 3.0, 0.1),
        "top_k": (0, 0, 50, 1),
        "top_p": (1.0, 0.05, 1.0, 0.05),
        "typical_p": (1.0, 0.05, 1.0, 0.05),
        "repetition_penalty": (1.0, 0.5, 3.0, 0.1),
    }
    for name in settings:
        if name not in ends:
            raise ValueError(f"{name} has no slider here; there are {', '.join(ends)}")
    sliders = {}
    for name, (rest, least, most, step) in ends.items():
        kind = ipywidgets.IntSlider if isinstance(rest, int) else ipywidgets.FloatSlider
        value = settings.get(name, rest)
        wide = {"min": min(least, value), "max": max(most, value), "step": step}
        sliders[name] = kind(value, description=name, **wide)
    return sliders


def _rounded(settings: dict[str, Any]) -> dict[str, Any]:
    """Round the settings to 2 decimals, as the sliders show them."""
    return {name: round(value, 2) for name, value in settings.items()}
