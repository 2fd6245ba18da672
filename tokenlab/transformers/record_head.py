"""One head of a T5 at work on one sentence, taken out of the model as numbers that need no PyTorch to be looked at."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import ExitStack
from typing import Any

import torch
from torch import Tensor, nn

from tokenlab.algorithms.attend import Rows, Step, attend
from tokenlab.steps import Recording
from tokenlab.transformers.watching import Seen, name_of, near, points, watch

SWITCHES = ("bias", "mask")


@torch.no_grad()
def record_head(
    model: Any,
    tokenizer: Any,
    text: str | Sequence[int],
    place: str = "encoder.block.0.self_attention",
    head: int = 0,
    target: str | Sequence[int] = "",
    query: int | None = None,
    without: Collection[str] = (),
) -> Recording[Step, Rows]:
    """What one head does with a sentence: a recording of `attend`, whose numbers are the model's.

    Args:
        model: an encoder and decoder, or an encoder.
        tokenizer: turns text into ids and names them; None where ids are given.
        text: what the encoder reads, or its ids.
        place: which attention; `attentions(model)` lists them.
        head: which of its heads, by the number that it had at first, where some were taken out.
        target: what the decoder has to write, or its ids; it reads them shifted right, the start first.
        query: only this query's row, counted from 0, or from the end where it is negative; all where it is None.
        without: "bias", "mask" or both: what is switched off in the whole stack of this attention.

    Raises:
        ValueError: no such place, head, query or switch, or nothing to read.
    """
    check_place(model, place, head, without)
    source, read = ids_of(tokenizer, text, "text"), read_by_decoder(model, ids_of(tokenizer, target, "target"))
    with ExitStack() as until_here:
        seen = until_here.enter_context(watch(model, [f"{place}.*", f"{first_of(place)}.*"]))
        switch_off(until_here, model, place, without)  # nearer to the model, so that its zeros are seen
        run_still(model, source, read)
    row = heads_of(model, place).index(head)
    queries, keys, values = (seen[f"{place}.{name}"][0, row].tolist() for name in ("queries", "keys", "values"))
    bias, mask = added_to(seen, place, head, len(queries), len(keys))
    asking = tokens_of(tokenizer, source if place.startswith("encoder") else read)
    asked = tokens_of(tokenizer, read if "decoder" in place and "self" in place else source)
    rows = slice(None) if query is None else one_row(query, len(queries))
    bias, mask = (None if matrix is None else matrix[rows] for matrix in (bias, mask))
    return attend.record(queries[rows], keys, values, bias, mask, asking[rows], asked, place)


def attentions(model: nn.Module) -> list[str]:
    """The places of all attentions of a model, as `record_head` takes them.

    >>> from tokenlab.transformers import T5Config, T5EncoderModel
    >>> attentions(T5EncoderModel(T5Config(num_layers=2)))
    ['encoder.block.0.self_attention', 'encoder.block.1.self_attention']
    """
    return [name.removesuffix(".scores") for name in points(model) if name.endswith(".scores")]


def check_place(model: Any, place: str, head: int, without: Collection[str]) -> None:
    """Raise a ValueError for an attention or a head that the model does not have."""
    if place not in attentions(model):
        raise ValueError(f"{place=} is no attention of this model{near(place, attentions(model))}")
    if head not in heads_of(model, place):
        raise ValueError(f"head={head} is not there; {place} has {', '.join(map(str, heads_of(model, place)))}")
    for switch in without:
        if switch not in SWITCHES:
            raise ValueError(f"without={switch!r} cannot be switched off; take {' or '.join(SWITCHES)}")


def heads_of(model: nn.Module, place: str) -> list[int]:
    """The numbers of the heads that an attention has."""
    paths = {name_of(f"{path}.points.scores"): module for path, module in model.named_modules()}
    heads: list[int] = paths[f"{place}.scores"].heads
    return heads


def ids_of(tokenizer: Any, text: str | Sequence[int], name: str) -> list[int]:
    """The ids of a text, or those given; an empty target has none."""
    if not isinstance(text, str):
        if not len(text) and name == "text":
            raise ValueError("text has no ids; give at least one")
        return [int(id) for id in text]
    if not text and name == "target":
        return []
    if tokenizer is None:
        raise ValueError(f"{name}={text!r:.40} is a text, and there is no tokenizer; give one, or a list of ids")
    return list(tokenizer(text)["input_ids"])


def read_by_decoder(model: Any, target: list[int]) -> list[int]:
    """The start, and the target but its last id; of a target that is not there yet, the start alone."""
    start = model.config.decoder_start_token_id
    return [model.config.pad_token_id if start is None else start, *target[:-1]]


def tokens_of(tokenizer: Any, ids: list[int]) -> list[str]:
    """The tokens of ids, or the ids themselves where nobody knows their tokens."""
    return [str(id) for id in ids] if tokenizer is None else list(tokenizer.convert_ids_to_tokens(ids))


def first_of(place: str) -> str:
    """The attention that makes the bias and the mask of a place: its own for cross attention.

    >>> first_of("decoder.block.3.self_attention"), first_of("decoder.block.3.cross_attention")
    ('decoder.block.0.self_attention', 'decoder.block.3.cross_attention')
    """
    stack, _, kind = place.partition(".block.")
    return f"{stack}.block.0.self_attention" if kind.endswith("self_attention") else place


def switch_off(until_here: ExitStack, model: Any, place: str, switches: Collection[str]) -> None:
    """Make a bias or a mask zero in the stack of a place; cross attention has neither here."""
    names = [f"{first_of(place)}.{switch}" for switch in switches if place.endswith("self_attention")]
    if names:
        until_here.enter_context(watch(model, names, lambda _, added: torch.zeros_like(added), keep=0))


def run_still(model: Any, source: list[int], read: list[int]) -> None:
    """One pass without dropout; the model is as it was afterwards."""
    training = model.training
    model.eval()
    try:
        decoder = {"decoder_input_ids": torch.tensor([read], device=model.device)} if hasattr(model, "decoder") else {}
        model(torch.tensor([source], device=model.device), **decoder)
    finally:
        model.train(training)


def added_to(seen: Seen, place: str, head: int, queries: int, keys: int) -> tuple[Any, Any]:
    """The bias and the mask of one head, each (queries, keys), or None; cross attention has neither here."""
    first = first_of(place)
    bias, mask = seen.get(f"{first}.bias"), seen.get(f"{first}.mask")
    return matrix_of(bias, head, queries, keys), matrix_of(mask, 0, queries, keys)


def matrix_of(tensor: Tensor | None, head: int, queries: int, keys: int) -> list[list[float]] | None:
    """One head's matrix."""
    if tensor is None:
        return None
    matrix: list[list[float]] = tensor[0, head].expand(queries, keys).tolist()
    return matrix


def one_row(query: int, queries: int) -> slice:
    """The slice of one row.

    Raises:
        ValueError: there is no such row.
    """
    if not -queries <= query < queries:
        raise ValueError(f"query={query} is not there: {queries} positions ask here, counted from 0")
    return slice(query % queries, query % queries + 1)
