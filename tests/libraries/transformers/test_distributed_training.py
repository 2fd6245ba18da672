"""Training in several processes: the losses and the gradients are those of one process with the whole batches."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from tests.libraries.transformers import train_in_processes
from tests.tolerance import SMALL, are_close, near
from tokenlab.libraries.transformers import T5Config, T5ForConditionalGeneration
from tokenlab.libraries.transformers.training_loop import WholeBatchLoss, pad_batch, part_of_batch, share_of_tokens

ROOT = Path(__file__).parents[3]
BATCH = pad_batch([([5, 6, 1], [7, 8, 9, 7, 8, 1]), ([8, 1], [1]), ([9, 1], [3, 1])])


def process(index: int, processes: int = 2, reduced: Any = lambda value: value) -> Any:
    """An accelerator's interface, as one of several processes sees it."""
    return SimpleNamespace(
        process_index=index,
        num_processes=processes,
        device=torch.device("cpu"),
        reduce=lambda value, how: reduced(value),
    )


def test_the_parts_of_a_batch_are_all_of_it() -> None:
    parts = [part_of_batch(BATCH, process(index)) for index in range(2)]
    assert [len(part["labels"]) for part in parts] == [2, 1]
    assert torch.equal(parts[0]["input_ids"], BATCH["input_ids"][[0, 2]])
    assert torch.equal(parts[1]["labels"], BATCH["labels"][[1]])


def test_a_batch_with_fewer_pairs_than_processes_is_refused() -> None:
    with pytest.raises(ValueError, match="a batch of 3 cannot be divided among 4 processes; take larger batches"):
        part_of_batch(BATCH, process(0, 4))


def test_the_share_is_that_of_the_tokens_and_not_of_the_pairs() -> None:
    shares = [share_of_tokens(part_of_batch(BATCH, process(i)), process(i, 2, lambda _: 9 / 2)) for i in range(2)]
    assert [float(share) for share in shares] == pytest.approx([8 / 4.5, 1 / 4.5])


def test_the_mean_of_two_gradients_is_the_gradient_of_the_whole_batch() -> None:
    torch.manual_seed(4)
    model = T5ForConditionalGeneration(
        T5Config(12, 16, 4, 16, 1, num_heads=2, decoder_start_token_id=0, dropout_rate=0.0)
    )
    loss = model(**BATCH).loss
    loss.backward()
    expected = [parameter.grad.clone() for parameter in model.parameters()]
    model.zero_grad()
    for index in range(2):
        values = iter([torch.tensor(4.5), loss.detach()])  # the mean number of tokens, and the mean loss
        found = WholeBatchLoss(model, process(index, 2, lambda _, values=values: next(values)))(**BATCH).loss
        assert are_close(found, loss, length=SMALL)
        (found / 2).backward()
    for parameter, gradient in zip(model.parameters(), expected, strict=True):
        assert are_close(parameter.grad, gradient, length=SMALL)


@pytest.mark.slow
def test_two_processes_have_the_loss_curve_of_one_with_the_whole_batches(tmp_path: Path) -> None:
    # The rendezvous of --standalone listens on a port that the system chooses.
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    script = Path(train_in_processes.__file__)
    environment = os.environ | {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    environment |= {"ACCELERATE_USE_CPU": "true", "CUDA_VISIBLE_DEVICES": ""}
    run = subprocess.run(
        [*command, script, tmp_path], env=environment, capture_output=True, encoding="utf-8", timeout=300
    )
    assert run.returncode == 0, run.stderr[-3000:]
    first, second = (json.loads((tmp_path / f"{rank}.json").read_text(encoding="utf-8")) for rank in range(2))
    assert first == second and first["processes"] == 2
    (tmp_path / "alone").mkdir()
    subprocess.run([sys.executable, script, tmp_path / "alone"], env=environment, check=True, timeout=300)
    alone = json.loads((tmp_path / "alone" / "0.json").read_text(encoding="utf-8"))
    assert alone["processes"] == 1 and len(alone["losses"]) == train_in_processes.STEPS
    assert alone["losses"][-1] < alone["losses"][0]
    assert first["losses"] == near(alone["losses"])
    assert first["weights"] == near(alone["weights"], length=SMALL)
