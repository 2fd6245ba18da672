"""Group beam search for a text: the turns of its groups, with tokens by name.

Adds: a text instead of ids, and steps that show the penalty where it lands.
Leaves out: the search itself, which is `generate`'s.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import torch

from tokenlab.steps import stepwise
from tokenlab.transformers.generation.beam_scorer import eos_ids
from tokenlab.transformers.generation.group_turns import Ranked, Turn, Turns
from tokenlab.transformers.generation.naming import Answered, answered, names_of
from tokenlab.transformers.generation.searching import LONGEST


@stepwise
def search_in_groups(
    model: Any,
    tokenizer: Any,
    text: str,
    num_beams: int = 4,
    num_beam_groups: int = 4,
    diversity_penalty: float = 1.0,
    length_penalty: float = 1.0,
    max_length: int = LONGEST,
) -> Generator[Turn | Ranked, None, Answered]:
    """What group beam search writes for a text: all hypotheses, best first.

    Args:
        model: in eval mode, or dropout is drawn.
        tokenizer: that of the model.
        text: what is read.
        num_beams: how many beams are followed, in all groups.
        num_beam_groups: how many groups they make; 1 is beam search.
        diversity_penalty: what a token costs for every beam of an earlier group that has chosen it at this step.
        length_penalty: the exponent of the length that divides a hypothesis' sum of log-probabilities.
        max_length: of an output, its start among it.

    Raises:
        ValueError: settings that do not go together.
    """
    names = Answered((), names_of(tokenizer))
    turns = Turns(names.name, {names.name(id) for id in eos_ids(model.generation_config.eos_token_id)})
    steps = model.generate.steps(
        torch.tensor([tokenizer(text)["input_ids"]]),
        num_beams=num_beams,
        num_beam_groups=num_beam_groups,
        num_return_sequences=num_beams,
        diversity_penalty=diversity_penalty,
        length_penalty=length_penalty,
        max_length=max_length,
    )
    while True:
        try:
            done = next(steps)
        except StopIteration as ended:
            return answered(tokenizer, ended.value)
        yield from turns.take(done)
