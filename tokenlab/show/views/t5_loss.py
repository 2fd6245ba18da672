"""The loss of each token of a target: what a place reads and should write, in one pass and with nothing later there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import exp
from typing import Any

from tokenlab.show.frames import Fact, Frame, Html, Mark, Option, Panel, Question, Window, bar, chip, text, view
from tokenlab.steps import Recording
from tokenlab.transformers.t5_steps import Averaged, Scored
from tokenlab.visible import visible

LONGEST = 64  # places that are drawn
IN_A_LINE = 10  # which have room side by side
IGNORED, HIDDEN = "-100", "hidden"  # where there is no label, or nobody may look
LEAST = 0.5  # a loss that is drawn as the longest bar, where all are smaller
APART = 0.01  # from here on two log probabilities differ by more than rounding


@view("tokenlab.transformers.t5_scoring.score_target")
def token_losses(recording: Recording[Any, Any], window: Window) -> Iterator[Frame]:
    """A frame before the first place, one after each, and one for the mean."""
    places = [step for step in recording if isinstance(step, Scored)]
    asked = _questions(recording, places)
    for number in range(window.first, window.end + 1):
        done = recording[number - 1] if number else None
        yield Frame(
            moment=_moment(done),
            caption=_caption(done),
            remark=_remark(recording, done),
            panels=tuple(_panels(places, places[:number], done)),
            question=asked.get(number),
        )


def _moment(done: Any) -> str:
    match done:
        case Scored():
            return f"Place {done.place}"
        case Averaged():
            return "The loss"
    return "Before the first place"


def _caption(done: Any) -> Html:
    match done:
        case Scored(label=None):
            return f"It reads {chip(done.read)}. Its label is -100: it does not count."
        case Scored():
            assert done.label is not None
            return f"It reads {chip(done.read)} and should write {chip(done.label, 'new')}."
        case Averaged():
            said = str(done)
            return f"{said[0].upper()}{said[1:]}."
    return "These are the labels. What does the decoder read to write them?"


def _remark(recording: Recording[Any, Any], done: Any) -> Html:
    match done:
        case Scored(label=None):
            return "The place is there because another text of the batch is longer."
        case Scored():
            assert done.together is not None and done.alone is not None
            if abs(done.together - done.alone) < APART:
                return "It is the same, up to rounding, when nothing later is there."
            later = done.sees - done.place - 1
            return f"They differ: in one pass this place also looks at {later} later token{'s' * (later != 1)}."
        case Averaged():
            return (
                f"By itself, the model writes: {chip(done.written)}"
                if done.written
                else "By itself, it writes nothing."
            )
    missing = [name for name in ("causal", "bias") if not recording.arguments[name]]
    return (
        f"Switched off: {', '.join('the causal mask' if name == 'causal' else 'the bias' for name in missing)}."
        * bool(missing)
    )


def _panels(places: Sequence[Scored], done: Sequence[Scored], last: Any) -> Iterator[Panel]:
    now = last if isinstance(last, Scored) else None
    title = "What is read, and what should be written" if done else "What should be written"
    yield Panel(title, tuple(_rows(places, now, bool(done))), kind="lines", wide=True)
    most = max([LEAST, *(-log for step in places for log in (step.together, step.alone) if log is not None)])
    if done:
        for title, values in (
            ("-log(probability) in one pass", [step.together for step in done]),
            ("When nothing later is there", [step.alone for step in done]),
        ):
            yield Panel(
                title, tuple(_bar(step, log, most) for step, log in zip(done, values, strict=True)), kind="bars"
            )


def _bar(step: Scored, log: float | None, most: float) -> Html:
    if log is None or step.label is None:
        return bar(IGNORED, 0, "does not count")
    return bar(chip(step.label), -log / most, f"{abs(log):.2f} (p {exp(log):.2f})")


def _rows(places: Sequence[Scored], now: Scored | None, reading: bool) -> Iterator[Html]:
    """Rulers of a line for what is read and one for the labels: each place stands in a column of its own."""
    sees = now.sees if now else len(places)
    for start in range(0, min(LONGEST, len(places)), IN_A_LINE):
        shown = places[start : min(LONGEST, start + IN_A_LINE)]
        ruler = f'<li class=tl-ruler style="grid-template-columns:3em {" ".join(map(_width, shown))}">'
        if reading:
            parts = (_part(step.place, step.read, "" if step.place < sees else "unknown") for step in shown)
            yield f"{ruler}<span>reads</span> {''.join(parts)}"
        parts = (_part(step.place, step.label, "new" if step is now and step.label else "") for step in shown)
        yield f"{ruler}<span>label</span> {''.join(parts)}"
    if len(places) > LONGEST:
        yield f"<li>… the first {LONGEST} of {len(places)} places"


def _width(step: Scored) -> str:
    """The width of a place's column: that of the longest that ever stands in it."""
    longest = max(len(visible(token)) for token in (step.read, step.label or IGNORED, HIDDEN))
    return f"{0.6 * longest + 0.4:.1f}em"


