"""Beam search for a text: the library's own steps, with the names of its tokens in the answer.

Adds: a text instead of ids, and limits that make a search worth watching.
Leaves out: the search itself, which is `generate`'s.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from tokenlab.steps import stepwise
from tokenlab.transformers.generation.beam_hypotheses import EarlyStopping, LengthCounts
from tokenlab.transformers.generation.beam_steps import BeamStep, Chosen
from tokenlab.transformers.generation.naming import Answered, answered
from tokenlab.transformers.generation.reading import PLAIN_BEAMS, refuse_other_modes, settled, source_ids

LONGEST = 40  # ids of an output, its start among them


@stepwise
def search(
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
) -> Generator[BeamStep | Chosen, None, Answered]:
    """What beam search writes for a text.

    Args:
        model: in eval mode, or dropout is drawn.
        tokenizer: that of the model.
        text: what is read.
        num_beams: how many beams are followed.
        length_penalty: the exponent of the length that divides a hypothesis' sum of log-probabilities.
        early_stopping: True, False or "never"; see `BeamHypotheses`.
        num_return_sequences: how many hypotheses are answered.
        repetition_penalty: above 1, what was written becomes less likely.
        length_counts: "prompt" as in 4.26.1, "eos" as in transformers today.
        max_length: of an output, its start among it.
        settings: others of `generate`.

    Raises:
        ValueError: settings that do not go together, or that ask for another way of writing.
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
    refuse_other_modes(settled(model, settings), ("beam_search",), PLAIN_BEAMS)
    sequences = yield from model.generate.steps(source_ids(model, tokenizer, text), **settings)
    return answered(tokenizer, sequences)
