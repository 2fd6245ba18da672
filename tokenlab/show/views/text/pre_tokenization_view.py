"""View of pre-tokenization: the pre-tokens so far, the rules in order, and the remaining text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tokenlab.algorithms.text.pretokenize import SPLITTERS, PreToken
from tokenlab.misconceptions.byte_level_bpe import split_on_whitespace
from tokenlab.printing.printable import printable
from tokenlab.show.frames import OTHER, Frame, Html, Option, Panel, Question, StepRange, chip, labelled, sentence, text
from tokenlab.show.views.elements.questions import ask, questions_apart
from tokenlab.steps.recording import Recording

PIECES, LEFT = 40, 200  # maximum numbers of pre-tokens and of characters shown
QUESTIONS = 4  # maximum number
LONGEST = 100  # characters of a pattern; of a longer one, only the rule that matched is written out


def pre_tokenization_view(recording: Recording[Any, Any], window: StepRange) -> Iterator[Frame]:
    """Show a frame for the whole text, and one for each pre-token."""
    rests = _rests(recording)
    rules = SPLITTERS[recording.arguments["pattern"]].rules
    whole = len("|".join(rules.values())) <= LONGEST
    asked = questions_apart(
        window.between_steps(recording) if whole else (),
        lambda number: _question(rests[number], rules, recording[number]),
        QUESTIONS,
    )
    for number, done, _ in window.steps_around(recording):
        yield Frame(
            moment=f"After pre-token {number}" if done else "The whole text",
            caption=sentence(done)
            if done
            else "The rules are tried in order. The first rule that matches at the start gives the first pre-token.",
            panels=(
                Panel("The pre-tokens", _pieces(recording.steps[:number], rests[number]), wide=True),
                Panel("The rules, tried in this order", _rules(rules, done, whole), kind="words", wide=True),
            ),
            question=asked.get(number),
        )


def _rests(recording: Recording[Any, Any]) -> list[str]:
    """Return the text that is still to split, before the first step and after each step."""
    rests = [recording.arguments["text"]]
    for step in recording:
        rests.append(rests[-1][len(step.text) :])
    return rests


def _question(rest: str, rules: dict[str, str], following: PreToken) -> Question | None:
    """Ask for the next pre-token; misconception 12 (splitting is cosmetic) expects the next word."""
    word = next(iter(split_on_whitespace(rest)), following.text)
    rule = f"the rule for {text(following.rule)} is the first that matches"
    why = f"That is the next word. But {rule}. It gives {chip(following.text)}."
    wrong = Option(chip(word), why, misconception=12, facts=(("word", word, len(word)),))
    spaces = rest[: len(rest) - len(rest.lstrip())]
    others = (following.text.strip(), spaces, following.text[:-1])
    more = [other for other in others if other and other not in (word, following.text)][:1]
    return ask(
        "What is the next pre-token?",
        (chip(following.text), f"{rule[0].upper()}{rule[1:]}."),
        wrong,
        *(Option(chip(other), f"The rule matches {chip(following.text)}.", misconception=OTHER) for other in more),
        given=(_beginning(rest), *map(_rule, rules.values())),
    )


def _pieces(done: tuple[PreToken, ...], rest: str) -> tuple[Html, ...]:
    shown = done[-PIECES:]
    cells = [chip(piece.text, "new" if piece is done[-1] else "") for piece in shown]
    before = "… " if len(done) > len(shown) else ""
    left = _beginning(rest) if rest else "nothing is left"
    return (f"<li>{before}{' '.join(cells)}", f"<li><small>still to split:</small> {left}")


def _beginning(rest: str) -> Html:
    return f"{text(printable(rest[:LEFT]))}{' …' if len(rest) > LEFT else ''}"


def _rule(pattern: str) -> Html:
    return f"<code>{text(pattern.replace(' ', '␣'))}</code>"


def _rules(rules: dict[str, str], done: PreToken | None, whole: bool) -> tuple[Html, ...]:
    """Return the names of the rules, each with its pattern; of a long pattern only that of the rule that matched."""
    matched = done.rule if done else ""
    return tuple(
        labelled(
            f"{'<strong>this one</strong> ' if name == matched else ''}{text(name)}",
            _rule(rule) if whole or name == matched else "",
        )
        for name, rule in rules.items()
    )
