"""Makes t5_model.json: two small T5s of transformers 4.26.1, their weights, and what they answer.

    .parity/bin/python data/make_t5_model.py > data/t5_model.json      # after make parity

Lesson 15 compares with it, since the library of that version cannot be installed beside the lessons. It imports nothing
of tokenlab. The same releases give the same file.
"""

from __future__ import annotations

import json
from typing import Any

import torch
from transformers import T5Config, T5ForConditionalGeneration

SIZES = {"vocab_size": 12, "d_model": 6, "d_kv": 4, "d_ff": 7, "num_layers": 1, "num_decoder_layers": 2, "num_heads": 2}
VERSIONS = {
    "1.0": {"feed_forward_proj": "relu", "tie_word_embeddings": True},
    "1.1": {"feed_forward_proj": "gated-gelu", "tie_word_embeddings": False},
}
INPUT_IDS = [[7, 8, 9, 10, 1], [11, 5, 1, 0, 0]]
LABELS = [[4, 5, 6, 1], [9, 1, -100, -100]]


def answers(config: dict[str, Any]) -> dict[str, Any]:
    """What one model reads for the labels, its loss and scores, and the same scores token by token."""
    torch.manual_seed(1)
    model = T5ForConditionalGeneration(T5Config(**config)).eval()
    weights = {name: drawn(*weight.shape) for name, weight in model.state_dict().items()}
    for alias in ("encoder.embed_tokens.weight", "decoder.embed_tokens.weight"):
        weights[alias] = weights["shared.weight"]
    if config["tie_word_embeddings"]:
        weights["lm_head.weight"] = weights["shared.weight"]
    model.load_state_dict(weights)
    ids, labels = torch.tensor(INPUT_IDS), torch.tensor(LABELS)
    given = {"input_ids": ids, "attention_mask": (ids != 0).long()}
    asked = {name: values.tolist() for name, values in {**given, "labels": labels}.items()}
    with torch.no_grad():
        output = model(**given, labels=labels)
        read = model._shift_right(labels)
        cache, scores, keys = None, [], []
        for place in range(read.shape[1]):
            step = model(**given, decoder_input_ids=read[:, place : place + 1], past_key_values=cache, use_cache=True)
            cache = step.past_key_values
            scores.append(step.logits)
            keys.append([cache[0][0].shape[2], cache[0][2].shape[2]])
    return {
        "config": config,
        "weights": {name: plain(weight) for name, weight in weights.items()},
        "given": asked,
        "decoder_input_ids": read.tolist(),
        "loss": float(f"{output.loss:.7g}"),
        "logits": plain(output.logits),
        "token_by_token": plain(torch.cat(scores, dim=1)),
        "rows_of_keys": keys,
    }


def drawn(*shape: int) -> torch.Tensor:
    """Random numbers with three digits behind the point, which a file keeps without loss."""
    return torch.randn(shape).mul(500).round() / 1000


def plain(numbers: torch.Tensor) -> Any:
    """Nested lists; seven digits are what float32 has."""
    return [plain(row) for row in numbers] if numbers.dim() else float(f"{numbers:.7g}")


if __name__ == "__main__":
    config = {**SIZES, "dropout_rate": 0.0, "decoder_start_token_id": 0}
    found = {version: answers({**config, **settings}) for version, settings in VERSIONS.items()}
    print(json.dumps(found, separators=(",", ":")))
