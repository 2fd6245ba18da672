"""The steps of `encode`: normalization, segmentation, unknown pieces, ids.

Adds: steps that only sentencepiece has. The steps of merging are those of `algorithms.bpe.encode_priority_queue`, of
the best path those of `algorithms.unigram.viterbi`, of sampling those of `algorithms.unigram.sample_segmentation`.
"""

from __future__ import annotations

from collections.abc import Generator
from itertools import groupby
from random import Random
from typing import Any, NamedTuple, TypeAlias

from tokenlab.algorithms.unigram.lattice import Edge
from tokenlab.algorithms.unigram.sample_segmentation import sample_path
from tokenlab.algorithms.unigram.viterbi import best_path
from tokenlab.libraries.sentencepiece.model_proto import Model
from tokenlab.libraries.sentencepiece.piece_surfaces import byte_pieces
from tokenlab.libraries.sentencepiece.segmentation.bpe_model import BpeModel
from tokenlab.libraries.sentencepiece.segmentation.unigram_model import UnigramModel
from tokenlab.libraries.sentencepiece.segmentation.word_and_char_models import Segmentation
from tokenlab.printing.printable import printable
from tokenlab.steps.recording import step


@step
class TextNormalized:
    """The normalized text, and the type of model that segments it."""

    text: str
    model_type: str  # unigram, bpe, word or char
    ranks: dict[Any, int]  # of a bpe model: the rank of each piece that occurs in the text
    edges: tuple[Edge[str], ...]  # of a unigram model: the edges of the lattice

    def __str__(self) -> str:
        return f"{_shown(self.text)} is segmented by the {self.model_type} model"


@step
class Segmented:
    """The text has been segmented; some pieces may be unknown."""

    pieces: tuple[str, ...]
    unknown: tuple[bool, ...]

    def __str__(self) -> str:
        number = "1 piece" if len(self.pieces) == 1 else f"{len(self.pieces)} pieces"
        return f"the text is segmented into {number}: {' '.join(map(printable, self.pieces)) or 'nothing'}"


@step
class ByteFallback:
    """An unknown piece was replaced by the pieces of its bytes."""

    piece: str
    names: tuple[str, ...]

    def __str__(self) -> str:
        return f"{printable(self.piece)} is unknown and becomes its bytes: {' '.join(self.names)}"


@step
class UnknownPiecesMerged:
    """Adjacent unknown pieces were fused into one."""

    pieces: tuple[str, ...]

    def __str__(self) -> str:
        return f"{' '.join(map(printable, self.pieces))} are adjacent unknown pieces and become one piece"


@step
class IdsAssigned:
    """The pieces have their ids."""

    pieces: tuple[str, ...]
    ids: tuple[int, ...]

    def __str__(self) -> str:
        return f"the ids are {' '.join(map(str, self.ids)) or 'none'}"


SegmentSteps: TypeAlias = "Generator[Any, None, Segmentation]"
TYPE_NAMES = {1: "unigram", 2: "bpe", 3: "word", 4: "char"}


class SamplingOptions(NamedTuple):
    """The parameters of sampling: the exponent (or dropout probability) alpha, and the random number generator."""

    alpha: float
    random: Random


def _shown(text: str) -> str:
    return printable(text) or "nothing"


def segment_steps(
    segmenter: Any, model: Model, normalized: str, sampling: SamplingOptions | None = None
) -> SegmentSteps:
    """Segment a normalized text in steps: the best segmentation, or a sampled one."""
    name = TYPE_NAMES[model.type]
    if isinstance(segmenter, UnigramModel):
        lattice = segmenter.lattice(normalized)
        yield TextNormalized(normalized, name, {}, tuple(map(_plain, lattice.edges)))
        steps = sample_path.steps(lattice, *sampling) if sampling else best_path.steps(lattice)
        segmentation = segmenter.from_path((yield from steps))
    elif isinstance(segmenter, BpeModel):
        yield TextNormalized(normalized, name, _ranks_in(normalized, segmenter.ranks), ())
        alpha, random = sampling or (0.0, None)
        segmentation = yield from segmenter.sample.steps(normalized, alpha, random)
    else:
        yield TextNormalized(normalized, name, {}, ())
        segmentation = segmenter.encode(normalized)
    yield Segmented(tuple(segmentation.pieces), tuple(id == model.unknown for id in segmentation.ids))
    return segmentation


def _plain(edge: Edge[str]) -> Edge[str]:
    return Edge(edge.start, edge.end, edge.piece, float(edge.log_prob), edge.known)


def _ranks_in(text: str, ranks: dict[str, int]) -> dict[str, int]:
    longest = max(map(len, ranks), default=0)
    ends = ((start, end) for start in range(len(text)) for end in range(start + 1, min(start + longest, len(text)) + 1))
    return {piece: ranks[piece] for start, end in ends if (piece := text[start:end]) in ranks}


def unknown_piece_steps(segmentation: Segmentation, model: Model) -> Generator[Any, None, None]:
    """Yield the steps that replace or fuse unknown pieces."""
    for unknown, run in groupby(zip(*segmentation, strict=True), key=lambda entry: entry[1] == model.unknown):
        pieces = tuple(piece for piece, _ in run)
        if unknown and model.byte_fallback:
            for piece in pieces:
                yield ByteFallback(piece, tuple(byte_pieces(piece)))
        elif unknown and len(pieces) > 1:
            yield UnknownPiecesMerged(pieces)
