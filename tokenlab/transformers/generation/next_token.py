"""The distribution of the next token, before and after each processor and warper, in the order of `generate`.

Adds: one step for each change, and the order in which temperature comes last.
Leaves out: the draw, and every token but the next.

Source: transformers 4.26.1, generation/utils.py, for the order.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import torch
from torch import Tensor

from tokenlab import errors
from tokenlab.steps import stepwise
from tokenlab.transformers.generation import filters
from tokenlab.transformers.generation.assembling import processors_for, warpers_for
from tokenlab.transformers.generation.cuts import cut_of, entropy_of
from tokenlab.transformers.generation.logits_process import LogitsProcessorList
from tokenlab.transformers.generation.reading import source_ids
from tokenlab.transformers.generation.sampling_steps import Changed, Predicted

AS_GENERATE, TEMPERATURE_LAST = "temperature first", "temperature last"
ORDERS = (AS_GENERATE, TEMPERATURE_LAST)
NOT_TOLD = ("filter_value", "min_tokens_to_keep")  # settings of warpers that are the same for all
LONGEST = 60  # characters of what a processor was told


@stepwise
@torch.no_grad()
def next_token(
    model: Any, tokenizer: Any, text: str, written: str = "", order: str = AS_GENERATE, shown: int = 12, **settings: Any
) -> Generator[Predicted | Changed, None, dict[str, float]]:
    """What may be drawn next, and how likely each token is.

    Args:
        model: a T5ForConditionalGeneration in eval mode.
        tokenizer: that of the model.
        text: what the encoder reads.
        written: what the decoder has written so far.
        order: "temperature first", as `generate` has it, or "temperature last", which cuts by other numbers.
        shown: how many of the likeliest tokens the steps name.
        settings: of `generate`, for sampling: temperature, top_k (50 if nobody says otherwise), top_p ...

    Returns:
        the probability of each token that can be drawn, the likeliest first.

    Raises:
        ValueError: a setting that nobody knows, or that asks for the impossible, or rules that leave no token.
    """
    order = errors.by_name("order", order, {name: name for name in ORDERS})
    shown = errors.whole_number("shown", shown, at_least=1)
    config = sampling_config(model, settings)
    source = source_ids(model, tokenizer, text)
    ids = written_ids(model, tokenizer, written)
    scores = model(source, decoder_input_ids=ids, use_cache=False).logits[:, -1]  # (1, vocab_size)
    yield predicted(tokenizer, scores[0], shown)
    for change, changed in changes_for(config, source, order).one_by_one(ids, scores):
        if changed.isneginf().all():
            raise ValueError(f"{change!r} leaves no token that could be drawn; every rule has to leave one")
        yield compared(tokenizer, change, scores[0], changed[0], shown)
        scores = changed
    p = scores[0].softmax(dim=-1)
    possible = [id for id in p.argsort(descending=True, stable=True).tolist() if scores[0, id] > -torch.inf]
    return dict(zip(named(tokenizer, possible), p[possible].tolist(), strict=True))


def sampling_config(model: Any, settings: dict[str, Any]) -> Any:
    """The model's settings, with these; for a draw, unless they say otherwise.

    Raises:
        ValueError: one is unknown, or impossible.
    """
    config, unknown = model._settings(None, {"do_sample": True} | settings)
    if unknown:
        raise ValueError(f"{next(iter(unknown))} is no setting of generate; temperature, top_k and top_p are")
    return config


def changes_for(config: Any, source: Tensor, order: str) -> LogitsProcessorList:
    """The processors, then the warpers; temperature first among these, or last."""
    warpers = warpers_for(config) if config.do_sample else []
    if order == TEMPERATURE_LAST:
        warpers = sorted(warpers, key=lambda warper: isinstance(warper, filters.TemperatureLogitsWarper))
    return LogitsProcessorList([*processors_for(config, 1, source), *warpers])


def written_ids(model: Any, tokenizer: Any, written: str) -> Tensor:
    """The start, and what was written after it, without an end: (1, length)."""
    ids = tokenizer(written)["input_ids"] if written else []
    if ids and ids[-1] == model.config.eos_token_id:
        ids = ids[:-1]
    return torch.tensor([[model.config.decoder_start_token_id, *ids]], device=model.device)


def predicted(tokenizer: Any, scores: Tensor, shown: int) -> Predicted:
    """The model's distribution: scores (vocab_size,)."""
    p = scores.softmax(dim=-1)
    ids = p.argsort(descending=True, stable=True)[:shown].tolist()
    return Predicted(named(tokenizer, ids), tuple(p[ids].tolist()), len(p), entropy_of(p))


def compared(tokenizer: Any, change: Any, before: Tensor, after: Tensor, shown: int) -> Changed:
    """The two distributions, of scores (vocab_size,) before and after a change."""
    possible, kept = before > -torch.inf, after > -torch.inf
    was, now = before.softmax(dim=-1), after.softmax(dim=-1)
    ids = likeliest(was, now, shown)
    return Changed(
        name=getattr(change, "__name__", type(change).__name__),
        told=told_of(change),
        tokens=named(tokenizer, ids),
        before=tuple(was[ids].tolist()),
        after=tuple(now[ids].tolist()),
        were=int(possible.sum()),
        left=int(kept.sum()),
        taken=float(was[possible & ~kept].sum()),
        cut=cut_of(change, was, kept, len(ids)),
    )


def likeliest(was: Tensor, now: Tensor, shown: int) -> list[int]:
    """The ids that were the likeliest or are it now, by what they were; each tensor (vocab_size,).

    >>> likeliest(torch.tensor([0.1, 0.4, 0.1, 0.4, 0]), torch.tensor([0, 0, 0.2, 0.8, 0]), 1)
    [3]
    >>> likeliest(torch.tensor([0.6, 0.4, 0.0]), torch.tensor([0, 0, 1.0]), 5)
    [0, 1, 2]
    """
    before, after = was.tolist(), now.tolist()
    # subtle: of equally likely tokens those that stay come first, so that a cut falls between two of them.
    by_what_they_were = sorted(range(len(before)), key=lambda id: (-before[id], not after[id]))
    by_what_they_are = sorted(range(len(after)), key=lambda id: -after[id])
    among = {id for id in by_what_they_were[:shown] if before[id]} | {
        id for id in by_what_they_are[:shown] if after[id]
    }
    return [id for id in by_what_they_were if id in among]


def told_of(change: Any) -> str:
    """The settings of a change, as far as they are its own.

    >>> told_of(filters.TopPLogitsWarper(0.7))
    'top_p=0.7'
    """
    told = (f"{name}={value}" for name, value in getattr(change, "__dict__", {}).items() if name not in NOT_TOLD)
    said = ", ".join(text for text in told if not text.startswith("_"))
    return said if len(said) <= LONGEST else f"{said[: LONGEST - 1]}…"


def named(tokenizer: Any, ids: list[int]) -> tuple[str, ...]:
    """The names of tokens."""
    return tuple(tokenizer.convert_ids_to_tokens(ids))
