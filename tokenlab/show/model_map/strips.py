"""The map of one walk: three strips as SVG, which of them belong to a block, and the panel rows with the block marked.

A strip does not depend on the current block: classes on the element around it mark its boxes, so that a player stores
each strip once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

from tokenlab.show.frames import Html, style_sheet, text
from tokenlab.traces.t5.map_steps import ENDS, PARTS, SUBLAYERS

WIDTH, HEIGHT = 880, 232  # of the three strips
LEFT, GAP, HIGH = 84, 14, 26  # pixels: the labels of the rows, the space between boxes, the height of a box
ENCODER, DECODER, LAYER, INSIDE, FOLDED = 4, 50, 116, 166, 76  # pixels: the top of each row, and of the folded model
LETTER = 6.6  # pixels of a character
MOST = 32  # boxes of a strip that can be marked


def _marked(strip: str, after: str = "") -> str:
    return ",".join(f".{strip}{number} .{strip}-{number}{after}" for number in range(MOST))


_NORMS = ".l0,.l3,.l6"  # at the norm of a sublayer, no box inside the sublayer has been computed

# The letters m, l and h are those of the strips: model, layer, head. The innermost marked box is orange, and the boxes
# that contain it are blue. In a player, those that are computed later are dashed.
STYLE = style_sheet(
    ".tlm{list-style:none}.tlm svg{display:block;width:100%;min-width:700px;max-width:920px;height:auto;fill:none;"
    "stroke:currentColor;font:12px system-ui,sans-serif}.tlm text{stroke:none;fill:var(--on,currentColor);"
    "text-anchor:middle}.tlm .name{text-anchor:start;font-size:11px}.tlm rect{fill:var(--fill,#8881);"
    "stroke-width:var(--thick,1)}.tlm path{stroke-opacity:.6}.tlm [data-go]{cursor:pointer}"
    ".tlm [data-go]:hover rect{stroke-width:2.5}.at-m{--m:#e69f00;--mt:3}.at-l{--l:#e69f00;--lt:3}"
    f"{_marked('m')}{{--on:#000;--fill:var(--m,#56b4e9);--thick:var(--mt,1.5)}}"
    f"{_marked('l')}{{--on:#000;--fill:var(--l,#56b4e9);--thick:var(--lt,1.5)}}"
    f"{_marked('h')}{{--on:#000;--fill:#e69f00;--thick:3}}"
    f"{','.join(_marked(strip, f'~[data-go][class^={strip}]') for strip in 'mlh')}"
    f",.at-l:is({_NORMS}) [data-go][class^=h]"
    "{--fill:none;stroke-dasharray:3 3}"
)


@dataclass(frozen=True)
class Box:
    """A box of a strip."""

    name: str  # the beginning of the names of its blocks
    label: str
    x: float
    y: float
    width: float
    height: float = HIGH

    @property
    def right(self) -> float:
        """The x coordinate of the right side."""
        return self.x + self.width

    @property
    def middle(self) -> float:
        """The y coordinate of the centre."""
        return self.y + self.height / 2

    @property
    def centre(self) -> float:
        """The x coordinate of the centre."""
        return self.x + self.width / 2


@dataclass(frozen=True)
class Strip:
    """A strip of the map: its letter, its boxes, and its lines and titles."""

    letter: str
    boxes: tuple[Box, ...]
    lines: Html

    def number_of(self, block: str) -> int | None:
        """Return the number of the box that contains a block, or None."""
        # The blocks of an attention also begin with the name of their part, so the longest name is that of the box.
        inside = [(len(box.name), number) for number, box in enumerate(self.boxes) if is_inside(block, box.name)]
        return max(inside)[1] if inside else None

    def html(self, frames: Mapping[str, int]) -> Html:
        """Return the strip as SVG; a click on a box shows the first of its blocks that has a frame."""
        shown: dict[int | None, int] = {}
        for block, frame in frames.items():
            shown.setdefault(self.number_of(block), frame)
        return self.lines + "".join(
            f"<g class={self.letter}-{number}{f' data-go={shown[number]}' if number in shown else ''}>{_drawn(box)}</g>"
            for number, box in enumerate(self.boxes)
        )


def is_inside(block: str, name: str) -> bool:
    """Whether a block is this one or a part of it.

    >>> is_inside("encoder.block.1.output", "encoder.block.1"), is_inside("encoder.block.1.output", "encoder.block.10")
    (True, False)
    """
    return block == name or block.startswith(f"{name}.")


def _drawn(box: Box) -> Html:
    size = f"x={box.x:.0f} y={box.y:.0f} width={box.width:.0f} height={box.height:.0f}"
    rounded = " rx=13" if box.label == "+" else " rx=5"
    return f"<rect {size}{rounded} /><text x={box.centre:.0f} y={box.middle + 4:.0f}>{text(box.label)}</text>"


def _in_a_row(named: Sequence[tuple[str, str]], x: float, y: float) -> list[Box]:
    boxes: list[Box] = []
    for name, label in named:
        width = HIGH if label == "+" else len(label) * LETTER + 16
        boxes.append(Box(name, label, x, y, width))
        x += width + GAP
    return boxes


def _line(*points: tuple[float, float], arrow: bool = True) -> Html:
    path = "M" + "L".join(f"{x:.0f} {y:.0f}" for x, y in points)
    if arrow:
        (x, y), (before_x, _) = points[-1], points[-2]
        path += f"m-4 -3l4 3l-4 3M{x:.0f} {y:.0f}" if before_x < x else f"m-3 -4l3 4l3 -4M{x:.0f} {y:.0f}"
    return f'<path d="{path}" />'


def _arrows(boxes: Sequence[Box]) -> Html:
    return "".join(_line((left.right, left.middle), (right.x, right.middle)) for left, right in pairwise(boxes))


def _title(y: float, *words: str) -> Html:
    return "".join(f"<text class=name x=0 y={y + 13 * n:.0f}>{text(word)}</text>" for n, word in enumerate(words))


# --- the model ------------------------------------------------------------------------------------


def model_strip(encoder_layers: int, decoder_layers: int) -> Strip:
    """Return the strip of the whole model: the encoder above the decoder."""
    norms = _in_a_row([("decoder.final_norm", "RMS norm")], 0, 0)[0].width
    after = _in_a_row([(f"output.{kind}", ENDS[kind].label) for kind in ("logits", "probabilities", "loss")], 0, 0)
    end = WIDTH - 2 - after[-1].right - GAP - norms
    rows: list[list[Box]] = []
    for stack, layers, y in (("encoder", encoder_layers, ENCODER), ("decoder", decoder_layers, DECODER)):
        start = _in_a_row([(f"{stack}.{kind}", ENDS[kind].label) for kind in ("ids", "embedding")], LEFT, y)
        left = start[-1].right + GAP
        each = (end - GAP - left - GAP * (layers - 1)) / layers
        wide = each >= 60
        for number in range(layers):
            label = f"layer {number}" if wide else str(number)
            start.append(Box(f"{stack}.block.{number}", label, left + number * (each + GAP), y, each))
        rows.append([*start, Box(f"{stack}.final_norm", "RMS norm", end, y, norms)])
    outputs = [replace(box, x=box.x + end + norms + GAP, y=DECODER) for box in after]
    encoder, decoder = rows[0], [*rows[1], *outputs]
    lines = _title(ENCODER + 17, "Encoder") + _title(DECODER + 17, "Decoder") + _arrows(encoder) + _arrows(decoder)
    half = (encoder[0].y + encoder[0].height + decoder[0].y) / 2
    memory = encoder[-1]
    for box in decoder:
        if ".block." in box.name:
            lines += _line(
                (memory.centre, memory.y + HIGH), (memory.centre, half), (box.centre, half), (box.centre, box.y)
            )
    return Strip("m", (*encoder, *decoder), lines)


def folded_strip(model: Strip) -> Strip:
    """Return the strip of the whole model with all its boxes in one row, for the map of a part of it."""
    boxes: list[Box] = []
    layers = [box for box in model.boxes if ".block." in box.name]
    fixed = [len(_FOLDED.get(box.name.partition(".")[2], "")) * LETTER + 8 for box in model.boxes if box not in layers]
    each = (WIDTH - 2 - 2 * TITLE - sum(fixed) - 4 * (len(model.boxes) - 1)) / len(layers)
    x, lines = 0.0, ""
    for box in model.boxes:
        stack, _, part = box.name.partition(".")
        if part == "ids":
            lines += f"<text class=name x={x:.0f} y={FOLDED + 13}>{stack.capitalize()}</text>"
            x += TITLE
        label = _FOLDED.get(part) or (box.label if each >= 60 else box.name.rpartition(".")[2])
        width = len(label) * LETTER + 8 if part in _FOLDED else each
        boxes.append(Box(box.name, label, x, FOLDED, width, 18))
        x += width + 4
    return Strip("m", tuple(boxes), lines)


TITLE = 50  # pixels of the name of a stack
_FOLDED = {"embedding": "embed", "final_norm": "norm", "logits": "output", "probabilities": "softmax"}
_FOLDED |= {"ids": "ids", "loss": "loss"}


# --- one layer ------------------------------------------------------------------------------------


def layer_strip(stack: str, number: int, parts: Sequence[str]) -> Strip:
    """Return the strip of one layer: its sublayers, each with a norm before it and a residual connection around it."""
    place, y = f"{stack}.block.{number}", LAYER
    named = [
        (f"{place}.{part}{end}", label)
        for part in parts
        for end, label in ((".norm", "norm"), ("", SUBLAYERS[part].label), (".residual", "+"))
    ]
    boxes = _in_a_row(named, LEFT + 8, y)
    lines = _title(y + 12, f"{stack.capitalize()}", f"layer {number}") + _arrows(boxes)
    lines += _line((LEFT - 8, boxes[0].middle), (boxes[0].x, boxes[0].middle))
    for norm, plus in zip(boxes[::3], boxes[2::3], strict=True):
        start = norm.x - GAP / 2
        lines += _line((start, norm.middle), (start, y - 11), (plus.centre, y - 11), (plus.centre, y))
    lines += _line((boxes[-1].right, boxes[-1].middle), (boxes[-1].right + GAP, boxes[-1].middle))
    return Strip("l", tuple(boxes), lines)


# --- inside one part ------------------------------------------------------------------------------


def inner_strip(place: str, kinds: Sequence[str], head: int | None) -> Strip:
    """Return the strip of the blocks inside an attention or a feed-forward layer."""
    part = place.rpartition(".")[2]
    names = {kind: (f"{place}.{kind}", PARTS[kind].label) for kind in kinds}
    if part == "feed_forward":
        boxes = _in_a_row([*names.values()], LEFT + 8, INSIDE + 18)
        lines = _line((LEFT - 8, boxes[0].middle), (boxes[0].x, boxes[0].middle)) + _arrows(boxes)
        return Strip("h", tuple(boxes), _title(INSIDE + 35, SUBLAYERS[part].label) + lines)
    inputs = [
        Box(*names[kind], LEFT + 8, INSIDE + 22 * n, 76, 20) for n, kind in enumerate(("queries", "keys", "values"))
    ]
    later = [names[kind] for kind in kinds if kind not in ("queries", "keys", "values")]
    chain = _in_a_row(later, inputs[0].right + 22, INSIDE + 8)
    lines = _title(INSIDE + 27, SUBLAYERS[part].label, "one head" if head is None else f"head {head}") + _arrows(chain)
    lines += "".join(_line((box.right, box.middle), (chain[0].x, chain[0].middle)) for box in inputs[:2])
    value, weighted = inputs[2], next(box for box in chain if box.name.endswith(".weighted_values"))
    lines += _line((value.right, value.middle), (weighted.centre, value.middle), arrow=False)
    lines += f'<path d="M{weighted.centre:.0f} {value.middle:.0f}V{weighted.y + HIGH:.0f}m-3 4l3 -4l3 4" />'
    return Strip("h", (*inputs, *chain), lines)


class ModelMap:
    """The map of a T5, made from the names of its blocks in the order of computation."""

    def __init__(self, blocks: Sequence[str], head: int | None = 0, frames: Mapping[str, int] | None = None) -> None:
        """Take the names of the blocks, the head, and the frame that a click on each block shows."""
        self.blocks, self.head, self.frames = list(blocks), head, frames or {}
        self._drawn: dict[Strip, Html] = {}

    @cached_property
    def model(self) -> Strip:
        """The strip of the whole model."""
        layers = [name.split(".")[:3] for name in self.blocks if ".block." in name]
        return model_strip(*(len({layer[2] for layer in layers if layer[0] == s}) for s in ("encoder", "decoder")))

    def strips(self, block: str) -> list[Strip]:
        """Return the strips that show a block, from the outermost to the innermost.

        Args:
            block: the full name of a block, or of a layer or sublayer; "" for none.
        """
        names, found = block.split("."), [self.model]
        place = ".".join(names[:3])
        within = [name.split(".") for name in self.blocks if name.startswith(f"{place}.")]
        parts = list(dict.fromkeys(name[3] for name in within if len(name) > 4))
        if len(names) > 2 and parts:
            found.append(layer_strip(names[0], int(names[2]), parts))
            if len(names) > 3 and names[3] in parts:
                kinds = [name[4] for name in within if name[3] == names[3] and name[-1] not in ("norm", "residual")]
                found.append(inner_strip(".".join(names[:4]), kinds, self.head))
        return found

    def rows(self, block: str) -> tuple[Html, ...]:
        """Return the rows of a panel: the strips, with the block marked in each.

        The first row opens an element and the last one closes it, so that each strip is stored once. In a player, the
        strip of the model is folded once a part of a layer is chosen.

        Args:
            block: the full name of a block, or of a layer or sublayer; "" for none.
        """
        strips = self.strips(block)
        top = 0
        if len(strips) > 1 and self.frames:
            strips[0], top = folded_strip(self.model), FOLDED - 4
        marked = [(strip.letter, strip.number_of(block)) for strip in strips]
        numbers = [f"{letter}{number}" for letter, number in marked if number is not None]
        innermost = f"at-{numbers[-1][0]}" if numbers else ""
        height = (LAYER - 32, INSIDE - 14, HEIGHT)[len(strips) - 1] - top
        return (
            f'<li class="tlm {" ".join([*numbers, innermost])}">',
            f'{STYLE}<svg viewBox="0 {top} {WIDTH} {height}" role=img aria-label="Map of the model">',
            *map(self._html_of, strips),
            "</svg></li>",
        )

    def _html_of(self, strip: Strip) -> Html:
        """Return a strip as SVG; each is drawn once, because it is the same in all frames."""
        if strip not in self._drawn:
            self._drawn[strip] = strip.html(self.frames)
        return self._drawn[strip]
