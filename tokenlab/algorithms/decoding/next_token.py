"""Sample the next token: repetition penalty, temperature, filters in order, then a draw.

Adds: the order of the steps, which affects the result. Leaves out: the model, and batches.
Source: transformers 4.26.1, generation/utils.py, `_get_logits_processor` and `_get_logits_warper`.

>>> from math import log
>>> scores = [2 * log(p) for p in (0.35, 0.25, 0.2, 0.15, 0.05)]
>>> print(sample_next_token.record(scores, number=0.5, temperature=2.0, top_p=0.7))
1. temperature 2: 0.35 0.25 0.2 0.15 0.05
2. top_p 0.7 keeps 3 of 5: 0.437 0.312 0.25 0 0
3. token 0 reaches from 0 to 0.437: not there
4. token 1 reaches from 0.437 to 0.75: 0.5 is there
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any

from tokenlab.algorithms.decoding.adjusted_logits import apply_repetition_penalty, softmax_with_temperature
from tokenlab.algorithms.decoding.filters import top_k_filter, top_p_filter, typical_filter
from tokenlab.algorithms.decoding.sample_token import Interval, renormalized, sample_token
from tokenlab.algorithms.vectors import Row, Vector
from tokenlab.printing.errors import check_not_empty
from tokenlab.printing.printed_numbers import format_short
from tokenlab.steps.recording import step, stepwise


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
