"""Many draws from one distribution, beside what is to be expected: bars that come near, and how near is usual."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from tokenlab.algorithms.draws import Counted, count_draws, expected, parts_of
from tokenlab.show.frames import Frame, Html, Panel, Window, chip, text, view
from tokenlab.show.views import tables
from tokenlab.steps import Recording
from tokenlab.visible import visible

SHOWN = 10  # tokens
WIDE = 2.0  # standard deviations of the interval: about 95 of 100 counts fall into it
FEW = 5  # expected counts below this are too small for such an interval
LEGEND = (
    "Grey: drawn. Orange: what is expected. Blue: what is usual, as far as two standard deviations from that. "
    "!: farther off."
)
ROOM = 1.04  # times what the longest bar needs, so that none runs to the edge
NAMED = 0.05  # parts of the line that are as long have room for their names


@view(count_draws)
def beside_the_expected(recording: Recording[Any, Any], window: Window) -> Iterator[Frame]:
    """A frame with the line alone, and one for each stop."""
    parts = parts_of(recording.arguments["distribution"])
    for number in range(window.first, window.end + 1):
        done: Counted | None = recording[number - 1] if number else None
        yield Frame(
            moment=_draws(done.draws) if done else "Before the first draw",
            caption=_caption(done),
            remark=_remark(parts, done) if done else "A number between 0 and 1 falls anywhere on it with equal chance.",
            panels=tuple(_panels(parts, done)),
        )


def _draws(number: int) -> str:
    return "1 draw" if number == 1 else f"{number:,} draws"


def _caption(done: Counted | None) -> Html:
    if done is None:
        return "The line from 0 to 1, cut into parts: each token has as much of it as it has probability."
    return f"The last number was {done.number:.3f}: it falls on {chip(done.token, 'new')}."


def _remark(parts: list[tuple[str, float, float]], done: Counted) -> Html:
    """How many counts are as near to what is expected as is usual."""
    judged = [(token, end - start) for token, start, end in parts if expected(end - start, done.draws)[0] >= FEW]
    if not judged:
        return "So few draws tell nothing yet."
    inside = sum(is_inside(done.counts.get(token, 0), share, done.draws) for token, share in judged)
    if len(judged) == 1:
        counts = f"The only count that is expected to be {FEW} or more {'lies' if inside else 'does not lie'}"
    else:
        lie = "lies" if inside == 1 else "lie"
        counts = f"Of the {len(judged)} counts that are expected to be {FEW} or more, {inside} {lie}"
    return f"{counts} within two standard deviations of what is expected; on average 19 of 20 do."


def is_inside(count: int, probability: float, draws: int) -> bool:
    """Whether a count is within the interval.

    >>> is_inside(60, 0.5, 100), is_inside(61, 0.5, 100)
    (True, False)
    """
    mean, deviation = expected(probability, draws)
    return abs(count - mean) <= WIDE * deviation


def _panels(parts: list[tuple[str, float, float]], done: Counted | None) -> Iterator[Panel]:
    yield Panel("The line from 0 to 1", (_line(parts, done),), wide=True)
    if done is None:
        rows = [
            tables.row(chip(token), tables.bar(end - start, f"{end - start:.3f}", width=80))
            for token, start, end in parts
        ]
        yield tables.table("Probabilities", [tables.heads("token", "probability"), *rows[:SHOWN], *_more(parts)])
    else:
        counts = tables.table("Counts, beside what is expected", list(_counts(parts, done)))
        legend = f'<li style="list-style:none;max-width:46rem;margin-top:6px;font-size:12px">{LEGEND}'
        yield replace(counts, rows=(*counts.rows, legend))


def _more(parts: list[tuple[str, float, float]]) -> Iterator[Html]:
    if len(parts) > SHOWN:
        rest = parts[-1][2] - parts[SHOWN][1]
        yield tables.row(f"{len(parts) - SHOWN} tokens more", tables.bar(0, f"{rest:.3f}", width=80))


# --- the line -------------------------------------------------------------------------------------


def _line(parts: list[tuple[str, float, float]], done: Counted | None) -> Html:
    """The parts side by side, each as wide as it is probable, and an arrow where the last number fell."""
    pieces = "".join(
        f'<i title="{text(visible(token))}: {start:.3f} to {end:.3f}" style="display:inline-block;overflow:hidden;'
        f"height:24px;width:{100 * (end - start):.2f}%;border-radius:0;min-width:0;text-align:center;font-style:normal;"
        f"line-height:24px;font-size:12px;color:#000;white-space:nowrap;border-right:1px solid #000;vertical-align:top;"
        f'background:{_shade(token, place, done)}">{text(visible(token)) if end - start >= NAMED else ""}</i>'
        for place, (token, start, end) in enumerate(parts)
    )
    arrow = (
        f'<div style="position:relative;height:18px"><span style="position:absolute;left:{100 * done.number:.1f}%;'
        f'transform:translateX(-50%);font-size:12px">▼</span></div>'
        if done
        else ""
    )
    ends = '<div style="display:flex;justify-content:space-between;font-size:12px"><span>0</span><span>1</span></div>'
    return f'<li style="list-style:none;max-width:46rem">{arrow}<div style="display:flex">{pieces}</div>{ends}'


def _shade(token: str, place: int, done: Counted | None) -> str:
    return tables.GREEN if done and token == done.token else ("#e4e4de", "#c9c9c1")[place % 2]


# --- the counts -----------------------------------------------------------------------------------


def _counts(parts: list[tuple[str, float, float]], done: Counted) -> Iterator[Html]:
    """A bar for each count, over the interval that is to be expected, with a mark at what is expected."""
    yield tables.heads("token", "drawn", "usual", "counts", numbers=2)
    shown = [(token, end - start, done.counts.get(token, 0)) for token, start, end in parts[:SHOWN]]
    most = ROOM * max(max(count, sum_of(expected(share, done.draws))) for _, share, count in shown)
    for token, share, count in shown:
        mean, deviation = expected(share, done.draws)
        outside = "" if mean < FEW or is_inside(count, share, done.draws) else " !"
        yield tables.row(
            chip(token, "new" if token == done.token else ""),
            tables.number(f"{count:,}{outside}"),
            tables.number(f"{mean:.1f} ± {WIDE * deviation:.1f}"),
            _over(count / most, mean / most, WIDE * deviation / most),
        )
    if len(parts) > SHOWN:
        rest = done.draws - sum(count for _, _, count in shown)
        mean = done.draws * (parts[-1][2] - parts[SHOWN][1])
        yield tables.row(f"{len(parts) - SHOWN} tokens more", tables.number(f"{rest:,}"), tables.number(f"{mean:.1f}"))


def sum_of(mean_and_deviation: tuple[float, float]) -> float:
    """The upper end of the interval."""
    return mean_and_deviation[0] + WIDE * mean_and_deviation[1]


def _over(count: float, mean: float, wide: float) -> Html:
    """The bar of a count, over it the interval as a line and the expected count as a mark: shares of the width."""
    low = max(0.0, mean - wide)
    bars = (
        (14, 3, 0.0, count, tables.GREY),
        (4, 8, low, mean + wide - low, "#0072b2"),
        (20, 0, mean, 0.004, "#d55e00"),
    )
    inside = "".join(
        f'<i style="display:block;position:absolute;height:{height}px;top:{top}px;left:{100 * left:.1f}%;'
        f'width:{100 * width:.1f}%;border-radius:0;background:{colour}"></i>'
        for height, top, left, width, colour in bars
    )
    return (
        '<td style="padding:1px 8px;border:0;width:55%"><div aria-hidden=true style="position:relative;height:20px">'
        f"{inside}</div>"
    )
