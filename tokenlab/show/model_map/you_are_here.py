"""A static strip of the map with one block marked, for a lesson or a view that explains this block."""

from __future__ import annotations

from difflib import get_close_matches
from functools import cache

from tokenlab.show.frames import Html, style_sheet
from tokenlab.show.model_map.strips import ModelMap
from tokenlab.show.player import HOW_TO_TRUST

_NO_TEXT = style_sheet(".tlm-text{display:none}")
_ATTENTION = ("queries", "keys", "values", "scores", "weights", "weighted_values", "concatenation", "output")
_SELF = (*_ATTENTION[:4], "bias", "mask", *_ATTENTION[4:])

PLACES = {  # the names that `you_are_here` accepts
    "source ids": "encoder.ids",
    "embedding": "encoder.embedding",
    "encoder": "encoder.block.0",
    "encoder self-attention": "encoder.block.0.self_attention",
    "decoder input": "decoder.ids",
    "decoder": "decoder.block.0",
    "RMS norm": "decoder.block.0.self_attention.norm",
    "self-attention": "decoder.block.0.self_attention",
    "cross-attention": "decoder.block.0.cross_attention",
    "feed-forward layer": "decoder.block.0.feed_forward",
    "residual connection": "decoder.block.0.self_attention.residual",
    "output layer": "output.logits",
    "softmax of the logits": "output.probabilities",
    "cross-entropy": "output.loss",
    **{
        f"{part.replace('_', '-')} {kind.replace('_', ' ')}": f"decoder.block.0.{part}.{kind}"
        for part, kinds in (("self_attention", _SELF), ("cross_attention", _ATTENTION))
        for kind in kinds
    },
    "relative position bias": "decoder.block.0.self_attention.bias",
    "causal mask": "decoder.block.0.self_attention.mask",
}


class YouAreHere:
    """The map with one block marked; a notebook displays it."""

    def __init__(self, name: str, html: Html) -> None:
        """Take the name of the block, and the drawing."""
        self.name, self.html = name, html

    def __repr__(self) -> str:
        return f"You are here: {self.name}"

    def _repr_html_(self) -> Html:
        return self.html


def you_are_here(name: str) -> YouAreHere:
    """Return the map of a T5 with one block marked.

    Args:
        name: the block, such as "cross-attention" or "self-attention scores"; `PLACES` lists all names.

    Raises:
        ValueError: no block has this name.

    >>> you_are_here("self-attention scores")
    You are here: self-attention scores
    """
    rows = "".join(map_rows(name))
    # subtle: JupyterLab removes style sheets and the elements of a drawing, but not its labels, if a notebook is not
    # trusted. Then the sentence is visible, and the labels, whose size the style sheet sets, are not.
    sentence = f"<p class=tlm-text>You are here: {name}. To see the map, {HOW_TO_TRUST}</p>"
    drawn = f'<ul style="margin:0;padding:0;font-size:0" aria-label="You are here: {name}">{rows}</ul>'
    return YouAreHere(name, f"{sentence}{_NO_TEXT}{drawn}")


def map_rows(name: str) -> tuple[Html, ...]:
    """Return the rows of the map with one block marked."""
    if name not in PLACES:
        close = get_close_matches(str(name), PLACES, n=3, cutoff=0.3)
        raise ValueError(
            f"name={name!r} is no block of the map; did you mean {', '.join(map(repr, close))}? "
            "tokenlab.show.model_map.you_are_here.PLACES lists all names"
        )
    return _usual_map().rows(PLACES[name])


@cache
def _usual_map() -> ModelMap:
    """The map of a T5 with two layers in each stack."""
    blocks = ["encoder.ids", "encoder.embedding", *_layer("encoder"), "encoder.final_norm"]
    blocks += ["decoder.ids", "decoder.embedding", *_layer("decoder"), "decoder.final_norm"]
    return ModelMap([*blocks, "output.logits", "output.probabilities", "output.loss"], head=None)


def _layer(stack: str) -> list[str]:
    """Return the blocks of layer 0, and layer 1 as a whole."""
    kinds = {"self_attention": [kind for kind in _SELF if (stack, kind) != ("encoder", "mask")]}
    if stack == "decoder":
        kinds["cross_attention"] = [*_ATTENTION]
    kinds["feed_forward"] = ["activations", "output"]
    names = [f"{part}.{kind}" for part in kinds for kind in ("norm", *kinds[part], "residual")]
    return [*(f"{stack}.block.0.{name}" for name in names), f"{stack}.block.1.output"]
