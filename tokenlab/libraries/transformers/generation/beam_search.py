"""`ConstrainedBeamSearchScorer`: keep beams that make progress with the constraints, and the most probable beams.

Adds to `BeamSearchScorer`: for each beam, candidates with the tokens that advance a constraint; banks; and only
hypotheses that fulfil all constraints, as long as there are enough. A bank (Post and Vilar 2018) is the set of
candidates with the same progress; the banks fill the beam slots round-robin, each with its best candidates.
Leaves out: the constraints, and the progress of a beam (`beam_constraints`).

Source: transformers 4.26.1, generation/beam_search.py. Differences from it, besides those of `beam_scorer`:

- A token that advances a constraint is not added if a logits processor forbids it; there it is added with a sum of
  -infinity.
- If several tokens advance a disjunctive constraint, all of them are in the bank of an advance; there only the first
  one (`DisjunctiveConstraint`).
- `beam_indices` are supported; groups of beams are refused, while the library mixes them up.
- With push_progress, the candidate of a completed beam has a row of the same text; there, of the first text.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from typing import Any, TypeAlias

import torch
from torch import Tensor

from tokenlab.algorithms.decoding.stopping_rule import EarlyStopping, LengthCounts
from tokenlab.libraries.transformers.generation.argument_checks import Eos
from tokenlab.libraries.transformers.generation.beam_constraints import ConstraintListState
from tokenlab.libraries.transformers.generation.beam_scorer import (
    MASKED_SCORE,
    BeamHypotheses,
    BeamScorer,
    BeamSearchScorer,
    Hypothesis,
    Rows,
    SelectedBeam,
    TextCandidates,
    eos_token_id_list,
)
from tokenlab.libraries.transformers.generation.beam_steps import (
    CONSTRAINTS_UNFULFILLED,
    CONTINUES,
    DISPLACED_BY_OTHER_BANK,
    BankedCandidate,
    BeamsSelectedByBank,
    BeamStep,
    Candidate,
    CandidatesBanked,
    FinalConstrainedHypotheses,
)
from tokenlab.steps.recording import is_stepwise, overridable

__all__ = ["BeamHypotheses", "BeamScorer", "BeamSearchScorer", "ConstrainedBeamSearchScorer"]
ConstrainedStep: TypeAlias = BeamStep | CandidatesBanked
NUM_TOP_TOKENS = 100  # difference of log-probabilities between two banks: the library's number


class ConstrainedBeamSearchScorer(BeamSearchScorer):
    """Beam scorer of constrained beam search.

    Args:
        constraints: the constraints that each output should fulfil. All other arguments are those of
            `BeamSearchScorer`; num_beam_groups has to be 1.

    Raises:
        ValueError: fewer than two beams, groups, no constraints, or an element that is no Constraint.

    >>> from torch import tensor
    >>> from tokenlab.libraries.transformers.generation.phrase_constraints import PhrasalConstraint
    >>> scorer = ConstrainedBeamSearchScorer(1, 2, [PhrasalConstraint([3, 4])], torch.device("cpu"))
    >>> ids, all_scores = tensor([[0, 3], [0, 2]]), tensor([[-1., -9, -3, -8, -7], [-9, -9, -2, -6, -7]])
    >>> likeliest = tensor([[-1.0, -2, -3, -6]]), tensor([[0, 2, 2, 3]]), tensor([[0, 1, 0, 1]])
    >>> for step in scorer.process.steps(ids, *likeliest, all_scores, 0, 1): print(step)
    text 0: constraints add beam 0 + 4, beam 1 + 3; round-robin over banks 2, 1, 0: \
beam 0 + 4 (bank 2, rank 0, forced) continues; beam 1 + 3 (bank 1, rank 0, forced) continues; \
beam 0 + 0 (bank 0, rank 0) is displaced by other banks; beam 1 + 2 (bank 0, rank 1) is displaced by other banks
    text 0: beam 0 + 4, beam 1 + 3 continue; beam 0 + 0, beam 1 + 2 were displaced by other banks; \
