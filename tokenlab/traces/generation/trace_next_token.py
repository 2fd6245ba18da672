"""`trace_next_token`: the distribution of the next token after each processor and warper, in the order of `generate`.

Adds: a step for each processor, the rule of each filter with the numbers of its distribution, and an alternative order
in which temperature comes last.
Leaves out: the draw, later tokens, and the filters themselves (`logits_warpers`), whose results give the kept tokens.
Source: transformers 4.26.1, generation/utils.py, for the order.
"""

from __future__ import annotations

import math
from collections.abc import Generator
from typing import Any

import torch
from torch import Tensor

from tokenlab.libraries.transformers.generation import logits_warpers as filters
from tokenlab.libraries.transformers.generation.logits_process import LogitsProcessorList
from tokenlab.printing import errors
from tokenlab.printing.printed_numbers import format_number, format_probability
from tokenlab.steps.recording import stepwise
from tokenlab.traces.generation.sampling_steps import DistributionChanged, FilterCutoff, NextTokenDistribution
from tokenlab.traces.generation.trace_inputs import encode_source

GENERATE_ORDER, TEMPERATURE_LAST = "temperature first", "temperature last"
ORDERS = (GENERATE_ORDER, TEMPERATURE_LAST)
HIDDEN_SETTINGS = ("filter_value", "min_tokens_to_keep")  # settings that all filters share
MAX_SETTINGS_LENGTH = 60  # characters


@stepwise
@torch.no_grad()
def trace_next_token(
    model: Any,
    tokenizer: Any,
    text: str,
    written: str = "",
    order: str = GENERATE_ORDER,
    shown: int = 12,
    **settings: Any,
) -> Generator[NextTokenDistribution | DistributionChanged, None, dict[str, float]]:
    """Return the distribution of the next token, and record each change of it.

    Args:
        text: the source text.
        written: the text generated so far.
        order: "temperature first", as in `generate`, or "temperature last", where filters see other probabilities.
        shown: the number of most probable tokens that each step contains.
        settings: sampling settings of `generate`: temperature, top_k (default 50), top_p ...

    Returns:
        The probability of each token that can be drawn, most probable first.

    Raises:
        ValueError: a setting is unknown or invalid, or the processors leave no token.
    """
    order = errors.lookup("order", order, {name: name for name in ORDERS})
    shown = errors.check_integer("shown", shown, at_least=1)
    config = sampling_config(model, settings)
    source = encode_source(model, tokenizer, text)
    ids = decoder_input_ids(model, tokenizer, written)
    scores = model(source, decoder_input_ids=ids, use_cache=False).logits[:, -1]  # (1, vocab_size)
    yield next_token_distribution(tokenizer, scores[0], shown)
    for processor, changed in build_logits_pipeline(model, config, source, order).one_by_one(ids, scores):
        if changed.isneginf().all():
            raise ValueError(f"{processor!r} leaves no token that could be drawn; each has to leave at least one")
        yield distribution_change(tokenizer, processor, scores[0], changed[0], shown)
        scores = changed
    p = scores[0].softmax(dim=-1)
    possible = [id for id in p.argsort(descending=True, stable=True).tolist() if scores[0, id] > -torch.inf]
    return dict(zip(token_names(tokenizer, possible), p[possible].tolist(), strict=True))


def sampling_config(model: Any, settings: dict[str, Any]) -> Any:
    """Return the model's settings, overridden by these; do_sample defaults to True.

    Raises:
        ValueError: a setting is unknown or invalid.
    """
    config, unknown = model._settings(None, {"do_sample": True} | settings)
    if unknown:
        raise ValueError(f"{next(iter(unknown))} is not a setting of generate; temperature, top_k and top_p are")
    return config


def build_logits_pipeline(model: Any, config: Any, source: Tensor, order: str) -> LogitsProcessorList:
    """Return the processors, then the warpers, with temperature first or last among the warpers."""
    warpers = model._get_logits_warper(config) if config.do_sample else []
    if order == TEMPERATURE_LAST:
        warpers = sorted(warpers, key=lambda warper: isinstance(warper, filters.TemperatureLogitsWarper))
    return LogitsProcessorList([*model._get_logits_processor(config, 1, source, None, []), *warpers])


def decoder_input_ids(model: Any, tokenizer: Any, written: str) -> Tensor:
    """Return the start token and the ids of the generated text without an end token: (1, length)."""
    ids = tokenizer(written)["input_ids"] if written else []
    if ids and ids[-1] == model.config.eos_token_id:
        ids = ids[:-1]
    return torch.tensor([[model.config.decoder_start_token_id, *ids]], device=model.device)


def next_token_distribution(tokenizer: Any, scores: Tensor, shown: int) -> NextTokenDistribution:
    """Return the step for the model's logits (vocab_size,)."""
    p = scores.softmax(dim=-1)
    ids = p.argsort(descending=True, stable=True)[:shown].tolist()
    return NextTokenDistribution(token_names(tokenizer, ids), tuple(p[ids].tolist()), len(p), entropy(p))


def distribution_change(
    tokenizer: Any, processor: Any, before: Tensor, after: Tensor, shown: int
) -> DistributionChanged:
    """Return the step for a processor, from the logits before and after it: (vocab_size,)."""
    possible, kept = before > -torch.inf, after > -torch.inf
    was, now = before.softmax(dim=-1), after.softmax(dim=-1)
    ids = top_token_ids(was, now, shown)
    return DistributionChanged(
        name=getattr(processor, "__name__", type(processor).__name__),
        settings=processor_settings(processor),
        tokens=token_names(tokenizer, ids),
        before=tuple(was[ids].tolist()),
        after=tuple(now[ids].tolist()),
        num_possible_before=int(possible.sum()),
        num_possible=int(kept.sum()),
        removed_mass=float(was[possible & ~kept].sum()),
        cutoff=filter_cutoff(processor, was, kept, len(ids)),
    )


