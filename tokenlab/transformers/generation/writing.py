"""A text that is written token by token, greedily or by chance, with the distribution that each was chosen from.

Adds: names for tokens, and what else could have been written. The text is that of `generate`, which is called.
Leaves out: beams, of which no single distribution decides (`beam_search` has steps of its own).
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import torch
from torch import Tensor

from tokenlab import errors
from tokenlab.steps import stepwise
from tokenlab.transformers.generation.next_token import named
from tokenlab.transformers.generation.reading import refuse_other_modes, refuse_several, settled, source_ids
from tokenlab.transformers.generation.sampling_steps import Written

MODES = ("greedy_search", "sample")
ONE_BY_ONE = (
    "here one token after another is taken or drawn: leave out num_beams, num_beam_groups, constraints and "
    "penalty_alpha"
)
LONGEST = 40  # tokens, unless another length is given


@stepwise
def write(
    model: Any, tokenizer: Any, text: str, seed: int = 0, shown: int = 8, **settings: Any
) -> Generator[Written, None, str]:
    """What the model answers to a text, one token a step.

    Args:
        model: a T5ForConditionalGeneration in eval mode.
        tokenizer: that of the model.
        text: what the encoder reads.
        seed: where chance begins; the same seed draws the same text.
        shown: how many of the likeliest tokens each step names.
        settings: of `generate`: do_sample, temperature, top_k, top_p, max_new_tokens (40 if nobody says otherwise) ...

    Returns:
        the text, without its end.

    Raises:
        ValueError: a setting that nobody knows, that asks for the impossible, for beams, or for several outputs.
    """
    shown = errors.whole_number("shown", shown, at_least=1)
    config = settled(model, settings)
    refuse_other_modes(config, MODES, ONE_BY_ONE)
    refuse_several(config)
    ids, scores = generated(model, tokenizer, text, seed, settings)
    for id, row in zip(ids, scores, strict=True):
        yield written(tokenizer, id, row, shown, config.do_sample)
    answer: str = tokenizer.decode(ids, skip_special_tokens=True)
    return answer


def many_answers(
    model: Any, tokenizer: Any, text: str, answers: int = 100, seed: int = 0, **settings: Any
) -> list[str]:
    """So many answers to one text, drawn side by side.

    Args:
        model: a T5ForConditionalGeneration in eval mode.
        tokenizer: that of the model.
        text: what the encoder reads.
        answers: how many.
        seed: where chance begins.
        settings: of `generate`: temperature, top_k, top_p ...
    """
    answers = errors.whole_number("answers", answers, at_least=1)
    settings = {"do_sample": True, "num_return_sequences": answers} | settings
    settled(model, settings)
    output = seeded(model, tokenizer, text, seed, settings)
    texts: list[str] = tokenizer.batch_decode(output.sequences, skip_special_tokens=True)
    return texts


def generated(
    model: Any, tokenizer: Any, text: str, seed: int, settings: dict[str, Any]
) -> tuple[list[int], list[Tensor]]:
    """The ids after the start, and for each the scores (vocab_size,) that it was chosen by."""
    output = seeded(model, tokenizer, text, seed, settings)
    return output.sequences[0, -len(output.scores) :].tolist(), [scores[0] for scores in output.scores]


def seeded(model: Any, tokenizer: Any, text: str, seed: int, settings: dict[str, Any]) -> Any:
    """What `generate` answers, with its scores; chance begins at the seed, and afterwards where it was before."""
    inputs = source_ids(model, tokenizer, text)
    length = {} if {"max_length", "max_new_tokens"} & settings.keys() else {"max_new_tokens": LONGEST}
    # subtle: all is drawn before the first step is shown; a paused `with` would leave its seed to whoever looks on.
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return model.generate(inputs, **length, **settings, return_dict_in_generate=True, output_scores=True)


def written(tokenizer: Any, id: int, scores: Tensor, shown: int, drawn: bool) -> Written:
    """One token, and what it was chosen from."""
    p = scores.softmax(dim=-1)
    order = p.argsort(descending=True, stable=True).tolist()
    best = int(scores.argmax())
    ids = [other for other in order[:shown] if scores[other] > -torch.inf]
    ids += [id] if id not in ids else []
    return Written(
        token=named(tokenizer, [id])[0],
        probability=float(p[id]),
        likeliest=named(tokenizer, [best])[0],
        highest=float(p[best]),
        drawn=drawn,
        tokens=named(tokenizer, ids),
        probabilities=tuple(p[ids].tolist()),
        left=int((scores > -torch.inf).sum()),
    )
