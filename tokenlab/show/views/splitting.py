"""A text being split: the pieces so far, the rules in the order in which they are tried, and what is left."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tokenlab.algorithms.split import SPLITTERS
from tokenlab.algorithms.split_by_rules import Piece, split_by_rules
from tokenlab.misconceptions.byte_level import split_on_whitespace
from tokenlab.show.frames import Frame, Html, Option, Panel, Question, Window, chip, text, view
from tokenlab.steps import Recording
from tokenlab.visible import visible

PIECES, LEFT = 40, 200  # pieces and characters that are shown at the most
QUESTIONS = 4  # at the most


@view(split_by_rules)
def splitting(recording: Recording[Any, Any], window: Window) -> Iterator[Frame]:
    """A frame for the whole text, and one for each piece."""
    rest = recording.arguments["text"]
    stops = _stops(recording, window)
    rules = SPLITTERS[recording.arguments["pattern"]].rules
    for number in range(window.end + 1):
        done = recording[number - 1] if number else None
        if done:
            rest = rest[len(done.text) :]
        if number >= window.first:
            yield Frame(
                moment=f"After piece {number}" if done else "The whole text",
                caption=_caption(done),
                panels=(
                    Panel("The pieces", _pieces(recording.steps[:number], rest), wide=True),
                    Panel("The rules, tried in this order", _rules(rules, done), kind="words", wide=True),
                ),
                question=_question(rest, recording[number]) if number in stops else None,
            )


def _stops(recording: Recording[Any, Any], window: Window) -> list[int]:
    """Where to ask: where the next piece is not the next word, and not twice running."""
    rest, stops = recording.arguments["text"], [window.first - 1]
    for number in range(min(window.end, len(recording) - 1)):
        word = split_on_whitespace(rest)[:1]
        if number > window.first and number - stops[-1] > 1 and word not in ([], [recording[number].text]):
            stops.append(number)
        rest = rest[len(recording[number].text) :]
    return stops[1 : QUESTIONS + 1]


def _question(rest: str, following: Piece) -> Question:
    """What is the next piece? Who thinks that splitting is cosmetic (12) expects the next word."""
    word = split_on_whitespace(rest)[0]
    rule = f"the rule for {text(following.rule)} is the first that matches"
    why = f"That is the next word. But {rule}, and it gives {chip(following.text)}."
    wrong = Option(chip(word), why, belief=12, facts=(("word", word, len(word)),))
    right = Option(chip(following.text), f"{rule[0].upper()}{rule[1:]}.", right=True)
    return Question("What is the next piece?", (right, wrong)).shuffled()


def _caption(done: Piece | None) -> Html:
    if done is None:
        return "The rules are tried from the first on; what matches where the text begins is the first piece."
    return f"{chip(done.text, 'new')} was cut by the rule for {text(done.rule)}."


def _pieces(done: tuple[Piece, ...], rest: str) -> tuple[Html, ...]:
    shown = done[-PIECES:]
    cells = [chip(piece.text, "new" if piece is done[-1] else "") for piece in shown]
    before = "… " if len(done) > len(shown) else ""
    left = f"{text(visible(rest[:LEFT]))}{' …' if len(rest) > LEFT else ''}" if rest else "nothing is left"
    return (f"<li>{before}{' '.join(cells)}", f"<li><small>still to split:</small> {left}")


def _rules(rules: dict[str, str], done: Piece | None) -> tuple[Html, ...]:
    return tuple(
        f"<li><span>{'<strong>this one</strong> ' if done and done.rule == name else ''}{text(name)}</span> "
        f"<div><code>{text(rule.replace(' ', '␣'))}</code></div>"
        for name, rule in rules.items()
    )
