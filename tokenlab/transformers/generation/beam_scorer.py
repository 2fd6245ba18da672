"""`BeamSearchScorer`: which candidates live on as beams, which become hypotheses, and when a text is done.

Adds: one step of the bookkeeping (`process`) and its end (`finalize`), each with steps to watch.
Leaves out: where candidates come from (`beam_search`), constraints.

Source: transformers 4.26.1, generation/beam_search.py; the idea of XLM's beam search (Facebook).
Otherwise than there: several eos ids, of which the one that was chosen is written; `beam_indices` of groups are rows of
the whole batch; no eos is appended where there is none. What a processor has forbidden is no candidate, however few
others there are; there it lives on and becomes a hypothesis with a score of minus infinity. A text of which nothing can
go on is done.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Generator, Iterable, Sequence
from operator import index
from typing import Any, TypeAlias

import torch
from torch import Tensor

from tokenlab.steps import stepwise
from tokenlab.transformers.generation.arguments import refuse_groups
from tokenlab.transformers.generation.beam_hypotheses import BeamHypotheses, EarlyStopping, Hypothesis, LengthCounts
from tokenlab.transformers.generation.beam_steps import (
    ENDS,
    LIVES,
    NO_ROOM,
    REFUSED,
    TOO_LOW,
    BeamStep,
    Bounded,
    Candidate,
    Chosen,
    Sifted,
)

Eos: TypeAlias = int | Sequence[int] | None
Rows: TypeAlias = Sequence[Sequence[int]]  # of each beam: in which rows its tokens were chosen
Nominee: TypeAlias = tuple[float, int, int]  # sum of log-probabilities, token, beam it goes on from
FORBIDDEN = -math.inf


class BeamScorer(ABC):
    """What a loop over beams asks: who lives on, whether all is done, and what is answered."""

    num_beams: int
    num_beam_groups: int
    num_beam_hyps_to_keep: int
    _beam_hyps: list[BeamHypotheses]

    @property
    @abstractmethod
    def is_done(self) -> bool:
        """Whether every text is done."""

    process: Any
    finalize: Any


class BeamSearchScorer(BeamScorer):
    """The bookkeeping of beam search for a batch of texts.

    Args:
        batch_size: how many texts.
        num_beams: how many beams each has, in all its groups.
        device: where its tensors are.
        length_penalty: see `BeamHypotheses`.
        do_early_stopping: see `BeamHypotheses`, early_stopping.
        num_beam_hyps_to_keep: how many hypotheses of each text are answered.
        num_beam_groups: into how many groups the beams of a text are divided; they share one pool.
        max_length: with its prompt; only early_stopping="never" looks at it.
        length_counts: "prompt" as in 4.26.1, "eos" as in transformers today; see `BeamHypotheses`.
        prompt_length: how many ids stood there before the first was written.

    Raises:
        ValueError: fewer than two beams, or groups of unequal size.

    >>> from torch import tensor
    >>> scorer = BeamSearchScorer(batch_size=1, num_beams=2, device=torch.device("cpu"))
    >>> scores, tokens, parents = tensor([[-0.5, -0.9, -1.1, -3]]), tensor([[1, 7, 8, 9]]), tensor([[0, 0, 1, 0]])
    >>> for step in scorer.process.steps(tensor([[0, 5], [0, 6]]), scores, tokens, parents, 0, 1): print(step)
    text 0: beam 0 + 7, beam 1 + 8 live on, the best 2 that do not end; beam 0 + 1 became a hypothesis
    text 0 is not done: 1 of 2 hypotheses is there
    """

    def __init__(
        self,
        batch_size: int,
        num_beams: int,
        device: torch.device | str,
        length_penalty: float | None = 1.0,
        do_early_stopping: EarlyStopping | None = False,
        num_beam_hyps_to_keep: int | None = 1,
        num_beam_groups: int | None = 1,
        max_length: int | None = None,
        length_counts: LengthCounts = "prompt",
        prompt_length: int = 1,
    ) -> None:
        if not hasattr(num_beams, "__index__") or num_beams < 2:
            raise ValueError(f"num_beams={num_beams!r} should be at least 2; for one beam there is greedy_search")
        num_beams = index(num_beams)
        groups = 1 if num_beam_groups is None else num_beam_groups
        refuse_groups(num_beams, groups)
        self.num_beams = num_beams
        self.device = torch.device(device)
        self.length_penalty = 1.0 if length_penalty is None else length_penalty
        self.do_early_stopping = do_early_stopping or False
        self.num_beam_hyps_to_keep = num_beam_hyps_to_keep or 1
        self.num_beam_groups = groups
        self.length_counts = length_counts
        self.group_size = num_beams // groups
        rule = (self.length_penalty, self.do_early_stopping, length_counts, prompt_length, max_length)
        self._beam_hyps = [BeamHypotheses(num_beams, *rule) for _ in range(batch_size)]
        self._done = [False] * batch_size

    @property
    def is_done(self) -> bool:
        """Whether every text is done."""
        return all(self._done)

    @stepwise
    def process(
        self,
        input_ids: Tensor,
        next_scores: Tensor,
        next_tokens: Tensor,
        next_indices: Tensor,
        pad_token_id: int | None = None,
        eos_token_id: Eos = None,
        beam_indices: Rows | None = None,
        group: int = 0,
    ) -> Generator[BeamStep, None, dict[str, Tensor]]:
        """One step: of each text's candidates, the best that end become hypotheses, the best others live on.

        Args:
            input_ids: the beams, all texts one below the other: (texts * group size, length).
            next_scores: of each text's candidates the sums of log-probabilities, best first: (texts, candidates).
            next_tokens: what each candidate writes.
            next_indices: which beam of its group each goes on from.
            pad_token_id: what is written for texts that are done.
            eos_token_id: what ends an output, or several ids that do.
            beam_indices: for each row of input_ids, the rows in which its tokens were chosen.
            group: which group of beams these are.

        Returns:
            next_beam_scores, next_beam_tokens and next_beam_indices (rows of input_ids), each (texts * group size,).

        Raises:
            ValueError: input_ids has another number of rows, too many candidates end, or a text is done before the
                others and pad_token_id or eos_token_id is None.
        """
        self._check_rows(input_ids)
        size, ends, length = self.group_size, eos_ids(eos_token_id), input_ids.shape[-1]
        scores: list[float] = []
        tokens: list[int] = []
        parents: list[int] = []
        lists = zip(next_scores.tolist(), next_tokens.tolist(), next_indices.tolist(), strict=True)
        for text, candidates in enumerate(lists):
            if self._done[text]:
                # The rows of a text that is done go on from row 0, whosever that is: nobody reads them any more.
                pad = pad_of_done(pad_token_id, ends)
                scores, tokens, parents = scores + [0.0] * size, tokens + [pad] * size, parents + [0] * size
                continue
            sifted, following = self._sift(text, zip(*candidates, strict=True), input_ids, ends, beam_indices, group)
            for score, token, parent in following:
                scores.append(score)
                tokens.append(token)
                parents.append(text * size + parent)
            yield Sifted(text, length, tuple(sifted), size, group)
            yield self._bounded(text, candidates[0], [score for score, _, _ in following], length)
        return {
            "next_beam_scores": next_scores.new_tensor(scores),
            "next_beam_tokens": next_tokens.new_tensor(tokens),
            "next_beam_indices": next_indices.new_tensor(parents),
        }

    def _check_rows(self, input_ids: Tensor) -> None:
        texts, size = len(self._beam_hyps), self.group_size
        if len(input_ids) != size * texts:
            raise ValueError(
                f"input_ids should have {texts} x {size} rows, one for each beam of each text, and has {len(input_ids)}"
            )

    def _sift(
        self,
        text: int,
        candidates: Iterable[tuple[float, int, int]],
        input_ids: Tensor,
        ends: list[int],
        beam_indices: Rows | None,
        group: int = 0,
    ) -> tuple[list[Candidate], list[Nominee]]:
        """Each candidate of a text with its fate, and what the text's beams are next; those that end go to its pool.

        A forbidden candidate is none: at most it fills up a beam that nothing goes on from, with its sum of minus
        infinity.
        """
        size, pool = self.group_size, self._beam_hyps[text]
        sifted = []
        following: list[Nominee] = []
        for rank, (score, token, parent) in enumerate(candidates):
            has_room = len(following) < size
            if has_room and token not in ends:
                following.append((score, token, parent))
            if score == FORBIDDEN:
                continue
            if not has_room:
                fate = NO_ROOM
            elif token not in ends:
                fate = LIVES
            elif rank >= size:  # subtle: an ending counts only among the best `size`, as a beam would
                fate = TOO_LOW
            else:
                row = text * size + parent
                rows = None if beam_indices is None else (*beam_indices[row], self._whole_row(row, group))
                fate = self._ending(pool, input_ids[row], score, rows, token)
            sifted.append(Candidate(parent, token, score, fate))
        if len(following) < size:
            raise ValueError(
                f"only {len(following)} of {rank + 1} candidates do not end, and {size} beams have to go on; take "
                f"{(len(ends) + 1) * size} candidates, since {len(ends)} ids end an output"
            )
        return sifted, following

    def _ending(self, pool: BeamHypotheses, ids: Tensor, score: float, rows: tuple[int, ...] | None, token: int) -> str:
        """What becomes of a candidate that ends."""
        return ENDS if pool.add(ids.clone(), score, rows, token) else REFUSED

    def _bounded(self, text: int, candidates: Sequence[float], following: Sequence[float], length: int) -> Bounded:
        """Look whether a text is done.

        Args:
            candidates: the sums of all its candidates; subtle: of those that ended, too.
            following: the sums of its beams after this step.
            length: of the beams, before this step.
        """
        pool = self._beam_hyps[text]
        # Of a group no beam may be left, and other groups go on.
        is_stuck = self.num_beam_groups == 1 and max(following) == FORBIDDEN
        best = max(following if self.length_counts == "eos" or is_stuck else candidates)
        self._done[text] = pool.is_done(best, length) or (is_stuck and len(pool) > 0)
        ranked = tuple(sorted((hypothesis.score for hypothesis in pool.beams), reverse=True))
        hope, hoped = pool.best_attainable(best, length), pool.hoped_length(length)
        return Bounded(text, ranked, self.num_beams, hope, self._done[text], best, hoped)

    def _whole_row(self, row: int, group: int) -> int:
        """The row among all beams of what is a row among the beams of one group."""
        text, beam = divmod(row, self.group_size)
        return text * self.num_beams + group * self.group_size + beam

    @stepwise
    def finalize(
        self,
        input_ids: Tensor,
        final_beam_scores: Tensor,
        final_beam_tokens: Tensor,
        final_beam_indices: Tensor,
        max_length: int | None,
        pad_token_id: int | None = None,
        eos_token_id: Eos = None,
        beam_indices: Rows | None = None,
    ) -> Generator[Chosen, None, dict[str, Any]]:
        """The best hypotheses of each text, after the open beams of texts that are not done were taken in.

        Args:
            input_ids: the beams: (texts * num_beams, length).
            final_beam_scores: their sums of log-probabilities: (texts * num_beams,).
            final_beam_tokens: what was written last; nobody looks at it.
            final_beam_indices: where that was chosen; nobody looks at it.
            max_length: outputs get no longer, even if an eos has no place any more; None sets no limit.
            pad_token_id: what fills up the shorter ones.
            eos_token_id: what ends an output, or several ids that do; the first one stands where none was written.
            beam_indices: for each row of input_ids, the rows in which its tokens were chosen.

        Returns:
            sequences (texts * num_beam_hyps_to_keep, length), sequence_scores, and beam_indices with -1 where nothing
            was chosen, or None.

        Raises:
            ValueError: fewer hypotheses than num_beam_hyps_to_keep, or outputs that differ in length and no
                pad_token_id.
        """
        best: list[Hypothesis] = []
        totals = final_beam_scores.tolist()
        for text, pool in enumerate(self._beam_hyps):
            opened = 0 if self._done[text] else self._take_in(text, input_ids, totals, beam_indices)
            # subtle: of equal scores the one that came last wins.
            ranked = sorted(pool.beams, key=lambda hypothesis: hypothesis.score)[::-1]
            kept = ranked[: self.num_beam_hyps_to_keep]
            if len(kept) < self.num_beam_hyps_to_keep:
                raise ValueError(
                    f"text {text} has {len(kept)} hypotheses, and num_beam_hyps_to_keep="
                    f"{self.num_beam_hyps_to_keep} (num_return_sequences) asks for more; take at most num_beams="
                    f"{self.num_beams}, and fewer where most tokens are forbidden"
                )
            best += kept
            yield self._chosen(text, ranked, opened)
        ends = eos_ids(eos_token_id)
        width = max(len(hypothesis.ids) for hypothesis in best) + bool(ends)
        width = width if max_length is None else min(width, max_length)
        return {
            "sequences": _filled_up(best, input_ids, width, pad_token_id, ends),
            "sequence_scores": torch.tensor([hypothesis.score for hypothesis in best], device=self.device),
            "beam_indices": _rows(best, input_ids, width),
        }

    def _take_in(self, text: int, input_ids: Tensor, totals: list[float], beam_indices: Rows | None) -> int:
        """Let a text's open beams be hypotheses as they are; say how many got in."""
        rows = range(text * self.num_beams, (text + 1) * self.num_beams)
        return sum(self._add_open(text, row, input_ids, totals, beam_indices) for row in rows)

    def _add_open(self, text: int, row: int, input_ids: Tensor, totals: list[float], beam_indices: Rows | None) -> bool:
        rows = None if beam_indices is None else tuple(beam_indices[row])
        if totals[row] == FORBIDDEN:
            return False
        return self._beam_hyps[text].add(input_ids[row], totals[row], rows)

    def _chosen(self, text: int, ranked: list[Hypothesis], opened: int) -> Chosen:
        """What is seen of the end."""
        return Chosen(
            text,
            tuple(tuple(hypothesis.ids.tolist()) for hypothesis in ranked),
            tuple(hypothesis.total for hypothesis in ranked),
            tuple(hypothesis.score for hypothesis in ranked),
            opened,
            self.num_beam_hyps_to_keep,
        )


