"""`ConstrainedBeamSearchScorer`: beams that are far with what is demanded live on beside those that are likely.

Adds to `BeamSearchScorer`: for each beam, candidates with the tokens that constraints ask for; banks, which take turns;
and no hypothesis without all that is demanded, as long as others are there.
Leaves out: constraints (`constraints`), and how far a beam is with them (`constraint_list_state`).

Source: transformers 4.26.1, generation/beam_search.py. Otherwise than there, beside what `beam_scorer` says:

- What a constraint asks for is not added where a processor has forbidden it: there its sum is minus infinity, and the
  forbidden token is written.
- Of one of several phrases with several ways on, all ways are in the bank of an advance; there only the first
  (`disjunctive_constraint`).
- `beam_indices` are kept, which it does without; groups of beams are refused, which it mixes up.
- With push_progress, what a complete beam pushes in has the row of its text; there that of the first text.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from typing import Any, TypeAlias

import torch
from torch import Tensor

from tokenlab.steps import stepwise
from tokenlab.transformers.generation.beam_hypotheses import BeamHypotheses, EarlyStopping, Hypothesis, LengthCounts
from tokenlab.transformers.generation.beam_scorer import (
    FORBIDDEN,
    BeamSearchScorer,
    Eos,
    Nominee,
    Rows,
    eos_ids,
    pad_of_done,
)
from tokenlab.transformers.generation.beam_steps import LIVES, BeamStep, Candidate
from tokenlab.transformers.generation.constraint_list_state import ConstraintListState
from tokenlab.transformers.generation.constraint_steps import (
    GIVES_WAY,
    UNMET,
    Banked,
    ChosenMeeting,
    Claim,
    SiftedByBanks,
)

ConstrainedStep: TypeAlias = BeamStep | Banked
WIDTH = 100  # log-probabilities between two banks: the library's number


class ConstrainedBeamSearchScorer(BeamSearchScorer):
    """The bookkeeping of beam search where outputs have to hold something.

    Args:
        batch_size: how many texts.
        num_beams: how many beams each has.
        constraints: what each output should hold.
        device: where its tensors are.
        length_penalty: see `BeamHypotheses`.
        do_early_stopping: see `BeamHypotheses`, early_stopping.
        num_beam_hyps_to_keep: how many hypotheses of each text are answered.
        num_beam_groups: 1; groups go without constraints.
        max_length: with its prompt; only early_stopping="never" looks at it.
        length_counts: "prompt" as in 4.26.1, "eos" as in transformers today; see `BeamHypotheses`.
        prompt_length: how many ids stood there before the first was written.

    Raises:
        ValueError: fewer than two beams, groups, no constraints, or something that is none.

    >>> from torch import tensor
    >>> from tokenlab.transformers.generation.phrasal_constraint import PhrasalConstraint
    >>> scorer = ConstrainedBeamSearchScorer(1, 2, [PhrasalConstraint([3, 4])], torch.device("cpu"))
    >>> ids, all_scores = tensor([[0, 3], [0, 2]]), tensor([[-1., -9, -3, -8, -7], [-9, -9, -2, -6, -7]])
    >>> likeliest = tensor([[-1.0, -2, -3, -6]]), tensor([[0, 2, 2, 3]]), tensor([[0, 1, 0, 1]])
    >>> for step in scorer.process.steps(ids, *likeliest, all_scores, 0, 1): print(step)
    text 0: constraints add beam 0 + 4, beam 1 + 3; banks 2, 1, 0 take turns: \
beam 0 + 4 (bank 2, turn 0, demanded) lives on; beam 1 + 3 (bank 1, turn 0, demanded) lives on; \
beam 0 + 0 (bank 0, turn 0) gives way; beam 1 + 2 (bank 0, turn 1) gives way
    text 0: beam 0 + 4, beam 1 + 3 live on; beam 0 + 0, beam 1 + 2 gave way to candidates of other banks; \
