"""A walk through a T5: the map with the current block, its table of numbers, how one of them is made, and questions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tokenlab.algorithms.attention.attention_output import MASKED
from tokenlab.algorithms.vectors import Row
from tokenlab.misconceptions.t5_map import keys_from_decoder
from tokenlab.printing.printable import printable
from tokenlab.show.frames import (
    OTHER,
    Fact,
    Frame,
    Html,
    Panel,
    Question,
    StepRange,
    chip,
    chips,
    style_sheet,
    text,
)
from tokenlab.show.model_map.strips import ModelMap
from tokenlab.show.views.elements.matrices import LabeledMatrix, format_cell, max_abs
from tokenlab.show.views.elements.questions import ask
from tokenlab.steps.recording import Recording
from tokenlab.traces.t5.map_steps import BlockComputed, OneNumber, block_of

TERMS = 4  # numbers of a vector that are shown
LONGEST = 11  # characters of a token
SHADES = 8
WEIGHTS = ("weights", "probabilities")  # tables of numbers from 0 to 1
SHOWN = 12  # maximum number of tokens of the target in a question


def model_map_view(recording: Recording[Any, Any], window: StepRange) -> Iterator[Frame]:
    """Yield a frame before the first block and after each block."""
    frames = {recording[number].block: number + 1 - window.first for number in range(window.first, window.end)}
    drawn = ModelMap([step.block for step in recording], recording.arguments["head"], frames)
    asked = questions(recording)
    for number, step, _ in window.steps_around(recording):
        if step is None:
            yield _opening(recording, drawn)
            continue
        yield Frame(
            moment=step.place,
            caption=text(f"{step.said}."),
            remark=_remark(step),
            panels=tuple(_panels(step, drawn)),
            question=asked.get(number),
        )


def _opening(recording: Recording[Any, Any], drawn: ModelMap) -> Frame:
    """Return the first frame: the map, and the tokens of both texts."""
    rows = tuple(
        f"<li><span>{name}</span> <div>{' '.join(map(chip, step.rows))}</div>"
        for name, step in (("source", recording[0]), ("decoder input", _first(recording, "decoder.ids")))
    )
    where = "Click on a box, or step forward: the boxes follow in the order of computation. Later boxes are dashed."
    return Frame(
        "The whole model", where, panels=(Panel("Map", drawn.rows(""), wide=True), Panel("Texts", rows, "words"))
    )


def _first(recording: Recording[BlockComputed, Any], block: str) -> BlockComputed:
    return next(step for step in recording if step.block == block)


def _formula(block: str) -> str:
    """Return the formula of a block; only self-attention has a bias, and only the decoder's self-attention has a mask.

    >>> _formula("encoder.block.0.self_attention.weights"), _formula("decoder.block.0.cross_attention.weights")
    ('A = softmax(S + B)', 'A = softmax(S)')
    >>> _formula("decoder.block.0.cross_attention.keys")
    'K = x W_K, x from the encoder'
    >>> _formula("encoder.block.0.self_attention.output"), _formula("encoder.block.0.feed_forward.output")
    ('out = (joined row) W_o', 'out = h W_o')
    """
    formula = block_of(block).formula
    if block.endswith(".feed_forward.output"):
        return "out = h W_o"
    if ".cross_attention." in block:
        match block.rpartition(".")[2]:
            case "keys" | "values":
                return f"{formula.replace('norm(x)', 'x')}, x from the encoder"
            case "weights":
                return formula.replace(" + B + M", "")
    return formula.replace(" + M)", ")") if block.startswith("encoder.") else formula


def _remark(step: BlockComputed) -> Html:
    formula = _formula(step.block)
    shown = [f"<code>{text(formula)}</code>"] * bool(formula)
    shown += [] if step.head is None else [f"The table shows head {text(step.head)}."]
    return " · ".join(shown)


def _panels(step: BlockComputed, drawn: ModelMap) -> Iterator[Panel]:
    yield Panel("Map", drawn.rows(step.block), wide=True)
    size = next((size for _, size in reversed(step.shape)), len(step.columns))
    columns = "" if size <= len(step.columns) else f" ({len(step.columns)} of {size} columns)"
    framed = "the loss" if step.kind == "loss" else "the framed one"
    explained = f" and how {framed} is made" if step.example else ""
    yield Panel(f"Numbers{columns}{explained}", (table(step), *one_number(step)), wide=True)


# --- the table -------------------------------------------------------------------------------------


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
    ".tl .tlb+.tlb{position:sticky;top:26px}.tl .tlb p{margin:0 0 6px;max-width:15rem}"
    ".tl .tln td.t{color:inherit;background:none}" + _shade_rules()
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


# --- questions: the decoder's input, the residual connection, cross-attention, and the mask --------


def questions(recording: Recording[Any, Any]) -> dict[int, Question | None]:
    """Return the questions by the number of finished steps; each is about the next block."""
    asked: dict[int, Question | None] = {}
    layer = next((step.layer for step in recording if step.part), None)
    about = {
        f"encoder.block.{layer}.self_attention.residual": _residual,
        "decoder.ids": _decoder_input,
        f"decoder.block.{layer}.self_attention.mask": _mask,
        f"decoder.block.{layer}.cross_attention.scores": _cross_scores,
    }
    for number, step in enumerate(recording):
        if step.block in about:
            asked[number] = about[step.block](recording, step)
    return asked


def _residual(recording: Recording[Any, Any], following: BlockComputed) -> Question | None:
    """Ask for a sum: of the output and the row before the norm, or the normed row (121)?"""
    example = following.example
    assert example is not None
    norm = next(step for step in recording if step.block == following.block.replace("residual", "norm"))
    (_, x), (_, output) = example.operands
    normed = norm.values[example.row][example.column]
    facts: tuple[Fact, ...] = (
        ("sum", None, round(example.value, 2)),
        ("sum of the normed row", None, round(normed + output, 2)),
    )
    why = f"The output {format_cell(output)} is added to {format_cell(x)}, the number before the norm."
    had = f"had {format_cell(x)} in column {example.column}"
    given = (had, f"The norm made it {format_cell(normed)}", f"the output of the attention is {format_cell(output)}")
    return ask(
        f"Row {chip(following.rows[example.row])} {had}. {given[1]}, and {given[2]}. "
        "Which number does the residual connection give?",
        (format_cell(example.value), why),
        (121, format_cell(normed + output), "The normed row is only read by the attention."),
        (OTHER, format_cell(output), "The output does not replace the row."),
        given=given,
        facts=facts,
    )


def _decoder_input(recording: Recording[Any, Any], following: BlockComputed) -> Question | None:
    """Ask for the first token that the decoder reads: the start, or its first label (39)?"""
    label = recording[-1].rows[0]
    start = following.rows[0]
    why = f"The decoder reads {chip(start)} and then the target without its last token. So each row predicts "
    why += "the next token."
    target = f"The target is {chips(recording[-1].rows[:SHOWN])}"
    more = " …" if len(recording[-1].rows) > SHOWN else ""
    return ask(
        f"{target}{more}. Which token does the decoder read first?",
        (chip(start), why),
        (39, chip(label), "A row must not read the token that it should predict."),
        (OTHER, chip("</s>"), "This token is the last one of a text."),
        given=(target,),
    )


def _mask(recording: Recording[Any, Any], following: BlockComputed) -> Question | None:
    """Ask for the number of visible keys of the first query: one, or all (40)?"""
    keys, free = len(following.columns), sum(value >= MASKED for value in following.values[0])
    which = "This is self-attention in the decoder"
    return ask(
        f"{which}. How many of its {keys} keys may get a weight from the first query, {chip(following.rows[0])}?",
        (str(free), f"Of {keys} keys, {keys - free} come after it. They are not generated yet, so they are hidden."),
        (40, str(keys), "A test with one token would not show this."),
        (OTHER, str(keys - free), "This is the number of hidden keys."),
        given=(which, f"{keys} keys", f"the first query, {chip(following.rows[0])}"),
        facts=(("visible keys", 0, free), ("keys", None, keys)),
    )


def _cross_scores(recording: Recording[Any, Any], following: BlockComputed) -> Question | None:
    """Ask for the shape of the scores: with keys from the encoder, or from the decoder (122)?"""
    target, source = len(following.rows), len(following.columns)
    why = f"The {target} queries come from the decoder, the {source} keys from the encoder."
    wrong = keys_from_decoder(source, target)
    lengths = f"The decoder reads {target} tokens, and the source has {source}"
    return ask(
        f"{lengths}. How many rows and columns do the scores of one head of cross-attention have?",
        (f"{target} and {source}", why),
        (122, f"{wrong[0]} and {wrong[1]}", "These would be the scores of self-attention."),
        given=(lengths,),
        facts=(("rows", None, target), ("columns", None, source)),
    )
