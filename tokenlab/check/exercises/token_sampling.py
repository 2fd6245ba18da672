"""The checks of lesson 17: temperature, top-p and a draw by hand, top-p, repetition penalty, typical sampling."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from itertools import accumulate, combinations
from math import log, sqrt
from operator import le, lt
from typing import Any

from tokenlab.algorithms.decoding.filters import by_probability, surprisal, top_p_filter, typical_filter
from tokenlab.algorithms.decoding.next_token import FilterApplied, apply_repetition_penalty, sample_next_token
from tokenlab.check import strategies as inputs
from tokenlab.check.answer_check import AnswerCheck, BugCheck, summed
from tokenlab.check.exercises.t5_attention import is_number
from tokenlab.check.function_check import FunctionCheck
from tokenlab.check.strategies import Strategy, st
from tokenlab.check.trace_comparison import nearly_equal
from tokenlab.misconceptions import token_sampling as wrong
from tokenlab.misconceptions.catalog import rule_of
from tokenlab.steps.recording import stepwise

# By hand.

BY_HAND = (0.49, 0.25, 0.16, 0.09, 0.01)  # their square roots sum to 2
NUMBER = 0.9  # above the remaining probability mass before renormalization


@stepwise
def sampling_by_hand() -> Generator[Any, None, tuple[tuple[float, ...], tuple[int, ...], int]]:
    """Return the probabilities after temperature, the tokens that top-p keeps, and the drawn token."""
    scores = [log(probability) for probability in BY_HAND]
    run = sample_next_token.record(scores, NUMBER, temperature=2.0, top_p=0.7)
    yield from run
    [warm, last] = (step.probabilities for step in run if isinstance(step, FilterApplied))
    left = tuple(token for token, probability in enumerate(last) if probability)
    return warm, left, run.result


drawn_by_hand = AnswerCheck(
    recording=sampling_by_hand.record,
    answers=lambda recording: recording.result,
    names=(
        "The list of probabilities after temperature",
        "The tuple of tokens that top-p keeps",
        "The token that is drawn",
    ),
    rules=(
        "Temperature 2 replaces each probability by its square root. Then all are divided by their sum.",
        f"{rule_of(wrong.temperature_last)} {rule_of(wrong.exclude_crossing_token)}",
        "The kept probabilities are divided by their sum. Then each token, in the order of the ids, has an interval as "
        "long as its probability. The token whose interval contains the random number is drawn.",
    ),
    sums=lambda recording: (
        f"The square roots: {summed(round(sqrt(p), 6) for p in BY_HAND)}",
        "Each divided by this sum: 0.7 / 2 = 0.35, 0.5 / 2 = 0.25, 0.4 / 2 = 0.2, 0.3 / 2 = 0.15, 0.1 / 2 = 0.05",
        "The first two tokens have 0.35 + 0.25 = 0.6, below 0.7; the first three have 0.35 + 0.25 + 0.2 = 0.8",
        "The kept tokens, divided by their sum: 0.35 / 0.8 = 0.438, 0.25 / 0.8 = 0.313, 0.2 / 0.8 = 0.25",
    ),
)


# Top-p.


def _parts_of(whole: int, most: int) -> list[tuple[float, ...]]:
    """Return all distributions of up to `most` different multiples of 1 / whole, the largest first."""
    several = (parts for number in range(1, most + 1) for parts in combinations(range(whole, 0, -1), number))
    return [tuple(part / whole for part in parts) for parts in several if sum(parts) == whole]


# No two tokens are equally probable. Tenths never sum to an odd number of twentieths, and eighths sum to eighths
# without rounding, so rounding never decides.
TENTHS, EIGHTHS = _parts_of(10, 4), _parts_of(8, 3)
ODD_TWENTIETHS = (0.55, 0.75, 0.85, 0.95, 0.35, 0.15)
# The same is true of twentieths and an odd number of fortieths.
TWENTIETHS = _parts_of(20, 4)
ODD_FORTIETHS = (0.125, 0.325, 0.525, 0.725, 0.925, 0.075)


def _distributions(of: list[tuple[float, ...]], *shares: float) -> Strategy:
    shuffled = st.sampled_from(of).flatmap(lambda parts: st.permutations(parts))
    return st.tuples(shuffled, inputs.sampled(*shares))


def _kept(
    order: Iterable[int], probabilities: Sequence[float], mass: float, below: Callable[[float, float], bool] = lt
) -> list[int]:
    """Keep tokens in this order, as long as the sum of the tokens before them is below the mass."""
    cumulative = accumulate((probabilities[token] for token in order), initial=0.0)
    return sorted(token for token, before in zip(order, cumulative, strict=False) if below(before, mass))


_ORDER = "The kept tokens are given in the order of their ids."

keep_top_p = FunctionCheck(
    top_p_filter,
    lambda: _distributions(TENTHS, *ODD_TWENTIETHS) | _distributions(EIGHTHS, 0.5, 0.625, 0.875, 0.25, 1),
    "Top-p keeps the most probable tokens until they have at least top_p together.",
    examples=[
        ([1.0], 0.5),
        ([0.5, 0.3, 0.2], 0.75),
        ([0.2, 0.3, 0.5], 0.75),
        ([0.5, 0.375, 0.125], 0.5),
        ([0.5, 0.375, 0.125], 1),
    ],
    wrong=(
        wrong.exclude_crossing_token,
        (
            lambda probabilities, top_p: sorted(
                by_probability(probabilities)[: len(top_p_filter(probabilities, top_p)) - 1]
            ),
            wrong.exclude_crossing_token,
        ),
        (
            lambda probabilities, top_p: _kept(by_probability(probabilities), probabilities, top_p, le),
            "If the kept tokens have exactly top_p together, this is enough.",
        ),
        (
            lambda probabilities, top_p: _kept(by_probability(probabilities)[::-1], probabilities, top_p),
            "The most probable tokens come first. The improbable tail is removed.",
        ),
        (
            lambda probabilities, top_p: _kept(range(len(probabilities)), probabilities, top_p),
            "Tokens are considered in descending order of probability, not in the order of their ids.",
        ),
        (
            lambda probabilities, top_p: [token for token, p in enumerate(probabilities) if p >= top_p],
            "top_p applies to all kept tokens together, not to each.",
        ),
        (lambda probabilities, top_p: by_probability(probabilities)[: len(top_p_filter(probabilities, top_p))], _ORDER),
        (
            lambda probabilities, top_p: [probabilities[token] for token in top_p_filter(probabilities, top_p)],
            "Return the ids of the tokens, not their probabilities.",
        ),
    ),
    lists=1,
)


# Repetition penalty.


def _scores_and_text() -> Strategy:
    scores = st.lists(st.sampled_from((4, -4, 2, -2, 1, 0)), min_size=1, max_size=4)

    def with_text(scores: list[int]) -> Strategy:
        written = st.lists(st.integers(0, len(scores) - 1), max_size=4)
        return st.tuples(st.just(scores), written, inputs.sampled(2, 4, 0.5))

    return scores.flatmap(with_text)


def _where(scores: Sequence[float], tokens: Any, change: Any) -> list[float]:
    return [change(score) if token in tokens else score for token, score in enumerate(scores)]


repetition_penalty = FunctionCheck(
    apply_repetition_penalty,
    _scores_and_text,
    rule_of(wrong.divide_all_logits),
    examples=[([4], [0], 2), ([-4], [0], 2), ([4, 4], [1], 2), ([4, 4], [0, 0], 2), ([4, -4], [], 2)],
    wrong=(
        (wrong.divide_all_logits, f"{rule_of(wrong.divide_all_logits)} Dividing a negative logit would raise it."),
        (
            wrong.penalize_each_time,
            f"{rule_of(wrong.penalize_each_time)} The number of its occurrences does not matter.",
        ),
        (
            lambda scores, written, penalty: _where(scores, written, lambda score: score * penalty),
            f"{rule_of(wrong.divide_all_logits)} Multiplying a positive logit would raise it.",
        ),
        (
            lambda scores, written, penalty: _where(scores, written, lambda score: score - penalty),
            "The penalty is not subtracted. A logit is divided or multiplied by the penalty.",
        ),
        (
            lambda scores, written, penalty: apply_repetition_penalty(scores, written, 1 / penalty),
            "A penalty above 1 makes the tokens of the text less probable.",
        ),
        (
            lambda scores, written, penalty: apply_repetition_penalty(scores, written[-1:], penalty),
            "All tokens of the text count, not only the last one.",
        ),
        (
            lambda scores, written, penalty: apply_repetition_penalty(
                scores, [token for token in range(len(scores)) if token not in written], penalty
            ),
            "The tokens of the text become less probable. The other tokens keep their logits.",
        ),
        (
            lambda scores, written, penalty: apply_repetition_penalty(scores, range(len(scores)), penalty),
            "The tokens of the text become less probable. The other tokens keep their logits.",
        ),
        (
            lambda scores, written, penalty: [
                apply_repetition_penalty(scores, written, penalty)[token] for token in written
            ],
            "Return a logit for every token, in the order of the ids.",
        ),
    ),
    same=nearly_equal,
    lists=1,
)


# Typical sampling.


def _nearest(
    probabilities: Sequence[float], measure: Callable[[float], float] = surprisal, weighted: bool = True
) -> list[int]:
    """Return all tokens, those first whose surprisal, or another measure, is closest to its mean."""
    weights = probabilities if weighted else [1 / len(probabilities)] * len(probabilities)
    mean = sum(weight * measure(p) for weight, p in zip(weights, probabilities, strict=True))
    return sorted(range(len(probabilities)), key=lambda token: abs(measure(probabilities[token]) - mean))


def _by(measure: Callable[[float], float]) -> Callable[[Sequence[float], float], list[int]]:
    """Return the same rule with another measure than the surprisal."""
    return lambda probabilities, mass: _kept(_nearest(probabilities, measure), probabilities, mass)


_SURPRISAL = "Compare the surprisal. It is the negative natural logarithm of the probability."

keep_typical = FunctionCheck(
    typical_filter,
    lambda: _distributions(TWENTIETHS, *ODD_FORTIETHS),
    "Tokens are sorted by the absolute difference between their surprisal and the entropy. The first tokens are kept "
    "until they have at least the mass together.",
    examples=[
        ([1.0], 0.5),
        ([0.6, 0.4], 0.35),
        ([0.5, 0.3, 0.2], 0.15),
        ([0.5, 0.3, 0.2], 0.75),
        ([0.7, 0.2, 0.1], 0.75),
        ([0.6, 0.25, 0.15], 0.05),
        ([0.65, 0.3, 0.05], 0.05),
    ],
    wrong=(
        (
            top_p_filter,
            "The most probable token has no advantage here. The absolute difference from the entropy counts.",
        ),
        (
            lambda probabilities, mass: _kept(_nearest(probabilities, weighted=False), probabilities, mass),
            "The entropy is the expected surprisal: a mean in which each surprisal is weighted by its probability.",
        ),
        (
            lambda probabilities, mass: _kept(_nearest(probabilities)[::-1], probabilities, mass),
            "The tokens whose surprisal is closest to the entropy come first.",
        ),
        (_by(lambda p: p), _SURPRISAL),
        (_by(lambda p: 1 / p), _SURPRISAL),
        (_by(lambda p: p - log(p)), _SURPRISAL),
        (
            lambda probabilities, mass: sorted(
                _nearest(probabilities)[: max(1, len(typical_filter(probabilities, mass)) - 1)]
            ),
            wrong.exclude_crossing_token,
        ),
        (lambda probabilities, mass: _nearest(probabilities)[: len(typical_filter(probabilities, mass))], _ORDER),
        (
            lambda probabilities, mass: [*range(len(probabilities))],
            "Once the mass is reached, the other tokens are removed.",
        ),
    ),
    lists=1,
)


# Finding a bug.

NUCLEUS = 0.8


def _no_distribution(my_probabilities: Any) -> str:
    usable = isinstance(my_probabilities, list | tuple) and 0 < len(my_probabilities) <= 64
    if not usable or not all(is_number(p) and p >= 0 for p in my_probabilities):
        return "Write the probabilities as a list of numbers, one for each token, such as [0.5, 0.3, 0.2]."
    if abs(sum(my_probabilities) - 1) > 1e-6:
        return f"Your probabilities sum to {sum(my_probabilities):g}. Write probabilities that sum to 1."
    return ""


bug_in_nucleus = BugCheck(
    program=wrong.exclude_crossing_token,
    right=top_p_filter,
    input_problem=_no_distribution,
    example=([0.5, 0.4, 0.1],),
    use=lambda program, my_probabilities: program(my_probabilities, NUCLEUS),
)

TEMPERATURE, TOP_P = 3.0, 0.8


def _unusable(my_scores: Any) -> str:
    if not isinstance(my_scores, list | tuple) or not 0 < len(my_scores) <= 64 or not all(map(is_number, my_scores)):
        return "Write the logits as a list of numbers, one for each token, such as [2, 1, 0]."
    return ""


bug_in_order = BugCheck(
    program=wrong.temperature_last,
    right=wrong.temperature_first,
    input_problem=_unusable,
    example=([2, 1, 0],),
    use=lambda program, my_scores: program(my_scores, TEMPERATURE, TOP_P),
)
