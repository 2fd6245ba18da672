"""Span corruption: the noise mask as it is drawn, and then the input and the target, which grow run by run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tokenlab.algorithms.span_corruption import (
    Counted,
    Ended,
    Interleaved,
    Replaced,
    Segmented,
    Token,
    corrupt,
    corrupt_spans,
)
from tokenlab.show.frames import Fact, Frame, Html, Mark, Option, Panel, Question, Window, chip, text, view
from tokenlab.steps import Recording

SHOWN, SOME = 120, 12  # tokens, at the most: in the text, in a question

Runs = Sequence[tuple[int, int, bool]]  # start, end, and whether it is noise


@view(corrupt, corrupt_spans)
def span_corruption(recording: Recording[Any, Any], window: Window) -> Iterator[Frame]:
    """A frame before the first step, and one after each."""
    asked = _questions(recording)
    for number in range(window.first, window.end + 1):
        done = recording[number - 1] if number else None
        said = str(done)
        yield Frame(
            moment=f"After step {number}" if number else "Before step 1",
            caption=text(f"{said[0].upper()}{said[1:]}.") if done else "A text of which some spans are to be guessed.",
            remark=_remark(recording, done),
            panels=tuple(_panels(recording, recording.steps[:number])),
            question=asked.get(number),
        )


def _remark(recording: Recording[Any, Any], done: Any) -> Html:
    match done:
        case Counted():
            return "No chance is in these two numbers. Chance only decides where the spans are cut."
        case Segmented():
            return "Every way to cut them is equally likely."
        case Interleaved():
            return "Kept and noise take turns, and the first span is kept."
        case Ended():
            return f"To write all of it again would be a target of {len(recording.arguments['tokens']) + 1:,}."
    return ""


def _panels(recording: Recording[Any, Any], done: Sequence[Any]) -> Iterator[Panel]:
    tokens = recording.arguments["tokens"]
    replaced = [step for step in done if isinstance(step, Replaced)]
    lengths = [step for step in done if isinstance(step, Segmented)]
    if lengths and not replaced:
        rows = (_row("noise" if cut.noise else "kept", map(_length, cut.lengths)) for cut in lengths)
        yield Panel("How many tokens each span has", tuple(rows), kind="words", wide=True)
    runs = _runs_of(recording) if replaced or (done and isinstance(done[-1], Interleaved | Ended)) else []
    title = "The text; what is noise has a dashed frame" if runs else "The text"
    yield Panel(title, (f"<li>{_marked(tokens, runs)}",), wide=True)
    if replaced or (done and isinstance(done[-1], Ended)):
        yield from _sides(tokens, done, replaced)


def _runs_of(recording: Recording[Any, Any]) -> Runs:
    return [(step.start, step.end, step.noise) for step in recording if isinstance(step, Replaced)]


def _marked(tokens: Sequence[Token], runs: Runs) -> Html:
    """The text, with its noise marked."""
    noise = {place for start, end, noisy in runs if noisy for place in range(start, end)}
    chips = [_chip(token, "unknown" if place in noise else "") for place, token in enumerate(tokens[:SHOWN])]
    more = f" … and {len(tokens) - SHOWN:,} more" if len(tokens) > SHOWN else ""
    return " ".join(chips) + more


def _sides(tokens: Sequence[Token], done: Sequence[Any], replaced: Sequence[Replaced]) -> Iterator[Panel]:
    """The input and the target as far as they are made; what the last step added to them is marked."""
    sides: dict[bool, list[Html]] = {False: [], True: []}
    for step in replaced:
        new: Mark = "new" if step is done[-1] else ""
        sides[step.noise] += [_chip(token, new) for token in tokens[step.start : step.end]]
        sides[not step.noise].append(_chip(step.sentinel, new) if new else _sentinel(step.sentinel))
    if isinstance(done[-1], Ended):
        for side in sides.values():
            side.append(_chip(done[-1].eos, "new"))
    names = (("The input", "what the model reads"), ("The target", "what it shall write"))
    colours = "; sentinels are blue, what is new is green" if replaced else ""
    for (name, what), side in zip(names, sides.values(), strict=True):
        title = f"{name}, {len(side):,} token{'' if len(side) == 1 else 's'}: {what}{colours}"
        more = "… " if len(side) > SHOWN else ""
        yield Panel(title, (f"<li>{more}{' '.join(side[-SHOWN:])}",), wide=True)


def _row(name: str, cells: Any) -> Html:
    return f"<li><span>{name}</span> <div>{' '.join(cells)}</div>"


def _length(length: int) -> Html:
    return f"<b>{length:,}</b>"


def _chip(token: Token, mark: Mark = "") -> Html:
    return chip(str(token), mark)


def _sentinel(token: Token) -> Html:
    """A chip in a colour that stays while a question is open."""
    return _chip(token).replace("<b>", "<b style=background:var(--left)>", 1)


def _questions(recording: Recording[Any, Any]) -> dict[int, Question]:
    """By the number of steps that are done: about what is kept, a long span, what is kept next, and the end."""
    noise = [index for index, step in enumerate(recording) if isinstance(step, Replaced) and step.noise]
    asked: dict[int, Question] = {}
    long = next((index for index in noise if index and recording[index].end - recording[index].start > 1), None)
    if long is not None:
        asked[long] = _how_many(recording, recording[long])
    kept = [index for index, step in enumerate(recording) if isinstance(step, Replaced) and not step.noise]
    if noise and kept and kept[0]:  # no caption before it says what the target has for kept tokens
        asked[kept[0]] = _what_is_kept(recording, recording[kept[0]])
    if len(kept) > 1:
        asked[kept[1]] = _which(recording, recording[kept[0]], recording[kept[1]])
    if len(recording) > 1 and noise:
        asked[len(recording) - 1] = _the_end(recording)
    return asked


def _named(tokens: Sequence[Token]) -> Html:
    return " ".join(map(_chip, tokens))


def _what_is_kept(recording: Recording[Any, Any], step: Replaced) -> Question:
    """A sentinel in the target, or the tokens once more (71)?"""
    tokens, length = recording.arguments["tokens"][step.start : step.end], step.end - step.start
    facts: tuple[Fact, ...] = (("kept tokens", step.start, length),)
    why = f"Kept tokens here: {length}. The input has them, so the target has one sentinel for them."
    options = (
        Option("one sentinel", why, right=True, facts=facts),
        Option("the same tokens", f"Nothing is asked that can be read. {why}", belief=71, facts=facts),
    )
    return Question(f"What will the target have for {_named(tokens[:SOME])}?", options).shuffled()


def _how_many(recording: Recording[Any, Any], step: Replaced) -> Question:
    """One sentinel for a span, or one for each token (68)?"""
    tokens, length = recording.arguments["tokens"][step.start : step.end], step.end - step.start
    facts: tuple[Fact, ...] = (("noise tokens", step.start, length),)
    why = f"The {length} tokens are one span, and a span leaves one sentinel, however long it is."
    options = (
        Option("one sentinel", why, right=True, facts=facts),
        Option(
            f"{length} sentinels", f"One for each token would tell how many there are. {why}", belief=68, facts=facts
        ),
    )
    return Question(f"What will the input have for {_named(tokens[:SOME])}?", options).shuffled()


def _which(recording: Recording[Any, Any], first: Replaced, step: Replaced) -> Question:
    """A sentinel of its own, or the first again (66)?"""
    tokens = recording.arguments["tokens"][step.start : step.end]
    facts: tuple[Fact, ...] = (("kept runs before", step.start, 1),)
    why = f"1 run of kept tokens has a sentinel already, and each has its own: the next is {_chip(step.sentinel)}."
    again = f"With {_chip(first.sentinel)} again nobody could tell which tokens belong where. {why}"
    options = (
        Option(_chip(step.sentinel), why, right=True, facts=facts),
        Option(_chip(first.sentinel), again, belief=66, facts=facts),
    )
    return Question(f"Which sentinel will the target have for {_named(tokens[:SOME])}?", options).shuffled()


def _the_end(recording: Recording[Any, Any]) -> Question:
    """A target ends in noise and the end, or in a sentinel and the end (69), or without the end (70)."""
    last, eos = recording[-2], recording[-1].eos
    token = recording.arguments["tokens"][-1]
    sentinel = last.sentinel
    noisy = last.noise
    facts: tuple[Fact, ...] = (("kept tokens at the end", None, 0 if noisy else last.end - last.start),)
    if noisy:
        why = f"0 kept tokens follow the last span, so no sentinel does: {_chip(eos)} comes at once."
    else:
        kept = last.end - last.start
        why = f"Kept tokens at the end: {kept}. {_chip(sentinel)} stands for them, then comes {_chip(eos)}."
    tail = _chip(token if noisy else sentinel)
    other = f"one more sentinel and {_chip(eos)}" if noisy else f"{_chip(eos)} alone"
    options = (
        Option(f"{_chip(eos)} behind {tail}", why, right=True, facts=facts),
        Option(other, f"A sentinel in the target stands for kept tokens. {why}", belief=69, facts=facts),
        Option(
            "nothing more",
            f"A model that never sees {_chip(eos)} does not learn to stop. {why}",
            belief=70,
            facts=facts,
        ),
    )
    return Question("What ends the target?", options).shuffled()
