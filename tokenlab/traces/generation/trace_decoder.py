"""`trace_decoder`: a decoder-only model continues a prompt, in a prefill pass and single steps with a KV cache.

Adds: the distribution before and after temperature, top-k, top-p and min-p at each step, by the rules of
`algorithms/decoding`, and the rows that the cache holds.
Leaves out: several prompts and padding, which `tokenlab/minimal/decoder.py` has; the model is one of that page.
Source: transformers 5.24, generation/utils.py, `_sample` and `_get_logits_processor` (the order of the filters).
"""

from __future__ import annotations

from collections.abc import Generator
from random import Random
from typing import Any

import torch

from tokenlab.algorithms.decoding.filters import min_p_filter, top_k_filter, top_p_filter
from tokenlab.algorithms.decoding.next_token import renormalized, sample_token, softmax_with_temperature
from tokenlab.algorithms.vectors import Row, Vector
from tokenlab.printing.errors import check_integer
from tokenlab.printing.printable import printable
from tokenlab.steps.recording import stepwise
from tokenlab.traces.generation.decoder_steps import DecoderPass, PromptEncoded

END = "<|endoftext|>"  # it separates the texts of the training data, so a text begins after it
SHOWN, LEAST = 8, 0.001  # most probable tokens of a step, and the probability that a shown one has at least


@stepwise
@torch.no_grad()
def trace_decoder(
    model: Any,
    tokenizer: Any,
    prompt: str,
    seed: int = 0,
    temperature: float = 1.0,
    top_k: int = 0,
    top_p: float = 1.0,
    min_p: float = 0.0,
    max_new: int = 40,
) -> Generator[PromptEncoded | DecoderPass, None, str]:
    """Continue a prompt, one token per step, up to the token that ends a text.

    Args:
        model: a `Decoder` of `tokenlab.minimal.decoder`.
        tokenizer: a `Tokenizer` of `tokenlab.minimal.gpt2_tokenizer` with the special token `<|endoftext|>`.
        prompt: the beginning of a text; it may be empty.
        seed: the seed of the draws; the same seed draws the same text.
        temperature: the divisor of the logits; 0 takes the most probable token.
        top_k: see `top_k_filter`; 0 keeps every token.
        top_p: see `top_p_filter`.
        min_p: see `min_p_filter`.
        max_new: the largest number of new tokens.

    Returns:
        The new text.

    Raises:
        ValueError: a setting is out of its range.
    """
    max_new = check_integer("max_new", max_new, at_least=1)
    end, random = tokenizer.special[END], Random(seed)
    read, cache, found = [end, *tokenizer.encode_ordinary(prompt)], list[Any](), list[int]()
    yield PromptEncoded(tuple(token_name(tokenizer, id) for id in read))
    while True:
        logits, cache = model(torch.tensor([read]), cache)  # (1, T, V); keys and values of each layer
        scores = logits[0, -1].tolist()
        before = softmax_with_temperature(scores)
        after = next_distribution(scores, temperature, top_k, top_p, min_p)
        found.append(sample_token(after, random.random()) if temperature else after.index(1.0))
        yield DecoderPass(
            tuple(token_name(tokenizer, id) for id in read),
            cache[0][0].shape[2],
            token_name(tokenizer, found[-1]),
            bool(temperature),
            *shown_probabilities(tokenizer, found[-1], before, after),
            sum(p > 0 for p in after),
        )
        if found[-1] == end or len(found) == max_new:
            return str(tokenizer.decode([id for id in found if id != end]))
        read = found[-1:]


def next_distribution(
    scores: Vector, temperature: float = 1.0, top_k: int = 0, top_p: float = 1.0, min_p: float = 0.0
) -> Row:
    """Return the probabilities after temperature, top-k, top-p and min-p, in this order; 0 takes the most probable id.

    Raises:
        ValueError: a setting is out of its range.

    >>> from math import log
    >>> [round(p, 2) for p in next_distribution([log(0.4), log(0.35), log(0.25)], top_p=0.6)]
    [0.53, 0.47, 0.0]
    >>> next_distribution([1.0, 3.0, 2.0], temperature=0)
    (0.0, 1.0, 0.0)
    """
    if not temperature:
        best = max(range(len(scores)), key=scores.__getitem__)
        return tuple(float(id == best) for id in range(len(scores)))
    p = softmax_with_temperature(scores, temperature)
    p = renormalized(p, {*top_k_filter(p, top_k)}) if top_k else p
    p = renormalized(p, {*top_p_filter(p, top_p)}) if top_p < 1 else p
    return renormalized(p, {*min_p_filter(p, min_p)}) if min_p else p


def shown_probabilities(
    tokenizer: Any, selected: int, before: Row, after: Row
) -> tuple[tuple[str, ...], tuple[float, ...], tuple[float, ...]]:
    """Return the names of the most probable ids and of the selected one, and their probabilities before and after."""
    best = sorted(range(len(before)), key=lambda id: (-before[id], id))[:SHOWN]
    ids = [id for id in best if before[id] >= LEAST or after[id] >= LEAST or id == selected]
    ids += [selected] if selected not in ids else []
    names = tuple(token_name(tokenizer, id) for id in ids)
    return names, tuple(before[id] for id in ids), tuple(after[id] for id in ids)


def token_name(tokenizer: Any, id: int) -> str:
    r"""Return the text of a token; bytes that are only a part of a character as `\xc3`.

    >>> from tokenlab.minimal.gpt2_tokenizer import Tokenizer
    >>> tokenizer = Tokenizer({b" fox": 0, b"\xc3": 1}, {})
    >>> token_name(tokenizer, 0), token_name(tokenizer, 1)
    (' fox', '\\xc3')
    """
    token: bytes = tokenizer.tokens[id]
    try:
        return token.decode()
    except UnicodeDecodeError:
        return printable(token)
