"""Greedy decoding: at each step the likeliest token is written, and read at the next.

Adds: the loop around a model that a trained T5 needs to answer; many texts at once, and the cache of keys and values.
Leaves out: every other way to choose, scores, and the library's `generate`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor


@torch.no_grad()
def greedy(
    model: Any, input_ids: Tensor, attention_mask: Tensor | None = None, max_length: int = 40
) -> list[list[int]]:
    """What the model writes for each text: the ids between its start and its end.

    Args:
        model: a T5ForConditionalGeneration; call its `eval()` first if it has dropout.
        input_ids: (batch, length).
        attention_mask: (batch, length), 0 where a text was filled up.
        max_length: how many tokens are written at most.

    >>> from tokenlab.transformers import T5Config, T5ForConditionalGeneration
    >>> untrained = T5ForConditionalGeneration(T5Config(10, 4, 2, 4, 1, num_heads=1, decoder_start_token_id=0))
    >>> [len(ids) <= 5 for ids in greedy(untrained, torch.tensor([[3, 4, 1], [5, 6, 1]]), max_length=5)]
    [True, True]
    """
    encoded = model.get_encoder()(input_ids, attention_mask)
    token = torch.full((len(input_ids), 1), model.config.decoder_start_token_id, device=input_ids.device)
    ended = torch.zeros_like(token, dtype=torch.bool)  # (batch, 1)
    cache: Any = None
    written: list[Tensor] = []  # (batch, 1) of each step
    while len(written) < max_length and not ended.all():
        output = model(
            encoder_outputs=encoded,
            attention_mask=attention_mask,
            decoder_input_ids=token,  # subtle: the newest alone; what came before it is in the cache
            past_key_values=cache,
            use_cache=True,
        )
        token, cache = output.logits[:, -1:].argmax(-1), output.past_key_values
        ended = ended | (token == model.config.eos_token_id)
        written.append(token)
    texts = torch.cat(written, dim=1).tolist() if written else [[] for _ in input_ids]
    return [_until(model.config.eos_token_id, ids) for ids in texts]


def _until(end: int, ids: list[int]) -> list[int]:
    return ids[: ids.index(end)] if end in ids else ids


def answer(
    model: Any, tokenizer: Any, texts: Sequence[str], max_length: int = 40, skip_special_tokens: bool = True
) -> list[str]:
    """What the model writes for each text, as text.

    Args:
        model: a T5ForConditionalGeneration; call its `eval()` first if it has dropout.
        tokenizer: that of the model.
        texts: what is read, all at once.
        max_length: how many tokens are written at most.
        skip_special_tokens: whether sentinels, and what else is no text, are left out.
    """
    given = tokenizer(list(texts), padding=True, return_tensors="pt")
    written = greedy(model, given["input_ids"], given["attention_mask"], max_length)
    return [tokenizer.decode(ids, skip_special_tokens=skip_special_tokens) for ids in written]