def eos_ids(eos_token_id: Eos) -> list[int]:
    """The ids that end an output.

    >>> eos_ids(None), eos_ids(1), eos_ids([1, 2])
    ([], [1], [1, 2])
    """
    if eos_token_id is None:
        return []
    return [eos_token_id] if isinstance(eos_token_id, int) else list(eos_token_id)


def tokens_for_each_beam(ends: Sequence[int]) -> int:
    """How many tokens of each beam are enough, so that one is left if all others end it.

    >>> tokens_for_each_beam([]), tokens_for_each_beam([1]), tokens_for_each_beam([1, 2])
    (2, 2, 3)
    """
    return max(2, 1 + len(ends))


def pad_of_done(pad_token_id: int | None, ends: list[int]) -> int:
    """What is written for a text that is done.

    Raises:
        ValueError: there is no such id, or nothing that ends a text.

    >>> pad_of_done(0, ends=[1])
    0
    """
    if not ends or pad_token_id is None:
        raise ValueError("a text is done before the others: pad_token_id and eos_token_id have to be given")
    return pad_token_id


def _filled_up(best: list[Hypothesis], like: Tensor, width: int, pad: int | None, ends: list[int]) -> Tensor:
    """The ids of all, each followed by its eos where that has a place."""
    if pad is None and len({len(hypothesis.ids) for hypothesis in best}) > 1:
        raise ValueError("the outputs differ in length: give pad_token_id, which fills up the shorter ones")
    sequences = like.new_full((len(best), width), 0 if pad is None else pad)
    for row, hypothesis in zip(sequences, best, strict=True):
        length = len(hypothesis.ids)
        row[:length] = hypothesis.ids
        if length < width:
            row[length] = ends[0] if hypothesis.eos is None else hypothesis.eos
    return sequences


def _rows(best: list[Hypothesis], like: Tensor, width: int) -> Tensor | None:
    """In which row of the scores each token was chosen; -1 fills up."""
    if any(hypothesis.beam_indices is None for hypothesis in best):
        return None
    indices = like.new_full((len(best), width), -1)
    for row, hypothesis in zip(indices, best, strict=True):
        chosen = hypothesis.beam_indices or ()
        row[: len(chosen)] = torch.tensor(chosen, dtype=row.dtype)
    return indices
