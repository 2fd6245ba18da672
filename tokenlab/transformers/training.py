"""Training a T5 in plain PyTorch: batches of texts of one length, a rate for each step, and the loop itself.

Adds: what stands between pairs of ids and a trained model; a checkpoint from which training goes on as if nothing had
happened.
Leaves out: where the pairs come from, and several devices, for which `backward` may be that of an `Accelerator`.

>>> from random import Random
>>> from tokenlab.transformers import T5Config, T5ForConditionalGeneration
>>> _ = torch.manual_seed(1)
>>> model = T5ForConditionalGeneration(T5Config(10, 8, 4, 16, 1, num_heads=2, decoder_start_token_id=0))
>>> def copies(random: Random) -> Pair:
...     text = [random.randrange(2, 10) for _ in range(3)]
...     return [*text, 1], [*text, 1]
>>> optimizer = torch.optim.Adafactor(model.parameters())
>>> for learned in train.steps(model, optimizer, batches(copies, size=8, seed=4), rates(3, highest=0.01)):
...     print(learned)
step 1: loss ... at a rate of 0.01
step 2: loss ... at a rate of 0.0067
step 3: loss ... at a rate of 0.0033
"""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterable, Iterator
from itertools import count, islice
from pathlib import Path
from random import Random
from typing import Any, TypeAlias

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pad_sequence

from tokenlab.errors import whole_number
from tokenlab.steps import step, stepwise
from tokenlab.transformers.t5_checks import IGNORED

Pair: TypeAlias = tuple[list[int], list[int]]  # the ids that the encoder reads, and those that the decoder should write
Batch: TypeAlias = dict[str, Tensor]  # the arguments of the model's forward

POOL = 32  # so many batches are drawn together, for the sake of like lengths


@step
class Learned:
    """A batch was read and the weights were changed."""

    number: int
    loss: float
    rate: float

    def __str__(self) -> str:
        """Say the loss before the change, and how far the change could go."""
        return f"step {self.number:,}: loss {self.loss:.2f} at a rate of {self.rate:.2g}"


@stepwise
def train(
    model: nn.Module,
    optimizer: Any,
    batches: Iterable[Batch],
    rates: Iterable[float],
    start: int = 0,
    backward: Callable[[Tensor], Any] = Tensor.backward,
) -> Generator[Learned, None, None]:
    """Change the model's weights batch by batch, until the batches or the rates end.

    Args:
        start: how many steps were done before.
        backward: puts the gradient of a loss where the optimizer finds it.
    """
    model.train()
    for number, (rate, batch) in enumerate(zip(rates, batches, strict=False), start=start + 1):
        for group in optimizer.param_groups:
            group["lr"] = rate
        loss = model(**batch).loss
        backward(loss)
        nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)  # no single batch leads far astray
        optimizer.step()
        optimizer.zero_grad()
        yield Learned(number, loss.item(), rate)


def rates(steps: int, highest: float, warm_up: float = 0.05, start: int = 0) -> Iterator[float]:
    """How far each step may go: ever farther at first, while the model knows nothing, and less and less to the end.

    Args:
        warm_up: the share of the steps in which the rate rises.
        start: how many steps were done before.

    Raises:
        ValueError: steps is below 1, or warm_up not between 0 and 1.

    >>> [round(rate, 2) for rate in rates(steps=8, highest=1.0, warm_up=0.5)]
    [0.25, 0.5, 0.75, 1.0, 0.8, 0.6, 0.4, 0.2]
    """
    whole_number("steps", steps, at_least=1)
    if not 0 <= warm_up <= 1:
        raise ValueError(f"warm_up={warm_up} is a share of the steps; give a number from 0 to 1, such as 0.05")
    rising = max(1, round(steps * warm_up))
    for number in range(start + 1, steps + 1):
        yield highest * min(number / rising, (steps + 1 - number) / (steps + 1 - rising))


def batches(draw: Callable[[Random], Pair], size: int, seed: int, start: int = 0) -> Iterator[Batch]:
    """Batches without end, of so many pairs each; pairs of like length come together, so that little is filled up.

    Args:
        draw: one pair, from a source of chance.
        size: pairs in a batch.
        seed: the same seed gives the same batches.
        start: how many batches were used before; they are not drawn again.

    Raises:
        ValueError: size is below 1, or start below 0.
    """
    size, start = whole_number("size", size, at_least=1), whole_number("start", start, at_least=0)
    pools = (_pool(draw, size, Random(f"{seed} {number}")) for number in count(start // POOL))
    return islice((pad(pairs) for pool in pools for pairs in pool), start % POOL, None)


def _pool(draw: Callable[[Random], Pair], size: int, random: Random) -> list[list[Pair]]:
    pairs = sorted((draw(random) for _ in range(POOL * size)), key=lambda pair: (len(pair[0]), len(pair[1])))
    cut = [pairs[first : first + size] for first in range(0, len(pairs), size)]
    random.shuffle(cut)
    return cut


def pad(pairs: list[Pair]) -> Batch:
    """Pairs as rectangles: where a text has ended, a mask says so, and no loss is counted.

    >>> pad([([7, 8, 1], [9, 1]), ([7, 1], [1])])["labels"].tolist()
    [[9, 1], [1, -100]]
    """
    texts, answers = ([torch.tensor(ids) for ids in side] for side in zip(*pairs, strict=True))
    return {
        "input_ids": pad_sequence(texts, batch_first=True),
        "attention_mask": pad_sequence([torch.ones_like(ids) for ids in texts], batch_first=True),
        "labels": pad_sequence(answers, batch_first=True, padding_value=IGNORED),
    }


def save_checkpoint(path: Path, model: nn.Module, optimizer: Any, **progress: float) -> None:
    """Write all that going on takes, whole or not at all: weights, the optimizer's memory, chance, and progress."""
    beside = path.with_name(path.name + ".part")
    state = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "chance": torch.get_rng_state()}
    torch.save({**state, "progress": progress}, beside)
    os.replace(beside, path)


def load_checkpoint(path: Path, model: nn.Module, optimizer: Any) -> dict[str, float]:
    """Read a checkpoint into the model and the optimizer; how far it had got."""
    state = torch.load(path, weights_only=True, map_location="cpu")
    model.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
    torch.set_rng_state(state["chance"])
    return dict(state["progress"])
