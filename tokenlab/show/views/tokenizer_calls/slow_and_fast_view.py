"""Views of slow and fast tokenizers: each stage of a call side by side, and the converter from slow to fast.

Differing parts are marked. Of the converter, each component of the pipeline is beside the lines that it replaces.
"""

from __future__ import annotations

from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import Any

from tokenlab.libraries.transformers.tokenization.converter import ComponentBuilt
from tokenlab.printing.printable import count_noun, printable
from tokenlab.show.frames import (
    LONGEST_CHIP,
    OTHER,
    Frame,
    Html,
    Panel,
    Question,
    StepRange,
    chip,
    labelled,
    sentence,
    text,
)
from tokenlab.show.views.elements.questions import ask
from tokenlab.steps.recording import Recording
from tokenlab.traces.tokenization.trace_tokenizer_call import (
    Row,
    Side,
    StageCompared,
)

MOST = 80  # parts of a row
SIGNS = {True: "=", False: "≠", None: "–"}
HOW_TO = (
    "A dashed outline and ≠ mark a part that only one tokenizer has. The symbol = means that both results are equal. "
    "The symbol – means that only one tokenizer reports the stage."
)


def slow_and_fast_view(recording: Recording[Any, Any], window: StepRange) -> Iterator[Frame]:
    """Show a frame for the call, and one after each stage."""
    for number, done, _ in window.steps_around(recording):
        made = recording.steps[:number]
        yield Frame(
            moment=f"Stage {number} of {len(recording)}: {done.stage}" if done else "The call",
            caption=sentence(done) if done else _call(recording),
            remark=HOW_TO if done else "",
            panels=(
                Panel("Stages", tuple(_signs(made)), kind="chips", wide=True),
                *(_side_panels(done) if done else ()),
            ),
            question=_question(recording, number),
        )


def _call(recording: Recording[Any, Any]) -> Html:
    """Write the call as code."""
    given = recording.arguments
    texts = [one for one in (given["text"], given["pair"]) if one is not None]
    options = [f"{name}={value!r}" for name, value in dict(given["options"] or {}).items()]
    call = ", ".join([*map(repr, texts), *options])
    return f"Both tokenizers are called: <code>tokenizer({text(call)})</code>."


def _signs(made: tuple[StageCompared, ...]) -> Iterator[Html]:
    for place, step in enumerate(made, start=1):
        mark = " class=new" if place == len(made) else ""
        yield f"<b{mark}>{SIGNS[step.agree]} {text(step.stage)}</b>"


def _side_panels(done: StageCompared) -> tuple[Panel, ...]:
    return (
        Panel(f"Slow: {done.slow.source}", tuple(_rows(done.slow, done.fast)), kind="words"),
        Panel(f"Fast: {done.fast.source}", tuple(_rows(done.fast, done.slow)), kind="words"),
    )


def _rows(side: Side, other: Side) -> Iterator[Html]:
    """Yield the rows of a side; parts that differ from the other side are marked, if it reports any."""
    for place, row in enumerate(side.rows):
        against = other.rows[place].parts if place < len(other.rows) else row.parts
        yield labelled(text(row.name), _parts(row, against))
    if side.note:
        yield labelled("message" if side.rows or side.source.endswith("Error") else "nothing", text(side.note))


def _parts(row: Row, against: tuple[str, ...]) -> Html:
    matcher = SequenceMatcher(None, row.parts, against, autojunk=False)
    equal = {place for start, _, size in matcher.get_matching_blocks() for place in range(start, start + size)}
    chips = [part_chip(part, place not in equal) for place, part in enumerate(row.parts[:MOST])]
    more = [f"<small>… and {len(row.parts) - MOST:,} more</small>"] if len(row.parts) > MOST else []
    return " ".join([*chips, *more]) or "<small>nothing</small>"


