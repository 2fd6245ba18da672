"""Decoding with a KV cache, compared at each step with a run without the cache.

Adds: the rows that each step computes and the rows that it finds in the cache: one row of queries, one new row of keys
and values, and the keys and values of the encoder's output, which only the first step computes.
Leaves out: batches, and decoding strategies other than greedy search.
Source: transformers 4.26.1, models/t5/modeling_t5.py.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import torch

from tokenlab.libraries.transformers.hook_points import watch
from tokenlab.libraries.transformers.models.t5.modeling_t5 import T5ForConditionalGeneration
from tokenlab.printing.errors import check_integer
from tokenlab.steps.recording import stepwise
from tokenlab.traces.t5.t5_steps import CachedStep

ROW_PREFIX = 5  # recorded numbers of a row
SAME = 1e-4  # of the largest logit: equal logits differ by less, because the order of additions may differ


@stepwise
@torch.no_grad()
def trace_kv_cache(
    model: T5ForConditionalGeneration,
    tokenizer: Any,
    source: str,
    target: str | None = None,
    length: int = 40,
    layer: int = 0,
) -> Generator[CachedStep, None, str]:
    """Generate one token at a time; each step reads one token and finds the earlier ones in the cache.

    Args:
        source: the text that the encoder reads.
        target: the text that the decoder reads instead of its own predictions; None for these.
        length: the maximum number of steps.
        layer: the decoder block whose keys are recorded.

    Raises:
        ValueError: a length below 1, or no such layer.
    """
    length = check_integer("length", length, at_least=1)
    if not 0 <= layer < model.config.num_decoder_layers:
        raise ValueError(f"layer={layer} is none of the decoder's {model.config.num_decoder_layers}, counted from 0")
    given = None if target is None else tokenizer(target)["input_ids"][:length]
    encoded = model.encoder(torch.tensor([tokenizer(source)["input_ids"]]), return_dict=True)
    read, generated, cache = [model.config.decoder_start_token_id], [], None
    point = f"decoder.block.{layer}.self_attention.queries"
    while True:
        with watch(model, point) as seen:
            output = model(
                encoder_outputs=encoded,
                decoder_input_ids=torch.tensor([read[-1:]]),  # (1, 1)
                past_key_values=cache,
                use_cache=True,
                return_dict=True,
            )
        # (1, heads, positions, d_kv) and (1, heads, source, d_kv)
        keys, _, source_keys, _ = output.past_key_values[layer]
        # subtle: keys that come from the cache are the same tensor object that was stored there.
        kept = cache is not None and source_keys is cache[layer][2]
        cache = output.past_key_values
        whole = model(encoder_outputs=encoded, decoder_input_ids=torch.tensor([read]), use_cache=False).logits[0, -1]
        generated.append(int(output.logits[0, -1].argmax()))
        yield CachedStep(
            position=len(read) - 1,
            input_token=tokenizer.convert_ids_to_tokens(read[-1]),
            predicted_token=tokenizer.convert_ids_to_tokens(generated[-1]),
            num_queries=seen[point].shape[2],
            num_keys=keys.shape[2],
            new_key=tuple(keys[0, 0, -1, :ROW_PREFIX].tolist()),
            num_source_keys=source_keys.shape[2],
            num_source_keys_computed=0 if kept else source_keys.shape[2],
            matches_uncached=bool((output.logits[0, -1] - whole).abs().max() < SAME * whole.abs().max()),
        )
        finished = generated[-1] == model.config.eos_token_id if given is None else len(generated) == len(given)
        if finished or len(generated) == length:
            text: str = tokenizer.decode(generated, skip_special_tokens=True)
            return text
        read.append(generated[-1] if given is None else given[len(generated) - 1])
