"""The steps of `encode` (normalization, segmentation, unknown pieces, ids), and of a round trip.

Adds: steps that only sentencepiece has. The steps of merging are those of `algorithms.bpe.encode_priority_queue`, of
the best path those of `algorithms.unigram.viterbi`, of sampling those of `algorithms.unigram.sample_segmentation`.
A round trip encodes and decodes a text, and reports which characters were lost, and by which rule; it takes the rules
of a model one by one, with which `algorithms.text.normalize` shows them.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from random import Random
from typing import Any, NamedTuple, TypeAlias

from tokenlab.algorithms.bpe.encode import PairMerged
from tokenlab.algorithms.text.alignment import AlignedText, Replacement, Span
from tokenlab.algorithms.text.count_words import Word
from tokenlab.algorithms.text.normalization_rules import META_SPACE
from tokenlab.algorithms.text.normalize import RULES, Rule, RuleApplied, named_rules
from tokenlab.algorithms.unigram.forward_backward import ForwardSum
from tokenlab.algorithms.unigram.lattice import Edge, Lattice
from tokenlab.algorithms.unigram.sample_segmentation import PieceSampled, SampledPath, sample_path
from tokenlab.algorithms.unigram.viterbi import Backtracked, BestPathFound, ViterbiTable, best_path
from tokenlab.libraries.sentencepiece.bpe_model import BpeModel, SegmentStarted
from tokenlab.libraries.sentencepiece.loaded_model import byte_pieces
from tokenlab.libraries.sentencepiece.model_interface import Model, Segmentation, read_model
from tokenlab.libraries.sentencepiece.model_proto import parse_message
from tokenlab.libraries.sentencepiece.normalizer import Normalizer
from tokenlab.libraries.sentencepiece.unigram_model import UnigramModel
from tokenlab.printing.printable import NAMED, Parts, SymbolPart, count_noun, symbol_parts
from tokenlab.steps.recording import step, stepwise


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


@step
class TextEncoded:
    """The pieces of the normalized text, and their ids."""

    pieces: tuple[str, ...]
    ids: tuple[int, ...]

    def sentence(self) -> Parts:
        """Name the pieces."""
        number = count_noun(len(self.pieces), "piece")
        return [f"the text was segmented into {number}: ", *symbol_parts(self.pieces, most=NAMED)]


@step
class LostSpan:
    """Characters of the original that decoding does not restore, and the rule that is the cause."""

    start: int
    text: str
    rule: str


@step
class IdsDecoded:
    """The decoded text, and the lost spans."""

    text: str
    lost: tuple[LostSpan, ...]

    def sentence(self) -> Parts:
        """Name the text and the lost characters."""
        decoded: Parts = ["the ids were decoded to ", SymbolPart(self.text) if self.text else "nothing"]
        if not self.lost:
            return [*decoded, ": every character was restored"]
        by_rule: dict[str, str] = {}
        for span in self.lost:
            by_rule[span.rule] = by_rule.get(span.rule, "") + span.text
        lost: Parts = []
        for rule, characters in by_rule.items():
            lost += ["; ", *symbol_parts(characters, "unknown", most=NAMED), f" by {rule}"]
        return [*decoded, f"; {count_noun(sum(map(len, by_rule.values())), 'character')} lost: ", *lost[1:]]


# The rules that decoding reverses: it removes the added space, and replaces ▁ by a space.
REVERSED_RULES = ("add dummy prefix", "add dummy suffix", "escape spaces")


@stepwise
def round_trip(text: str, processor: Any) -> Generator[RuleApplied | TextEncoded | IdsDecoded, None, str]:
    """Return `decode(encode(text))`.

    Args:
        text: the text to encode.
        processor: a sentencepiece processor, ours or the library's.
    """
    aligned, lost = AlignedText.identity(text), [""] * len(text)
    for name, rule in named_rules(normalization_rules(processor, text)):
        changes = tuple(rule(aligned.text))
        if name not in REVERSED_RULES:
            _mark_cause(lost, (_changed(change, aligned) for change in changes), name)
        elif name == "escape spaces":
            _mark_cause(lost, _typed_meta_spaces(aligned), "decoding, which replaces it by a space")
        elif name == "add dummy suffix" and aligned.text.startswith(META_SPACE):
            _mark_cause(lost, aligned.spans[:1], "decoding, which removes a first space")
        aligned = aligned.apply(changes)
        yield RuleApplied(name, changes)
    pieces, ids = tuple(processor.encode(text, out_type=str)), tuple(processor.encode(text))
    yield TextEncoded(pieces, ids)
    _mark_cause(lost, _unknown(pieces, ids, aligned, processor.unk_id()), "the vocabulary, which has no such piece")
    decoded = str(processor.decode(list(ids)))
    yield IdsDecoded(decoded, tuple(_runs(text, lost)))
    return decoded


def _mark_cause(lost: list[str], spans: Any, cause: str) -> None:
    """Set the cause of the characters in these spans, unless they have one."""
    for start, end in spans:
        for position in range(start, end):
            lost[position] = lost[position] or cause


def _changed(change: Replacement, aligned: AlignedText) -> Span:
    return aligned.span(change.start, change.start + len(change.old))


def _typed_meta_spaces(aligned: AlignedText) -> list[Span]:
    return [span for character, span in zip(aligned.text, aligned.spans, strict=True) if character == META_SPACE]


def _unknown(pieces: Sequence[str], ids: Sequence[int], aligned: AlignedText, unknown: int) -> list[Span]:
    spans, start = [], 0
    for piece, id in zip(pieces, ids, strict=True):
        if id == unknown:
            spans.append(aligned.span(start, start + len(piece)))
        start += len(piece)
    return spans


def _runs(text: str, lost: Sequence[str]) -> Generator[LostSpan, None, None]:
    """Yield the lost characters, in runs with the same cause."""
    start = 0
    for position in range(1, len(text) + 1):
        if position == len(text) or lost[position] != lost[start]:
            if lost[start]:
                yield LostSpan(start, text[start:position], lost[start])
            start = position


def normalization_rules(processor: Any, text: str) -> list[str | Rule]:
    """Return the rules, in order, with which the model of a processor (ours or the library's) normalizes a text.

    Source: google/sentencepiece, src/normalizer.cc, Normalizer::Normalize.
    """
    serialized = processor.serialized_model_proto()
    model = parse_message("ModelProto", serialized)
    spec, suffix = model.normalizer_spec, model.trainer_spec.treat_whitespace_as_suffix
    table = CharsMapRule(spec, read_model(serialized).user_defined_pattern)
    rules: list[str | Rule] = [table] if table else []
    if spec.remove_extra_whitespaces:
        rules.append("remove extra spaces")
    is_kept = table.has_content(text)
    if spec.add_dummy_prefix and not suffix:
        # subtle: with remove_extra_whitespaces, a text that is removed entirely loses its prefix, but not its suffix.
        is_kept = is_kept and not spec.remove_extra_whitespaces
        rules.append(KeptSpace("add dummy prefix") if is_kept else "add dummy prefix")
    if spec.escape_whitespaces:
        rules.append("escape spaces")
        if spec.remove_extra_whitespaces and not table.replaces(META_SPACE):
            rules.append("trim ▁")
    if spec.add_dummy_prefix and suffix:
        rules.append(KeptSpace("add dummy suffix") if is_kept else "add dummy suffix")
    return rules


class KeptSpace:
    """A rule that adds a prefix or suffix, even to a text that the rules before it have removed entirely."""

    def __init__(self, name: str) -> None:
        self.__name__ = name

    def __call__(self, text: str) -> Iterator[Replacement]:
        """Yield the addition."""
        for added in RULES[self.__name__](text or "a"):
            yield Replacement(added.start if text else 0, "", added.new)


class CharsMapRule:
    """The replacements of a model as a rule; user-defined symbols are not changed."""

    def __init__(self, spec: Any, symbols: Any) -> None:
        self._normalizer = Normalizer(spec, user_defined_pattern=symbols)
        self.__name__ = spec.name or "replacements"

    def __call__(self, text: str) -> Iterator[Replacement]:
        """Yield the replacements, from left to right."""
        return (Replacement(*part) for part in self._normalizer.replacements(text) if part.old != part.new)

    def __bool__(self) -> bool:
        return self._normalizer.map is not None

    def has_content(self, text: str) -> bool:
        """Whether the model normalizes the text at all: it is not empty, and not all of it is removed as spaces."""
        return bool(self._normalizer.normalize_with_offsets(text).origins)

    def replaces(self, text: str) -> bool:
        """Whether the table has a replacement for a character."""
        return next(self(text), None) is not None
