"""The checks of lesson 16: rules in their order, top-p, a repetition penalty, and what is typical."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from math import log
from typing import TYPE_CHECKING, Any

from tokenlab.algorithms import typical
from tokenlab.algorithms.attention_head import Row
from tokenlab.algorithms.next_token import Ruled, draw_next
from tokenlab.algorithms.repetition import penalize_repetition
from tokenlab.algorithms.top_p import by_likelihood
from tokenlab.algorithms.top_p import keep_top_p as top_p_kept
from tokenlab.check import inputs
from tokenlab.check.answers import AnswerCheck, BugCheck
from tokenlab.check.functions import FunctionCheck
from tokenlab.check.t5_attention import is_number
from tokenlab.check.traces import close
from tokenlab.misconceptions import rule_of
from tokenlab.misconceptions import sampling as wrong
from tokenlab.steps import stepwise

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

# By hand.

BY_HAND = (0.49, 0.25, 0.16, 0.09, 0.01)  # their roots sum to 2
NUMBER = 0.9  # above what is left, before that is made to sum to one


@stepwise
def order_and_draw() -> Generator[Any, None, tuple[tuple[int, ...], tuple[int, ...], int]]:
    """What temperature and then top-p leave of a distribution, what top-p alone leaves, and what is drawn."""
    scores = [log(probability) for probability in BY_HAND]
    left: tuple[int, ...] = ()
    run = draw_next.steps(scores, NUMBER, temperature=2.0, top_p=0.7)
    while True:
        try:
            step = next(run)
        except StopIteration as end:
            return left, wrong.temperature_last(scores, 2.0, 0.7), end.value
        if isinstance(step, Ruled):
            left = tuple(token for token, probability in enumerate(step.probabilities) if probability)
        yield step


drawn_by_hand = AnswerCheck(
    recording=order_and_draw.record,
    answers=lambda recording: recording.result,
    names=(
        "What temperature and then top-p leave",
        "What top-p leaves where it comes first",
        "The token that is drawn",
    ),
    rules=(
        f"{rule_of(wrong.temperature_last)} {rule_of(wrong.exclude_crossing_token)}",
        rule_of(wrong.exclude_crossing_token),
        "What is left is made to sum to one; then each token, in the order of the ids, has a stretch as long as it is "
        "likely.",
    ),
)


# Top-p.


def top_p_of(probabilities: Sequence[float], top_p: float) -> tuple[int, ...]:
    """The fewest likeliest tokens that have at least the share `top_p` together, in the order of their ids.

    >>> top_p_of([0.2, 0.5, 0.3], 0.7)
    (1, 2)
    """
    return top_p_kept(probabilities, top_p)


def _parts(whole: int, number: int, largest: int) -> list[tuple[int, ...]]:
    """All ways to divide a whole into so many different parts, the largest first."""
    if number == 1:
        return [(whole,)] if 0 < whole <= largest else []
    return [
        (first, *rest)
        for first in range(min(whole, largest), 0, -1)
        for rest in _parts(whole - first, number - 1, first - 1)
    ]


# No two tokens are equally likely; and tenths never sum to a share that is an odd number of twentieths, while eighths
# sum to eighths without rounding: so it is never rounding that decides.
TENTHS = [tuple(part / 10 for part in parts) for number in (1, 2, 3, 4) for parts in _parts(10, number, 10)]
EIGHTHS = [tuple(part / 8 for part in parts) for number in (1, 2, 3) for parts in _parts(8, number, 8)]
ODD_TWENTIETHS = (0.55, 0.75, 0.85, 0.95, 0.35, 0.15)
# So it is with twentieths and an odd number of fortieths.
TWENTIETHS = [tuple(part / 20 for part in parts) for number in (1, 2, 3, 4) for parts in _parts(20, number, 20)]
ODD_FORTIETHS = (0.125, 0.325, 0.525, 0.725, 0.925, 0.075)


def _distributions(of: list[tuple[float, ...]], *shares: float) -> SearchStrategy[Any]:
    from hypothesis import strategies as st

    shuffled = st.sampled_from(of).flatmap(lambda parts: st.permutations(parts))
    return inputs.several(shuffled, inputs.one_of(*shares))


def _shares() -> SearchStrategy[Any]:
    return _distributions(TENTHS, *ODD_TWENTIETHS) | _distributions(EIGHTHS, 0.5, 0.625, 0.875, 0.25, 1)


def _below(probabilities: Sequence[float], top_p: float) -> list[int]:
    """Those whose sum stays below the share, even if there are none."""
    mass, kept = 0.0, []
    for token in by_likelihood(probabilities):
        mass += probabilities[token]
        if mass < top_p:
            kept.append(token)
    return sorted(kept)


def _one_more(probabilities: Sequence[float], top_p: float) -> list[int]:
    """Go on at the border: as many as have at most the share, and one."""
    mass, kept = 0.0, []
    for token in by_likelihood(probabilities):
        if mass <= top_p:
            kept.append(token)
            mass += probabilities[token]
    return sorted(kept)


def _unlikeliest(probabilities: Sequence[float], top_p: float) -> list[int]:
    mass, kept = 0.0, []
    for token in reversed(by_likelihood(probabilities)):
        if mass < top_p:
            kept.append(token)
            mass += probabilities[token]
    return sorted(kept)


def _as_they_stand(probabilities: Sequence[float], top_p: float) -> list[int]:
    mass, kept = 0.0, []
    for token, probability in enumerate(probabilities):
        if mass < top_p:
            kept.append(token)
            mass += probability
    return kept


_ORDER = "The kept tokens are given in the order of their ids."

keep_top_p = FunctionCheck(
    top_p_of,
    _shares,
    "The likeliest tokens are kept, until they have at least the share together.",
    examples=[
        ([1.0], 0.5),
        ([0.5, 0.3, 0.2], 0.75),
        ([0.2, 0.3, 0.5], 0.75),
        ([0.5, 0.375, 0.125], 0.5),
        ([0.5, 0.375, 0.125], 1),
    ],
    wrong=(
        (wrong.exclude_crossing_token, rule_of(wrong.exclude_crossing_token)),
        (_below, rule_of(wrong.exclude_crossing_token)),
        (_one_more, "If the kept tokens have exactly the share, that is enough."),
        (_unlikeliest, "The likeliest come first: it is the unlikely tail that is cut off."),
        (_as_they_stand, "Tokens are looked at by how likely they are, not by their ids."),
        (
            lambda probabilities, top_p: [token for token, p in enumerate(probabilities) if p >= top_p],
            "The share is one of all kept tokens together, not of each.",
        ),
        (
            lambda probabilities, top_p: by_likelihood(probabilities)[: len(top_p_of(probabilities, top_p))],
            _ORDER,
        ),
        (
            lambda probabilities, top_p: [probabilities[token] for token in top_p_of(probabilities, top_p)],
            "What is asked for is the ids of the tokens, not their probabilities.",
        ),
    ),
)


# A penalty.


def penalty_of(scores: Sequence[float], written: Sequence[int], penalty: float) -> Row:
    """The scores, lower for each token that stands in the text.

    >>> penalty_of([4, -4, 4], [0, 1], 2)
    (2.0, -8, 4)
    """
    return penalize_repetition(scores, written, penalty)


def _scores_and_text() -> SearchStrategy[Any]:
    from hypothesis import strategies as st

    scores = st.lists(st.sampled_from((4, -4, 2, -2, 1, 0)), min_size=1, max_size=4)

    def with_text(scores: list[int]) -> SearchStrategy[Any]:
        written = st.lists(st.integers(0, len(scores) - 1), max_size=4)
        return inputs.several(st.just(scores), written, inputs.one_of(2, 4, 0.5))

    return scores.flatmap(with_text)


def _where(scores: Sequence[float], tokens: Any, change: Any) -> list[float]:
    return [change(score) if token in tokens else score for token, score in enumerate(scores)]


repetition_penalty = FunctionCheck(
    penalty_of,
    _scores_and_text,
    rule_of(wrong.divide_all_scores),
    examples=[([4], [0], 2), ([-4], [0], 2), ([4, 4], [1], 2), ([4, 4], [0, 0], 2), ([4, -4], [], 2)],
    wrong=(
        (
            wrong.divide_all_scores,
            f"{rule_of(wrong.divide_all_scores)} To divide a negative score would raise it.",
        ),
        (
            wrong.penalize_each_time,
            f"{rule_of(wrong.penalize_each_time)} It does not count how often the token stands there.",
        ),
        (
            lambda scores, written, penalty: _where(scores, written, lambda score: score * penalty),
            f"{rule_of(wrong.divide_all_scores)} To multiply a positive score would raise it.",
        ),
        (
            lambda scores, written, penalty: _where(scores, written, lambda score: score - penalty),
            "The penalty is no number that is taken away: scores are divided, or multiplied, by it.",
        ),
        (
            lambda scores, written, penalty: penalty_of(scores, written, 1 / penalty),
            "A penalty above 1 makes what stands in the text less likely.",
        ),
        (
            lambda scores, written, penalty: penalty_of(scores, written[-1:], penalty),
            "All tokens of the text are looked at, not the last one alone.",
        ),
        (
            lambda scores, written, penalty: penalty_of(
                scores, [token for token in range(len(scores)) if token not in written], penalty
            ),
            "It is the tokens of the text that become less likely; the others keep their scores.",
        ),
        (
            lambda scores, written, penalty: penalty_of(scores, range(len(scores)), penalty),
            "It is the tokens of the text that become less likely; the others keep their scores.",
        ),
        (
            lambda scores, written, penalty: [penalty_of(scores, written, penalty)[token] for token in written],
            "Every token has a score afterwards, in the order of the ids.",
        ),
    ),
    same=close,
)


# What is typical.


def typical_of(probabilities: Sequence[float], mass: float) -> tuple[int, ...]:
    """The tokens whose surprise is nearest to the expected one, until they have the share `mass` together.

    >>> typical_of([0.6, 0.3, 0.1], 0.25)
    (1,)
    """
    return typical.keep_typical(probabilities, mass)


def _masses() -> SearchStrategy[Any]:
    return _distributions(TWENTIETHS, *ODD_FORTIETHS)


def _until(probabilities: Sequence[float], mass: float, key: Any) -> list[int]:
    together, kept = 0.0, []
    for token in sorted(range(len(probabilities)), key=key):
        if together < mass:
            kept.append(token)
            together += probabilities[token]
    return sorted(kept)


def _unweighted(probabilities: Sequence[float], mass: float) -> list[int]:
    expected = sum(map(typical.surprise, probabilities)) / len(probabilities)
    return _until(probabilities, mass, lambda token: abs(typical.surprise(probabilities[token]) - expected))


def _farthest(probabilities: Sequence[float], mass: float) -> list[int]:
    expected = typical.expected_surprise(probabilities)
    return _until(probabilities, mass, lambda token: -abs(typical.surprise(probabilities[token]) - expected))


def _by(surprise: Callable[[float], float]) -> Callable[[Sequence[float], float], list[int]]:
    """The same rule, with something else than the surprise."""

    def kept(probabilities: Sequence[float], mass: float) -> list[int]:
        expected = sum(p * surprise(p) for p in probabilities)
        return _until(probabilities, mass, lambda token: abs(surprise(probabilities[token]) - expected))

    return kept


def _too_few(probabilities: Sequence[float], mass: float) -> list[int]:
    """Without the token with which the mass is reached, except the first."""
    return _nearest(probabilities)[: max(1, len(typical_of(probabilities, mass)) - 1)]


def _nearest(probabilities: Sequence[float]) -> list[int]:
    expected = typical.expected_surprise(probabilities)
    return sorted(range(len(probabilities)), key=lambda token: abs(typical.surprise(probabilities[token]) - expected))


_SURPRISE = "What is compared is the surprise: the natural logarithm of the probability, with its sign turned."

keep_typical = FunctionCheck(
    typical_of,
    _masses,
    "The tokens are looked at by how far their surprise is from the expected one, and kept until they have at least "
    "the share together.",
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
            top_p_of,
            "The likeliest token has no advantage here: what counts is the size of the difference to the expected "
            "surprise, which is never negative.",
        ),
        (_unweighted, "The expected surprise is a mean in which each token's surprise weighs as much as it is likely."),
        (_farthest, "The nearest to the expected surprise come first."),
        (_by(lambda p: p), _SURPRISE),
        (_by(lambda p: 1 / p), _SURPRISE),
        (_by(lambda p: p - log(p)), _SURPRISE),
        (
            lambda probabilities, mass: sorted(_too_few(probabilities, mass)),
            rule_of(wrong.exclude_crossing_token),
        ),
        (
            lambda probabilities, mass: _nearest(probabilities)[: len(typical_of(probabilities, mass))],
            _ORDER,
        ),
        (lambda probabilities, mass: [*range(len(probabilities))], "Once the share is reached, the rest is cut off."),
    ),
)


# Finding a bug.

TEMPERATURE, SHARE = 3.0, 0.8


def _unusable(my_scores: Any) -> str:
    if not isinstance(my_scores, list | tuple) or not 0 < len(my_scores) <= 64 or not all(map(is_number, my_scores)):
        return "Write the scores as a list of numbers, one for each token, such as [2, 1, 0]."
    return ""


bug_in_order = BugCheck(
    wrong=lambda my_scores: wrong.temperature_last(my_scores, TEMPERATURE, SHARE),
    right=lambda my_scores: wrong.temperature_first(my_scores, TEMPERATURE, SHARE),
    needs=_unusable,
    rule=rule_of(wrong.temperature_last),
    example=([2, 1, 0],),
)
