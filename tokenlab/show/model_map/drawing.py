"""The map of one walk: which strips belong to a block, and the panel rows that draw them with the block marked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from tokenlab.show.frames import Html
from tokenlab.show.model_map.strips import (
    HEIGHT,
    INSIDE,
    LAYER,
    STYLE,
    WIDTH,
    Strip,
    inner_strip,
    layer_strip,
    model_strip,
)

INNER_PARTS = ("self_attention", "cross_attention", "feed_forward")


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

        The first row opens an element and the last one closes it, so that each strip is stored once.

        Args:
            block: the full name of a block, or of a layer or sublayer; "" for none.
        """
        strips = self.strips(block)
        marked = [(strip.letter, strip.number_of(block)) for strip in strips]
        numbers = [f"{letter}{number}" for letter, number in marked if number is not None]
        innermost = f"at-{numbers[-1][0]}" if numbers else ""
        height = (LAYER - 32, INSIDE - 14, HEIGHT)[len(strips) - 1]
        return (
            f'<li class="tlm {" ".join([*numbers, innermost])}">',
            f'{STYLE}<svg viewBox="0 0 {WIDTH} {height}" role=img aria-label="Map of the model">',
            *map(self._html_of, strips),
            "</svg></li>",
        )

    def _html_of(self, strip: Strip) -> Html:
        """Return a strip as SVG; each is drawn once, because it is the same in all frames."""
        if strip not in self._drawn:
            self._drawn[strip] = strip.html(self.frames)
        return self._drawn[strip]
