"""The steps of `encode`: what the normalizer changed, how the text was cut, what became of unknown pieces, the ids.

Adds: records for what only sentencepiece does. Merges are those of `algorithms.bpe_encode_agenda`, the best path is
that of `algorithms.viterbi`, drawing that of `algorithms.sampling`.
"""

from __future__ import annotations

from collections.abc import Generator
from itertools import groupby
from random import Random
from typing import Any, NamedTuple, TypeAlias

from tokenlab.algorithms.bpe_encode_agenda import encode_with_agenda
from tokenlab.algorithms.lattice import Edge
from tokenlab.algorithms.sampling import sample_path
from tokenlab.algorithms.viterbi import best_path
from tokenlab.sentencepiece.bpe import DEEPEST, BpeModel, replayed
from tokenlab.sentencepiece.model import Model
from tokenlab.sentencepiece.spelling import byte_pieces
from tokenlab.sentencepiece.unigram import UnigramModel
from tokenlab.sentencepiece.words import Cut
from tokenlab.steps import step
from tokenlab.visible import visible


@step
class Ready:
    """The normalizer is done: this is what is cut, and by which type of model."""

    text: str
    type: str  # unigram, bpe, word or char
    ranks: dict[Any, int]  # of a bpe model: the rank of each piece that stands in the text
    edges: tuple[Edge, ...]  # of a unigram model: the pieces, each where it stands

    def __str__(self) -> str:
        """Say what is cut."""
        return f"{_shown(self.text)} is cut by the {self.type} model"


@step
class Stretch:
    """From here on, symbols may be merged up to the next user-defined symbol, or to the end."""

    start: int
    text: str

    def __str__(self) -> str:
        """Say which part it is."""
        return f"in {_shown(self.text)}, at {self.start}, every character is a symbol"


@step
class Frozen:
    """A user-defined symbol stands here; nothing is merged with it."""

    start: int
    piece: str

    def __str__(self) -> str:
        """Say which symbol."""
        return f"{visible(self.piece)}, at {self.start}, is a user-defined symbol: nothing is merged with it"


@step
class TakenApart:
    """An unused piece is given back as the two parts that it was made of."""

    piece: str
    parts: tuple[str, ...]

    def __str__(self) -> str:
        """Say which piece, and into what."""
        return f"{visible(self.piece)} is unused, and taken apart: {' '.join(map(visible, self.parts))}"


@step
class Segmented:
    """The text is cut; some pieces may be in no vocabulary."""

    pieces: tuple[str, ...]
    unknown: tuple[bool, ...]

    def __str__(self) -> str:
        """Say what it was cut into."""
        number = "1 piece" if len(self.pieces) == 1 else f"{len(self.pieces)} pieces"
        return f"the text is cut into {number}: {' '.join(map(visible, self.pieces)) or 'nothing'}"


@step
class InBytes:
    """An unknown piece became the pieces of its bytes."""

    piece: str
    names: tuple[str, ...]

    def __str__(self) -> str:
        """Say which piece, and its bytes."""
        return f"{visible(self.piece)} is unknown, and becomes its bytes: {' '.join(self.names)}"


@step
class RunTogether:
    """Unknown pieces that stand side by side became one."""

    pieces: tuple[str, ...]

    def __str__(self) -> str:
        """Say which pieces."""
        return f"{' '.join(map(visible, self.pieces))} are unknown side by side, and become one piece"


@step
class Numbered:
    """The pieces have their ids."""

    pieces: tuple[str, ...]
    ids: tuple[int, ...]

    def __str__(self) -> str:
        """Say the ids."""
        return f"the ids are {' '.join(map(str, self.ids)) or 'none'}"


CutSteps: TypeAlias = "Generator[Any, None, Cut]"
TYPE_NAMES = {1: "unigram", 2: "bpe", 3: "word", 4: "char"}


class Draw(NamedTuple):
    """How a segmentation is drawn: by which alpha, and by which chance."""

    alpha: float
    random: Random


