"""The tree of a beam search as a drawing: a column for each step, its candidates from the best to the worst.

What was dropped stays, dashed; what ended has corners; at the end a thick line leads back from the winner. A column
that does not change is sent to the browser once. What is drawn stands in tables beside it, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tokenlab.show.frames import Html, Panel, text
from tokenlab.show.views.beam_growth import Growth, Node
from tokenlab.show.views.numbers import minus
from tokenlab.transformers.generation.beam_steps import ENDS, LIVES, NO_ROOM
from tokenlab.visible import visible

ROW, HEIGHT, GAP, TOP, SIDE = 36, 30, 30, 24, 8  # pixels: from row to row, of a node, between columns, above, beside
LETTER, LONGEST = 7.3, 14  # pixels of a letter; letters of a token
DIGIT, CORNERS = 6.4, 14  # pixels of a letter of a sum; what round corners leave no room for, beside it
NARROWEST = 44.0  # pixels of a column

# What a mark looks like: its node and the line to it. Each differs in a line or in corners, not in colour alone.
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
_DARK = ("now", "on", "end", "best", "won")  # whose ground is a colour, under black text
# subtle: rules of a style sheet instead of a style for each of a thousand nodes, which would make a lesson too large.
STYLE = (
    "<style>.tl .beams{display:block;fill:none;stroke:currentColor;font:600 12px ui-monospace,monospace}"
    ".beams text{stroke:none;fill:currentColor;text-anchor:middle}.beams .sum{font:10px system-ui,sans-serif}"
    ".beams .small{font-weight:400;font-size:11px}.beams .lit rect{outline:3px solid var(--accent)}"
    + "".join(f".beams .{mark} rect{{{node}}}.beams .{mark}>path{{{line}}}" for mark, (node, line) in _MARKS.items())
    + f"{','.join(f'.beams .{mark} text' for mark in _DARK)}{{fill:#000}}</style>"
)
_OPENING = {mark: f"<g class={mark}{' tabindex=0' * (mark in ('now', 'won'))}>" for mark in _MARKS}
_LEGEND = (
    ("now", "lives on"),
    ("on", "was on the way here"),
    ("end", "ended: a hypothesis"),
    ("late", "ended, and not kept"),
    ("gone", "dropped"),
    ("off", "came to nothing"),
)
_AT_THE_END = (("best", "the winner's way"), *_LEGEND[2:])


@dataclass(frozen=True)
class Layout:
    """Where everything stands."""

    rows: int
    lefts: tuple[float, ...]  # of the columns, the root's among them
    widths: tuple[float, ...]

    @classmethod
    def of(cls, growth: Growth, rows: int) -> Layout:
        """For the columns that are there."""
        columns = ((growth.root,), *growth.columns)
        widths = tuple(max(map(_width, column), default=NARROWEST) for column in columns)
        lefts = [float(SIDE)]
        for width in widths[:-1]:
            lefts.append(lefts[-1] + width + GAP)
        return cls(rows, tuple(lefts), widths)

    @property
    def width(self) -> float:
        """Of the whole drawing."""
        return self.lefts[-1] + self.widths[-1] + SIDE + 12

    @property
    def height(self) -> int:
        """Of the whole drawing."""
        return TOP + ROW * self.rows + 4

    def y(self, node: Node) -> int:
        """The middle of a node."""
        return TOP + ROW * node.rank + ROW // 2


def _shown(node: Node) -> str:
    shown = visible(node.name) if node.step else node.name
    return shown if len(shown) <= LONGEST else f"{shown[: LONGEST - 1]}…"


def _width(node: Node) -> float:
    # Chinese characters are twice as wide.
    wide = sum(2 if ord(letter) >= 0x2E80 else 1 for letter in _shown(node))
    sums = DIGIT * len(minus(node.score)) + CORNERS if node.step else 0.0
    return max(NARROWEST, round(LETTER * wide + 18, 1), round(sums, 1))


def tree_panel(growth: Growth, rows: int) -> Panel:
    """The tree as it is.

    Args:
        growth: what is known.
        rows: candidates of a step, at the most.
    """
    last = "the winner traced back" if growth.ranking else "a column for each step, the best candidate on top"
    return Panel(f"The tree: {last}", tuple(_rows(growth, rows)), wide=True)


def _rows(growth: Growth, rows: int) -> Iterator[Html]:
    layout = Layout.of(growth, rows)
    # subtle: what is written from right to left is scrolled from its right end, where the newest column stands.
    yield (
        f'{STYLE}<li style="list-style:none;direction:rtl;overflow-x:auto"><div style="direction:ltr;width:max-content;'
        'min-width:100%"><svg role=group aria-label="the tree of beams; the tables say the same" '
    )
    yield f"width={layout.width:.0f} height={layout.height} class=beams>"
    if growth.columns:
        yield _best_of_all(layout, growth.room)
    yield f"{_OPENING['best' if growth.ranking else 'on']}{_node(growth.root, layout)}</g>"
    kept, won = growth.kept, frozenset(growth.ranking[0].node.path) if growth.ranking else frozenset()
    for step, column in enumerate(growth.columns, start=1):
        newest = column is growth.columns[-1] and not growth.ranking
        yield _head(step, layout)
        for node in column:
            # subtle: a node's mark changes, and what is drawn does not: so each is a row that is sent once.
            yield _OPENING[mark_of(node, kept, won, newest)]
            if node not in growth.drawn:
                growth.drawn[node] = f"{_edge(node, layout)}{_node(node, layout)}</g>"
            yield growth.drawn[node]
    yield from (_medal(layout, place, one.node) for place, one in enumerate(growth.ranking, start=1))
    yield f"</svg></div>{_legend(_AT_THE_END if growth.ranking else _LEGEND)}"


def _best_of_all(layout: Layout, beams: int) -> Html:
    """A line beneath the best candidates, as many as there are beams: an end counts only above it."""
    y = TOP + ROW * beams
    return (
        f'<path d="M{layout.lefts[1] - GAP / 2:.0f} {y}H{layout.width:.0f}" style="stroke-dasharray:1 5" />'
        f"<text x={SIDE + 22} y={y + 4} class=small>best {beams}</text>"
    )


def _head(number: int, layout: Layout) -> Html:
    return f"<text x={layout.lefts[number] + layout.widths[number] / 2:.0f} y=14 class=small>{number}</text>"


def mark_of(node: Node, kept: frozenset[Node], won: frozenset[Node] = frozenset(), newest: bool = False) -> str:
    """What a candidate is drawn like.

    Args:
        node: the candidate.
        kept: those on the way to a living beam or to a hypothesis of the pool.
        won: those on the way to the winner, where there is one.
        newest: whether its step is the last.
    """
    if node in won:
        return "best" if node.fate == LIVES else "won"
    if node.fate == LIVES:
        return ("now" if newest else "on") if node in kept else "off"
    if node.fate == ENDS:
        return "end" if node in kept else "late"
    return "gone" if node.fate == NO_ROOM else "late"


def _edge(node: Node, layout: Layout) -> Html:
    assert node.parent is not None
    before = node.parent
    right = layout.lefts[before.step] + _width(before)
    turn, left = layout.lefts[before.step] + layout.widths[before.step], layout.lefts[node.step]
    y, to = layout.y(before), layout.y(node)
    bend = f"C{left - 8:.0f} {y} {turn + 8:.0f} {to} {left:.0f} {to}" if y != to else ""
    return f'<path d="M{right:.0f} {y}H{turn if bend else left:.0f}{bend}"/>'


def _node(node: Node, layout: Layout) -> Html:
    left, y, width = layout.lefts[node.step], layout.y(node), _width(node)
    middle = left + width / 2
    sums = f"<text class=sum x={middle:.0f} y={y + 11}>{minus(node.score)}</text>" if node.step else ""
    return (
        f"<g data-at={node.key}><title>{_title(node)}</title>"
        f"<rect x={left:.0f} y={y - HEIGHT // 2} width={width:.0f} height={HEIGHT} />"
        f"<text x={middle:.0f} y={y - 1}>{text(_shown(node))}</text>{sums}</g>"
    )


def _title(node: Node) -> Html:
    """What the pointer, and who listens, is told about a node."""
    if node.parent is None:
        return "the start"
    before = visible(node.parent.name)
    return text(
        f"{visible(node.name)} after {before}: {minus(node.log_probability)}, in all {minus(node.score)}; {node.fate}"
    )


def _medal(layout: Layout, place: int, node: Node) -> Html:
    """The place of a hypothesis in the ranking, at its end."""
    x, y = layout.lefts[node.step] + _width(node), layout.y(node) - HEIGHT // 2
    ground = f"<circle cx={x:.0f} cy={y + 2} r=9 style=fill:var(--ground) />"
    return f"{ground}<text x={x:.0f} y={y + 6} class=small>{place}</text>"


def _legend(marks: Sequence[tuple[str, str]]) -> Html:
    """Each mark beside what it means."""
    items = "".join(
        '<span style="display:inline-flex;align-items:center;gap:5px;margin-right:14px"><svg width=34 height=20 '
        f"aria-hidden=true class=beams><g class={mark}><rect x=3 y=3 width=28 height=14 /></g></svg>{said}</span>"
        for mark, said in marks
    )
    return f'<div style="direction:ltr;font-size:12px;color:var(--soft);margin-top:4px">{items}</div>'
