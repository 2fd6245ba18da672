"""Beam search, beam sampling, constrained and group beam search: loops over beams, and ways to propose candidates.

Adds: continuations that are not the most probable at first; in beam sampling, random draws; in constrained beam search,
the sums of all candidates for the scorer, since a constraint may ask for any token, however improbable; in group beam
search, groups of beams that differ, since each is penalized for the tokens that earlier groups have chosen.
`BeamDecodingState` has a beam scorer, and the rows from which each beam came.
Leaves out: the selection of beams and the tracking of hypotheses, which are the `BeamSearchScorer`'s; everything about
constraints, which is the `ConstrainedBeamSearchScorer`'s; the penalty of groups, which is a processor
(`HammingDiversityLogitsProcessor`): without it all groups would be equal.

Source: transformers 4.26.1, generation/utils.py (`beam_search`, `beam_sample` with the same order of draws,
`group_beam_search`, whose `beam_indices` there count within a group; `constrained_beam_search`, which returns no
`beam_indices`). There several eos ids may fill all candidates, which fails.
Anderson et al. 2017, "Guided Open Vocabulary Image Captioning with Constrained Beam Search"; Post and Vilar 2018, "Fast
Lexically Constrained Decoding with Dynamic Beam Allocation"; Vijayakumar et al. 2016, "Diverse Beam Search".
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Iterator, Sequence
from inspect import signature
from typing import Any, NamedTuple

import torch
from torch import Tensor

from tokenlab.libraries.transformers.generation.beam_scorer import MASKED_SCORE, BeamScorer, BeamSearchScorer
from tokenlab.libraries.transformers.generation.beam_search import (
    ConstrainedBeamSearchScorer,
    ConstrainedStep,
)
from tokenlab.libraries.transformers.generation.beam_steps import (
    BeamStep,
    DiversityPenaltyApplied,
    FinalHypotheses,
)
from tokenlab.libraries.transformers.generation.decoding_state import (
    BeamSampleEncoderDecoderOutput,
    BeamSearchEncoderDecoderOutput,
    DecodingState,
    append_tokens,
)
from tokenlab.libraries.transformers.generation.logits_warpers import LogitsProcessorList
from tokenlab.libraries.transformers.generation.stopping_criteria import StoppingCriteriaList
from tokenlab.steps.recording import call_steps, overridable


class Candidates(NamedTuple):
    """The candidates of one step, best first."""

    scores: Tensor  # cumulative log-probabilities: (texts, candidates)
    tokens: Tensor
    beams: Tensor  # the beam of its text that each extends
    all_scores: Tensor | None = None  # of all tokens, for a scorer with constraints: (texts * beams, vocab_size)


class BeamDecodingState(DecodingState):
    """State of one call of a loop over beams.

    Raises:
        ValueError: the number of rows is not texts times beams.
        TypeError: the scorer has constraints and the loop does not use them, or vice versa.
    """

    def __init__(self, arguments: dict[str, Any]) -> None:
        super().__init__(arguments)
        self.has_constraints = "constrained_beam_scorer" in arguments
        scorer = arguments["constrained_beam_scorer" if self.has_constraints else "beam_scorer"]
        input_ids = arguments["input_ids"]
        # A user's scorer is of neither class, and may have any attributes.
        is_ours = issubclass(type(scorer), BeamSearchScorer)
        if is_ours and hasattr(scorer, "constraints") != self.has_constraints:
            wanted = "ConstrainedBeamSearchScorer" if self.has_constraints else "BeamSearchScorer"
            raise TypeError(f"the scorer is a {type(scorer).__name__}; this loop needs a {wanted}")
        self.scorer = scorer
        # The library's scorer with constraints has no beam_indices.
        self.passes_indices = not self.has_constraints or accepts(scorer.process, "beam_indices")
        self.num_texts, self.num_beams = texts, beams = len(scorer._beam_hyps), scorer.num_beams
        if len(input_ids) != texts * beams:
            raise ValueError(
                f"input_ids should have {texts} x {beams} rows, one for each beam of each text, and has "
                f"{len(input_ids)}; input_ids.repeat_interleave(num_beams, dim=0) makes them"
            )
        # Rows of a finished text continue from another text's row, which is visible only in the scores of all rows.
        self.texts = self.texts if self.keeps_scores else texts
        self.hint = ""  # log_softmax has made the whole row nan: replaced by 0, all tokens would be equal
        self.beam_indices = [()] * len(input_ids) if self.keeps_scores else None

    def adjusted_log_probabilities(self, logits: Tensor, input_ids: Tensor) -> Tensor:
        """Return the log-probabilities after `adjust_logits_during_generation`: (rows, vocab_size)."""
        adjusted = self.model.adjust_logits_during_generation(logits, cur_len=input_ids.shape[-1])
        log_probabilities: Tensor = adjusted.log_softmax(dim=-1)
        return log_probabilities

    def best_candidates(self, totals: Tensor, num_beams: int) -> Candidates:
        """Return the candidates with the highest cumulative log-probabilities, (texts * num_beams, vocab_size)."""
        vocab_size = totals.shape[-1]
        totals = totals.view(-1, num_beams * vocab_size)  # all candidates of a text in one row
        scores, places = totals.topk(num_candidates(num_beams, self.ends, totals.shape[-1]), dim=-1)
        return Candidates(scores, places % vocab_size, places // vocab_size)

    def check_beams_selectable(self, best: Sequence[float]) -> None:
        """Raise a ValueError if no candidate can be selected for a text that is not done and has no hypothesis.

        The highest cumulative log-probability of a text is nan if any is, and -infinity if all are forbidden.
        """
        if all(value > -math.inf for value in best):
            return
        if any(value != value for value in best):
            self._refuse(forbidden=False)
        texts = zip(best, self.finished_texts, self.scorer._beam_hyps, strict=True)
        if any(value == -math.inf and not done and not len(pool) for value, done, pool in texts):
            self._refuse(forbidden=True)

    @property
    def finished_texts(self) -> Sequence[bool]:
        """For each text whether its search is done; False if a user's scorer does not tell."""
        done: Sequence[bool] = getattr(self.scorer, "_done", [False] * self.num_texts)
        return done

    def process(self, input_ids: Tensor, candidates: Candidates, **more: Any) -> Generator[Any, None, Any]:
        """Let the scorer select the beams that continue; `more` are further arguments of its `process`."""
        indices = {"beam_indices": self.beam_indices} if self.passes_indices else {}
        given = [each for each in candidates if each is not None]
        options = {**self.special_token_ids, **indices, **more}
        return (yield from call_steps(self.scorer.process, input_ids, *given, **options))

    def finalize(
        self, output_class: Any, input_ids: Tensor, scores: Tensor, candidates: Candidates
    ) -> Generator[Any, None, Any]:
        """Let the scorer choose the outputs; return their ids, or an `output_class` with everything requested."""
        finalize = self.scorer.finalize
        given = {"max_length": self.max_length, **self.special_token_ids}
        if not self.has_constraints or accepts(finalize, "beam_indices"):
            given["beam_indices"] = self.beam_indices
        final = yield from call_steps(finalize, input_ids, scores, candidates.tokens, candidates.beams, **given)
        if not self.with_names:
            return final["sequences"]
        return self.make_output(
            output_class,
            final["sequences"],
            sequences_scores=final["sequence_scores"] if self.keeps_scores else None,
            beam_indices=final.get("beam_indices"),
        )

    @property
    def special_token_ids(self) -> dict[str, Any]:
        """The arguments pad_token_id and eos_token_id of a scorer's methods."""
        return {"pad_token_id": self.pad, "eos_token_id": None if self.eos is None else self.ends}


