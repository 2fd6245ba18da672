"""The search for a vocabulary size: the tries as points over `min_count`, the remaining interval, and a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import log
from typing import Any

from tokenlab.algorithms.subword_text.build_to_size import MinCountTried
from tokenlab.show.frames import OTHER, Fact, Frame, Html, Option, Panel, Question, StepRange, bar, sentence, text
from tokenlab.show.views.elements.questions import ask
from tokenlab.steps.recording import Recording

WIDTH, HEIGHT, LEFT, BASE = 560, 200, 56, 160  # of the drawing, in pixels
QUESTIONS = 3  # maximum number
_TITLE = "Vocabulary size over min_count; the numbers are tries"


def subword_text_size(recording: Recording[Any, Any], window: StepRange) -> Iterator[Frame]:
    """Yield a frame for the interval, and one for each `min_count` that is tried."""
    asked = _stops(recording, window)
    for number, done, following in window.steps_around(recording):
        tries = recording[:number]
        yield Frame(
            moment=f"After try {number}" if done else "Before try 1",
            caption=sentence(done) if done else _wanted(recording),
            remark="" if following else _end(tries, len(recording.result)),
            panels=(
                Panel(_TITLE, tuple(_drawing(recording, tries)), wide=True),
                Panel("The same as a table", _table(tries), kind="bars", wide=True),
            ),
            question=_question(done, following) if done and number in asked else None,
        )


def _stops(recording: Recording[Any, Any], window: StepRange) -> list[int]:
    """Return the tries to ask after: those at which the direction changes, and the first less than 10 % off."""
    numbers = range(window.first + 1, min(window.end + 1, len(recording)))
    near = [n for n in numbers if _near(recording[n - 1])]
    turns = [n for n in numbers if n == 1 or recording[n - 1].too_many != recording[n - 2].too_many]
    return sorted({*near[:1], *turns[:QUESTIONS]})[:QUESTIONS]


def _near(tried: MinCountTried) -> bool:
    return abs(tried.size - tried.target_size) * 10 < tried.target_size


def _wanted(recording: Recording[Any, Any]) -> Html:
    low, high, wanted = (recording.arguments[name] for name in ("low", "high", "target_size"))
    return f"About {wanted:,} subtokens are wanted. Which min_count from {low:,g} to {high:,g} gives them?"


def _end(tries: Sequence[MinCountTried], size: int) -> Html:
    if not tries or tries[-1].good_enough:
        return ""
    return f"No try was within 1 %. The nearest one is returned: {size:,} subtokens."


def _table(tries: Sequence[MinCountTried]) -> tuple[Html, ...]:
    most = max((tried.size for tried in tries), default=1)
    rows = ((f"{number}. min_count {tried.min_count:,g}", tried.size) for number, tried in enumerate(tries, start=1))
    return tuple(bar(name, size / most, f"{size:,}") for name, size in rows)


def _question(done: MinCountTried, following: MinCountTried | None) -> Question | None:
    """Ask for the next try; wrong answers: the other half (misconception 62), and stopping at 10 % (63)."""
    if following is None:
        return None
    other = _other_half(done)
    facts: tuple[Fact, ...] = (("size", done.min_count, done.size), ("target", None, done.target_size))
    much = f"{done.size:,} are too {'many' if done.too_many else 'few'}, because {done.target_size:,} are wanted"
    which = "A higher min_count keeps fewer" if done.too_many else "A lower min_count keeps more"
    reason = f"{much}. {which}, not the other way round."
    wrong = [Option(f"It tries min_count {other:,g}", reason, misconception=62, facts=facts)]
    if _near(done):
        why = f"{much}. The search stops at less than 1 % off; this is less than 10 %."
        wrong.append(Option("It ends with this try", why, misconception=63, facts=facts))
    next_one = f"It tries min_count {done.min_count + (1 if done.too_many else -1):,g}"
    halves = f"{much}. {which}. But the search tries the middle of the interval that is left."
    wrong.append(Option(next_one, halves, misconception=OTHER, facts=facts))
    right = (f"It tries min_count {following.min_count:,g}", f"{much}. {which}.")
    target = f"About {done.target_size:,} subtokens are wanted"
    given = (target, f"min_count {done.min_count:,g}, the middle of {done.low:,g} and {done.high:,g}", f"{done.size:,}")
    return ask(f"{target}. What does the search do next?", right, *wrong, given=given, facts=facts)


def _other_half(done: MinCountTried) -> float:
    """Return the middle of the half that is not searched."""
    low, high = (done.low, done.min_count - 1) if done.too_many else (done.min_count + 1, done.high)
    return (low + high) // 2


# The drawing: one row for the axes, one for the interval, and one for each point.


def _drawing(recording: Recording[Any, Any], tries: Sequence[MinCountTried]) -> Iterator[Html]:
    arguments = recording.arguments
    low, high, target = arguments["low"], arguments["high"], arguments["target_size"]
    most: int = max([target, *(tried.size for tried in recording)])

    def x(min_count: float) -> int:
        share = log(max(min_count, 1) / low) / log(high / low) if high > low > 0 else 0.5
        return round(LEFT + (WIDTH - LEFT - 30) * min(1, max(0, share)))

    def y(size: float) -> int:
        return round(BASE - (BASE - 20) * size / most)

    yield (
        f'<li style="list-style:none"><svg role=img aria-label="size over min_count; the table has the same values" '
        f'width={WIDTH} height={HEIGHT} style="fill:none;stroke:currentColor;font:12px ui-monospace,monospace">'
        f'<path d="M{LEFT} 10V{BASE}H{WIDTH - 20}" style="stroke-opacity:.4"/>'
        f'<path d="M{LEFT} {y(target)}H{WIDTH - 20}" style="stroke-dasharray:4 4;stroke-opacity:.7"/>'
        + _written(LEFT - 6, y(target) + 4, f"{target:,}", "end")
        + _written(WIDTH - 20, y(target) - 5, "wanted", "end")
        + _written(x(low), BASE + 34, f"{low:,g}")
        + _written(x(high), BASE + 34, f"{high:,g}", "end")
        + _written((LEFT + WIDTH) // 2, BASE + 34, "min_count (logarithmic scale)")
    )
    first, last = _interval(tries[-1]) if tries else (low, high)
    if last >= first:
        yield f'<path d="M{x(first) - 3} {BASE}H{x(last) + 3}" style="stroke:var(--accent);stroke-width:8"/>'
        yield _written((x(first) + x(last)) // 2, BASE + 19, f"left: {first:,g} to {last:,g}")
    for number, tried in enumerate(tries, start=1):
        shown = "fill:var(--new)" if number == len(tries) else "fill:var(--ground)"
        place = f"cx={x(tried.min_count)} cy={y(tried.size)}"
        colour = "#000" if number == len(tries) else "currentColor"
        yield f'<circle {place} r=9 style="{shown}"/>' + _written(
            x(tried.min_count), y(tried.size) + 4, str(number), colour=colour
        )
    yield "</svg>"


def _interval(done: MinCountTried) -> tuple[float, float]:
    """Return the remaining interval after a try, which is empty after the last."""
    if done.last:
        return 1, 0
    return (done.min_count + 1, done.high) if done.too_many else (done.low, done.min_count - 1)


def _written(x: int, y: int, content: str, anchor: str = "middle", colour: str = "currentColor") -> Html:
    style = f"stroke:none;fill:{colour};text-anchor:{anchor};font-size:11px"
    return f'<text x={x} y={y} style="{style}">{text(content)}</text>'
