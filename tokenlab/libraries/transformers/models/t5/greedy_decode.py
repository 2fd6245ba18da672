"""Greedy decoding: each step generates the most probable token, which is the input of the next step.

Adds: the decoding loop around a trained T5, for a batch of texts and with a KV cache.
Leaves out: other decoding strategies, scores, and the library's `generate`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor


@torch.no_grad()
def greedy_decode(
    model: Any, input_ids: Tensor, attention_mask: Tensor | None = None, max_length: int = 40
) -> list[list[int]]:
    """Return the generated ids of each text, without the start and end ids.

    Args:
        model: a T5ForConditionalGeneration; call its `eval()` first if it has dropout.
        input_ids: (batch, length).
        attention_mask: (batch, length), 0 for padding.
        max_length: the maximum number of generated tokens.

    >>> from tokenlab.libraries.transformers import T5Config, T5ForConditionalGeneration
    >>> untrained = T5ForConditionalGeneration(T5Config(10, 4, 2, 4, 1, num_heads=1, decoder_start_token_id=0))
    >>> [len(ids) <= 5 for ids in greedy_decode(untrained, torch.tensor([[3, 4, 1], [5, 6, 1]]), max_length=5)]
    [True, True]
    """
    encoded = model.get_encoder()(input_ids, attention_mask)
    token = torch.full((len(input_ids), 1), model.config.decoder_start_token_id, device=input_ids.device)
    finished = torch.zeros_like(token, dtype=torch.bool)  # (batch, 1)
    cache: Any = None
    generated: list[Tensor] = []  # (batch, 1) of each step
    while len(generated) < max_length and not finished.all():
        output = model(
            encoder_outputs=encoded,
            attention_mask=attention_mask,
            decoder_input_ids=token,  # subtle: only the newest token; earlier tokens are in the cache
            past_key_values=cache,
            use_cache=True,
        )
        token, cache = output.logits[:, -1:].argmax(-1), output.past_key_values
        finished = finished | (token == model.config.eos_token_id)
        generated.append(token)
    texts = torch.cat(generated, dim=1).tolist() if generated else [[] for _ in input_ids]
    return [_until(model.config.eos_token_id, ids) for ids in texts]


def _until(end: int, ids: list[int]) -> list[int]:
    return ids[: ids.index(end)] if end in ids else ids


def greedy_decode_texts(
    model: Any, tokenizer: Any, texts: Sequence[str], max_length: int = 40, skip_special_tokens: bool = True
) -> list[str]:
    """Return the generated text for each source text.

    Args:
        model: a T5ForConditionalGeneration; call its `eval()` first if it has dropout.
        tokenizer: the tokenizer of the model.
        texts: the source texts, decoded as one batch.
        max_length: the maximum number of generated tokens.
        skip_special_tokens: whether sentinels and other special tokens are left out.
    """
    given = tokenizer(list(texts), padding=True, return_tensors="pt")
    generated = greedy_decode(model, given["input_ids"], given["attention_mask"], max_length)
    return [tokenizer.decode(ids, skip_special_tokens=skip_special_tokens) for ids in generated]
