"""Controls over a whole T5: the shapes of one pass, the loss of each token, and decoding with a cache."""

from __future__ import annotations

from typing import Any

import ipywidgets

from tokenlab.show.explore import _WIDE, Explorer
from tokenlab.show.explore_t5 import check_typed
from tokenlab.steps import Recording
from tokenlab.transformers import T5Config
from tokenlab.transformers.t5_shapes import forward_shapes

WHOLE = "as long as it is"
LENGTHS: list[str | int] = [WHOLE, 1, 2, 8, 9, 10, 12, 16]  # one has no neighbour; nine and ten part the buckets

_V1_0 = {"t5-small": (512, 64, 2048, 6, 8), "t5-base": (768, 64, 3072, 12, 12), "t5-11b": (1024, 128, 65536, 24, 128)}
_V1_1 = {"t5-v1_1-small": (512, 64, 1024, 8, 6), "t5-v1_1-xxl": (4096, 64, 10240, 24, 64)}


def known_configs() -> dict[str, T5Config]:
    """The sizes of some published T5s, by name.

    Source: the files config.json of these models on the hub.
    """
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
    """A model and two lengths to choose, and the shapes of one forward pass.

    Args:
        config: one more model, which is shown first.
        source_length: ids that the encoder reads at first.
        target_length: ids that the decoder reads at first.
    """
    configs = ({} if config is None else {"this model": config}) | known_configs()
    model = ipywidgets.Dropdown(options=list(configs), description="model")
    lengths = {
        name: ipywidgets.IntSlider(length, 1, max(64, length), description=name.partition("_")[0], **_WIDE)
        for name, length in (("source_length", source_length), ("target_length", target_length))
    }

    def record(model: str, source_length: int, target_length: int) -> Recording[Any, Any]:
        return forward_shapes.record(configs[model], source_length, target_length)

    return Explorer(record, model=model, **lengths)


def explore_t5_loss(source: str, target: str, model: Any, tokenizer: Any) -> Explorer:
    """A text and its target to type, and the loss of each token; the causal mask and the bias can be switched off."""
    from tokenlab.transformers.t5_scoring import score_target

    def record(source: str, target: str, length: str | int, causal: bool, bias: bool) -> Recording[Any, Any]:
        check_typed(tokenizer, source=source, target=target)
        places = None if length == WHOLE else int(length)
        return score_target.record(model, tokenizer, source, target, places, causal, bias)

    return Explorer(
        record,
        source=ipywidgets.Text(source, description="source", **_WIDE),
        target=ipywidgets.Text(target, description="target", **_WIDE),
        length=ipywidgets.Dropdown(options=LENGTHS, description="length"),
        causal=ipywidgets.Checkbox(True, description="causal mask"),
        bias=ipywidgets.Checkbox(True, description="bias"),
    )


def explore_t5_cache(source: str, model: Any, tokenizer: Any) -> Explorer:
    """A text to type, and how the model answers it with a cache, one token a step."""
    from tokenlab.transformers.t5_caching import decode_with_cache

    def record(source: str, length: str | int, layer: int) -> Recording[Any, Any]:
        check_typed(tokenizer, source=source)
        steps = 40 if length == WHOLE else int(length)
        return decode_with_cache.record(model, tokenizer, source, length=steps, layer=layer)

    return Explorer(
        record,
        source=ipywidgets.Text(source, description="source", **_WIDE),
        length=ipywidgets.Dropdown(options=LENGTHS, description="length"),
        layer=ipywidgets.IntSlider(0, 0, model.config.num_decoder_layers - 1, description="layer"),
    )
