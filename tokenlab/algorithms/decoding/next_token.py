"""Sample the next token: repetition penalty, temperature, filters in order, then a draw.

Adds: logits that are lower for tokens of the text so far; a distribution that is flatter or steeper, with its tokens in
the same order; the draw, in which a random number falls into the interval of one token, and intervals are as long as
probabilities; the order of the steps, which affects the result.
Leaves out: the filters (`filters`), the model, batches, and how often and how long ago a token occurred.
Source: Keskar et al., CTRL, arXiv:1909.05858, section 4.1, which covers only positive scores; transformers 4.26.1,
generation/utils.py, `_get_logits_processor`, `_get_logits_warper` and `sample` (softmax of the remaining logits, then
torch.multinomial); generation/logits_process.py, RepetitionPenaltyLogitsProcessor and TemperatureLogitsWarper.

>>> print(sample_token.record([0.5, 0.25, 0.25], number=0.6))
1. token 0 reaches from 0 to 0.5: not there
2. token 1 reaches from 0.5 to 0.75: 0.6 is there
>>> from math import log
>>> scores = [2 * log(p) for p in (0.35, 0.25, 0.2, 0.15, 0.05)]
>>> print(sample_next_token.record(scores, number=0.5, temperature=2.0, top_p=0.7))
1. temperature 2: 0.35 0.25 0.2 0.15 0.05
2. top_p 0.7 keeps 3 of 5: 0.437 0.312 0.25 0 0
3. token 0 reaches from 0 to 0.437: not there
4. token 1 reaches from 0.437 to 0.75: 0.5 is there
"""

from __future__ import annotations

from collections.abc import Collection, Generator, Sequence
from typing import Any

from tokenlab.algorithms.attention.attention_weights import softmax
from tokenlab.algorithms.decoding.filters import top_k_filter, top_p_filter, typical_filter
from tokenlab.algorithms.vectors import Row, Vector
from tokenlab.printing.errors import check_not_empty
from tokenlab.printing.printed_numbers import format_short
from tokenlab.steps.recording import step, stepwise


def apply_repetition_penalty(scores: Vector, written: Sequence[int], penalty: float) -> Row:
    """Return the logits, lower for each token of the text so far.

    Args:
        scores: the logit of each id.
        written: the ids so far.
        penalty: above 1 to discourage repetition, below 1 to encourage it.

    Raises:
        ValueError: the penalty is not above 0.

    >>> apply_repetition_penalty([4.0, -4.0, 4.0], written=[0, 1, 1], penalty=2)
    (2.0, -8.0, 4.0)
    """
    if not penalty > 0:
        raise ValueError(f"penalty={penalty!r} should be above 0; 1 changes nothing, and 1.2 is usual")
    seen = set(written)  # subtle: applied once, however often a token occurs
    return tuple(penalized_logit(score, penalty) if token in seen else score for token, score in enumerate(scores))


def penalized_logit(score: float, penalty: float) -> float:
    """Return the logit of a token of the text: divided if positive, multiplied if negative, so always lower.

    >>> penalized_logit(4, 2), penalized_logit(-4, 2)
    (2.0, -8)
    """
    return score * penalty if score < 0 else score / penalty


def softmax_with_temperature(scores: Vector, temperature: float = 1.0) -> Row:
    """Return the probability of each token as the next one.

    Args:
        scores: the logit of each id; minus infinity for a forbidden token.
        temperature: the divisor of all logits: below 1 the distribution gets steeper, above 1 flatter.

    Raises:
        ValueError: the temperature is not above 0, or all scores are -inf.

    >>> softmax_with_temperature([0.0, 0.0]), [round(p, 2) for p in softmax_with_temperature([2.0, 0.0], temperature=2)]
    ((0.5, 0.5), [0.73, 0.27])
    """
    if not temperature > 0:
        raise ValueError(f"temperature={temperature!r} should be above 0; near 0 only the most probable is drawn")
    return softmax(score / temperature for score in scores)


@step
class Interval:
    """The interval of a token between 0 and 1, and whether the number is in it."""

    token: int
    start: float
    end: float
    number: float
    drawn: bool

    def __str__(self) -> str:
        found = f"{format_short(self.number)} is there" if self.drawn else "not there"
        return f"token {self.token} reaches from {format_short(self.start)} to {format_short(self.end)}: {found}"


