"""Constrained beam search: beam search for outputs that hold what is demanded.

Adds: the sums of all candidates for the scorer, since a constraint may ask for any token, however unlikely.
Leaves out: everything about constraints, which is the `ConstrainedBeamSearchScorer`'s.

Source: transformers 4.26.1, generation/utils.py (`constrained_beam_search`), which fails where several eos ids fill all
candidates, and answers no `beam_indices`; Anderson et al. 2017, "Guided Open Vocabulary Image Captioning with
Constrained Beam Search"; Post and Vilar 2018, "Fast Lexically Constrained Decoding with Dynamic Beam Allocation".
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import torch
from torch import Tensor

from tokenlab.steps import stepwise
from tokenlab.transformers.generation.beam_rows import BeamRows
from tokenlab.transformers.generation.beam_scorer import Eos
from tokenlab.transformers.generation.beam_steps import Chosen
from tokenlab.transformers.generation.constrained_beam_scorer import ConstrainedStep
from tokenlab.transformers.generation.outputs import BeamSearchEncoderDecoderOutput
from tokenlab.transformers.generation.run import Run, candidates_for, extended, first_alone


@stepwise
@torch.no_grad()
def constrained_beam_search(
    self: Any,
    input_ids: Tensor,
    constrained_beam_scorer: Any,
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
) -> Generator[ConstrainedStep | Chosen, None, Any]:
    """Follow the likeliest beams of each text beside those that are far with what is demanded.

    Args:
        self: the model.
        input_ids: what is written already, a row for each beam of each text: (texts * beams, length).
        constrained_beam_scorer: keeps the books, and knows what is demanded.
        logits_processor: changes the log-probabilities of the next token.
        stopping_criteria: when to stop, done or not.
        max_length: another limit; better given as MaxLengthCriteria.
        pad_token_id: what fills up the shorter outputs.
        eos_token_id: what ends an output, or several ids that do.
        output_attentions: answer attentions, too.
        output_hidden_states: answer the states of all layers, too.
        output_scores: answer the scores of each step, and of the outputs, too; as in 4.26.1, and otherwise than in beam
            search, those of a step have the sum of their beam in them.
        return_dict_in_generate: answer by name.
        synced_gpus: is not built here.
        model_kwargs: encoder_outputs (with as many rows), attention_mask, use_cache ...

    Returns:
        ids (outputs, length), or a BeamSearchEncoderDecoderOutput.
    """
    run = Run.of(locals())
    texts, beams = run.beams_of(constrained_beam_scorer, input_ids, with_constraints=True)
    sums = first_alone(texts, beams, like=input_ids)  # (texts * beams,)
    rows = BeamRows(len(input_ids), run)
    while True:
        log_probabilities = run.processors(input_ids, run.read(input_ids).log_softmax(dim=-1))
        totals = log_probabilities + sums[:, None]  # (texts * beams, vocab_size)
        run.keep(totals)
        vocab_size = totals.shape[-1]
        of_texts = totals.view(texts, beams * vocab_size)
        best, places = of_texts.topk(candidates_for(beams, run.ends, of_texts.shape[-1]), dim=-1)
        run.check_beams(best[:, 0].tolist(), constrained_beam_scorer)
        parents, tokens = places // vocab_size, places % vocab_size
        chosen = yield from constrained_beam_scorer.process.steps(
            input_ids, best, tokens, parents, totals, run.pad, run.eos, rows.beam_indices
        )
        sums, parent_rows = chosen["next_beam_scores"], chosen["next_beam_indices"]
        input_ids = extended(input_ids[parent_rows], chosen["next_beam_tokens"])
        run.reorder(parent_rows)
        rows.reorder(parent_rows)
        if constrained_beam_scorer.is_done or run.must_stop(input_ids):
            break
    ended = yield from constrained_beam_scorer.finalize.steps(
        input_ids, sums, tokens, parents, run.max_length, run.pad, run.eos, rows.beam_indices
    )
    return rows.answer(BeamSearchEncoderDecoderOutput, ended)
