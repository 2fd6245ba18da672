"""`trace_sampling`: generate a text token by token, greedily or by sampling; and `trace_cross_attention`.

Adds: token names, and for each token of the output the distribution with its alternatives, or the weights of one
cross-attention over the source. The weights are recorded in an additional forward pass over the whole output, so they
work for every decoding strategy; beam search needs no backtracking. The text is the output of `generate`.
Leaves out: beams, which are not selected from a single distribution (`beam_search` has its own steps); whether
attention weights explain the output.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import torch
from torch import Tensor

from tokenlab.libraries.transformers.hook_points import watch
from tokenlab.printing import errors
from tokenlab.steps.recording import stepwise
from tokenlab.traces.generation.sampling_steps import CrossAttentionWeights, TokenGenerated
from tokenlab.traces.generation.trace_inputs import (
    check_generation_mode,
    check_single_output,
    encode_source,
    resolve_config,
)
from tokenlab.traces.generation.trace_next_token import token_names
from tokenlab.traces.t5.trace_attention_head import check_attention_name, head_numbers

MODES = ("greedy_search", "sample")
TOKENWISE_MODES = (
    "this function shows greedy search and sampling: leave out num_beams, num_beam_groups, constraints and "
    "penalty_alpha"
)
LONGEST = 40  # default of max_new_tokens


@stepwise
def trace_sampling(
    model: Any, tokenizer: Any, text: str, seed: int = 0, shown: int = 8, **settings: Any
) -> Generator[TokenGenerated, None, str]:
    """Generate a text, one token per step.

    Args:
        text: the source text.
        seed: the random seed; the same seed draws the same text.
        shown: the number of most probable tokens that each step contains.
        settings: settings of `generate`: do_sample, temperature, top_k, top_p, max_new_tokens (default 40) ...

    Returns:
        The generated text without the end token.

    Raises:
        ValueError: a setting is unknown or invalid, or selects beams or several outputs.
    """
    shown = errors.check_integer("shown", shown, at_least=1)
    config = resolve_config(model, settings)
    check_generation_mode(config, MODES, TOKENWISE_MODES)
    check_single_output(config)
    ids, scores = generate_with_scores(model, tokenizer, text, seed, settings)
    for id, row in zip(ids, scores, strict=True):
        yield token_step(tokenizer, id, row, shown, config.do_sample)
    generated: str = tokenizer.decode(ids, skip_special_tokens=True)
    return generated


def sample_many(model: Any, tokenizer: Any, text: str, answers: int = 100, seed: int = 0, **settings: Any) -> list[str]:
    """Sample several outputs for one text in a batch.

    Args:
        model: a T5ForConditionalGeneration in eval mode.
        tokenizer: the model's tokenizer.
        text: the source text.
        answers: the number of outputs.
        seed: the random seed.
        settings: settings of `generate`: temperature, top_k, top_p ...
    """
    answers = errors.check_integer("answers", answers, at_least=1)
    settings = {"do_sample": True, "num_return_sequences": answers} | settings
    resolve_config(model, settings)
    output = generate_seeded(model, tokenizer, text, seed, settings)
    texts: list[str] = tokenizer.batch_decode(output.sequences, skip_special_tokens=True)
    return texts


def generate_with_scores(
    model: Any, tokenizer: Any, text: str, seed: int, settings: dict[str, Any]
) -> tuple[list[int], list[Tensor]]:
    """Return the ids after the start token, and for each the logits (vocab_size,) that it was selected from."""
    output = generate_seeded(model, tokenizer, text, seed, settings)
    return output.sequences[0, -len(output.scores) :].tolist(), [scores[0] for scores in output.scores]


def generate_seeded(model: Any, tokenizer: Any, text: str, seed: int, settings: dict[str, Any]) -> Any:
    """Return the output of `generate` with scores; the global random state is seeded and restored afterwards."""
    inputs = encode_source(model, tokenizer, text)
    length = {} if {"max_length", "max_new_tokens"} & settings.keys() else {"max_new_tokens": LONGEST}
    # subtle: everything is sampled before the first step; a generator paused in `with` would leak the seed.
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return model.generate(inputs, **length, **settings, return_dict_in_generate=True, output_scores=True)


def token_step(tokenizer: Any, id: int, scores: Tensor, shown: int, drawn: bool) -> TokenGenerated:
    """Return the step for one token and the logits that it was selected from."""
    p = scores.softmax(dim=-1)
    order = p.argsort(descending=True, stable=True).tolist()
    best = int(scores.argmax())
    ids = [other for other in order[:shown] if scores[other] > -torch.inf]
    ids += [id] if id not in ids else []
    return TokenGenerated(
        token=token_names(tokenizer, [id])[0],
        probability=float(p[id]),
        most_probable=token_names(tokenizer, [best])[0],
        max_probability=float(p[best]),
        drawn=drawn,
        tokens=token_names(tokenizer, ids),
        probabilities=tuple(p[ids].tolist()),
        num_possible=int((scores > -torch.inf).sum()),
    )


LAST_LAYER = "decoder.block.{}.cross_attention"


@stepwise
@torch.no_grad()
def trace_cross_attention(
    model: Any, tokenizer: Any, text: str, place: str = "", head: int | None = None, **settings: Any
) -> Generator[CrossAttentionWeights, None, str]:
    """Generate a text, and record the weights of one cross-attention for each of its tokens.

    Args:
        text: the source text.
        place: the name of the cross-attention module; "" means the last layer's.
        head: the index of a head, or None for the mean of all heads.
        settings: settings of `generate`: num_beams, max_new_tokens (default 40) ...

    Returns:
        The generated text without the end token.

    Raises:
        ValueError: the module, the head or a setting is unknown, or several outputs are requested.
    """
    place = place or LAST_LAYER.format(model.config.num_decoder_layers - 1)
    heads = cross_attention_heads(model, place)
    check_attention_name(model, place, heads[0] if head is None else head, ())
    check_single_output(resolve_config(model, settings))
    lengths = {} if {"max_length", "max_new_tokens"} & settings.keys() else {"max_new_tokens": LONGEST}
    source = encode_source(model, tokenizer, text)
    output = model.generate(source, **lengths | settings)[0]  # with the start token
    weights = cross_attention_weights(model, source, output[:-1], place)
    row = weights.mean(dim=0) if head is None else weights[heads.index(head)]
    read = token_names(tokenizer, source[0].tolist())
    for token, weight_row in zip(token_names(tokenizer, output[1:].tolist()), row.tolist(), strict=True):
        yield CrossAttentionWeights(token, read, tuple(weight_row))
    generated: str = tokenizer.decode(output[1:].tolist(), skip_special_tokens=True)
    return generated


def cross_attention_heads(model: Any, place: str) -> list[int]:
    """Return the heads of a cross-attention module.

    Raises:
        ValueError: the model has no cross-attention of that name.
    """
    cross = [LAST_LAYER.format(layer) for layer in range(model.config.num_decoder_layers)]
    if place not in cross:
        raise ValueError(f"{place=} is not a cross-attention of this model; it has {', '.join(cross)}")
    return head_numbers(model, place)


def cross_attention_weights(model: Any, source: Tensor, decoder_input_ids: Tensor, place: str) -> Tensor:
    """Return the weights of all heads, a row for each decoder position: (heads, target, source).

    Args:
        model: a T5ForConditionalGeneration.
        source: the source ids: (1, source).
        decoder_input_ids: position i predicts token i + 1: (target,).
        place: the name of the cross-attention module.
    """
    with watch(model, f"{place}.weights") as seen:
        model(source, decoder_input_ids=decoder_input_ids[None], use_cache=False)
    return seen[f"{place}.weights"][0]
