"""Beam sampling: beams go on with candidates that are drawn, not with the best ones.

Adds: chance to beam search. Leaves out: groups, constraints.

Source: transformers 4.26.1, generation/utils.py (`beam_sample`), with the same order of draws.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import torch
from torch import Tensor

from tokenlab.steps import stepwise
from tokenlab.transformers.generation.beam_rows import BeamRows
from tokenlab.transformers.generation.beam_scorer import FORBIDDEN, Eos
from tokenlab.transformers.generation.beam_steps import BeamStep, Chosen
from tokenlab.transformers.generation.outputs import BeamSampleEncoderDecoderOutput
from tokenlab.transformers.generation.run import Run, candidates_for, extended, no_change


@stepwise
@torch.no_grad()
def beam_sample(
    self: Any,
    input_ids: Tensor,
    beam_scorer: Any,
    logits_processor: Any = None,
    stopping_criteria: Any = None,
    logits_warper: Any = None,
    max_length: int | None = None,
    pad_token_id: int | None = None,
    eos_token_id: Eos = None,
    output_attentions: bool | None = None,
    output_hidden_states: bool | None = None,
    output_scores: bool | None = None,
    return_dict_in_generate: bool | None = None,
    synced_gpus: bool = False,
    **model_kwargs: Any,
) -> Generator[BeamStep | Chosen, None, Any]:
    """Draw candidates for the beams of each text by their probability, and keep the best of those drawn.

    Args:
        self: the model.
        input_ids: what is written already, a row for each beam of each text: (texts * beams, length).
        beam_scorer: keeps the books.
        logits_processor: changes the log-probabilities of the next token.
        stopping_criteria: when to stop, done or not.
        logits_warper: changes the sums of log-probabilities before the draw: temperature, top-k, top-p.
        max_length: another limit; better given as MaxLengthCriteria.
        pad_token_id: what fills up the shorter outputs.
        eos_token_id: what ends an output, or several ids that do.
        output_attentions: answer attentions, too.
        output_hidden_states: answer the states of all layers, too.
        output_scores: answer the scores of each step, and of the outputs, too.
        return_dict_in_generate: answer by name.
        synced_gpus: is not built here.
        model_kwargs: encoder_outputs (with as many rows), attention_mask, use_cache ...

    Returns:
        ids (outputs, length), or a BeamSampleEncoderDecoderOutput.
    """
    run = Run.of(locals())
    warp = logits_warper or no_change
    texts, beams = run.beams_of(beam_scorer, input_ids)
    sums = input_ids.new_zeros(len(input_ids), dtype=torch.float)  # all beams may start alike: they draw
    rows = BeamRows(len(input_ids), run)
    while True:
        log_probabilities = run.processors(input_ids, run.read(input_ids).log_softmax(dim=-1))
        # subtle: warped with the sums in them and before all beams lie in one row; each beam keeps its own best ones.
        totals = warp(input_ids, log_probabilities + sums[:, None])
        if run.keeps_scores:
            run.keep(warp(input_ids, log_probabilities))
        vocab_size = totals.shape[-1]
        totals = totals.view(texts, beams * vocab_size)
        highest = totals.amax(dim=-1).tolist()
        run.check_beams(highest, beam_scorer)
        probabilities = totals.softmax(dim=-1)
        if FORBIDDEN in highest:  # of a text with hypotheses, which gets no others: what it draws is none
            probabilities = probabilities.nan_to_num(nan=1.0)
        drawn = torch.multinomial(probabilities, candidates_for(beams, run.ends, totals.shape[-1]))
        # The scorer wants them best first.
        best, order = totals.gather(-1, drawn).sort(descending=True, dim=-1)
        places = drawn.gather(-1, order)
        parents, tokens = places // vocab_size, places % vocab_size
        chosen = yield from beam_scorer.process.steps(
            input_ids, best, tokens, parents, run.pad, run.eos, rows.beam_indices
        )
        sums, parent_rows = chosen["next_beam_scores"], chosen["next_beam_indices"]
        input_ids = extended(input_ids[parent_rows], chosen["next_beam_tokens"])
        run.reorder(parent_rows)
        rows.reorder(parent_rows)
        if beam_scorer.is_done or run.must_stop(input_ids):
            break
    ended = yield from beam_scorer.finalize.steps(
        input_ids, sums, tokens, parents, run.max_length, run.pad, run.eos, rows.beam_indices
    )
    return rows.answer(BeamSampleEncoderDecoderOutput, ended)
