"""One attention head of a T5 for one text, recorded as plain numbers, so that views need no PyTorch."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import ExitStack
from typing import Any

import torch
from torch import nn

from tokenlab.algorithms.attention.attention_output import Rows, Step, attention_output
from tokenlab.libraries.transformers.hook_points import ablate, hook_point_name, points, suggest_names, watch
from tokenlab.steps.recording import Recording

ABLATIONS = ("bias", "mask")


@torch.no_grad()
def trace_attention_head(
    model: Any,
    tokenizer: Any,
    text: str | Sequence[int],
    attention: str = "encoder.block.0.self_attention",
    head: int = 0,
    target: str | Sequence[int] = "",
    query: int | None = None,
    without: Collection[str] = (),
) -> Recording[Step, Rows]:
    """Record `attention_output` with the queries, keys, values, bias and mask of one head of a model.

    Args:
        text: the text that the encoder reads, or its ids.
        attention: its name; `attention_names(model)` lists all names.
        head: the number of the head, before any pruning.
        target: the target text, or its ids; the decoder reads them shifted right.
        query: the position of a single query, counted from 0, or from the end if negative; None for all queries.
        without: "bias", "mask" or both, which are replaced by zeros in the whole stack of this attention.

    Raises:
        ValueError: the attention, head, query or switch does not exist, or the text is empty.
    """
    check_attention_name(model, attention, head, without)
    source = encode_or_ids(tokenizer, text, "text")
    decoder_ids = decoder_input_ids(model, encode_or_ids(tokenizer, target, "target"))
    first = first_block_attention(attention)
    with ExitStack() as hooks:
        seen = hooks.enter_context(watch(model, [f"{attention}.*", f"{first}.*"]))
        if without and attention.endswith("self_attention"):  # cross attention has neither bias nor mask here
            hooks.enter_context(ablate(model, *(f"{first}.{name}" for name in without)))
        forward_in_eval_mode(model, source, decoder_ids)
    number = head_numbers(model, attention).index(head)
    queries, keys, values = (seen[f"{attention}.{name}"][0, number] for name in ("queries", "keys", "values"))
    if query is not None and not -len(queries) <= query < len(queries):
        raise ValueError(f"query={query} does not exist: there are {len(queries)} queries, counted from 0")
    rows = slice(None) if query is None else slice(query % len(queries), query % len(queries) + 1)

    def matrix(name: str, number: int) -> list[list[float]] | None:
        added = seen.get(f"{first}.{name}")
        return None if added is None else added[0, number].expand(len(queries), len(keys))[rows].tolist()

    query_tokens = ids_to_tokens(tokenizer, source if attention.startswith("encoder") else decoder_ids)
    key_tokens = ids_to_tokens(tokenizer, decoder_ids if first.startswith("decoder.block.0.self") else source)
    numbers = queries[rows].tolist(), keys.tolist(), values.tolist(), matrix("bias", head), matrix("mask", 0)
    return attention_output.record(*numbers, query_tokens[rows], key_tokens, attention)


def attention_names(model: nn.Module) -> list[str]:
    """Return the names of all attentions of a model.

    >>> from tokenlab.libraries.transformers import T5Config, T5EncoderModel
    >>> attention_names(T5EncoderModel(T5Config(num_layers=2)))
    ['encoder.block.0.self_attention', 'encoder.block.1.self_attention']
    """
    return [name.removesuffix(".scores") for name in points(model) if name.endswith(".scores")]


def check_attention_name(model: Any, attention: str, head: int, without: Collection[str]) -> None:
    """Raise a ValueError for an attention, head or switch that does not exist."""
    names = attention_names(model)
    if attention not in names:
        raise ValueError(f"{attention=} is no attention of this model{suggest_names(attention, names)}")
    heads = head_numbers(model, attention)
    if head not in heads:
        raise ValueError(f"head={head} does not exist; {attention} has the heads {', '.join(map(str, heads))}")
    for switch in without:
        if switch not in ABLATIONS:
            raise ValueError(f"without={switch!r} cannot be switched off; choose {' or '.join(ABLATIONS)}")


def head_numbers(model: nn.Module, attention: str) -> list[int]:
    """Return the numbers of the heads of an attention that are not pruned."""
    paths = {hook_point_name(f"{path}.points.scores"): module for path, module in model.named_modules()}
    heads: list[int] = paths[f"{attention}.scores"].heads
    return heads


def encode_or_ids(tokenizer: Any, text: str | Sequence[int], name: str) -> list[int]:
    """Return the ids of a text, or the given ids; an empty target has no ids."""
    if not isinstance(text, str):
        if not len(text) and name == "text":
            raise ValueError("text has no ids; give at least one")
        return [int(id) for id in text]
    if not text and name == "target":
        return []
    if tokenizer is None:
        raise ValueError(f"{name}={text!r:.40} is a text, and there is no tokenizer; give one, or a list of ids")
    return list(tokenizer(text)["input_ids"])


def decoder_input_ids(model: Any, target: list[int]) -> list[int]:
    """Return the start id and the target except its last id; only the start id for an empty target."""
    start = model.config.decoder_start_token_id
    return [model.config.pad_token_id if start is None else start, *target[:-1]]


def ids_to_tokens(tokenizer: Any, ids: list[int]) -> list[str]:
    """Return the tokens of ids, or the ids as text without a tokenizer."""
    return [str(id) for id in ids] if tokenizer is None else list(tokenizer.convert_ids_to_tokens(ids))


def first_block_attention(attention: str) -> str:
    """Return the attention that computes the bias and mask of an attention: for cross attention, itself.

    >>> [first_block_attention(f"decoder.block.3.{kind}_attention") for kind in ("self", "cross")]
    ['decoder.block.0.self_attention', 'decoder.block.3.cross_attention']
    """
    stack, _, kind = attention.partition(".block.")
    return f"{stack}.block.0.self_attention" if kind.endswith("self_attention") else attention


def forward_in_eval_mode(model: Any, source: list[int], decoder_ids: list[int]) -> None:
    """Run one forward pass without dropout, and restore the training mode."""
    training, inputs = model.training, {"input_ids": source}
    if hasattr(model, "decoder"):
        inputs["decoder_input_ids"] = decoder_ids
    model.eval()
    try:
        model(**{name: torch.tensor([ids], device=model.device) for name, ids in inputs.items()})
    finally:
        model.train(training)
