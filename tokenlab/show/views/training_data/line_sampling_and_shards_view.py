"""Making training data: the lines sampled for a vocabulary, and examples distributed to shards."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import Any

from tokenlab.algorithms.training_data.sample_lines import LineSampled, SamplingEnded, lines_to_skip
from tokenlab.libraries.tensor2tensor.generator_utils import ExampleWritten, ShardsComplete
from tokenlab.misconceptions.training_data import fill_in_order
from tokenlab.printing.printable import printable
from tokenlab.show.frames import OTHER, Frame, Html, Panel, Question, StepRange, bar, chip, labelled, sentence, text
from tokenlab.show.views.elements.questions import ask
from tokenlab.steps.recording import Recording

BEFORE, AFTER = 7, 7  # lines shown before and after the sampled one
LAST = 14  # examples shown per shard
ASKED = (1, 3, 5)  # the numbers of examples after which the player asks for the shard of the next
LONGEST = 60  # characters of a line that is not sampled


# --- the lines sampled for a vocabulary -----------------------------------------------------------


def line_sampling_view(recording: Recording[Any, Any], window: StepRange) -> Iterator[Frame]:
    """Yield a frame for the file, and one after each sampled line."""
    asked = _asked(recording, window)
    for number in window.positions:
        done = recording.steps[:number]
        yield Frame(
            moment=_moment(done),
            caption=sentence(done[-1]) if done else _budget(recording),
            remark=_skipped(done),
            panels=tuple(_sampling_panels(recording, done)),
            question=asked.get(number),
        )


def _moment(done: Sequence[Any]) -> str:
    if not done:
        return "Before the first line"
    return "At the end" if isinstance(done[-1], SamplingEnded) else f"After line {done[-1].number:,}"


def _budget(recording: Recording[Any, Any]) -> Html:
    size, budget = recording.arguments["size"], recording.arguments["budget"]
    return (
        f"The file has {size:,} bytes, and the budget is {budget:,.0f}. {size:,} / (2 × {budget:,.0f}), rounded down, "
        f"is {lines_to_skip(size, budget)}. This is the number of lines skipped before each sampled line."
    )


def _skipped(done: Sequence[Any]) -> Html:
    if not done or isinstance(done[-1], SamplingEnded):
        return ""
    skipped = done[-1].number - 1 - (done[-2].number if len(done) > 1 else 0)
    return f"{skipped or 'No'} line{'s were' if skipped > 1 else ' was'} skipped before it."


def _sampling_panels(recording: Recording[Any, Any], done: Sequence[Any]) -> Iterator[Panel]:
    taken = [step for step in done if isinstance(step, LineSampled)]
    budget = recording.arguments["budget"]
    left = max(0, taken[-1].budget_left) if taken else budget
    yield Panel("The file, line by line", _lines(recording.arguments["lines"], done, taken), kind="words", wide=True)
    shares = (bar("left", left / budget, f"{left:,.0f}"), bar("spent", 1 - left / budget, f"{budget - left:,.0f}"))
    yield Panel("The budget, in characters", shares, kind="bars", hides=True)
    if taken:
        rows = tuple(chip(step.line) for step in taken[-AFTER:])
        part = f": the last {len(rows)} of {len(taken):,} lines" if len(taken) > len(rows) else ""
        yield Panel(f"The sample for the vocabulary{part}", rows, kind="chips")


def _lines(lines: Sequence[str], done: Sequence[Any], taken: Sequence[LineSampled]) -> tuple[Html, ...]:
    """Return the lines around the last one read, with the sampled lines as chips."""
    numbers = {step.number for step in taken}
    now = done[-1].number if done else 0
    first = max(0, min(now - BEFORE, len(lines) - BEFORE - AFTER))
    shown = enumerate(lines[first : first + BEFORE + AFTER], start=first + 1)
    return tuple(_line(number, line, number in numbers, bool(done) and number == now) for number, line in shown)


def _line(number: int, line: str, taken: bool, now: bool) -> Html:
    shown = printable(line.strip())
    skipped = f"{shown[:LONGEST]}…" if len(shown) > LONGEST else shown
    content = chip(line.strip(), "new" if now else "") if taken else f"<span>{text(skipped)}</span>"
    return labelled(f"{number:,}{' sampled' if taken else ''}", content)


def _asked(recording: Recording[Any, Any], window: StepRange) -> dict[int, Question]:
    """Ask at most twice each for the next line, and for the cost of a line whose bytes and characters differ."""
    asked: dict[int, Question] = {}
    kinds = [_which_line, _what_is_left]
    for number in range(window.first + 1, min(window.end + 1, len(recording))):
        if isinstance(recording[number], LineSampled) and number - 1 not in asked and len(asked) < 4:
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
    why = f"{skip} line{'s are' if skip > 1 else ' is'} skipped, and it is line {right}'s turn."
    wrong = ((misconception, f"line {line}", "Not yet:") for misconception, line in ((53, now + skip), (54, now + 1)))
    facts = (("skipped", None, skip), ("line", None, right))
    given = (f"{skip} {'lines were' if skip > 1 else 'line was'} skipped", f"Line {now:,} was sampled")
    return ask(
        "As many lines are skipped again. Which line is sampled next?",
        (f"line {right}", why),
        *wrong,
        given=given,
        facts=facts,
    )


def _what_is_left(recording: Recording[Any, Any], number: int) -> Question | None:
    step, before = recording[number], recording[number - 1].budget_left
    characters, size = len(step.line), len(step.line.encode("utf-8", "surrogatepass"))
    if characters == size or step.budget_left <= 0:
        return None
    left, sizes = f"{before:,.0f} of the budget remain", f"{characters} characters in {size} bytes"
    return ask(
        f"Next is line {step.number}, {chip(step.line)}, with {sizes}. {left}. What is left after this line?",
        (
            f"{step.budget_left:,.0f}",
            f"The line has {characters} characters in {size} bytes, and its cost is counted in characters.",
        ),
        (55, f"{before - size:,.0f}", ""),
        (OTHER, f"{before - 1:,.0f}", "The budget does not count lines."),
        given=(sizes, left),
        facts=(("characters", step.line, characters), ("bytes", step.line, size)),
    )


# --- examples distributed to shards ---------------------------------------------------------------


def sharding_view(recording: Recording[Any, Any], window: StepRange) -> Iterator[Frame]:
    """Yield a frame for the empty shards, and one after each example."""
    examples = [example for example in recording.arguments["generator"] if example is not None]
    for number, _, following in window.steps_around(recording):
        done = recording.steps[:number]
        yield Frame(
            moment=_after(done[-1]) if done else "Before the first example",
            caption=sentence(done[-1]) if done else "The shards are open. Their files have hidden temporary names.",
            panels=tuple(_dealing_panels(recording, done, examples)),
            question=_which_shard(recording, len(examples), following) if number in ASKED else None,
        )


def _after(step: ExampleWritten | ShardsComplete) -> str:
    return f"After example {step.number:,}" if isinstance(step, ExampleWritten) else "At the end"


def _dealing_panels(
    recording: Recording[Any, Any], done: Sequence[Any], examples: Sequence[dict[str, Any]]
) -> Iterator[Panel]:
    written = [step for step in done if isinstance(step, ExampleWritten)]
    complete = bool(done) and isinstance(done[-1], ShardsComplete)
    names = [PurePath(name).name for name in recording.arguments["output_filenames"]]
    rows = tuple(_shard(names[shard], shard, written, complete) for shard in range(len(names)))
    yield Panel("The shards, and the examples in them", rows, kind="words", wide=True)
    if written and not complete:
        number = written[-1].number
        fields = examples[number - 1].items()
        rows = tuple(f"<li><code>{text(name)}: {text(' '.join(map(str, value)))}</code>" for name, value in fields)
        yield Panel(f"Example {number:,}", rows)


def _shard(name: str, shard: int, written: Sequence[ExampleWritten], complete: bool) -> Html:
    mine = [step.number for step in written if step.shard == shard]
    now = written[-1].number if written and not complete else 0
    more = "… " if len(mine) > LAST else ""
    chips = " ".join(chip(str(number), "new" if number == now else "") for number in mine[-LAST:])
    called = text(name) if complete else f"shard {shard}, hidden"
    return labelled(called, more + chips)


def _which_shard(recording: Recording[Any, Any], number: int, following: Any) -> Question | None:
    if not isinstance(following, ExampleWritten):
        return None
    shards = len(recording.arguments["output_filenames"])
    stretches = fill_in_order(range(number), shards)
    filled = next(shard for shard, stretch in enumerate(stretches) if following.number - 1 in stretch)
    if filled == following.shard:
        return None
    others = [shard for shard in range(shards) if shard not in (filled, following.shard)]
    return ask(
        f"To which shard does example {following.number} go?",
        (f"shard {following.shard}", f"Examples are distributed round-robin: it is shard {following.shard}'s turn."),
        (56, f"shard {filled}", "Shards are not filled one after the other."),
        *((OTHER, f"shard {other}", "Each shard gets one example before the next round.") for other in others[:1]),
        given=(f"example {following.number}", *(f"shard {shard}" for shard in range(shards))),
        facts=(("shard", following.number, following.shard),),
    )
