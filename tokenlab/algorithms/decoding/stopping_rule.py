"""Finished hypotheses: their scores, the pool, and when beam search is done, in transformers 4.26.1 and today.

Adds: a ranking of texts of different lengths, which differs from the ranking of beams during the search; the pool, in
which a beam search keeps the best ones, one for each beam; two ways to count the length that divides a score; the best
attainable score, and the stopping check (`is_done`): a search is done when its pool is full and no running beam is
expected to improve it.
Leaves out: the source of hypotheses, and the search (`beam_search`).
Source: transformers 4.26.1, generation/beam_search.py, BeamHypotheses. `TODAY` is as in transformers 5: lengths are
counted this way since 4.36 (huggingface/transformers#26624), and the stopping check ignores candidates that end since
beam search was rewritten (huggingface/transformers#35802).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import Any, Literal, TypeAlias

from tokenlab.printing.errors import check_integer, check_not_empty
from tokenlab.printing.printable import Parts
from tokenlab.printing.printed_numbers import format_distinct, format_figures
from tokenlab.steps.recording import step

Hypothesis: TypeAlias = tuple[tuple[int, ...], float]  # ids and score
Hypotheses: TypeAlias = tuple[Hypothesis, ...]  # in order of arrival


def hypothesis_score(total: float, length: int, length_penalty: float) -> float:
    """Return the score that ranks hypotheses; higher is better.

    Args:
        total: sum of its log-probabilities, which are negative.
        length: at least 1; see `stopping_rule.LengthRule`.
        length_penalty: a value above 0 favours long texts, since a negative sum is divided; below 0, short ones.

    Raises:
        ValueError: the length is below 1.

    >>> hypothesis_score(-6, 3, 1), hypothesis_score(-7, 7, 1), hypothesis_score(-6, 3, 0)
    (-2.0, -1.0, -6.0)
    """
    if length < 1:
        raise ValueError(f"length={length} cannot divide a sum; give the number of ids, at least 1")
    return float(total / length**length_penalty)


def index_of_worst(scores: Sequence[float]) -> int:
    """Return the index of the hypothesis that leaves a pool: the one with the lowest score, the oldest of equals.

    Raises:
        ValueError: there are no scores.

    >>> index_of_worst([-1.0, -2.0, -2.0])
    1
    """
    check_not_empty("scores", scores, "the score of at least one hypothesis")
    return min(range(len(scores)), key=scores.__getitem__)


def add_hypothesis(pool: Hypotheses, hypothesis: Hypothesis, num_beams: int) -> Hypotheses:
    """Return the pool with a hypothesis added; in a full pool it replaces the worst one, if it is better.

    Raises:
        ValueError: num_beams is below 1.

    >>> add_hypothesis((((5,), -2.0), ((6,), -1.0)), ((7,), -1.5), num_beams=2)
    (((6,), -1.0), ((7,), -1.5))
    """
    if len(pool) < check_integer("num_beams", num_beams, at_least=1):
        return (*pool, hypothesis)
    worst = index_of_worst([score for _, score in pool])
    if hypothesis[1] <= pool[worst][1]:
        return pool
    return (*pool[:worst], *pool[worst + 1 :], hypothesis)


def sorted_hypotheses(pool: Hypotheses) -> Hypotheses:
    """Return the hypotheses, best first; of equal scores the latest one first.

    >>> sorted_hypotheses((((5,), -2.0), ((6,), -1.0), ((7,), -1.0)))
    (((7,), -1.0), ((6,), -1.0), ((5,), -2.0))
    """
    return tuple(sorted(pool, key=lambda hypothesis: hypothesis[1])[::-1])


EarlyStopping: TypeAlias = bool | Literal["never"]
LengthCounts: TypeAlias = Literal["prompt", "eos"]
POOL_NOT_FULL, CAN_IMPROVE, CANNOT_IMPROVE, EARLY_STOPPING, ALL_MASKED = (
    "pool not full",
    "can improve",
    "cannot improve",
    "early stopping",
    "every token is forbidden",
)


@dataclass(frozen=True)
class LengthRule:
    """How a version of transformers counts lengths, and where its stopping rule differs."""

    counts_prompt: bool  # with an encoder, the prompt is the decoder's start token
    counts_eos: bool
    ignores_finished: bool  # the best sum is that of the running beams, and not that of all candidates
    knows_never: bool  # otherwise early_stopping="never" is the same as True
    truncated_compete: bool  # at max_length a full pool is not enough, since truncated beams may be better

    def length_of(self, num_ids: int, has_eos: bool, prompt_length: int = 1) -> int:
        """Return the length that divides a score, at least 1.

        Args:
            num_ids: number of ids, with the prompt and without the eos.
            has_eos: whether an eos follows them.
            prompt_length: number of ids before the first generated one.

        >>> TRANSFORMERS_4_26.length_of(5, has_eos=True), TODAY.length_of(5, has_eos=True, prompt_length=3)
        (5, 3)
        """
        # subtle: each version counts one token that the other does not; with a start token alone both often agree.
        return max(num_ids - prompt_length * (not self.counts_prompt) + (self.counts_eos and has_eos), 1)


TRANSFORMERS_4_26 = LengthRule(True, False, ignores_finished=False, knows_never=False, truncated_compete=False)
TODAY = LengthRule(False, True, ignores_finished=True, knows_never=True, truncated_compete=True)
LENGTH_RULES = {"prompt": TRANSFORMERS_4_26, "eos": TODAY}


def get_length_rule(length_counts: Any) -> LengthRule:
    """Return the rule of a value of `length_counts`.

    Raises:
        ValueError: there is no such rule.

    >>> get_length_rule("start")
    Traceback (most recent call last):
    ...
    ValueError: length_counts='start' should be 'prompt' (as in transformers 4.26.1) or 'eos' (as today)
    """
    if length_counts not in ("prompt", "eos"):
        raise ValueError(
            f"length_counts={length_counts!r} should be 'prompt' (as in transformers 4.26.1) or 'eos' (as today)"
        )
    return LENGTH_RULES[length_counts]


def stopping_reason(
    scores: Sequence[float], num_beams: int, best_attainable_score: float, early_stopping: bool = False
) -> str:
    """Return the reason why a search continues (the pool is not full, or can improve) or is done.

    Args:
        scores: scores of the hypotheses in the pool.
        num_beams: number of hypotheses that a full pool holds.
        best_attainable_score: the score that the search may still reach.
        early_stopping: whether a full pool is enough.

    >>> stopping_reason([-1.0], 2, -3.0), stopping_reason([-1.0, -2.0], 2, -1.5)
    ('pool not full', 'can improve')
    >>> stopping_reason([-1.0, -2.0], 2, -2.0), stopping_reason([-1.0, -2.0], 2, -1.5, early_stopping=True)
    ('cannot improve', 'early stopping')
    """
    if len(scores) < num_beams:
        return POOL_NOT_FULL
    if early_stopping:
        return EARLY_STOPPING
    # subtle: a new hypothesis has to be better than the worst one, so a tie ends the search.
    return CANNOT_IMPROVE if min(scores, default=inf) >= best_attainable_score else CAN_IMPROVE


@step
class StoppingCheck:
    """The pool of one text compared with the best score that its search may still reach."""

    pool_scores: tuple[float, ...]  # best first
    num_beams: int  # number of hypotheses in a full pool
    best_sum_logprobs: float
    cur_len: int  # ids of each beam before this step
    length: int  # the length that divides best_sum_logprobs, when raised to length_penalty
    best_attainable_score: float
    reason: str
    text: int = 0  # index in the batch

    @property
    def done(self) -> bool:
        """Whether the search of this text ends."""
        return self.reason not in (POOL_NOT_FULL, CAN_IMPROVE)

    def apply(self, search: Any) -> None:
        """Keep the check in the state of a search."""
        search.stopping_check = self

    def explain(self) -> str:
        """Return the reason as a clause; its two scores have enough figures to tell them apart."""
        scores = (min(self.pool_scores, default=inf), self.best_attainable_score)
        worst, attainable = format_distinct(scores, format_figures, 3)
        return {
            POOL_NOT_FULL: f"the pool has {len(self.pool_scores)} of {self.num_beams} hypotheses",
            CAN_IMPROVE: f"the best attainable score ({attainable}) beats the pool's worst score ({worst})",
            CANNOT_IMPROVE: f"the pool's worst score ({worst}) is at least the best attainable score ({attainable})",
            EARLY_STOPPING: f"the pool has {self.num_beams} hypotheses, which is enough with early_stopping",
            ALL_MASKED: "every token is forbidden, so none of its beams can continue",
        }[self.reason]

    def outcome(self, truncation: str = "") -> str:
        """Say whether the search continues, and why.

        Args:
            truncation: why the search stops although it is not done; "" if it continues.

        >>> rule = StoppingRule(2)
        >>> rule.check([-0.5], best_sum_logprobs=-1.2, cur_len=3).outcome()
        'continues: the pool has 1 of 2 hypotheses'
        >>> rule.check([-0.5, -0.7], best_sum_logprobs=-2.4, cur_len=3).outcome()
        "is done: the pool's worst score (-0.700) is at least the best attainable score (-0.800)"
        >>> rule.check([], best_sum_logprobs=-1.2, cur_len=3).outcome("max_length is reached")
        'is not done: the pool has 0 of 2 hypotheses. But it stops here: max_length is reached'
        """
        if self.done:
            return f"is done: {self.explain()}"
        if truncation:
            return f"is not done: {self.explain()}. But it stops here: {truncation}"
        return f"continues: {self.explain()}"

    def sentence(self) -> Parts:
        """Name the text, and say whether its search continues."""
        return [f"the search of text {self.text} {self.outcome()}"]


@dataclass(frozen=True)
class StoppingRule:
    """The settings that score the hypotheses of a search, and end it.

    Args:
        num_beams: number of hypotheses in a full pool.
        length_penalty: exponent of the length that divides a sum of log-probabilities.
        early_stopping: True: a full pool ends the search. False: the search ends when its best sum, divided by the
            current length, would not enter the pool. "never": it ends when no length up to max_length would let that
            sum enter; transformers 4.26.1 does not know "never" and treats it as True.
        length_rule: `TRANSFORMERS_4_26` or `TODAY`.
        prompt_length: number of ids before the first generated one.
        max_length: maximum number of ids of an output, with its prompt; used by `TODAY` only.

    Raises:
        ValueError: "never" is known, and max_length is missing.

    >>> print(StoppingRule(2).check([-1.0, -2.0], best_sum_logprobs=-9.0, cur_len=3))
    the search of text 0 is done: the pool's worst score (-2.00) is at least the best attainable score (-3.00)
    >>> print(StoppingRule(2, 1.0, "never", TODAY, max_length=10).check([-1.0, -2.0], -9.0, cur_len=3))
    the search of text 0 continues: the best attainable score (-1.00) beats the pool's worst score (-2.00)
    """

    num_beams: int
    length_penalty: float = 1.0
    early_stopping: EarlyStopping = False
    length_rule: LengthRule = TRANSFORMERS_4_26
    prompt_length: int = 1
    max_length: int | None = None

    def __post_init__(self) -> None:
        if self.is_exhaustive and self.max_length is None:
            raise ValueError("early_stopping='never' needs the maximum length of an output: give max_length")

    @property
    def is_exhaustive(self) -> bool:
        """Whether the search continues until no later hypothesis can improve the pool."""
        return self.early_stopping == "never" and self.length_rule.knows_never

    def is_truncating(self, cur_len: int) -> bool:
        """Whether beams are truncated after this step and compete with the hypotheses of a full pool."""
        return self.length_rule.truncated_compete and cur_len + 1 == self.max_length

    def length_of(self, num_ids: int, has_eos: bool) -> int:
        """Return the length that divides a score; see `LengthRule.length_of`."""
        return self.length_rule.length_of(num_ids, has_eos, self.prompt_length)

    def score(self, sum_logprobs: float, num_ids: int, has_eos: bool) -> float:
        """Return the score of a hypothesis: its sum of log-probabilities / length ** length_penalty."""
        return hypothesis_score(sum_logprobs, self.length_of(num_ids, has_eos), self.length_penalty)

    def best_attainable_length(self, cur_len: int) -> int:
        """Return the length that divides the best sum: that of this step, or the longest if "never" and an advantage.

        Args:
            cur_len: number of ids of each beam before this step.
        """
        # subtle: sums are negative and only fall, so with a positive penalty they gain most at the greatest length.
        if self.is_exhaustive and self.length_penalty > 0 and self.max_length is not None:
            cur_len = self.max_length - 1
        return self.length_of(cur_len, has_eos=True)

    def check(
        self, scores: Sequence[float], best_sum_logprobs: float, cur_len: int, text: int = 0, is_stuck: bool = False
    ) -> StoppingCheck:
        """Compare the pool with the best attainable score.

        Args:
            scores: scores of the hypotheses in the pool.
            best_sum_logprobs: the highest sum: of all candidates of this step, or of the beams that continue
                (`LengthRule.ignores_finished`).
            cur_len: number of ids of each beam before this step.
            text: index in the batch.
            is_stuck: whether no beam can continue; then one hypothesis is enough.
        """
        length = self.best_attainable_length(cur_len)
        attainable = hypothesis_score(best_sum_logprobs, length, self.length_penalty)
        early = bool(self.early_stopping) and not self.is_exhaustive and not self.is_truncating(cur_len)
        reason = ALL_MASKED if is_stuck and scores else stopping_reason(scores, self.num_beams, attainable, early)
        ranked = tuple(sorted(scores, reverse=True))
        return StoppingCheck(ranked, self.num_beams, best_sum_logprobs, cur_len, length, attainable, reason, text)
