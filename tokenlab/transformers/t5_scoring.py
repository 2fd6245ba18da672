"""The loss of a target, token by token: what one parallel pass gives, beside what each place gives alone.

Adds: the two runs that training and generation are. They agree because no place may look at a later one; switch the
causal mask off, and they part.
Leaves out: batches, and the gradient.
Source: Vaswani et al. 2017, section 3.2.3.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import ExitStack, contextmanager
from math import fsum
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from tokenlab.errors import whole_number
from tokenlab.steps import stepwise
from tokenlab.transformers.modeling_t5 import T5ForConditionalGeneration
from tokenlab.transformers.t5_checks import IGNORED
from tokenlab.transformers.t5_steps import Averaged, Scored
from tokenlab.transformers.watching import watch

MOST = 40  # tokens that are written


@stepwise
@torch.no_grad()
def score_target(
    model: T5ForConditionalGeneration,
    tokenizer: Any,
    source: str,
    target: str,
    length: int | None = None,
    causal: bool = True,
    bias: bool = True,
) -> Generator[Scored | Averaged, None, float]:
    """The loss of a target, place by place.

    Args:
        model: in eval mode, or dropout is drawn.
        tokenizer: that of the model.
        source: what the encoder reads.
        target: what the decoder should write.
        length: places of the decoder; a longer target is cut, and behind a shorter one come labels that do not count.
        causal: whether the decoder has its causal mask.
        bias: whether distances are added to scores, in both stacks.

    Raises:
        ValueError: a length below 1.
    """
    ids = torch.tensor([tokenizer(source)["input_ids"]])
    labels = padded(tokenizer(target)["input_ids"], length)
    decoder_ids = model._shift_right(torch.tensor([labels]))  # (1, places)
    read = tokenizer.convert_ids_to_tokens(decoder_ids[0].tolist())
    with switched(model, causal, bias):
        encoded = model.encoder(ids, return_dict=True)
        together = log_probabilities(model, encoded, decoder_ids)  # (places, vocab)
    scores: list[tuple[float, float]] = []
    for place, label in enumerate(labels):
        sees = place + 1 if causal else len(labels)
        if label == IGNORED:
            yield Scored(place, read[place], None, None, None, sees)
            continue
        with switched(model, causal, bias):
            alone = log_probabilities(model, encoded, decoder_ids[:, : place + 1])[-1]  # (vocab,)
        scores.append((together[place, label].item(), alone[label].item()))
        yield Scored(place, read[place], tokenizer.convert_ids_to_tokens(label), *scores[-1], sees)
    with switched(model, causal, bias):
        written = write(model, encoded, min(MOST, 2 * len(labels)))
    loss, token_by_token = (-fsum(column) / len(scores) for column in zip(*scores, strict=True))
    yield Averaged(len(scores), loss, token_by_token, tokenizer.decode(written, skip_special_tokens=True))
    return loss


def padded(labels: list[int], length: int | None) -> list[int]:
    """So many labels: the first ones, and behind them -100, which does not count.

    >>> padded([8, 9, 1], 2), padded([8, 9, 1], 4)
    ([8, 9], [8, 9, 1, -100])
    """
    if length is None:
        return labels
    length = whole_number("length", length, at_least=1)
    return (labels + [IGNORED] * length)[:length]


@contextmanager
def switched(model: T5ForConditionalGeneration, causal: bool = True, bias: bool = True) -> Iterator[None]:
    """Inside this `with` block the decoder has no causal mask, or both stacks no bias; what is True stays."""
    with ExitStack() as watches:
        if not causal:
            watches.enter_context(watch(model, "decoder.block.0.self_attention.mask", _nothing, keep=0))
        if not bias:
            watches.enter_context(watch(model, "*.self_attention.bias", _nothing, keep=0))
        yield


def _nothing(name: str, added: Tensor) -> Tensor:
    """A mask or a bias that adds nothing."""
    return torch.zeros_like(added)


def log_probabilities(model: T5ForConditionalGeneration, encoded: Any, decoder_ids: Tensor) -> Tensor:
    """What the model gives each id at each place of one text, without a cache: (places, vocab)."""
    output = model(encoder_outputs=encoded, decoder_input_ids=decoder_ids, use_cache=False, return_dict=True)
    return functional.log_softmax(output.logits[0].float(), dim=-1)


def write(model: T5ForConditionalGeneration, encoded: Any, most: int) -> list[int]:
    """The ids that the model writes by itself, the most probable each time, all read anew for each of them."""
    written = [model.config.decoder_start_token_id]
    while len(written) <= most and written[-1] != model.config.eos_token_id:
        scores = log_probabilities(model, encoded, torch.tensor([written]))[-1]
        written.append(int(scores.argmax()))
    return written[1:]