beam 0 + 2 were not needed
    the search of text 0 continues: the pool has 0 of 2 hypotheses
    """

    def __init__(
        self,
        batch_size: int,
        num_beams: int,
        constraints: Sequence[Any],
        device: torch.device | str,
        length_penalty: float | None = 1.0,
        do_early_stopping: EarlyStopping | None = False,
        num_beam_hyps_to_keep: int | None = 1,
        num_beam_groups: int | None = 1,
        max_length: int | None = None,
        length_counts: LengthCounts = "prompt",
        prompt_length: int = 1,
    ) -> None:
        if num_beam_groups not in (None, 1):
            raise ValueError(
                f"num_beam_groups={num_beam_groups} cannot be combined with constraints; leave out one of them"
            )
        rule = (length_penalty, do_early_stopping, num_beam_hyps_to_keep, 1, max_length, length_counts, prompt_length)
        super().__init__(batch_size, num_beams, device, *rule)
        self.constraints = list(constraints)
        self._start = ConstraintListState(self.constraints)
        self._states: dict[tuple[int, ...], ConstraintListState] = {}  # by the ids of each beam of this step

    def make_constraint_states(self, n: int) -> list[ConstraintListState]:
        """Return n states without any progress."""
        return [self._start.copy(stateful=False) for _ in range(n)]

    def check_completes_constraints(self, sequence: Iterable[int]) -> bool:
        """Return True if these ids fulfil all constraints."""
        return self._constraint_state(tuple(sequence)).completed

    def _constraint_state(self, ids: tuple[int, ...]) -> ConstraintListState:
        """Return the progress of a beam with these ids; usually the cached state of its parent plus one token."""
        if ids in self._states:
            return self._states[ids]
        before = self._states.get(ids[:-1])
        if before is None:
            state = self.make_constraint_states(1)[0]
            state.reset(ids)
        elif before.completed:
            state = before
        else:
            state = before.copy()
            state.add(ids[-1])
        self._states[ids] = state
        return state

    @overridable
    def process(
        self,
        input_ids: Tensor,
        next_scores: Tensor,
        next_tokens: Tensor,
        next_indices: Tensor,
        scores_for_all_vocab: Tensor,
        pad_token_id: int | None = None,
        eos_token_id: Eos = None,
        beam_indices: Rows | None = None,
    ) -> Generator[ConstrainedStep, None, dict[str, Tensor]]:
        """Process one step: candidates that end and fulfil all constraints become hypotheses; banks choose the beams.

        Args:
            scores_for_all_vocab: the sums of all candidates: (texts * num_beams, vocab_size). All other arguments, the
                result and the ValueErrors are those of `BeamSearchScorer.process`.

        Raises:
            IndexError: a constraint asks for an id outside the vocabulary.
        """
        size, ends, length = self.num_beams, eos_token_id_list(eos_token_id), input_ids.shape[-1]
        ids_of_beams = [tuple(ids) for ids in input_ids.tolist()]
        self._states = {ids: state for ids, state in self._states.items() if len(ids) == length}

        def select(text: int, candidates: TextCandidates) -> Generator[ConstrainedStep, None, list[SelectedBeam]]:
            selected, likeliest = self._select_beams(text, candidates, input_ids, ends, beam_indices)
            if not is_stepwise(self.step_sentence_constraint):
                return self._overridden_step(text, input_ids, scores_for_all_vocab, likeliest)
            mine = slice(text * size, (text + 1) * size)
            banked, chosen = self._select_from_banks(ids_of_beams[mine], scores_for_all_vocab[mine], likeliest)
            banked = [each for each in banked if each.score > MASKED_SCORE]
            yield CandidatesBanked(text, length, tuple(banked), any(each.forced for each in banked))
            yield BeamsSelectedByBank(text, length, _candidate_statuses(chosen, banked, selected), size)
            return [(each.score, each.token, each.parent) for each in chosen]

        return (yield from self._process(select, input_ids, next_scores, next_tokens, next_indices, pad_token_id, ends))

    def _overridden_step(
        self, text: int, input_ids: Tensor, scores_for_all_vocab: Tensor, likeliest: list[SelectedBeam]
    ) -> list[SelectedBeam]:
        """Return the choice of an override of `step_sentence_constraint`, whose rows are those of the whole batch."""
        scores, tokens, beams = zip(*likeliest, strict=True)
        first = text * self.num_beams
        given = (
            scores_for_all_vocab.new_tensor(scores),
            input_ids.new_tensor(tokens),
            input_ids.new_tensor(beams) + first,
        )
        chosen = self.step_sentence_constraint(text, input_ids, scores_for_all_vocab, *given)
        return [
            (score, token, row - first) for score, token, row in zip(*(each.tolist() for each in chosen), strict=True)
        ]

    def _select_from_banks(
        self, beams: list[tuple[int, ...]], totals: Tensor, likeliest: list[SelectedBeam], push_progress: bool = False
    ) -> tuple[list[BankedCandidate], list[BankedCandidate]]:
        """Sort the most probable candidates of a text, and those that constraints force, into banks; select from these.

        Returns:
            all candidates in the order of banks, and those that continue in the order of their rows.
        """
        forced = self._forced_candidates(
            beams, totals, {(*beams[beam], token) for _, token, beam in likeliest}, push_progress
        )
        nominees = likeliest + forced
        states = [self._constraint_state((*beams[beam], token)) for _, token, beam in nominees]
        banks = totals.new_tensor([state.get_bank() for state in states])
        # subtle: one number, not a pair: a candidate whose sum is higher by NUM_TOP_TOKENS overtakes the next bank.
        order = (banks * NUM_TOP_TOKENS + totals.new_tensor([score for score, _, _ in nominees])).sort(
            descending=True, stable=True
        )
        places = order.indices.tolist()
        ranks = _ranks_in_banks([states[place].get_bank() for place in places])
        served = [place for _, place in sorted(zip(ranks, places, strict=True), key=lambda pair: pair[0])]
        served.sort(key=lambda place: nominees[place][0] == MASKED_SCORE)  # masked candidates only fill empty slots
        if not forced:
            served = list(range(len(nominees)))  # without forced candidates, the most probable ones continue
        served = served[: len(likeliest)]
        candidates = {
            place: BankedCandidate(
                beam, token, score, place >= len(likeliest), states[place].progress(), rank, place in served
            )
            for rank, place in zip(ranks, places, strict=True)
            for score, token, beam in [nominees[place]]
        }
        return list(candidates.values()), [candidates[place] for place in served]

    def _forced_candidates(
        self, beams: list[tuple[int, ...]], totals: Tensor, seen: set[tuple[int, ...]], push_progress: bool
    ) -> list[SelectedBeam]:
        """Return candidates with the tokens that advance a constraint, unless they are among those seen already."""
        asked = []
        for beam, ids in enumerate(beams):
            state = self._constraint_state(ids)
            if not state.completed:
                tokens = state.advance() or []
            else:
                tokens = [int(totals[beam].argmax())] if push_progress else []
            for token in tokens:
                if (*ids, token) not in seen:
                    seen.add((*ids, token))
                    asked.append((token, beam))
        if not asked:
            return []
        tokens, rows = (list(each) for each in zip(*asked, strict=True))
        vocab_size = totals.shape[-1]
        if not 0 <= min(tokens) <= max(tokens) < vocab_size:
            outside = next(token for token in tokens if not 0 <= token < vocab_size)
            raise IndexError(f"a constraint asks for the id {outside}; valid ids are 0-{vocab_size - 1}")
        scores = totals[rows, tokens].tolist()
        return [each for each in zip(scores, tokens, rows, strict=True) if each[0] != MASKED_SCORE]

    @overridable
    def step_sentence_constraint(
        self,
        batch_idx: int,
        input_ids: Tensor,
        vocab_scores: Tensor,
        sent_beam_scores: Tensor,
        sent_beam_tokens: Tensor,
        sent_beam_indices: Tensor,
        push_progress: bool = False,
    ) -> Generator[CandidatesBanked, None, tuple[Tensor, Tensor, Tensor]]:
        """Select the beams of one text; the part of `process` that depends on constraints.

        Args:
            batch_idx: index of the text.
            input_ids: the beams of all texts: (texts * num_beams, length).
            vocab_scores: the sums of all candidates: (texts * num_beams, vocab_size).
            sent_beam_scores: the highest sums of the text whose candidates do not end: (num_beams,).
            sent_beam_tokens: the token of each.
            sent_beam_indices: the row of input_ids that each extends.
            push_progress: extend completed beams by their most probable token, so that they are not lost.

        Returns:
            the sums, tokens and rows of the candidates that continue, each (num_beams,).
        """
        first = batch_idx * self.num_beams
        mine = slice(first, first + self.num_beams)
        rows = (sent_beam_indices - first).tolist()
        likeliest = list(zip(sent_beam_scores.tolist(), sent_beam_tokens.tolist(), rows, strict=True))
        beams = [tuple(ids) for ids in input_ids[mine].tolist()]
        banked, chosen = self._select_from_banks(beams, vocab_scores[mine], likeliest, push_progress)
        yield CandidatesBanked(batch_idx, input_ids.shape[-1], tuple(banked), any(each.forced for each in banked))
        return (
            sent_beam_scores.new_tensor([each.score for each in chosen]),
            sent_beam_tokens.new_tensor([each.token for each in chosen]),
            sent_beam_indices.new_tensor([first + each.parent for each in chosen]),
        )

    def _finish(self, pool: BeamHypotheses, ids: Tensor, score: float, rows: tuple[int, ...] | None, token: int) -> str:
        """Add a candidate that ends to the pool; return its status."""
        if not self.check_completes_constraints(ids.tolist()):
            return CONSTRAINTS_UNFULFILLED
        return super()._finish(pool, ids, score, rows, token)

    def _truncated_rows(self, text: int, input_ids: Tensor) -> Sequence[int]:
        """Return the rows of the beams that fulfil all constraints, and if these are too few, all others."""
        rows = super()._truncated_rows(text, input_ids)
        fulfilled = [row for row in rows if self.check_completes_constraints(input_ids[row].tolist())]
        # subtle: the others may then score higher, so outputs are not guaranteed to fulfil the constraints.
        others = [row for row in rows if row not in fulfilled] if len(fulfilled) < self.num_beam_hyps_to_keep else []
        return fulfilled + others

    def _final_hypotheses(self, text: int, ranked: list[Hypothesis], opened: int) -> FinalConstrainedHypotheses:
        """Return the step that reports the final hypotheses."""
        plain = super()._final_hypotheses(text, ranked, opened)
        fulfilled = tuple(self.check_completes_constraints(ids) for ids in plain.ids)
        return FinalConstrainedHypotheses(text, plain.ids, plain.totals, plain.scores, opened, plain.kept, fulfilled)


def _ranks_in_banks(banks: list[int]) -> list[int]:
    """Return the rank of each candidate in its bank, for candidates in the order of banks.

    >>> _ranks_in_banks([3, 2, 2, 2, 1, 0])
    [0, 0, 1, 2, 0, 0]
    """
    ranks: list[int] = []
    for index, bank in enumerate(banks):
        ranks.append(ranks[-1] + 1 if index and bank == banks[index - 1] else 0)
    return ranks


def _candidate_statuses(
    chosen: list[BankedCandidate], banked: list[BankedCandidate], selected: list[Candidate]
) -> tuple[Candidate, ...]:
    """Return the candidates that continue in the order of their rows, then all others by score."""
    running = [
        Candidate(each.parent, each.token, each.score, CONTINUES) for each in chosen if each.score > MASKED_SCORE
    ]
    seen = {(each.parent, each.token) for each in banked}  # includes all that would continue without constraints
    others = [
        Candidate(each.parent, each.token, each.score, DISPLACED_BY_OTHER_BANK) for each in banked if not each.continues
    ] + [each for each in selected if (each.parent, each.token) not in seen]
    return (*running, *sorted(others, key=lambda candidate: -candidate.score))