def part_chip(part: str, differs: bool) -> Html:
    """Return a part as a chip; one that differs has a dashed outline and ≠.

    >>> part_chip("a", True)
    '<b class=unknown title="differs">a<sup style=line-height:0>≠</sup></b>'
    """
    shown = printable(part)
    shown = text(f"{shown[: LONGEST_CHIP - 1]}…" if len(shown) > LONGEST_CHIP else shown) or "∅"
    if differs:
        return f'<b class=unknown title="differs">{shown}<sup style=line-height:0>≠</sup></b>'
    return f"<b>{shown}</b>"


# --- questions ----------------------------------------------------------------------------------------


def _question(recording: Recording[Any, Any], number: int) -> Question | None:
    """Return a question before the truncation, or before the special tokens."""
    if number in (0, len(recording)):
        return None
    following = recording[number]
    if not (following.slow.rows and following.fast.rows):
        return None
    match following.stage:
        case "truncation":
            return _kept(recording[number - 1], following)
        case "special tokens":
            return _type_ids(following)
    return None


def _kept(before: StageCompared, step: StageCompared) -> Question | None:
    """Ask how much the fast tokenizer keeps; misconception 97 expects what the slow one keeps."""
    lengths = [len(row.parts) for row in before.slow.rows]
    room = sum(len(row.parts) for row in step.slow.rows)
    slow, fast = (len(side.rows[0].parts) for side in (step.slow, step.fast))
    given = (
        f"The texts have {' and '.join(map(str, lengths))} tokens, and {room} fit",
        f"keeps {count_noun(slow, 'token')} of the first text",
    )
    return ask(
        f"{given[0]}. The slow tokenizer {given[1]}. How many does the fast one keep?",
        (
            str(fast),
            "The slow tokenizer gives a remaining token to the first text. The fast one gives it to the longer text, "
            "or to the second text if both are equally long.",
        ),
        (97, str(slow), ""),
        given=given,
    )


def _type_ids(step: StageCompared) -> Question | None:
    """Ask how many tokens have the type id 0; misconception 98 leaves out the special tokens."""
    types, tokens = step.slow.rows[1].parts, step.slow.rows[0].parts
    if "1" not in types:
        return None
    zeros = types.count("0")
    without = sum(
        1 for kind, token in zip(types, tokens, strict=True) if kind == "0" and token not in ("[CLS]", "[SEP]")
    )
    shown = " ".join(part_chip(token, False) for token in tokens)
    given = f"With special tokens, the slow tokenizer's result is {shown}"
    return ask(
        f"{given}. How many of these tokens have the type id 0?",
        (str(zeros), "The special tokens before and after the first text have its type id, 0."),
        (98, str(without), ""),
        (OTHER, str(len(types)), "The tokens of the second text have the type id 1."),
        given=(given,),
    )


# --- the converter --------------------------------------------------------------------------------


def converter_view(recording: Recording[Any, Any], window: StepRange) -> Iterator[Frame]:
    """Show a frame for the slow tokenizer, and one after each component."""
    for number, done, _ in window.steps_around(recording):
        made = recording.steps[:number]
        yield Frame(
            moment=f"Component {number} of {len(recording)}" if done else "The slow tokenizer",
            caption=sentence(
                done or "the converter builds a pipeline from the files and settings of the slow tokenizer"
            ),
            panels=(
                Panel(
                    "Components, and the lines of the slow tokenizer they replace",
                    tuple(_component_rows(made)),
                    "words",
                    wide=True,
                ),
                *([Panel("The component in full", (text(done.component),), more=True, wide=True)] if done else []),
            ),
        )


def _component_rows(made: tuple[ComponentBuilt, ...]) -> Iterator[Html]:
    """Yield a row for each line of slow code; the newest component is marked."""
    for place, step in enumerate(made, start=1):
        name = chip(step.type, "new" if place == len(made) else "")
        for code in step.replaces:
            function = ".".join(code.function.rsplit(".", 2)[1:])
            yield labelled(name, f"<code>{text(code.line)}</code> <small>{text(function)}</small>")
        if not step.replaces:
            yield labelled(name, "<small>replaces no single line</small>")
