"""The table of a block with shaded cells, and the computation of one of its numbers."""

from __future__ import annotations

from tokenlab.algorithms.attention.attention_output import MASKED
from tokenlab.algorithms.vectors import Row
from tokenlab.printing.printable import printable
from tokenlab.show.frames import Html, style_sheet, text
from tokenlab.show.views.elements.matrices import LabeledMatrix, format_cell, max_abs
from tokenlab.traces.t5.t5_steps import BlockComputed, OneNumber

TERMS = 4  # numbers of a vector that are shown
LONGEST = 11  # characters of a token
SHADES = 8
WEIGHTS = ("weights", "probabilities")  # tables of numbers from 0 to 1


def _shade_rules() -> str:
    """Return a rule for each shade of positive numbers, negative numbers and weights."""
    rules = []
    for letter, sign, weights in (("p", 1, False), ("n", -1, False), ("w", 1, True)):
        colours = LabeledMatrix("", [[]], [], weights=weights)
        rules += [
            f".tl .tln .{letter}{share}{{background:{colours.shade(sign * share / SHADES)}}}"
            for share in range(SHADES + 1)
        ]
    return "".join(rules)


STYLE = style_sheet(
    ".tl .tln{width:auto;font:11px/15px system-ui,sans-serif;border-collapse:collapse;white-space:nowrap}"
    ".tl .tln tr:nth-child(n){background:none}.tl .tln td,.tl .tln th{border:0;padding:0 4px;text-align:right}"
    ".tl .tln td{color:#000;min-width:34px;font-variant-numeric:tabular-nums}.tl .tln .x{background:#9d9d97}"
    ".tl .tln th{color:var(--ink,inherit);font-weight:400}.tl .tln .on{outline:2px solid #000;outline-offset:-2px;"
    "font-weight:700}.tl .tln thead th{max-width:54px;overflow:hidden;text-overflow:ellipsis}"
    ".tl .tlb{display:inline-block;vertical-align:top;margin-right:24px;max-width:100%;overflow-x:auto}"
    ".tl .tlb p{margin:0 0 6px;max-width:15rem}.tl .tln td.t{color:inherit;background:none}" + _shade_rules()
)


def short(name: object) -> Html:
    """Return a token or a column name, shortened to fit a table."""
    shown = printable(str(name))
    return text(shown if len(shown) <= LONGEST else f"{shown[: LONGEST - 1]}…")


def table(step: BlockComputed) -> Html:
    """Return the recorded columns of a block as a panel row; the number that is explained has a frame."""
    decimals = 0 if step.kind in ("ids", "mask") else 2 if step.kind in WEIGHTS else 1
    framed = (step.example.row, step.example.column) if step.example and step.kind != "loss" else None
    largest = max_abs([step.values])
    head = "".join(f"<th scope=col>{short(name)}" for name in step.columns)
    rows = "".join(
        f"<tr><th scope=row>{short(name)}"
        + "".join(
            f'<td class="{_shade(step.kind, value, largest)}{" on" * ((row, column) == framed)}">'
            f"{format_cell(value, decimals)}"
            for column, value in enumerate(values)
        )
        for row, (name, values) in enumerate(zip(step.rows, step.values, strict=True))
    )
    return f"<li class=tlb>{STYLE}<table class=tln><tbody><tr><th>{head}{rows}</table>"


def _shade(kind: str, value: float, largest: float) -> str:
    """Return the class of a cell.

    >>> _shade("scores", -2.0, 2.0), _shade("weights", 0.5, 1.0), _shade("mask", -1e9, 0.0)
    ('n8', 'w4', 'x')
    """
    if value < MASKED:
        return "x"
    if kind == "ids":
        return "t"
    decimals = 2 if kind in WEIGHTS else 1  # as shown, so that the last bits of a number do not change its shade
    letter, most = ("w", 1.0) if kind in WEIGHTS else ("n" if value < 0 else "p", round(largest, decimals) or 1.0)
    return f"{letter}{round(SHADES * min(1.0, abs(round(value, decimals)) / most))}"


