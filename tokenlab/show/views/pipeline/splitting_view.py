"""Views of how a text is divided: at the matches of a pattern, and at its added tokens."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tokenlab.algorithms.pipeline.added_tokens import MatchRejected, TokenMatched, WhitespaceTaken
from tokenlab.algorithms.pipeline.split_behavior import SplitPart
from tokenlab.algorithms.text.alignment import Span
from tokenlab.misconceptions.pipeline import ignore_lstrip
from tokenlab.printing.printable import count_noun, printable
from tokenlab.show.frames import OTHER, Frame, Html, Panel, Question, StepRange, chip, chips, labelled, sentence, text
from tokenlab.show.views.elements.questions import ask, questions_apart
from tokenlab.steps.recording import Recording

PARTS = 60  # parts of a row
LEFT = 200  # characters of the remaining text that are shown
QUESTIONS = 3  # maximum number
RULES = {
    "removed": "Delimiters are removed.",
    "isolated": "Each delimiter is a separate part.",
    "merged_with_previous": "A delimiter is merged with the text directly before it.",
    "merged_with_next": "A delimiter is merged with the text directly after it.",
    "contiguous": "Neighbouring delimiters are merged with each other.",
}


# --- at the matches of a pattern ------------------------------------------------------------------


def split_view(recording: Recording[Any, Any], window: StepRange) -> Iterator[Frame]:
    """Show a frame for the matches, and one after each delimiter or text between delimiters."""
    given = recording.arguments
    inverted = "The matches are text; everything between them is a delimiter. Delimiters are marked in the text."
    for number, done, _ in window.steps_around(recording):
        yield Frame(
            moment=f"After part {number}" if done else "The matches",
            caption=sentence(done) if done else _about(recording),
            remark=inverted if given["invert"] else "The matches are delimiters, which are marked in the text.",
            panels=(
                Panel(
                    "The split",
                    (
                        labelled("behavior", f"<code>{text(given['behavior'])}</code>"),
                        labelled("pattern", f"<code>{text(given['pattern'])}</code>"),
                        labelled("text", _chips(_text_chips(recording.steps))),
                        labelled("parts so far", _chips([chip(part) for part in _after(recording, number)])),
                        labelled("rest", _chips(_text_chips(recording.steps[number:]))),
                    ),
                    kind="words",
                    wide=True,
                ),
            ),
        )


def _about(recording: Recording[Any, Any]) -> Html:
    found = count_noun(sum(step.delimiter for step in recording), "delimiter")
    return f"The text has {found}. {RULES[recording.arguments['behavior']]}"


def _text_chips(steps: Sequence[SplitPart]) -> list[Html]:
    return [chip(step.text, "new" if step.delimiter else "") for step in steps if step.text]


def _after(recording: Recording[Any, Any], number: int) -> list[Any]:
    """Return the state after some steps: the parts, or the spans of the added tokens with their whitespace."""
    state: list[Any] = []
    for step in recording.steps[:number]:
        step.apply(state)
    return state


def _chips(chips: Sequence[Html]) -> Html:
    more = f" <small>and {len(chips) - PARTS:,} more</small>" if len(chips) > PARTS else ""
    return " ".join(chips[:PARTS]) + more or "<small>none</small>"


# --- at the added tokens --------------------------------------------------------------------------


def added_tokens_view(recording: Recording[Any, Any], window: StepRange) -> Iterator[Frame]:
    """Show a frame for the text, and one after each match, rejected match, and stretch of whitespace."""
    whole: str = recording.arguments["text"]
    asked = questions_apart(window.between_steps(recording), lambda n: _question(recording, n), QUESTIONS)
    for number, done, _ in window.steps_around(recording):
        parts = tuple(_rows(whole, _after(recording, number), _pending(recording, number)))
        yield Frame(
            moment=_moment(done),
            caption=sentence(done or "the text is searched from left to right for the added tokens"),
            remark="" if number < len(recording) else "The rest is text. Later stages split it.",
            panels=(
                Panel("The parts so far", parts, kind="words", wide=True),
                Panel("The added tokens", tuple(_rules(recording)), kind="words", wide=True),
            ),
            question=asked.get(number),
        )


def _moment(done: Any) -> str:
    match done:
        case TokenMatched():
            return "A match"
        case MatchRejected():
            return "No match"
        case WhitespaceTaken():
            return f"Whitespace on the {done.side}"
    return "The text"


def _parts(whole: str, added: Sequence[Span]) -> tuple[list[tuple[str, bool]], int]:
    """Return the parts up to the last added token, each with "is it one?", and where the rest of the text begins."""
    parts: list[tuple[str, bool]] = []
    done = 0
    for start, end in added:
        parts += [(whole[done:start], False)] if start > done else []
        parts.append((whole[start:end], True))
        done = end
    return parts, done


def _pending(recording: Recording[Any, Any], number: int) -> str:
    """Return the flag that is applied in the next step, or ""."""
    following = recording[number] if number < len(recording) else None
    if not isinstance(following, WhitespaceTaken):
        return ""
    return "lstrip" if following.side == "left" else "rstrip"


def _rows(whole: str, added: Sequence[Span], pending: str) -> Iterator[Html]:
    parts, done = _parts(whole, added)
    shown = [chip(part, "new" if is_added else "") for part, is_added in parts[-PARTS:]]
    yield labelled(f"parts before {pending}" if pending else "parts", " ".join(shown) or "<small>none yet</small>")
    rest = printable(whole[done : done + LEFT]) + ("…" if len(whole) > done + LEFT else "")
    yield labelled("rest", f"<code>{text(rest)}</code>" if rest else "<small>nothing</small>")


def _rules(recording: Recording[Any, Any]) -> Iterator[Html]:
    for content, rule in recording.arguments["tokens"].items():
        id, *flags = rule
        names = [name for name, flag in zip(("single_word", "lstrip", "rstrip"), flags, strict=False) if flag]
        said = f"<small>id {text(id)}{text(''.join(f', {name}' for name in names))}</small>"
        yield labelled(chip(content), said)


def _question(recording: Recording[Any, Any], number: int) -> Question | None:
    """Ask for the parts after whitespace is taken; misconception 16 leaves the whitespace in the text."""
    step, matched = recording[number], recording[number - 1]
    if not isinstance(step, WhitespaceTaken) or not isinstance(matched, TokenMatched):
        return None
    whole: str = recording.arguments["text"]
    before, now = (_after(recording, end) for end in (number - 1, number + 1))
    start = before[-1][1] if before else 0
    end = max(now[-1][1], step.end)
    parts, _ = _parts(whole, now)
    right = [part for part, _ in parts[len(_parts(whole, before)[0]) :]]
    flag = "lstrip" if step.side == "left" else "rstrip"
    why = f"With {flag}=True, the token takes the whitespace from {step.start} to {step.end}."
    before_it = whole[start:end].replace(matched.content, "").split()
    has = f"{chip(matched.content)} has {flag}=True"
    return ask(
        f"{has}. How is {chip(whole[start:end])} split?",
        (chips(right), why),
        (
            16,
            chips(ignore_lstrip(whole[start:end], matched.content)),
            "In this answer, the whitespace stays in the text.",
        ),
        (OTHER, chips([*before_it, matched.content]), "In this answer, the whitespace is lost."),
        given=(has, chip(whole[start:end])),
        facts=(("start", matched.content, step.start), ("end", matched.content, step.end)),
    )
