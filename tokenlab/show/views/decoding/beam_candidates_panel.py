"""Panels of a step of beam search: the candidates with their sums and status, and the beams that continue."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import exp

from tokenlab.libraries.transformers.generation.beam_steps import (
    BELOW_BEAM_WIDTH,
    CONTINUES,
    FINISHES,
    NO_BEAM_SLOT,
    REJECTED_BY_POOL,
)
from tokenlab.show.frames import Html, Mark, Panel, chip, labelled, style_sheet, text
from tokenlab.show.views.decoding.beam_replay import BeamSearchState, CandidateNode
from tokenlab.show.views.elements.numbers import format_log_probability, format_negative

LAST = 6  # number of last tokens shown of a beam

# subtle: a style sheet, since a style attribute in every cell would make a lesson too large.
TABLE = style_sheet(
    ".tl .ledger{font-variant-numeric:tabular-nums}.tl .ledger tr{background:none}"
    ".tl .ledger th,.tl .ledger td{padding:1px 4px;text-align:left;font-weight:400;white-space:nowrap}"
    ".tl .ledger [scope=col]{color:var(--soft)}.tl .ledger .n{text-align:right}"
    ".tl .ledger .text{white-space:normal;min-width:9em}"
    ".tl .ledger .cut{border-top:1px dashed var(--soft)}.tl .ledger .lit{outline:2px solid var(--accent)}"
    ".tl .ledger .bar{min-width:30px}"
    "@container (width<27rem){.tl .ledger:has(.bar) .bar{display:none}}"
) + ("<li style=list-style:none;overflow-x:auto;container-type:inline-size tabindex=0><table class=ledger>")


def table_rows(heads: Iterable[str], rows: Iterable[Html]) -> tuple[Html, ...]:
    """The rows of a panel with a table; a head that ends in a space aligns its numbers to the right; "" is for bars."""
    return TABLE, f"<tr>{''.join(map(_head, heads))}", *rows, "</table>"


def _head(name: str) -> Html:
    if not name.strip():  # no header, since an empty one would be read out
        return "<td>" if name else "<td class=bar>"
    return f"<th scope=col{' class=n' * name.endswith(' ')}>{name}"


def candidates_panel(growth: BeamSearchState) -> Panel:
    """List all candidates of the last step, best first."""
    column = growth.columns[-1]
    title = f"{len(column)} candidates: each beam extended by one token, by sum of log-probabilities"
    heads = (" ", "beam", "token", "log p ", "sum ", "", "status")
    rows = table_rows(heads, (_candidate(node, column, growth.rule.num_beams) for node in column))
    return Panel(title, rows, wide=True)


def _candidate(node: CandidateNode, column: Sequence[CandidateNode], beams: int) -> Html:
    before = node.parent
    assert before is not None
    where = f"{before.beam + 1} {chip(before.name)}" if before.step else "start"
    percent = 5 * round(20 * exp(max(node.score - column[0].score, -50)))
    return (
        f"<tr data-at={node.key}{' class=cut' * (node.rank == beams)}><th scope=row class=n>{node.rank + 1}<td>{where}"
        f"<td>{chip(node.name, _marks(node))}<td class=n>{format_log_probability(node.log_probability)}"
        f"<td class=n>{format_negative(node.score)}<td class=bar><i style=width:{percent}%></i>"
        f"<td>{text(status_text(node))}"
    )


def _marks(node: CandidateNode) -> Mark:
    return "new" if node.status == CONTINUES else "right" if node.status == FINISHES else "unknown"


def status_text(node: CandidateNode) -> str:
    """Return a short description of the status of a candidate.

    >>> status_text(CandidateNode("a", -1.0)), status_text(CandidateNode("a", -1.0, BELOW_BEAM_WIDTH))
    ('continues as 1', 'ends below the best')
    """
    return {
        CONTINUES: f"continues as {node.beam + 1}",
        FINISHES: "ends: to the pool",
        BELOW_BEAM_WIDTH: "ends below the best",
        REJECTED_BY_POOL: "the pool has better",
        NO_BEAM_SLOT: "not needed",
    }.get(node.status, node.status)


def beams_panel(growth: BeamSearchState) -> Panel:
    """List the beams that continue, each with its last tokens and its sum."""
    return Panel("The beams that continue", tuple(_beams(growth)), "words", wide=True)


def _beams(growth: BeamSearchState) -> Iterator[Html]:
    for node in growth.beams:
        path = node.path
        dots = "… " if len(path) > LAST else ""
        shown = " ".join(chip(each.name, "new" if each is node else "") for each in path[-LAST:])
        yield labelled(f"{node.beam + 1}: {format_negative(node.score)}", dots + shown)
