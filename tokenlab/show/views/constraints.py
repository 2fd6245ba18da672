"""Constrained beam search, round by round: the candidates in their banks, who goes on, what is there of each word."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tokenlab.misconceptions.constraints import best_scores_first, finished_part_alone, fullest_bank_first
from tokenlab.show.frames import Fact, Frame, Html, Option, Panel, Question, Window, chip, chips, text, view
from tokenlab.show.views.beam_ledger import table
from tokenlab.show.views.beam_pool import NO_LONGER, bound_of
from tokenlab.show.views.numbers import counted, minus
from tokenlab.steps import Recording
from tokenlab.transformers.generation.beam_steps import ENDS, REFUSED, TOO_LOW
from tokenlab.transformers.generation.constraint_rounds import (
    Demand,
    Demanded,
    Ending,
    Entry,
    Line,
    Outcome,
    Round,
)
from tokenlab.transformers.generation.constraint_steps import UNMET
from tokenlab.transformers.generation.spoken import spoken

LAST = 7  # tokens of a beam that are shown, from its end
GIVING_WAY = 2  # candidates of a bank that are shown although they give way
CLEAR = 0.1  # by how much two sums differ where the difference is asked for
COMPLETE, PENDING = "● complete", "○ pending"
ENDED = {
    ENDS: "ends: to the pool",
    UNMET: "ends without what is demanded: dropped",
    TOO_LOW: "ends too low: dropped",
    REFUSED: "ends: the pool has better",
}


@view("tokenlab.transformers.generation.writing_with_words.write_with_words")
def words_in_banks(recording: Recording[Any, Any], window: Window) -> Iterator[Frame]:
    """A frame for the question, one for what is demanded, one after each round, and one for the outcome."""
    demanded = next((step for step in recording if isinstance(step, Demanded)), None)
    asked = _questions(recording)
    for number in range(window.first, window.end + 1):
        match recording[number - 1] if number else None:
            case Demanded() as step:
                yield Frame(
                    "What is demanded", _alone(step), _bank_rule(step), tuple(_demands(step.demands)), asked.get(number)
                )
            case Round() as round_:
                assert demanded is not None
                before = recording[number - 2]
                is_last = number < len(recording) and isinstance(recording[number], Outcome)
                bound = bound_of(round_.bounded, NO_LONGER if is_last else "")
                panels = tuple(_panels(round_, before, demanded.demands, recording.steps[:number], bound))
                remark = _remark(round_, bound, is_last)
                yield Frame(f"Token {round_.number}", _caption(round_), remark, panels, asked.get(number))
            case Outcome() as outcome:
                assert demanded is not None
                yield _outcome(outcome, demanded)
            case None:
                yield Frame(
                    "Before the search",
                    f"What does the model write, if “{text(recording.arguments['words'])}” has to be in it?",
                    f"{recording.arguments['num_beams']} beams",
                )


def _alone(step: Demanded) -> Html:
    return f"By itself the model writes “{text(step.alone)}”, with the score {minus(step.score, 3)}."


def _bank_rule(step: Demanded) -> str:
    longest = max(demand.longest for demand in step.demands)
    said = f"A candidate's bank says how far it is with what is demanded: each demand that is complete counts {longest}"
    if longest > 1:
        said += f", and one of which some tokens are there counts {longest} less those that are missing"
    return text(f"{said}.")


def _demands(demands: Sequence[Demand]) -> Iterator[Panel]:
    rows = (
        f"<li><span>{number}</span> <div>{' or '.join(chips(tokens) for tokens in demand.tokens)}</div>"
        for number, demand in enumerate(demands, start=1)
    )
    yield Panel("Demanded, as tokens", tuple(rows), "words")


# ---- A round ----


def _caption(step: Round) -> Html:
    added = [entry for entry in step.entries if entry.demanded]
    forced = [entry for entry in added if entry.lives]
    if not added:
        return f"Nothing is added for what is demanded: the likeliest {len(step.lines)} live on."
    are = "is" if len(added) == 1 else "are"
    said = f"{counted(len(added), 'candidate')} {are} added for what is demanded. "
    if len(step.banks) == 1:
        said += f"All are in bank {step.banks[0]}, so the likeliest live on"
    else:
        living = {entry.line.bank for entry in step.entries if entry.lives}
        served, left = ([bank for bank in step.banks if (bank in living) is there] for there in (True, False))
        said += f"{_named(served)} {'take turns, and each sends' if len(served) > 1 else 'sends'} its likeliest"
        said += f", and no room is left for {_named(left).lower()}" if left else ""
    if not forced:
        return f"{said}; what was added gives way."
    tokens = " ".join(_demanded(entry.token) for entry in forced)
    only = "lives on only because it is" if len(forced) == 1 else "live on only because they are"
    return f"{said}; {tokens} {only} demanded."


def _demanded(token: str) -> Html:
    """A token that lives on because it is demanded; its colour stays while a question is open.

    >>> _demanded("ab")
    '<b style=background:var(--right)>ab</b>'
    """
    return chip(token).replace("<b>", "<b style=background:var(--right)>", 1)


def _named(banks: Sequence[int]) -> str:
    """What banks are called.

    >>> _named([2, 1, 0]), _named([0])
    ('Banks 2, 1 and 0', 'Bank 0')
    """
    *some, last = map(str, banks)
    return f"Banks {', '.join(some)} and {last}" if some else f"Bank {last}"


def _remark(step: Round, bound: Html, is_last: bool) -> Html:
    ended = sum(ending.fate == ENDS for ending in step.endings)
    unmet = sum(ending.fate == UNMET for ending in step.endings)
    said = [f"{counted(ended, 'beam')} end{'s' * (ended == 1)}, and go{'es' * (ended == 1)} to the pool."] * bool(ended)
    said += [f"{unmet} would end without what is demanded: dropped."] * bool(unmet)
    return text(" ".join([*said, *[f"The search {bound}."] * (is_last or step.bounded.done or ended > 0)]))


def _panels(step: Round, before: Any, demands: Sequence[Demand], done: Sequence[Any], bound: Html) -> Iterator[Panel]:
    parents = before.lines if isinstance(before, Round) else ()
    heads = ("bank ", "turn ", "beam", "token", "sum ", "goes on")
    yield Panel("The candidates, the highest bank first", table(heads, _candidates(step, parents)), wide=True)
    names = [" ", "the beams that go on", *(text(" | ".join(demand.words)) for demand in demands), "bank "]
    living = sorted((entry for entry in step.entries if entry.lives), key=lambda entry: entry.place)
    rows = (_beam(entry, demands) for entry in living)
    yield Panel("What is there of each demand", table(names, rows), wide=True)
    if step.endings:
        yield Panel("Candidates that end", tuple(map(_ending, step.endings)), "words", wide=True)
    pool = [ending for each in done if isinstance(each, Round) for ending in each.endings if ending.fate == ENDS]
    if pool:
        yield Panel(f"What has ended so far; the search {bound}", tuple(map(_pooled, pool)), "words", more=True)


def _candidates(step: Round, parents: Sequence[Line]) -> Iterator[Html]:
    """A row for each, with a line between two banks; of those that give way, the first ones of each bank."""
    for bank in step.banks:
        entries = [entry for entry in step.entries if entry.line.bank == bank]
        gone = [entry for entry in entries if not entry.lives]
        shown = [entry for entry in entries if entry.lives or entry in gone[:GIVING_WAY]]
        for entry in shown:
            where = f"{entry.beam + 1} {chip(parents[entry.beam].tokens[-1])}" if parents else "start"
            goes = f"as {entry.place + 1}" if entry.lives else "no"
            token = _newest(entry) if entry.lives else chip(entry.token, "unknown")
            first = entry is shown[0]
            yield (
                f"<tr{' class=cut' * (first and bank != step.banks[0])}><th scope=row class=n>{bank if first else ''}"
                f"<td class=n>{entry.turn + 1}<td>{where}<td>{token}"
                f"<td class=n>{minus(entry.line.total)}<td style=width:99%>{goes}{', demanded' * entry.demanded}"
            )
        if len(entries) > len(shown):
            yield f"<tr><td><td colspan=5>… and {len(entries) - len(shown)} more that give way"


def _newest(entry: Entry) -> Html:
    return _demanded(entry.token) if entry.demanded else chip(entry.token, "new")


def _beam(entry: Entry, demands: Sequence[Demand]) -> Html:
    line = entry.line
    states = "".join(f"<td>{state_of(line, place, demand)}" for place, demand in enumerate(demands))
    written = f"<td class=text style=width:99%>{_written(entry)}"
    return f"<tr><th scope=row class=n>{entry.place + 1}{written}{states}<td class=n>{line.bank}"


def state_of(line: Line, place: int, demand: Demand) -> str:
    """How far a beam is with a demand, in words.

    >>> line = Line(("a",), -1.0, (1, 0), (False, False), 1)
    >>> state_of(line, 0, Demand(("ab",), (("a", "b"),))), state_of(line, 1, Demand(("c",), (("c",),)))
    ('◐ 1 of 2', '○ pending')
    """
    if line.complete[place]:
        return COMPLETE
    return f"◐ {line.there[place]} of {demand.longest}" if line.there[place] else PENDING


def _written(entry: Entry) -> Html:
    tokens = entry.line.tokens
    return "… " * (len(tokens) > LAST) + " ".join([*map(chip, tokens[-LAST:-1]), _newest(entry)])


def _ending(ending: Ending) -> Html:
    return f"<li><span>{minus(ending.total)}</span> <div>{text(_said(ending.line))}: {ENDED[ending.fate]}</div>"


def _pooled(ending: Ending) -> Html:
    return f"<li><span>{minus(ending.total)}</span> <div>{text(_said(ending.line))}</div>"


def _said(line: Line) -> str:
    return spoken(line.tokens) or "nothing"


# ---- The outcome ----


def _outcome(outcome: Outcome, demanded: Demanded) -> Frame:
    best = outcome.lines[0]
    holds = "It holds all that is demanded" if best.met else "What is demanded is not in it: no beam got there in time"
    said = f"“{text(_said(best))}” has the best score: {minus(outcome.scores[0], 3)}. {holds}."
    remark = (
        f"By itself it would be “{demanded.alone}”, with the sum {minus(demanded.total)}. This one's is "
        f"{minus(best.total)}: {_beside(best.total - demanded.total)}."
    )
    heads = (" ", "output", "what is demanded", "sum ", "score ")
    rows = (
        f"<tr><th scope=row class=n>{place}<td class=text>{text(_said(line))}<td>{'there' if line.met else 'missing'}"
        f"<td class=n>{minus(line.total)}<td class=n><strong>{minus(score, 3)}</strong>"
        for place, (line, score) in enumerate(zip(outcome.lines, outcome.scores, strict=True), start=1)
    )
    cut = f"; {outcome.opened} of them {'was' if outcome.opened == 1 else 'were'} cut off" * bool(outcome.opened)
    return Frame("The outcome", said, text(remark), (Panel(f"The hypotheses{cut}", table(heads, rows), wide=True),))


def _beside(difference: float) -> str:
    """How a sum stands beside the one of the search in which nothing is demanded.

    >>> print(_beside(-1.5))
    with what is demanded this search comes 1.50 lower
    >>> print(_beside(-0.001))
    with what is demanded this search comes to the same
    """
    there = f"{abs(difference):.2f} {'lower' if difference < 0 else 'higher'}"
    return f"with what is demanded this search comes {there if round(difference, 2) else 'to the same'}"


# ---- Questions ----


def _questions(recording: Recording[Any, Any]) -> dict[int, Question]:
    """By the number of steps done: who goes on, in which bank a beam is, and what breaks; never two at once."""
    asked: dict[int, Question] = {}
    demands = recording[0].demands if len(recording) else ()
    for ask in (_which_bank, _is_likelier_enough, _is_a_fuller_bank_enough, _what_breaks):
        for number in range(2, len(recording) - 1):
            step = recording[number]
            if number not in asked and (question := ask(step, recording[number - 1], demands)):
                asked[number] = question
                break
    return asked


def _is_likelier_enough(step: Round, before: Round, demands: Sequence[Demand]) -> Question | None:
    """Are the best scores kept (85)?"""
    kept = _kept(step, best_scores_first)
    lives = [entry for entry in step.entries if entry.lives and entry not in kept]
    gone = [entry for entry in kept if not entry.lives]
    return _which(step, lives, gone, "It is likelier")


def _is_a_fuller_bank_enough(step: Round, before: Round, demands: Sequence[Demand]) -> Question | None:
    """Does the fullest bank send all that it has (85)?"""
    kept = _kept(step, fullest_bank_first)
    lives = [entry for entry in step.entries if entry.lives and entry not in kept]
    gone = [entry for entry in kept if not entry.lives]
    return _which(step, lives, gone, "It is further")


def _kept(step: Round, order: Any) -> list[Entry]:
    """Who would go on by another rule."""
    banks = [entry.line.bank for entry in step.entries]
    scores = [entry.line.total for entry in step.entries]
    return [step.entries[place] for place in order(banks, scores)[: len(step.lines)]]


def _which(step: Round, lives: Sequence[Entry], gone: Sequence[Entry], told: str) -> Question | None:
    pairs = [
        (one, other)
        for one in lives
        for other in gone
        if one.token != other.token and one.turn < other.turn and abs(one.line.total - other.line.total) > CLEAR
    ]
    if not pairs:
        return None
    one, other = pairs[0]
    facts: tuple[Fact, ...] = (("turn", one.token, one.turn + 1), ("turn", other.token, other.turn + 1))
    reason = (
        f"{chip(one.token)} is number {one.turn + 1} of its bank, {chip(other.token)} number {other.turn + 1} of its "
        "own: banks take turns, and all first ones come before any second one."
    )
    prompt = f"{_place(one)}; {_place(other)}. There is room for one of these two. Which?"
    options = (
        Option(chip(one.token), reason, right=True, facts=facts),
        Option(chip(other.token), f"{told}, and has to wait. {reason}", belief=85, facts=facts),
    )
    return Question(prompt, options).shuffled()


def _place(entry: Entry) -> Html:
    total = minus(entry.line.total)
    return f"{chip(entry.token)} is number {entry.turn + 1} of bank {entry.line.bank}, with the sum {total}"


def _which_bank(step: Round, before: Round, demands: Sequence[Demand]) -> Question | None:
    """Does the bank count the tokens that are there (85)?"""
    lengths = [demand.longest for demand in demands]
    for entry in step.entries:
        line = entry.line
        alone = finished_part_alone(lengths, line.there)
        if any(line.there) and alone != line.bank:
            begun = next(place for place, there in enumerate(line.there) if there and not line.complete[place])
            missing = lengths[begun] - line.there[begun]
            facts: tuple[Fact, ...] = (("missing", None, missing), ("longest", None, max(lengths)))
            whole = sum(line.complete)
            why = (
                f"The longest demand has {max(lengths)} tokens; the one that is begun counts that less the {missing} "
                f"that are missing{f', and each that is complete {max(lengths)}' if whole else ''}."
            )
            prompt = (
                f"{chip(spoken(line.tokens))} has {line.there[begun]} of the {lengths[begun]} tokens of demand "
                f"{begun + 1}{f', and {whole} complete' if whole else ''}. In which bank is it?"
            )
            options = (
                Option(f"{line.bank}", why, right=True, facts=facts),
                Option(f"{alone}", f"A shorter one has a head start. {why}", belief=85, facts=facts),
            )
            return Question(prompt, options).shuffled()
    return None


def _what_breaks(step: Round, before: Round, demands: Sequence[Demand]) -> Question | None:
    """Does what was there stay, when another token comes (83)?"""
    for entry in step.entries:
        for place, demand in enumerate(demands):
            there = before.lines[entry.beam].there[place]
            if there and not before.lines[entry.beam].complete[place] and entry.line.there[place] == 0:
                facts: tuple[Fact, ...] = (("there", None, there),)
                lost = f"the {there} tokens that were there are" if there > 1 else "the 1 token that was there is"
                why = f"{chip(entry.token)} does not go on with it: {lost} lost."
                prompt = (
                    f"Beam {entry.beam + 1} has {there} of the {demand.longest} tokens of demand {place + 1}. "
                    f"How many has it after {chip(entry.token)}?"
                )
                options = (
                    Option("0", why, right=True, facts=facts),
                    Option(f"{there}", f"A phrase comes in one piece. {why}", belief=83, facts=facts),
                )
                return Question(prompt, options).shuffled()
    return None
