"""`BeamSearchScorer`: select the candidates that become beams or hypotheses, and decide when a text is done.

Adds: one step of the search (`process`) and its end (`finalize`), both with reported steps; and `BeamHypotheses`, the
pool of finished hypotheses of one text, limited to the best `num_beams`.
Leaves out: the candidates (`beam_loops`), constraints (`beam_search`); the score of a hypothesis, and the check
whether the search can still improve the pool (`StoppingRule`).

Source: transformers 4.26.1, generation/beam_search.py; the idea of XLM's beam search (Facebook);
`length_counts="eos"` is as in transformers 5.
Differences from it: several eos ids are supported, and outputs keep the one that ended them; `beam_indices` of groups
are rows of the whole batch; no eos is appended if there is no eos id. A token that a processor forbids is never a
candidate; there it continues and becomes a hypothesis with a score of -infinity. A text is done if none of its
beams can continue.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Sequence
from operator import index
from typing import Any, NamedTuple, TypeAlias

import torch
from torch import Tensor

from tokenlab.algorithms.decoding.beam_search import candidate_status
from tokenlab.algorithms.decoding.stopping_rule import (
    EarlyStopping,
    LengthCounts,
    StoppingCheck,
    StoppingRule,
    get_length_rule,
    index_of_worst,
)
from tokenlab.libraries.transformers.generation.argument_checks import Eos, check_beam_groups, checked_pad
from tokenlab.libraries.transformers.generation.beam_steps import (
    CONTINUES,
    FINISHES,
    REJECTED_BY_POOL,
    BeamsSelected,
    BeamStep,
    Candidate,
    FinalHypotheses,
)
from tokenlab.steps.recording import overridable

Rows: TypeAlias = Sequence[Sequence[int]]  # for each beam, the rows in which its tokens were chosen
SelectedBeam: TypeAlias = tuple[float, int, int]  # sum of log-probabilities, token, parent beam of the same text
TextCandidates: TypeAlias = Sequence[SelectedBeam]  # of one text, best first
MASKED_SCORE = -math.inf


class Hypothesis(NamedTuple):
    """One finished output."""

    score: float  # sum of log-probabilities / length ** length_penalty
    ids: Tensor  # (length,), with the prompt and without the eos
    beam_indices: tuple[int, ...] | None  # for each token, the row of the batch in which it was chosen
    eos: int | None = None  # the token that ended it; None if it was truncated
    total: float = 0.0  # sum of log-probabilities


class BeamHypotheses:
    """A pool of at most `num_beams` hypotheses; a better one replaces the worst one.

    Args:
        num_beams: number of hypotheses in a full pool.
        length_penalty: see `StoppingRule`. Sums of log-probabilities are negative, so a value above 0 favours long
            outputs, and below 0 short ones; 1 gives the mean.
        early_stopping: see `StoppingRule`; "never" is the same as True if length_counts="prompt", as in 4.26.1.
        length_counts: which tokens the length counts besides the generated ones: "prompt" (`TRANSFORMERS_4_26`) or
            "eos" (`TODAY`). It also selects the version of the stopping rule: with "eos", the caller of `is_done`
            passes the best sum of the beams that continue, and at max_length those beams compete with a full pool.
        prompt_length: number of ids before the first generated one; subtracted if length_counts="eos".
        max_length: maximum number of ids of an output, with its prompt; for length_counts="eos".

    Raises:
        ValueError: another length_counts, or early_stopping="never" (with "eos") without max_length.

    >>> from torch import tensor
    >>> pool = BeamHypotheses(num_beams=1, length_penalty=1.0, early_stopping=False)
    >>> pool.add(tensor([0, 5, 6]), -1.2)
    True
    >>> pool.add(tensor([0, 5, 6, 7]), -1.2), len(pool), round(pool.worst_score, 3)
    (True, 1, -0.3)
    >>> pool.is_done(best_sum_logprobs=-2.0, cur_len=5), pool.is_done(best_sum_logprobs=-1.0, cur_len=5)
    (True, False)
    """

    def __init__(
        self,
        num_beams: int,
        length_penalty: float,
        early_stopping: EarlyStopping,
        length_counts: LengthCounts = "prompt",
        prompt_length: int = 1,
        max_length: int | None = None,
    ) -> None:
        rule = get_length_rule(length_counts)
        self.rule = StoppingRule(num_beams, length_penalty, early_stopping, rule, prompt_length, max_length)
        self.num_beams = num_beams
        self.length_penalty = length_penalty
        self.early_stopping = early_stopping
        self.beams: list[Hypothesis] = []
        self.worst_score = 1e9  # the library's number for an empty pool

    def __len__(self) -> int:
        return len(self.beams)

    def add(
        self, hyp: Tensor, sum_logprobs: float, beam_indices: tuple[int, ...] | None = None, eos: int | None = None
    ) -> bool:
        """Add a hypothesis if the pool is not full or its worst one is worse; return True if it was added.

        Args:
            hyp: its ids, with the prompt and without the eos: (length,).
            sum_logprobs: sum of the log-probabilities of its tokens, including the eos.
            beam_indices: for each token, the row in which it was chosen.
            eos: the token that ended it.
        """
        score = self.rule.score(sum_logprobs, len(hyp), has_eos=eos is not None)
        if len(self) >= self.num_beams and score <= self.worst_score:
            return False
        self.beams.append(Hypothesis(score, hyp, beam_indices, eos, sum_logprobs))
        if len(self) > self.num_beams:
            del self.beams[index_of_worst([hypothesis.score for hypothesis in self.beams])]
        self.worst_score = min(hypothesis.score for hypothesis in self.beams)
        return True

    def check_stopping(
        self, best_sum_logprobs: float, cur_len: int, text: int = 0, is_stuck: bool = False
    ) -> StoppingCheck:
        """Compare this pool with the best attainable score; see `StoppingRule.check`."""
        scores = [hypothesis.score for hypothesis in self.beams]
        return self.rule.check(scores, best_sum_logprobs, cur_len, text, is_stuck)

    def is_done(self, best_sum_logprobs: float, cur_len: int) -> bool:
        """Return True if the search of this text ends; see `StoppingRule.check`."""
        return self.check_stopping(best_sum_logprobs, cur_len).done


class BeamScorer(ABC):
    """The interface that a loop over beams uses: select beams, check for the end, and return the outputs."""

    num_beams: int
    num_beam_groups: int
    num_beam_hyps_to_keep: int
    _beam_hyps: list[BeamHypotheses]

    @property
    @abstractmethod
    def is_done(self) -> bool:
        """True if every text is done."""

    process: Any
    finalize: Any


class BeamSearchScorer(BeamScorer):
    """Track the beams and hypotheses of beam search for a batch of texts.

    Args:
        batch_size: number of texts.
        num_beams: number of beams of each text, in all its groups.
        device: device of the tensors.
        length_penalty: see `BeamHypotheses`.
        do_early_stopping: see `BeamHypotheses`, early_stopping.
        num_beam_hyps_to_keep: number of hypotheses that are returned for each text.
        num_beam_groups: number of groups of the beams of a text; they share one pool.
        max_length: maximum number of ids of an output, with its prompt; see `BeamHypotheses`.
        length_counts: "prompt" as in 4.26.1, "eos" as in transformers today; see `BeamHypotheses`.
        prompt_length: number of ids before the first generated one.

    Raises:
        ValueError: fewer than two beams, or groups of unequal size.

    >>> from torch import tensor
    >>> scorer = BeamSearchScorer(batch_size=1, num_beams=2, device=torch.device("cpu"))
    >>> scores, tokens, parents = tensor([[-0.5, -0.9, -1.1, -3]]), tensor([[1, 7, 8, 9]]), tensor([[0, 0, 1, 0]])
    >>> for step in scorer.process.steps(tensor([[0, 5], [0, 6]]), scores, tokens, parents, 0, 1): print(step)
    text 0: beam 0 + 7, beam 1 + 8 continue (the best 2 that do not end); beam 0 + 1 became a hypothesis
    the search of text 0 continues: the pool has 1 of 2 hypotheses
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
            raise ValueError(f"num_beams={num_beams!r} should be at least 2; use greedy_search for one beam")
        num_beams = index(num_beams)
        groups = 1 if num_beam_groups is None else num_beam_groups
        check_beam_groups(num_beams, groups)
        self.num_beams = num_beams
        self.device = torch.device(device)
        self.length_penalty = 1.0 if length_penalty is None else length_penalty
        self.do_early_stopping = do_early_stopping or False
        self.num_beam_hyps_to_keep = num_beam_hyps_to_keep or 1
        self.num_beam_groups = groups
        self.group_size = num_beams // groups
        rule = (self.length_penalty, self.do_early_stopping, length_counts, prompt_length, max_length)
        self._beam_hyps = [BeamHypotheses(num_beams, *rule) for _ in range(batch_size)]
        self._done = [False] * batch_size

    @property
    def is_done(self) -> bool:
        """True if every text is done."""
        return all(self._done)

    @overridable
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
        """Process one step: the best candidates that end become hypotheses, the best others continue as beams.

        Args:
            input_ids: the beams of all texts: (texts * group size, length).
            next_scores: sums of log-probabilities of the candidates, best first: (texts, candidates).
            next_tokens: the token of each candidate.
            next_indices: the beam of its group that each candidate extends.
            pad_token_id: the token that is added to texts that are done.
            eos_token_id: the id or ids that end an output.
            beam_indices: for each row of input_ids, the rows in which its tokens were chosen.
            group: index of the group of these beams.

        Returns:
            next_beam_scores, next_beam_tokens and next_beam_indices (rows of input_ids), each (texts * group size,).

        Raises:
            ValueError: input_ids has another number of rows, too many candidates end, or a text is done before the
                others and pad_token_id or eos_token_id is None.
        """
        ends = eos_token_id_list(eos_token_id)

        def select(text: int, candidates: TextCandidates) -> Generator[BeamStep, None, list[SelectedBeam]]:
            selected, following = self._select_beams(text, candidates, input_ids, ends, beam_indices, group)
            yield BeamsSelected(text, input_ids.shape[-1], tuple(selected), self.group_size, group)
            return following

        return (yield from self._process(select, input_ids, next_scores, next_tokens, next_indices, pad_token_id, ends))

    def _process(
        self,
        select: Callable[[int, TextCandidates], Generator[Any, None, list[SelectedBeam]]],
        input_ids: Tensor,
        next_scores: Tensor,
        next_tokens: Tensor,
        next_indices: Tensor,
        pad_token_id: int | None,
        ends: list[int],
    ) -> Generator[Any, None, dict[str, Tensor]]:
        """Select the beams of each text that is not done; see `process`."""
        texts, size = len(self._beam_hyps), self.group_size
        if len(input_ids) != size * texts:
            raise ValueError(
                f"input_ids should have {texts} x {size} rows, one for each beam of each text, and has {len(input_ids)}"
            )
        running: list[SelectedBeam] = []  # with rows of the whole batch
        lists = zip(next_scores.tolist(), next_tokens.tolist(), next_indices.tolist(), strict=True)
        for text, columns in enumerate(lists):
            if self._done[text]:
                # The rows of a text that is done extend row 0, of any text: they are never read.
                running += [(0.0, pad_for_finished(pad_token_id, ends), 0)] * size
                continue
            following = yield from select(text, list(zip(*columns, strict=True)))
            running += [(score, token, text * size + parent) for score, token, parent in following]
            yield self._check_stopping(text, columns[0], [score for score, _, _ in following], input_ids.shape[-1])
        return {
            "next_beam_scores": next_scores.new_tensor([score for score, _, _ in running]),
            "next_beam_tokens": next_tokens.new_tensor([token for _, token, _ in running]),
            "next_beam_indices": next_indices.new_tensor([parent for _, _, parent in running]),
        }

    def _select_beams(
        self,
        text: int,
        candidates: TextCandidates,
        input_ids: Tensor,
        ends: list[int],
        beam_indices: Rows | None,
        group: int = 0,
    ) -> tuple[list[Candidate], list[SelectedBeam]]:
        """Return the candidates of a text with their status, and its next beams; add candidates that end to its pool.

        A forbidden candidate is left out; at most it fills a beam that has no candidate, with a sum of -infinity.
        """
        size, pool = self.group_size, self._beam_hyps[text]
        selected = []
        following: list[SelectedBeam] = []
        for rank, (score, token, parent) in enumerate(candidates):
            status = candidate_status(rank, token in ends, len(following), size)
            if status == CONTINUES:
                following.append((score, token, parent))
            if score == MASKED_SCORE:
                continue
            if status == FINISHES:
                row = text * size + parent
                in_batch = text * self.num_beams + group * size + parent  # the row among the beams of all groups
                rows = None if beam_indices is None else (*beam_indices[row], in_batch)
                status = self._finish(pool, input_ids[row], score, rows, token)
            selected.append(Candidate(parent, token, score, status))
        if len(following) < size:
            raise ValueError(
                f"only {len(following)} of {rank + 1} candidates do not end, but {size} beams have to continue; take "
                f"{(len(ends) + 1) * size} candidates, since {len(ends)} ids end an output"
            )
        return selected, following

    def _finish(self, pool: BeamHypotheses, ids: Tensor, score: float, rows: tuple[int, ...] | None, token: int) -> str:
        """Add a candidate that ends to the pool; return its status."""
        return FINISHES if pool.add(ids.clone(), score, rows, token) else REJECTED_BY_POOL

    def _check_stopping(
        self, text: int, candidates: Sequence[float], following: Sequence[float], length: int
    ) -> StoppingCheck:
        """Check whether a text is done, given the sums of its candidates and of the beams that follow."""
        # subtle: the candidates include those that end.
        pool = self._beam_hyps[text]
        # If no beam of a group can continue, other groups may.
        is_stuck = self.num_beam_groups == 1 and max(following) == MASKED_SCORE
        best = max(following if pool.rule.length_rule.ignores_finished or is_stuck else candidates)
        check = pool.check_stopping(best, length, text, is_stuck)
        self._done[text] = check.done
        return check

    @overridable
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
    ) -> Generator[FinalHypotheses, None, dict[str, Any]]:
        """Return the best hypotheses of each text; add the beams of texts that are not done to the pool first.

        Args:
            input_ids: the beams: (texts * num_beams, length).
            final_beam_scores: their sums of log-probabilities: (texts * num_beams,).
            final_beam_tokens: the last tokens; unused.
            final_beam_indices: the rows of the last tokens; unused.
            max_length: maximum length of outputs, even if it leaves no position for the eos; None sets no limit.
            pad_token_id: pads the shorter outputs.
            eos_token_id: the id or ids that end an output; the first one is appended to truncated outputs.
            beam_indices: for each row of input_ids, the rows in which its tokens were chosen.

        Returns:
            sequences (texts * num_beam_hyps_to_keep, length), sequence_scores, and beam_indices padded with -1,
            or None.

        Raises:
            ValueError: fewer hypotheses than num_beam_hyps_to_keep, or outputs that differ in length and no
                pad_token_id.
        """
        best: list[Hypothesis] = []
        totals = final_beam_scores.tolist()
        for text, pool in enumerate(self._beam_hyps):
            opened = 0 if self._done[text] else self._add_truncated_beams(text, input_ids, totals, beam_indices)
            # subtle: of equal scores the latest one wins.
            ranked = sorted(pool.beams, key=lambda hypothesis: hypothesis.score)[::-1]
            kept = ranked[: self.num_beam_hyps_to_keep]
            if len(kept) < self.num_beam_hyps_to_keep:
                raise ValueError(
                    f"text {text} has {len(kept)} hypotheses, and num_beam_hyps_to_keep="
                    f"{self.num_beam_hyps_to_keep} (num_return_sequences) asks for more; use at most num_beams="
                    f"{self.num_beams}, and fewer where most tokens are forbidden"
                )
            best += kept
            yield self._final_hypotheses(text, ranked, opened)
        ends = eos_token_id_list(eos_token_id)
        width = max(len(hypothesis.ids) for hypothesis in best) + bool(ends)
        width = width if max_length is None else min(width, max_length)
        return {
            "sequences": _pad_hypotheses(best, input_ids, width, pad_token_id, ends),
            "sequence_scores": torch.tensor([hypothesis.score for hypothesis in best], device=self.device),
            "beam_indices": _rows(best, input_ids, width),
        }

    def _add_truncated_beams(self, text: int, input_ids: Tensor, totals: list[float], beam_indices: Rows | None) -> int:
        """Add beams of a text to its pool as they are; return the number of accepted ones."""
        rows = [row for row in self._truncated_rows(text, input_ids) if totals[row] != MASKED_SCORE]
        indices = {row: None if beam_indices is None else tuple(beam_indices[row]) for row in rows}
        return sum(self._beam_hyps[text].add(input_ids[row], totals[row], indices[row]) for row in rows)

    def _truncated_rows(self, text: int, input_ids: Tensor) -> Sequence[int]:
        """Return the rows of the beams of a text that may become hypotheses as they are."""
        return range(text * self.num_beams, (text + 1) * self.num_beams)

    def _final_hypotheses(self, text: int, ranked: list[Hypothesis], opened: int) -> FinalHypotheses:
        """Return the step that reports the final hypotheses."""
        return FinalHypotheses(
            text,
            tuple(tuple(hypothesis.ids.tolist()) for hypothesis in ranked),
            tuple(hypothesis.total for hypothesis in ranked),
            tuple(hypothesis.score for hypothesis in ranked),
            opened,
            self.num_beam_hyps_to_keep,
        )


