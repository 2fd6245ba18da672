"""View of normalization as a diff of characters: what each rule removed and inserted, with code points.

A round trip continues with the pieces, their ids, the decoded text, and the causes of lost characters.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from tokenlab.algorithms.text.alignment import AlignedText, Replacement
from tokenlab.algorithms.text.normalize import RuleApplied
from tokenlab.libraries.bert.tokenization import WordsSplit
from tokenlab.libraries.sentencepiece.encode_steps import REVERSED_RULES, IdsDecoded, LostSpan, TextEncoded
from tokenlab.printing.printable import count_noun, printable
from tokenlab.show.frames import (
    OTHER,
    Fact,
    Frame,
    Html,
    Mark,
    Option,
    Panel,
    Question,
    StepRange,
    bar,
    chip,
    sentence,
    text,
)
from tokenlab.show.views.elements.questions import ask, questions_apart
from tokenlab.show.views.text.text_rows import LONGEST, NOTHING, code, code_with_chips, text_row
from tokenlab.steps.recording import Recording

CHANGES = 8  # maximum number of listed changes
QUESTIONS = 4  # maximum number
FIRST_COLUMN = 2  # of a ruler; column 1 has its name


def normalization_view(recording: Recording[Any, Any], window: StepRange) -> Iterator[Frame]:
    """Show a frame for the typed text, and one after each rule."""
    states = _states(recording)
    # Asks about a rule that loses characters, the step after it, and decoding.
    asked = questions_apart(window.between_steps(recording), lambda n: _question(recording, states, n), QUESTIONS)
    for number, done, _ in window.steps_around(recording):
        yield Frame(
            moment=_moment(done),
            caption=sentence(done) if done else "This is the typed text. The model receives a normalized text instead.",
            remark="" if done else "Each rule rewrites the output of the previous rule.",
            panels=tuple(_panels(recording, states, number)),
            question=asked.get(number),
        )


def _states(recording: Recording[Any, Any]) -> list[AlignedText]:
    """Return the text before the first step and after each step, aligned with the typed text."""
    typed = recording.arguments["text"]
    states = [AlignedText.identity(typed if isinstance(typed, str) else typed.decode("utf-8", "ignore"))]
    for step in recording:
        states.append(states[-1].apply(step.changes) if isinstance(step, RuleApplied) else states[-1])
    return states


def _moment(done: Any) -> str:
    match done:
        case RuleApplied():
            return f"After the rule: {done.rule}"
        case TextEncoded() | WordsSplit():
            return "Split"
        case IdsDecoded():
            return "Decoded"
    return "As typed"


# --- panels ---------------------------------------------------------------------------------------


def _panels(recording: Recording[Any, Any], states: Sequence[AlignedText], number: int) -> Iterator[Panel]:
    done = recording[number - 1] if number else None
    before, now = states[max(number - 1, 0)], states[number]
    yield Panel("The text", tuple(_texts(done, before, now, states[0].text)), kind="words", wide=True)
    if isinstance(done, RuleApplied) and done.changes:
        yield Panel("What changed", tuple(_changes(done.changes, before)), kind="words", wide=True)
    if isinstance(done, IdsDecoded):
        yield Panel("Restored and lost characters", tuple(_losses(states[0].text, done.lost)), kind="bars", wide=True)
    if number and not isinstance(done, IdsDecoded):
        yield Panel("Where each character came from", _origins(states[0], now), more=True, wide=True)


def _texts(done: Any, before: AlignedText, now: AlignedText, typed: str) -> Iterator[Html]:
    match done:
        case RuleApplied() if done.changes:
            yield text_row("before", code_with_chips(before.text, [(c.start, c.old, c.old, "") for c in done.changes]))
            yield text_row("after", _changed(done, before))
        case TextEncoded() | WordsSplit():
            pieces = done.pieces if isinstance(done, TextEncoded) else done.words
            yield text_row("text", code(now.text))
            yield text_row("pieces" if isinstance(done, TextEncoded) else "words", _chips(pieces))
            if isinstance(done, TextEncoded):
                yield text_row("ids", f"<small>{text(' '.join(map(str, done.ids[:LONGEST])))}</small>")
        case IdsDecoded():
            lost: list[tuple[int, str, str, Mark]] = [
                (part.start, part.text, part.text, "unknown") for part in done.lost
            ]
            yield text_row("typed", code_with_chips(typed, lost))
            yield text_row("decoded", code(done.text))
        case _:
            yield text_row("text", code(now.text))


def _changed(done: RuleApplied, before: AlignedText) -> Html:
    """Return the text after a rule, with its changes marked."""
    return code_with_chips(before.text, [(c.start, c.old, c.new, "new") for c in done.changes])


def _shown(recording: Recording[Any, Any], states: Sequence[AlignedText], number: int) -> Html:
    """Return the current text as the panel shows it after some steps."""
    done = recording[number - 1] if number else None
    if isinstance(done, RuleApplied) and done.changes:
        return _changed(done, states[number - 1])
    return code(states[number].text)


def _chips(pieces: Sequence[str]) -> Html:
    return " ".join(map(chip, pieces[:LONGEST])) + (" …" if len(pieces) > LONGEST else "")


def _changes(changes: Sequence[Replacement], before: AlignedText) -> Iterator[Html]:
    """Yield, for the first changes, the characters and code points before and after, and their original positions."""
    for change in changes[:CHANGES]:
        start, end = before.span(change.start, change.start + len(change.old))
        where = f"typed at {start}{f' to {end}' * (end - start > 1)}" if start < end else f"inserted at {start}"
        yield text_row(where, f"{_points(change.old)} → {_points(change.new, 'new')}")
    if len(changes) > CHANGES:
        yield text_row("", f"… and {len(changes) - CHANGES:,} more places")


def _points(characters: str, mark: Mark = "") -> Html:
    if not characters:
        return NOTHING
    codes = " ".join(f"U+{ord(character):04X}" for character in characters[:CHANGES])
    return f"{chip(characters, mark)} <small>{codes}{' …' if len(characters) > CHANGES else ''}</small>"


def _losses(typed: str, lost: Sequence[LostSpan]) -> Iterator[Html]:
    """Yield a bar for the restored characters, and one for each cause of lost ones."""
    causes: Counter[str] = Counter()
    for part in lost:
        causes[part.rule] += len(part.text)
    kept = len(typed) - causes.total()
    for label, number in (("restored", kept), *((f"lost by {cause}", number) for cause, number in causes.items())):
        yield bar(text(label), number / max(len(typed), 1), f"{number} of {len(typed)}")


def _origins(typed: AlignedText, now: AlignedText) -> tuple[Html, ...]:
    """Return two rows of characters; corresponding characters share columns and are highlighted together."""
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


def _together(typed: str, now: AlignedText) -> Iterator[tuple[str, str]]:
    """Yield the smallest corresponding parts of the typed text and of the current text."""
    done = 0
    for (start, end), run in groupby(zip(now.spans, now.text, strict=True), key=lambda pair: pair[0]):
        yield from ((character, "") for character in typed[done:start])
        yield typed[max(start, done) : end], "".join(character for _, character in run)
        done = max(done, end)
    yield from ((character, "") for character in typed[done:])


def _cells(characters: str, column: int) -> list[Html]:
    return [
        f"<b data-at={column} style=grid-column:{place}>{text(printable(character))}</b>"
        for place, character in enumerate(characters, start=column)
    ]


def _ruler(name: str, cells: Sequence[Html]) -> Html:
    return f"<li class=tl-ruler><span>{text(name)}</span> {''.join(cells)}"


# --- questions ------------------------------------------------------------------------------------


def _question(recording: Recording[Any, Any], states: Sequence[AlignedText], number: int) -> Question | None:
    following = recording[number]
    if isinstance(following, IdsDecoded):
        return _comes_back(states[0].text, states[number].text, following)
    if _loses(following):
        return _what_becomes(_shown(recording, states, number), states[number].text, states[number + 1].text, following)
    return _came_from(states[0].text, states[number]) if any(map(_loses, recording.steps[:number])) else None


def _loses(step: Any) -> bool:
    return isinstance(step, RuleApplied) and bool(step.changes) and step.rule not in REVERSED_RULES


def _what_becomes(shown: Html, before: str, after: str, step: RuleApplied) -> Question | None:
    """Ask for the text after a rule; misconception 27 (decoding restores everything) expects no change."""
    facts: tuple[Fact, ...] = (("places", step.rule, len(step.changes)),)
    places = "one place" if len(step.changes) == 1 else f"{len(step.changes)} places"
    first = step.changes[0]
    became = f"{chip(first.old)} becomes {chip(first.new) if first.new else 'nothing'}"
    why = f"The text stays as it was. But {became}, before the model sees anything: {places} changed."
    wrong = Option(code(before), why, misconception=27, facts=facts)
    prompt = f"The next rule is {text(step.rule)}. What is the text after it?"
    joined = f"This has no space at all. But {became}: {places} changed."
    none = Option(code(after.replace(" ", "")), joined, misconception=OTHER, facts=facts)
    given = (text(step.rule), shown)
    return ask(prompt, (code(after), f"{became}: {places} changed."), wrong, none, given=given, facts=facts)


def _came_from(typed: str, now: AlignedText) -> Question | None:
    """Ask for the origin of a character; misconception 34 takes its position in the normalized text."""
    for place, (character, (start, end)) in enumerate(zip(now.text, now.spans, strict=True)):
        beside = typed[place : place + 1]
        if start < end and end - start < 3 and beside and beside != typed[start:end] and character not in " ▁":
            facts: tuple[Fact, ...] = (("place", character, place), ("start", character, start))
            why = f"It is at position {place} now, but it came from position {start} of the typed text."
            wrong = Option(chip(beside), why, misconception=34, facts=facts)
            where = f"{chip(character)} is at position {place}"
            prompt = f"{where} now. Which part of the typed text {code(typed)} did it come from?"
            right = (chip(typed[start:end]), f"{chip(character)} came from position {start}.")
            after = [one for one in typed[end : end + 2] if one != " "][:1]
            more = [(OTHER, chip(one), "That is a later character of the typed text.") for one in after]
            return ask(prompt, right, wrong, *more, given=(where, code(typed)), facts=facts)
    return None


def _comes_back(typed: str, normalized: str, step: IdsDecoded) -> Question | None:
    gone = sum(len(part.text) for part in step.lost)
    if not gone or step.text == typed:
        return None
    lost = count_noun(gone, "character")
    why = f"That is the typed text. Decoding has only ids, which do not represent {lost}."
    wrong = Option(code(typed), why, misconception=27, facts=(("lost", None, gone),))
    right = (code(step.text), f"The ids do not contain the original characters: {lost} lost.")
    return ask("The ids are decoded. What is the result?", right, wrong, given=(code(normalized),))
