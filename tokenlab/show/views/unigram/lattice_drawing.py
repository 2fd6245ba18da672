"""Drawing of a lattice: positions in a row, pieces as arcs above them, and a label below each position.

A drawing is a list of rows of one SVG, so that an unchanged arc is sent to the browser only once. A table next to it
has the same content.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, TypeAlias

from tokenlab.algorithms.unigram.lattice import Edge, Lattice
from tokenlab.printing.printable import printable, unit
from tokenlab.show.frames import Html, Panel, text

LONGEST = 40  # maximum number of characters drawn
STEP, LEVEL, MARGIN = 60, 35, 30  # pixels between positions, between arc heights, and around the drawing

Mark: TypeAlias = Literal["", "gone", "lost", "best", "now", "path"]

# Line width and dashes carry the same information as colour.
_LINES: dict[Mark, str] = {
    "": "stroke-opacity:.35",
    "gone": "stroke-opacity:.12",
    "lost": "stroke-dasharray:5 4;stroke-opacity:.6",
    "best": "stroke:var(--new);stroke-width:2.5",
    "now": "stroke:var(--new);stroke-width:5",
    "path": "stroke:var(--accent);stroke-width:6",
}
_TEXT = "stroke:var(--ground);stroke-width:3px;paint-order:stroke;fill:currentColor;text-anchor:middle"


def lattice_panel(
    title: str,
    lattice: Lattice[Any],
    marks: Mapping[Edge[Any], Mark],
    position_labels: Sequence[str],
    labels: Mapping[Edge[Any], str] | None = None,
) -> Panel:
    """Return a panel with a drawing of the lattice.

    Args:
        title: the title of the panel.
        lattice: the lattice to draw.
        marks: the styles of arcs; other arcs are plain.
        position_labels: the text below each position.
        labels: the text below each piece; by default its log probability.
    """
    return Panel(title, tuple(_rows(lattice, marks, position_labels, labels or {})), wide=True)


def _rows(
    lattice: Lattice[Any],
    marks: Mapping[Edge[Any], Mark],
    position_labels: Sequence[str],
    labels: Mapping[Edge[Any], str],
) -> Iterator[Html]:
    size = min(len(lattice.text), LONGEST)
    edges = [edge for edge in lattice.edges if edge.end <= size]
    heights = {length: place + 1 for place, length in enumerate(sorted({len(edge.piece) for edge in edges}))}
    base = MARGIN + LEVEL * max(heights.values(), default=0)
    width = 2 * MARGIN + STEP * size
    yield (
        f'<li style="list-style:none"><svg role=img aria-label="the lattice; the table says the same" width={width} '
        f'height={base + 36} style="fill:none;stroke:currentColor;stroke-width:1.5;font:12px ui-monospace,monospace">'
    )
    # Marked arcs are drawn last, over the others, and all text over all arcs.
    order: list[Mark] = list(_LINES)
    edges.sort(key=lambda edge: order.index(marks.get(edge, "")))
    yield from (_arc(edge, base, LEVEL * heights[len(edge.piece)], marks.get(edge, "")) for edge in edges)
    for edge in edges:
        label = labels.get(edge, f"{edge.log_prob:.2f}")
        yield _written(edge, base - LEVEL * heights[len(edge.piece)], label, marks.get(edge) == "gone")
    for place in range(size + 1):
        yield _node(place, base, position_labels[place] if place < len(position_labels) else "")
    yield "</svg>" + (
        f"<br>… the first {LONGEST} {unit(lattice.text)}s are drawn" if len(lattice.text) > LONGEST else ""
    )


def _arc(edge: Edge[Any], base: int, height: int, mark: Mark) -> Html:
    left, right = MARGIN + STEP * edge.start, MARGIN + STEP * edge.end
    dotted = "" if edge.known else ";stroke-dasharray:1 5"
    # The two control points of the curve are a third higher than its top.
    lift = base - height * 4 // 3
    curve = f"M{left} {base}C{left + 12} {lift} {right - 12} {lift} {right} {base}"
    active = f" data-active={mark}" if mark in ("now", "path") else ""  # the player scrolls to it
    return f'<path d="{curve}" style="{_LINES[mark]}{dotted}"{active} />'


def _written(edge: Edge[Any], top: int, label: str, faint: bool) -> Html:
    x = MARGIN + STEP * (edge.start + edge.end) // 2
    style = _TEXT + ";opacity:.4" * faint
    return (
        f'<text x={x} y={top - 4} style="{style};font-size:10px">{text(label)}</text>'
        f'<text x={x} y={top - 16} style="{style};font-weight:700">{text(printable(edge.piece))}</text>'
    )


def _node(place: int, base: int, position_labels: str) -> Html:
    x = MARGIN + STEP * place
    return (
        f"<circle cx={x} cy={base} r=10 style=fill:var(--ground) />"
        f'<text x={x} y={base + 4} style="{_TEXT};stroke:none">{place}</text>'
        f'<text x={x} y={base + 30} style="{_TEXT};font-size:11px">{text(position_labels)}</text>'
    )
