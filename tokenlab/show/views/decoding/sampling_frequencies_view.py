"""View of repeated sampling: counts as bars next to expected counts and their intervals."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import ceil
from typing import Any

from tokenlab.algorithms.decoding.sample_counts import CountsRecorded, cumulative_intervals, mean_and_std
from tokenlab.printing.printable import count_noun, printable
from tokenlab.printing.printed_numbers import format_number, format_probability
from tokenlab.show.frames import Frame, Html, Panel, StepRange, chip, sentence, text
from tokenlab.show.views.elements import token_tables as tables
from tokenlab.steps.recording import Recording

SHOWN = 10  # tokens
WIDE = 2.0  # standard deviations of the interval, which contains about 95 % of counts
FEW = 5  # expected counts below this are too small for such an interval
OPENING = "The line from 0 to 1 is divided into intervals. Each is as long as its token's probability."
LEGEND = (
    "Grey: drawn. Orange: expected count. Blue: interval of two standard deviations around it. "
    "!: outside of the interval."
)
ROOM = 1.04  # scale of the axis relative to the longest bar
NAMED = 0.05  # minimum length of an interval that shows its name


def sampling_frequencies_view(recording: Recording[Any, Any], window: StepRange) -> Iterator[Frame]:
    """Yield a frame with the intervals, and one for each recorded number of draws."""
    parts = cumulative_intervals(recording.arguments["distribution"])
    for number in window.positions:
        done: CountsRecorded | None = recording[number - 1] if number else None
        yield Frame(
            moment=count_noun(done.draws, "draw") if done else "Before the first draw",
            caption=sentence(done) if done else OPENING,
            remark=_remark(parts, done) if done else "Each draw is a random number between 0 and 1.",
            panels=tuple(_panels(parts, done)),
        )


def _remark(parts: list[tuple[str, float, float]], done: CountsRecorded) -> Html:
    """Tell how many counts are within the interval."""
    judged = [(token, end - start) for token, start, end in parts if mean_and_std(end - start, done.draws)[0] >= FEW]
    if not judged:
        return "There are too few draws to judge the counts."
    inside = sum(is_in_interval(done.counts.get(token, 0), share, done.draws) for token, share in judged)
    if len(judged) == 1:
        counts = f"The only count that is expected to be {FEW} or more {'is' if inside else 'is not'}"
    else:
        lie = "is" if inside == 1 else "are"
        counts = f"Of the {len(judged)} counts that are expected to be {FEW} or more, {inside} {lie}"
    return f"{counts} within two standard deviations of its expected value; on average, 19 of 20 counts are."


def is_in_interval(count: int, probability: float, draws: int) -> bool:
    """Return True if a count is within the interval.

    >>> is_in_interval(60, 0.5, 100), is_in_interval(61, 0.5, 100)
    (True, False)
    """
    mean, deviation = mean_and_std(probability, draws)
    return abs(count - mean) <= WIDE * deviation


def _panels(parts: list[tuple[str, float, float]], done: CountsRecorded | None) -> Iterator[Panel]:
    yield Panel("The line from 0 to 1", (_line(parts, done),), wide=True)
    if done is None:
        shares = ((token, end - start) for token, start, end in parts)
        rows = [
            tables.row(chip(token), tables.bar(share, format_probability(share), width=80)) for token, share in shares
        ]
        yield tables.table("Probabilities", [tables.header_row("token", "probability"), *rows[:SHOWN], *_more(parts)])
    else:
        counts = tables.table("Counts and expected counts", list(_counts(parts, done)))
        legend = f'<li style="list-style:none;max-width:46rem;margin-top:6px;font-size:12px">{LEGEND}'
        yield replace(counts, rows=(*counts.rows, legend))


def _more(parts: list[tuple[str, float, float]]) -> Iterator[Html]:
    if len(parts) > SHOWN:
        rest = parts[-1][2] - parts[SHOWN][1]
        yield tables.row(f"{len(parts) - SHOWN} other tokens", tables.bar(0, format_probability(rest), width=80))


# --- the line -------------------------------------------------------------------------------------


def _line(parts: list[tuple[str, float, float]], done: CountsRecorded | None) -> Html:
    """Return the intervals side by side, and an arrow at the last random number."""
    pieces = "".join(
        f'<i title="{text(printable(token))}: {format_number(start)} to {format_number(end)}" '
        f'style="display:inline-block;overflow:hidden;'
        f"height:24px;width:{100 * (end - start):.0f}%;border-radius:0;min-width:0;text-align:center;font-style:normal;"
        f"line-height:24px;font-size:12px;color:#000;white-space:nowrap;border-right:1px solid #000;vertical-align:top;"
        f'background:{_shade(token, place, done)}">{text(printable(token)) if end - start >= NAMED else ""}</i>'
        for place, (token, start, end) in enumerate(parts)
    )
    arrow = done and (
        f'<div style="position:relative;height:18px"><span style="position:absolute;left:{100 * done.number:.0f}%;'
        f'transform:translateX(-50%);font-size:12px">▼</span></div>'
    )
    ends = '<div style="display:flex;justify-content:space-between;font-size:12px"><span>0</span><span>1</span></div>'
    return f'<li style="list-style:none;max-width:46rem">{arrow or ""}<div style="display:flex">{pieces}</div>{ends}'


def _shade(token: str, place: int, done: CountsRecorded | None) -> str:
    return tables.GREEN if done and token == done.token else ("#e4e4de", "#c9c9c1")[place % 2]


# --- the counts -----------------------------------------------------------------------------------


def _counts(parts: list[tuple[str, float, float]], done: CountsRecorded) -> Iterator[Html]:
    """Yield a bar for each count, with the interval and a mark at the expected count."""
    yield tables.header_row("token", "drawn", "expected", "counts", numbers=2)
    shown = [(token, end - start, done.counts.get(token, 0)) for token, start, end in parts[:SHOWN]]
    uppers = (max(count, interval_upper_bound(mean_and_std(share, done.draws))) for _, share, count in shown)
    most = ceil(ROOM * max(uppers))
    for token, share, count in shown:
        mean, deviation = mean_and_std(share, done.draws)
        outside = "" if mean < FEW or is_in_interval(count, share, done.draws) else " !"
        yield tables.row(
            chip(token, "new" if token == done.token else ""),
            tables.number(f"{count:,}{outside}"),
            tables.number(f"{format_number(mean, 1)} ± {format_number(WIDE * deviation, 1)}"),
            _over(count / most, mean / most, WIDE * deviation / most),
        )
    if len(parts) > SHOWN:
        rest = done.draws - sum(count for _, _, count in shown)
        mean = done.draws * (parts[-1][2] - parts[SHOWN][1])
        yield tables.row(
            f"{len(parts) - SHOWN} other tokens", tables.number(f"{rest:,}"), tables.number(format_number(mean, 1))
        )


def interval_upper_bound(mean_and_deviation: tuple[float, float]) -> float:
    """Return the upper end of the interval."""
    return mean_and_deviation[0] + WIDE * mean_and_deviation[1]


def _over(count: float, mean: float, wide: float) -> Html:
    """Return the bar of a count, its interval as a line and the expected count as a mark."""
    low = max(0.0, mean - wide)
    bars = (
        (14, 3, 0.0, count, tables.GREY),
        (4, 8, low, mean + wide - low, "#0072b2"),
        (20, 0, mean, 0.004, "#d55e00"),
    )
    inside = "".join(
        f'<i style="display:block;position:absolute;height:{height}px;top:{top}px;left:{100 * left:.0f}%;'
        f'width:{format_number(100 * width, 1)}%;border-radius:0;background:{colour}"></i>'
        for height, top, left, width, colour in bars
    )
    return (
        '<td style="padding:1px 8px;border:0;width:55%"><div aria-hidden=true style="position:relative;height:20px">'
        f"{inside}</div>"
    )