def top_token_ids(was: Tensor, now: Tensor, shown: int) -> list[int]:
    """Return the ids of the most probable tokens before or after, ordered by probability before.

    Args:
        was: probabilities before: (vocab_size,).
        now: probabilities after: (vocab_size,).
        shown: the number of tokens to take from each.

    >>> top_token_ids(torch.tensor([0.1, 0.4, 0.1, 0.4, 0]), torch.tensor([0, 0, 0.2, 0.8, 0]), 1)
    [3]
    >>> top_token_ids(torch.tensor([0.6, 0.4, 0.0]), torch.tensor([0, 0, 1.0]), 5)
    [0, 1, 2]
    """
    before, after = was.tolist(), now.tolist()
    # subtle: among equally probable tokens kept ones come first, so that the cutoff lies between two rows.
    by_before = sorted(range(len(before)), key=lambda id: (-before[id], not after[id]))
    by_after = sorted(range(len(after)), key=lambda id: -after[id])
    selected = {id for id in by_before[:shown] if before[id]} | {id for id in by_after[:shown] if after[id]}
    return [id for id in by_before if id in selected]


def processor_settings(processor: Any) -> str:
    """Return the settings of a processor, without those that all filters share.

    >>> processor_settings(filters.TopPLogitsWarper(0.7))
    'top_p=0.7'
    """
    public = {name: value for name, value in getattr(processor, "__dict__", {}).items() if not name.startswith("_")}
    settings = ", ".join(f"{name}={value}" for name, value in public.items() if name not in HIDDEN_SETTINGS)
    return settings if len(settings) <= MAX_SETTINGS_LENGTH else f"{settings[: MAX_SETTINGS_LENGTH - 1]}…"


def token_names(tokenizer: Any, ids: list[int]) -> tuple[str, ...]:
    """Return the tokens of ids."""
    return tuple(tokenizer.convert_ids_to_tokens(ids))


def filter_cutoff(processor: Any, before: Tensor, kept: Tensor, shown: int) -> FilterCutoff | None:
    """Return the criterion and the rule of a filter; None for other processors.

    Args:
        processor: a processor or a warper.
        before: the probabilities before it: (vocab_size,).
        kept: whether it keeps each token: (vocab_size,).
        shown: the number of values to return, the most probable token first.

    >>> p = torch.tensor([0.5, 0.3, 0.2])
    >>> cut = filter_cutoff(filters.TopPLogitsWarper(0.7), p, p > 0.25, shown=2)
    >>> print(cut)
    the most probable token has 0.50, and the 2 most probable tokens have 0.80, the first sum that is at least 0.7
    >>> cut.criterion, [round(number, 1) for number in cut.values]
    ('together', [0.5, 0.8])
    """
    ordered = before.sort(descending=True).values
    remaining = before[kept]
    count, share = len(remaining), float(remaining.sum())
    criterion, values = "probability", ordered
    match processor:
        case filters.TopKLogitsWarper(top_k=k):
            criterion, values = "rank", torch.arange(1, len(ordered) + 1)
            ties = f", and {count - k} more that {'is' if count == k + 1 else 'are'} as probable as the last of them"
            rule = f"keep the {min(k, count)} most probable tokens{ties if count > k else ''}"
        case filters.TopPLogitsWarper(top_p=top_p):
            criterion, values = "together", ordered.cumsum(dim=-1)
            together = _cumulative_mass_text(count, share)
            fewer = _cumulative_mass_text(count - 1, share - float(remaining.min()))
            enough = f"{fewer}, and {together}, the first sum that is at least {top_p}"
            rule = f"{together}, which is at least {top_p}" if count == 1 else enough
        case filters.TypicalLogitsWarper(mass=mass):
            usual = entropy(before)
            criterion, values = "distance", (-ordered.log() - usual).abs()
            farthest = max(abs(-math.log(float(edge)) - usual) for edge in (remaining.min(), remaining.max()))
            alone = f"the nearest token, {format_number(farthest)} from it, alone has at least {mass}"
            several = (
                f"the {count} tokens whose surprisal is at most {format_number(farthest)} from it are the "
                f"fewest that have at least {mass} together"
            )
            rule = f"the entropy, the expected surprisal, is {format_number(usual)}; {alone if count == 1 else several}"
        case filters.EpsilonLogitsWarper(epsilon=epsilon):
            rule = f"keep the tokens with at least {epsilon:g}, and always the most probable token"
        case filters.EtaLogitsWarper(epsilon=epsilon):
            by_entropy = math.sqrt(epsilon) * math.exp(-entropy(before))
            rule = (
                f"keep the tokens with at least {min(epsilon, by_entropy):.2g}, the smaller one of {epsilon:g} and "
                f"{by_entropy:.2g}, which falls with the entropy; and always the most probable token"
            )
        case _:
            return None
    return FilterCutoff(criterion, tuple(values[:shown].tolist()), rule)


def _cumulative_mass_text(count: int, share: float) -> str:
    """Name the cumulative probability of the most probable tokens."""
    if count == 1:
        return f"the most probable token has {format_probability(share)}"
    return f"the {count} most probable tokens have {format_probability(share)}"


def entropy(p: Tensor) -> float:
    """Return the entropy, the expected surprisal, in nats.

    >>> round(entropy(torch.tensor([0.5, 0.5, 0.0])), 3) == round(math.log(2), 3)
    True
    """
    return float(torch.special.entr(p).sum())
