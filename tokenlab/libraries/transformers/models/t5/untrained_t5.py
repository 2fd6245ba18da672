"""A T5 so small that it learns some 100 sentences in seconds, for experiments during a lesson.

Adds: the sentences (possession), an untrained model with one encoder and one decoder block, and a short training.
Leaves out: held-out sentences; this model is tested on its training data. A trained model is in data/t5-tiny.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from random import Random
from typing import Any

import torch

from tokenlab import data
from tokenlab.libraries.transformers.models.t5.configuration_t5 import T5Config
from tokenlab.libraries.transformers.models.t5.modeling_t5 import T5ForConditionalGeneration
from tokenlab.libraries.transformers.training_loop import Pair, bucketed_batches, learning_rates, train_model

LEARNING_RATE = 0.01  # for a tiny model; a large one would diverge


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

    def draw(random: Random) -> Pair:
        return random.choice(ids)

    optimizer = torch.optim.AdamW(model.parameters())
    learned = train_model.steps(
        model, optimizer, bucketed_batches(draw, size=16, seed=seed), learning_rates(steps, highest=LEARNING_RATE)
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
