"""Controls over the choice of tokens: one distribution, a text by chance, and where the decoder looks."""

from __future__ import annotations

from typing import Any

import ipywidgets

from tokenlab.show.explore import _CHOICE, _NAMED, Explorer
from tokenlab.show.explore_t5 import check_typed
from tokenlab.steps import Recording

MOST_NEW = 30  # tokens that are written at every key press
MEAN = "the mean of all"


def explore_next_token(text: str, model: Any, tokenizer: Any, written: str = "", **settings: Any) -> Explorer:
    """A text to type and rules to set, and what each makes of the distribution of the next token.

    Args:
        text: what the encoder reads at first.
        model: a T5ForConditionalGeneration in eval mode.
        tokenizer: that of the model.
        written: what the decoder has written at first.
        settings: where the sliders stand at first: temperature, top_k, top_p, typical_p, repetition_penalty.
    """
    from tokenlab.transformers.generation.next_token import ORDERS, next_token

    def record(text: str, written: str, order: str, **settings: Any) -> Recording[Any, Any]:
        check_typed(tokenizer, text=text, written=written)
        return next_token.record(model, tokenizer, text, written, order, **_rounded(settings))

    return Explorer(
        record,
        opened=-1,
        text=ipywidgets.Text(text, description="text", **_NAMED),
        written=ipywidgets.Text(written, description="written", **_NAMED),
        **_sliders(settings),
        order=ipywidgets.Dropdown(options=ORDERS, description="order", **_CHOICE),
    )


def explore_sampling(text: str, model: Any, tokenizer: Any, seed: int = 0, **settings: Any) -> Explorer:
    """A text to type, rules and a seed to set, and the text that is written, token by token.

    Args:
        text: what the encoder reads at first.
        model: a T5ForConditionalGeneration in eval mode.
        tokenizer: that of the model.
        seed: where chance begins at first.
        settings: where the sliders stand at first: temperature, top_k, top_p, typical_p, repetition_penalty.
    """
    from tokenlab.transformers.generation.writing import write

    def record(text: str, draw: bool, seed: int, **settings: Any) -> Recording[Any, Any]:
        check_typed(tokenizer, text=text)
        if not draw:
            settings = {name: value for name, value in settings.items() if name == "repetition_penalty"}
        settings = _rounded(settings)
        return write.record(model, tokenizer, text, seed, do_sample=draw, max_new_tokens=MOST_NEW, **settings)

    return Explorer(
        record,
        opened=-1,
        text=ipywidgets.Text(text, description="text", **_NAMED),
        draw=ipywidgets.Checkbox(True, description="draw (or take the likeliest)", **_CHOICE),
        seed=ipywidgets.IntSlider(seed, 0, max(99, seed), description="seed", **_NAMED),
        **_sliders(settings),
    )


def explore_alignment(text: str, model: Any, tokenizer: Any, head: int | None = None, num_beams: int = 1) -> Explorer:
    """A text to type, an attention and its head to choose, and where it looks for each token that is written.

    Args:
        text: what the encoder reads at first.
        model: a T5ForConditionalGeneration in eval mode.
        tokenizer: that of the model.
        head: which head is shown at first; None for the mean of all.
        num_beams: how many beams write at first; with 1, it is written greedily.
    """
    from tokenlab.transformers.generation.aligning import LAST, align

    layers = model.config.num_decoder_layers
    heads = [MEAN, *map(str, range(model.config.num_heads))]

    def record(text: str, layer: int, head: str, num_beams: int) -> Recording[Any, Any]:
        check_typed(tokenizer, text=text)
        place, number = LAST.format(layer), None if head == MEAN else int(head)
        return align.record(model, tokenizer, text, place, number, num_beams=num_beams, max_new_tokens=MOST_NEW)

    return Explorer(
        record,
        opened=-1,
        text=ipywidgets.Text(text, description="text", **_NAMED),
        layer=ipywidgets.IntSlider(layers - 1, 0, layers - 1, description="layer", **_NAMED),
        head=ipywidgets.Dropdown(
            options=heads, value=MEAN if head is None else str(head), description="head", **_CHOICE
        ),
        num_beams=ipywidgets.IntSlider(num_beams, 1, max(6, num_beams), description="num_beams", **_NAMED),
    )


def _sliders(settings: dict[str, Any]) -> dict[str, Any]:
    """A slider for each rule; where it stands at first, the rule changes nothing unless `settings` says otherwise.

    Raises:
        ValueError: a setting that has no slider.
    """
    ends = {  # at rest, least, most, step
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
        sliders[name] = kind(value, description=name, **wide, **_NAMED)
    return sliders


def _rounded(settings: dict[str, Any]) -> dict[str, Any]:
    """Two decimals, as the sliders show them."""
    return {name: round(value, 2) for name, value in settings.items()}
