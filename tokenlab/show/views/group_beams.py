"""Group beam search, turn by turn: what earlier groups have chosen, what that costs a candidate, what is chosen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import exp
from typing import Any

from tokenlab.show.frames import Fact, Frame, Html, Mark, Option, Panel, Question, Window, chip, text, view
from tokenlab.show.views.beam_ledger import table
from tokenlab.show.views.beam_pool import NO_LONGER, bound_of
from tokenlab.show.views.numbers import counted, minus
from tokenlab.steps import Recording
from tokenlab.transformers.generation.beam_steps import LIVES, NO_ROOM
from tokenlab.transformers.generation.group_turns import Compared, Line, Ranked, Turn, Way
from tokenlab.transformers.generation.spoken import spoken

LAST = 14  # tokens of a beam that are shown, from its end
CANDIDATES = 12  # rows at the most
DECIMALS = 3  # of a score
NEAR = 4.0  # how much lower a sum may be that somebody could take for the best
HATCHED = "repeating-linear-gradient(45deg,#d55e00 0 2px,transparent 2px 5px)"  # what is taken away
SOLID = "linear-gradient(#009e73,#009e73)"  # what is left
BARS = (  # which goes where there is no room for bars
    "<tr class=bar><td class=text colspan=7><small>Bars: how probable each is beside the best one; hatched: what "
    "the penalty takes away.</small>"
)


@view(
    "tokenlab.transformers.generation.searching_in_groups.search_in_groups",
    "tokenlab.transformers.generation.searching_in_groups.compare_groups",
)
def groups_in_turn(recording: Recording[Any, Any], window: Window) -> Iterator[Frame]:
    """A frame before the first turn, one after each, one for the outputs, and one for what they are compared with."""
    turns = [step for step in recording if isinstance(step, Turn)]
    asked = _questions(turns, recording.arguments["diversity_penalty"])
    beside = [_beside(step) for step in recording if isinstance(step, Compared)]
    for number in range(window.first, window.end + 1):
        match recording[number - 1] if number else None:
            case Turn() as turn:
                name = f"Token {turn.number}, group {turn.group}"
                is_last = number < len(recording) and isinstance(recording[number], Ranked)
                bound = bound_of(turn.bounded, NO_LONGER if is_last else "")
                panels = tuple(_panels(turns[:number], bound))
                yield Frame(name, _caption(turn), _remark(turn, bound, is_last), panels, asked.get(number))
            case Ranked() as ranked:
                yield _outputs(ranked)
            case Compared() as compared:
                yield Frame("Beside other searches", price_of(compared), "", tuple(beside))
            case None:
                yield _start(recording.arguments, tuple(beside))


def _start(given: Mapping[str, Any], panels: tuple[Panel, ...]) -> Frame:
    beams, groups, penalty = given["num_beams"], given["num_beam_groups"], given["diversity_penalty"]
    each = counted(beams // groups, "beam")
    remark = f"What a beam chooses costs every later group {minus(penalty)}, at this step."
    if not penalty or groups == 1:
        remark = "Nothing costs anything: each group chooses as if it were alone."
    said = f"{counted(groups, 'group')} of {each}. At each step they choose in turn, the first one first."
    return Frame("Before the first token", said, remark, panels)


def _caption(turn: Turn) -> Html:
    group, taken = f"roup {turn.group}", _chips(turn.chosen, "new")
    if not turn.earlier:
        return f"G{group} takes {taken}. It is the first: nothing costs anything yet."
    costs = costs_of(turn)
    if not costs:
        return f"Nothing costs anything: g{group} takes {taken}."
    *some, last = (chip(token, "right") for token in costs)
    lowered = f"{', '.join(some)}{' and ' * bool(some)}{last} cost{'s' * (not some)} more"
    if turn.differs:
        return f"{lowered}: g{group} takes {taken}. Without that it would take {_chips(turn.without)}."
    return f"{lowered}; g{group} still takes {taken}."


def _chips(chosen: Sequence[tuple[int, str]], mark: Mark = "") -> Html:
    return " ".join(chip(token, mark) for _, token in chosen)


def costs_of(turn: Turn) -> dict[str, float]:
    """What each token costs that earlier groups have chosen, if anything; in the order in which they were chosen."""
    costs = {way.token: way.cost for way in turn.ways if way.cost}
    return {token: costs[token] for token in dict.fromkeys(turn.earlier) if token in costs}


def _remark(turn: Turn, bound: Html, is_last: bool) -> str:
    one = len(turn.ended) == 1
    said = [f"{counted(len(turn.ended), 'text')} end{'s' * one} and go{'es' * one} to the pool."] * bool(turn.ended)
    return text(" ".join([*said, *[f"The search {bound}."] * (is_last or turn.bounded.done)]))


def _panels(turns: Sequence[Turn], bound: Html) -> Iterator[Panel]:
    now = turns[-1]
    yield Panel("The groups so far", table(("", "sum ", "text"), _lines(turns)), wide=True)
    texts = "texts" if len(now.lines) > 1 else "text"
    heads = ("beam", "token", "sum ", "costs ", "counts ", "", "fate")
    title = f"Group {now.group}: what its {texts} would come to with each token"
    yield Panel(title, table(heads, (*_ways(now), BARS)), wide=True)
    if now.earlier:
        yield Panel("Chosen by earlier groups at this step", tuple(_chosen(now)))
    ended = [line for turn in turns for line in turn.ended]
    if ended:
        out = len(ended) - len(now.bounded.pool)
        pushed = f" ({counted(out, 'text')} pushed out again by better ones)" * bool(out)
        title = f"What has gone to the pool so far{pushed}; the search {bound}"
        yield Panel(title, tuple(map(_finished, ended)), "words", more=True)


def _lines(turns: Sequence[Turn]) -> Iterator[Html]:
    """What each group has written; what was chosen at this step is marked: just now, or by an earlier group."""
    now, latest = turns[-1], {turn.group: turn for turn in turns}
    for group, turn in sorted(latest.items()):
        mark: Mark = "new" if turn is now else "right" if turn.number == now.number and costs_of(now) else ""
        for place, line in enumerate(turn.lines):
            name = f"group {group}" if place == 0 else ""
            written = f"<td class=text style=width:99%>{_written(line, mark)}"
            yield f"<tr><th scope=row>{name}<td class=n>{minus(line.total)}{written}"


def _written(line: Line, mark: Mark) -> Html:
    *before, newest = line.tokens[-LAST:]
    return "… " * (len(line.tokens) > LAST) + " ".join([*map(chip, before), chip(newest, mark)])


def _ways(turn: Turn) -> Iterator[Html]:
    """The candidates; a bar is the text's probability beside that of the best one, and what the penalty takes of it."""
    top = max(way.before for way in turn.ways)
    for way in turn.ways[:CANDIDATES]:
        yield (
            f"<tr><th scope=row>{way.beam + 1}<td>{chip(way.token, _mark(turn, way))}<td class=n>{minus(way.before)}"
            f"<td class=n>{minus(-way.cost) if way.cost else ''}<td class=n><strong>{minus(way.after)}</strong>"
            f"<td class=bar style=width:99%;min-width:70px>{_bar(exp(way.before - top), exp(-way.cost))}"
            f"<td>{_fate(turn, way)}"
        )


