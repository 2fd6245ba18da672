"""The distribution of the next token, before and after each change, with a line where a filter cuts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import log
from typing import Any

from tokenlab.misconceptions.sampling import exclude_crossing_token, temperature_last
from tokenlab.show.frames import Fact, Frame, Html, Option, Panel, Question, Window, chip, text, view
from tokenlab.show.views import tables
from tokenlab.steps import Recording
from tokenlab.transformers.generation.sampling_steps import NEXT_TO_NOTHING, Changed, Cut, Predicted, said

TEMPERATURE, TOP_P, TYPICAL = "TemperatureLogitsWarper", "TopPLogitsWarper", "TypicalLogitsWarper"
APART = 0.002  # a sum that is as near to top_p might be cut by rounding


@view("tokenlab.transformers.generation.next_token.next_token")
def changes(recording: Recording[Any, Any], window: Window) -> Iterator[Frame]:
    """A frame before anything, one for the model's own distribution, one after each change."""
    largest = max(max(shares_of(step)) for step in recording)
    asked = _questions(recording)
    surprising = any(isinstance(step, Changed) and step.name == TYPICAL for step in recording)
    for number in range(window.first, window.end + 1):
        done = recording[number - 1] if number else None
        yield Frame(
            moment=_moment(done, number - 1),
            caption=_caption(done),
            remark=_remark(done, number == len(recording), surprising),
            panels=tuple(_panels(done, largest)),
            question=asked.get(number),
        )


def shares_of(step: Predicted | Changed) -> tuple[float, ...]:
    """All probabilities that a step shows."""
    return step.probabilities if isinstance(step, Predicted) else step.before + step.after


def _moment(done: Any, changes: int) -> str:
    match done:
        case Predicted():
            return "The model's distribution"
        case Changed():
            return f"After change {changes}"
    return "Before the model"


def _caption(done: Any) -> Html:
    match done:
        case Predicted():
            best = f"{chip(done.tokens[0])} is the likeliest next one: {said(done.probabilities[0])}"
            return f"The model has given each of its {done.left} tokens a probability. {best}."
        case Changed():
            what = f"<code>{text(done.name)}({text(done.told)})</code>"
            if done.left == done.were:
                return f"{what} cuts off nothing. {_moved(done)}"
            others = "The other" if done.were - done.left == 1 else "The others"
            return f"{what} leaves {done.left} of {done.were} tokens. {others} had {said(done.taken)}."
    return "The encoder has read its text. Which token comes next?"


def _moved(done: Changed) -> Html:
    """The token whose probability has changed most."""
    most = max(range(len(done.tokens)), key=lambda place: abs(done.after[place] - done.before[place]))
    if said(done.before[most]) == said(done.after[most]):
        return "No probability that is shown here has changed."
    return f"{chip(done.tokens[most])} had {said(done.before[most])} and has {said(done.after[most])}."


def _remark(done: Any, last: bool, surprising: bool) -> Html:
    """The rule of a cut; and what surprise is to be expected, where a rule asks for it."""
    match done:
        case Predicted() if surprising:
            return f"The expected surprise is {done.entropy:.2f}."
        case Changed(cut=Cut(why=why)):
            return f"Its rule: {text(why)}."
        case Changed() if last:
            return "From this distribution the token is drawn."
    return ""


# --- the table ------------------------------------------------------------------------------------


def _panels(done: Any, largest: float) -> Iterator[Panel]:
    match done:
        case Predicted():
            yield tables.table("The likeliest tokens", list(_predicted(done, largest)))
        case Changed():
            yield tables.table("The likeliest tokens, before and after", list(_compared(done, largest)))


def _predicted(done: Predicted, largest: float) -> Iterator[Html]:
    yield tables.heads("token", "probability")
    for token, share in zip(done.tokens, done.probabilities, strict=True):
        yield tables.row(chip(token), tables.bar(share / largest, said(share), width=80))
    yield from _others(done.left - len(done.tokens), [max(NEXT_TO_NOTHING, 1 - sum(done.probabilities))])


