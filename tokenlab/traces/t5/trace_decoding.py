"""Decoding computed in two ways: all positions at once and step by step, with a KV cache and without.

`trace_token_losses` compares the loss of a target in one parallel pass, as in training, with the loss step by step, as
in generation. They agree because no position attends to a later one; without the causal mask they differ.
`trace_kv_cache` adds the rows that each step computes and the rows that it finds in the cache: one row of queries, one
new row of keys and values, and the keys and values of the encoder's output, which only the first step computes.
Leaves out: batches, gradients, and decoding strategies other than greedy search.
Source: Vaswani et al. 2017, section 3.2.3; transformers 4.26.1, models/t5/modeling_t5.py.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import AbstractContextManager
from math import fsum
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from tokenlab.libraries.transformers.hook_points import ablate, watch
from tokenlab.libraries.transformers.input_checks import IGNORE_INDEX
from tokenlab.libraries.transformers.models.t5.modeling_t5 import T5ForConditionalGeneration
from tokenlab.printing.errors import check_integer
from tokenlab.steps.recording import stepwise
from tokenlab.traces.t5.t5_steps import CachedStep, MeanLoss, TokenLoss

MAX_TOKENS = 40  # length of the greedy output


@stepwise
@torch.no_grad()
def trace_token_losses(
    model: T5ForConditionalGeneration,
    tokenizer: Any,
    source: str,
    target: str,
    length: int | None = None,
    causal: bool = True,
    bias: bool = True,
) -> Generator[TokenLoss | MeanLoss, None, float]:
    """Compute the loss of a target, position by position.

    Args:
        source: the text that the encoder reads.
        target: the text that the decoder should predict.
        length: the number of positions; a longer target is truncated, a shorter one is padded with labels of -100.
        causal: whether the decoder has its causal mask.
        bias: whether both stacks add their relative position biases.

    Raises:
        ValueError: a length below 1.
    """
    ids = torch.tensor([tokenizer(source)["input_ids"]])
    labels = pad_labels(tokenizer(target)["input_ids"], length)
    decoder_ids = model._shift_right(torch.tensor([labels]))  # (1, positions)
    read = tokenizer.convert_ids_to_tokens(decoder_ids[0].tolist())
    with ablate_mask_or_bias(model, causal, bias):
        encoded = model.encoder(ids, return_dict=True)
        parallel = token_log_probs(model, encoded, decoder_ids)  # (positions, vocab_size)
    scores: list[tuple[float, float]] = []
    for position, label in enumerate(labels):
        visible = position + 1 if causal else len(labels)
        if label == IGNORE_INDEX:
            yield TokenLoss(position, read[position], None, None, None, visible)
            continue
        with ablate_mask_or_bias(model, causal, bias):
            stepwise = token_log_probs(model, encoded, decoder_ids[:, : position + 1])[-1]  # (vocab_size,)
        scores.append((parallel[position, label].item(), stepwise[label].item()))
        yield TokenLoss(position, read[position], tokenizer.convert_ids_to_tokens(label), *scores[-1], visible)
    with ablate_mask_or_bias(model, causal, bias):
        generated = greedy_decode_uncached(model, encoded, min(MAX_TOKENS, 2 * len(labels)))
    loss, token_by_token = (-fsum(column) / len(scores) for column in zip(*scores, strict=True))
    yield MeanLoss(len(scores), loss, token_by_token, tokenizer.decode(generated, skip_special_tokens=True))
    return loss


def pad_labels(labels: list[int], length: int | None) -> list[int]:
    """Return `length` labels: truncated, or padded with -100, which is ignored.

    >>> pad_labels([8, 9, 1], 2), pad_labels([8, 9, 1], 4)
    ([8, 9], [8, 9, 1, -100])
    """
    if length is None:
        return labels
    length = check_integer("length", length, at_least=1)
    return (labels + [IGNORE_INDEX] * length)[:length]


def ablate_mask_or_bias(
    model: T5ForConditionalGeneration, causal: bool = True, bias: bool = True
) -> AbstractContextManager[object]:
    """Switch off the decoder's causal mask, or the position biases of both stacks, inside this `with` block."""
    mask_points = () if causal else ("decoder.block.0.self_attention.mask",)
    return ablate(model, *mask_points, *(() if bias else ("*.self_attention.bias",)))


