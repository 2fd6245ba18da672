"""Greedy search, sampling and contrastive search: append one token to each text at each step.

Greedy search appends the most probable token. Sampling draws a token, after warpers have changed the distribution.
Contrastive search selects among the most probable tokens by their probability and a degeneration penalty, the cosine
similarity of a candidate's hidden state to earlier hidden states.
Leaves out: beams, which follow alternatives (`beam_loops`); what the loops share (`decoding_state`); the formula of
contrastive search on plain lists (`tokenlab.algorithms.decoding.contrastive`).

Source: transformers 4.26.1, generation/utils.py (`greedy_search`, `sample`, with draws in the same order;
`contrastive_search`, `_ranking_fast`); Su et al., A Contrastive Framework for Neural Text Generation, arXiv:2202.06417,
equation 5. There `generate` does not pass output_attentions and output_hidden_states on to contrastive search.
"""

from __future__ import annotations

from collections.abc import Generator
from types import SimpleNamespace
from typing import Any

import torch
from torch import Tensor

from tokenlab.libraries.transformers.generation.argument_checks import check_integer
from tokenlab.libraries.transformers.generation.contrastive_steps import CandidatesReranked, ContrastiveCandidate
from tokenlab.libraries.transformers.generation.decoding_state import (
    ContrastiveSearchEncoderDecoderOutput,
    DecodingState,
    GreedySearchEncoderDecoderOutput,
    SampleEncoderDecoderOutput,
    UnfinishedSequences,
    append_tokens,
)
from tokenlab.libraries.transformers.generation.logits_warpers import LogitsProcessorList
from tokenlab.libraries.transformers.generation.stopping_criteria import StoppingCriteriaList
from tokenlab.printing.printed_numbers import format_probability
from tokenlab.steps.recording import overridable, step


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


@overridable
@torch.no_grad()
def greedy_search(
    self: Any,
    input_ids: Tensor,
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
    streamer: Any = None,
    **model_kwargs: Any,
) -> Generator[GreedyStep, None, Any]:
    """Append the most probable token to each text until all have ended.

    For settings, None means the value in the model's generation_config.

    Args:
        self: the model.
        input_ids: the prompts, at least the start token; a row for each output: (rows, length).
        logits_processor: the processors, which change the logits first.
        stopping_criteria: conditions that end generation before every output has an eos.
        max_length: a length limit; deprecated in favour of MaxLengthCriteria.
        pad_token_id: the id that pads finished outputs.
        eos_token_id: the id that ends an output, or a list of such ids.
        output_attentions: whether to return attention weights.
        output_hidden_states: whether to return the hidden states of all layers.
        output_scores: whether to return the processed scores of each step.
        return_dict_in_generate: whether to return a ModelOutput.
        synced_gpus: not implemented.
        streamer: the receiver of each token.
        model_kwargs: encoder_outputs with a row for each row of input_ids, attention_mask, use_cache ...

    Returns:
        ids (texts, length), or a GreedySearchEncoderDecoderOutput.
    """
    state = DecodingState(locals())
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


@overridable
@torch.no_grad()
def sample(
    self: Any,
    input_ids: Tensor,
    logits_processor: LogitsProcessorList | None = None,
    stopping_criteria: StoppingCriteriaList | None = None,
    logits_warper: LogitsProcessorList | None = None,
    max_length: int | None = None,
    pad_token_id: int | None = None,
    eos_token_id: int | list[int] | None = None,
    output_attentions: bool | None = None,
    output_hidden_states: bool | None = None,
    output_scores: bool | None = None,
    return_dict_in_generate: bool | None = None,
    synced_gpus: bool = False,
    streamer: Any = None,
    **model_kwargs: Any,
) -> Generator[SamplingStep, None, Any]:
    """Draw a token for each text from its distribution until all texts have ended.

    Args:
        logits_warper: the warpers, which change the scores before sampling: temperature, top-k, top-p.

    The other arguments are those of `greedy_search`.

    Returns:
        ids (outputs, length), or a SampleEncoderDecoderOutput.
    """
    state = DecodingState(locals())
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


class ContrastiveDecodingState(DecodingState):
    """State of one call of contrastive search, which always uses the cache."""

    def __init__(self, arguments: dict[str, Any]) -> None:
        arguments["model_kwargs"]["use_cache"] = True
        super().__init__(arguments)

    def next_token_logits_and_states(self, input_ids: Tensor) -> tuple[Tensor, Tensor]:
        """Run one step of the model.

        Returns:
            The logits of the next token, (rows, vocab_size), and the last hidden states, (rows, tokens, d_model).
        """
        if self.uses_incremental_decoder(input_ids):
            states = self.decoding.next_hidden_states(input_ids[:, -1])
            return self.decoding.compute_logits(states), states[:, None]
        output = self.forward(input_ids, output_hidden_states=True)
        self.update_model_kwargs(**({"standardize_cache_format": True} if self.step == 1 else {}))
        if self.step == 1:
            self.record_outputs(torch.arange(len(input_ids), device=input_ids.device))
        return output.logits[:, -1, :], output.decoder_hidden_states[-1]

    def expand_rows(self, candidates: int) -> None:
        """Repeat each row once for each candidate."""
        _, self.kwargs = self.model._expand_inputs_for_generation(
            expand_size=candidates, is_encoder_decoder=True, **self.kwargs
        )
        self.reorder_cache(torch.arange(self.texts, device=self.model.device).repeat_interleave(candidates))

    def record_outputs(self, rows: Tensor) -> None:
        """Record these rows of the newest step's attentions and hidden states if they were requested."""
        if self.with_names and any(self.wanted.values()):
            names = ("decoder_attentions", "cross_attentions", "decoder_hidden_states")
            all_rows = {name: getattr(self.newest, name) for name in names}
            chosen = {name: layers and tuple(layer[rows] for layer in layers) for name, layers in all_rows.items()}
            self.outputs.append(SimpleNamespace(**chosen))


