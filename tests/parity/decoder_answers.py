"""What a current transformers says of a decoder-only model: a line of JSON for each seed."""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file

from tests.parity.decoder_cases import NEW, any_case, numbers


def answer(seed: int) -> dict[str, Any]:
    """The logits after all ids of each prompt, and what greedy search adds, of a batch with padding on the left."""
    from transformers import AutoConfig, AutoModelForCausalLM  # of `.parity-current`; the tests' own Python has none

    case = any_case(seed)
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "config.json").write_text(json.dumps(case["config"]), encoding="utf-8")
        empty = AutoModelForCausalLM.from_config(AutoConfig.from_pretrained(folder))
        names = {n: list(p.shape) for n, p in empty.named_parameters()}
        weights = {n: torch.tensor(numbers(seed, n, shape)).reshape(shape) for n, shape in names.items()}
        save_file(weights, Path(folder, "model.safetensors"), {"format": "pt"})
        model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
    width = max(map(len, case["prompts"]))
    ids = torch.tensor([[0] * (width - len(prompt)) + prompt for prompt in case["prompts"]])
    mask = torch.tensor([[0] * (width - len(prompt)) + [1] * len(prompt) for prompt in case["prompts"]])
    with torch.no_grad():
        logits = model(ids, attention_mask=mask, position_ids=(mask.cumsum(-1) - 1).clamp(min=0)).logits
        found = model.generate(ids, attention_mask=mask, max_new_tokens=NEW, do_sample=False)[:, width:]
    last = [row[-len(prompt) :].tolist() for row, prompt in zip(logits, case["prompts"], strict=True)]
    return {"logits": last, "ids": found.tolist(), "shapes": names}


if __name__ == "__main__":
    for line in sys.stdin:
        print(json.dumps(answer(int(line))), flush=True)