# --- one number -----------------------------------------------------------------------------------

_VECTORS = {  # the two vectors of a dot product, by the kind of the block
    "queries": ("norm(x)", "column of W_Q"),
    "keys": ("x or norm(x)", "column of W_K"),
    "values": ("x or norm(x)", "column of W_V"),
    "scores": ("query", "key"),
    "weighted_values": ("weights", "column of V"),
    "activations": ("norm(x)", "column of W_i"),
    "logits": ("scaled x", "row of E"),
    "loss": ("loss", "1 / rows"),
}


def one_number(step: BlockComputed) -> tuple[Html, ...]:
    """Return the panel row that shows how the framed number of a block was computed; none without an example."""
    example = step.example
    if example is None:
        return ()
    place = f"row <b>{short(step.rows[example.row])}</b>, column <b>{short(step.columns[example.column])}</b>"
    first = "the mean of all rows" if step.kind == "loss" else place
    lines = f"<p>{first}: <strong>{format_cell(example.value, 2)}</strong></p>"
    if example.left and example.right:
        lines += _dot_product(step, example)
    elif words := _operands(step, example):
        lines += f"<p>{words}</p>"
    return (f"<li class=tlb>{lines}",)


def _dot_product(step: BlockComputed, example: OneNumber) -> Html:
    names = _VECTORS.get(step.kind, ("joined row" if "attention" in step.part else "activations", "column of W_o"))
    many = len(example.left)
    more = "<td class=t>…" if many > TERMS else ""
    rows = "".join(
        f"<tr><th scope=row>{text(name)}{_numbers(vector)}{more}"
        for name, vector in zip(names, (example.left, example.right), strict=True)
    )
    ending = "; a negative sum becomes 0" if step.kind == "activations" else ""
    if step.kind == "loss":
        return f"<table class=tln><tbody>{rows}</table><p>Add all {many} losses, and divide by {many}.</p>"
    said = f"Dot product: multiply the two numbers of each column, and add all {many} products{ending}."
    return f"<table class=tln><tbody>{rows}</table><p>{said}</p>"


def _numbers(vector: Row) -> Html:
    largest = max(map(abs, vector[:TERMS]), default=1.0)
    return "".join(f"<td class={_shade('', value, largest)}>{format_cell(value, 2)}" for value in vector[:TERMS])


def _operands(step: BlockComputed, example: OneNumber) -> Html:
    """Return the computation of a number that is no dot product."""
    given = {name: format_cell(value, 2) for name, value in example.operands}
    whole = {name: f"{value:.0f}" for name, value in example.operands}
    value = format_cell(example.value, 2)
    match step.kind:
        case "embedding":
            return f"row {text(whole['id'])} of the embedding table E, column {short(step.columns[example.column])}"
        case "norm" | "final_norm":
            return f"x / rms · w = {given['x']} / {given['rms']} · {given['weight']} = {value}"
        case "residual":
            return f"x + output = {given['x']} + {given['output']} = {value}"
        case "bias":
            return _distance(example.operands[0][1])
        case "mask":
            return "0: this key is not hidden" if example.value >= MASKED else "×: this key is hidden"
        case "weights":
            terms = " + ".join(given.values())
            return f"{' + '.join(map(text, given))} = {terms}; then the softmax over the row gives {value}"
        case "concatenation":
            return f"column {text(whole['column'])} of head {text(whole['head'])}"
        case "probabilities":
            return f"the logit is {given['logit']}; the softmax over all tokens gives {value}"
    return ""


def _distance(distance: float) -> Html:
    """Describe the distance of a key from its query.

    >>> _distance(-1.0), _distance(0.0)
    ('the key is 1 position before its query', 'the key is at the position of its query')
    """
    if not distance:
        return "the key is at the position of its query"
    side = "before" if distance < 0 else "after"
    return f"the key is {abs(distance):.0f} position{'s' * (abs(distance) != 1)} {side} its query"
