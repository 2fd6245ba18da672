"""A decoder-only model with random weights and a tokenizer of letters, for tests; its logits are far apart."""

from __future__ import annotations

from functools import cache
from string import ascii_lowercase

import torch

from tokenlab.minimal.decoder import Decoder
from tokenlab.minimal.gpt2_tokenizer import Tokenizer

END = "<|endoftext|>"
RANKS = {letter.encode(): rank for rank, letter in enumerate(f" {ascii_lowercase}")}
SIZES = {"model_type": "llama", "hidden_size": 16, "intermediate_size": 24, "num_hidden_layers": 2, "head_dim": 4}
SIZES |= {"num_attention_heads": 4, "num_key_value_heads": 2, "rope_theta": 100.0, "tie_word_embeddings": True}


@cache
def small_decoder(seed: int = 0) -> Decoder:
    """Return the model; its matrices are larger than at the start of training, so that no two logits are close."""
    model = Decoder.untrained(SIZES | {"vocab_size": len(RANKS) + 1}, seed)
    larger = {name: weight.detach() * (1 if weight.dim() == 1 else 30) for name, weight in model.weights.items()}
    return Decoder(larger, model.config)


def letters() -> Tokenizer:
    """Return the tokenizer; it knows small letters and spaces."""
    return Tokenizer(RANKS, {END: len(RANKS)})


@torch.no_grad()
def last_logits(model: Decoder, ids: list[int]) -> list[float]:
    """Return the logits after these ids, computed without a cache."""
    found: list[float] = model(torch.tensor([ids]))[0][0, -1].tolist()
    return found
