"""Trace beam search for a text: the steps of the scorer, with the names of tokens in the result.

Adds: a text instead of ids, and defaults for a demonstration.
Leaves out: the search itself (`generate`).
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from tokenlab.algorithms.decoding.stopping_rule import EarlyStopping, LengthCounts
from tokenlab.libraries.transformers.generation.beam_steps import BeamStep, FinalHypotheses
from tokenlab.steps.recording import call_steps, stepwise
from tokenlab.traces.generation.token_names import NamedOutputs, named_outputs, named_steps
from tokenlab.traces.generation.trace_inputs import (
    PLAIN_BEAM_SEARCH_MODES,
    check_generation_mode,
    encode_source,
    resolve_config,
)

LONGEST = 40  # maximum ids of an output, including its start


@stepwise
def trace_beam_search(
    model: Any,
    tokenizer: Any,
    text: str,
    num_beams: int = 4,
    length_penalty: float = 1.0,
    early_stopping: EarlyStopping = False,
    num_return_sequences: int = 1,
    repetition_penalty: float = 1.0,
    length_counts: LengthCounts = "prompt",
    max_length: int = LONGEST,
    **settings: Any,
) -> Generator[BeamStep | FinalHypotheses, None, NamedOutputs]:
    """Run beam search for a text, and return its outputs.

    Args:
        text: the source text.
        num_beams: number of beams.
        length_penalty: the exponent of the length that divides a hypothesis' sum of log-probabilities.
        early_stopping: True, False or "never"; see `BeamHypotheses`.
        num_return_sequences: number of hypotheses that are returned.
        repetition_penalty: above 1, tokens that were already generated become less probable.
        length_counts: "prompt" as in 4.26.1, "eos" as in transformers today.
        max_length: maximum number of ids of an output, including its start.
        settings: other arguments of `generate`.

    Raises:
        ValueError: settings that contradict each other, or select another generation mode.
    """
    settings |= {
        "num_beams": num_beams,
        "length_penalty": length_penalty,
        "early_stopping": early_stopping,
        "num_return_sequences": num_return_sequences,
        "repetition_penalty": repetition_penalty,
        "length_counts": length_counts,
        "max_length": max_length,
    }
    check_generation_mode(resolve_config(model, settings), ("beam_search",), PLAIN_BEAM_SEARCH_MODES)
    steps = call_steps(model.generate, encode_source(model, tokenizer, text), **settings)
    sequences = yield from named_steps(steps, tokenizer)
    return named_outputs(tokenizer, sequences)