def accepts(function: Callable[..., Any], name: str) -> bool:
    """Return True if a parameter has that name: an override may lack a parameter that the library does not have.

    >>> accepts(lambda input_ids, group=0: None, "group"), accepts(lambda input_ids, **kwargs: None, "group")
    (True, False)
    """
    return name in signature(function).parameters


def num_candidates_per_beam(ends: Sequence[int]) -> int:
    """Return the number of candidates per beam such that at least one does not end it.

    >>> num_candidates_per_beam([]), num_candidates_per_beam([1]), num_candidates_per_beam([1, 2])
    (2, 2, 3)
    """
    return max(2, 1 + len(ends))


def num_candidates(beams: int, ends: Sequence[int], of: int) -> int:
    """Return the number of candidates that leaves enough if every id that ends an output is among them.

    >>> num_candidates(4, [1], of=400), num_candidates(4, [1, 2], of=400), num_candidates(4, [1], of=5)
    (8, 12, 5)
    """
    return min(num_candidates_per_beam(ends) * beams, of)


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


@overridable
@torch.no_grad()
def beam_search(
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
) -> Generator[BeamStep | FinalHypotheses, None, Any]:
    """Follow the most probable beams of each text until no better hypothesis can come.

    Args:
        input_ids: the prompts, at least the start token; a row for each beam: (texts * beams, length).
        beam_scorer: selects the beams that continue, and tracks the hypotheses.
        logits_processor: the processors, which change the log-probabilities first.

    The other arguments are those of `greedy_search`.

    Returns:
        ids (outputs, length), or a BeamSearchEncoderDecoderOutput.
    """
    state = BeamDecodingState(locals())

    def most_probable(input_ids: Tensor, log_probabilities: Tensor, sums: Tensor) -> Candidates:
        state.record_scores(log_probabilities)
        return state.best_candidates(log_probabilities + sums[:, None], state.num_beams)

    # The beams of a text start equal: all but the first are disabled, or they would generate the same tokens.
    sums = initial_beam_scores(input_ids, state.num_beams)
    return (yield from beam_loop(state, input_ids, sums, most_probable, BeamSearchEncoderDecoderOutput))