beam 0 + 2 found no room
    text 0 is not done: 0 of 2 hypotheses are there
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
            raise ValueError(f"num_beam_groups={num_beam_groups} goes without constraints; leave out one of them")
        super().__init__(
            batch_size,
            num_beams,
            device,
            length_penalty,
            do_early_stopping,
            num_beam_hyps_to_keep,
            max_length=max_length,
            length_counts=length_counts,
            prompt_length=prompt_length,
        )
        self.constraints = list(constraints)
        self._start = ConstraintListState(self.constraints)
        self._states: dict[tuple[int, ...], ConstraintListState] = {}  # after the ids of each beam of this step

    def make_constraint_states(self, n: int) -> list[ConstraintListState]:
        """States in which nothing is there, so many."""
        return [self._start.copy(stateful=False) for _ in range(n)]

    def check_completes_constraints(self, sequence: Iterable[int]) -> bool:
        """Whether these ids hold all that is demanded."""
        return self._state_after(tuple(sequence)).completed

    def _state_after(self, ids: tuple[int, ...]) -> ConstraintListState:
        """How far a beam with these ids is; its parent was looked at a step ago, so one token is added mostly."""
        if ids in self._states:
            return self._states[ids]
        before = self._states.get(ids[:-1])
        if before is None:
            state = self._start.copy()
            state.reset(ids)
        elif before.completed:
            state = before
        else:
            state = before.copy()
            state.add(ids[-1])
        self._states[ids] = state
        return state

    @stepwise
    def process(  # type: ignore[override]
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
        """One step: what ends becomes a hypothesis if it holds all that is demanded; of the others, banks choose.

        Args:
            input_ids: the beams, all texts one below the other: (texts * num_beams, length).
            next_scores: of each text's likeliest candidates the sums of log-probabilities, best first:
                (texts, candidates).
            next_tokens: what each of them writes.
            next_indices: which beam of its text each goes on from.
            scores_for_all_vocab: the sums of all candidates that there are: (texts * num_beams, vocab_size).
            pad_token_id: what is written for texts that are done.
            eos_token_id: what ends an output, or several ids that do.
            beam_indices: for each row of input_ids, the rows in which its tokens were chosen.

        Returns:
            next_beam_scores, next_beam_tokens and next_beam_indices (rows of input_ids), each (texts * num_beams,).

        Raises:
            ValueError: input_ids has another number of rows, too many candidates end, or a text is done before the
                others and pad_token_id or eos_token_id is None.
            IndexError: a constraint asks for an id that the model does not have.
        """
        self._check_rows(input_ids)
        size, ends, length = self.num_beams, eos_ids(eos_token_id), input_ids.shape[-1]
        written = [tuple(ids) for ids in input_ids.tolist()]
        self._states = {ids: state for ids, state in self._states.items() if len(ids) == length}
        living: list[Nominee] = []  # with rows of the whole batch
        lists = zip(next_scores.tolist(), next_tokens.tolist(), next_indices.tolist(), strict=True)
        for text, candidates in enumerate(lists):
            if self._done[text]:
                living += [(0.0, pad_of_done(pad_token_id, ends), 0)] * size
                continue
            sifted, likeliest = self._sift(text, zip(*candidates, strict=True), input_ids, ends, beam_indices)
            mine = slice(text * size, (text + 1) * size)
            claims, chosen = self._take_turns(written[mine], scores_for_all_vocab[mine], likeliest)
            claims = [claim for claim in claims if claim.score > FORBIDDEN]
            yield Banked(text, length, tuple(claims), any(claim.demanded for claim in claims))
            yield SiftedByBanks(text, length, _fates(chosen, claims, sifted), size)
            living += [(claim.score, claim.token, text * size + claim.parent) for claim in chosen]
            yield self._bounded(text, candidates[0], [claim.score for claim in chosen], length)
        scores, tokens, parents = zip(*living, strict=True)
        return {
            "next_beam_scores": next_scores.new_tensor(scores),
            "next_beam_tokens": next_tokens.new_tensor(tokens),
            "next_beam_indices": next_indices.new_tensor(parents),
        }

    def _take_turns(
        self, beams: list[tuple[int, ...]], totals: Tensor, likeliest: list[Nominee], push_progress: bool = False
    ) -> tuple[list[Claim], list[Claim]]:
        """Put the likeliest candidates of a text, and those that constraints ask for, into banks, and let these choose.

        Returns:
            all of them in the order of banks, and those that live on in the order of their rows.
        """
        demanded = self._demanded(beams, totals, {(*beams[beam], token) for _, token, beam in likeliest}, push_progress)
        nominees = likeliest + demanded
        states = [self._state_after((*beams[beam], token)) for _, token, beam in nominees]
        banks = totals.new_tensor([state.get_bank() for state in states])
        # subtle: one number, not a pair: where sums differ by more than WIDTH, a likely one overtakes the next bank.
        order = (banks * WIDTH + totals.new_tensor([score for score, _, _ in nominees])).sort(
            descending=True, stable=True
        )
        places = order.indices.tolist()
        turns = _turns([states[place].get_bank() for place in places])
        served = [place for _, place in sorted(zip(turns, places, strict=True), key=lambda pair: pair[0])]
        served.sort(key=lambda place: nominees[place][0] == FORBIDDEN)  # which only fill up
        if not demanded:
            served = list(range(len(nominees)))  # as likely as they are
        served = served[: len(likeliest)]
        claims = {
            place: Claim(beam, token, score, place >= len(likeliest), states[place].standing(), turn, place in served)
            for turn, place in zip(turns, places, strict=True)
            for score, token, beam in [nominees[place]]
        }
        return list(claims.values()), [claims[place] for place in served]

    def _demanded(
        self, beams: list[tuple[int, ...]], totals: Tensor, seen: set[tuple[int, ...]], push_progress: bool
    ) -> list[Nominee]:
        """What constraints ask for, and is not among the candidates seen yet.

        Args:
            push_progress: let beams that are complete go on with their likeliest token.
        """
        asked = []
        for beam, ids in enumerate(beams):
            state = self._state_after(ids)
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
            raise IndexError(f"a constraint asks for the id {outside}, and ids go from 0 to {vocab_size - 1}")
        scores = totals[rows, tokens].tolist()
        return [each for each in zip(scores, tokens, rows, strict=True) if each[0] != FORBIDDEN]

    @stepwise
    def step_sentence_constraint(
        self,
        batch_idx: int,
        input_ids: Tensor,
        vocab_scores: Tensor,
        sent_beam_scores: Tensor,
        sent_beam_tokens: Tensor,
        sent_beam_indices: Tensor,
        push_progress: bool = False,
    ) -> Generator[Banked, None, tuple[Tensor, Tensor, Tensor]]:
        """The part of `process` in which constraints have their say, for one text.

        Args:
            batch_idx: which text.
            input_ids: the beams of all texts: (texts * num_beams, length).
            vocab_scores: the sums of all candidates that there are: (texts * num_beams, vocab_size).
            sent_beam_scores: the sums of the text's likeliest candidates that do not end: (num_beams,).
            sent_beam_tokens: what each writes.
            sent_beam_indices: which row of input_ids each goes on from.
            push_progress: let beams that are complete go on with their likeliest token, so that they are not lost.

        Returns:
            the sums, tokens and rows of those that live on, each (num_beams,).
        """
        first = batch_idx * self.num_beams
        mine = slice(first, first + self.num_beams)
        rows = (sent_beam_indices - first).tolist()
        likeliest = list(zip(sent_beam_scores.tolist(), sent_beam_tokens.tolist(), rows, strict=True))
        beams = [tuple(ids) for ids in input_ids[mine].tolist()]
        claims, chosen = self._take_turns(beams, vocab_scores[mine], likeliest, push_progress)
        yield Banked(batch_idx, input_ids.shape[-1], tuple(claims), any(claim.demanded for claim in claims))
        return (
            sent_beam_scores.new_tensor([claim.score for claim in chosen]),
            sent_beam_tokens.new_tensor([claim.token for claim in chosen]),
            sent_beam_indices.new_tensor([first + claim.parent for claim in chosen]),
        )

    def _ending(self, pool: BeamHypotheses, ids: Tensor, score: float, rows: tuple[int, ...] | None, token: int) -> str:
        """What becomes of a candidate that ends."""
        if not self.check_completes_constraints(ids.tolist()):
            return UNMET
        return super()._ending(pool, ids, score, rows, token)

    def _take_in(self, text: int, input_ids: Tensor, totals: list[float], beam_indices: Rows | None) -> int:
        """Let open beams be hypotheses: those that hold what is demanded, and if these are too few, the others, too."""
        rows = range(text * self.num_beams, (text + 1) * self.num_beams)
        met = [row for row in rows if self.check_completes_constraints(input_ids[row].tolist())]
        # subtle: the others can then beat those that hold it; what is demanded is not promised.
        others = [row for row in rows if row not in met] if len(met) < self.num_beam_hyps_to_keep else []
        return sum(self._add_open(text, row, input_ids, totals, beam_indices) for row in met + others)

    def _chosen(self, text: int, ranked: list[Hypothesis], opened: int) -> ChosenMeeting:
        """What is seen of the end."""
        plain = super()._chosen(text, ranked, opened)
        met = tuple(self.check_completes_constraints(ids) for ids in plain.ids)
        return ChosenMeeting(text, plain.ids, plain.totals, plain.scores, opened, plain.kept, met)


def _turns(banks: list[int]) -> list[int]:
    """The turn of each candidate, of those in the order of banks.

    >>> _turns([3, 2, 2, 2, 1, 0])
    [0, 0, 1, 2, 0, 0]
    """
    turns: list[int] = []
    for place, bank in enumerate(banks):
        turns.append(turns[-1] + 1 if place and bank == banks[place - 1] else 0)
    return turns


def _fates(chosen: list[Claim], claims: list[Claim], sifted: list[Candidate]) -> tuple[Candidate, ...]:
    """Those that live on in the order of their rows, then all others by score."""
    living = [Candidate(claim.parent, claim.token, claim.score, LIVES) for claim in chosen if claim.score > FORBIDDEN]
    claimed = {(claim.parent, claim.token) for claim in claims}  # all that would live on without them, and more
    others = [Candidate(claim.parent, claim.token, claim.score, GIVES_WAY) for claim in claims if not claim.lives] + [
        each for each in sifted if (each.parent, each.token) not in claimed
    ]
    return (*living, *sorted(others, key=lambda candidate: -candidate.score))