def _mark(turn: Turn, way: Way) -> Mark:
    if way.fate == LIVES:
        return "new"
    return "unknown" if (way.beam, way.token) in turn.without else "right" if way.cost else ""


def _fate(turn: Turn, way: Way) -> str:
    would = (way.beam, way.token) in turn.without
    if way.fate == LIVES:
        return "taken" if would else "taken instead"
    if would:
        return "would be taken"
    return "ends" if way.fate.startswith("ends") else ""


def _bar(share: float, left: float) -> Html:
    """A bar, of which something is left and the rest is taken away.

    >>> _bar(0.5, 1.0)
    '<i style=width:50%></i>'
    >>> "hatched" if HATCHED in _bar(0.5, 0.25) else "whole"
    'hatched'
    """
    if left == 1:
        return f"<i style=width:{round(100 * share)}%></i>"
    ground = f"{SOLID} 0/{round(100 * left)}% 100% no-repeat,{HATCHED}"
    return f'<i style="width:{round(100 * share)}%;background:{ground}"></i>'


def _chosen(turn: Turn) -> Iterator[Html]:
    costs = costs_of(turn)
    for token, times in Counter(turn.earlier).items():
        cost, said = costs.get(token, 0.0), f"was chosen by {counted(times, 'beam')}"
        yield f"<li>{minus(-cost)} {chip(token, 'right' if cost else '')} {said}"


def _finished(line: Line) -> Html:
    return f"<li><span>{minus(line.total)}</span> <div>{text(spoken(line.tokens))} (group {line.group})</div>"


def _outputs(ranked: Ranked) -> Frame:
    number, different = len(ranked.lines), len({line.tokens for line in ranked.lines})
    alike = "all alike" if different == 1 else f"of which {different} are different"
    said = f"{number} outputs, {'all different' if different == number else alike}."
    heads = (" ", "output", "group ", "sum ", "paid ", "score ", "the model's own ", "place ")
    panel = Panel("The ranking", table(heads, _ranking(ranked)), wide=True)
    return Frame("The outputs", said, _after_paying(ranked), (panel,))


