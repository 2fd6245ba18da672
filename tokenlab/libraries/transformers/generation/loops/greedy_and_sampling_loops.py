"""Greedy search and sampling: append one token to each text at each step, the most probable one or a drawn one.

Adds: the simplest decoding strategies; in sampling, random draws, and warpers, which change the distribution before the
draw. Leaves out: beams, which follow alternatives.

Source: transformers 4.26.1, generation/utils.py (`greedy_search`, `sample`), with draws in the same order. There a
second eos id breaks the loops: an output never ends, and its later ids are multiplied.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import torch
from torch import Tensor

from tokenlab.libraries.transformers.generation.loops.decoding_state import (
    DecodingState,
    UnfinishedSequences,
    append_tokens,
)
from tokenlab.libraries.transformers.generation.loops.generation_loop import generation_loop
from tokenlab.libraries.transformers.generation.outputs import (
    GreedySearchEncoderDecoderOutput,
    SampleEncoderDecoderOutput,
)
from tokenlab.printing.printed_numbers import format_probability
from tokenlab.steps.recording import step


@step
class GreedyStep:
    """The most probable token is selected for each text."""

    number: int
    tokens: tuple[int | None, ...]  # None for a text that had ended
    probabilities: tuple[float, ...]
    ended: tuple[bool, ...]

    def __str__(self) -> str:
        parts = [
            f"text {text}: token {token} is the most probable ({format_probability(probability)})"
            + " and ends it" * ended
            for text, (token, probability, ended) in enumerate(
                zip(self.tokens, self.probabilities, self.ended, strict=True)
            )
            if token is not None
        ]
        return "; ".join(parts)


@generation_loop("logits_processor stopping_criteria max_length")
def greedy_search(state: DecodingState, input_ids: Tensor) -> Generator[GreedyStep, None, Any]:
    """Append the most probable token to each text until all have ended.

    Returns:
        ids (texts, length), or a GreedySearchEncoderDecoderOutput.
    """
    unfinished = UnfinishedSequences(len(input_ids), state)
    while True:
        scores = state.processors(input_ids, state.next_token_logits(input_ids))
        state.record_scores(scores)
        tokens = scores.argmax(dim=-1)
        probabilities = scores.softmax(dim=-1).amax(dim=-1).tolist()
        state.check_selectable(probabilities, scores, unfinished.open, infinite=True)
        tokens, ids, ended = unfinished.append(tokens)
        yield GreedyStep(state.step, ids, tuple(probabilities), ended)
        input_ids = append_tokens(input_ids, tokens)
        state.update_model_kwargs()
        state.stream(tokens)
        if not unfinished or state.should_stop(input_ids):
            return state.make_output(GreedySearchEncoderDecoderOutput, input_ids)


@step
class SamplingStep:
    """A token is drawn for each text."""

    number: int
    tokens: tuple[int | None, ...]  # None for a text that had ended
    probabilities: tuple[float, ...]
    max_probabilities: tuple[float, ...]  # the highest probability of each text's step
    ended: tuple[bool, ...]

    def __str__(self) -> str:
        rows = zip(self.tokens, self.probabilities, self.max_probabilities, self.ended, strict=True)
        parts = [
            f"text {text}: token {token} is drawn ({format_probability(probability)}; the most probable has "
            f"{format_probability(most)})" + " and ends it" * ended
            for text, (token, probability, most, ended) in enumerate(rows)
            if token is not None
        ]
        return "; ".join(parts)


@generation_loop("logits_processor stopping_criteria logits_warper max_length")
def sample(state: DecodingState, input_ids: Tensor) -> Generator[SamplingStep, None, Any]:
    """Draw a token for each text from its distribution until all texts have ended.

    Returns:
        ids (outputs, length), or a SampleEncoderDecoderOutput.
    """
    unfinished = UnfinishedSequences(len(input_ids), state)
    while True:
        scores = state.warpers(input_ids, state.processors(input_ids, state.next_token_logits(input_ids)))
        state.record_scores(scores)
        probabilities = scores.softmax(dim=-1)
        highest = probabilities.amax(dim=-1).tolist()
        state.check_selectable(highest, scores, unfinished.open)
        # subtle: finished texts draw as well, so that the other texts' random numbers do not change.
        drawn = torch.multinomial(probabilities.nan_to_num(1.0), num_samples=1)
        tokens, ids, ended = unfinished.append(drawn[:, 0])
        yield SamplingStep(state.step, ids, tuple(probabilities.gather(1, drawn)[:, 0].tolist()), tuple(highest), ended)
        input_ids = append_tokens(input_ids, tokens)
        state.update_model_kwargs()
        state.stream(tokens)
        if not unfinished or state.should_stop(input_ids):
            return state.make_output(SampleEncoderDecoderOutput, input_ids)
