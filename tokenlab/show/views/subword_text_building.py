"""Learning subtokens: the tokens as they are cut, the counts of what begins at cuts, and who takes them away.

A frame shows one step of a round. While tokens are cut the counts grow; then the strings have their turns, the longest
first, and each that is kept takes its count away from the strings that it begins with.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from tokenlab.algorithms.subword_text import Counted, Fell, Kept, Listed, build, choose, strings_at_cuts
from tokenlab.misconceptions.subword_text import decrement_every_part
from tokenlab.show.frames import Fact, Frame, Html, Mark, Option, Panel, Question, Window, bar, chip, view
from tokenlab.steps import Recording

TOKENS, STRINGS, KEPT, CUT = 8, 10, 30, 24  # rows and chips of a panel at the most
QUESTIONS = 4  # at the most


class State:
    """What is known at a step: how tokens are cut, what is counted and what of it is left, and what is kept."""

    def __init__(self, recording: Recording[Any, Any]) -> None:
        """Begin before the first step."""
        arguments = recording.arguments
        self.recording = recording
        self.least = max(1, arguments["min_count"])
        self.max_length = arguments.get("max_length")
        self.tokens: dict[str, Counted] = {}
        self.counts: Counter[str] = Counter(arguments.get("counts", {}))
        self.left = Counter(self.counts)
        self.kept: dict[str, int] = {}
        self.round = 1
        self.size = 0

    def take(self, step: Any) -> None:
        """Go one step on."""
        match step:
            case Counted():
                if step.iteration != self.round:
                    self.round, self.kept = step.iteration, {}
                    self.counts.clear()
                    self.left.clear()
                self.tokens[step.token] = step
                strings = dict(Counter(strings_at_cuts(step.cut, self.max_length)))
                grown = {string: times * step.count for string, times in strings.items()}
                self.counts.update(grown)
                self.left.update(grown)
            case Kept():
                self.kept[step.text] = step.count
                for end in range(1, len(step.text)):
                    self.left[step.text[:end]] -= step.count
            case Listed():
                self.size = step.size

    def upcoming(self, number: int) -> list[str]:
        """The strings whose turn comes in this round, the next one first."""
        strings = []
        for step in self.recording[number : number + STRINGS]:
            if not isinstance(step, Kept | Fell):
                break
            strings.append(step.text)
        return strings


@view(build, choose)
def subword_text_building(recording: Recording[Any, Any], window: Window) -> Iterator[Frame]:
    """A frame for the start, and one for each token that is counted, string that has its turn, and end of a round."""
    state, asked = State(recording), 0
    for number in range(window.end + 1):
        done = recording[number - 1] if number else None
        state.take(done)
        if number < window.first:
            continue
        following = recording[number] if number < len(recording) else None
        question = _question(state, done, following) if asked < QUESTIONS else None
        asked += question is not None
        yield Frame(
            moment=f"Round {state.round}, after step {number}" if number else "Before step 1",
            caption=_caption(state, done),
            remark=_remark(state, done, following),
            panels=tuple(_panels(state, number, done, following)),
            question=question,
        )


def _caption(state: State, done: Any) -> Html:
    match done:
        case Counted():
            return f"{chip(done.token)} is cut, and what begins at a cut is counted, {_times(done.count)} each."
        case Kept() if len(done.text) > 1:
            return f"{chip(done.text, 'new')} is kept with {done.count:,}; what it begins with loses as much."
        case Kept():
            return f"{chip(done.text, 'new')} is kept with {done.count:,}, as every character is."
        case Fell():
            end = "as a character it stays all the same" if len(done.text) == 1 else f"less than {state.least:,}"
            return f"{chip(done.text, 'unknown')} is left with {done.left:,} of {done.counted:,}: {end}."
        case Listed():
            return f"The round ends with {done.size:,} subtokens, all characters and reserved tokens among them."
    return f"Which strings begin at a cut {_times(state.least)} or more, by themselves?"


def _remark(state: State, done: Any, following: Any) -> Html:
    if isinstance(done, Counted) and not isinstance(following, Counted):
        return f"All tokens are counted. Now every string with {state.least:,} or more has its turn, the longest first."
    if isinstance(done, Listed) and following is not None:
        return "In the next round the tokens are cut with these, and only what begins at those cuts is counted."
    return ""


def _times(count: float) -> str:
    return "once" if count == 1 else f"{count:,} times"


def _panels(state: State, number: int, done: Any, following: Any) -> Iterator[Panel]:
    if state.tokens:
        shown = list(state.tokens.values())[-TOKENS:]
        rows = tuple(_token(counted, counted is done) for counted in shown)
        yield Panel(f"Tokens, as they are cut in round {state.round}", rows, kind="words")
    title = "How often each string begins at a cut" + (", and what is left" if state.kept else "")
    yield Panel(title, tuple(_strings(state, number, done, following)), kind="bars", hides=True)
    kept = list(state.kept.items())
    cells = [f"{chip(string, _mark(string, done))}<small>{count:,}</small>" for string, count in kept[-KEPT:]]
    part = f", the last {KEPT} of {len(kept)}" if len(kept) > KEPT else ""
    row = f"<li class=tl-ranks>{' '.join(cells)}" if cells else "<li>none yet"
    yield Panel(f"Kept in this round{part}", (row,), wide=True)


def _mark(string: str, done: Any) -> Mark:
    return "new" if isinstance(done, Kept) and string == done.text else ""


def _token(counted: Counted, now: bool) -> Html:
    cells = [chip(subtoken, "new" if now else "") for subtoken in counted.cut[:CUT]]
    more = " …" if len(counted.cut) > CUT else ""
    return f"<li><span>{counted.count:,} ×</span> <div>{' '.join(cells)}{more}</div>"


def _strings(state: State, number: int, done: Any, following: Any) -> Iterator[Html]:
    """The strings that have just lost counts, then those whose turn comes; while counting, the most frequent ones."""
    eaten = [done.text[:end] for end in range(1, len(done.text))] if isinstance(done, Kept) else []
    turns = state.upcoming(number)
    shown = list(dict.fromkeys([*turns, *reversed(eaten)]))[:STRINGS]
    if not turns and not isinstance(done, Kept | Fell):
        shown = [string for string, _ in state.counts.most_common(STRINGS)]
    most = max((state.counts[string] for string in shown), default=1)
    for string in shown:
        counted, left = state.counts[string], state.left[string]
        value = f"{left:,}" if left == counted else f"{left:,} of {counted:,}"
        following_text = getattr(following, "text", None)
        mark: Mark = "left" if string in eaten else ""
        yield bar(chip(string, mark), max(0, left) / max(1, most), value, "best" if string == following_text else "")


def _question(state: State, done: Any, following: Any) -> Question | None:
    """Where counts have been taken away from a string of several characters: is it kept, and with how much?"""
    if not isinstance(following, Kept | Fell) or not isinstance(done, Kept | Fell) or len(following.text) < 2:
        return None
    string = following.text
    counted, left = state.counts[string], state.left[string]
    if left == counted:
        return None
    facts: tuple[Fact, ...] = (("counted", string, counted), ("left", string, left))
    gone = f"Of {counted:,} longer strings that were kept took {counted - left:,}: {left:,} {_are(left)} left."
    kept = isinstance(following, Kept)
    options = [
        Option(f"It is kept with {left:,}", gone, right=True, facts=facts)
        if kept
        else Option("It is not kept", f"{gone} Fewer than {state.least:,}.", right=True, facts=facts),
        Option(f"It is kept with {counted:,}", gone, belief=59, facts=facts),
    ]
    if kept and string not in decrement_every_part(state.counts, state.least, set("".join(state.counts))):
        why = f"{gone} Longer strings that have it inside, or at their end, take nothing away."
        options.append(Option("It is not kept", why, belief=59, facts=facts))
    asked = f"{chip(string)} was counted {_times(counted)}; {state.least:,} are needed. What becomes of it?"
    return Question(asked, tuple(options)).shuffled()


def _are(count: int) -> str:
    return "is" if count == 1 else "are"