def _after_paying(ranked: Ranked) -> str:
    """What the penalty has done to the ranking, if anybody has paid."""
    if not any(line.paid for line in ranked.lines):
        return ""
    places = _own_places(ranked)
    order = "the order would be the same" if places == sorted(places) else "the order would be another one"
    return (
        "What a text has paid stays in its sum, so its score is lower than the model's own. "
        f"By the model's own scores {order}."
    )


def _own_places(ranked: Ranked) -> list[int]:
    """The place of each output by the model's own scores, from 1."""
    by_own = sorted(ranked.own_scores, reverse=True)
    return [by_own.index(own) + 1 for own in ranked.own_scores]


def _ranking(ranked: Ranked) -> Iterator[Html]:
    scored = zip(ranked.lines, ranked.scores, ranked.own_scores, _own_places(ranked), strict=True)
    for place, (line, score, own, own_place) in enumerate(scored, start=1):
        yield (
            f"<tr><th scope=row class=n>{place}<td class=text>{text(spoken(line.tokens))}<td class=n>{line.group}"
            f"<td class=n>{minus(line.total)}<td class=n>{minus(line.paid)}<td class=n>"
            f"<strong>{minus(score, DECIMALS)}</strong><td class=n>{minus(own, DECIMALS)}<td class=n>{own_place}"
        )


def price_of(compared: Compared) -> Html:
    """What the penalty has changed, in a sentence.

    >>> from tokenlab.transformers.generation.group_turns import Outcome
    >>> plain, now = Outcome("", 4, 4, 0.40625, -0.2, -0.26246), Outcome("", 4, 4, 0.8333, -0.2, -0.32765)
    >>> print(price_of(Compared((plain, now))))
    The outputs are 42 points more different than those of plain beams, and by the model's own scores 0.066 worse.
    >>> print(price_of(Compared((now, now))))
    The outputs are as different as those of plain beams, and by the model's own scores as good.
    >>> print(price_of(Compared((plain, Outcome("", 4, 4, 0.42, -0.2, -0.262)))))
    The outputs are 1 point more different than those of plain beams, and by the model's own scores as good.
    """
    plain, *_, now = compared.outcomes
    # subtle: of the numbers as they are shown, so that nobody who subtracts finds an error.
    more = _percent(now.pairs) - _percent(plain.pairs)
    lost = round(round(plain.mean, DECIMALS) - round(now.mean, DECIMALS), DECIMALS)
    change = (
        f"{counted(abs(more), 'point')} {'more' if more > 0 else 'less'} different than" if more else "as different as"
    )
    price = f"{minus(abs(lost), DECIMALS)} {'worse' if lost > 0 else 'better'}" if lost else "as good"
    return f"The outputs are {change} those of plain beams, and by the model's own scores {price}."


def _percent(share: float) -> int:
    return round(100 * share)


def _beside(compared: Compared) -> Panel:
    heads = ("search", "outputs ", "pairs ", "", "best ", "mean ")
    rows = (
        f"<tr><th scope=row class=text style=min-width:7em>{text(each.search)}<td class=n>"
        f"{each.different} of {each.outputs}<td class=n>{_percent(each.pairs)}%"
        f"<td class=bar style=width:40%><i style=width:{_percent(each.pairs)}%></i>"
        f"<td class=n>{minus(each.best, DECIMALS)}<td class=n>{minus(each.mean, DECIMALS)}"
        for each in compared.outcomes
    )
    pairs = (
        "<li style=list-style:none><small>Pairs: how many of all pairs of neighbouring tokens are different ones. "
        f"Where all outputs are alike, that is at most 1 in {compared.outcomes[0].outputs}.</small>"
    )
    return Panel(
        "How many are different, and what that costs: best and mean of the model's own scores",
        (*table(heads, rows), pairs),
        wide=True,
    )


# ---- Questions ----


def _questions(turns: Sequence[Turn], penalty: float) -> dict[int, Question]:
    """By the number of turns that are done: one of each kind, about the next turn."""
    asked: dict[int, Question] = {}
    for ask in (_is_it_needed, _does_it_forbid, _how_often, _does_it_last):
        for number in range(1, len(turns)):
            if number not in asked and (question := ask(turns, number, penalty)):
                asked[number] = question
                break
    return asked


