"""Contrastive search: of the likeliest tokens the one that is likely, and unlike all that was written.

Adds: a look at the state that each candidate would have, and a penalty for its likeness to an earlier one.
Leaves out: chance and beams; the formula on plain lists (`tokenlab.algorithms.contrastive`).

Source: Su et al., A Contrastive Framework for Neural Text Generation, arXiv:2202.06417, equation 5; transformers
4.26.1, generation/utils.py (`contrastive_search`, `_ranking_fast`). There a second eos id breaks the loop: an output
never ends, and its later ids are multiplied; and `generate` does not pass output_attentions and output_hidden_states
on. `streamer` is transformers 4.28's.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import torch
from torch import Tensor

from tokenlab.steps import stepwise
from tokenlab.transformers.generation.arguments import share_of_penalty, whole
from tokenlab.transformers.generation.beam_scorer import Eos
from tokenlab.transformers.generation.contrastive_run import RunWithStates
from tokenlab.transformers.generation.contrastive_steps import Reranked, Rival
from tokenlab.transformers.generation.outputs import ContrastiveSearchEncoderDecoderOutput
from tokenlab.transformers.generation.run import extended, no_change
from tokenlab.transformers.generation.unfinished import Unfinished


@stepwise
@torch.no_grad()
def contrastive_search(
    self: Any,
    input_ids: Tensor,
    top_k: int = 1,
    penalty_alpha: float = 0,
    logits_processor: Any = None,
    logits_warper: Any = None,
    stopping_criteria: Any = None,
    pad_token_id: int | None = None,
    eos_token_id: Eos = None,
    output_attentions: bool | None = None,
    output_hidden_states: bool | None = None,
    output_scores: bool | None = None,
    return_dict_in_generate: bool | None = None,
    synced_gpus: bool = False,
    streamer: Any = None,
    **model_kwargs: Any,
) -> Generator[Reranked, None, Any]:
    """Write the candidate of each text with the best score, and so on until all have ended.

    Args:
        self: the model.
        input_ids: what is written already, at least the start token: (texts, length).
        top_k: how many of the likeliest tokens are candidates.
        penalty_alpha: the share of the penalty; 1 minus it is that of the probability.
        logits_processor: changes the scores before the candidates are taken.
        logits_warper: changes them after that; `generate` gives none.
        stopping_criteria: when to stop, ended or not.
        pad_token_id: what fills up the outputs that ended.
        eos_token_id: what ends an output, or several ids that do.
        output_attentions: answer attentions, too.
        output_hidden_states: answer the states of all layers, too.
        output_scores: answer the scores of each step, too.
        return_dict_in_generate: answer by name.
        synced_gpus: is not built here.
        streamer: gets each token as it is written.
        model_kwargs: encoder_outputs, attention_mask ...; the cache is always used.

    Returns:
        ids (texts, length), or a ContrastiveSearchEncoderDecoderOutput.
    """
    share_of_penalty(penalty_alpha)
    model_kwargs["use_cache"] = True
    run = RunWithStates.of(locals())
    texts, warp = len(input_ids), logits_warper or no_change
    unfinished = Unfinished(texts, run)
    scores, past = run.read_with_states(input_ids)  # (texts, vocab_size), (texts, length, d_model)
    candidates = whole("top_k", top_k, at_least=1)
    if candidates > scores.shape[-1]:
        raise ValueError(f"top_k={top_k} candidates are more than the {scores.shape[-1]} ids that there are")
    row_of = torch.arange(0, texts * candidates, candidates, device=input_ids.device)  # the first row of each text
    run.multiply(candidates)
    while True:
        scores = warp(input_ids, run.processors(input_ids, scores))
        run.keep(scores)
        probabilities, ids = scores.softmax(dim=-1).topk(candidates, dim=-1)  # (texts, candidates)
        run.check(probabilities[:, 0].tolist(), scores, unfinished.open)
        # Each candidate is read as if it had been chosen: its state says what it is like.
        next_scores, states = run.read_with_states(ids.view(-1, 1))  # (texts * candidates, ...)
        likenesses = likeness(states.view(texts, candidates, -1), past)  # (texts, candidates, length)
        totals = (1 - penalty_alpha) * probabilities - penalty_alpha * likenesses.amax(dim=-1)
        chosen = totals.argmax(dim=-1)  # (texts,)
        tokens, written, ended = unfinished.write(ids.gather(1, chosen[:, None])[:, 0])
        rivals = rivals_of(ids, probabilities, likenesses, totals)
        yield Reranked(
            run.step - 1,
            tuple(rows if token is not None else () for rows, token in zip(rivals, written, strict=True)),
            tuple(place if token is not None else None for place, token in zip(chosen.tolist(), written, strict=True)),
            ended,
        )
        input_ids = extended(input_ids, tokens)
        if streamer is not None:
            streamer.put(tokens.cpu())
        if not unfinished or run.must_stop(input_ids):
            break
        rows = row_of + chosen
        # subtle: all candidates of the next step go on from the one that was chosen, so its cache stands for each.
        run.reorder(rows.repeat_interleave(candidates))
        run.remember(rows)
        scores, past = next_scores[rows], torch.cat([past, states[rows]], dim=1)
    if streamer is not None:
        streamer.end()
    return run.answer(ContrastiveSearchEncoderDecoderOutput, input_ids)


def likeness(states: Tensor, past: Tensor) -> Tensor:
    """The cosine of each candidate's state with each earlier one: (texts, candidates, length).

    >>> likeness(torch.tensor([[[3.0, 4.0]]]), torch.tensor([[[0.0, 2.0], [4.0, -3.0]]]))
    tensor([[[0.8000, 0.0000]]])
    """
    states, past = (each / each.norm(dim=-1, keepdim=True) for each in (states, past))
    return states @ past.transpose(1, 2)


def rivals_of(ids: Tensor, probabilities: Tensor, likenesses: Tensor, totals: Tensor) -> list[tuple[Rival, ...]]:
    """The candidates of each text, for the steps.

    Args:
        ids: (texts, candidates).
        probabilities: (texts, candidates).
        likenesses: of each candidate's state to those of the places so far: (texts, candidates, length).
        totals: (texts, candidates).

    >>> [[rival]] = rivals_of(*map(torch.tensor, ([[7]], [[0.5]], [[[0.25, 0.75]]], [[-0.25]])))
    >>> print(rival)
    token 7 (0.500, likeness 0.750, score -0.250)
    """
    columns = (ids.tolist(), probabilities.tolist(), likenesses.tolist(), totals.tolist())
    return [
        tuple(Rival(id, probability, tuple(like), total) for id, probability, like, total in zip(*rows, strict=True))
        for rows in zip(*columns, strict=True)
    ]
