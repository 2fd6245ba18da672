"""Making training data: the lines that a vocabulary sees, and examples that are dealt out to shards."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import Any

from tokenlab.algorithms.sample_lines import Ended, Taken, lines_to_skip, sample_lines
from tokenlab.misconceptions.training_data import fill_in_order
from tokenlab.show.frames import Fact, Frame, Html, Option, Panel, Question, Window, bar, chip, text, view
from tokenlab.steps import Recording
from tokenlab.tensor2tensor.shards import Complete, Written, generate_files
from tokenlab.visible import visible

BEFORE, AFTER = 7, 7  # lines of the file that are shown around the one that was taken
LAST = 14  # examples that are shown of a shard
ASKED = (1, 3, 5)  # after so many examples the player asks for the shard of the next
LONGEST = 60  # characters of a line that is not taken


# --- the lines that a vocabulary sees -------------------------------------------------------------


@view(sample_lines)
def sampling(recording: Recording[Any, Any], window: Window) -> Iterator[Frame]:
    """A frame for the file, and one after each line that is taken."""
    asked = _asked(recording, window)
    for number in range(window.first, window.end + 1):
        done = recording.steps[:number]
        yield Frame(
            moment=_moment(done),
            caption=_caption(recording, done),
            panels=tuple(_sampling_panels(recording, done)),
            question=asked.get(number),
        )


def _moment(done: Sequence[Any]) -> str:
    if not done:
        return "Before the first line"
    return f"After line {done[-1].number:,}" if isinstance(done[-1], Taken) else "At the end"


def _caption(recording: Recording[Any, Any], done: Sequence[Any]) -> Html:
    size, budget = recording.arguments["size"], recording.arguments["budget"]
    if not done:
        skip = lines_to_skip(size, budget)
        return (
            f"The file has {size:,} bytes, the budget is {budget:,.0f}. Half of {size:,} / {budget:,.0f}, cut down, "
            f"is {skip}: so many lines are skipped before each that is taken."
        )
    step = done[-1]
    if isinstance(step, Ended):
        said = str(step)
        return text(f"{said[0].upper()}{said[1:]}.")
    skipped = step.number - 1 - (done[-2].number if len(done) > 1 else 0)
    before = f"{skipped} line{'s were' if skipped != 1 else ' was'} skipped" if skipped else "No line was skipped"
    return f"{before}, then line {step.number:,} was taken. It costs {len(step.line)}, one for each character."


def _sampling_panels(recording: Recording[Any, Any], done: Sequence[Any]) -> Iterator[Panel]:
    taken = [step for step in done if isinstance(step, Taken)]
    budget = recording.arguments["budget"]
    left = max(0, taken[-1].left) if taken else budget
    yield Panel("The file, line by line", _lines(recording.arguments["lines"], done, taken), kind="words", wide=True)
    shares = (bar("left", left / budget, f"{left:,.0f}"), bar("spent", 1 - left / budget, f"{budget - left:,.0f}"))
    yield Panel("The budget, in characters", shares, kind="bars", hides=True)
    if taken:
        rows = tuple(chip(step.line) for step in taken[-AFTER:])
        part = f": the last {len(rows)} of {len(taken):,} lines" if len(taken) > len(rows) else ""
        yield Panel(f"What the vocabulary sees{part}", rows, kind="chips")


def _lines(lines: Sequence[str], done: Sequence[Any], taken: Sequence[Taken]) -> tuple[Html, ...]:
    """The lines around the last that was read; those that were taken are chips."""
    numbers = {step.number for step in taken}
    now = done[-1].number if done else 0
    first = max(0, min(now - BEFORE, len(lines) - BEFORE - AFTER))
    shown = enumerate(lines[first : first + BEFORE + AFTER], start=first + 1)
    return tuple(_line(number, line, number in numbers, bool(done) and number == now) for number, line in shown)


def _line(number: int, line: str, taken: bool, now: bool) -> Html:
    shown = visible(line.strip())
    skipped = f"{shown[:LONGEST]}…" if len(shown) > LONGEST else shown
    content = chip(line.strip(), "new" if now else "") if taken else f"<span>{text(skipped)}</span>"
    return f"<li><span>{number:,}{' taken' if taken else ''}</span> <div>{content}</div>"


def _asked(recording: Recording[Any, Any], window: Window) -> dict[int, Question]:
    """Which line comes next, and what one costs in which bytes and characters differ; each twice at the most."""
    asked: dict[int, Question] = {}
    kinds = [_which_line, _what_is_left]
    for number in range(window.first + 1, min(window.end + 1, len(recording))):
        if isinstance(recording[number], Taken) and number - 1 not in asked and len(asked) < 4:
            questions = [(kind, kind(recording, number)) for kind in kinds]
            found = next(((kind, question) for kind, question in questions if question), None)
            if found:
                asked[number] = found[1]
                kinds.append(kinds.pop(kinds.index(found[0])))  # the other kind is next
    return asked


def _which_line(recording: Recording[Any, Any], number: int) -> Question | None:
    skip = lines_to_skip(recording.arguments["size"], recording.arguments["budget"])
    if not skip:
        return None
    now, right = recording[number - 1].number, recording[number].number
    facts: tuple[Fact, ...] = (("skipped", None, skip), ("line", None, right))
    why = f"{skip} line{'s are' if skip > 1 else ' is'} skipped, and it is line {right}'s turn."
    options = {right: Option(f"line {right}", why, right=True, facts=facts)}
    for belief, line in ((53, now + skip), (54, now + 1)):
        options.setdefault(line, Option(f"line {line}", f"Not yet: {why}", belief=belief, facts=facts))
    return Question("Which line is taken next?", tuple(options.values())).shuffled()


def _what_is_left(recording: Recording[Any, Any], number: int) -> Question | None:
    step, before = recording[number], recording[number - 1].left
    characters, size = len(step.line), len(step.line.encode("utf-8", "surrogatepass"))
    if characters == size or step.left <= 0:
        return None
    facts: tuple[Fact, ...] = (("characters", step.line, characters), ("bytes", step.line, size))
    why = f"The line has {characters} characters in {size} bytes, and characters are what is paid."
    right = Option(f"{step.left:,.0f}", why, right=True, facts=facts)
    wrong = Option(f"{before - size:,.0f}", why, belief=55, facts=facts)
    prompt = (
        f"Next is line {step.number}, {chip(step.line)}. {before:,.0f} of the budget are left. What is left after it?"
    )
    return Question(prompt, (right, wrong)).shuffled()


# --- examples that are dealt out to shards --------------------------------------------------------


@view(generate_files)
def dealing(recording: Recording[Any, Any], window: Window) -> Iterator[Frame]:
    """A frame for the empty shards, and one after each example."""
    examples = [example for example in recording.arguments["generator"] if example is not None]
    for number in range(window.first, window.end + 1):
        done = recording.steps[:number]
        following = recording[number] if number < len(recording) else None
        yield Frame(
            moment="Before the first example" if not done else _after(done[-1]),
            caption=_dealt(done[-1]) if done else "Every shard is open, under a hidden name. Examples are dealt out.",
            panels=tuple(_dealing_panels(recording, done, examples)),
            question=_which_shard(recording, len(examples), following) if number in ASKED else None,
        )


def _after(step: Written | Complete) -> str:
    return f"After example {step.number:,}" if isinstance(step, Written) else "At the end"


def _dealt(step: Written | Complete) -> Html:
    said = str(step)
    return text(f"{said[0].upper()}{said[1:]}.")


def _dealing_panels(
    recording: Recording[Any, Any], done: Sequence[Any], examples: Sequence[dict[str, Any]]
) -> Iterator[Panel]:
    written = [step for step in done if isinstance(step, Written)]
    complete = bool(done) and isinstance(done[-1], Complete)
    names = [PurePath(name).name for name in recording.arguments["output_filenames"]]
    rows = tuple(_shard(names[shard], shard, written, complete) for shard in range(len(names)))
    yield Panel("The shards, and the examples in them", rows, kind="words", wide=True)
    if written and not complete:
        number = written[-1].number
        fields = examples[number - 1].items()
        rows = tuple(f"<li><code>{text(name)}: {text(' '.join(map(str, value)))}</code>" for name, value in fields)
        yield Panel(f"Example {number:,}", rows)


def _shard(name: str, shard: int, written: Sequence[Written], complete: bool) -> Html:
    mine = [step.number for step in written if step.shard == shard]
    now = written[-1].number if written and not complete else 0
    more = "… " if len(mine) > LAST else ""
    chips = " ".join(chip(str(number), "new" if number == now else "") for number in mine[-LAST:])
    called = text(name) if complete else f"{shard}, hidden"
    return f"<li><span>{called}</span> <div>{more}{chips}</div>"


def _which_shard(recording: Recording[Any, Any], number: int, following: Any) -> Question | None:
    if not isinstance(following, Written):
        return None
    shards = len(recording.arguments["output_filenames"])
    stretches = fill_in_order(range(number), shards)
    filled = next(shard for shard, stretch in enumerate(stretches) if following.number - 1 in stretch)
    if filled == following.shard:
        return None
    facts: tuple[Fact, ...] = (("shard", following.number, following.shard),)
    why = f"Examples are dealt out in turn: it is shard {following.shard}'s turn."
    options = (
        Option(f"shard {following.shard}", why, right=True, facts=facts),
        Option(f"shard {filled}", f"No shard is filled before the next is begun. {why}", belief=56, facts=facts),
    )
    return Question(f"To which shard does example {following.number} go?", options).shuffled()
