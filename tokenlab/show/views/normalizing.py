"""Normalization as a diff of characters: what each rule took away, and what it put there, with code points.

A round trip goes on with the pieces, their ids, and what comes back: the characters that were lost, by their causes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from tokenlab.algorithms.align import Aligned, Change
from tokenlab.algorithms.normalize import Normalized, normalize
from tokenlab.bert.basic import BasicTokenizer, Cut
from tokenlab.sentencepiece.round_trip import UNDONE, Decoded, Encoded, Lost, round_trip
from tokenlab.show.frames import Fact, Frame, Html, Mark, Option, Panel, Question, Window, bar, chip, text, view
from tokenlab.steps import Recording
from tokenlab.visible import visible

LONGEST = 240  # characters of a text, pieces, or parts on the ruler
CHANGES = 8  # that are listed
QUESTIONS = 4  # at the most
NOTHING = "∅"
FIRST_COLUMN = 2  # of a ruler; its name stands in the first


@view(normalize, BasicTokenizer.tokenize, round_trip)
def normalizing(recording: Recording[Any, Any], window: Window) -> Iterator[Frame]:
    """A frame for the text as it was typed, and one after each rule."""
    states = _states(recording)
    asked = _stops(recording, states, window)
    for number in range(window.first, window.end + 1):
        done = recording[number - 1] if number else None
        yield Frame(
            moment=_moment(done),
            caption=_caption(done),
            remark="" if done else "Each rule rewrites what the rule before it left.",
            panels=tuple(_panels(recording, states, number)),
            question=_question(recording, states, number) if number in asked else None,
        )


def _states(recording: Recording[Any, Any]) -> list[Aligned]:
    """The text before the first step and after each, aligned with what was typed."""
    typed = recording.arguments["text"]
    states = [Aligned.start(typed if isinstance(typed, str) else typed.decode("utf-8", "ignore"))]
    for step in recording:
        states.append(states[-1].changed(step.changes) if isinstance(step, Normalized) else states[-1])
    return states


def _moment(done: Any) -> str:
    match done:
        case Normalized():
            return f"After the rule: {done.rule}"
        case Encoded() | Cut():
            return "Cut"
        case Decoded():
            return "And back"
    return "As typed"


def _caption(done: Any) -> Html:
    match done:
        case Normalized():
            number = len(done.changes)
            what = f"changed {'one place' if number == 1 else f'{number} places'}" if number else "changed nothing"
            return f"The rule <strong>{text(done.rule)}</strong> {what}."
        case Encoded():
            return f"The normalized text was cut into {_count(len(done.pieces), 'piece')}. Each has an id."
        case Cut():
            return f"Cut at white space and signs: {_count(len(done.words), 'word')}."
        case Decoded():
            gone = sum(len(lost.text) for lost in done.lost)
            return f"{_count(gone, 'character')} did not come back." if gone else "Every character came back."
    return "This is the text as it was typed. The model will not see it like this."


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


# --- panels ---------------------------------------------------------------------------------------


def _panels(recording: Recording[Any, Any], states: Sequence[Aligned], number: int) -> Iterator[Panel]:
    done = recording[number - 1] if number else None
    before, now = states[max(number - 1, 0)], states[number]
    yield Panel("The text", tuple(_texts(done, before, now, states[0].text)), kind="words", wide=True)
    if isinstance(done, Normalized) and done.changes:
        yield Panel("What changed", tuple(_changes(done.changes, before)), kind="words", wide=True)
    if isinstance(done, Decoded):
        yield Panel("What became of the characters", tuple(_fates(states[0].text, done.lost)), kind="bars", wide=True)
    if number and not isinstance(done, Decoded):
        yield Panel("Where each character came from", _origins(states[0], now), more=True, wide=True)


def _texts(done: Any, before: Aligned, now: Aligned, typed: str) -> Iterator[Html]:
    match done:
        case Normalized() if done.changes:
            yield _row("before", _marked(before.text, [(c.start, c.old, c.old, "") for c in done.changes]))
            yield _row("after", _marked(before.text, [(c.start, c.old, c.new, "new") for c in done.changes]))
        case Encoded() | Cut():
            pieces = done.pieces if isinstance(done, Encoded) else done.words
            yield _row("text", _plain(now.text))
            yield _row("pieces" if isinstance(done, Encoded) else "words", _chips(pieces))
            if isinstance(done, Encoded):
                yield _row("ids", f"<small>{' '.join(map(str, done.ids[:LONGEST]))}</small>")
        case Decoded():
            yield _row("typed", _marked(typed, [(lost.start, lost.text, lost.text, "unknown") for lost in done.lost]))
            yield _row("back", _plain(done.text))
        case _:
            yield _row("text", _plain(now.text))


def _row(name: str, content: Html) -> Html:
    content = content or "<small>nothing</small>"
    return f"<li><span>{text(name)}</span> <div style=align-items:baseline>{content}</div>"


def _plain(shown: str) -> Html:
    return f"<code>{text(visible(shown[:LONGEST]))}</code>{' …' if len(shown) > LONGEST else ''}"


def _chips(pieces: Sequence[str]) -> Html:
    return " ".join(map(chip, pieces[:LONGEST])) + (" …" if len(pieces) > LONGEST else "")


def _marked(whole: str, parts: Sequence[tuple[int, str, str, Mark]]) -> Html:
    """A text where some parts are shown as chips: each with its start, what stands there, what is shown, its mark."""
    cells, done = [], 0
    for start, old, shown, mark in parts:
        if start > LONGEST:
            break
        cells += [_plain(whole[done:start])] if start > done else []
        cells.append(chip(shown, mark) if shown else f"<b class=unknown>{NOTHING}</b>")
        done = start + len(old)
    return " ".join([*cells, _plain(whole[done:])] if done < len(whole) else cells)


def _changes(changes: Sequence[Change], before: Aligned) -> Iterator[Html]:
    """For the first few changes: the characters with their code points, before and after, and where they were typed."""
    for change in changes[:CHANGES]:
        start, end = before.span(change.start, change.start + len(change.old))
        where = f"typed at {start}" + (f" to {end}" if end - start > 1 else "") if start < end else f"put in at {start}"
        yield _row(where, f"{_points(change.old)} → {_points(change.new, 'new')}")
    if len(changes) > CHANGES:
        yield _row("", f"… and {len(changes) - CHANGES:,} more places")


def _points(characters: str, mark: Mark = "") -> Html:
    if not characters:
        return f"<b class=unknown>{NOTHING}</b>"
    codes = " ".join(f"U+{ord(character):04X}" for character in characters[:CHANGES])
    return f"{chip(characters, mark)} <small>{codes}{' …' if len(characters) > CHANGES else ''}</small>"


def _fates(typed: str, lost: Sequence[Lost]) -> Iterator[Html]:
    """A bar for the characters that came back, and one for each cause that others did not."""
    causes: Counter[str] = Counter()
    for part in lost:
        causes[part.rule] += len(part.text)
    kept = len(typed) - causes.total()
    for label, number in (("came back", kept), *((f"lost by {cause}", number) for cause, number in causes.items())):
        yield bar(text(label), number / max(len(typed), 1), f"{number} of {len(typed)}")


def _origins(typed: Aligned, now: Aligned) -> tuple[Html, ...]:
    """Two rows of characters, what belongs together in the same columns; who points at one sees its others."""
    above: list[Html] = []
    below: list[Html] = []
    column = FIRST_COLUMN
    for old, new in _together(typed.text, now):
        above += _cells(old, column)
        below += _cells(new, column)
        column += max(len(old), len(new))
        if column > LONGEST:
            break
    return tuple(_ruler(name, cells) for name, cells in (("typed", above), ("now", below)) if cells)


def _together(typed: str, now: Aligned) -> Iterator[tuple[str, str]]:
    """What was typed and what it is now, in the smallest parts that belong together."""
    done = 0
    for (start, end), run in groupby(zip(now.spans, now.text, strict=True), key=lambda pair: pair[0]):
        yield from ((character, "") for character in typed[done:start])
        yield typed[max(start, done) : end], "".join(character for _, character in run)
        done = max(done, end)
    yield from ((character, "") for character in typed[done:])


def _cells(characters: str, column: int) -> list[Html]:
    return [
        f"<b data-at={column} style=grid-column:{place}>{text(visible(character))}</b>"
        for place, character in enumerate(characters, start=column)
    ]


def _ruler(name: str, cells: Sequence[Html]) -> Html:
    return f"<li class=tl-ruler><span>{text(name)}</span> {''.join(cells)}"


# --- questions ------------------------------------------------------------------------------------


def _stops(recording: Recording[Any, Any], states: Sequence[Aligned], window: Window) -> set[int]:
    """Where to ask, and not twice running: before a rule that loses something, after one, before what comes back."""
    stops: list[int] = []
    for number in range(window.first + 1, min(window.end + 1, len(recording))):
        if (not stops or number - stops[-1] > 1) and _question(recording, states, number):
            stops.append(number)
    return set(stops[:QUESTIONS])


def _question(recording: Recording[Any, Any], states: Sequence[Aligned], number: int) -> Question | None:
    following = recording[number]
    if isinstance(following, Decoded):
        return _comes_back(states[0].text, following)
    if _loses(following):
        return _what_becomes(states[number].text, states[number + 1].text, following)
    return _came_from(states[0].text, states[number]) if any(map(_loses, recording.steps[:number])) else None


def _loses(step: Any) -> bool:
    return isinstance(step, Normalized) and bool(step.changes) and step.rule not in UNDONE


def _what_becomes(before: str, after: str, step: Normalized) -> Question:
    """Who believes that what was encoded can be decoded (27) expects that nothing changes."""
    facts: tuple[Fact, ...] = (("places", step.rule, len(step.changes)),)
    places = "one place" if len(step.changes) == 1 else f"{len(step.changes)} places"
    first = step.changes[0]
    became = f"{chip(first.old)} becomes {chip(first.new) if first.new else 'nothing'}"
    right = Option(_plain(after), f"{became}: {places} changed.", True, facts=facts)
    why = f"The text stays as it was. But {became}, before the model sees anything: {places} changed."
    wrong = Option(_plain(before), why, belief=27, facts=facts)
    return Question(f"Next comes {text(step.rule)}. What does it make of the text?", (right, wrong)).shuffled()


def _came_from(typed: str, now: Aligned) -> Question | None:
    """Who takes places in the normalized text for places in what was typed (34) points beside it."""
    for place, (character, (start, end)) in enumerate(zip(now.text, now.spans, strict=True)):
        beside = typed[place : place + 1]
        if start < end and end - start < 3 and beside and beside != typed[start:end] and character not in " ▁":
            facts: tuple[Fact, ...] = (("place", character, place), ("start", character, start))
            why = f"It stands at place {place} now, but it came from place {start} of what was typed."
            right = Option(
                chip(typed[start:end]), f"{chip(character)} came from place {start} of it.", True, facts=facts
            )
            wrong = Option(chip(beside), why, belief=34, facts=facts)
            prompt = f"{chip(character)} stands at place {place} now. Which part of what was typed did it come from?"
            return Question(prompt, (right, wrong)).shuffled()
    return None


def _comes_back(typed: str, step: Decoded) -> Question | None:
    gone = sum(len(part.text) for part in step.lost)
    if not gone or step.text == typed:
        return None
    facts: tuple[Fact, ...] = (("lost", None, gone),)
    right = Option(
        _plain(step.text), f"Decoding does not know what stood there: {_count(gone, 'character')} lost.", True
    )
    why = f"That is what was typed. Decoding sees only ids, and {_count(gone, 'character')} never got one."
    wrong = Option(_plain(typed), why, belief=27, facts=facts)
    return Question("The ids are decoded. What comes back?", (right, wrong)).shuffled()
