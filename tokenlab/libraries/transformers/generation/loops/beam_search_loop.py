"""Beam search, beam sampling and constrained beam search: one loop over beams, and three ways to propose candidates.

Adds: continuations that are not the most probable at first; in beam sampling, random draws; in constrained beam search,
the sums of all candidates for the scorer, since a constraint may ask for any token, however improbable.
Leaves out: groups, which propose in turn (`group_beam_search`); the selection of beams and the tracking of hypotheses,
which are the `BeamSearchScorer`'s; everything about constraints, which is the `ConstrainedBeamSearchScorer`'s.

Source: transformers 4.26.1, generation/utils.py (`beam_search`, `beam_sample` with the same order of draws,
`constrained_beam_search`, which returns no `beam_indices`). There several eos ids may fill all candidates, which fails.
Anderson et al. 2017, "Guided Open Vocabulary Image Captioning with Constrained Beam Search"; Post and Vilar 2018, "Fast
Lexically Constrained Decoding with Dynamic Beam Allocation".
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any

import torch
from torch import Tensor

from tokenlab.libraries.transformers.generation.beams.beam_scorer import MASKED_SCORE
from tokenlab.libraries.transformers.generation.beams.beam_steps import BeamStep, FinalHypotheses
from tokenlab.libraries.transformers.generation.constraints.constrained_beam_scorer import ConstrainedStep
from tokenlab.libraries.transformers.generation.loops.beam_decoding_state import (
    BeamDecodingState,
    Candidates,
    num_candidates,
)
from tokenlab.libraries.transformers.generation.loops.decoding_state import append_tokens
from tokenlab.libraries.transformers.generation.loops.generation_loop import generation_loop
from tokenlab.libraries.transformers.generation.outputs import (
    BeamSampleEncoderDecoderOutput,
    BeamSearchEncoderDecoderOutput,
)

Propose = Callable[[Tensor, Tensor, Tensor], Candidates]


def beam_loop(
    state: BeamDecodingState, input_ids: Tensor, sums: Tensor, propose: Propose, output_class: Any
) -> Generator[Any, None, Any]:
    """Follow the beams of all texts until no better hypothesis can come; return the output.

    Args:
        state: the state of the loop.
        input_ids: the beams: (texts * beams, length).
        sums: their cumulative log-probabilities: (texts * beams,).
        propose: a function that returns the candidates of a step, given the beams, the log-probabilities of their next
            tokens, (texts * beams, vocab_size), and the sums.
        output_class: the class of the output if more than ids is requested.
    """
    while True:
        log_probabilities = state.adjusted_log_probabilities(state.next_token_logits(input_ids), input_ids)
        candidates = propose(input_ids, state.processors(input_ids, log_probabilities), sums)
        state.check_beams_selectable(candidates.scores[:, 0].tolist())
        selected = yield from state.process(input_ids, candidates)
        sums, parents = selected["next_beam_scores"], selected["next_beam_indices"]
        # subtle: a beam continues its parent, so its ids and its cache are the parent's.
        input_ids = append_tokens(input_ids[parents], selected["next_beam_tokens"])
        state.update_model_kwargs()
        state.reorder_cache(parents)
        if state.scorer.is_done or state.should_stop(input_ids):
            return (yield from state.finalize(output_class, input_ids, sums, candidates))


def initial_beam_scores(input_ids: Tensor, size: int, dtype: torch.dtype = torch.float) -> Tensor:
    """Return 0 for the first of `size` beams and a very low sum for the others, since equal beams would stay equal.

    >>> initial_beam_scores(torch.tensor([[0], [0]]), size=2)
    tensor([ 0.0000e+00, -1.0000e+09])
    """
    sums = input_ids.new_full((len(input_ids),), -1e9, dtype=dtype)
    sums[::size] = 0
    return sums


@generation_loop("beam_scorer logits_processor stopping_criteria max_length", BeamDecodingState)
def beam_search(state: BeamDecodingState, input_ids: Tensor) -> Generator[BeamStep | FinalHypotheses, None, Any]:
    """Follow the most probable beams of each text until no better hypothesis can come.

    Returns:
        ids (outputs, length), or a BeamSearchEncoderDecoderOutput.
    """

    def most_probable(input_ids: Tensor, log_probabilities: Tensor, sums: Tensor) -> Candidates:
        state.record_scores(log_probabilities)
        return state.best_candidates(log_probabilities + sums[:, None], state.num_beams)

    # The beams of a text start equal: all but the first are disabled, or they would generate the same tokens.
    sums = initial_beam_scores(input_ids, state.num_beams)
    return (yield from beam_loop(state, input_ids, sums, most_probable, BeamSearchEncoderDecoderOutput))


@generation_loop("beam_scorer logits_processor stopping_criteria logits_warper max_length", BeamDecodingState)
def beam_sample(state: BeamDecodingState, input_ids: Tensor) -> Generator[BeamStep | FinalHypotheses, None, Any]:
    """Draw candidates for the beams of each text by their probability, and keep the best drawn ones.

    Returns:
        ids (outputs, length), or a BeamSampleEncoderDecoderOutput.
    """

    def drawn(input_ids: Tensor, log_probabilities: Tensor, sums: Tensor) -> Candidates:
        # subtle: warped with the sums, and for each beam separately, so that each beam keeps its own best tokens.
        totals = state.warpers(input_ids, log_probabilities + sums[:, None])
        if state.keeps_scores:
            state.record_scores(state.warpers(input_ids, log_probabilities))
        vocab_size = totals.shape[-1]
        totals = totals.view(state.num_texts, state.num_beams * vocab_size)
        highest = totals.amax(dim=-1).tolist()
        state.check_beams_selectable(highest)
        probabilities = totals.softmax(dim=-1)
        if MASKED_SCORE in highest:  # a text that has hypotheses and gets no others: its draws are masked candidates
            probabilities = probabilities.nan_to_num(nan=1.0)
        places = torch.multinomial(probabilities, num_candidates(state.num_beams, state.ends, totals.shape[-1]))
        scores, order = totals.gather(-1, places).sort(descending=True, dim=-1)  # the scorer expects the best first
        places = places.gather(-1, order)
        return Candidates(scores, places % vocab_size, places // vocab_size)

    sums = input_ids.new_zeros(len(input_ids), dtype=torch.float)  # equal beams draw different tokens
    return (yield from beam_loop(state, input_ids, sums, drawn, BeamSampleEncoderDecoderOutput))


@generation_loop("constrained_beam_scorer logits_processor stopping_criteria max_length", BeamDecodingState)
def constrained_beam_search(
    state: BeamDecodingState, input_ids: Tensor
) -> Generator[ConstrainedStep | FinalHypotheses, None, Any]:
    """Follow the most probable beams of each text, and those that make progress with the constraints.

    As in 4.26.1, and unlike in beam search, the recorded scores of a step include the sum of their beam.

    Returns:
        ids (outputs, length), or a BeamSearchEncoderDecoderOutput.
    """

    def most_probable(input_ids: Tensor, log_probabilities: Tensor, sums: Tensor) -> Candidates:
        totals = log_probabilities + sums[:, None]  # (texts * beams, vocab_size)
        state.record_scores(totals)
        return state.best_candidates(totals, state.num_beams)._replace(all_scores=totals)

    sums = initial_beam_scores(input_ids, state.num_beams)
    return (yield from beam_loop(state, input_ids, sums, most_probable, BeamSearchEncoderDecoderOutput))
