"""Contrastive search as its two terms over the candidates: the confidence, the penalty, the score and the choice."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from statistics import fmean
from typing import Any, TypeAlias

from tokenlab.misconceptions.streaming import choice_by
from tokenlab.show.frames import Fact, Frame, Html, Option, Panel, Question, Window, bar, chip, text, view
from tokenlab.show.views import matrices
from tokenlab.show.views.numbers import minus
from tokenlab.steps import Recording
from tokenlab.transformers.generation.contrastive_steps import Reranked, Rival
from tokenlab.transformers.generation.naming import Answered

LONGEST = 60  # tokens that are shown of what is written
IN_HEAT = matrices.WITH_NUMBERS  # places that each candidate is compared with in the picture: the last ones
START = "start"
APART = 0.015  # two decimals tell these numbers apart

Label: TypeAlias = Callable[[Rival], Html]


@view("tokenlab.transformers.generation.contrasting.contrast")
def contrastive_search(recording: Recording[Any, Any], window: Window) -> Iterator[Frame]:
    """A frame before all, one for greedy search, and one for each token that is written."""
    names, steps = recording.result, [step for step in recording if isinstance(step, Reranked)]
    written = [START, *(names.name(_chosen(step).token) for step in steps)]
    alpha = recording.arguments["penalty_alpha"]
    asked = _questions(steps, written, names, alpha)
    for number in range(window.first, window.end + 1):
        done = recording[number - 1] if number else None
        last = isinstance(done, Reranked) and number == len(recording)
        yield Frame(
            moment=_moment(done),
            caption=_caption(done, recording),
            remark=_both(recording) if last else _remark(done, written, names),
            panels=tuple(_panels(done, written, names, alpha)),
            question=asked.get(number),
        )


def _chosen(step: Reranked) -> Rival:
    """The candidate that the one text of a recording gets."""
    place = step.chosen[0]
    assert place is not None
    return step.rivals[0][place]


def _moment(done: Any) -> str:
    if isinstance(done, Reranked):
        return f"Token {done.number}"
    return "Before the first token" if done else "The text"


def _caption(done: Any, recording: Recording[Any, Any]) -> Html:
    if done is None:
        return f"This is read: {text(recording.arguments['text'])}"
    if not isinstance(done, Reranked):
        return f"Greedy search, which always takes the likeliest token, writes: {text(done.text)}"
    names, rivals = recording.result, done.rivals[0]
    chosen = chip(names.name(_chosen(done).token), "new")
    if done.chosen[0] == 0:
        return f"{chosen} is the likeliest, and it has the best score, too."
    past = "start" if done.number == 1 else "past"
    return f"{chosen} is written: {chip(names.name(rivals[0].token))} is likelier, and too much like the {past}."


def _remark(done: Any, written: Sequence[str], names: Answered) -> Html:
    if not isinstance(done, Reranked):
        return ""
    if done.number == 1:
        return "There is nothing yet but the start to be like."
    likeliest = done.rivals[0][0]
    return (
        f"The state of {chip(names.name(likeliest.token))} is most like that of {_place(written, nearest(likeliest))}: "
        f"{minus(likeliest.penalty)}."
    )


def _both(recording: Recording[Any, Any]) -> Html:
    """The whole text beside that of greedy search."""
    greedy, whole = recording[0].text, recording.result.texts[0]
    if greedy == whole:
        return f"All of it: {text(whole)}<br>Greedy search writes the same."
    return f"All of it: {text(whole)}<br>Greedy search writes: {text(greedy)}"


def nearest(rival: Rival) -> int:
    """The place whose likeness is the penalty."""
    return rival.likenesses.index(rival.penalty)


def _place(written: Sequence[str], place: int) -> Html:
    return "the start" if place == 0 else f"{chip(written[place])} (token {place})"


def decimals_of(scores: Sequence[float]) -> int:
    """Two, or three where the best would look like another one or like nothing.

    >>> decimals_of([0.067, 0.081]), decimals_of([0.067, 0.074]), decimals_of([-0.3, -0.004])
    (2, 3, 3)
    """
    best, *others = sorted(scores, reverse=True)
    return 3 if minus(best) in {minus(0), *map(minus, others)} else 2


def _panels(done: Any, written: Sequence[str], names: Answered, alpha: float) -> Iterator[Panel]:
    if done is None:
        return
    if not isinstance(done, Reranked):
        yield Panel("Greedily", (_chips([chip(token) for token in done.tokens]),), wide=True)
        return
    like = nearest(done.rivals[0][0]) if done.number > 1 else 0
    past = [_amber(chip(token)) if place == like else chip(token) for place, token in enumerate(written[: done.number])]
    yield Panel("What is written", (_chips([*past[1:], chip(written[done.number], "new")]),), wide=True)
    yield from terms(done.rivals[0], _named(names), alpha, done.chosen[0])
    first = max(0, done.number - IN_HEAT)
    title = "Likeness to every place so far" if first == 0 else f"Likeness to the last {IN_HEAT} places"
    rows = [names.name(rival.token) for rival in done.rivals[0]]
    yield Panel(title, heat(done.rivals[0], rows, written[first : done.number]), more=True)


def _named(names: Answered) -> Label:
    return lambda rival: chip(names.name(rival.token))


def _amber(shown: Html) -> Html:
    """A chip in the colour of the past; a class would be taken off while a question is open."""
    return shown.replace("<b", '<b style="background:var(--right)"', 1)


def _chips(shown: Sequence[Html]) -> Html:
    return f"<li>{'… ' if len(shown) > LONGEST else ''}{' '.join(shown[-LONGEST:])}"


def terms(rivals: Sequence[Rival], label: Label, alpha: float, written: int | None) -> Iterator[Panel]:
    """Confidence, penalty and score, a row for each candidate in the same order; and which is written, once it is."""
    confidence = [bar(label(rival), rival.probability, f"{rival.probability:.2f}") for rival in rivals]
    yield Panel("Confidence: the probability", tuple(confidence), kind="bars")
    penalty = [bar(label(rival), max(0.0, rival.penalty), minus(rival.penalty)) for rival in rivals]
    yield Panel("Degeneration penalty", tuple(penalty), kind="bars")
    lowest = min(rival.score for rival in rivals)
    room = max(rival.score for rival in rivals) - lowest or 1.0
    decimals = decimals_of([rival.score for rival in rivals])
    rows = [
        (_written if place == written else bar)(
            label(rival), (rival.score - lowest) / room, minus(rival.score, decimals)
        )
        for place, rival in enumerate(rivals)
    ]
    formula = f"{minus(1 - alpha)} × confidence − {minus(alpha)} × penalty"
    title = f"Score: {formula} (the lowest has no bar)"
    yield Panel(title, tuple(rows), kind="bars", hides=written is None, wide=True)


def _written(label: Html, share: float, score: str) -> Html:
    """The bar of what is written; also while a question about the next token is open."""
    number = f'<td style="color:var(--ink);font-weight:600">written {score}'
    return bar(label, share, score).replace("%></i>", "%;background:var(--new)></i>").replace(f"<td>{score}", number)


def heat(rivals: Sequence[Rival], rows: Sequence[str], places: Sequence[str]) -> tuple[Html, Html]:
    """The likeness of each candidate to the last places."""
    likenesses = [rival.likenesses[len(rival.likenesses) - len(places) :] for rival in rivals]
    return matrices.drawn(matrices.Named("each row a candidate, each column a place", likenesses, rows, places))


# --- questions ------------------------------------------------------------------------------------


def _questions(steps: Sequence[Reranked], written: Sequence[str], names: Answered, alpha: float) -> dict[int, Question]:
    """By the number of steps done, greedy search among them: what is a penalty, and who is written?"""
    asked: dict[int, Question] = {}
    for step in steps[1:]:
        if (question := _which_penalty(step, written, names)) is not None:
            asked[step.number] = question
            break
    turns = [step for step in steps if step.chosen[0] and step.number > 1]
    for step in turns[:2]:
        if (question := which_choice(step.rivals[0], step.chosen[0], _named(names), alpha)) is not None:
            asked[step.number] = question
    return asked


def _which_penalty(step: Reranked, written: Sequence[str], names: Answered) -> Question | None:
    """The largest of the likenesses, or their mean, or the last (87)?"""
    rival, number = step.rivals[0][0], len(step.rivals[0][0].likenesses)
    mean, last = fmean(rival.likenesses), rival.likenesses[-1]
    if not (3 <= number <= 8 and min(rival.penalty - mean, rival.penalty - last, abs(mean - last)) > APART):
        return None
    listed = ", ".join(f"{_place(written, place)} {minus(like)}" for place, like in enumerate(rival.likenesses))
    facts: tuple[Fact, ...] = (("penalty", rival.token, rival.penalty),)
    why = f"The largest counts, {minus(rival.penalty)}: one earlier token that it is like is enough."
    options = (
        Option(minus(rival.penalty), why, right=True, facts=facts),
        Option(minus(mean), f"That is the mean. {why}", belief=87, facts=facts),
        Option(minus(last), f"That is the newest token alone. {why}", belief=87, facts=facts),
    )
    prompt = (
        f"{chip(names.name(rival.token))} is likeliest now. How like its state is to that of each place so far: "
        f"{listed}. Which number is its penalty?"
    )
    return Question(prompt, options).shuffled()


def which_choice(rivals: Sequence[Rival], right: int | None, label: Label, alpha: float) -> Question | None:
    """The best by both terms, or what who rewards likeness, or takes its mean, or its last, would write (87)?"""
    assert right is not None
    penalties: dict[str, list[float]] = {
        "Likeness is subtracted, so that what is like the past loses.": [-rival.penalty for rival in rivals],
        "Not the mean counts, but the largest likeness.": [fmean(rival.likenesses) for rival in rivals],
        "Not the newest token alone counts, but the largest likeness.": [rival.likenesses[-1] for rival in rivals],
    }
    best = sorted((rival.score for rival in rivals), reverse=True)
    if len(best) < 2 or best[0] - best[1] < APART:
        return None  # nothing to choose, or a rounding would decide
    wrong: dict[int, str] = {}
    for reason, penalty in penalties.items():
        place = choice_by(penalty, [rival.probability for rival in rivals], alpha)
        if place != right:
            wrong.setdefault(place, reason)
    if not wrong:
        return None
    asked = sorted((right, *wrong))
    why, facts = _scores(rivals, asked, label), tuple(("score", place, rivals[place].score) for place in asked)
    options = [Option(label(rivals[right]), why, right=True, facts=facts)]
    for place, reason in wrong.items():
        options.append(Option(label(rivals[place]), f"{reason} {why}", belief=87, facts=facts))
    listed = "; ".join(
        f"{label(rivals[place])} has confidence {minus(rivals[place].probability)} and penalty "
        f"{minus(rivals[place].penalty)}"
        for place in asked
    )
    shares = f"The penalty counts {minus(alpha)}, the confidence {minus(1 - alpha)}."
    prompt = f"{listed[0].upper()}{listed[1:]}. {shares} Which is written?"
    return Question(prompt, tuple(options)).shuffled()


def _scores(rivals: Sequence[Rival], places: Sequence[int], label: Label) -> Html:
    """The scores of some candidates, the best first."""
    decimals = decimals_of([rival.score for rival in rivals])
    best, *others = sorted(places, key=lambda place: -rivals[place].score)
    told = [f"{_with_likeliest(best, rivals, label)} has the score {minus(rivals[best].score, decimals)}"]
    told += [f"{_with_likeliest(place, rivals, label)} {minus(rivals[place].score, decimals)}" for place in others]
    return f"{', '.join(told)}."


def _with_likeliest(place: int, rivals: Sequence[Rival], label: Label) -> Html:
    """A candidate's label; the likeliest is said to be it."""
    return f"{label(rivals[place])}{'' if place else ', the likeliest,'}"
