"""Group beam search: groups of beams, of which each is punished for the tokens that those before it chose.

Adds: outputs that differ. Leaves out: the punishment, which is a processor (`HammingDiversityLogitsProcessor`): without
it all groups would be alike.

Source: transformers 4.26.1, generation/utils.py (`group_beam_search`); Vijayakumar et al. 2016, "Diverse Beam Search".
There `beam_indices` count within a group; here they are rows of the scores, as in beam search.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from typing import Any

import torch
from torch import Tensor

from tokenlab.steps import stepwise
from tokenlab.transformers.generation.beam_rows import BeamRows
from tokenlab.transformers.generation.beam_scorer import FORBIDDEN, Eos
from tokenlab.transformers.generation.beam_steps import BeamStep, Chosen
from tokenlab.transformers.generation.group_steps import Lowered
from tokenlab.transformers.generation.outputs import BeamSearchEncoderDecoderOutput
from tokenlab.transformers.generation.run import Run, candidates_for, extended


@stepwise
@torch.no_grad()
def group_beam_search(
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
) -> Generator[BeamStep | Lowered | Chosen, None, Any]:
    """Follow groups of beams in turn, each seeing at every step what those before it have chosen.

    Args:
        self: the model.
        input_ids: what is written already, a row for each beam of each text: (texts * beams, length).
        beam_scorer: keeps the books.
        logits_processor: changes the log-probabilities of the next token;
            it is also given current_tokens, what all beams chose at this step so far, and beam_group_idx.
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
    size = beam_scorer.group_size
    # subtle: groups write into it, so that it needs the type of what is written, and half is too small for -1e9.
    sums = input_ids.new_full((texts, beams), -1e9, dtype=torch.promote_types(torch.float, self.dtype))
    sums[:, ::size] = 0  # the first beam of each group
    sums = sums.view(-1)  # (texts * beams,)
    members = torch.arange(len(input_ids), device=input_ids.device).view(texts, beam_scorer.num_beam_groups, size)
    rows = BeamRows(len(input_ids), run)
    while True:
        logits = run.read(input_ids)
        kept = torch.zeros_like(logits)
        written = torch.zeros_like(input_ids[:, 0])  # (texts * beams,): what groups have chosen at this step
        parent_rows = torch.zeros_like(written)
        highest = sums.new_full((texts,), FORBIDDEN)  # of the candidates of groups so far
        for group in range(beam_scorer.num_beam_groups):
            mine = members[:, group].flatten()  # (texts * size,): the rows of this group
            from_model = logits[mine].log_softmax(dim=-1)
            log_probabilities = run.processors(
                input_ids[mine], from_model, current_tokens=written, beam_group_idx=group
            )
            kept[mine] = log_probabilities
            vocab_size = log_probabilities.shape[-1]
            totals = (log_probabilities + sums[mine, None]).view(texts, size * vocab_size)
            best, places = totals.topk(candidates_for(size, run.ends, totals.shape[-1]), dim=-1)
            highest = torch.maximum(highest, best[:, 0])
            if group == beam_scorer.num_beam_groups - 1 or highest.isnan().any():
                run.check_beams(highest.tolist(), beam_scorer)
            parents, tokens = places // vocab_size, places % vocab_size
            if group:
                earlier = written.view(texts, beams)[:, : group * size]
                came_to = (sums[mine], from_model, log_probabilities)
                yield from lowerings(input_ids.shape[-1], group, earlier, *came_to, beam_scorer._done)
            chosen = yield from beam_scorer.process.steps(
                input_ids[mine], best, tokens, parents, run.pad, run.eos, rows.of(mine), group
            )
            sums[mine] = chosen["next_beam_scores"]
            written[mine] = chosen["next_beam_tokens"]
            parent_rows[mine] = mine[chosen["next_beam_indices"]]
        run.keep(kept)
        input_ids = extended(input_ids[parent_rows], written)
        run.reorder(parent_rows)
        rows.reorder(parent_rows)
        if beam_scorer.is_done or run.must_stop(input_ids):
            break
    ended = yield from beam_scorer.finalize.steps(
        input_ids, sums, tokens, parents, run.max_length, run.pad, run.eos, rows.beam_indices
    )
    return rows.answer(BeamSearchEncoderDecoderOutput, ended)


def lowerings(
    length: int, group: int, earlier: Tensor, sums: Tensor, before: Tensor, after: Tensor, done: Sequence[bool]
) -> Iterator[Lowered]:
    """What a group's beams would come to with the tokens that earlier groups have chosen; a step for each text.

    Args:
        length: of the beams, before this step.
        group: which group this is.
        earlier: what the beams of earlier groups have chosen: (texts, earlier beams).
        sums: of the log-probabilities so far: (texts * group size,).
        before: the log-probabilities of the next token, from the model: (texts * group size, vocab_size).
        after: those that the processors left.
        done: which texts are, and get no step.

    >>> before = torch.tensor([[-1.0, -2.0]])
    >>> for lowered in lowerings(1, 1, torch.tensor([[0]]), torch.zeros(1), before, before - 0.5, [False]):
    ...     print(lowered)
    text 0: for group 1, chosen by earlier ones, 0 (1x): -1.00 becomes -1.50
    """
    rows = earlier[:, None].expand(-1, len(sums) // len(earlier), -1)  # (texts, group size, earlier beams)
    totals = [
        (scores.view(*rows.shape[:2], -1).gather(2, rows) + sums.view(*rows.shape[:2], 1)).tolist()
        for scores in (before, after)
    ]
    for text, (tokens, *both) in enumerate(zip(earlier.tolist(), *totals, strict=True)):
        if not done[text]:
            yield Lowered(text, length, group, tuple(tokens), *(tuple(map(tuple, beams)) for beams in both))
