"""What the player asks about a beam search: who lives on, whether the search is done, and which hypothesis is ahead.

Wrong answers are what the misconceptions 42 to 44, 46 and 74 make of the same candidates, pool and sums.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from tokenlab.algorithms.beam_candidates import Candidate
from tokenlab.algorithms.beam_pool import is_done_for_good
from tokenlab.misconceptions.beam_search import (
    eos_stays_alive,
    highest_sum_wins,
    penalty_sign,
    stop_when_k_finished,
    top_k_only,
)
from tokenlab.show.frames import Fact, Html, Option, Question, chip, text
from tokenlab.show.views.beam_growth import Finished, Growth
from tokenlab.show.views.beam_pool import divided, is_exhaustive
from tokenlab.show.views.numbers import minus, score_of, told_apart
from tokenlab.steps import Recording
from tokenlab.transformers.generation.beam_steps import LIVES, NO_ROOM, Bounded, Chosen, Sifted

MOST = 4  # beams of which it is asked who lives on


def questions_of(recording: Recording[Any, Any]) -> dict[int, Question]:
    """By the number of steps that are done, not before the first: of each kind the first with most options."""
    kinds: dict[str, dict[int, Question]] = {}
    growth = Growth.of(recording, 0)
    for number, step in enumerate(recording):
        if number:
            stops = isinstance(recording[number + 1], Chosen) if number + 1 < len(recording) else False
            for kind, question in _asked(recording, growth, step, stops):
                kinds.setdefault(kind, {})[number] = question
        growth.after([step])
    found: dict[int, Question] = {}
    for questions in sorted(kinds.values(), key=len):  # the rarest first, for it has the least choice
        free = {number: question for number, question in questions.items() if number not in found}
        if free:
            number = max(free, key=lambda number: len(free[number].options))
            found[number] = free[number]
    return found


def _asked(
    recording: Recording[Any, Any], growth: Growth, following: Any, stops: bool
) -> Iterator[tuple[str, Question]]:
    given = recording.arguments
    match following:
        case Sifted():
            if growth.room <= MOST:
                yield from _who_lives(growth, following, _eos(recording))
            yield from _who_is_ahead(growth, following)
        case Bounded() if following.done or not stops:  # what is cut off is not done, and does not go on
            yield from _is_it_done(growth, following, given)
        case Chosen():
            yield from _who_is_ahead(growth, following)


def _eos(recording: Recording[Any, Any]) -> int:
    """The id that ends an output, as far as the steps show it."""
    seen = (c for step in recording if isinstance(step, Sifted) for c in step.candidates)
    return next((c.token for c in seen if c.fate not in (LIVES, NO_ROOM)), -1)


# --- who lives on? --------------------------------------------------------------------------------

Pair = tuple[int, int]  # a beam and its token


def _who_lives(growth: Growth, step: Sifted, eos: int) -> Iterator[tuple[str, Question]]:
    """Twice as many candidates, of which the best that do not end live (43), whosever they are (42)."""
    pairs = [(c.parent, c.token) for c in step.candidates]
    right = [pair for pair, c in zip(pairs, step.candidates, strict=True) if c.fate == LIVES]
    own = [pair for place, pair in enumerate(pairs) if pair[0] not in {other[0] for other in pairs[:place]}]
    if set(own) != set(right) and len(own) == len(right) and eos not in {token for _, token in pairs}:
        why = "It is the best of each beam, as in greedy runs side by side. But beams compete: the highest sums live on"
        yield "greedy runs", _living(growth, step, right, {42: [(own, why)]})
    best = step.candidates[: growth.room]
    if eos in {c.token for c in best}:
        given = [Candidate(c.parent, c.token, c.score) for c in step.candidates]
        beams = [(place,) for place in range(growth.room)]
        fewer, longer = (
            [(ids[0], ids[1]) for ids, _ in program(beams, given, eos)[0]] for program in (top_k_only, eos_stays_alive)
        )
        ends = f"{chip(growth.name(eos))} ends a beam, which leaves for the pool"
        yield (
            "ends",
            _living(
                growth,
                step,
                right,
                {43: [(fewer, f"So fewer would go on. {ends}, and the next best take its place"), (longer, ends)]},
            ),
        )


def _living(
    growth: Growth, step: Sifted, right: Sequence[Pair], wrong: dict[int, list[tuple[Sequence[Pair], str]]]
) -> Question:
    sums = {(c.parent, c.token): c.score for c in step.candidates}
    facts: tuple[Fact, ...] = tuple(("sum", pair, round(sums[pair], 2)) for pair in right)
    shown = " ".join(f"{_pair(growth, pair)} {minus(sums[pair])}" for pair in right)
    why = f"The best {len(right)} that do not end: {shown}."
    options = {tuple(right): Option(_pairs(growth, right), why, right=True, facts=facts)}
    for belief, guesses in wrong.items():
        for pairs, reason in guesses:
            options.setdefault(
                tuple(pairs), Option(_pairs(growth, pairs), f"{reason}. {why}", belief=belief, facts=facts)
            )
    listed = ", ".join(f"{_pair(growth, (c.parent, c.token))} {minus(c.score)}" for c in step.candidates)
    prompt = f"The next candidates, each a beam and its token, best first: {listed}. Which live on?"
    return Question(prompt, tuple(options.values())).shuffled()


def _pair(growth: Growth, pair: Pair) -> Html:
    return f"{pair[0] + 1} {chip(growth.name(pair[1]))}"


def _pairs(growth: Growth, pairs: Sequence[Pair]) -> Html:
    return " ".join(_pair(growth, pair) for pair in pairs) or "none"


# --- is it done? ----------------------------------------------------------------------------------


def _is_it_done(growth: Growth, step: Bounded, given: dict[str, Any]) -> Iterator[tuple[str, Question]]:
    """A full pool is not enough (46), and without "never" nobody waits for what may still grow (46)."""
    penalty = given["length_penalty"]
    if len(step.pool) < step.room or (given["early_stopping"] and not is_exhaustive(given)):
        return
    worst = min(step.pool)
    if score_of(worst) == score_of(step.hope):
        return
    stops = stop_when_k_finished(step.pool, step.room, step.best, step.length, penalty)
    longest = given["max_length"] - growth.rule.prompt
    goes_on = not is_done_for_good(step.pool, step.room, step.best, step.length, longest, penalty)
    if step.done and not goes_on:
        return
    if not step.done and not stops:
        return
    facts: tuple[Fact, ...] = (("worst", None, worst), ("hope", None, step.hope))
    sign = "≥" if step.done else "&lt;"
    hope = divided(step.best, step.length, penalty, step.hope)
    why = f"The best hope is {hope}, and the worst is {score_of(worst)} {sign} {score_of(step.hope)}."
    over = "A full pool is not enough: a better one may come. "
    late = "A later candidate might still do better, but with False nobody waits for that. "
    options = (
        Option("done", why if step.done else over + why, step.done, 0 if step.done else 46, facts),
        Option("goes on", late + why if step.done else why, not step.done, 46 if step.done else 0, facts),
    )
    of_what = "the beams that go on" if given["length_counts"] == "eos" else "this step"
    prompt = (
        f"The pool is full, and its worst score is {score_of(worst)}. The highest sum of {of_what} is "
        f"{minus(step.best)}, to be divided by {step.length}<sup>{minus(penalty, 1)}</sup>. Is the search done?"
    )
    yield f"done: {step.done}", Question(prompt, options).shuffled()


# --- who is ahead? --------------------------------------------------------------------------------

Scoring = Callable[[float, int, float], float]


def _who_is_ahead(growth: Growth, step: Sifted | Chosen) -> Iterator[tuple[str, Question]]:
    """The highest sum over a power of the length: not the highest sum (74), not the one punished least (44).

    Asked where something ends: what stands in the pool already is ranked there for all to see.
    """
    after = growth.copy().after([step])
    ranking = after.ranking or sorted(after.pool, key=lambda one: -one.score)
    if len(ranking) < 2 or score_of(ranking[0].score) == score_of(ranking[1].score):
        return
    right = ranking[0]
    why = f"It has the highest score: {_sum(growth, right)}."
    facts: tuple[Fact, ...] = (("score", growth.said(right), right.score),)
    options = {growth.said(right): Option(_said(growth, right), why, right=True, facts=facts)}
    believed: list[tuple[int, Scoring, str]] = [
        (
            74,
            highest_sum_wins,
            "It has the highest sum, and so are beams ranked; but in the pool sums are divided",
        ),
        (44, penalty_sign, "It would be first if length were punished; but a negative sum gets larger when divided"),
    ]
    guesses = {right.node: right}
    for belief, program, reason in believed:
        guess = max(ranking, key=lambda one: program(one.node.score, one.length, growth.rule.length_penalty))
        guesses[guess.node] = guess
        told = f"{reason}: {_sum(growth, guess)}, and {_said(growth, right)} has {_sum(growth, right)}."
        fact: Fact = ("score", growth.said(guess), guess.score)
        options.setdefault(growth.said(guess), Option(_said(growth, guess), told, belief=belief, facts=(fact, *facts)))
    if len(options) > 1 and guesses.keys() - {one.node for one in growth.pool}:
        pool = "The pool once the open beams are taken in" if after.ranking else "The pool with what ends next"
        listed = _by_sum(growth, ranking, tuple(guesses.values()))
        prompt = (
            f"{pool}, by the sums: {listed}. With length_penalty {growth.rule.length_penalty:g}, which comes first?"
        )
        yield "ahead", Question(prompt, tuple(options.values())).shuffled()


def _by_sum(growth: Growth, ranking: Sequence[Finished], asked: Sequence[Finished]) -> Html:
    """The best by the sums and those that are asked about, with as many figures as tell them apart."""
    ordered = sorted(ranking, key=lambda one: -one.node.score)
    listed = [one for place, one in enumerate(ordered) if place < MOST or one in asked]
    sums = told_apart((one.node.score for one in listed), minus, 2)
    each = [f"{_said(growth, one)} {total}, length {one.length}" for one, total in zip(listed, sums, strict=True)]
    more = [f"{len(ordered) - len(listed)} more"] if len(listed) < len(ordered) else []
    return "; ".join([*each, *more])


def _said(growth: Growth, one: Finished) -> Html:
    return f"<q>{text(growth.said(one))}</q>"


def _sum(growth: Growth, one: Finished) -> Html:
    return divided(one.node.score, one.length, growth.rule.length_penalty, one.score)
