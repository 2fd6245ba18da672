"""T5s of odd sizes with weights from a seed, and sentences with padding for them."""

from __future__ import annotations

import random
from typing import Any

import torch

from tokenlab.libraries import transformers

Case = dict[str, Any]


def random_config(dice: random.Random) -> dict[str, Any]:
    """A configuration: relu or gated, tied or not, one to four layers, odd sizes."""
    buckets = dice.choice([4, 5, 8, 32])
    return {
        "vocab_size": dice.randint(5, 40),
        "d_model": dice.randint(1, 13),
        "d_kv": dice.randint(1, 7),
        "d_ff": dice.randint(1, 17),
        "num_layers": dice.randint(1, 4),
        "num_decoder_layers": dice.choice([None, 1, 2, 3, 4]),
        "num_heads": dice.randint(1, 5),
        "relative_attention_num_buckets": buckets,
        "relative_attention_max_distance": dice.choice([buckets, 20, 128, 1000]),
        "feed_forward_proj": dice.choice(["relu", "gated-gelu", "gated-silu", "gelu"]),
        "tie_word_embeddings": dice.random() < 0.5,
        "decoder_start_token_id": dice.choice([0, 2]),
    }


def case_of(config: dict[str, Any], batch: int, length: int, target: int, seed: int) -> Case:
    """A model with weights from the seed, padded sentences on both sides, and labels of which some do not count."""
    dice = random.Random(seed)
    size = config["vocab_size"]

    def ids(width: int) -> list[list[int]]:
        return [[dice.randrange(size) for _ in range(width)] for _ in range(batch)]

    def mask(width: int) -> list[list[int]]:
        # The first sentence fills its line, the others are shorter.
        used = [width, *(dice.randint(1, width) for _ in range(batch - 1))]
        return [[1] * n + [0] * (width - n) for n in used]

    labels, decoder_mask = ids(target), mask(target)
    for row in labels[1:]:
        row[dice.randrange(target)] = -100
    case = {"config": config, "input_ids": ids(length), "attention_mask": mask(length)}
    return {**case, "labels": labels, "decoder_attention_mask": decoder_mask, "weights": weights(config, seed)}


def weights(config: dict[str, Any], seed: int) -> dict[str, Any]:
    """Weights that depend on nothing but names, sizes and the seed; large enough for every bias and mask to matter."""
    model = transformers.T5ForConditionalGeneration(transformers.T5Config(**config))
    for name, parameter in model.named_parameters():
        dice = random.Random(f"{seed} {name}")
        reach = 1.0 if parameter.dim() == 1 or "relative" in name or "shared" in name else parameter.shape[1] ** -0.5
        values = [dice.uniform(-reach, reach) for _ in range(parameter.numel())]
        with torch.no_grad():
            parameter.copy_(torch.tensor(values).view(parameter.shape))
    return {name: values.tolist() for name, values in model.state_dict().items()}


def recorded_cases() -> dict[str, Case]:
    """The cases whose answers are stored: both kinds of layers, tied and not, at the lengths where errors hide."""
    small = {"vocab_size": 9, "d_model": 5, "d_kv": 3, "d_ff": 4, "num_heads": 2, "decoder_start_token_id": 0}
    relu = {**small, "num_layers": 2}
    gated = {**small, "num_layers": 1, "num_decoder_layers": 2, "feed_forward_proj": "gated-gelu"}
    return {
        "one token": case_of(relu, 1, 1, 1, seed=1),
        "two tokens": case_of(gated, 2, 2, 2, seed=2),
        "distance nine": case_of({**relu, "tie_word_embeddings": False}, 1, 10, 10, seed=3),
        "padding": case_of({**gated, "tie_word_embeddings": False}, 2, 12, 11, seed=4),
        "few buckets": case_of(
            {**relu, "relative_attention_num_buckets": 5, "relative_attention_max_distance": 9}, 2, 5, 14, seed=5
        ),
    }


def random_case(seed: int) -> Case:
    """Any case; lengths from 1 to 64."""
    dice = random.Random(seed)
    length, target = (dice.choice([1, 2, 8, 9, 10, 17, 40, 64]) for _ in range(2))
    return case_of(random_config(dice), dice.randint(1, 3), length, target, seed)


def differences(ours: Any, theirs: Any, where: str = "") -> dict[str, float]:
    """How far each answer is off, as a share of the largest number in it (or of 0.01, where all are smaller)."""
    if isinstance(theirs, dict):
        assert ours.keys() == theirs.keys(), (where, ours.keys() ^ theirs.keys())
        return {
            key: off for name in theirs for key, off in differences(ours[name], theirs[name], f"{where}.{name}").items()
        }
    left, right = torch.tensor(ours, dtype=torch.float64), torch.tensor(theirs, dtype=torch.float64)
    assert left.shape == right.shape, (where, left.shape, right.shape)
    return {where: float((left - right).abs().max() / right.abs().max().clamp(min=0.01))}
