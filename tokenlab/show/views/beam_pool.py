"""The pool of a beam search and the bound that ends it; and at the end the ranking, beside that of the search."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import inf
from typing import Any

from tokenlab.show.frames import Html, Panel, text
from tokenlab.show.views.beam_growth import Finished, Growth
from tokenlab.show.views.beam_ledger import table
from tokenlab.show.views.numbers import minus, score_of, told_apart
from tokenlab.transformers.generation.beam_steps import Bounded
from tokenlab.transformers.generation.spoken import spoken

SHORT = 90  # letters of a hypothesis
HEADS = (" ", "score ", "hypothesis", "sum ", "divided by ")


def divided(total: float, length: int, length_penalty: float, score: float) -> Html:
    """The sum that makes a score.

    >>> divided(-1.2, 4, 1.0, -0.3)
    '−1.20 / 4<sup>1.0</sup> = −0.300'
    """
    return f"{minus(total)} / {length}<sup>{minus(length_penalty, 1)}</sup> = {score_of(score)}"


def pool_panel(growth: Growth, more: bool = False, hides: bool = False) -> Panel:
    """The hypotheses so far, best first, and those that better ones pushed out."""
    ranked = sorted(growth.pool, key=lambda one: one.score)[::-1]
    places = (*map(str, range(1, len(ranked) + 1)), *["out"] * len(growth.gone))
    rows = _hypotheses(growth, (*ranked, *growth.gone), places)
    title = f"The pool: {len(growth.pool)} of {growth.room} hypotheses"
    return Panel(title, table(HEADS, rows) if growth.pool else (), more=more, hides=hides)


def _hypotheses(growth: Growth, listed: Sequence[Finished], places: Iterable[str], kept: int = 0) -> Iterator[Html]:
    """A row for each, its numbers with as many figures as tell them apart."""
    scores = told_apart((one.score for one in listed), score_of, 3)
    sums = told_apart((one.node.score for one in listed), minus, 2)
    for number, (one, place, score, total) in enumerate(zip(listed, places, scores, sums, strict=True)):
        remarks = "".join([" · answered"] * (number < kept) + [" · cut off, no end"] * (not one.ended))
        yield (
            f"<tr data-at={one.node.key}><th scope=row class=n>{place}<td class=n><strong>{score}</strong>"
            f"<td class=text>{_said(growth, one)}{remarks and f'<small>{remarks}</small>'}"
            f"<td class=n>{total}<td class=n>{_power(one, growth.rule.length_penalty)}"
        )


def _said(growth: Growth, one: Finished) -> Html:
    """Its text, or the end of it; the prompt, which was not written, is paler."""
    said, prompt = growth.said(one), spoken(growth.prompt)
    if len(said) > SHORT:
        return text(f"… {said[-SHORT:]}")
    pale = f"<span style=color:var(--soft)>{text(prompt)}</span>" if prompt else ""
    return pale + text(said[len(prompt) :]) or "(nothing)"


def _power(one: Finished, length_penalty: float) -> Html:
    """The length, and what the penalty makes of it where that is neither the length nor nothing."""
    power = f"{one.length}<sup>{minus(length_penalty, 1)}</sup>"
    return power if length_penalty in (0, 1) else f"{power} = {one.divisor:.2f}"


def bound_of(step: Bounded) -> Html:
    """Whether the search goes on, and why.

    >>> bound_of(Bounded(0, (-0.5,), 2, -0.4, False, -1.2, 3))
    'goes on: 1 of 2 hypotheses is there'
    >>> bound_of(Bounded(0, (-0.5, -0.7), 2, -0.8, True, -2.4, 3))
    'is done: the worst hypothesis, −0.700, is no worse than the best hope, −0.800'
    """
    there = len(step.pool)
    if step.done and step.hope == -inf:
        return "is done: every token is forbidden, so no beam can go on"
    if not there:
        return "goes on: nothing has ended"
    if there < step.room:
        return f"goes on: {there} of {step.room} hypotheses {'is' if there == 1 else 'are'} there"
    worst, hope = told_apart((step.pool[-1], step.hope), score_of, 3)
    if not step.done:
        return f"goes on: the best hope, {hope}, beats the worst hypothesis, {worst}"
    if step.hope > step.pool[-1]:
        return f"is done: {step.room} hypotheses are there, which is enough with early_stopping"
    return f"is done: the worst hypothesis, {worst}, is no worse than the best hope, {hope}"


def bound_panel(growth: Growth, arguments: dict[str, Any], more: bool = False) -> Panel:
    """Worst in the pool against the best hope, with the numbers of this step."""
    return Panel("Is the search done?", tuple(_bound(growth, arguments)), "words", more=more)


def _bound(growth: Growth, arguments: dict[str, Any]) -> Iterator[Html]:
    bound = growth.bound
    if bound is None:
        return
    full = len(bound.pool) >= bound.room
    state = "full" if full else "not full" if bound.done else "not full, so it goes on"
    yield _line("the pool", f"{len(bound.pool)} of {bound.room}: {state}")
    if bound.done and bound.hope == -inf:
        yield _line("done?", "yes, every token is forbidden, so no beam can go on")
        return
    if full:
        yield _line("its worst", score_of(bound.pool[-1]))
    yield _line("best hope", divided(bound.best, bound.length, arguments["length_penalty"], bound.hope))
    yield _line("the rule", rule_of(arguments))
    if full:
        worst, hope = told_apart((bound.pool[-1], bound.hope), score_of, 3)
        if takes_the_first(arguments) and bound.done:
            yield _line("done?", "yes, the pool is full")
        else:
            yield _line("done?", f"yes: {worst} ≥ {hope}" if bound.done else f"no: {worst} &lt; {hope}")


def takes_the_first(arguments: dict[str, Any]) -> bool:
    """Whether a full pool ends the search: with True, and in 4.26.1 with any word."""
    return bool(arguments["early_stopping"]) and not is_exhaustive(arguments)


def is_exhaustive(arguments: dict[str, Any]) -> bool:
    """Whether it is the later rule, by which nothing better can come any more."""
    return bool(arguments["early_stopping"] == "never" and arguments["length_counts"] == "eos")


def rule_of(arguments: dict[str, Any]) -> Html:
    """What early_stopping says, in words."""
    given = arguments["early_stopping"]
    if is_exhaustive(arguments):
        far = "as long as an output may get" if arguments["length_penalty"] > 0 else "as long as it is now"
        return f"“never”, as today: done when the worst is no worse than the best hope, {far}"
    if given == "never":
        return "“never”: 4.26.1 does not know that word, and takes it for True: a full pool is enough"
    if given:
        return "True: a full pool is enough"
    return "False: done when the worst is no worse than the best hope, if it were a hypothesis now"


def _line(name: str, said: Html) -> Html:
    return f"<li><span>{name}</span> <div style=display:block>{said}</div>"


def ranking_panel(growth: Growth, kept: int) -> Panel:
    """All hypotheses by their scores, beside their places by their sums."""
    by_sum = ranked_by_sum(growth.ranking)
    places = map(str, range(1, len(growth.ranking) + 1))
    rows = (
        f"{row}<td class=n>{by_sum.index(one) + 1}"
        for one, row in zip(growth.ranking, _hypotheses(growth, growth.ranking, places, kept), strict=True)
    )
    title = f"The ranking: each sum is divided by its length to the length_penalty; it counts {growth.rule.counted}"
    return Panel(title, table((*HEADS, "by sum "), rows), wide=True)


def ranked_by_sum(ranking: Sequence[Finished]) -> list[Finished]:
    """The hypotheses as the search itself ranks, by their sums alone."""
    return sorted(ranking, key=lambda one: -one.node.score)
