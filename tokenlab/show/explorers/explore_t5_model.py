"""Controls over a whole T5: the shapes of one pass, the loss of each token, and decoding with a cache."""

from __future__ import annotations

from typing import Any

import ipywidgets

from tokenlab.libraries.transformers import T5Config
from tokenlab.show.explorers.explore_t5_attention import check_typed_text
from tokenlab.show.explorers.explorer import Explorer, text_box
from tokenlab.steps.recording import Recording
from tokenlab.traces.t5.trace_shapes import trace_shapes

WHOLE = "as long as it is"
LENGTHS: list[str | int] = [WHOLE, 1, 2, 8, 9, 10, 12, 16]  # 1 has no other position; the buckets of 9 and 10 differ

_V1_0 = {"t5-small": (512, 64, 2048, 6, 8), "t5-base": (768, 64, 3072, 12, 12), "t5-11b": (1024, 128, 65536, 24, 128)}
_V1_1 = {"t5-v1_1-small": (512, 64, 1024, 8, 6), "t5-v1_1-xxl": (4096, 64, 10240, 24, 64)}


def published_t5_configs() -> dict[str, T5Config]:
    """Return the configurations of some published T5 models, by name.

    Source: the config.json files of these models on the Hugging Face Hub.
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
    """Explore the tensor shapes of one forward pass.

    Args:
        config: an additional model, which is shown first.
    """
    configs = ({} if config is None else {"this model": config}) | published_t5_configs()
    model = ipywidgets.Dropdown(options=list(configs), description="model")
    lengths = {
        name: ipywidgets.IntSlider(length, 1, max(64, length), description=name.partition("_")[0])
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
        places = None if length == WHOLE else int(length)
        return trace_token_losses.record(model, tokenizer, source, target, places, causal, bias)

    return Explorer(
        record,
        source=text_box("source", source),
        target=text_box("target", target),
        length=ipywidgets.Dropdown(options=LENGTHS, description="length"),
        causal=ipywidgets.Checkbox(True, description="causal mask"),
        bias=ipywidgets.Checkbox(True, description="bias"),
    )


def explore_kv_cache(source: str, model: Any, tokenizer: Any) -> Explorer:
    """Explore greedy search with a key-value cache, one token per step."""
    from tokenlab.traces.t5.trace_decoding import trace_kv_cache

    def record(source: str, length: str | int, layer: int) -> Recording[Any, Any]:
        check_typed_text(tokenizer, source=source)
        steps = 40 if length == WHOLE else int(length)
        return trace_kv_cache.record(model, tokenizer, source, length=steps, layer=layer)

    return Explorer(
        record,
        source=text_box("source", source),
        length=ipywidgets.Dropdown(options=LENGTHS, description="length"),
        layer=ipywidgets.IntSlider(0, 0, model.config.num_decoder_layers - 1, description="layer"),
    )
