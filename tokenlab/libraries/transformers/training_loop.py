"""Training a T5 in plain PyTorch: batches of texts of similar length, a learning rate schedule, and the training loop.

Adds: the steps from pairs of ids to a trained model; a checkpoint from which training resumes with identical results;
    the loss of the whole batch, so that several processes learn the same as one process does; and a T5 so small that it
    learns some 100 sentences (of possession) in seconds, for experiments during a lesson.
Leaves out: the source of other pairs, and held-out sentences: the small T5 is tested on its training data, and a
    trained model is in data/t5-tiny; the copy of the model in each process and the exchange of gradients, which are
    accelerate's and PyTorch's.

>>> from random import Random
>>> from tokenlab.libraries.transformers import T5Config, T5ForConditionalGeneration
>>> _ = torch.manual_seed(1)
>>> model = T5ForConditionalGeneration(T5Config(10, 8, 4, 16, 1, num_heads=2, decoder_start_token_id=0))
>>> def copies(random: Random) -> Pair:
...     text = [random.randrange(2, 10) for _ in range(3)]
...     return [*text, 1], [*text, 1]
>>> optimizer = torch.optim.Adafactor(model.parameters())
>>> batches, rates = bucketed_batches(copies, size=8, seed=4), learning_rates(3, highest=0.01)
>>> for learned in train_model.steps(model, optimizer, batches, rates):
...     print(learned)
step 1: loss ... at a learning rate of 0.01
step 2: loss ... at a learning rate of 0.0067
step 3: loss ... at a learning rate of 0.0033

Each of several processes computes the gradients of its part of every batch:

>>> from accelerate import Accelerator
>>> accelerator = Accelerator(cpu=True)
>>> model, optimizer = accelerator.prepare(model, torch.optim.SGD(model.parameters()))
>>> train_model(WholeBatchLoss(model, accelerator), optimizer, islice(batches, 2), rates, 0, accelerator.backward)
"""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from itertools import count, islice
from pathlib import Path
from random import Random
from typing import Any, TypeAlias

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pad_sequence

from tokenlab import data
from tokenlab.libraries.transformers.input_checks import IGNORE_INDEX
from tokenlab.libraries.transformers.models.t5.configuration_t5 import T5Config
from tokenlab.libraries.transformers.models.t5.modeling_t5 import T5ForConditionalGeneration
from tokenlab.printing.errors import check_integer
from tokenlab.steps.recording import step, stepwise

Pair: TypeAlias = tuple[list[int], list[int]]  # source ids and target ids
Batch: TypeAlias = dict[str, Tensor]  # the arguments of the model's forward

LEARNING_RATE = 0.01  # for a tiny model; a large one would diverge
POOL_BATCHES = 32  # batches that are drawn together and sorted by length


@step
class TrainingStep:
    """One optimizer step: its number, the loss before it, and the learning rate."""

    number: int
    loss: float
    rate: float

    def __str__(self) -> str:
        return f"step {self.number:,}: loss {self.loss:.2f} at a learning rate of {self.rate:.2g}"


@stepwise
def train_model(
    model: nn.Module,
    optimizer: Any,
    batches: Iterable[Batch],
    rates: Iterable[float],
    start: int = 0,
    backward: Callable[[Tensor], Any] = Tensor.backward,
) -> Generator[TrainingStep, None, None]:
    """Train the model batch by batch, until the batches or the learning rates end.

    Args:
        start: the number of steps that are already done.
        backward: computes the gradients of a loss.
    """
    model.train()
    for number, (rate, batch) in enumerate(zip(rates, batches, strict=False), start=start + 1):
        for group in optimizer.param_groups:
            group["lr"] = rate
        loss = model(**batch).loss
        backward(loss)
        nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)  # no single batch changes the weights too much
        optimizer.step()
        optimizer.zero_grad()
        yield TrainingStep(number, loss.item(), rate)


