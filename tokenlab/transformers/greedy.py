"""Greedy decoding: at each step the token with the highest score is written, and read at the next step.

Adds: the loop, with the cache, for a batch. Leaves out: every other way to choose, which is `generate`.
Source: Sutskever et al. 2014, section 3.2, with a beam of one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from tokenlab.errors import whole_number
from tokenlab.transformers.modeling_t5 import T5ForConditionalGeneration


@torch.no_grad()
def greedy(
    model: T5ForConditionalGeneration,
    input_ids: Tensor,
    attention_mask: Tensor | None = None,
    max_length: int = 40,
) -> Tensor:
    """What the model writes for each input, without the start: (batch, length); behind an end stands padding.

    Args:
        model: in eval mode, or dropout is drawn.
        input_ids: (batch, source).
        attention_mask: 1 for what may be looked at, 0 for padding: (batch, source).
        max_length: tokens, at the most.

    >>> from tokenlab.transformers import T5Config
    >>> model = T5ForConditionalGeneration(T5Config(10, 4, 2, 4, 1, num_heads=1, decoder_start_token_id=0))
    >>> greedy(model, torch.tensor([[3, 4, 1]]), max_length=2).shape[0]
    1
    """
    max_length = whole_number("max_length", max_length, at_least=1)
    config, batch = model.config, len(input_ids)
    encoded = model.encoder(input_ids, attention_mask, return_dict=True)
    token = input_ids.new_full((batch, 1), config.decoder_start_token_id)  # (batch, 1)
    writing = torch.ones(batch, dtype=torch.bool, device=input_ids.device)
    written: list[Tensor] = []
    cache = None
    while writing.any() and len(written) < max_length:
        output = model(
            encoder_outputs=encoded,
            attention_mask=attention_mask,
            decoder_input_ids=token,
            past_key_values=cache,
            use_cache=True,
            return_dict=True,
        )
        cache, best = output.past_key_values, output.logits[:, -1].argmax(-1)  # (batch,)
        token = torch.where(writing, best, config.pad_token_id)[:, None]
        written.append(token)
        writing &= best != config.eos_token_id
    return torch.cat(written, dim=1)


def answer(
    model: T5ForConditionalGeneration,
    tokenizer: Any,
    texts: Sequence[str],
    max_length: int = 40,
    skip_special_tokens: bool = True,
) -> list[str]:
    """What the model writes for each text, as text."""
    given = tokenizer(list(texts), padding=True, return_tensors="pt")
    written = greedy(model, given["input_ids"], given["attention_mask"], max_length)
    decoded: list[str] = tokenizer.batch_decode(written, skip_special_tokens=skip_special_tokens)
    return decoded
