"""Questions about a beam search: which candidates continue, whether the search is done, which hypothesis is first.

Wrong answers apply the misconceptions 42 to 44, 46 and 74 to the same candidates, pool and sums.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from tokenlab.algorithms.decoding.beam_search import Candidate
from tokenlab.algorithms.decoding.stopping_rule import CAN_IMPROVE, CANNOT_IMPROVE, StoppingCheck
from tokenlab.libraries.transformers.generation.beam_state import BeamSearchState, FinishedHypothesis
from tokenlab.libraries.transformers.generation.beam_steps import (
    CONTINUES,
    NO_BEAM_SLOT,
    BeamsSelected,
    FinalHypotheses,
)
from tokenlab.misconceptions.beam_search import eos_keeps_running, highest_sum_wins, penalty_sign, top_k_only
from tokenlab.printing.printed_numbers import format_distinct
from tokenlab.show.frames import OTHER, Fact, Html, Option, Question, chip, text
from tokenlab.show.views.decoding.beam_panels import score_formula, search_after, text_of
from tokenlab.show.views.elements.numbers import format_negative, format_score
from tokenlab.show.views.elements.questions import ask
from tokenlab.steps.recording import Recording

MAX_BEAMS = 4  # in a question about the candidates that continue


def beam_questions(recording: Recording[Any, Any]) -> dict[int, Question]:
    """Return questions by the number of completed steps (at least 1): of each kind the first one with most options."""
    kinds: dict[str, dict[int, Question]] = {}
    growth = search_after(recording, 0)
    for number, step in enumerate(recording):
        if number:
            stops = isinstance(recording[number + 1], FinalHypotheses) if number + 1 < len(recording) else False
            for kind, question in _asked(recording, growth, step, stops):
                if question:
                    kinds.setdefault(kind, {})[number] = question
        step.apply(growth)
    found: dict[int, Question] = {}
    # The rarest kind comes first, since it has the fewest steps to choose from.
    for questions in sorted(kinds.values(), key=len):
        free = {number: question for number, question in questions.items() if number not in found}
        if free:
            number = max(free, key=lambda number: len(free[number].options))
            found[number] = free[number]
    return found


def _asked(
    recording: Recording[Any, Any], growth: BeamSearchState, following: Any, stops: bool
) -> Iterator[tuple[str, Question | None]]:
    match following:
        case BeamsSelected():
            if growth.rule.num_beams <= MAX_BEAMS:
                yield from _which_candidates_continue(growth, following, _eos(recording))
            yield from _which_hypothesis_wins(growth, following)
        case StoppingCheck() if following.done or not stops:  # a truncated search neither is done nor continues
            yield from _is_search_done(growth, following)
        case FinalHypotheses():
            yield from _which_hypothesis_wins(growth, following)


def _eos(recording: Recording[Any, Any]) -> int:
    """Return the eos id as far as the steps show it, otherwise -1."""
    seen = (c for step in recording if isinstance(step, BeamsSelected) for c in step.candidates)
    return next((c.token for c in seen if c.status not in (CONTINUES, NO_BEAM_SLOT)), -1)


# --- which candidates continue? --------------------------------------------------------------------------------

Pair = tuple[int, int]  # a beam and its token


def _which_candidates_continue(
    growth: BeamSearchState, step: BeamsSelected, eos: int
) -> Iterator[tuple[str, Question | None]]:
    """Of 2 * num_beams candidates the best that do not end continue (43), regardless of their parents (42)."""
    pairs = [(c.parent, c.token) for c in step.candidates]
    right = [pair for pair, c in zip(pairs, step.candidates, strict=True) if c.status == CONTINUES]
    own = [pair for rank, pair in enumerate(pairs) if pair[0] not in {other[0] for other in pairs[:rank]}]
    if set(own) != set(right) and len(own) == len(right) and eos not in {token for _, token in pairs}:
        parallel = "These are the best of each beam, as in parallel greedy searches."
        reason = f"{parallel} But beams compete: the highest sums continue."
        second = (OTHER, pairs[1 : len(right) + 1], "The candidate with the highest sum is missing here.")
        yield "greedy runs", _continuing(growth, step, right, (42, own, reason), second)
    best = step.candidates[: growth.rule.num_beams]
    if eos in {c.token for c in best}:
        given = [Candidate(c.parent, c.token, c.score) for c in step.candidates]
        beams = [(beam,) for beam in range(growth.rule.num_beams)]
        kept = (program(beams, given, eos)[0] for program in (top_k_only, eos_keeps_running))
        fewer, longer = ([(ids[0], ids[1]) for ids, _ in extended] for extended in kept)
        ends = f"{chip(growth.name(eos))} ends a beam, which moves to the pool"
        replaced = f"Then fewer beams would continue. {ends}, and the next best candidate replaces it."
        yield "ends", _continuing(growth, step, right, (43, fewer, replaced), (43, longer, f"{ends}."))


def _continuing(
    growth: BeamSearchState, step: BeamsSelected, right: Sequence[Pair], *wrong: tuple[int, Sequence[Pair], str]
) -> Question | None:
    listed = ", ".join(f"{_pair(growth, (c.parent, c.token))} {format_negative(c.score)}" for c in step.candidates)
    width = f"There are {growth.rule.num_beams} beams"
    return ask(
        f"{width}. The next candidates, each a beam and its token, best first: {listed}. Which continue?",
        (_pairs(growth, right), f"The best {len(right)} that do not end continue."),
        *((misconception, _pairs(growth, pairs), reason) for misconception, pairs, reason in wrong),
        given=(width, listed),
    )


def _pair(growth: BeamSearchState, pair: Pair) -> Html:
    return f"{pair[0] + 1} {chip(growth.name(pair[1]))}"


def _pairs(growth: BeamSearchState, pairs: Sequence[Pair]) -> Html:
    return " ".join(_pair(growth, pair) for pair in pairs) or "none"


# --- is it done? ----------------------------------------------------------------------------------


def _is_search_done(growth: BeamSearchState, check: StoppingCheck) -> Iterator[tuple[str, Question | None]]:
    """A full pool is not enough (46), and only "never" waits for hypotheses that grow longer (46)."""
    rule, worst, attainable = growth.rule, min(check.pool_scores, default=0.0), check.best_attainable_score
    if check.reason not in (CAN_IMPROVE, CANNOT_IMPROVE) or format_score(worst) == format_score(attainable):
        return
    exhaustive = replace(rule, early_stopping="never", length_rule=replace(rule.length_rule, knows_never=True))
    if check.done and exhaustive.check(check.pool_scores, check.best_sum_logprobs, check.cur_len).done:
        return
    sign = "≥" if check.done else "&lt;"
    formula = score_formula(check.best_sum_logprobs, check.length, rule.length_penalty, attainable)
    compared = f"{format_score(worst)} {sign} {format_score(attainable)}"
    why = f"The best attainable score is {formula}, and the worst is {compared}."
    over = "A full pool is not enough: a better hypothesis may follow."
    late = "A later candidate might still be better, but early_stopping=False does not wait for it."
    right, wrong = ("done", (46, "continues", late)) if check.done else ("continues", (46, "done", over))
    beams = "the beams that continue" if rule.length_rule.ignores_finished else "this step"
    given = (
        f"its worst score is {format_score(worst)}",
        f"The highest sum of {beams} is {format_negative(check.best_sum_logprobs)}",
        f"to be divided by {check.length}<sup>{format_negative(rule.length_penalty, 1)}</sup>",
        f"early_stopping={rule.early_stopping!r}",
    )
    prompt = f"The pool is full, and {given[0]}. {given[1]}, {given[2]}. With {given[3]}, is the search done?"
    facts: tuple[Fact, ...] = (("worst", None, worst), ("best attainable", None, attainable))
    yield f"done: {check.done}", ask(prompt, (right, why), wrong, given=given, facts=facts)


# --- which hypothesis is first? --------------------------------------------------------------------------------

Scoring = Callable[[float, int, float], float]


def _which_hypothesis_wins(
    growth: BeamSearchState, step: BeamsSelected | FinalHypotheses
) -> Iterator[tuple[str, Question | None]]:
    """The highest score wins: not the highest sum (74), and not the sum with the smallest length penalty (44).

    Asked only at steps with a new hypothesis, since the player shows the ranking of the pool.
    """
    after = growth.copy()
    step.apply(after)
    ranking = after.ranking or sorted(after.pool, key=lambda one: -one.score)
    if len(ranking) < 2 or format_score(ranking[0].score) == format_score(ranking[1].score):
        return
    right = ranking[0]
    fact: Fact = ("score", text_of(growth, right), right.score)
    sums = "It has the highest sum, which ranks beams; but in the pool, sums are divided by a power of the length"
    signs = "It would be first if the penalty made long texts worse; but dividing a negative sum increases it"
    believed: tuple[tuple[int, Scoring, str], ...] = ((74, highest_sum_wins, sums), (44, penalty_sign, signs))
    guesses, wrong = {right.node: right}, []
    for misconception, program, reason in believed:
        guess = max(ranking, key=lambda one: program(one.node.score, one.length, growth.rule.length_penalty))
        guesses[guess.node] = guess
        told = f"{reason}: {_sum(growth, guess)}, and {_said(growth, right)} has {_sum(growth, right)}."
        facts: tuple[Fact, ...] = (("score", text_of(growth, guess), guess.score), fact)
        wrong.append(Option(_said(growth, guess), told, misconception=misconception, facts=facts))
    if guesses.keys() - {one.node for one in growth.pool}:
        pool = "The pool with the truncated beams" if after.ranking else "The pool with the next hypotheses"
        listed = _by_sum(growth, ranking, tuple(guesses.values()))
        given = (listed, f"length_penalty {growth.rule.length_penalty:g}")
        prompt = f"{pool}, by sum: {given[0]}. With {given[1]}, which is first?"
        why = f"It has the highest score: {_sum(growth, right)}."
        yield "ahead", ask(prompt, (_said(growth, right), why), *wrong, given=given, facts=(fact,))


def _by_sum(
    growth: BeamSearchState, ranking: Sequence[FinishedHypothesis], asked: Sequence[FinishedHypothesis]
) -> Html:
    """List the best by sum and those in the question, with enough decimals to tell them apart."""
    ordered = sorted(ranking, key=lambda one: -one.node.score)
    listed = [one for place, one in enumerate(ordered) if place < MAX_BEAMS or one in asked]
    sums = format_distinct((one.node.score for one in listed), format_negative, 2)
    each = [f"{_said(growth, one)} {total}, length {one.length}" for one, total in zip(listed, sums, strict=True)]
    more = [f"{len(ordered) - len(listed)} more"] if len(listed) < len(ordered) else []
    return "; ".join([*each, *more])


def _said(growth: BeamSearchState, one: FinishedHypothesis) -> Html:
    return f"<q>{text(text_of(growth, one))}</q>"


def _sum(growth: BeamSearchState, one: FinishedHypothesis) -> Html:
    return score_formula(one.node.score, one.length, growth.rule.length_penalty, one.score)
