"""The ledger of a step of beam search: its candidates with their sums, their fates, and the beams that go on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import exp

from tokenlab.show.frames import Html, Mark, Panel, chip, text
from tokenlab.show.views.beam_growth import Growth, Node
from tokenlab.show.views.numbers import minus
from tokenlab.transformers.generation.beam_steps import ENDS, LIVES, NO_ROOM, REFUSED, TOO_LOW

LAST = 6  # tokens of a beam that are shown, from its end

# subtle: rules of a style sheet instead of a style for each of a thousand cells, which would make a lesson too large.
TABLE = (
    "<style>.tl .ledger{white-space:nowrap;font-variant-numeric:tabular-nums}.tl .ledger tr{background:none}"
    ".tl .ledger th,.tl .ledger td{padding:1px 4px;text-align:left;font-weight:400}.tl .ledger [scope=col]"
    "{color:var(--soft)}.tl .ledger .n{text-align:right}.tl .ledger .text{white-space:normal;min-width:9em}"
    ".tl .ledger .cut{border-top:1px dashed var(--soft)}.tl .ledger .lit{outline:2px solid var(--accent)}"
    ".tl .ledger .bar{min-width:30px}"
    "@container (width<27rem){.tl .ledger:has(.bar) :is(.bar,th:empty){display:none}}</style>"
    "<li style=list-style:none;overflow-x:auto;container-type:inline-size><table class=ledger>"
)


def table(heads: Iterable[str], rows: Iterable[Html]) -> tuple[Html, ...]:
    """The rows of a panel with a table; numbers stand under heads that end in a blank."""
    names = "".join(f"<th scope=col{' class=n' * name.endswith(' ')}>{name}" for name in heads)
    return TABLE, f"<tr>{names}", *rows, "</table>"


def candidates_panel(growth: Growth) -> Panel:
    """All candidates of the last step, best first."""
    column = growth.columns[-1]
    title = f"{len(column)} candidates: each beam with one more token, by the sum of log-probabilities"
    heads = (" ", "beam", "token", "log p ", "sum ", "", "fate")
    return Panel(title, table(heads, (_candidate(node, column, growth.room) for node in column)))


def _candidate(node: Node, column: Sequence[Node], beams: int) -> Html:
    before = node.parent
    assert before is not None
    where = f"{before.beam + 1} {chip(before.name)}" if before.step else "start"
    share = round(100 * exp(max(node.score - column[0].score, -50)))
    return (
        f"<tr data-at={node.key}{' class=cut' * (node.rank == beams)}><th scope=row class=n>{node.rank + 1}<td>{where}"
        f"<td>{chip(node.name, _marks(node))}<td class=n>{minus(node.log_probability)}<td class=n>{minus(node.score)}"
        f"<td class=bar><i style=width:{share}%></i><td>{text(fate_of(node))}"
    )


def _marks(node: Node) -> Mark:
    return "new" if node.fate == LIVES else "right" if node.fate == ENDS else "unknown"


def fate_of(node: Node) -> str:
    """What became of a candidate, in a few words.

    >>> fate_of(Node("a", -1.0)), fate_of(Node("a", -1.0, TOO_LOW)), fate_of(Node("a", -1.0, "gives way"))
    ('lives on as 1', 'ends too low', 'gives way')
    """
    return {
        LIVES: f"lives on as {node.beam + 1}",
        ENDS: "ends: to the pool",
        TOO_LOW: "ends too low",
        REFUSED: "the pool has better",
        NO_ROOM: "no room",
    }.get(node.fate, node.fate)


def beams_panel(growth: Growth) -> Panel:
    """The beams that live, each with its last tokens and its sum."""
    return Panel("The beams that go on", tuple(_beams(growth)), "words")


def _beams(growth: Growth) -> Iterator[Html]:
    for node in growth.beams:
        path = node.path
        dots = "… " if len(path) > LAST else ""
        shown = " ".join(chip(each.name, "new" if each is node else "") for each in path[-LAST:])
        yield f"<li><span>{node.beam + 1}: {minus(node.score)}</span> <div>{dots}{shown}</div>"
