"""Makes t5_attention.json: one attention of transformers 4.26.1 in both stacks, its weights, and what it answers.

    .parity/bin/python data/make_t5_attention.py > data/t5_attention.json      # after make parity

Lesson 14 compares with it, since the library of that version cannot be installed beside the lessons. It imports nothing
of tokenlab. The same releases give the same file.
"""

from __future__ import annotations

import json
from typing import Any

import torch
from transformers import T5Config
from transformers.models.t5.modeling_t5 import T5Attention

SIZES = {"d_model": 6, "d_kv": 4, "num_heads": 2, "dropout_rate": 0.0}
LENGTH = 12  # the last token looks back as far as the encoder's buckets part from the decoder's, and farther
FARTHEST = 200  # distances, in both directions


def answers(is_decoder: bool) -> dict[str, Any]:
    """Buckets of all distances, and the output for random weights and states."""
    config = {**SIZES, "is_decoder": is_decoder}
    torch.manual_seed(1)
    attention = T5Attention(T5Config(**config), has_relative_attention_bias=True)
    weights = {name: drawn(*weight.shape) for name, weight in attention.state_dict().items()}
    attention.load_state_dict(weights)
    states = drawn(1, LENGTH, SIZES["d_model"])
    with torch.no_grad():
        output = attention(states)[0]
    distances = torch.arange(-FARTHEST, FARTHEST + 1)
    return {
        "config": config,
        "weights": {name: plain(weight) for name, weight in weights.items()},
        "hidden_states": plain(states),
        "output": plain(output),
        "distances": distances.tolist(),
        "buckets": attention._relative_position_bucket(distances, bidirectional=not is_decoder).tolist(),
    }


def drawn(*shape: int) -> torch.Tensor:
    """Random numbers with three digits behind the point, which a file keeps without loss."""
    return torch.randn(shape).mul(500).round() / 1000


def plain(numbers: torch.Tensor) -> Any:
    """Nested lists; seven digits are what float32 has."""
    return [plain(row) for row in numbers] if numbers.dim() else float(f"{numbers:.7g}")


if __name__ == "__main__":
    print(
        json.dumps({"encoder": answers(is_decoder=False), "decoder": answers(is_decoder=True)}, separators=(",", ":"))
    )
