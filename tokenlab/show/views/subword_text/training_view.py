"""Learning subtokens: the segmentations, the counts of substrings at boundaries, and their subtraction from prefixes.

A frame shows one step of an iteration. While tokens are segmented, the counts grow. Then the strings are considered,
longest first, and the count of each string that is kept is subtracted from its prefixes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import Any

from tokenlab.algorithms.subword_text.build import (
    BuildProgress,
    IterationEnded,
    SubtokenDropped,
    SubtokenKept,
    TokenCounted,
    prefixes,
)
from tokenlab.misconceptions.subword_text import decrement_every_part
from tokenlab.printing.printable import times
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
    labelled,
    sentence,
)
from tokenlab.show.views.elements.questions import ask
from tokenlab.steps.recording import Recording

TOKENS, STRINGS, KEPT, SUBTOKENS = 8, 10, 30, 24  # maximum numbers of rows and chips
QUESTIONS = 4  # maximum number
LISTED = 8  # maximum number of longer strings in a question


def subword_text_building(recording: Recording[Any, Any], window: StepRange) -> Iterator[Frame]:
    """Yield a frame for the start, and one for each counted token, considered string, and end of an iteration."""
    arguments = recording.arguments
    state, asked = BuildProgress(arguments.get("counts", {}), arguments.get("max_length")), 0
    least = max(1, arguments["min_count"])
    for number, done, following in StepRange(0, window.end).steps_around(recording):
        if done:
            done.apply(state)
        if number < window.first:
            continue
        question = _question(state, least, done, following) if asked < QUESTIONS else None
        asked += question is not None
        yield Frame(
            moment=f"Iteration {state.iteration}, after step {number}" if number else "Before step 1",
            caption=sentence(done) if done else _opening(least),
            remark=_remark(least, done, following),
            panels=tuple(_panels(state, recording[number : number + STRINGS], done)),
            question=question,
        )


def _opening(least: float) -> Html:
    return f"A string is kept if its count, minus those of kept strings that begin with it, is at least {least:,}."


def _remark(least: float, done: Any, following: Any) -> Html:
    if isinstance(done, TokenCounted) and not isinstance(following, TokenCounted):
        return (
            f"All tokens are counted. Each string with a count of {least:,} or more is considered, the longest first."
        )
    if isinstance(done, IterationEnded) and following is not None:
        return "The next iteration uses these subtokens. It counts only strings that start where one of them starts."
    return ""


def _panels(state: BuildProgress, coming: Sequence[Any], done: Any) -> Iterator[Panel]:
    if state.tokens:
        shown = list(state.tokens.values())[-TOKENS:]
        rows = tuple(_token(counted, counted is done) for counted in shown)
        yield Panel(f"Segmentations in iteration {state.iteration}", rows, kind="words")
    title = "Counts of strings" + (", and remaining counts" if state.kept else "")
    yield Panel(title, tuple(_strings(state, coming, done)), kind="bars", hides=True)
    kept = list(state.kept.items())
    cells = [f"{chip(string, _mark(string, done))}<small>{count:,}</small>" for string, count in kept[-KEPT:]]
    part = f", the last {KEPT} of {len(kept)}" if len(kept) > KEPT else ""
    row = f"<li class=tl-ranks>{' '.join(cells)}" if cells else "<li>none yet"
    yield Panel(f"Kept in this iteration{part}", (row,), wide=True)


def _mark(string: str, done: Any) -> Mark:
    return "new" if isinstance(done, SubtokenKept) and string == done.text else ""


def _token(counted: TokenCounted, now: bool) -> Html:
    cells = [chip(subtoken, "new" if now else "") for subtoken in counted.segmentation[:SUBTOKENS]]
    more = " …" if len(counted.segmentation) > SUBTOKENS else ""
    return labelled(f"{counted.count:,} ×", " ".join(cells) + more)


def _strings(state: BuildProgress, coming: Sequence[Any], done: Any) -> Iterator[Html]:
    """Yield bars for the next strings and the prefixes that just lost counts, or, while counting, the most frequent."""
    reduced = prefixes(done.text) if isinstance(done, SubtokenKept) else []
    turns = [step.text for step in takewhile(lambda step: isinstance(step, SubtokenKept | SubtokenDropped), coming)]
    shown = list(dict.fromkeys([*turns, *reversed(reduced)]))[:STRINGS]
    if not turns and not isinstance(done, SubtokenKept | SubtokenDropped):
        shown = [string for string, _ in state.counts.most_common(STRINGS)]
    most = max((state.counts[string] for string in shown), default=1)
    for string in shown:
        counted, left = state.counts[string], state.left[string]
        value = f"{left:,}" if left == counted else f"{left:,} of {counted:,}"
        mark: Mark = "left" if string in reduced else ""
        yield bar(chip(string, mark), max(0, left) / max(1, most), value, "best" if string in turns[:1] else "")


def _question(state: BuildProgress, least: float, done: Any, following: Any) -> Question | None:
    """Ask whether a string of several characters whose count was reduced is kept, and with which count."""
    considered = (SubtokenKept, SubtokenDropped)
    if not isinstance(following, considered) or not isinstance(done, considered) or len(following.text) < 2:
        return None
    string = following.text
    counted, left = state.counts[string], state.left[string]
    if left == counted:
        return None
    facts: tuple[Fact, ...] = (("counted", string, counted), ("left", string, left))
    are = "is" if left == 1 else "are"
    gone = f"Longer kept strings took {counted - left:,} of its count of {counted:,}: {left:,} {are} left."
    wrong = [Option(f"It is kept with {counted:,}", gone, misconception=59, facts=facts)]
    right = ("It is not kept", f"{gone} But {least:,} are needed.")
    if isinstance(following, SubtokenKept):
        right = (f"It is kept with {left:,}", gone)
        if string not in decrement_every_part(state.counts, least, set("".join(state.counts))):
            why = f"{gone} A longer string that contains it, but does not start with it, subtracts nothing."
            wrong.append(Option("It is not kept", why, misconception=59, facts=facts))
    if isinstance(following, SubtokenDropped):
        less = f"{gone} That is less than {least:,}."
        wrong.append(Option(f"It is kept with {left:,}", less, misconception=OTHER, facts=facts))
    longer = {kept: count for kept, count in state.kept.items() if kept.startswith(string)}
    listed = ", ".join(f"{chip(kept)} {count:,}" for kept, count in longer.items())
    if len(longer) > LISTED:
        listed = f"{len(longer):,} strings, {sum(longer.values()):,} together"
    given = (
        f"{chip(string)} was counted {times(counted)}",
        f"A count of {least:,} is needed",
        f"Longer strings that start with it were kept with these counts: {listed}",
    )
    return ask(f"{'. '.join(given)}. Is this string kept?", right, *wrong, given=given, facts=facts)
