"""Values for the checks of the third capstone: random decoder-only models, their caches, and the folder of a model."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

import torch
from torch import Tensor

from tokenlab import data
from tokenlab.check.tensor_check import random_tensors
from tokenlab.minimal.decoder import weight_shapes

Weights: TypeAlias = Mapping[str, Tensor]
Config: TypeAlias = Mapping[str, Any]
Pair: TypeAlias = tuple[Tensor, Tensor]  # the keys and values of a layer
VOCAB_SIZE, END = 9, 8
OWN = Path("my_decoder")  # where a learner's training saves a model


def layer_weights(weights: Weights, n: int) -> dict[str, Tensor]:
    """Return the weights of a layer with short names, such as `q_proj`.

    >>> layer_weights({"model.layers.0.mlp.up_proj.weight": torch.ones(1)}, 0)
    {'up_proj': tensor([1.])}
    """
    start = f"model.layers.{n}."
    return {name.split(".")[-2]: weight for name, weight in weights.items() if name.startswith(start)}


def empty_cache(config: Config, rows: int) -> list[Pair]:
    """Return the cache before the first token: a pair of tensors of length 0 for each layer."""
    empty = torch.zeros(rows, config["num_key_value_heads"], 0, config["head_dim"])
    return [(empty, empty)] * config["num_hidden_layers"]


def random_cache(seed: int, config: Config, rows: int, length: int) -> list[Pair]:
    """Return a cache of random keys and values."""
    tensor, sizes = random_tensors(seed + 50), (rows, config["num_key_value_heads"], length, config["head_dim"])
    return [(tensor(*sizes), tensor(*sizes)) for _ in range(config["num_hidden_layers"])]


@cache
def random_decoder(seed: int, layers: int, shared: int, pairs: int) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """Return the weights and the configuration of a model with 9 ids, vectors of 4 numbers and 2 key-value heads.

    Args:
        seed: of the random weights.
        layers: the number of layers.
        shared: the number of query heads that share a key-value head.
        pairs: the number of pairs of numbers that a head rotates.
    """
    config = {
        "model_type": "llama",
        "vocab_size": VOCAB_SIZE,
        "hidden_size": 4,
        "intermediate_size": 3,
        "num_hidden_layers": layers,
        "num_attention_heads": 2 * shared,
        "num_key_value_heads": 2,
        "head_dim": 2 * pairs,
        "rope_theta": 100.0,
        "tie_word_embeddings": True,
    }
    tensor = random_tensors(seed)
    return {name: tensor(*shape) for name, shape in weight_shapes(config).items()}, config


def trained_folder() -> Path | None:
    """Return the folder of the learner's trained model; without one, that of the kit's model, if it was made."""
    for folder in (OWN, data.decoder_tiny()):
        if all((folder / name).exists() for name in ("model.safetensors", "config.json", "vocabulary.tiktoken")):
            return folder
    return None
