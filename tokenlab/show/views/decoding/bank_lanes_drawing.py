"""A drawing of the beams of a constrained search: a column for each step, a coloured lane for each bank.

A beam that matches a token of a constraint climbs to a higher lane. Forced tokens have a dashed border. The tables next
to the drawing contain the same data.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence

from tokenlab.printing.printable import printable
from tokenlab.show.frames import Html, Panel, style_sheet, text
from tokenlab.show.views.elements.numbers import format_negative
from tokenlab.traces.generation.constrained_beam_trace_steps import BankEntry, ConstrainedSearchStep

ROW, HEIGHT, COLUMN, WIDTH, TOP = 25, 20, 104, 80, 18  # pixels: of a row, a node, a column, a node, the heads
LABEL = 58  # pixels of the column with the names of the banks
LONGEST = 9  # characters of a token
LANES = ("#e4e4de", "#e69f00", "#56b4e9", "#3cb892", "#d98cb3", "#f0e442")  # by number of the bank, in turn

# subtle: a style sheet, since a style attribute in every node would make a lesson too large.
STYLE = style_sheet(
    ".tl .lanes{display:block;fill:none;stroke:currentColor;font:600 12px ui-monospace,monospace}"
    ".lanes text{stroke:none;fill:#000;text-anchor:middle}.lanes .soft text{fill:currentColor;font-weight:400;"
    "font-size:11px}.lanes .forced rect{stroke-width:2.5;stroke-dasharray:4 2}.lanes .band{stroke:none;opacity:.22}"
    + "".join(f".lanes .l{n} rect,.lanes .b{n}{{fill:{colour}}}" for n, colour in enumerate(LANES))
)


class BankLanes:
    """The positions of the beams of a search.

    Args:
        steps: all steps of the search.
    """

    def __init__(self, steps: Sequence[ConstrainedSearchStep]) -> None:
        counts: dict[int, int] = {}
        for step in steps:
            banks = [hypothesis.bank for hypothesis in step.hypotheses]
            counts |= {bank: max(counts.get(bank, 0), banks.count(bank)) for bank in banks}
        self.tops: dict[int, int] = {}
        self.height = TOP
        for bank in sorted(counts, reverse=True):
            self.tops[bank] = self.height
            self.height += ROW * counts[bank]
        self.steps = steps

    def panel(self, number: int) -> Panel:
        """Draw the first steps.

        Args:
            number: the number of steps.
        """
        return Panel("The beams in the lanes of their banks", tuple(self._rows(number)), wide=True)

    def _rows(self, number: int) -> Iterator[Html]:
        width = COLUMN * number
        bands = [(bank, top, self._end(top) - top) for bank, top in self.tops.items()]
        yield f'{STYLE}<li style="list-style:none;display:flex">'
        yield f"<svg aria-hidden=true class=lanes width={LABEL} height={self.height}>"
        for bank, top, height in bands:
            yield _band(bank, top, height, LABEL)
            yield f"<g class=soft><text x={LABEL // 2} y={top + height / 2 + 4:.0f}>bank {bank}</text></g>"
        # subtle: right-to-left content is scrolled from its right end, which shows the newest column.
        yield '</svg><div style="direction:rtl;overflow-x:auto;flex:1;min-width:0">'
        yield '<div style="direction:ltr;width:max-content;min-width:100%">'
        yield (
            '<svg role=group aria-label="the beams by bank; the tables say the same" class=lanes '
            f"width={width} height={self.height}>"
        )
        yield from (_band(bank, top, height, width) for bank, top, height in bands)
        before: list[int] = []
        for step in self.steps[:number]:
            before = yield from self._column(step, before)
        yield "</svg></div></div>"

    def _end(self, top: int) -> int:
        return min((other for other in self.tops.values() if other > top), default=self.height)

    def _column(self, step: ConstrainedSearchStep, before: Sequence[int]) -> Generator[Html, None, list[int]]:
        """Yield the nodes of a step; return their vertical centres by beam."""
        left = COLUMN * (step.number - 1) + COLUMN - WIDTH - 4
        yield f"<g class=soft><text x={left + WIDTH // 2} y=12>{step.number}</text></g>"
        free = dict(self.tops)
        heights: list[int] = []
        for entry in sorted((each for each in step.entries if each.continues), key=lambda each: each.place):
            y = free[entry.hypothesis.bank] + ROW // 2
            free[entry.hypothesis.bank] += ROW
            heights.append(y)
            start = before[entry.beam] if before else None
            yield _node(entry, left, y, start)
        return heights


def _band(bank: int, top: int, height: int, width: int) -> Html:
    return f'<rect class="band b{bank % len(LANES)}" y={top} width={width} height={height} />'


def _node(entry: BankEntry, left: int, y: int, start: int | None) -> Html:
    """Return a token in its lane, with an edge from its parent."""
    shown = printable(entry.token)
    shown = shown if len(shown) <= LONGEST else f"{shown[: LONGEST - 1]}…"
    gap = left - COLUMN + WIDTH
    edge = f'<path d="M{gap} {start}C{left} {start} {gap} {y} {left} {y}"/>' if start is not None else ""
    bank = entry.hypothesis.bank
    said = f"{printable(entry.token)}: bank {bank}, sum {format_negative(entry.hypothesis.total)}"
    return (
        f'<g class="{"forced " * entry.forced}l{bank % len(LANES)}">{edge}'
        f"<title>{text(said)}{', forced' * entry.forced}</title>"
        f"<rect x={left} y={y - HEIGHT // 2} width={WIDTH} height={HEIGHT} rx=9 />"
        f"<text x={left + WIDTH // 2} y={y + 4}>{text(shown)}</text></g>"
    )
