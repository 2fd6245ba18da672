"""`BeamHypotheses`: the finished outputs of one text, of which only the best are kept.

Adds: the score of a hypothesis, and the bound that says whether going on can still improve the pool.
Leaves out: who searches (`beam_search`), and which candidates get here (`BeamSearchScorer`).

Source: transformers 4.26.1, generation/beam_search.py; `length_counts="eos"` is as in transformers 5: lengths count so
since 4.36, and beams that have ended say nothing about the bound since beam search was rewritten
(huggingface/transformers#35802).
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, TypeAlias

from torch import Tensor

EarlyStopping: TypeAlias = bool | Literal["never"]
LengthCounts: TypeAlias = Literal["prompt", "eos"]


def check_length_counts(given: Any) -> None:
    """Say what it can be.

    Raises:
        ValueError: it is something else.

    >>> check_length_counts("start")
    Traceback (most recent call last):
    ...
    ValueError: length_counts='start' should be 'prompt' (as in transformers 4.26.1) or 'eos' (as today)
    """
    if given not in ("prompt", "eos"):
        raise ValueError(f"length_counts={given!r} should be 'prompt' (as in transformers 4.26.1) or 'eos' (as today)")


class Hypothesis(NamedTuple):
    """One finished output."""

    score: float  # sum of log-probabilities / length ** length_penalty
    ids: Tensor  # (length,), with the prompt and without the eos
    beam_indices: tuple[int, ...] | None  # in which row of the batch each of its tokens was chosen
    eos: int | None = None  # the token that ended it; None where it was cut off
    total: float = 0.0  # the sum of log-probabilities, before it is divided


class BeamHypotheses:
    """A pool with room for `num_beams` hypotheses; a better one pushes the worst one out.

    Args:
        num_beams: how many there is room for.
        length_penalty: the exponent of the length by which a sum of log-probabilities is divided. These are negative,
            so above 0 it favours long outputs, and below 0 short ones; 1 gives the mean.
        early_stopping: True: a full pool ends the search. False: it ends when the best candidate, if it were a
            hypothesis now, would not get in. "never" says the same as True if length_counts="prompt", as in 4.26.1,
            and otherwise means the bound that no later candidate can pass, however long it grows.
        length_counts: what the length counts beside the tokens between both: "prompt" as in 4.26.1 (which, with an
            encoder, is the decoder's start token) or "eos" as transformers counts today. With it come today's rules of
            the end: who calls `is_done` gives it the best of the beams that go on, and at max_length these ask for
            room although a full pool ends the search.
        prompt_length: how many ids stood there before the first was written; subtracted if length_counts="eos".
        max_length: how long an output may get, with its prompt; for length_counts="eos".

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
        check_length_counts(length_counts)
        self.is_exhaustive = early_stopping == "never" and length_counts == "eos"
        if self.is_exhaustive and max_length is None:
            raise ValueError("early_stopping='never' asks how long an output may get: give max_length, too")
        self.num_beams = num_beams
        self.length_penalty = length_penalty
        self.early_stopping = early_stopping
        self.length_counts = length_counts
        self.prompt_length = prompt_length
        self.max_length = max_length
        self.beams: list[Hypothesis] = []
        self.worst_score = 1e9  # the library's number for "there is none yet"

    def __len__(self) -> int:
        return len(self.beams)

    def length_of(self, ids: int, ended: bool) -> int:
        """The length that divides a score.

        Args:
            ids: how many there are, with the prompt and without the eos.
            ended: whether an eos follows them.
        """
        # subtle: each rule counts one token that the other does not; with a start token alone both often agree.
        return ids if self.length_counts == "prompt" else max(ids - self.prompt_length + ended, 1)

    def divisor(self, length: int) -> float:
        """What a sum of log-probabilities is divided by."""
        return float(length**self.length_penalty)

    def add(
        self,
        hyp: Tensor,
        sum_logprobs: float,
        beam_indices: tuple[int, ...] | None = None,
        eos: int | None = None,
    ) -> bool:
        """Take a hypothesis in if there is room or it beats the worst; say whether it got in.

        Args:
            hyp: its ids, with the prompt and without the eos: (length,).
            sum_logprobs: the sum of its tokens' log-probabilities, the eos among them.
            beam_indices: in which row each of its tokens was chosen.
            eos: the token that ended it.
        """
        score = sum_logprobs / self.divisor(self.length_of(len(hyp), ended=eos is not None))
        if len(self) >= self.num_beams and score <= self.worst_score:
            return False
        self.beams.append(Hypothesis(score, hyp, beam_indices, eos, sum_logprobs))
        if len(self) > self.num_beams:
            worst = min(range(len(self)), key=lambda index: self.beams[index].score)
            del self.beams[worst]
        self.worst_score = min(hypothesis.score for hypothesis in self.beams)
        return True

    def best_attainable(self, best_sum_logprobs: float, cur_len: int) -> float:
        """The score that the search still hopes for.

        Args:
            best_sum_logprobs: the highest sum: in 4.26.1 among all candidates of this step, those that ended among
                them; today among those that go on.
            cur_len: how many ids each beam had before this step.
        """
        return best_sum_logprobs / self.divisor(self.hoped_length(cur_len))

    def hoped_length(self, cur_len: int) -> int:
        """The length that divides the best that is hoped for: now, or the largest where length is a gain.

        Args:
            cur_len: how many ids each beam had before this step.
        """
        if self.is_exhaustive and self.length_penalty > 0 and self.max_length is not None:
            return max(self.max_length - self.prompt_length, 1)
        return self.length_of(cur_len, ended=True)

    def is_done(self, best_sum_logprobs: float, cur_len: int) -> bool:
        """Whether the search of this text ends: the pool is full, and as good as what it still hopes for.

        Args:
            best_sum_logprobs: the highest sum; see `best_attainable`.
            cur_len: how many ids each beam had before this step.
        """
        if len(self) < self.num_beams:
            return False
        # subtle: today what is cut off at this step has ended, too, and may be better than what is there.
        is_cut_off = self.length_counts == "eos" and cur_len + 1 == self.max_length
        if self.early_stopping and not self.is_exhaustive and not is_cut_off:
            return True
        # subtle: a hope that is no better than the worst ends the search, so a tie does.
        return self.worst_score >= self.best_attainable(best_sum_logprobs, cur_len)