def eos_token_id_list(eos_token_id: Eos) -> list[int]:
    """Return the eos ids as a list.

    >>> eos_token_id_list(None), eos_token_id_list(1), eos_token_id_list([1, 2])
    ([], [1], [1, 2])
    """
    if eos_token_id is None:
        return []
    return [eos_token_id] if isinstance(eos_token_id, int) else list(eos_token_id)


def pad_for_finished(pad_token_id: int | None, ends: list[int]) -> int:
    """Return the token that is added to a text that is done; a ValueError without a pad id or an eos id.

    >>> pad_for_finished(0, ends=[1])
    0
    """
    if not ends or pad_token_id is None:
        raise ValueError("a text is done before the others: give pad_token_id and eos_token_id")
    return checked_pad(pad_token_id)


def _pad_hypotheses(best: list[Hypothesis], like: Tensor, width: int, pad: int | None, ends: list[int]) -> Tensor:
    """Return the ids of all hypotheses, each followed by its eos if the width permits it."""
    if pad is None and len({len(hypothesis.ids) for hypothesis in best}) > 1:
        raise ValueError("the outputs differ in length: give pad_token_id, which pads the shorter ones")
    sequences = like.new_full((len(best), width), 0 if pad is None else pad)
    for row, hypothesis in zip(sequences, best, strict=True):
        length = len(hypothesis.ids)
        row[:length] = hypothesis.ids
        if length < width:
            row[length] = ends[0] if hypothesis.eos is None else hypothesis.eos
    return sequences


def _rows(best: list[Hypothesis], like: Tensor, width: int) -> Tensor | None:
    """Return the row of the scores in which each token was chosen, padded with -1."""
    if any(hypothesis.beam_indices is None for hypothesis in best):
        return None
    indices = like.new_full((len(best), width), -1)
    for row, hypothesis in zip(indices, best, strict=True):
        chosen = hypothesis.beam_indices or ()
        row[: len(chosen)] = torch.tensor(chosen, dtype=row.dtype)
    return indices