def _is_it_needed(turns: Sequence[Turn], number: int, penalty: float) -> Question | None:
    """Does the group see what the others have chosen, or take the likeliest (88)?"""
    turn = turns[number]
    taken, would = _tokens(turn.chosen), _tokens(turn.without)
    left = [way for way in turn.ways if way.cost and (way.beam, way.token) in turn.without and way.token not in taken]
    instead = [way for way in turn.ways if way.fate == LIVES and not way.cost and way.token not in would]
    if not left or not instead:
        return None
    why = f"{_sum(left[0])}, and {minus(instead[0].after)} is more."
    told = f"That is likelier, and a group that did not see the others would take it. {why}"
    return _which(turn, penalty, left[0], instead[0], why, told)


def _does_it_forbid(turns: Sequence[Turn], number: int, penalty: float) -> Question | None:
    """May a token be chosen that costs something (88)?"""
    turn = turns[number]
    best = next((way for way in turn.ways if way.fate == LIVES and way.cost), None)
    # Who would be taken next, if what costs something were forbidden.
    ends = {way.token for each in turns for way in each.ways if way.fate.startswith("ends")}
    gone = (way for way in turn.ways if way.fate == NO_ROOM and not way.cost)
    rival = next((way for way in gone if way.token not in ends), None)
    if not best or not rival or rival.token in _tokens(turn.chosen) or rival.after < best.after - NEAR:
        return None
    why = f"{_sum(best)} is still more than {minus(rival.after)}."
    told = f"What was chosen costs more, and is not forbidden. {why}"
    return _which(turn, penalty, best, rival, why, told)


def _tokens(ways: Iterable[tuple[int, str]]) -> set[str]:
    return {token for _, token in ways}


def _sum(way: Way) -> Html:
    return f"{minus(way.before)} − {minus(way.cost)} = {minus(way.after)}"


def _which(turn: Turn, penalty: float, costly: Way, other: Way, why: Html, told: Html) -> Question | None:
    """Which of two tokens the group takes, of which it takes one, with whatever beam."""
    right, wrong = (costly, other) if costly.fate == LIVES else (other, costly)
    if minus(right.after) == minus(wrong.after):  # nobody could tell from what is shown
        return None
    alone = turn.number == 1 or len(turn.lines) == 1
    one = "text" if alone else f"beam {costly.beam + 1}"
    two = "" if costly.beam == other.beam else f"beam {other.beam + 1} "
    times = turn.earlier.count(costly.token)
    prompt = (
        f"Group {turn.group} is next. Its {one} would come to {minus(costly.before)} with {chip(costly.token)}, and "
        f"{two}to {minus(other.before)} with {chip(other.token)}. But {counted(times, 'beam')} of earlier groups chose "
        f"{chip(costly.token)} at this step, and each costs {minus(penalty)}. Which of the two does the group take?"
    )
    options = (Option(chip(right.token), why, right=True), Option(chip(wrong.token), told, belief=88))
    return Question(prompt, options).shuffled()


def _how_often(turns: Sequence[Turn], number: int, penalty: float) -> Question | None:
    """Does a token cost once, or once for each beam that chose it (84)?"""
    turn = turns[number]
    often = [way for way in turn.ways if way.cost and turn.earlier.count(way.token) > 1]
    if not often:
        return None
    way = often[0]
    times = turn.earlier.count(way.token)
    facts: tuple[Fact, ...] = (("times", way.token, times),)
    why = f"It was chosen {times} times, and each time costs {minus(penalty)}."
    options = (
        Option(minus(way.cost), why, right=True, facts=facts),
        Option(minus(penalty), f"Every beam that chose it counts. {why}", belief=84, facts=facts),
    )
    prompt = (
        f"{times} beams of earlier groups chose {chip(way.token)} at this step. What does it cost group {turn.group}?"
    )
    return Question(prompt, options).shuffled()


def _does_it_last(turns: Sequence[Turn], number: int, penalty: float) -> Question | None:
    """Does what was chosen a step before still cost something (88)?"""
    turn = turns[number]
    gone = [
        (before.group, token)
        for before in turns[:number]
        if before.number == turn.number - 1 and before.group < turn.group and any(way.cost for way in turn.ways)
        for _, token in before.chosen
        if token not in turn.earlier
    ]
    if not gone:
        return None
    group, token = gone[0]
    why = f"Only what was chosen at this very step costs something: {' '.join(map(chip, dict.fromkeys(turn.earlier)))}."
    options = (
        Option("nothing", why, right=True),
        Option(minus(penalty), f"The next step begins without it. {why}", belief=88),
    )
    prompt = f"At the step before, group {group} took {chip(token)}. What does that cost group {turn.group} now?"
    return Question(prompt, options).shuffled()