@overridable
@torch.no_grad()
def contrastive_search(
    self: Any,
    input_ids: Tensor,
    top_k: int = 1,
    penalty_alpha: float = 0,
    logits_processor: LogitsProcessorList | None = None,
    logits_warper: LogitsProcessorList | None = None,
    stopping_criteria: StoppingCriteriaList | None = None,
    pad_token_id: int | None = None,
    eos_token_id: int | list[int] | None = None,
    output_attentions: bool | None = None,
    output_hidden_states: bool | None = None,
    output_scores: bool | None = None,
    return_dict_in_generate: bool | None = None,
    synced_gpus: bool = False,
    streamer: Any = None,
    **model_kwargs: Any,
) -> Generator[CandidatesReranked, None, Any]:
    """Append the candidate with the highest score to each text until all have ended.

    Args:
        top_k: the number of candidates, the most probable tokens.
        penalty_alpha: the weight of the degeneration penalty; the probability has the weight 1 - penalty_alpha.
        logits_warper: the warpers, which change the scores before the candidates are selected.

    The other arguments are those of `greedy_search`.

    Returns:
        ids (texts, length), or a ContrastiveSearchEncoderDecoderOutput.
    """
    state = ContrastiveDecodingState(locals())
    texts = len(input_ids)
    unfinished = UnfinishedSequences(texts, state)
    scores, past = state.next_token_logits_and_states(input_ids)  # (texts, vocab_size), (texts, length, d_model)
    candidates = check_integer("top_k", top_k, at_least=1)
    if candidates > scores.shape[-1]:
        raise ValueError(f"top_k={top_k} candidates are more than the vocabulary has ({scores.shape[-1]} ids)")
    row_of = torch.arange(0, texts * candidates, candidates, device=input_ids.device)  # the first row of each text
    state.expand_rows(candidates)
    while True:
        scores = state.warpers(input_ids, state.processors(input_ids, scores))
        state.record_scores(scores)
        probabilities, ids = scores.softmax(dim=-1).topk(candidates, dim=-1)  # (texts, candidates)
        state.check_selectable(probabilities[:, 0].tolist(), scores, unfinished.open)
        # Run the model on each candidate as if it were selected, to get its hidden state.
        next_scores, states = state.next_token_logits_and_states(ids.view(-1, 1))  # (texts * candidates, ...)
        similarities = cosine_similarity(states.view(texts, candidates, -1), past)  # (texts, candidates, length)
        totals = (1 - penalty_alpha) * probabilities - penalty_alpha * similarities.amax(dim=-1)
        selected = totals.argmax(dim=-1)  # (texts,)
        tokens, written, ended = unfinished.append(ids.gather(1, selected[:, None])[:, 0])
        rows = candidates_per_text(ids, probabilities, similarities, totals)
        yield CandidatesReranked(
            state.step - 1,
            tuple(row if token is not None else () for row, token in zip(rows, written, strict=True)),
            tuple(at if token is not None else None for at, token in zip(selected.tolist(), written, strict=True)),
            ended,
        )
        input_ids = append_tokens(input_ids, tokens)
        state.stream(tokens)
        if not unfinished or state.should_stop(input_ids):
            return state.make_output(ContrastiveSearchEncoderDecoderOutput, input_ids)
        selected_rows = row_of + selected
        # subtle: all candidates of the next step continue from the selected one, so each needs its cache.
        state.reorder_cache(selected_rows.repeat_interleave(candidates))
        state.record_outputs(selected_rows)
        scores, past = next_scores[selected_rows], torch.cat([past, states[selected_rows]], dim=1)


def cosine_similarity(states: Tensor, past: Tensor) -> Tensor:
    """Return the cosine similarity of each candidate's hidden state to each earlier one: (texts, candidates, length).

    >>> cosine_similarity(torch.tensor([[[3.0, 4.0]]]), torch.tensor([[[0.0, 2.0], [4.0, -3.0]]]))
    tensor([[[0.8000, 0.0000]]])
    """
    states, past = (each / each.norm(dim=-1, keepdim=True) for each in (states, past))
    return states @ past.transpose(1, 2)


def candidates_per_text(
    ids: Tensor, probabilities: Tensor, similarities: Tensor, totals: Tensor
) -> list[tuple[ContrastiveCandidate, ...]]:
    """Return the candidates of each text as steps; `similarities` are (texts, candidates, length).

    >>> [[candidate]] = candidates_per_text(*map(torch.tensor, ([[7]], [[0.5]], [[[0.25, 0.75]]], [[-0.25]])))
    >>> print(candidate)
    token 7 (0.50, similarity 0.750, score -0.250)
    """
    columns = (ids.tolist(), probabilities.tolist(), similarities.tolist(), totals.tolist())
    return [
        tuple(
            ContrastiveCandidate(id, probability, tuple(similar), total)
            for id, probability, similar, total in zip(*rows, strict=True)
        )
        for rows in zip(*columns, strict=True)
    ]