def _part(place: int, token: str | None, mark: Mark) -> Html:
    shown = IGNORED if token is None else HIDDEN if mark == "unknown" else text(visible(token))
    style = f'"grid-column:{place % IN_A_LINE + 2};white-space:nowrap"'
    return f'<b{mark and f" class={mark}"} tabindex=-1 data-at="{place}" style={style}>{shown}</b>'


def _questions(recording: Recording[Any, Any], places: Sequence[Scored]) -> dict[int, Question]:
    """By the number of places that are done: what is read, what is seen, and what counts."""
    counted = [step for step in places if step.label is not None]
    ignored = [step for step in places if step.label is None]
    asked: dict[int, Question] = {}
    if recording.arguments["causal"] and len(counted) > 1:
        asked[1] = _what_is_read(counted)
        if len(places) > 3:
            asked[2] = _what_is_seen(places)
    if ignored:
        asked[ignored[0].place] = _what_padding_adds(ignored[0])
        asked[len(places)] = _what_counts(len(places), len(counted))
    return {number: question for number, question in asked.items() if len(question.options) > 1}


def _what_is_read(places: Sequence[Scored]) -> Question:
    """The token before, the token itself, or one place too far back (39)?"""
    before, now = places[0], places[1]
    assert before.label is not None and now.label is not None
    facts: tuple[Fact, ...] = (("place", now.place, 1),)
    why = f"The label before it is {chip(before.label)}: that is read, and {chip(now.label)} is to be guessed from it."
    options = {before.label: Option(chip(before.label), why, right=True, facts=facts)}
    told = f"Who reads the answer has nothing to guess. {why}"
    options.setdefault(now.label, Option(chip(now.label), told, belief=39, facts=facts))
    twice = f"The start stands in front once, at place 0. {why}"
    options.setdefault(before.read, Option(chip(before.read), twice, belief=39, facts=facts))
    return Question(f"Place 1 should write {chip(now.label)}. What does it read?", tuple(options.values())).shuffled()


def _what_is_seen(places: Sequence[Scored]) -> Question:
    """Those that are there already, or all (40)?"""
    now, number = places[2], len(places)
    facts: tuple[Fact, ...] = (("places", None, number), ("seen", now.place, now.sees))
    why = f"Of the {number}, itself and those before it: {now.sees}. When it writes by itself, nothing else is there."
    options = (
        Option(f"{now.sees}", why, right=True, facts=facts),
        Option(f"all {number}", f"The next one holds what it should write. {why}", belief=40, facts=facts),
    )
    prompt = f"One pass reads {number} places at once. How many of them may place {now.place} look at?"
    return Question(prompt, options).shuffled()


def _what_padding_adds(step: Scored) -> Question:
    """Nothing, or the loss of a padding that nobody asked for (39)?"""
    facts: tuple[Fact, ...] = (("ignored", step.place, 1),)
    why = "A label of -100 is left out of the mean."
    options = (
        Option("nothing", why, right=True, facts=facts),
        Option("the loss of padding", f"Nobody reads what stands there. {why}", belief=39, facts=facts),
    )
    return Question(f"What does place {step.place}, whose label is -100, add to the loss?", options).shuffled()


def _what_counts(places: int, counted: int) -> Question:
    """The mean over the labels, or over all places (39)?"""
    facts: tuple[Fact, ...] = (("places", None, places), ("counted", None, counted))
    why = f"{counted} of {places} places have a label, and the mean is theirs."
    told = "Padding is no part of the answer: with it in the mean, the loss would say something about padding."
    options = (
        Option(f"{counted}", why, right=True, facts=facts),
        Option(f"{places}", f"{told} {why}", belief=39, facts=facts),
    )
    return Question("Over how many places is the mean taken?", options).shuffled()