def _compared(done: Changed, largest: float) -> Iterator[Html]:
    """A row for each token, and a line wherever the cut parts two rows."""
    looked, what = what_it_looked_at(done)
    columns = [what] * bool(looked) + ["before", "after"]
    yield tables.heads("token", *columns, numbers=bool(looked))
    above = None
    for place, (token, before, after) in enumerate(zip(done.tokens, done.before, done.after, strict=True)):
        stays = after > 0
        if done.cut and above not in (None, stays):
            yield tables.line(f"the cut: what stands {'above' if above else 'below'} stays", 1 + len(columns))
        above = stays
        bars = (
            tables.bar(before / largest, said(before)),
            tables.bar(after / largest, said(after) if stays else "×", tables.GREEN),
        )
        yield tables.row(chip(token), *(tables.number(number) for number in looked[place : place + 1]), *bars)
    if done.cut and above and done.left < done.were:
        shown = sum(after > 0 for after in done.after)
        where = "the cut: what stands above stays" if shown == done.left else "the cut lies further down"
        yield tables.line(where, 1 + len(columns))
    yield from _others(done.were - len(done.tokens), list(done.rest), bool(looked))


def what_it_looked_at(done: Changed) -> tuple[list[str], str]:
    """What a filter compares for each token that is shown, and what that is called; nothing for probabilities."""
    if done.cut is None or done.cut.what == "probability":
        return [], ""
    form = ".0f" if done.cut.what == "rank" else ".3f"
    return [f"{number:{form}}" for number in done.cut.looked], done.cut.what


def _others(tokens: int, shares: list[float], looked: bool = False) -> Iterator[Html]:
    """What is not shown, together."""
    if tokens > 0:
        name = "1 token more" if tokens == 1 else f"{tokens} tokens more"
        cells = (tables.bar(0, said(share) if share else "×") for share in shares)
        yield tables.row(name, *[tables.number("")] * looked, *cells)


# --- questions ------------------------------------------------------------------------------------


def _questions(recording: Recording[Any, Any]) -> dict[int, Question]:
    """By the number of steps that are done: how many tokens top-p keeps, where all that it keeps are shown."""
    asked = {}
    for number, following in enumerate(recording):
        if isinstance(following, Changed) and following.name == TOP_P and 1 < following.left < len(following.tokens):
            question = _how_many(recording[:number], following)
            if question is not None:
                asked[number] = question
    return asked


def _how_many(done: Sequence[Any], following: Changed) -> Question | None:
    """The last one, too (47)? And by which probabilities (48)?"""
    top_p, left = setting_of(following), following.left
    together, fewer = sum(following.before[:left]), sum(following.before[: left - 1])
    if min(abs(together - top_p), abs(fewer - top_p)) < APART:
        return None
    excluded = len(exclude_crossing_token(everything(following.before, following.were), top_p))
    facts: tuple[Fact, ...] = (("together", left, round(together, 3)), ("together", excluded, round(fewer, 3)))
    first = "the likeliest has" if excluded == 1 else f"the likeliest {excluded} have"
    why = (
        f"The likeliest {left} have {together:.3f} together, and {first} {fewer:.3f}: the one with which {top_p} is "
        "reached stays."
    )
    options = {
        left: Option(str(left), why, right=True, facts=facts),
        excluded: Option(str(excluded), f"So few have less than the share. {why}", belief=47, facts=facts),
    }
    match done:
        case [Predicted() as model, Changed(name=name) as warmed] if name == TEMPERATURE:
            scores = [log(share) for share in everything(model.probabilities, model.left) if share]
            last = len(temperature_last(scores, setting_of(warmed), top_p))
            told = f"That many would stay without the temperature, which came first here. {why}"
            options.setdefault(last, Option(str(last), told, belief=48, facts=(*facts, ("without", last, last))))
    prompt = f"Next comes <code>{text(following.name)}({text(following.told)})</code>. How many tokens will it leave?"
    return Question(prompt, tuple(options.values())).shuffled()


def setting_of(change: Changed) -> float:
    """The one number that a warper was told.

    >>> setting_of(Changed(TOP_P, "top_p=0.7", (), (), (), 0, 0, 0, None))
    0.7
    """
    return float(change.told.partition("=")[2])


def everything(shown: Sequence[float], tokens: int) -> list[float]:
    """The probabilities of all tokens, as if those that are not shown had the same; none of them has more.

    >>> everything([0.5, 0.25], 4)
    [0.5, 0.25, 0.125, 0.125]
    """
    others = tokens - len(shown)
    return [*shown, *[max(0.0, 1 - sum(shown)) / others] * others] if others else list(shown)
