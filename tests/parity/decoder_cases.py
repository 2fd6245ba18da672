"""Random decoder-only models, whose numbers come from Python's generator: the same on every machine."""

from __future__ import annotations

from random import Random
from typing import Any

NEW = 6  # ids that greedy search adds


def any_case(seed: int) -> dict[str, Any]:
    """A config.json, and prompts of different lengths; `weight` gives the numbers of each matrix."""
    random = Random(seed)
    groups = random.choice([1, 2, 3])
    heads = groups * random.choice([1, 2, 4])
    theta = random.choice([100.0, 10_000.0, 500_000.0])
    config = {
        "model_type": random.choice(["llama", "qwen3"]),
        "vocab_size": random.choice([7, 50, 120]),
        "hidden_size": heads * random.choice([2, 4, 6]),
        "intermediate_size": random.choice([8, 20, 40]),
        "num_hidden_layers": random.choice([1, 2, 3]),
        "num_attention_heads": heads,
        "num_key_value_heads": groups,
        "head_dim": random.choice([2, 4, 8]),
        "rms_norm_eps": random.choice([1e-6, 1e-5]),
        "tie_word_embeddings": random.random() < 0.5,
        "bos_token_id": None,
        "eos_token_id": None,
        "pad_token_id": 0,
        **random.choice([{"rope_theta": theta}, {"rope_parameters": {"rope_type": "default", "rope_theta": theta}}]),
    }
    prompts = [
        [random.randrange(config["vocab_size"]) for _ in range(random.randint(1, 9))]
        for _ in range(random.choice([1, 2, 3]))
    ]
    return {"seed": seed, "config": config, "prompts": prompts}


def numbers(seed: int, name: str, shape: list[int]) -> list[float]:
    """The numbers of a weight, from the first to the last; those of a norm are positive."""
    random = Random(f"{seed} {name}")
    size = shape[0] * shape[-1] if len(shape) > 1 else shape[0]
    return [random.uniform(0.5, 1.5) if len(shape) == 1 else random.gauss(0, 0.3) for _ in range(size)]