@overridable
@torch.no_grad()
def beam_sample(
    self: Any,
    input_ids: Tensor,
    beam_scorer: BeamScorer,
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
    **model_kwargs: Any,
) -> Generator[BeamStep | FinalHypotheses, None, Any]:
    """Draw candidates for the beams of each text by their probability, and keep the best drawn ones.

    The arguments are those of `beam_search`, and logits_warper that of `sample`.

    Returns:
        ids (outputs, length), or a BeamSampleEncoderDecoderOutput.
    """
    state = BeamDecodingState(locals())

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


@overridable
@torch.no_grad()
def constrained_beam_search(
    self: Any,
    input_ids: Tensor,
    constrained_beam_scorer: ConstrainedBeamSearchScorer,
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
) -> Generator[ConstrainedStep | FinalHypotheses, None, Any]:
    """Follow the most probable beams of each text, and those that make progress with the constraints.

    As in 4.26.1, and unlike in beam search, the recorded scores of a step include the sum of their beam.

    Args:
        constrained_beam_scorer: selects the beams that continue, and tracks hypotheses and constraints.

    The other arguments are those of `beam_search`.

    Returns:
        ids (outputs, length), or a BeamSearchEncoderDecoderOutput.
    """
    state = BeamDecodingState(locals())

    def most_probable(input_ids: Tensor, log_probabilities: Tensor, sums: Tensor) -> Candidates:
        totals = log_probabilities + sums[:, None]  # (texts * beams, vocab_size)
        state.record_scores(totals)
        return state.best_candidates(totals, state.num_beams)._replace(all_scores=totals)

    sums = initial_beam_scores(input_ids, state.num_beams)
    return (yield from beam_loop(state, input_ids, sums, most_probable, BeamSearchEncoderDecoderOutput))


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

    The arguments are those of `beam_search`.

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
            indices = None if state.beam_indices is None else [state.beam_indices[row] for row in rows.tolist()]
            more = {"group": group} if takes_group else {}
            selected = yield from state.process(input_ids[rows], candidates, beam_indices=indices, **more)
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
