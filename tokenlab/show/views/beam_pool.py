"""The pool of a beam search and the bound that ends it; and at the end the ranking, beside that of the search."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import inf
from typing import Any

from tokenlab.show.frames import Html, Panel, text
from tokenlab.show.views.beam_growth import Finished, Growth
from tokenlab.show.views.beam_ledger import table
from tokenlab.show.views.numbers import minus, score_of, size_of, told_apart
from tokenlab.transformers.generation.beam_steps import Bounded, Chosen
from tokenlab.transformers.generation.spoken import spoken

SHORT = 90  # letters of a hypothesis
HEADS = (" ", "score ", "hypothesis", "sum ", "divided by ")
NO_LONGER = "an output may get no longer"  # why a search stops that is not done


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
    return power if length_penalty in (0, 1) else f"{power} = {size_of(one.divisor)}"


def cut_off(growth: Growth, arguments: dict[str, Any], following: Any) -> Html:
    """Why a search stops that is not done; nothing where it goes on, or is done.

    Args:
        growth: what is known after its bound.
        arguments: of the search.
        following: the next step.
    """
    if growth.bound is None or growth.bound.done or not isinstance(following, Chosen):
        return ""
    return NO_LONGER if is_longest(growth, arguments) else "a stopping criterion says so"


def is_longest(growth: Growth, arguments: dict[str, Any]) -> bool:
    """Whether the beams are as long as an output may get."""
    return bool(growth.written >= arguments["max_length"])


def bound_of(step: Bounded, cut: Html = "") -> Html:
    """Whether the search goes on, and why.

    Args:
        step: the pool beside what is hoped for.
        cut: why the search stops although it is not done, where it does.

    >>> bound_of(Bounded(0, (-0.5,), 2, -0.4, False, -1.2, 3))
    'goes on: 1 of 2 hypotheses is there'
    >>> bound_of(Bounded(0, (-0.5, -0.7), 2, -0.8, True, -2.4, 3))
    'is done: the worst hypothesis, −0.700, is no worse than the best hope, −0.800'
    >>> bound_of(Bounded(0, (), 2, -0.4, False, -1.2, 3), "an output may get no longer")
    'is not done: nothing has ended. But it stops here, because an output may get no longer'
    """
    if step.done:
        return f"is done: {_why_done(step)}"
    return f"is not done: {_why_not(step)}. But it stops here, because {cut}" if cut else f"goes on: {_why_not(step)}"


def _why_done(step: Bounded) -> Html:
    if step.hope == -inf:
        return "every token is forbidden, so no beam can go on"
    if step.hope > step.pool[-1]:
        return f"{step.room} hypotheses are there, which is enough with early_stopping"
    worst, hope = told_apart((step.pool[-1], step.hope), score_of, 3)
    return f"the worst hypothesis, {worst}, is no worse than the best hope, {hope}"


def _why_not(step: Bounded) -> Html:
    there = len(step.pool)
    if not there:
        return "nothing has ended"
    if there < step.room:
        return f"{there} of {step.room} hypotheses {'is' if there == 1 else 'are'} there"
    worst, hope = told_apart((step.pool[-1], step.hope), score_of, 3)
    return f"the best hope, {hope}, beats the worst hypothesis, {worst}"


def bound_panel(growth: Growth, arguments: dict[str, Any], cut: Html = "") -> Panel:
    """Worst in the pool against the best hope, with the numbers of this step; and why it stops if it is not done."""
    return Panel("Is the search done?", tuple(_bound(growth, arguments, cut)), "words")


def _bound(growth: Growth, arguments: dict[str, Any], cut: Html) -> Iterator[Html]:
    bound = growth.bound
    if bound is None:
        return
    full = len(bound.pool) >= bound.room
    state = "full" if full else "not full" if bound.done or cut else "not full, so it goes on"
    yield _line("the pool", f"{len(bound.pool)} of {bound.room}: {state}")
    if bound.done and bound.hope == -inf:
        yield _line("done?", "yes, every token is forbidden, so no beam can go on")
        return
    if full:
        yield _line("its worst", score_of(bound.pool[-1]))
    yield _line("best hope", divided(bound.best, bound.length, arguments["length_penalty"], bound.hope))
    compares = is_longest(growth, arguments) and arguments["length_counts"] == "eos"
    yield _line("the rule", rule_of(arguments, compares))
    stops = f", but it stops: {cut}" if cut else ""
    if not full:
        if cut:
            yield _line("done?", f"no{stops}")
        return
    worst, hope = told_apart((bound.pool[-1], bound.hope), score_of, 3)
    if not bound.done:
        yield _line("done?", f"no: {worst} &lt; {hope}{stops}")
    elif takes_the_first(arguments) and not compares:
        yield _line("done?", "yes, the pool is full")
    else:
        yield _line("done?", f"yes: {worst} ≥ {hope}")


def takes_the_first(arguments: dict[str, Any]) -> bool:
    """Whether a full pool ends the search: with True, and in 4.26.1 with any word."""
    return bool(arguments["early_stopping"]) and not is_exhaustive(arguments)


def is_exhaustive(arguments: dict[str, Any]) -> bool:
    """Whether it is the later rule, by which nothing better can come any more."""
    return bool(arguments["early_stopping"] == "never" and arguments["length_counts"] == "eos")


def rule_of(arguments: dict[str, Any], compares: bool = False) -> Html:
    """What early_stopping says, in words.

    Args:
        arguments: of the search.
        compares: whether outputs are cut off now and a full pool is not enough for that, as today.
    """
    given = arguments["early_stopping"]
    if is_exhaustive(arguments):
        far = "as long as an output may get" if arguments["length_penalty"] > 0 else "as long as it is now"
        return f"“never”, as today: done when the worst is no worse than the best hope, {far}"
    if given == "never":
        return "“never”: 4.26.1 does not know that word, and takes it for True: a full pool is enough"
    if given:
        # subtle: today what is cut off may be better than what is there, so at the last step True is like False.
        rest = "; but at the last step, as today, only if its worst is no worse than the best hope" if compares else ""
        return f"True: a full pool is enough{rest}"
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
