"""Beam search: several beams are followed at once, and the likeliest beams so far are kept.

Adds: a second chance for what is not the likeliest at once.
Leaves out: chance, groups, constraints; and the bookkeeping, which is the `BeamSearchScorer`'s.

Source: transformers 4.26.1, generation/utils.py (`beam_search`), which fails where several eos ids fill all candidates.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import torch
from torch import Tensor

from tokenlab.steps import stepwise
from tokenlab.transformers.generation.beam_hypotheses import BeamHypotheses
from tokenlab.transformers.generation.beam_rows import BeamRows
from tokenlab.transformers.generation.beam_scorer import BeamScorer, BeamSearchScorer, Eos
from tokenlab.transformers.generation.beam_steps import BeamStep, Chosen
from tokenlab.transformers.generation.constrained_beam_scorer import ConstrainedBeamSearchScorer
from tokenlab.transformers.generation.outputs import BeamSearchEncoderDecoderOutput
from tokenlab.transformers.generation.run import Run, candidates_for, extended, first_alone

# The books of beams, which transformers has in its file of this name, are found here, too.
__all__ = ["BeamHypotheses", "BeamScorer", "BeamSearchScorer", "ConstrainedBeamSearchScorer", "beam_search"]


@stepwise
@torch.no_grad()
def beam_search(
    self: Any,
    input_ids: Tensor,
    beam_scorer: Any,
    logits_processor: Any = None,
    stopping_criteria: Any = None,
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
    """Follow the likeliest beams of each text until no better hypothesis can come.

    Args:
        self: the model.
        input_ids: what is written already, a row for each beam of each text: (texts * beams, length).
        beam_scorer: keeps the books.
        logits_processor: changes the log-probabilities of the next token.
        stopping_criteria: when to stop, done or not.
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
        ids (outputs, length), or a BeamSearchEncoderDecoderOutput.
    """
    run = Run.of(locals())
    texts, beams = run.beams_of(beam_scorer, input_ids)
    # Every beam of a text starts alike: all but the first are switched off, or they would all write the same.
    sums = first_alone(texts, beams, like=input_ids)  # (texts * beams,)
    rows = BeamRows(len(input_ids), run)
    while True:
        log_probabilities = run.processors(input_ids, run.read(input_ids).log_softmax(dim=-1))
        run.keep(log_probabilities)
        vocab_size = log_probabilities.shape[-1]
        totals = (log_probabilities + sums[:, None]).view(texts, beams * vocab_size)
        best, places = totals.topk(candidates_for(beams, run.ends, totals.shape[-1]), dim=-1)
        run.check_beams(best[:, 0].tolist(), beam_scorer)
        parents, tokens = places // vocab_size, places % vocab_size
        chosen = yield from beam_scorer.process.steps(
            input_ids, best, tokens, parents, run.pad, run.eos, rows.beam_indices
        )
        sums, parent_rows = chosen["next_beam_scores"], chosen["next_beam_indices"]
        # subtle: a beam goes on from its parent, so its ids and its cache are the parent's.
        input_ids = extended(input_ids[parent_rows], chosen["next_beam_tokens"])
        run.reorder(parent_rows)
        rows.reorder(parent_rows)
        if beam_scorer.is_done or run.must_stop(input_ids):
            break
    ended = yield from beam_scorer.finalize.steps(
        input_ids, sums, tokens, parents, run.max_length, run.pad, run.eos, rows.beam_indices
    )
    return rows.answer(BeamSearchEncoderDecoderOutput, ended)