def _shown(text: str) -> str:
    return visible(text) or "nothing"


def cut_in_steps(cutter: Any, model: Model, normalized: str, draw: Draw | None = None) -> CutSteps:
    """How a normalized text is cut, by the best rule or by chance."""
    name = TYPE_NAMES[model.type]
    if isinstance(cutter, UnigramModel):
        yield Ready(normalized, name, {}, tuple(map(_plain, cutter.lattice(normalized).edges)))
        cut = yield from _unigram(cutter, normalized, draw)
    elif isinstance(cutter, BpeModel):
        yield Ready(normalized, name, _ranks_in(normalized, cutter.ranks), ())
        cut = yield from _bpe(cutter, normalized, draw)
    else:
        yield Ready(normalized, name, {}, ())
        cut = cutter.cut(normalized)
    yield Segmented(tuple(cut.pieces), tuple(id == model.unknown for id in cut.ids))
    return cut


def _plain(edge: Edge) -> Edge:
    return Edge(edge.start, edge.end, edge.piece, float(edge.log_prob), edge.known)


def _ranks_in(text: str, ranks: dict[str, int]) -> dict[str, int]:
    longest = max(map(len, ranks), default=0)
    ends = ((start, end) for start in range(len(text)) for end in range(start + 1, min(start + longest, len(text)) + 1))
    return {piece: ranks[piece] for start, end in ends if (piece := text[start:end]) in ranks}


def _unigram(cutter: UnigramModel, normalized: str, draw: Draw | None) -> CutSteps:
    lattice = cutter.lattice(normalized)
    steps = sample_path.steps(lattice, draw.alpha, draw.random) if draw else best_path.steps(lattice)
    return cutter.cut_of((yield from steps))


def _bpe(cutter: BpeModel, normalized: str, draw: Draw | None) -> CutSteps:
    pieces: list[str] = []
    parts: dict[str, tuple[str, str]] = {}
    start = 0
    for stretch, frozen in cutter.stretches(normalized):
        if frozen:
            yield Frozen(start, stretch)
            pieces.append(stretch)
        else:
            yield Stretch(start, stretch)
            merges: list[Any] = []
            steps = encode_with_agenda.steps(
                stretch, cutter.ranks, min(draw.alpha, 1.0) if draw else 0.0, draw and draw.random
            )
            found = yield from _kept(steps, merges)
            pieces += found
            if cutter.unused:
                parts |= replayed(stretch, cutter.ranks, merges)[1]
        start += len(stretch)
    kept: list[str] = []
    for piece in pieces:
        kept += yield from _taken_apart(cutter, piece, parts, 0)
    return cutter.numbered(kept)


def _kept(steps: Generator[Any, None, Any], into: list[Any]) -> Generator[Any, None, Any]:
    """The same steps, each kept in a list as well."""
    while True:
        try:
            done = next(steps)
        except StopIteration as end:
            return end.value
        into.append(done)
        yield done


def _taken_apart(
    cutter: BpeModel, piece: str, parts: dict[str, tuple[str, str]], depth: int
) -> Generator[Any, None, list[str]]:
    if piece not in cutter.unused or piece not in parts or depth > DEEPEST:
        return [piece]
    yield TakenApart(piece, parts[piece])
    found: list[str] = []
    for part in parts[piece]:
        found += yield from _taken_apart(cutter, part, parts, depth + 1)
    return found


def unknown_in_steps(cut: Cut, model: Model) -> Generator[Any, None, None]:
    """What becomes of unknown pieces."""
    for unknown, run in groupby(zip(*cut, strict=True), key=lambda entry: entry[1] == model.unknown):
        pieces = tuple(piece for piece, _ in run)
        if unknown and model.byte_fallback:
            for piece in pieces:
                yield InBytes(piece, tuple(byte_pieces(piece)))
        elif unknown and len(pieces) > 1:
            yield RunTogether(pieces)
