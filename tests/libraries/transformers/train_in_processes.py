"""Train a small T5 in this process, which may be one of several, and write its losses to a folder."""

from __future__ import annotations

import json
import sys
from itertools import islice
from pathlib import Path
from random import Random

import torch
from accelerate import Accelerator

from tokenlab.libraries.transformers import T5Config, T5ForConditionalGeneration
from tokenlab.libraries.transformers.training_loop import WholeBatchLoss, bucketed_batches, learning_rates, train_model

STEPS, BATCH = 12, 8


def answers(random: Random) -> tuple[list[int], list[int]]:
    """A text, and an answer of 1 to 9 tokens, so that parts of a batch have different numbers of tokens."""
    text = [random.randrange(3, 20) for _ in range(random.randint(1, 6))]
    return [*text, 1], [*(text * 9)[: random.randint(0, 8)], 1]


def losses() -> dict[str, object]:
    """Return the losses, and the weights' sum, which depends on the gradients."""
    accelerator = Accelerator(cpu=True)
    torch.manual_seed(4)
    model = T5ForConditionalGeneration(
        T5Config(20, 32, 8, 32, 1, num_heads=4, decoder_start_token_id=0, dropout_rate=0.0)
    )
    prepared, optimizer = accelerator.prepare(model, torch.optim.SGD(model.parameters(), lr=0.1))
    batches = islice(bucketed_batches(answers, BATCH, seed=6), STEPS)
    whole = WholeBatchLoss(prepared, accelerator)
    steps = train_model.steps(whole, optimizer, batches, learning_rates(STEPS, 0.5), 0, accelerator.backward)
    found = [step.loss for step in steps]
    weights = float(sum(parameter.detach().double().abs().sum() for parameter in model.parameters()))
    return {"losses": found, "weights": weights, "processes": accelerator.num_processes}


if __name__ == "__main__":
    torch.set_num_threads(1)
    found = losses()
    from torch import distributed

    rank = distributed.get_rank() if distributed.is_initialized() else 0
    Path(sys.argv[1], f"{rank}.json").write_text(json.dumps(found), encoding="utf-8", newline="\n")
    if distributed.is_initialized():
        distributed.destroy_process_group()
