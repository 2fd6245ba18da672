"""Where the decoder looks while it writes: the cross attention of each token that was generated.

Adds: a row of weights for each token, over what the encoder read. They are watched in one more pass that reads the
whole output, so they are the same for every way of writing; a beam search needs no tracing back.
Leaves out: whether what a head looks at is what it goes by.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import torch
from torch import Tensor

from tokenlab.steps import stepwise
from tokenlab.transformers.generation.next_token import named
from tokenlab.transformers.generation.reading import refuse_several, settled, source_ids
from tokenlab.transformers.generation.sampling_steps import Aligned
from tokenlab.transformers.generation.writing import LONGEST
from tokenlab.transformers.record_head import check_place, heads_of
from tokenlab.transformers.watching import watch

LAST = "decoder.block.{}.cross_attention"


@stepwise
@torch.no_grad()
def align(
    model: Any, tokenizer: Any, text: str, place: str = "", head: int | None = None, **settings: Any
) -> Generator[Aligned, None, str]:
    """What the model answers to a text, and where one attention looks for each token of it.

    Args:
        model: a T5ForConditionalGeneration in eval mode.
        tokenizer: that of the model.
        text: what the encoder reads.
        place: which cross attention; that of the last layer if nothing is said.
        head: one of its heads, or None for the mean of all.
        settings: of `generate`: num_beams, max_new_tokens (40 if nobody says otherwise) ...

    Returns:
        the text, without its end.

    Raises:
        ValueError: no such place, no such head, settings that nobody knows, or that ask for several outputs.
    """
    place = place or LAST.format(model.config.num_decoder_layers - 1)
    heads = heads_of_cross(model, place)
    check_place(model, place, heads[0] if head is None else head, ())
    refuse_several(settled(model, settings))
    lengths = {} if {"max_length", "max_new_tokens"} & settings.keys() else {"max_new_tokens": LONGEST}
    source = source_ids(model, tokenizer, text)
    output = model.generate(source, **lengths | settings)[0]  # the start, and what was written
    weights = cross_attention(model, source, output[:-1], place)
    row = weights.mean(dim=0) if head is None else weights[heads.index(head)]
    read = named(tokenizer, source[0].tolist())
    for token, looks in zip(named(tokenizer, output[1:].tolist()), row.tolist(), strict=True):
        yield Aligned(token, read, tuple(looks))
    answer: str = tokenizer.decode(output[1:].tolist(), skip_special_tokens=True)
    return answer


def heads_of_cross(model: Any, place: str) -> list[int]:
    """The heads of a cross attention.

    Raises:
        ValueError: there is none of that name.
    """
    cross = [LAST.format(layer) for layer in range(model.config.num_decoder_layers)]
    if place not in cross:
        raise ValueError(f"{place=} is no cross attention of this model; there are {', '.join(cross)}")
    return heads_of(model, place)


def cross_attention(model: Any, source: Tensor, read: Tensor, place: str) -> Tensor:
    """The weights of all heads, a row for each place of the decoder: (heads, written, source).

    Args:
        model: a T5ForConditionalGeneration.
        source: what the encoder reads: (1, source).
        read: what the decoder reads; its place i chooses the token i + 1: (written,).
        place: which cross attention.
    """
    with watch(model, f"{place}.weights") as seen:
        model(source, decoder_input_ids=read[None], use_cache=False)
    return seen[f"{place}.weights"][0]