def token_log_probs(model: T5ForConditionalGeneration, encoded: Any, decoder_ids: Tensor) -> Tensor:
    """Return the log-probability of each id at each position of one text, without a cache: (positions, vocab_size)."""
    output = model(encoder_outputs=encoded, decoder_input_ids=decoder_ids, use_cache=False, return_dict=True)
    return functional.log_softmax(output.logits[0].float(), dim=-1)


def greedy_decode_uncached(model: T5ForConditionalGeneration, encoded: Any, max_tokens: int) -> list[int]:
    """Return the greedy output; without a cache, each step reads all tokens again."""
    generated = [model.config.decoder_start_token_id]
    while len(generated) <= max_tokens and generated[-1] != model.config.eos_token_id:
        scores = token_log_probs(model, encoded, torch.tensor([generated]))[-1]
        generated.append(int(scores.argmax()))
    return generated[1:]


ROW_PREFIX = 5  # recorded numbers of a row
SAME = 1e-4  # of the largest logit: equal logits differ by less, because the order of additions may differ


@stepwise
@torch.no_grad()
def trace_kv_cache(
    model: T5ForConditionalGeneration,
    tokenizer: Any,
    source: str,
    target: str | None = None,
    length: int = 40,
    layer: int = 0,
) -> Generator[CachedStep, None, str]:
    """Generate one token at a time; each step reads one token and finds the earlier ones in the cache.

    Args:
        source: the text that the encoder reads.
        target: the text that the decoder reads instead of its own predictions; None for these.
        length: the maximum number of steps.
        layer: the decoder block whose keys are recorded.

    Raises:
        ValueError: a length below 1, or no such layer.
    """
    length = check_integer("length", length, at_least=1)
    if not 0 <= layer < model.config.num_decoder_layers:
        raise ValueError(f"layer={layer} is none of the decoder's {model.config.num_decoder_layers}, counted from 0")
    given = None if target is None else tokenizer(target)["input_ids"][:length]
    encoded = model.encoder(torch.tensor([tokenizer(source)["input_ids"]]), return_dict=True)
    read, generated, cache = [model.config.decoder_start_token_id], [], None
    point = f"decoder.block.{layer}.self_attention.queries"
    while True:
        with watch(model, point) as seen:
            output = model(
                encoder_outputs=encoded,
                decoder_input_ids=torch.tensor([read[-1:]]),  # (1, 1)
                past_key_values=cache,
                use_cache=True,
                return_dict=True,
            )
        # (1, heads, positions, d_kv) and (1, heads, source, d_kv)
        keys, _, source_keys, _ = output.past_key_values[layer]
        # subtle: keys that come from the cache are the same tensor object that was stored there.
        kept = cache is not None and source_keys is cache[layer][2]
        cache = output.past_key_values
        whole = model(encoder_outputs=encoded, decoder_input_ids=torch.tensor([read]), use_cache=False).logits[0, -1]
        generated.append(int(output.logits[0, -1].argmax()))
        yield CachedStep(
            position=len(read) - 1,
            input_token=tokenizer.convert_ids_to_tokens(read[-1]),
            predicted_token=tokenizer.convert_ids_to_tokens(generated[-1]),
            num_queries=seen[point].shape[2],
            num_keys=keys.shape[2],
            new_key=tuple(keys[0, 0, -1, :ROW_PREFIX].tolist()),
            num_source_keys=source_keys.shape[2],
            num_source_keys_computed=0 if kept else source_keys.shape[2],
            matches_uncached=bool((output.logits[0, -1] - whole).abs().max() < SAME * whole.abs().max()),
        )
        finished = generated[-1] == model.config.eos_token_id if given is None else len(generated) == len(given)
        if finished or len(generated) == length:
            text: str = tokenizer.decode(generated, skip_special_tokens=True)
            return text
        read.append(generated[-1] if given is None else given[len(generated) - 1])
