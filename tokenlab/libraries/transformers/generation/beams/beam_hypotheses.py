"""`BeamHypotheses`: the pool of finished hypotheses of one text, limited to the best `num_beams`.

Adds: the score of a hypothesis, and the check whether the search can still improve the pool (`StoppingRule`).
Leaves out: the search (`beam_search`), and the choice of candidates (`BeamSearchScorer`).

Source: transformers 4.26.1, generation/beam_search.py; `length_counts="eos"` is as in transformers 5.
"""

from __future__ import annotations

from typing import NamedTuple

from torch import Tensor

from tokenlab.algorithms.decoding.finished_hypotheses import index_of_worst
from tokenlab.algorithms.decoding.stopping_rule import (
    EarlyStopping,
    LengthCounts,
    StoppingCheck,
    StoppingRule,
    get_length_rule,
)


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
