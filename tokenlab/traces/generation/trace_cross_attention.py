"""`trace_cross_attention`: the cross-attention weights of each generated token.

Adds: a row of weights over the source for each token. They are recorded in an additional forward pass over the whole
output, so they work for every decoding strategy; beam search needs no backtracking.
Leaves out: whether attention weights explain the output.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import torch
from torch import Tensor

from tokenlab.libraries.transformers.hook_points import watch
from tokenlab.steps.recording import stepwise
from tokenlab.traces.generation.sampling_steps import CrossAttentionWeights
from tokenlab.traces.generation.trace_inputs import (
    check_single_output,
    encode_source,
    resolve_config,
)
from tokenlab.traces.generation.trace_next_token import token_names
from tokenlab.traces.generation.trace_sampling import LONGEST
from tokenlab.traces.t5.trace_attention_head import check_attention_name, head_numbers

LAST_LAYER = "decoder.block.{}.cross_attention"


@stepwise
@torch.no_grad()
def trace_cross_attention(
    model: Any, tokenizer: Any, text: str, place: str = "", head: int | None = None, **settings: Any
) -> Generator[CrossAttentionWeights, None, str]:
    """Generate a text, and record the weights of one cross-attention for each of its tokens.

    Args:
        text: the source text.
        place: the name of the cross-attention module; "" means the last layer's.
        head: the index of a head, or None for the mean of all heads.
        settings: settings of `generate`: num_beams, max_new_tokens (default 40) ...

    Returns:
        The generated text without the end token.

    Raises:
        ValueError: the module, the head or a setting is unknown, or several outputs are requested.
    """
    place = place or LAST_LAYER.format(model.config.num_decoder_layers - 1)
    heads = cross_attention_heads(model, place)
    check_attention_name(model, place, heads[0] if head is None else head, ())
    check_single_output(resolve_config(model, settings))
    lengths = {} if {"max_length", "max_new_tokens"} & settings.keys() else {"max_new_tokens": LONGEST}
    source = encode_source(model, tokenizer, text)
    output = model.generate(source, **lengths | settings)[0]  # with the start token
    weights = cross_attention_weights(model, source, output[:-1], place)
    row = weights.mean(dim=0) if head is None else weights[heads.index(head)]
    read = token_names(tokenizer, source[0].tolist())
    for token, weight_row in zip(token_names(tokenizer, output[1:].tolist()), row.tolist(), strict=True):
        yield CrossAttentionWeights(token, read, tuple(weight_row))
    generated: str = tokenizer.decode(output[1:].tolist(), skip_special_tokens=True)
    return generated


def cross_attention_heads(model: Any, place: str) -> list[int]:
    """Return the heads of a cross-attention module.

    Raises:
        ValueError: the model has no cross-attention of that name.
    """
    cross = [LAST_LAYER.format(layer) for layer in range(model.config.num_decoder_layers)]
    if place not in cross:
        raise ValueError(f"{place=} is not a cross-attention of this model; it has {', '.join(cross)}")
    return head_numbers(model, place)


def cross_attention_weights(model: Any, source: Tensor, decoder_input_ids: Tensor, place: str) -> Tensor:
    """Return the weights of all heads, a row for each decoder position: (heads, target, source).

    Args:
        model: a T5ForConditionalGeneration.
        source: the source ids: (1, source).
        decoder_input_ids: position i predicts token i + 1: (target,).
        place: the name of the cross-attention module.
    """
    with watch(model, f"{place}.weights") as seen:
        model(source, decoder_input_ids=decoder_input_ids[None], use_cache=False)
    return seen[f"{place}.weights"][0]
