"""A drawing of the tree of a beam search: a column for each step, with its candidates from the best to the worst.

Dropped candidates are dashed; hypotheses have square corners; at the end a thick line marks the path of the winner. A
node that does not change is sent to the browser once. The tables next to the drawing contain the same data.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tokenlab.libraries.transformers.generation.beam_state import BeamSearchState, CandidateNode
from tokenlab.libraries.transformers.generation.beam_steps import CONTINUES, FINISHES, NO_BEAM_SLOT
from tokenlab.printing.printable import printable
from tokenlab.show.frames import Html, Panel, style_sheet, text
from tokenlab.show.views.elements.numbers import format_log_probability, format_negative

ROW, HEIGHT, GAP, TOP, SIDE = 32, 28, 30, 20, 8  # pixels: row height, node height, column gap, margins
LETTER, LONGEST = 7.3, 14  # pixels of a character; maximum characters of a token
DIGIT, CORNERS = 6.4, 17  # pixels of a character of a sum; pixels lost to round corners
NARROWEST = 44.0  # minimum pixels of a column

# Styles of each mark: its node and the edge to it. Each differs in a line or in corners, not in colour alone.
_GREEN, _GREY, _ORANGE, _BLUE = "fill:#009e73", "fill:#e4e4de", "fill:#e69f00", "fill:#56b4e9"
_SOFT, _DASHED = "stroke:var(--soft)", "stroke:var(--soft);stroke-dasharray:3 3"
_ROUND = "rx:15px"
_MARKS = {
    "gone": (f"{_ROUND};{_DASHED}", _DASHED),
    "late": ("stroke:#e69f00;stroke-width:2;stroke-dasharray:3 3", _DASHED),
    "off": (f"{_ROUND};{_SOFT}", _SOFT),
    "end": (_ORANGE, "stroke-width:2.5"),
    "on": (f"{_ROUND};{_GREY}", "stroke-width:2.5"),
    "now": (f"{_ROUND};{_GREEN};stroke-width:2.5", "stroke-width:2.5"),
    "best": (f"{_ROUND};{_BLUE};stroke-width:3", "stroke:#56b4e9;stroke-width:6"),
    "won": (f"{_BLUE};stroke-width:3", "stroke:#56b4e9;stroke-width:6"),
}
_DARK = ("now", "on", "end", "best", "won")  # marks with a coloured background under black text
# subtle: a style sheet, since a style attribute in every node would make a lesson too large.
STYLE = style_sheet(
    ".tl .beams{display:block;fill:none;stroke:currentColor;font:600 12px ui-monospace,monospace}"
    ".beams text{stroke:none;fill:currentColor;text-anchor:middle}.beams .sum{font:10px system-ui,sans-serif}"
    ".beams .small{font-weight:400;font-size:11px}.beams .lit rect{outline:3px solid var(--accent)}"
    + "".join(f".beams .{mark} rect{{{node}}}.beams .{mark}>path{{{line}}}" for mark, (node, line) in _MARKS.items())
    + f"{','.join(f'.beams .{mark} text' for mark in _DARK)}{{fill:#000}}"
)
_OPENING = {mark: f"<g class={mark}{' tabindex=0' * (mark in ('now', 'won'))}>" for mark in _MARKS}
_LEGEND = (
    ("now", "continues"),
    ("on", "part of a beam or hypothesis"),
    ("end", "ended: a hypothesis"),
    ("late", "ended, not in the pool"),
    ("gone", "dropped"),
    ("off", "abandoned later"),
)
_AT_THE_END = (("best", "the path of the winner"), *_LEGEND[2:])


@dataclass(frozen=True)
class Layout:
    """Positions of the columns and rows."""

    rows: int
    lefts: tuple[float, ...]  # left edges of the columns, including the root's
    widths: tuple[float, ...]

    @classmethod
    def of(cls, growth: BeamSearchState, rows: int) -> Layout:
        """Return the layout of the columns so far."""
        columns = ((growth.root,), *growth.columns)
        widths = tuple(max(map(_width, column), default=NARROWEST) for column in columns)
        lefts = [float(SIDE)]
        for width in widths[:-1]:
            lefts.append(lefts[-1] + width + GAP)
        return cls(rows, tuple(lefts), widths)

    @property
    def width(self) -> float:
        """Width of the drawing in pixels."""
        return self.lefts[-1] + self.widths[-1] + SIDE + 12

    @property
    def height(self) -> int:
        """Height of the drawing in pixels."""
        return TOP + ROW * self.rows + 4

    def y(self, node: CandidateNode) -> int:
        """Vertical centre of a node in pixels."""
        return TOP + ROW * node.rank + ROW // 2


def _shown(node: CandidateNode) -> str:
    shown = printable(node.name) if node.step else node.name
    return shown if len(shown) <= LONGEST else f"{shown[: LONGEST - 1]}…"


def _width(node: CandidateNode) -> float:
    # Chinese characters are twice as wide.
    wide = sum(2 if ord(letter) >= 0x2E80 else 1 for letter in _shown(node))
    sums = DIGIT * len(format_negative(node.score)) + CORNERS if node.step else 0.0
    return max(NARROWEST, round(LETTER * wide + 18, 1), round(sums, 1))


def tree_panel(growth: BeamSearchState, rows: int, drawn: dict[CandidateNode, Html]) -> Panel:
    """Draw the tree.

    Args:
        growth: the state of the search.
        rows: maximum number of candidates of a step.
        drawn: the nodes drawn so far, which never change; new ones are added.
    """
    last = "the winner traced back" if growth.ranking else "a column for each step, the best candidate on top"
    return Panel(f"The tree: {last}", tuple(_rows(growth, rows, drawn)), wide=True)


def _rows(growth: BeamSearchState, rows: int, drawn: dict[CandidateNode, Html]) -> Iterator[Html]:
    layout = Layout.of(growth, rows)
    # subtle: right-to-left content is scrolled from its right end, which shows the newest column.
    yield (
        f'{STYLE}<li style="list-style:none;direction:rtl;overflow-x:auto"><div style="direction:ltr;width:max-content;'
        'min-width:100%">'
    )
    yield (
        '<svg role=group aria-label="the tree of beams; the tables say the same" '
        f"width={layout.width:.0f} height={layout.height} class=beams>"
    )
    if growth.columns:
        yield _best_of_all(layout, growth.rule.num_beams)
    yield f"{_OPENING['best' if growth.ranking else 'on']}{_node(growth.root, layout)}</g>"
    kept, won = growth.kept, frozenset(growth.ranking[0].node.path) if growth.ranking else frozenset()
    for step, column in enumerate(growth.columns, start=1):
        newest = column is growth.columns[-1] and not growth.ranking
        yield _head(step, layout)
        for node in column:
            # subtle: the mark of a node changes, but its drawing does not: a separate row for it is sent once.
            yield _OPENING[node_style(node, kept, won, newest)]
            if node not in drawn:
                drawn[node] = f"{_edge(node, layout)}{_node(node, layout)}</g>"
            yield drawn[node]
    yield from (_medal(layout, place, one.node) for place, one in enumerate(growth.ranking, start=1))
    yield f"</svg></div>{_legend(_AT_THE_END if growth.ranking else _LEGEND)}"


def _best_of_all(layout: Layout, beams: int) -> Html:
    """A line below the best num_beams candidates: an eos counts only above it."""
    y = TOP + ROW * beams
    return (
        f'<path d="M{layout.lefts[1] - GAP / 2:.0f} {y}H{layout.width:.0f}" style="stroke-dasharray:1 5" />'
        f"<text x={SIDE + 22} y={y + 4} class=small>best {beams}</text>"
    )


def _head(number: int, layout: Layout) -> Html:
    return f"<text x={layout.lefts[number] + layout.widths[number] / 2:.0f} y=14 class=small>{number}</text>"


def node_style(
    node: CandidateNode,
    kept: frozenset[CandidateNode],
    won: frozenset[CandidateNode] = frozenset(),
    newest: bool = False,
) -> str:
    """Return the mark of a candidate.

    Args:
        node: the candidate.
        kept: the nodes on the path to a beam or to a hypothesis of the pool.
        won: the nodes on the path to the winner, if there is one.
        newest: whether its step is the last.
    """
    if node in won:
        return "best" if node.status == CONTINUES else "won"
    if node.status == CONTINUES:
        return ("now" if newest else "on") if node in kept else "off"
    if node.status == FINISHES:
        return "end" if node in kept else "late"
    return "gone" if node.status == NO_BEAM_SLOT else "late"


def _edge(node: CandidateNode, layout: Layout) -> Html:
    assert node.parent is not None
    before = node.parent
    right = layout.lefts[before.step] + _width(before)
    turn, left = layout.lefts[before.step] + layout.widths[before.step], layout.lefts[node.step]
    y, to = layout.y(before), layout.y(node)
    bend = f"C{left - 8:.0f} {y} {turn + 8:.0f} {to} {left:.0f} {to}" if y != to else ""
    return f'<path d="M{right:.0f} {y}H{turn if bend else left:.0f}{bend}"/>'


def _node(node: CandidateNode, layout: Layout) -> Html:
    left, y, width = layout.lefts[node.step], layout.y(node), _width(node)
    middle = left + width / 2
    sums = f"<text class=sum x={middle:.0f} y={y + 11}>{format_negative(node.score)}</text>" if node.step else ""
    return (
        f"<g data-at={node.key}><title>{_title(node)}</title>"
        f"<rect x={left:.0f} y={y - HEIGHT // 2} width={width:.0f} height={HEIGHT} />"
        f"<text x={middle:.0f} y={y - 1}>{text(_shown(node))}</text>{sums}</g>"
    )


def _title(node: CandidateNode) -> Html:
    """Return the tooltip of a node, which screen readers read."""
    if node.parent is None:
        return "the start"
    before = printable(node.parent.name)
    numbers = f"{format_log_probability(node.log_probability)}, sum {format_negative(node.score)}"
    return text(f"{printable(node.name)} after {before}: {numbers}; {node.status}")


def _medal(layout: Layout, place: int, node: CandidateNode) -> Html:
    """The rank of a hypothesis, at its last node."""
    x, y = layout.lefts[node.step] + _width(node), layout.y(node) - HEIGHT // 2
    ground = f"<circle cx={x:.0f} cy={y + 2} r=9 style=fill:var(--ground) />"
    return f"{ground}<text x={x:.0f} y={y + 6} class=small>{place}</text>"


def _legend(marks: Sequence[tuple[str, str]]) -> Html:
    """Each mark with its meaning."""
    items = "".join(
        '<span style="display:inline-flex;align-items:center;gap:4px;margin-right:10px"><svg width=34 height=20 '
        f"aria-hidden=true class=beams><g class={mark}><rect x=3 y=3 width=28 height=14 /></g></svg>{said}</span>"
        for mark, said in marks
    )
    return f'<div style="direction:ltr;font-size:11px;color:var(--soft);margin-top:2px">{items}</div>'
