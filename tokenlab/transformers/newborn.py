"""A T5 so small that it learns some hundred sentences in seconds, for experiments that a lesson can wait for.

Adds: the sentences (who has what), a model of one block on each side, and a short training.
Leaves out: held-out sentences; this model is asked what it has read. The real one is in data/t5-tiny.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from random import Random
from typing import Any

import torch

from tokenlab import data
from tokenlab.transformers.configuration_t5 import T5Config
from tokenlab.transformers.modeling_t5 import T5ForConditionalGeneration
from tokenlab.transformers.training import Pair, batches, rates, train

RATE = 0.01  # of a model so small; a large one would fall apart


def possessions() -> list[tuple[str, str]]:
    """English sentences of the grammar about who has what, each with its German translation, if there is only one.

    >>> possessions()[1]
    ('I have a new book.', 'Ich habe ein neues Buch.')
    """
    found = []
    for sentence in data.grammar().owning():
        german = sentence.german()
        if sentence.frame == "has" and len(german) == 1:
            found.append((sentence.english, *german))
    return found


def newborn(tokenizer: Any, seed: int = 0) -> T5ForConditionalGeneration:
    """A model that knows nothing yet; the same seed gives the same one."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        config = T5Config(len(tokenizer), 48, 12, 96, 1, num_heads=4, dropout_rate=0.0, decoder_start_token_id=0)
        return T5ForConditionalGeneration(config)


def learn(
    model: T5ForConditionalGeneration, tokenizer: Any, pairs: list[tuple[str, str]], steps: int = 200, seed: int = 1
) -> list[float]:
    """Train for some steps, and return the loss before each; the same seed draws the same sentences."""
    ids = [(tokenizer(source)["input_ids"], tokenizer(target)["input_ids"]) for source, target in pairs]

    def draw(random: Random) -> Pair:
        return random.choice(ids)

    optimizer = torch.optim.AdamW(model.parameters())
    learned = train.steps(model, optimizer, batches(draw, size=16, seed=seed), rates(steps, highest=RATE))
    with one_thread():
        losses = [step.loss for step in learned]
    model.eval()
    return losses


@contextmanager
def one_thread() -> Iterator[None]:
    """Inside this `with` block PyTorch has one thread: for small matrices it is the fastest, whatever else runs."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
