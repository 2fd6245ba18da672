"""View of group beam search: for each step of a group, the penalties of its candidates and its choice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import exp
from typing import Any

from tokenlab.libraries.transformers.generation.beam_steps import CONTINUES, NO_BEAM_SLOT
from tokenlab.printing.printable import count_noun
from tokenlab.printing.printed_numbers import format_mean
from tokenlab.show.frames import Frame, Html, Mark, Panel, Question, StepRange, chip, chips, labelled, sentence, text
from tokenlab.show.views.decoding.beam_panels import LAST_STEP_TEXT, pool_entry, table_rows
from tokenlab.show.views.elements.numbers import format_mean_score, format_negative
from tokenlab.show.views.elements.questions import ask
from tokenlab.steps.recording import Recording
from tokenlab.traces.generation.group_beam_trace_steps import (
    GroupCandidate,
    GroupHypothesis,
    GroupStep,
    RankedHypotheses,
    SearchComparison,
    percent,
)
from tokenlab.traces.generation.token_names import tokens_to_text

LAST = 14  # number of last tokens shown of a beam
CANDIDATES = 12  # maximum number of rows
NEAR = 4.0  # maximum difference of the sums of two options
HATCHED = "repeating-linear-gradient(45deg,#d55e00 0 2px,transparent 2px 5px)"  # lost to the penalty
SOLID = "linear-gradient(#009e73,#009e73)"  # remaining
BARS = (  # hidden together with the bars
    "<tr class=bar><td class=text colspan=7><small>Bars: probability relative to the best one; hatched: lost to "
    "the penalty.</small>"
)


def group_beam_view(recording: Recording[Any, Any], window: StepRange) -> Iterator[Frame]:
    """A frame before the first step, one after each step, one for the outputs, and one for the comparison."""
    steps = [step for step in recording if isinstance(step, GroupStep)]
    asked = _questions(steps, recording.arguments["diversity_penalty"])
    beside = [_comparison_panel(step) for step in recording if isinstance(step, SearchComparison)]
    for number, done, following in window.steps_around(recording):
        match done:
            case GroupStep() as step:
                name = f"Token {step.number}, group {step.group}"
                is_last = isinstance(following, RankedHypotheses)
                bound = step.stopping_check.outcome(LAST_STEP_TEXT if is_last else "")
                panels = tuple(_panels(steps[:number], bound))
                yield Frame(name, sentence(step), _remark(step, bound, is_last), panels, asked.get(number))
            case RankedHypotheses() as ranked:
                yield _outputs(ranked)
            case SearchComparison() as compared:
                yield Frame("Comparison with other searches", sentence(compared), "", tuple(beside))
            case None:
                yield _start(recording.arguments, tuple(beside))


def _start(given: Mapping[str, Any], panels: tuple[Panel, ...]) -> Frame:
    beams, groups, penalty = given["num_beams"], given["num_beam_groups"], given["diversity_penalty"]
    each = count_noun(beams // groups, "beam")
    remark = f"A chosen token costs every later group {format_negative(penalty)} at the same step."
    if not penalty or groups == 1:
        remark = "There is no penalty: each group chooses independently."
    said = f"{count_noun(groups, 'group')} of {each}. At each step, the groups choose one after another."
    return Frame("Before the first token", said, remark, panels)


def _remark(step: GroupStep, bound: Html, is_last: bool) -> str:
    said = [f"{pool_entry(len(step.ended), 'text')}."] * bool(step.ended)
    return text(" ".join([*said, *[f"The search {bound}."] * (is_last or step.stopping_check.done)]))


def _panels(steps: Sequence[GroupStep], bound: Html) -> Iterator[Panel]:
    now = steps[-1]
    yield Panel("The groups so far", table_rows((" ", "sum ", "text"), _group_rows(steps)), wide=True)
    heads = ("beam", "token", "sum ", "penalty ", "with it ", "", "status")
    title = f"Group {now.group}: the sums of its {'texts' if len(now.hypotheses) > 1 else 'text'} with each token"
    yield Panel(title, table_rows(heads, (*_candidates(now), BARS)), wide=True)
    if now.previous_tokens:
        yield Panel("Chosen by earlier groups at this step", tuple(_chosen(now)))
    ended = [hypothesis for step in steps for hypothesis in step.ended]
    if ended:
        out = len(ended) - len(now.stopping_check.pool_scores)
        pushed = f" ({count_noun(out, 'text')} replaced by better ones)" * bool(out)
        title = f"Hypotheses so far{pushed}; the search {bound}"
        yield Panel(title, tuple(map(_finished, ended)), "words", more=True)


def _group_rows(steps: Sequence[GroupStep]) -> Iterator[Html]:
    """Yield the beams of each group; tokens chosen at this step are marked."""
    now, latest = steps[-1], {step.group: step for step in steps}
    for group, step in sorted(latest.items()):
        mark: Mark = "new" if step is now else "right" if step.number == now.number and now.penalties else ""
        for place, hypothesis in enumerate(step.hypotheses):
            name = f"group {group}" if place == 0 else ""
            written = f"<td class=text style=width:99%>{_written(hypothesis, mark)}"
            yield f"<tr><th scope=row>{name}<td class=n>{format_negative(hypothesis.total)}{written}"


def _written(hypothesis: GroupHypothesis, mark: Mark) -> Html:
    *before, newest = hypothesis.tokens[-LAST:]
    return "… " * (len(hypothesis.tokens) > LAST) + " ".join([*map(chip, before), chip(newest, mark)])


def _candidates(step: GroupStep) -> Iterator[Html]:
    """Yield the candidates; a bar shows the probability relative to the best one, and the part lost to the penalty."""
    top = max(candidate.before for candidate in step.candidates)
    for candidate in step.candidates[:CANDIDATES]:
        yield (
            f"<tr><th scope=row>{candidate.beam + 1}<td>{chip(candidate.token, _mark(step, candidate))}"
            f"<td class=n>{format_negative(candidate.before)}"
            f"<td class=n>{format_negative(-candidate.penalty) if candidate.penalty else ''}"
            f"<td class=n><strong>{format_negative(candidate.after)}</strong>"
            f"<td class=bar style=width:99%;min-width:70px>{_bar(exp(candidate.before - top), exp(-candidate.penalty))}"
            f"<td>{_status_text(step, candidate)}"
        )


def _mark(step: GroupStep, candidate: GroupCandidate) -> Mark:
    if candidate.status == CONTINUES:
        return "new"
    would = (candidate.beam, candidate.token) in step.without_penalty
    return "unknown" if would else "right" if candidate.penalty else ""


def _status_text(step: GroupStep, candidate: GroupCandidate) -> str:
    would = (candidate.beam, candidate.token) in step.without_penalty
    if candidate.status == CONTINUES:
        return "taken" if would else "taken instead"
    return "would be taken" if would else "ends" if candidate.status.startswith("ends") else ""


def _bar(share: float, left: float) -> Html:
    """Return a bar with its remaining part solid and the rest hatched.

    >>> _bar(0.5, 1.0)
    '<i style=width:50%></i>'
    >>> "hatched" if HATCHED in _bar(0.5, 0.25) else "whole"
    'hatched'
    """
    if left == 1:
        return f"<i style=width:{round(100 * share)}%></i>"
    ground = f"{SOLID} 0/{round(100 * left)}% 100% no-repeat,{HATCHED}"
    return f'<i style="width:{round(100 * share)}%;background:{ground}"></i>'


def _chosen(step: GroupStep) -> Iterator[Html]:
    costs = step.penalties
    for token, times in Counter(step.previous_tokens).items():
        cost, said = costs.get(token, 0.0), f"was chosen by {count_noun(times, 'beam')}"
        yield f"<li>{format_negative(-cost)} {chip(token, 'right' if cost else '')} {said}"


def _finished(hypothesis: GroupHypothesis) -> Html:
    said = f"{text(tokens_to_text(hypothesis.tokens))} (group {hypothesis.group})"
    return labelled(format_negative(hypothesis.total), said)


def _outputs(ranked: RankedHypotheses) -> Frame:
    heads = (" ", "output", "group ", "sum ", "penalties ", "score ", "score without penalties ", "rank ")
    panel = Panel("The ranking", table_rows(heads, _ranking(ranked)), wide=True)
    return Frame("The outputs", sentence(ranked), _after_paying(ranked), (panel,))


def _after_paying(ranked: RankedHypotheses) -> str:
    """Describe the effect of the penalties on the ranking; "" without penalties."""
    if not any(hypothesis.total_penalty for hypothesis in ranked.hypotheses):
        return ""
    places = _own_places(ranked)
    order = "the order would be the same" if places == sorted(places) else "the order would be different"
    remain = "The penalties remain in the sum, so the score is lower than without them."
    return f"{remain} Ranked by the scores without penalties, {order}."


def _own_places(ranked: RankedHypotheses) -> list[int]:
    """Return the rank of each output by its score without penalties, from 1."""
    # subtle: the scores as shown. Two groups may find the same output, and the last bits of its scores may differ.
    shown = [float(format_mean(own)) for own in ranked.model_scores]
    by_own = sorted(shown, reverse=True)
    return [by_own.index(own) + 1 for own in shown]


def _ranking(ranked: RankedHypotheses) -> Iterator[Html]:
    scored = zip(ranked.hypotheses, ranked.scores, ranked.model_scores, _own_places(ranked), strict=True)
    for place, (hypothesis, score, own, own_place) in enumerate(scored, start=1):
        yield (
            f"<tr><th scope=row class=n>{place}<td class=text>{text(tokens_to_text(hypothesis.tokens))}"
            f"<td class=n>{hypothesis.group}<td class=n>{format_negative(hypothesis.total)}"
            f"<td class=n>{format_negative(hypothesis.total_penalty)}<td class=n>"
            f"<strong>{format_mean_score(score)}</strong>"
            f"<td class=n>{format_mean_score(own)}<td class=n>{own_place}"
        )


def _comparison_panel(compared: SearchComparison) -> Panel:
    heads = ("search", "distinct ", "distinct-2 ", "", "best ", "mean ")
    rows = (
        f"<tr><th scope=row class=text style=min-width:7em>{text(each.search)}<td class=n>"
        f"{text(each.different)} of {text(each.outputs)}<td class=n>{percent(each.pairs)}%"
        f"<td class=bar style=width:40%><i style=width:{percent(each.pairs)}%></i>"
        f"<td class=n>{format_mean_score(each.best)}<td class=n>{format_mean_score(each.mean)}"
        for each in compared.outcomes
    )
    pairs = (
        "<li style=list-style:none><small>Distinct-2: distinct pairs of neighbouring tokens / all such pairs. "
        f"If all outputs are the same, it is at most 1 in {compared.outcomes[0].outputs}.</small>"
    )
    title = "Diversity of the outputs, and the best and mean score without penalties"
    return Panel(title, (*table_rows(heads, rows), pairs), wide=True)


# ---- Questions ----


def _questions(steps: Sequence[GroupStep], penalty: float) -> dict[int, Question]:
    """Return questions by the number of completed steps: one of each kind, about the next step."""
    asked: dict[int, Question] = {}
    for kind in (_is_it_needed, _does_it_forbid, _how_often, _does_it_last):
        for number in range(1, len(steps)):
            if number not in asked and (question := kind(steps, number, penalty)):
                asked[number] = question
                break
    return asked


def _is_it_needed(steps: Sequence[GroupStep], number: int, penalty: float) -> Question | None:
    """Does the group see the choices of the other groups, or take the most probable token (88)?"""
    step = steps[number]
    taken, would = _tokens(step.chosen), _tokens(step.without_penalty)
    penalized = [candidate for candidate in step.candidates if candidate.penalty and candidate.token not in taken]
    left = [each for each in penalized if (each.beam, each.token) in step.without_penalty]
    free = [candidate for candidate in step.candidates if candidate.status == CONTINUES and not candidate.penalty]
    instead = [candidate for candidate in free if candidate.token not in would]
    if not left or not instead:
        return None
    why = f"{_sum(left[0])}, and {format_negative(instead[0].after)} is more."
    told = "That is more probable, and a group without a penalty would take it."
    return _which(step, penalty, left[0], instead[0], why, told)


def _does_it_forbid(steps: Sequence[GroupStep], number: int, penalty: float) -> Question | None:
    """May a penalized token be chosen (88)?"""
    step = steps[number]
    best = next((each for each in step.candidates if each.status == CONTINUES and each.penalty), None)
    # The next choice, if penalized tokens were forbidden.
    ends = {candidate.token for each in steps for candidate in each.candidates if candidate.status.startswith("ends")}
    gone = (candidate for candidate in step.candidates if candidate.status == NO_BEAM_SLOT and not candidate.penalty)
    rival = next((candidate for candidate in gone if candidate.token not in ends), None)
    if not best or not rival or rival.token in _tokens(step.chosen) or rival.after < best.after - NEAR:
        return None
    why = f"{_sum(best)} is still more than {format_negative(rival.after)}."
    return _which(step, penalty, best, rival, why, "A penalized token is not forbidden.")


def _tokens(candidates: Iterable[tuple[int, str]]) -> set[str]:
    return {token for _, token in candidates}


def _sum(candidate: GroupCandidate) -> Html:
    before, penalty, after = map(format_negative, (candidate.before, candidate.penalty, candidate.after))
    return f"{before} − {penalty} = {after}"


def _which(
    step: GroupStep, penalty: float, costly: GroupCandidate, other: GroupCandidate, why: Html, told: Html
) -> Question | None:
    """Ask which of two tokens the group takes, if it takes exactly one of them."""
    right, wrong = (costly, other) if costly.status == CONTINUES else (other, costly)
    if format_negative(right.after) == format_negative(wrong.after):  # the shown numbers do not decide
        return None
    alone = step.number == 1 or len(step.hypotheses) == 1
    one = "text" if alone else f"beam {costly.beam + 1}"
    two = "" if costly.beam == other.beam else f"beam {other.beam + 1} "
    given = (
        f"would have the sum {format_negative(costly.before)} with {chip(costly.token)}",
        f"{two}{format_negative(other.before)} with {chip(other.token)}",
        f"{count_noun(step.previous_tokens.count(costly.token), 'beam')} of earlier groups chose {chip(costly.token)}",
        f"the penalty for each is {format_negative(penalty)}",
    )
    prompt = (
        f"Group {step.group} is next. Its {one} {given[0]}, and {given[1]}. But {given[2]} at this step, and "
        f"{given[3]}. Which of the two does the group take?"
    )
    return ask(prompt, (chip(right.token), why), (88, chip(wrong.token), told), given=given)


def _how_often(steps: Sequence[GroupStep], number: int, penalty: float) -> Question | None:
    """Is the penalty subtracted once, or once for each beam that chose the token (84)?"""
    step = steps[number]
    counts = Counter(step.previous_tokens)
    candidate = next((each for each in step.candidates if each.penalty and counts[each.token] > 1), None)
    if candidate is None:
        return None
    times, token = counts[candidate.token], chip(candidate.token)
    given = (
        f"diversity_penalty is {format_negative(penalty)}",
        f"{times} beams of earlier groups chose {token} at this step",
    )
    return ask(
        f"The {given[0]}. {given[1]}. What is its penalty for group {step.group}?",
        (
            format_negative(candidate.penalty),
            f"It was chosen {times} times, and each time costs {format_negative(penalty)}.",
        ),
        (84, format_negative(penalty), "Every beam that chose it counts."),
        given=given,
        facts=(("times", candidate.token, times),),
    )


def _does_it_last(steps: Sequence[GroupStep], number: int, penalty: float) -> Question | None:
    """Does the penalty last until the next step (88)?"""
    step = steps[number]
    gone = [
        (before.group, token)
        for before in steps[:number]
        if before.number == step.number - 1 and before.group < step.group
        for _, token in before.chosen
        if token not in step.previous_tokens
    ]
    if not gone or not any(candidate.penalty for candidate in step.candidates):
        return None
    group, token = gone[0]
    before = f"At the previous step, group {group} took {chip(token)}"
    now = f"At this step, earlier groups took {chips(dict.fromkeys(step.previous_tokens))}"
    return ask(
        f"{before}. {now}. What is the penalty of {chip(token)} for group {step.group} now?",
        (
            "nothing",
            f"Only tokens chosen at the same step have a penalty: {chips(dict.fromkeys(step.previous_tokens))}.",
        ),
        (88, format_negative(penalty), "The next step starts without penalties."),
        given=(before, now),
    )
