"""Group beam search: groups of beams, each penalized for the tokens that earlier groups have chosen.

Adds: outputs that differ. Leaves out: the penalty, which is a processor (`HammingDiversityLogitsProcessor`): without it
all groups would be equal.

Source: transformers 4.26.1, generation/utils.py (`group_beam_search`); Vijayakumar et al. 2016, "Diverse Beam Search".
There `beam_indices` count within a group; here they are rows of the scores, as in beam search.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from typing import Any

import torch
from torch import Tensor

from tokenlab.libraries.transformers.generation.beam_scorer import MASKED_SCORE, BeamScorer
from tokenlab.libraries.transformers.generation.beam_steps import (
    BeamStep,
    DiversityPenaltyApplied,
    FinalHypotheses,
)
from tokenlab.libraries.transformers.generation.logits_warpers import LogitsProcessorList
from tokenlab.libraries.transformers.generation.loops.beam_search_loop import (
    BeamDecodingState,
    accepts,
    initial_beam_scores,
)
from tokenlab.libraries.transformers.generation.loops.greedy_and_sampling_loops import append_tokens
from tokenlab.libraries.transformers.generation.outputs import BeamSearchEncoderDecoderOutput
from tokenlab.libraries.transformers.generation.stopping_criteria import StoppingCriteriaList
from tokenlab.steps.recording import overridable


@overridable
@torch.no_grad()
def group_beam_search(
    self: Any,
    input_ids: Tensor,
    beam_scorer: BeamScorer,
    logits_processor: LogitsProcessorList | None = None,
    stopping_criteria: StoppingCriteriaList | None = None,
    max_length: int | None = None,
    pad_token_id: int | None = None,
    eos_token_id: int | list[int] | None = None,
    output_attentions: bool | None = None,
    output_hidden_states: bool | None = None,
    output_scores: bool | None = None,
    return_dict_in_generate: bool | None = None,
    synced_gpus: bool = False,
    **model_kwargs: Any,
) -> Generator[BeamStep | DiversityPenaltyApplied | FinalHypotheses, None, Any]:
    """Follow groups of beams in turn; each group sees the tokens that earlier groups have chosen at this step.

    The processors also get `current_tokens`, the tokens that all beams have chosen at this step so far, and
    `beam_group_idx`.

    Args:
        input_ids: the prompts, at least the start token; a row for each beam: (texts * beams, length).
        beam_scorer: selects the beams that continue, and tracks the hypotheses.
        logits_processor: the processors, which change the log-probabilities first.

    The other arguments are those of `greedy_search`.

    Returns:
        ids (outputs, length), or a BeamSearchEncoderDecoderOutput.
    """
    state = BeamDecodingState(locals())
    texts, groups = state.num_texts, state.scorer.num_beam_groups
    size = state.num_beams // groups
    takes_group = accepts(state.scorer.process, "group")
    # subtle: groups write into it, so it needs the dtype of the scores, and half precision is too small for -1e9.
    sums = initial_beam_scores(input_ids, size, torch.promote_types(torch.float, state.model.dtype))
    members = torch.arange(len(input_ids), device=input_ids.device).view(texts, groups, size)
    while True:
        logits = state.next_token_logits(input_ids)
        scores = torch.zeros_like(logits)
        chosen = torch.zeros_like(input_ids[:, 0])  # (texts * beams,): the tokens of this step
        parents = torch.zeros_like(chosen)
        highest = sums.new_full((texts,), MASKED_SCORE)  # of the candidates of groups so far
        for group in range(groups):
            rows = members[:, group].flatten()  # (texts * size,): the rows of this group
            before = state.adjusted_log_probabilities(logits[rows], input_ids)
            after = state.processors(input_ids[rows], before, current_tokens=chosen, beam_group_idx=group)
            scores[rows] = after
            candidates = state.best_candidates(after + sums[rows, None], size)
            highest = torch.maximum(highest, candidates.scores[:, 0])
            if group == groups - 1 or highest.isnan().any():
                state.check_beams_selectable(highest.tolist())
            if group:
                earlier = chosen.view(texts, -1)[:, : group * size]
                yield from diversity_penalty_steps(
                    input_ids.shape[-1], group, earlier, sums[rows], before, after, state.finished_texts
                )
            more = {"beam_indices": state.beam_indices_of(rows)} | ({"group": group} if takes_group else {})
            selected = yield from state.process(input_ids[rows], candidates, **more)
            sums[rows] = selected["next_beam_scores"]
            chosen[rows] = selected["next_beam_tokens"]
            parents[rows] = rows[selected["next_beam_indices"]]
        state.record_scores(scores)
        input_ids = append_tokens(input_ids[parents], chosen)
        state.update_model_kwargs()
        state.reorder_cache(parents)
        if state.scorer.is_done or state.should_stop(input_ids):
            return (yield from state.finalize(BeamSearchEncoderDecoderOutput, input_ids, sums, candidates))


def diversity_penalty_steps(
    length: int, group: int, earlier: Tensor, sums: Tensor, before: Tensor, after: Tensor, done: Sequence[bool]
) -> Iterator[DiversityPenaltyApplied]:
    """Yield a step for each text: the sums of a group's beams with the tokens that earlier groups have chosen.

    Args:
        length: the length of the beams before this step.
        group: the index of the group.
        earlier: the tokens that the beams of earlier groups have chosen: (texts, earlier beams).
        sums: the cumulative log-probabilities of the group's beams: (texts * group size,).
        before: the log-probabilities of the next token from the model: (texts * group size, vocab_size).
        after: the log-probabilities after the processors.
        done: whether each text is done; such texts get no step.

    >>> before = torch.tensor([[-1.0, -2.0]])
    >>> sums, earlier = torch.zeros(1), torch.tensor([[0]])
    >>> print(*diversity_penalty_steps(1, 1, earlier, sums, before, before - 0.5, [False]))
    text 0: penalties of group 1 for the tokens of earlier groups: 0 (1x): -1.00 becomes -1.50
    """
    rows = earlier[:, None].expand(-1, len(sums) // len(earlier), -1)  # (texts, group size, earlier beams)
    totals = [
        (scores.view(*rows.shape[:2], -1).gather(2, rows) + sums.view(*rows.shape[:2], 1)).tolist()
        for scores in (before, after)
    ]
    for text, (tokens, *both) in enumerate(zip(earlier.tolist(), *totals, strict=True)):
        if not done[text]:
            yield DiversityPenaltyApplied(
                text, length, group, tuple(tokens), *(tuple(map(tuple, beams)) for beams in both)
            )
