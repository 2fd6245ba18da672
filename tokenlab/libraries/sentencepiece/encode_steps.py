"""The steps of `encode`: normalization, segmentation, unknown pieces, ids.

Adds: steps that only sentencepiece has. The steps of merging are those of `algorithms.bpe.encode_priority_queue`, of
the best path those of `algorithms.unigram.viterbi`, of sampling those of `algorithms.unigram.sample_segmentation`.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, field
from itertools import groupby
from random import Random
from typing import Any, NamedTuple, TypeAlias

from tokenlab.algorithms.bpe.encode import PairMerged
from tokenlab.algorithms.text.alignment import Replacement
from tokenlab.algorithms.text.count_words import Word
from tokenlab.algorithms.unigram.forward_backward import ForwardSum
from tokenlab.algorithms.unigram.lattice import Edge, Lattice
from tokenlab.algorithms.unigram.sample_segmentation import PieceSampled, SampledPath, sample_path
from tokenlab.algorithms.unigram.viterbi import Backtracked, BestPathFound, ViterbiTable, best_path
from tokenlab.libraries.sentencepiece.model_proto import Model
from tokenlab.libraries.sentencepiece.piece_surfaces import byte_pieces
from tokenlab.libraries.sentencepiece.segmentation.bpe_model import BpeModel, SegmentStarted
from tokenlab.libraries.sentencepiece.segmentation.unigram_model import UnigramModel
from tokenlab.libraries.sentencepiece.segmentation.word_and_char_models import Segmentation
from tokenlab.printing.printable import NAMED, Parts, SymbolPart, count_noun, symbol_parts
from tokenlab.steps.recording import step


@step
class TextNormalized:
    """The normalized text, and the type of model that segments it."""

    text: str
    model_type: str  # unigram, bpe, word or char
    ranks: dict[Any, int]  # of a bpe model: the rank of each piece that occurs in the text
    edges: tuple[Edge[str], ...]  # of a unigram model: the edges of the lattice

    def sentence(self) -> Parts:
        """Name the text and the model."""
        shown = SymbolPart(self.text, "new") if self.text else "nothing"
        return [shown, f" is segmented by the {self.model_type} model; the typed text is not used again"]

    def apply(self, progress: EncodingProgress) -> None:
        """Take the text; of a unigram model, take its lattice."""
        progress.ready = self
        if self.edges:
            edges: list[list[Edge[str]]] = [[] for _ in range(len(self.text) + 1)]
            for edge in self.edges:
                edges[edge.start].append(edge)
            lattice = Lattice(self.text, edges)
            progress.table, progress.sampled = ViterbiTable(lattice), SampledPath(lattice)


@step
class Segmented:
    """The text has been segmented; some pieces may be unknown."""

    pieces: tuple[str, ...]
    unknown: tuple[bool, ...]

    def sentence(self) -> Parts:
        """Name the pieces."""
        number = count_noun(len(self.pieces), "piece")
        return [f"the text is segmented into {number}: ", *symbol_parts(self.pieces, most=NAMED)]

    def apply(self, progress: EncodingProgress) -> None:
        """Take the pieces."""
        progress.pieces = list(zip(self.pieces, self.unknown, strict=True))


@step
class ByteFallback:
    """An unknown piece was replaced by the pieces of its bytes."""

    piece: str
    names: tuple[str, ...]

    def sentence(self) -> Parts:
        """Name the piece and its bytes."""
        becomes = " is not in the vocabulary and becomes its bytes: "
        return [SymbolPart(self.piece, "unknown"), becomes, *symbol_parts(self.names, "new")]

    def apply(self, progress: EncodingProgress) -> None:
        """Replace the first unknown piece of this text."""
        place = progress.pieces.index((self.piece, True))
        progress.pieces[place : place + 1] = [(name, False) for name in self.names]


@step
class UnknownPiecesMerged:
    """Adjacent unknown pieces were fused into one."""

    pieces: tuple[str, ...]

    def sentence(self) -> Parts:
        """Name the pieces and the piece that they become."""
        one = SymbolPart("".join(self.pieces), "unknown")
        return [*symbol_parts(self.pieces, "unknown"), " are adjacent unknown pieces and become one piece, ", one]

    def apply(self, progress: EncodingProgress) -> None:
        """Fuse the first run of these pieces that was not fused yet."""
        run, pieces = [(piece, True) for piece in self.pieces], progress.pieces
        place = next(at for at in range(progress.fused, len(pieces)) if pieces[at : at + len(run)] == run)
        pieces[place : place + len(run)] = [("".join(self.pieces), True)]
        progress.fused = place + 1


@step
class IdsAssigned:
    """The pieces have their ids."""

    pieces: tuple[str, ...]
    ids: tuple[int, ...]

    def sentence(self) -> Parts:
        """Name the ids."""
        return ["the ids of the pieces are ", *symbol_parts(map(str, self.ids), most=NAMED)]

    def apply(self, progress: EncodingProgress) -> None:
        """Take the pieces and their ids."""
        pieces = zip(self.pieces, progress.pieces, strict=True)
        progress.pieces, progress.ids = [(piece, unknown) for piece, (_, unknown) in pieces], self.ids


@dataclass
class EncodingProgress:
    """What the steps are applied to: the text, its symbols or its lattice, the pieces so far, and their ids."""

    typed: str
    changes: list[Replacement] = field(default_factory=list)
    ready: TextNormalized | None = None
    symbols: Word = ()  # of the segment that is being merged
    table: ViterbiTable[str] | None = None
    sampled: SampledPath[str] | None = None
    pieces: list[tuple[str, bool]] = field(default_factory=list)  # each piece, and whether it is unknown
    fused: int = 0  # number of pieces before the end of the last fused run
    ids: tuple[int, ...] = ()

    def take(self, step: Any) -> None:
        """Apply a step of this module, or a step of the segmentation to its own state."""
        match step:
            case TextNormalized() | Segmented() | ByteFallback() | UnknownPiecesMerged() | IdsAssigned():
                step.apply(self)
            case Replacement():
                self.changes.append(step)
            case SegmentStarted():
                self.symbols = tuple(step.text)
            case PairMerged():
                self.symbols = step.apply(self.symbols)
            case BestPathFound() | Backtracked() if self.table:
                step.apply(self.table)
            case ForwardSum() | PieceSampled() if self.sampled:
                step.apply(self.sampled)


SegmentSteps: TypeAlias = "Generator[Any, None, Segmentation]"
TYPE_NAMES = {1: "unigram", 2: "bpe", 3: "word", 4: "char"}


class SamplingOptions(NamedTuple):
    """The parameters of sampling: the exponent (or dropout probability) alpha, and the random number generator."""

    alpha: float
    random: Random


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