@stepwise
def sample_token(probabilities: Vector, number: float) -> Generator[Interval, None, int]:
    """Return the token whose interval contains the number; the end of an interval belongs to the next one.

    Args:
        probabilities: the probability of each id; their sum is 1.
        number: a random number in [0, 1), such as `random.random()`.

    Raises:
        ValueError: the number is not in [0, 1), or no probability is above 0.

    >>> sample_token([0.5, 0.5], 0.49), sample_token([0.5, 0.5], 0.5)
    (0, 1)
    """
    if not 0 <= number < 1:
        raise ValueError(f"number={number!r} should be at least 0 and below 1; random.random() gives such a number")
    possible = [token for token, probability in enumerate(probabilities) if probability > 0]
    if not possible:
        raise ValueError("probabilities: no token has a probability above 0; at least one is needed")
    start = 0.0
    for token in possible:
        end = start + probabilities[token]
        # subtle: rounding may leave the sum a little below 1; the last interval extends to 1.
        drawn = number < end or token == possible[-1]
        yield Interval(token, start, end, number, drawn)
        if drawn:
            break
        start = end
    return token


def renormalized(probabilities: Vector, kept: Collection[int]) -> Row:
    """Set the probabilities of all but the kept tokens to 0, and scale the others to sum to 1.

    Raises:
        ValueError: no kept token has a probability above 0.

    >>> renormalized([0.5, 0.25, 0.25], kept=[0, 2])
    (0.6666666666666666, 0.0, 0.3333333333333333)
    """
    mass = sum(probabilities[token] for token in kept)
    if not mass:
        raise ValueError(f"kept={sorted(kept)} has no token with a probability above 0; keep at least one such token")
    return tuple(p / mass if token in kept else 0.0 for token, p in enumerate(probabilities))


@step
class FilterApplied:
    """A penalty, temperature or filter was applied to the distribution."""

    rule: str
    setting: float
    probabilities: Row
    num_possible: int  # tokens that can still be drawn
    num_possible_before: int  # and before this rule

    def __str__(self) -> str:
        unchanged = self.num_possible == self.num_possible_before
        kept = "" if unchanged else f" keeps {self.num_possible} of {self.num_possible_before}"
        return f"{self.rule} {format_short(self.setting)}{kept}: {' '.join(map(format_short, self.probabilities))}"


@stepwise
def sample_next_token(
    scores: Vector,
    number: float,
    written: Sequence[int] = (),
    repetition_penalty: float | None = None,
    temperature: float | None = None,
    top_k: int | None = None,
    top_p: float | None = None,
    typical_p: float | None = None,
) -> Generator[FilterApplied | Interval, None, int]:
    """Return the token that is drawn; a setting of None has no effect.

    Args:
        scores: the logit of each id.
        number: the random number of the draw, in [0, 1).
        written: the ids so far.
        repetition_penalty: see `apply_repetition_penalty`.
        temperature: see `softmax_with_temperature`.
        top_k: see `top_k_filter`.
        top_p: see `top_p_filter`.
        typical_p: the mass of `typical_filter`.

    Raises:
        ValueError: a setting is out of its range, or no score is above -inf.

    >>> sample_next_token([0.0, 9.0, 0.0], number=0.5)
    1
    >>> sample_next_token([5.0, 9.0], number=0.5, written=[1], repetition_penalty=9)
    0
    """
    check_not_empty("scores", scores, "the logit of at least one id")
    now = softmax_with_temperature(scores)
    if repetition_penalty is not None:
        scores = apply_repetition_penalty(scores, written, repetition_penalty)
        now = softmax_with_temperature(scores)
        yield _applied("repetition_penalty", repetition_penalty, now, now)
    if temperature is not None:
        # subtle: before the filters, which see the probabilities after it.
        now = softmax_with_temperature(scores, temperature)
        yield _applied("temperature", temperature, now, now)
    filters: dict[str, tuple[float | None, Any]] = {
        "top_k": (top_k, top_k_filter),
        "top_p": (top_p, top_p_filter),
        "typical_p": (typical_p, typical_filter),
    }
    for name, (setting, keep) in filters.items():
        if setting is not None:
            before, now = now, renormalized(now, keep(now, setting))
            yield _applied(name, setting, before, now)
    return (yield from sample_token.steps(now, number))


def _applied(rule: str, setting: float, before: Row, now: Row) -> FilterApplied:
    return FilterApplied(rule, setting, now, sum(p > 0 for p in now), sum(p > 0 for p in before))