def learning_rates(steps: int, highest: float, warm_up: float = 0.05, start: int = 0) -> Iterator[float]:
    """Return the learning rate of each step: a linear warm-up, then a linear decay to 0.

    Args:
        highest: the learning rate at the end of the warm-up.
        warm_up: the fraction of the steps in which the rate rises.
        start: the number of steps that are already done.

    Raises:
        ValueError: steps is below 1, or warm_up not between 0 and 1.

    >>> [round(rate, 2) for rate in learning_rates(steps=8, highest=1.0, warm_up=0.5)]
    [0.25, 0.5, 0.75, 1.0, 0.8, 0.6, 0.4, 0.2]
    """
    check_integer("steps", steps, at_least=1)
    if not 0 <= warm_up <= 1:
        raise ValueError(f"warm_up={warm_up} should be a fraction of the steps: a number from 0 to 1, such as 0.05")
    rising = max(1, round(steps * warm_up))
    for number in range(start + 1, steps + 1):
        yield highest * min(number / rising, (steps + 1 - number) / (steps + 1 - rising))


def bucketed_batches(draw: Callable[[Random], Pair], size: int, seed: int, start: int = 0) -> Iterator[Batch]:
    """Yield batches without end; pairs of similar length are batched together, so that there is little padding.

    Args:
        draw: draws one pair, using the given random number generator.
        size: the number of pairs in a batch.
        seed: the same seed gives the same batches.
        start: the number of batches that were already used and are skipped.

    Raises:
        ValueError: size is below 1, or start below 0.
    """
    size, start = check_integer("size", size, at_least=1), check_integer("start", start, at_least=0)
    pools = (_pool(draw, size, Random(f"{seed} {number}")) for number in count(start // POOL_BATCHES))
    return islice((pad_batch(pairs) for pool in pools for pairs in pool), start % POOL_BATCHES, None)


def _pool(draw: Callable[[Random], Pair], size: int, random: Random) -> list[list[Pair]]:
    pairs = sorted((draw(random) for _ in range(POOL_BATCHES * size)), key=lambda pair: (len(pair[0]), len(pair[1])))
    cut = [pairs[first : first + size] for first in range(0, len(pairs), size)]
    random.shuffle(cut)
    return cut


def pad_batch(pairs: list[Pair]) -> Batch:
    """Return a batch of padded tensors: padding is masked in the source and ignored (-100) in the labels.

    >>> pad_batch([([7, 8, 1], [9, 1]), ([7, 1], [1])])["labels"].tolist()
    [[9, 1], [1, -100]]
    """
    texts, answers = ([torch.tensor(ids) for ids in side] for side in zip(*pairs, strict=True))
    return {
        "input_ids": pad_sequence(texts, batch_first=True),
        "attention_mask": pad_sequence([torch.ones_like(ids) for ids in texts], batch_first=True),
        "labels": pad_sequence(answers, batch_first=True, padding_value=IGNORE_INDEX),
    }


def save_checkpoint(path: Path, model: nn.Module, optimizer: Any, **progress: float) -> None:
    """Write everything needed to resume training, atomically: weights, optimizer, random state and progress."""
    beside = path.with_name(path.name + ".part")
    state = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "chance": torch.get_rng_state()}
    torch.save({**state, "progress": progress}, beside)
    os.replace(beside, path)


def load_checkpoint(path: Path, model: nn.Module, optimizer: Any) -> dict[str, float]:
    """Load a checkpoint into the model and the optimizer, and return the progress."""
    state = torch.load(path, weights_only=True, map_location="cpu")
    model.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
    torch.set_rng_state(state["chance"])
    return dict(state["progress"])


# --- several processes --------------------------------------------------------------------------------


class WholeBatchLoss(nn.Module):
    """A model that gets whole batches, the same ones in each process, and reads a part of each of them.

    Args:
        model: the model, as `accelerator.prepare` returns it.
        accelerator: the `accelerate.Accelerator` of this process.
    """

    def __init__(self, model: nn.Module, accelerator: Any) -> None:
        super().__init__()
        self.model, self.accelerator = model, accelerator

    def forward(self, **batch: Tensor) -> Any:
        """Return the output for this process's part, with the loss of the whole batch.

        The value of this loss is the mean over all tokens of the batch, and the mean of its gradients over the
        processes is the gradient of that mean.

        Raises:
            ValueError: there are fewer pairs than processes.
        """
        part = part_of_batch(batch, self.accelerator)
        output = self.model(**part)
        loss = output.loss * share_of_tokens(part, self.accelerator)
        # The value comes from all processes, the gradient from this one; PyTorch takes the mean of the gradients.
        output.loss = loss + (self.accelerator.reduce(loss.detach(), "mean") - loss.detach())
        return output


def part_of_batch(batch: Batch, accelerator: Any) -> Batch:
    """Return the pairs of a batch that this process reads, on its device; a ValueError if there are too few."""
    size, processes = len(batch["labels"]), accelerator.num_processes
    if size < processes:
        raise ValueError(f"a batch of {size} cannot be divided among {processes} processes; take larger batches")
    mine = slice(accelerator.process_index, None, processes)
    return {name: tensor[mine].to(accelerator.device) for name, tensor in batch.items()}


def share_of_tokens(part: Batch, accelerator: Any) -> Tensor:
    """Return the number of tokens in a part's labels, divided by its mean over the processes.

    subtle: the loss of a part is a mean over its tokens. The mean of such means over the processes would weight the
    tokens of a short part more than others. Multiplied by this share, each token weighs the same.
    """
    tokens = (part["labels"] != IGNORE_INDEX).sum().float()
    share: Tensor = tokens / accelerator.reduce(tokens, "mean")
    return share


# --- a small T5 ---------------------------------------------------------------------------------------


def possession_sentence_pairs() -> list[tuple[str, str]]:
    """Return the grammar's English sentences of possession with their German translation, if it is unique.

    >>> possession_sentence_pairs()[1]
    ('I have a new book.', 'Ich habe ein neues Buch.')
    """
    sentences = ((sentence, sentence.german()) for sentence in data.grammar().owning() if sentence.frame == "has")
    return [(sentence.english, *german) for sentence, german in sentences if len(german) == 1]


def untrained_t5(tokenizer: Any, seed: int = 0) -> T5ForConditionalGeneration:
    """Return a randomly initialized model; the same seed gives the same model."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        config = T5Config(len(tokenizer), 48, 12, 96, 1, num_heads=4, dropout_rate=0.0, decoder_start_token_id=0)
        return T5ForConditionalGeneration(config)


def train_untrained_t5(
    model: T5ForConditionalGeneration, tokenizer: Any, pairs: list[tuple[str, str]], steps: int = 200, seed: int = 1
) -> list[float]:
    """Train for the given number of steps, and return the loss before each; the same seed draws the same sentences."""
    ids = [(tokenizer(source)["input_ids"], tokenizer(target)["input_ids"]) for source, target in pairs]
    return train_on(model, lambda random: random.choice(ids), steps, seed)


def train_on(
    model: T5ForConditionalGeneration,
    draw: Callable[[Random], Pair],
    steps: int,
    seed: int = 1,
    highest: float = LEARNING_RATE,
) -> list[float]:
    """Train on batches of 16 drawn pairs with AdamW, and return the loss before each step.

    Args:
        model: the model, which is changed.
        draw: draws one pair, using the given random number generator.
        steps: the number of training steps.
        seed: the same seed gives the same batches.
        highest: the highest learning rate.
    """
    optimizer = torch.optim.AdamW(model.parameters())
    learned = train_model.steps(
        model, optimizer, bucketed_batches(draw, size=16, seed=seed), learning_rates(steps, highest)
    )
    with single_threaded():
        losses = [step.loss for step in learned]
    model.eval()
    return losses


@contextmanager
def single_threaded() -> Iterator[None]:
    """Use one PyTorch thread inside this `with` block, the fastest choice for small matrices."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
