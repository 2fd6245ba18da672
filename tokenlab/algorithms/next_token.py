"""The next token, drawn: a penalty, then temperature, then the cuts, each on what the one before left, then a draw.

Adds: the order of the rules, which is part of the result. Leaves out: the model, and texts side by side.
Source: transformers 4.26.1, generation/utils.py, `_get_logits_processor` and `_get_logits_warper`.

>>> from math import log
>>> scores = [2 * log(p) for p in (0.35, 0.25, 0.2, 0.15, 0.05)]
>>> print(draw_next.record(scores, number=0.5, temperature=2.0, top_p=0.7))
1. temperature 2: 0.35 0.25 0.2 0.15 0.05
2. top_p 0.7 keeps 3 of 5: 0.4375 0.3125 0.25 0 0
3. token 0 reaches from 0 to 0.4375: not there
4. token 1 reaches from 0.4375 to 0.75: 0.5 is there
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any

from tokenlab.algorithms.attention_head import Row, Vector
from tokenlab.algorithms.draw_token import Stretch, draw, renormalized
from tokenlab.algorithms.repetition import penalize_repetition
from tokenlab.algorithms.temperature import probabilities
from tokenlab.algorithms.top_k import keep_top_k
from tokenlab.algorithms.top_p import keep_top_p
from tokenlab.algorithms.typical import keep_typical
from tokenlab.steps import step, stepwise


@step
class Ruled:
    """What a rule has made of the distribution."""

    rule: str
    setting: float
    probabilities: Row
    left: int  # tokens that can still be drawn
    before: int  # and before this rule

    def __str__(self) -> str:
        """Name the rule, and the probabilities after it."""
        kept = "" if self.left == self.before else f" keeps {self.left} of {self.before}"
        return f"{self.rule} {self.setting:.6g}{kept}: {' '.join(f'{p:.4g}' for p in self.probabilities)}"


@stepwise
def draw_next(
    scores: Vector,
    number: float,
    written: Sequence[int] = (),
    repetition_penalty: float | None = None,
    temperature: float | None = None,
    top_k: int | None = None,
    top_p: float | None = None,
    typical_p: float | None = None,
) -> Generator[Ruled | Stretch, None, int]:
    """The token that is drawn; a rule that is None does nothing.

    Args:
        scores: of each token, by its id.
        number: at least 0 and below 1, from which the draw is made.
        written: the ids so far.
        repetition_penalty: see `penalize_repetition`.
        temperature: see `probabilities`.
        top_k: see `keep_top_k`.
        top_p: see `keep_top_p`.
        typical_p: the mass of `keep_typical`.

    Raises:
        ValueError: a setting that its rule refuses.

    >>> draw_next([0.0, 9.0, 0.0], number=0.5), draw_next([5.0, 9.0], number=0.5, written=[1], repetition_penalty=9)
    (1, 0)
    """
    now = probabilities(scores)
    if repetition_penalty is not None:
        scores = penalize_repetition(scores, written, repetition_penalty)
        now = probabilities(scores)
        yield _ruled("repetition_penalty", repetition_penalty, now, now)
    if temperature is not None:
        # subtle: before the cuts, which look at the probabilities that it makes.
        now = probabilities(scores, temperature)
        yield _ruled("temperature", temperature, now, now)
    cuts: dict[str, tuple[float | None, Any]] = {
        "top_k": (top_k, keep_top_k),
        "top_p": (top_p, keep_top_p),
        "typical_p": (typical_p, keep_typical),
    }
    for name, (setting, keep) in cuts.items():
        if setting is not None:
            before, now = now, renormalized(now, keep(now, setting))
            yield _ruled(name, setting, before, now)
    return (yield from draw.steps(now, number))


def _ruled(rule: str, setting: float, before: Row, now: Row) -> Ruled:
    return Ruled(rule, setting, now, sum(p > 0 for p in now), sum(p > 0 for p in before))
