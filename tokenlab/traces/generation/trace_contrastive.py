"""`trace_contrastive_search`: record contrastive search for a text, after the output of greedy search.

Adds: a text instead of ids, greedy search for comparison, token names. Leaves out: processors, and the search itself.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace
from typing import Any

import torch

from tokenlab.libraries.transformers.generation.argument_checks import check_integer, check_number
from tokenlab.libraries.transformers.generation.contrastive_steps import CandidatesReranked
from tokenlab.libraries.transformers.generation.stopping_criteria import MaxLengthCriteria, StoppingCriteriaList
from tokenlab.steps.recording import GeneratorRun, call_steps, step, stepwise
from tokenlab.traces.generation.token_names import NamedOutputs, named_outputs, token_names
from tokenlab.traces.generation.trace_beam_search import LONGEST
from tokenlab.traces.generation.trace_inputs import encode_source


@step
class GreedyBaseline:
    """The output of greedy search for the same text."""

    text: str
    tokens: tuple[str, ...]

    def __str__(self) -> str:
        return f"greedy search, which always selects the most probable token, generates: {self.text}"


@stepwise
@torch.no_grad()
def trace_contrastive_search(
    model: Any, tokenizer: Any, text: str, penalty_alpha: float = 0.6, top_k: int = 4, max_length: int = LONGEST
) -> Generator[GreedyBaseline | CandidatesReranked, None, NamedOutputs]:
    """Generate a text with contrastive search, and record its steps.

    Args:
        text: the source text.
        penalty_alpha: the weight of the degeneration penalty, from 0 to 1; 0 is greedy search.
        top_k: the number of candidates, the most probable tokens; 1 is greedy search as well.
        max_length: the maximum length of the output including the start token.

    Raises:
        ValueError: penalty_alpha is outside 0 to 1, top_k is below 1 or above the vocabulary size, or max_length leaves
            no room.
    """
    if not 0 <= check_number("penalty_alpha", penalty_alpha, "0.6 is usual") <= 1:
        raise ValueError(
            f"penalty_alpha={penalty_alpha!r} should be between 0 (only the probability counts) and 1 (only the "
            "penalty counts); 0.6 is usual"
        )
    check_integer("max_length", max_length, at_least=2)
    options = {
        "encoder_outputs": model.get_encoder()(encode_source(model, tokenizer, text), return_dict=True),
        "stopping_criteria": StoppingCriteriaList([MaxLengthCriteria(max_length)]),
    }
    start = torch.full((1, 1), model.config.decoder_start_token_id, device=model.device)
    greedy = model.greedy_search(start, **options)
    tokens = tokenizer.convert_ids_to_tokens(greedy[0, 1:].tolist())
    yield GreedyBaseline(tokenizer.decode(greedy[0], skip_special_tokens=True), tuple(tokens))
    search = model.contrastive_search
    names = NamedOutputs((), token_names(tokenizer))
    steps = GeneratorRun(call_steps(search, start, top_k=top_k, penalty_alpha=penalty_alpha, **options))
    for done in steps:
        yield with_token_names(done, names)
    return named_outputs(tokenizer, steps.result)


def with_token_names(done: CandidatesReranked, names: NamedOutputs) -> CandidatesReranked:
    """Return the step with the token of each candidate, so that its sentence shows tokens instead of ids."""
    named = (tuple(replace(each, name=names.name(each.token)) for each in row) for row in done.candidates)
    return replace(done, candidates=tuple(named))
