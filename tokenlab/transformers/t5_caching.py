"""Decoding with a cache, seen row by row, beside the run that computes everything anew.

Adds: what each step makes and what it finds: one row of queries, one more row of keys and values, and the keys and
values of the encoder's output, made in the first step only.
Leaves out: batches, and any way to choose but the most probable token.
Source: transformers 4.26.1, models/t5/modeling_t5.py.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import torch

from tokenlab.errors import whole_number
from tokenlab.steps import stepwise
from tokenlab.transformers.modeling_t5 import T5ForConditionalGeneration
from tokenlab.transformers.t5_steps import Cached
from tokenlab.transformers.watching import watch

SHOWN = 5  # numbers of a row


@stepwise
@torch.no_grad()
def decode_with_cache(
    model: T5ForConditionalGeneration,
    tokenizer: Any,
    source: str,
    target: str | None = None,
    length: int = 40,
    layer: int = 0,
) -> Generator[Cached, None, str]:
    """What the model writes, one token at a time; each step reads one token and finds the others in the cache.

    Args:
        model: in eval mode, or dropout is drawn.
        tokenizer: that of the model.
        source: what the encoder reads.
        target: what the decoder reads, whatever it writes; None for what it has written itself.
        length: steps, at the most.
        layer: whose keys are looked at.

    Raises:
        ValueError: a length below 1, or no such layer.
    """
    length = whole_number("length", length, at_least=1)
    if not 0 <= layer < model.config.num_decoder_layers:
        raise ValueError(f"layer={layer} is none of the decoder's {model.config.num_decoder_layers}, counted from 0")
    given = None if target is None else tokenizer(target)["input_ids"][:length]
    encoded = model.encoder(torch.tensor([tokenizer(source)["input_ids"]]), return_dict=True)
    read, written, cache = [model.config.decoder_start_token_id], [], None
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
        keys, _, source_keys, _ = output.past_key_values[layer]  # (1, heads, places, d_kv) and (1, heads, source, d_kv)
        # subtle: what was found in the cache is the very tensor that was put there.
        kept = cache is not None and source_keys is cache[layer][2]
        cache = output.past_key_values
        whole = model(encoder_outputs=encoded, decoder_input_ids=torch.tensor([read]), use_cache=False).logits[0, -1]
        written.append(int(output.logits[0, -1].argmax()))
        yield Cached(
            place=len(read) - 1,
            read=tokenizer.convert_ids_to_tokens(read[-1]),
            written=tokenizer.convert_ids_to_tokens(written[-1]),
            queries=seen[point].shape[2],
            keys=keys.shape[2],
            row=tuple(keys[0, 0, -1, :SHOWN].tolist()),
            source=source_keys.shape[2],
            source_made=0 if kept else source_keys.shape[2],
            same=torch.allclose(output.logits[0, -1], whole, rtol=1e-4, atol=1e-4),
        )
        ended = written[-1] == model.config.eos_token_id if given is None else len(written) == len(given)
        if ended or len(written) == length:
            text: str = tokenizer.decode(written, skip_special_tokens=True)
            return text
        read.append(written[-1] if given is None else given[len(written) - 1])
