"""Contrastive search for a text: its own steps after what greedy search writes, with the names of tokens in the answer.

Adds: a text instead of ids, and greedy search beside it. Leaves out: processors, and the search itself.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import torch

from tokenlab.steps import step, stepwise
from tokenlab.transformers.generation.arguments import share_of_penalty, whole
from tokenlab.transformers.generation.contrastive_steps import Reranked
from tokenlab.transformers.generation.naming import Answered, answered
from tokenlab.transformers.generation.reading import source_ids
from tokenlab.transformers.generation.searching import LONGEST
from tokenlab.transformers.generation.stopping_criteria import MaxLengthCriteria, StoppingCriteriaList


@step
class Greedily:
    """What greedy search writes for the same text."""

    text: str
    tokens: tuple[str, ...]

    def __str__(self) -> str:
        """Say it."""
        return f"greedy search writes: {self.text}"


@stepwise
@torch.no_grad()
def contrast(
    model: Any, tokenizer: Any, text: str, penalty_alpha: float = 0.6, top_k: int = 4, max_length: int = LONGEST
) -> Generator[Greedily | Reranked, None, Answered]:
    """What contrastive search writes for a text.

    Args:
        model: in eval mode, or dropout is drawn.
        tokenizer: that of the model.
        text: what is read.
        penalty_alpha: the share of the penalty, from 0 to 1; at 0 the likeliest token wins.
        top_k: how many of the likeliest tokens are candidates; 1 is greedy search, too.
        max_length: of an output, its start among it.

    Raises:
        ValueError: a share outside 0 to 1, no candidates or more than there are tokens, or a max_length that leaves no
            room.
    """
    share_of_penalty(penalty_alpha)
    whole("max_length", max_length, at_least=2)
    options = {
        "encoder_outputs": model.get_encoder()(source_ids(model, tokenizer, text), return_dict=True),
        "stopping_criteria": StoppingCriteriaList([MaxLengthCriteria(max_length)]),
    }
    start = torch.full((1, 1), model.config.decoder_start_token_id, device=model.device)
    likeliest = model.greedy_search(start, **options)
    tokens = tokenizer.convert_ids_to_tokens(likeliest[0, 1:].tolist())
    yield Greedily(tokenizer.decode(likeliest[0], skip_special_tokens=True), tuple(tokens))
    written = yield from model.contrastive_search.steps(start, top_k=top_k, penalty_alpha=penalty_alpha, **options)
    return answered(tokenizer, written)
